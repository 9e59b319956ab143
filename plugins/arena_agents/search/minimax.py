"""Full minimax search (von Neumann 1928), without pruning: every move's value is exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from arena import Agent, Game, Move, Rng, Spec, State, View, option
from arena_agents.search.transposition import EXACT, NO_MOVE, TranspositionTable
from arena_agents.ties import pick_best, probabilities
from arena_agents.verdicts import WIN, view

PLACES = 1 << 18  # number of places of the table
SMALL = 100_000  # maximum number of positions of a game that is searched to the end
VISITED = 5_000  # maximum number of positions visited to determine whether a game is small


def plies_to_the_end(game: Game, otherwise: int) -> int:
    """Return the maximum length of a match in a small game, `otherwise` in other games.

    The number of positions is `reachable` if that is set. Otherwise positions are counted by visiting them,
    as long as there are few and none recurs.
    """
    if game.reachable is not None:
        small = game.reachable * game.max_plies <= SMALL
        return game.max_plies if small else otherwise
    plies = longest_match(game, VISITED)
    return min(plies, game.max_plies) if plies else otherwise


def longest_match(game: Game, most: int) -> int:
    """Return the plies of the longest match; 0 if there are over `most` positions or positions can recur."""
    longest: dict[State, int] = {}
    begun = game.initial()
    path = [(begun, iter(game.moves(begun)))]
    on_path = {begun: 0}
    while path:
        state, left = path[-1]
        move = next(left, None)
        if move is None:
            path.pop()
            plies = longest[state] = on_path.pop(state)
            if path:
                above = path[-1][0]
                on_path[above] = max(on_path[above], plies + 1)
            continue
        after = game.play(state, move)
        if after in on_path or len(longest) + len(on_path) > most:
            return 0
        if after in longest:
            on_path[state] = max(on_path[state], longest[after] + 1)
        else:
            on_path[after] = 0
            path.append((after, iter(game.moves(after))))
    return longest[begun]


class Minimax(Agent):
    """Plays a move with the best minimax value, searched to the end of the game or to a depth.

    At the maximum depth a position is evaluated. Values are stored by position, so that transpositions are
    searched only once.
    """

    kept_attributes = ("table", "scores")

    depth: int = option(0, "depth in plies; 0 = to the end of a small game, else 4", low=0, high=1000)
    evaluation: Spec = option("own", "evaluation of positions at the depth limit", kind="evaluation")
    ties: Literal["first", "random"] = option("random", "choice among equally good moves")
    wins: Literal["soonest", "any"] = option("any", "whether faster wins are preferred")

    def prepare(self) -> None:
        self.plies = self.depth or plies_to_the_end(self.game, otherwise=4)
        self.judge = self.evaluation.make(self.game)
        self.table = TranspositionTable(self.game, PLACES)
        self.scores = np.zeros(self.game.max_moves)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.rate(state, moves)
        return moves[pick_best(self.scores, len(moves), self.ties == "random", rng)]

    def rate(self, state: State, moves: list[Move]) -> None:
        if self.judge.rooted:  # stored values are valid for one search only
            self.table.age += 1
        self.judge.root(state)
        for i in range(len(moves)):
            self.scores[i] = self.value_of(state, moves[i], self.plies)

    def value_of(self, state: State, move: Move, depth: int) -> float:
        """Return the value of a move for the player who makes it; the move counts towards `depth`."""
        after = self.game.play(state, move)
        value = self.minimax(after, depth - 1)
        passed = self.game.alternating or self.game.to_move(after) != self.game.to_move(state)
        return -value if passed else value

    def minimax(self, state: State, depth: int) -> float:
        """Return the value of `state` for the player to move, searched `depth` plies."""
        moves = self.game.moves(state)
        if not moves:
            return self.game.value(state) * (WIN + depth if self.wins == "soonest" else WIN)
        if depth == 0:
            return self.judge.evaluate(state)
        place = self.table.find(state)
        if place >= 0 and self.table.depth(place) == depth:
            return self.table.values[place]
        best = -2.0 * WIN
        for move in moves:
            best = max(best, self.value_of(state, move, depth))
        self.table.store(state, depth, EXACT, NO_MOVE, best)
        return best

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return probabilities(self.scores[: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the evaluation after best play; at least 10**15 for a win."""
        self.choose(state, moves, Rng())
        horizon = self.plies if self.wins == "soonest" else None
        return [view(score, horizon) for score in self.scores[: len(moves)]]
