"""What published Q-learning over transitions leaves open, and how its program counts the opponent's rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Literal

from arena import option
from arena.api.game import State
from arena_agents.search.alpha_beta import AlphaBeta, Search
from arena_games.checkers.game_8x8 import Checkers, mean_row, origin

OTHERS_ROW = 33  # the lowest bit that the mean row of the opponent's pieces has in an abstract state


class Reordered(Checkers):
    """Checkers whose moves come in another order, which decides the first of the best."""

    by: Literal["square", "column"] = option("square", "whether moves are ordered by square or by column")
    backwards: bool = option(False, "the last first")
    rows: Literal["opponent", "learner"] = option("opponent", "whose side the opponent's rows count from")

    def moves(self, state: State) -> Iterator[int]:
        found = [move for move in Checkers.moves(self, state)]  # noqa: C416 # as the compiler has it
        if self.backwards:
            found = [found[len(found) - 1 - i] for i in range(len(found))]
        for x in range(8):
            column = 7 - x if self.backwards else x
            for move in found:
                if self.by == "column" and column_of(move) == column:
                    yield move
        for move in found:
            if self.by == "square":
                yield move

    def abstract(self, state: State, player: int) -> int:
        packed = Checkers.abstract(self, state, player)
        if self.rows == "learner":
            own, other, _, side = state
            packed &= (1 << OTHERS_ROW) - 1
            packed |= mean_row(other if side == player else own, player) << OTHERS_ROW
        return packed


class Blocked(Search):
    """Alpha-beta search to which a side that cannot move has lost."""

    def outcome(self, state: State, depth: int) -> float:
        return -self.win


class Blocker(AlphaBeta):
    """Alpha-beta to which a side that cannot move has drawn, as by the rules, or lost."""

    blocked: Literal["drawn", "lost"] = option("drawn", "what a side has that cannot move")

    def prepare(self) -> None:
        super().prepare()
        if self.blocked == "lost":
            self.search = Blocked(
                **{field.name: getattr(self.search, field.name) for field in fields(Search)}
            )
            self.scores = self.search.scores


def column_of(move: int) -> int:
    """Of the square that a move starts on, 0 to 7."""
    cell = origin(move)
    return 2 * (3 - cell % 4) + cell // 4 % 2
