"""Sarsa with a linear score: on-policy TD(0), in which moves are chosen by alpha-beta search.

"4 in a row" (Samuel & Kalev), after Sutton & Barto (1998).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any, Literal

import numpy as np

from arena import ArenaError, Arrays, Learner, Move, Rng, State, Tally, View, is_compiled, option
from arena_agents.linear.evaluation import Linear
from arena_agents.linear.phases import DEEPEST, read_schedule, until
from arena_agents.search.alpha_beta import ALL, ONE, TIED, Search
from arena_agents.ties import pick_best, probabilities
from arena_agents.verdicts import view

LONG = 1e-3  # minimum seconds of a game for which a second thread is worthwhile
FEW = 32  # iterations after which this is checked again
PLACES = 1 << 12  # size of the transposition table
FROZEN = 2  # index of the first of the weights from the beginning of the iteration


def dot(weights: Any, features: Any) -> float:
    """Return the score of a position for the player to move, who uses these weights."""
    score = 0.0
    for f in range(len(features)):
        score += weights[f] * features[f]
    return score


class ScoredDraws(Search):
    """Alpha-beta search in which the evaluation determines the score of a draw."""

    def outcome(self, state: State, depth: int) -> float:
        if self.game.value(state) == 0:
            return self.evaluation.drawn(state)
        return super().outcome(state, depth)


class Sarsa(Learner):
    """Searches with a weighted sum of the game's features as evaluation; learns the weights by Sarsa.

    See "4 in a row" (Samuel & Kalev). Each player has its own weights. An iteration consists of two games,
    one in each seat; in both, the opponent uses the weights from the beginning of the iteration. In training,
    a random move has a probability of 1 / (number of updates of the weights), but at least epsilon_floor.

    A state is a position in which the learner is to move; the next state is the one after the opponent's
    reply. A won state scores 1, a lost one -1.

    weights: float64 [4, features], the weights of players 0 and 1, and those from the beginning of the
    iteration. updates: int64 [2], the number of updates of each player's weights. before, now: float64
    [features], the features of the previous and the current state.
    """

    needs = ("features",)
    kept_attributes = ("weights", "search")

    episodes: int = option(10_000, "number of training games, alternating between the seats", low=1)
    schedule: tuple[str, ...] = option(
        ("1x3v3@.001",),
        "phases, share x depth v depth of the opponent @ learning rate; 'document' for those of the document,"
        " 'equal' for the same with equal depths",
    )
    depth: int = option(4, "search depth in play, in plies", low=1, high=DEEPEST)
    epsilon_floor: float = option(0.05, "minimum probability of a random move in training", low=0, high=1)
    gamma: float = option(1.0, "discount per move", low=0, high=1)
    reward: float = option(0.0, "reward per move")
    draw: float = option(0.0, "score of a draw, in learning and in search; a win is 1, a loss -1")
    first_weight: float = option(0.0, "initial value of every weight")
    max_plies: int = option(500, "training games are drawn after this many plies", low=1)
    ties: Literal["first", "random"] = option("first", "choice among equally good moves")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        read_schedule(options["schedule"])

    def prepare(self) -> None:
        size = len(self.game.feature_names)
        self.weights = np.full((4, size), float(self.first_weight))
        self.before, self.now = np.zeros(size), np.zeros(size)
        self.updates = np.zeros(2, np.int64)
        self.longest = min(self.max_plies, self.game.max_plies)
        self.phases = read_schedule(self.schedule)
        self.until = np.array(until(self.phases, self.episodes), np.int64)
        self.own_depths = np.array([phase.depth for phase in self.phases], np.int64)
        self.other_depths = np.array([phase.opponent for phase in self.phases], np.int64)
        self.alphas = np.array([phase.alpha for phase in self.phases])
        self.search = ScoredDraws(
            game=self.game,
            evaluation=Linear(self.game, self.weights, self.draw),
            deepest=max(self.depth, *self.own_depths, *self.other_depths),
            exact=TIED if self.ties == "random" else ONE,
            sorted_from=2,  # since evaluations dominate the time, sorting moves and the table save time
            judged_from=4,
            places=PLACES,
        )
        self.pace = 0.0  # seconds per game in recent iterations
        self.twin: Any = None  # a copy with separate arrays, for the second game of an iteration

    # --- play -----------------------------------------------------------------------------------------

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        return self.look(state, moves, self.depth, self.game.to_move(state), rng)

    def look(self, state: State, moves: list[Move], depth: int, vector: int, rng: Rng) -> Move:
        """Return the best of `moves` by a search with one of the weight vectors."""
        self.search.evaluation.vector = vector
        self.search.score(state, moves, depth, depth)
        return moves[pick_best(self.search.scores, len(moves), self.ties == "random", rng)]

    # --- learning -------------------------------------------------------------------------------------

    def learn(self, episode: int, rng: Rng) -> int:
        player = episode % 2
        if player == 0:
            self.freeze()
        phase = 0
        while episode >= self.until[phase]:
            phase += 1
        plies, started = 0, False
        state = self.game.initial()
        moves = self.game.moves(state)
        while moves and plies < self.longest:
            mover = self.game.to_move(state)
            if mover != player:
                move = self.look(state, moves, self.other_depths[phase], FROZEN + mover, rng)
            else:
                self.observe(state)
                if started:
                    self.step(player, dot(self.weights[player], self.now), self.alphas[phase])
                self.keep()
                started = True
                move = self.explore(state, moves, self.own_depths[phase], player, rng)
            state = self.game.play(state, move)
            plies += 1
            moves = self.game.moves(state)
        won = 0
        if not moves:
            won = self.game.value(state) if self.game.to_move(state) == player else -self.game.value(state)
        if started:
            self.step(player, self.draw if won == 0 else won, self.alphas[phase])
        return won

    def freeze(self) -> None:
        """Begin an iteration, in which opponents play by the present weights."""
        for player in range(2):
            for f in range(len(self.now)):
                self.weights[FROZEN + player, f] = self.weights[player, f]

    def observe(self, state: State) -> None:
        """Compute the features of the current state."""
        for f, feature in enumerate(self.game.features(state)):
            self.now[f] = feature

    def keep(self) -> None:
        """Make the present state the previous one."""
        for f in range(len(self.now)):
            self.before[f] = self.now[f]

    def step(self, player: int, score: float, alpha: float) -> None:
        """Move the previous state's score towards the reward plus the discounted score of the next state."""
        weights, before = self.weights[player], self.before
        error = self.reward + self.gamma * score - dot(weights, before)
        for f in range(len(before)):
            weights[f] += alpha * error * before[f]
        self.updates[player] += 1

    def explore(self, state: State, moves: list[Move], depth: int, player: int, rng: Rng) -> Move:
        """Return a random move with the current probability, otherwise the best move by a search."""
        epsilon = max(self.epsilon_floor, 1.0 / max(self.updates[player], 1))
        if rng.random() < epsilon:
            return rng.choice(moves)
        return self.look(state, moves, depth, player, rng)

    def learn_many(self, numbers: range, tally: Tally) -> None:
        """Play the two games of each iteration, which are independent, in parallel if they take long.

        Raises ArenaError if the weights diverge.
        """
        threads = os.cpu_count() != 1 and is_compiled(self)
        while numbers:
            start = perf_counter()
            slow = threads and self.pace > LONG
            both = slow and numbers.start % 2 == 0 and len(numbers) > 1
            if both:
                some = numbers[:2]
                self.learn_both(numbers.start, tally)
            else:
                some = numbers[: 1 if slow else 2 * FEW]
                super().learn_many(some, tally)
            if not np.isfinite(self.weights).all():
                raise ArenaError(
                    f"{self.name or 'sarsa'}: weights overflow by episode {some[-1]}; "
                    "lower the learning rates in schedule"
                )
            self.pace = (perf_counter() - start) / (1 if both else len(some))
            numbers = numbers[len(some) :]

    def learn_both(self, episode: int, tally: Tally) -> None:
        """Play the two games of an iteration, the second in another thread."""
        if self.twin is None:
            self.twin = type(self)(self.game, **{name: getattr(self, name) for name in self.options})
            self.thread = ThreadPoolExecutor(1)
        twin, second = self.twin, [0, 0, 0]
        twin.weights[:2] = twin.weights[FROZEN:] = self.weights[:2]
        twin.updates[:] = self.updates
        future = self.thread.submit(Learner.learn_many, twin, range(episode + 1, episode + 2), second)
        Learner.learn_many(self, range(episode, episode + 1), tally)
        future.result()
        self.weights[1], self.updates[1] = twin.weights[1], twin.updates[1]
        for ended, times in enumerate(second):
            tally[ended] += times

    # --- what was learned -----------------------------------------------------------------------------

    def model(self) -> Arrays:
        """Return `weights` and `updates`."""
        return {"weights": np.array(self.weights), "updates": np.array(self.updates)}

    def recall(self, model: Arrays) -> None:
        if model["weights"].shape != self.weights.shape:
            raise ArenaError(
                f"its weights are {list(model['weights'].shape)}, not {list(self.weights.shape)}"
            )
        self.weights[:], self.updates[:] = model["weights"], model["updates"]

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return probabilities(self.search.scores[: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the evaluation after best play, at least 10**15 for a win.

        Other facts are the contributions of features to the score of the position after the move: weight
        times feature.
        """
        kept, self.search.exact = self.search.exact, ALL
        self.choose(state, moves, Rng())
        self.search.exact = kept
        scores = self.search.scores[: len(moves)]
        added = [self.contributions(self.game.play(state, move), self.game.to_move(state)) for move in moves]
        named = [name for name in self.game.feature_names if any(name in facts for facts in added)]
        return [
            view(score, self.depth, {name: facts.get(name, 0.0) for name in named})
            for score, facts in zip(scores, added, strict=True)
        ]

    def contributions(self, state: State, player: int) -> dict[str, float]:
        """Return the contributions other than 0 of features to a position's score for a player."""
        weights = self.weights[player]
        sign = 1 if self.game.to_move(state) == player else -1
        neutral = self.game.neutral_features
        told = zip(self.game.feature_names, weights, self.game.features(state), strict=True)
        given = {name: w * x * (1 if neutral >> f & 1 else sign) for f, (name, w, x) in enumerate(told)}
        return {name: float(value) for name, value in given.items() if value}

    def findings(self) -> Mapping[str, Sequence[float | str]]:
        """Return the weights of both players."""
        sides = {side: self.weights[player].tolist() for player, side in enumerate(self.game.sides)}
        return {"feature": list(self.game.feature_names), **sides}
