"""The base class of tabular learners, with a growing table of values as their model."""

from __future__ import annotations

from typing import ClassVar

from arena import Arrays, Learner, Table, option


class ValueTable(Learner):
    """A learner with a table."""

    kept_attributes: ClassVar[tuple[str, ...]] = ("table",)  # it changes only while it learns

    memory: int = option(4000, "memory limit of its table in megabytes", low=1)
    width: ClassVar[int] = 1  # values an entry
    by_move: ClassVar[bool] = False  # whether there is an entry for each move

    def prepare(self) -> None:
        self.table = Table(self.game, self.width, self.by_move, memory=self.memory)

    def model(self) -> Arrays:
        """As `Table.model` has it: what is known."""
        return self.table.model()

    def recall(self, model: Arrays) -> None:
        self.table.recall(model)
