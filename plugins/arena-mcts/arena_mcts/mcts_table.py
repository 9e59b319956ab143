"""MCTS with a precomputed tree: playouts by UCB1 from the start to the end, stored by position."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from arena import Learner, Move, Rng, State, States, Table, View, option
from arena_agents.ties import pick_best, probabilities

VISITS, SCORE, ABOVE = range(3)  # the values of a position in the table


class MCTSTable(Learner):
    """Plays by a tree of playouts from the start that is computed once, as in Nested Software's article.

    Each playout follows UCB1 for both players to its end; only ties are random. Results belong to a position
    and all symmetric ones, in whichever way it was reached. The move with the best mean score over all
    playouts is played; a move without playouts counts as 0.
    """

    uses = ("symmetries",)
    episodes: int = option(4000, "number of playouts that build the tree", low=1)
    exploration: float = option(math.sqrt(2), "exploration constant", low=0)
    draw: float = option(1.0, "value of a draw; a win is 1", low=0, high=1)
    ties: Literal["first", "random"] = option("first", "choice among equally good moves")
    symmetries: bool = option(True, "whether symmetric positions are treated as one")
    memory: int = option(4000, "memory limit of the tree in megabytes", low=1)

    def prepare(self) -> None:
        # for each position: the number of playouts, their score for the player who moved there, and the
        # number of playouts of all positions from which it was considered
        self.table = Table(
            self.game, width=3, spare=(self.game.max_plies + 1) * self.game.max_moves, memory=self.memory
        )
        self.images = self.game.symmetries if self.symmetries else 1
        self.scores = np.zeros(self.game.max_moves)

    def prepare_learning(self) -> None:
        self.path = States(self.game, self.game.max_plies + 1)
        self.below = np.zeros(self.game.max_moves, np.int64)

    def entry_of(self, state: State) -> int:
        """Return the table's entry for a position and its symmetric images, created if there is none."""
        least = state
        for i in range(1, self.images):
            image = self.game.image(state, i)
            if image < least:
                least = image
        return self.table.add(least)

    # --- playouts -----------------------------------------------------------------------------------------

    def learn(self, episode: int, rng: Rng) -> int:
        state, plies = self.game.initial(), 0
        self.path[0] = state
        moves = self.game.moves(state)
        while moves and plies < self.game.max_plies:
            self.weigh(state, moves)
            state = self.game.play(
                state, moves[pick_best(self.scores, len(moves), self.ties == "random", rng)]
            )
            plies += 1
            self.path[plies] = state
            moves = self.game.moves(state)
        ended = 0 if moves else self.game.value(state)
        won = ended if self.game.to_move(state) == 0 else -ended
        for ply in range(plies + 1):
            mover = self.game.to_move(self.path[ply - 1]) if ply > 0 else 1
            self.count(self.path[ply], won if mover == 0 else -won)
        return won

    def weigh(self, state: State, moves: list[Move]) -> None:
        """Write the upper confidence bound of each move to `scores`."""
        for i in range(len(moves)):
            entry = self.entry_of(self.game.play(state, moves[i]))
            visits, above = self.table.values[entry, VISITS], self.table.values[entry, ABOVE]
            if visits == 0.0:
                self.scores[i] = math.inf
            else:
                mean = self.table.values[entry, SCORE] / visits
                spread = math.sqrt(math.log(above) / visits) if above > 0.0 else 0.0
                self.scores[i] = mean + self.exploration * spread

    def count(self, state: State, won: int) -> None:
        """Count a playout through a position; `won` is its result for the player who moved there."""
        entry = self.entry_of(state)
        self.table.values[entry, VISITS] += 1.0
        self.table.values[entry, SCORE] += 1.0 if won > 0 else self.draw if won == 0 else 0.0
        n = 0
        for move in self.game.moves(state):
            entry = self.entry_of(self.game.play(state, move))
            known = False
            for i in range(n):
                if self.below[i] == entry:
                    known = True
            if not known:
                self.below[n] = entry
                n += 1
                self.table.values[entry, ABOVE] += 1.0

    # --- play ---------------------------------------------------------------------------------------------

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.rate(state, moves)
        return moves[pick_best(self.scores, len(moves), self.ties == "random", rng)]

    def rate(self, state: State, moves: list[Move]) -> None:
        for i in range(len(moves)):
            entry = self.known(self.game.play(state, moves[i]))
            visits = self.table.values[entry, VISITS] if entry >= 0 else 0.0
            self.scores[i] = self.table.values[entry, SCORE] / visits if visits > 0.0 else 0.0

    def known(self, state: State) -> int:
        """Return the table's entry for a position and its symmetric images, or -1."""
        least = state
        for i in range(1, self.images):
            image = self.game.image(state, i)
            if image < least:
                least = image
        return self.table.find(least)

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.rate(state, moves)
        return probabilities(self.scores[: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the mean of all playouts through a move; a win is 1. visits: their number."""
        self.rate(state, moves)
        views = []
        for move, score in zip(moves, self.scores, strict=False):
            entry = self.known(self.game.play(state, move))
            visits = self.table.values[entry, VISITS] if entry >= 0 else 0.0
            views.append(View({"score": score, "visits": visits}))
        return views

    # --- the model ----------------------------------------------------------------------------------------

    def model(self) -> Mapping[str, Any]:
        return self.table.model()

    def recall(self, model: Mapping[str, Any]) -> None:
        self.table.recall(model)
