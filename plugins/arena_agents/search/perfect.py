"""Perfect play by the game's solver, optionally mixed with random moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from arena import Agent, ArenaError, Move, Rng, State, View, compiled, option, solver_of
from arena_agents.ties import pick_best, probabilities

VISITS = 1 << 20  # number of positions per attempt if there is no limit


class Perfect(Agent):
    """Plays a move that keeps the value of the position under perfect play: won, drawn or lost.

    It uses the game's solver. In a small game all positions are solved, and it wins as fast as possible. With
    epsilon it is an opponent of adjustable strength that makes the same kind of mistakes in every game. Draws
    by repetition or length are not taken into account.
    """

    uses = ("symmetries", "evaluation")  # used by solvers
    budget = "nodes"
    kept_attributes = ("solver", "scores")

    epsilon: float = option(0.0, "probability of a random move instead of a best one", low=0, high=1)
    ties: Literal["first", "random"] = option("random", "choice among equally good moves")
    nodes: int = option(
        0, "search limit in positions for judging a move, beyond which it counts as a draw; 0 = none", low=0
    )
    memory: int = option(64, "memory limit of the solver in megabytes", low=1, high=1 << 20)

    def prepare(self) -> None:
        needed = self.nodes // 64 + 1 if self.nodes else self.memory
        self.solver = solver_of(self.game, min(self.memory, needed))
        if self.solver.endless and not self.nodes:
            raise ArenaError(f"perfect: {self.game} has no solver, and a search may not end; set nodes=N")
        self.scores = np.zeros(self.game.max_moves)

    def begin(self, seat: int) -> None:
        if self.nodes > 0:
            self.solver.forget()  # otherwise its moves would depend on earlier matches

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        if self.epsilon > 0 and rng.random() < self.epsilon:
            return rng.choice(moves)
        self.judge(state, moves, False)
        return moves[pick_best(self.scores, len(moves), self.ties == "random", rng)]

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float] | None:
        if self.nodes and not self.solver.exact:
            return None  # earlier searches also influence the choice
        self.rate(state, moves)
        slip = self.epsilon / len(moves)
        return [(1 - self.epsilon) * p + slip for p in probabilities(self.scores[: len(moves)], self.ties)]

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score a number above 0 for a winning move, 0 for a draw, below 0 for a loss."""
        self.rate(state, moves)
        return [View({"score": score}) for score in self.scores[: len(moves)]]

    @compiled
    def rate(self, state: State, moves: list[Move]) -> None:
        """Rate each move 1, 0 or -1; in a small game the closer to 0, the later the game ends."""
        self.judge(state, moves, True)

    def judge(self, state: State, moves: list[Move], all: bool) -> None:
        """Rate the moves; unless `all` is set, other moves count as lost if there is a winning move."""
        won = False
        for i in range(len(moves)):
            after = self.game.play(state, moves[i])
            turns = self.game.alternating or self.game.to_move(after) != self.game.to_move(state)
            self.scores[i] = self.worth(after, turns, all or not won)
            won = won or self.scores[i] > 0

    def worth(self, state: State, turns: bool, all: bool) -> float:
        """Return the value of a position for the player who moved there, and moves again unless `turns`.

        Unless `all` is set, a draw counts as lost.
        """
        sign = -1 if turns else 1
        if not self.game.moves(state):
            return sign * self.game.value(state) * 1.0
        if self.solver.exact:
            return sign * self.solver.attempt(state, 1, 0) / (self.solver.most(state) + 1)
        if self.reaches(state, 0 if turns else 1) != turns:
            return 1.0
        if not all or self.reaches(state, 1 if turns else 0) == turns:
            return -1.0
        return 0.0

    def reaches(self, state: State, least: int) -> bool:
        """Return whether a position's value is `least` or more; if that takes too long, assume a draw."""
        visits = self.nodes if self.nodes > 0 else VISITS
        value = self.solver.attempt(state, least, visits)
        while self.solver.stopped and self.nodes == 0:
            value = self.solver.attempt(state, least, visits)
        return least <= 0 if self.solver.stopped else value >= least
