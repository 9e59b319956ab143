"""Q-learning by back-propagation: after each self-play match, each side's moves are updated backwards.

The table contains moves with a value other than 0, each with the position in which it is made; a position is
known if it has such moves. This is Algorithm 1 of "Prior State Voting (PSV): Predicting unknown move states
from prior states in Q-table reinforcement learning", with one table for both sides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from arena import ArenaError, Arrays, Move, Rng, State, States, View, hash_state, option
from arena_agents.tabular.value_table import ValueTable
from arena_agents.ties import pick_best, probabilities

CAPTURE = 2  # the value of `Game.irreversible` for a capture


class QBackprop(ValueTable):
    """Learns from self-play: the values of the winner's moves increase, those of the loser's decrease.

    In unknown positions it moves at random.
    """

    # known: number of known moves in the position looked up last; scores: their values. below: a table that
    # is read but not changed where the learner's own table has no values, or None. sign: sign of rewards, -1
    # if the sides are mistaken for each other, as in `keep-training:published=true`. For a match, by ply:
    # past, hashes: the positions and their hashes; played, movers: the moves and the players who made them;
    # counts: the numbers of legal moves; captured: 1 for a capture; shares: the share of the final reward

    kept_attributes = ("scores",)

    episodes: int = option(10_000, "number of training matches against itself", low=1)
    alpha: float = option(0.1, "learning rate", low=0, high=1)
    epsilon: float = option(0.5, "probability of a random move in training", low=0, high=1)
    gamma: float = option(1.0, "discount per move at the end of training", low=0, high=1)
    gamma_first: float = option(
        0.1, "discount at the beginning, from which it increases linearly", low=0, high=1
    )
    reward_discount: float = option(
        1.0, "discount of the final reward for each later move of the same player", low=0, high=1
    )
    capture: float = option(0.0, "reward for a capture, subtracted from the preceding move", low=0)
    shards: int = option(
        1, "number of shards that learn in parallel and are then merged", low=1, formerly="parts"
    )
    published: bool = option(False, "update the moves of each side forwards, as the published program does")
    ties: Literal["first", "random"] = option("first", "choice among equally good moves")
    imported: str = option("", "name of a table imported with 'arena models import', instead of training")
    by_move = True

    def prepare(self) -> None:
        super().prepare()
        self.below: Any = None
        self.known, self.scores = 0, np.zeros(self.game.max_moves)
        self.sign = 1
        self.captures, self.fades = self.capture > 0, self.reward_discount < 1

    def prepare_learning(self) -> None:
        plies, kind = self.game.max_plies, np.int64 if self.game.flat else object
        self.past, self.plies = States(self.game, plies), 0
        self.hashes, self.movers, self.counts, self.captured = (np.zeros(plies, np.int64) for _ in range(4))
        self.played = np.zeros(plies, kind)
        self.later, self.shares = np.zeros(2), np.ones(plies)

    # --- values ---------------------------------------------------------------------------------------------

    def look_up(self, hashed: int, state: State, moves: list[Move]) -> int:
        """Write the values of a position's moves, 0 if unknown, to `scores`; return how many are known."""
        self.known = self.table.look_up(hashed, state, moves, self.scores)
        if self.below is not None and self.known == 0:
            self.known = self.below.look_up(hashed, state, moves, self.scores)
        return self.known

    def rate(self, state: State, moves: list[Move]) -> None:
        self.look_up(hash_state(state), state, moves)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        if self.look_up(hash_state(state), state, moves) == 0:
            return rng.choice(moves)
        return self.best_of(moves, rng)

    def best_of(self, moves: list[Move], rng: Rng) -> Move:
        """Return the move with the highest value; all moves must have been looked up."""
        return moves[pick_best(self.scores, len(moves), self.ties == "random", rng)]

    # --- learning -------------------------------------------------------------------------------------------

    def learn(self, episode: int, rng: Rng) -> int:
        return self.play_and_learn(self.game.initial(), self.discount(episode), rng)

    def discount(self, episode: int) -> float:
        """Return the discount in an episode, which increases linearly."""
        return self.gamma_first + (self.gamma - self.gamma_first) * episode / self.episodes

    def play_and_learn(self, state: State, gamma: float, rng: Rng) -> int:
        """Play a match from a position and learn from it; return 1 if player 0 won, -1 if player 1 won."""
        won = self.sign * self.play_match(state, rng)
        if self.fades:
            self.fade()
        self.later.fill(0.0)  # for each player, the value of its next position
        for step in range(self.plies):
            ply = step if self.published else self.plies - 1 - step
            mover = self.movers[ply]
            value = self.credit(ply, self.reward(ply, won), gamma, self.later[mover])
            self.later[mover] = max(value, 0.0) if self.published else value
        return won

    def play_match(self, state: State, rng: Rng) -> int:
        """Play and record a match from a position; return 1 if player 0 won, -1 if player 1 won."""
        self.plies = 0
        moves = self.game.moves(state)
        while moves and self.plies < self.game.max_plies:
            hashed = hash_state(state)
            if self.look_up(hashed, state, moves) > 0 and rng.random() >= self.epsilon:
                move = self.best_of(moves, rng)
            else:
                move = rng.choice(moves)
            self.note(hashed, state, move, len(moves))
            state = self.game.play(state, move)
            moves = self.game.moves(state)
        if moves:
            return 0
        value = self.game.value(state)
        return value if self.game.to_move(state) == 0 else -value

    def note(self, hashed: int, state: State, move: Move, count: int) -> None:
        """Record a ply of the match: a move that was one of `count`."""
        ply = self.plies
        self.past[ply] = state
        self.hashes[ply], self.played[ply], self.counts[ply] = hashed, move, count
        self.movers[ply] = self.game.to_move(state)
        if self.captures:
            self.captured[ply] = 1 if self.game.irreversible(state, move) == CAPTURE else 0
        self.plies += 1

    def fade(self) -> None:
        """Compute the share of each ply in the final reward: 1 for a player's last move, less for others."""
        self.later.fill(1.0)
        for ply in reversed(range(self.plies)):
            mover = self.movers[ply]
            self.shares[ply] = self.later[mover]
            self.later[mover] *= self.reward_discount

    def reward(self, ply: int, won: int) -> float:
        """Return the reward of the move in a ply for the player who made it."""
        reward = float(won if self.movers[ply] == 0 else -won)
        if self.fades:
            reward *= self.shares[ply]
        if self.captures:
            reward += self.capture * self.captured[ply]
            if ply + 1 < self.plies and self.movers[ply + 1] != self.movers[ply]:
                reward -= self.capture * self.captured[ply + 1]
        return reward

    def credit(self, ply: int, reward: float, gamma: float, later: float) -> float:
        """Learn the value of the move in a ply; `later` is the value of the same player's next position.

        Return the value of the ply's position: the highest value of its moves.
        """
        state, hashed, move = self.past[ply], self.hashes[ply], self.played[ply]
        if self.below is not None:
            self.lay_over(hashed, state)
        own, valued, best = -1, 0, -math.inf
        for entry in self.table.entries_of(hashed, state):
            valued += 1
            if self.table.moves[entry] == move:
                own = entry
            else:
                best = max(best, self.table.values[entry, 0])
        before = self.table.values[own, 0] if own >= 0 else 0.0
        now = before + self.alpha * (reward + gamma * later - before)
        if own >= 0:
            self.table.values[own, 0] = now
        else:
            valued += 1
            if now != 0:
                self.keep(hashed, state, move, now)
        best = max(best, now)
        return max(best, 0.0) if valued < self.counts[ply] else best

    def lay_over(self, hashed: int, state: State) -> None:
        """Copy the values of a position from the table below, if the own table has none."""
        if self.table.seek(hashed, state) < 0:
            for entry in self.below.entries_of(hashed, state):
                self.keep(hashed, state, self.below.moves[entry], self.below.values[entry, 0])

    def keep(self, hashed: int, state: State, move: Move, value: float) -> None:
        """Add a move of a position to the table, unless it lies over another table and is full."""
        if self.below is None or self.table.size < self.table.room:
            self.table.add_move(hashed, state, move, value)

    # --- the model ------------------------------------------------------------------------------------------

    def import_model(self, data: bytes) -> Arrays:
        """Return the table in a model file of the program published with Prior State Voting, for checkers."""
        from arena_agents.tabular.published_table import read  # imported here, as it imports a game

        return read(data, self.game)

    def merge(self, models: Sequence[Arrays]) -> None:
        """Combine models; each value is the mean over the models that contain it."""
        try:
            self.table.merge(models)
        except ArenaError as error:
            raise ArenaError(f"{self.name or type(self).__name__}: {error}") from error

    # --- explanations ---------------------------------------------------------------------------------------

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        if not self.known:
            return [1 / len(moves)] * len(moves)
        return probabilities(self.scores[: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the move's value, 0 if unknown, and `known`: whether the position is known."""
        self.choose(state, moves, Rng())
        return [View({"score": score, "known": self.known > 0}) for score in self.scores[: len(moves)]]
