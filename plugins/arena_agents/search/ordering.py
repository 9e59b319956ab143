"""The order in which a search tries moves: the sooner one of them cuts, the fewer are searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena import Component, Game, Move, State, hash_move

FIRST_OF_ALL, CAPTURE, KILLER = 1 << 60, 1 << 50, 1 << 40
HISTORY = 4096  # a power of two
HUGE = 1e12  # evaluations from here on do not order moves


@dataclass(eq=False, kw_only=True)
class Ordering(Component):
    """Ranks moves: the best one known, captures, moves that cut lately, then how often a move did.

    killers: [deepest + 1, 2], by plies to go the last two moves that cut. history: int64 [HISTORY], by a
    move's hash. ranks: int64 [deepest + 1, max_moves], by plies to go, of the moves there.
    """

    game: Game
    evaluation: Any  # an Evaluation, or like one: what a position counts where the depth runs out
    deepest: int  # plies that are ever searched
    ordering: bool = True  # moves are searched in the order in which they look best,
    sorted_from: int = 3  # from so many plies to go on, where that saves more time than it takes,
    judged_from: int = 0  # and from so many on by the evaluation of where they lead; 0 = never

    def __post_init__(self) -> None:
        self.prepare()

    def prepare(self) -> None:
        """Make what it works on."""
        self.judging = self.judged_from > 0
        self.killers = np.zeros((self.deepest + 1, 2), np.int64 if self.game.flat else object)
        self.history = np.zeros(HISTORY, np.int64)
        self.ranks = np.zeros((self.deepest + 1, self.game.max_moves), np.int64)

    def forget(self) -> None:
        """Begin anew: no move has cut yet."""
        self.killers[:] = 0
        self.history[:] = 0

    def moves_of(self, state: State, depth: int, hint: Move) -> Iterator[Move]:
        """Yield the moves of a position, so many plies before the horizon, those that look best first.

        Near the horizon they come as the game gives them, which takes less time than sorting saves.
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
        """Say of each of the moves how good it looks; `hint` is thought to be the best."""
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
        """Return the evaluation of where a move leads, for who makes it, in millionths."""
        after = self.game.play(state, move)
        value = self.evaluation.evaluate(after)
        if not abs(value) < HUGE:  # nor a number
            value = 0.0
        passed = self.game.alternating or self.game.to_move(after) != self.game.to_move(state)
        return int(1e6 * (-value if passed else value))

    def bring_best(self, moves: list[Move], depth: int, i: int) -> None:
        """Swap the best-looking of the moves from the i-th on to place i."""
        ranks = self.ranks[depth]
        best = i
        for j in range(i + 1, len(moves)):
            if ranks[j] > ranks[best]:
                best = j
        moves[i], moves[best] = moves[best], moves[i]
        ranks[i], ranks[best] = ranks[best], ranks[i]

    def remember(self, move: Move, depth: int) -> None:
        """Record that a move has cut."""
        killers = self.killers[depth]
        if killers[0] != move:
            killers[1] = killers[0]
            killers[0] = move
        self.history[hash_move(move) & (HISTORY - 1)] += depth * depth
