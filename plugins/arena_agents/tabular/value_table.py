"""The base class of tabular learners, with a growing table of values as their model."""

from __future__ import annotations

from typing import ClassVar

from arena import Arrays, Learner, Table, option


class ValueTable(Learner):
    """A learner whose model is a table."""

    kept_attributes: ClassVar[tuple[str, ...]] = ("table",)  # changes only during learning

    memory: int = option(4000, "memory limit of its table in megabytes", low=1)
    width: ClassVar[int] = 1  # number of values per entry
    by_move: ClassVar[bool] = False  # whether there is an entry for each move

    def prepare(self) -> None:
        self.table = Table(self.game, self.width, self.by_move, memory=self.memory)

    def model(self) -> Arrays:
        """Return the table's model; see `Table.model`."""
        return self.table.model()

    def recall(self, model: Arrays) -> None:
        self.table.recall(model)
