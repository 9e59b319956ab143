"""The base class of agents that play by the table of a learner without changing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from arena import Agent, ArenaError, Protocol, Spec, option
from arena_agents.tabular.q_backprop import QBackprop


class OverTable(Agent):
    """Plays by the table of a learner; subclasses choose moves in positions that are not in the table.

    trained: the learner with its model.
    """

    kept_attributes: ClassVar[tuple[str, ...]] = ("trained",)

    learner: Spec = option("q-backprop", "learner whose table it uses", kind="agent")
    trained: QBackprop
    protocols: ClassVar[Mapping[str, Protocol]] = {
        "document": Protocol(
            "checkers:repetition=0,quiet_plies=0",
            ("random",),
            points=(10, 100, 1000, 5000, 10_000, 20_000, 30_000, 40_000),
            seeds=1,
            matches=50,
            fresh_per_point=True,
        )
    }

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if not issubclass(options["learner"].cls, QBackprop):
            raise ArenaError(
                f"learner={options['learner']} has no values of moves; use one that has, such as q-backprop"
            )

    def prepare(self) -> None:
        self.trained = self.learner.make(self.game)
