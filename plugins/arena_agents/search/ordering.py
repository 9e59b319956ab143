"""The order in which a search tries moves: the sooner a move causes a cutoff, the fewer are searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena import Component, Game, Move, State, hash_move

FIRST_OF_ALL, CAPTURE, KILLER = 1 << 60, 1 << 50, 1 << 40
HISTORY = 4096  # size of the history table, a power of two
HUGE = 1e12  # evaluations of at least this size are not used to order moves


@dataclass(eq=False, kw_only=True)
class Ordering(Component):
    """Ranks moves: the best known move, captures, killer moves, then other moves by history.

    killers: [deepest + 1, 2], the last two moves that caused cutoffs, by remaining depth. history: int64
    [HISTORY], by the hash of a move. ranks: int64 [deepest + 1, max_moves], ranks of the moves of a position,
    by remaining depth.
    """

    game: Game
    evaluation: Any  # an Evaluation, or a similar object, for positions at the maximum depth
    deepest: int  # maximum number of plies searched
    ordering: bool = True  # whether moves are sorted, the most promising first,
    sorted_from: int = 3  # from this remaining depth on, at which it saves time,
    judged_from: int = 0  # and by evaluation from this remaining depth on; 0 = never

    def __post_init__(self) -> None:
        self.prepare()

    def prepare(self) -> None:
        """Allocate working memory."""
        self.judging = self.judged_from > 0
        self.killers = np.zeros((self.deepest + 1, 2), np.int64 if self.game.flat else object)
        self.history = np.zeros(HISTORY, np.int64)
        self.ranks = np.zeros((self.deepest + 1, self.game.max_moves), np.int64)

    def forget(self) -> None:
        """Clear the killer moves and the history."""
        self.killers[:] = 0
        self.history[:] = 0

    def moves_of(self, state: State, depth: int, hint: Move) -> Iterator[Move]:
        """Yield the moves of a position with this remaining depth, the most promising first.

        Near the horizon they are in the game's order, because sorting would cost more time than it saves.
        """
        if self.ordering and depth >= self.sorted_from:
            moves = self.game.moves(state)
            self.rank(state, moves, depth, hint)
            for i in range(len(moves)):
                self.bring_best(moves, depth, i)
                yield moves[i]
        else:
            yield from self.game.moves(state)

    def rank(self, state: State, moves: list[Move], depth: int, hint: Move) -> None:
        """Compute the rank of each move; `hint` is the move assumed to be the best."""
        ranks, killers = self.ranks[depth], self.killers[depth]
        for i in range(len(moves)):
            move = moves[i]
            if move == hint:
                ranks[i] = FIRST_OF_ALL
            elif self.judging and depth >= self.judged_from:
                ranks[i] = self.promise(state, move)
            elif self.game.irreversible(state, move) == 2:
                ranks[i] = CAPTURE
            elif move == killers[0] or move == killers[1]:
                ranks[i] = KILLER
            else:
                ranks[i] = self.history[hash_move(move) & (HISTORY - 1)]

    def promise(self, state: State, move: Move) -> int:
        """Return the evaluation of the position after a move for the player who makes it, in millionths."""
        after = self.game.play(state, move)
        value = self.evaluation.evaluate(after)
        if not abs(value) < HUGE:  # also true for NaN
            value = 0.0
        passed = self.game.alternating or self.game.to_move(after) != self.game.to_move(state)
        return int(1e6 * (-value if passed else value))

    def bring_best(self, moves: list[Move], depth: int, i: int) -> None:
        """Swap the highest-ranked of the moves from index `i` on to index `i`."""
        ranks = self.ranks[depth]
        best = i
        for j in range(i + 1, len(moves)):
            if ranks[j] > ranks[best]:
                best = j
        moves[i], moves[best] = moves[best], moves[i]
        ranks[i], ranks[best] = ranks[best], ranks[i]

    def remember(self, move: Move, depth: int) -> None:
        """Record that a move has caused a cutoff."""
        killers = self.killers[depth]
        if killers[0] != move:
            killers[1] = killers[0]
            killers[0] = move
        self.history[hash_move(move) & (HISTORY - 1)] += depth * depth
