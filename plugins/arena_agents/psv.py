"""Prior State Voting: kernels in `voting`, what they work on here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arena import ArenaError, FastAgent, Spec, option
from arena.agent import PlainPlayer
from arena_agents import voting
from arena_agents.value_table import OWN, VALUES, ValueTable

ROOM = 1 << 10  # for shapes, of moves, and for groups of moves, at first; a power of two


class PSV(FastAgent):
    """Plays as its learner where that knows the position, else has all moves vote that it knows.

    "Prior State Voting (PSV): Predicting unknown move states from prior states in Q-table reinforcement
    learning". A move's score is the mean of its votes.
    """

    needs = ("grid",)
    learner: Spec = option("q-backprop", "whose moves vote", kind="agent")
    kernel = voting

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        named = options["learner"]
        if not (issubclass(named.cls, ValueTable) and named.cls.keyed):
            raise ArenaError(f"learner={named} keeps no values of moves; name one that does: q-backprop")

    def prepare(self) -> None:
        self.known = self.learner.make(self.game)
        xs, ys = (np.array(places, np.int64) for places in zip(*self.game.cells, strict=True))
        self.columns, self.rows = xs - xs.min(), ys - ys.min()
        self.room = ROOM
        self.kinds = 0  # of pieces, not known yet

    def equip(self) -> None:
        super().equip()
        if isinstance(self.player, PlainPlayer) and not isinstance(self.known.player, PlainPlayer):
            model = self.known.model()  # whose positions plain Python keeps as they are
            self.known.compiled = lambda: None
            self.known.equip()
            self.known.recall(model)
            super().equip()
        places = len(self.known.player.arrays[VALUES])
        if not self.kinds:
            self.kinds = self.player.run("most_kinds", places)
            super().equip()
        while self.player.run("gather", places) < places:
            self.room *= 4
            super().equip()

    def arrays(self) -> Sequence[Any]:
        table = self.known.player.arrays[: OWN + 2]
        cells, width, height = len(self.columns), int(self.columns.max()) + 1, int(self.rows.max()) + 1
        cell_at = np.full(width * height, -1)
        cell_at[self.rows * width + self.columns] = np.arange(cells)
        board = [cells, width, height, self.kinds, 2 * self.room - 1, 0, 0, self.room, self.room]
        now, ints = [0] * cells, [0] * self.room
        shapes = [0] * 2 * self.room, [0] * 2 * self.room, [-1] * 2 * self.room, [0] * 2 * self.room
        groups = ints, ints, [0.0] * self.room, np.zeros(self.room * cells * self.kinds)
        alike = unplayed(cell_at.reshape(height, width) < 0).ravel()
        return *table, board, self.columns, self.rows, cell_at, alike, now, *shapes, *groups


def unplayed(outside: Any) -> Any:
    """How many cells that are not played on lie on such, by how far a board is laid off itself.

    outside: bool [height, width]. float64 [2 height - 1, 2 width - 1], the middle for not at all.
    """
    height, width = outside.shape
    found = np.zeros((2 * height - 1, 2 * width - 1))
    for down in range(1 - height, height):
        for right in range(1 - width, width):
            here = outside[max(0, -down) : height - max(0, down), max(0, -right) : width - max(0, right)]
            there = outside[max(0, down) : height + min(0, down), max(0, right) : width + min(0, right)]
            found[down + height - 1, right + width - 1] = np.sum(here & there)
    return found
