"""Sarsa over a game's features: kernels in `linear_sarsa`, options here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np

from arena import ArenaError, FastLearner, Rng, View, option
from arena.agent import PlainPlayer
from arena.game import Move, State
from arena.kernel import variant
from arena.learner import Arrays as Model
from arena.learner import Tally
from arena_agents import alpha_beta, linear, linear_sarsa, table
from arena_agents.alpha_beta import HISTORY, KILLERS, SCORES
from arena_agents.linear import ROOM
from arena_agents.ties import TIES, chances
from arena_agents.verdicts import view

PRESETS = {"document": ("1x3v1@.001", "1x3v2@.0001", "2x3v3@.0001", "2x5v5@.0001")}

# how alpha-beta is made for it: an evaluation takes longer than anything else, so order and table save time
SEARCH = {"SOONEST": 1, "ORDER": 1, "ROOTED": 1, "TABLE": 1, "JUDGED": 4, "WORTH_SORTING": 2}
NUMBER = r"\d{0,9}\.?\d{1,9}"  # of a phase, without an exponent
LONG = 1e-3  # seconds that a game takes for a thread to be worth while
FEW = 32  # iterations after which that is looked at again
PLACES = 1 << 12  # of the table
DEEPEST = 60  # plies that are ever searched


class Phase(NamedTuple):
    """A part of learning: its share, how deep the learner and its opponent search, the learning rate."""

    share: float
    depth: int
    opponent: int
    alpha: float


def read_phase(text: str) -> Phase:
    """`2x5v3@.0001`, or ArenaError."""
    found = re.fullmatch(rf"({NUMBER})x(\d{{1,3}})v(\d{{1,3}})@({NUMBER})", text)
    if not found or not float(found[1]) or not all(1 <= int(found[i]) <= DEEPEST for i in (2, 3)):
        raise ArenaError(
            f"schedule has {text!r}, which is no phase; write share, depth, the opponent's, both from 1 to "
            f"{DEEPEST}, and learning rate as in 2x3v3@.0001"
        )
    return Phase(float(found[1]), int(found[2]), int(found[3]), float(found[4]))


class Sarsa(FastLearner):
    """Scores positions by a weighted sum of the game's features, and searches; learns the weights by Sarsa.

    "4 in a row" (Samuel & Kalev). Either player has weights of its own. Two games are an iteration, one for
    each; in both the opponent plays by the weights with which the iteration began. In training it moves at
    random with a chance of 1 / (times that its weights were changed), but no less than epsilon_floor.
    """

    needs = ("features",)
    episodes: int = option(10_000, "how many games it learns from, by turns for either player", low=1)
    schedule: tuple[str, ...] = option(
        ("1x3v3@.001",),
        "phases, share x depth v depth of the opponent @ learning rate; 'document' for those of the document",
    )
    depth: int = option(4, "plies searched in play", low=1, high=DEEPEST)
    epsilon_floor: float = option(0.05, "the least chance of a random move in training", low=0, high=1)
    gamma: float = option(1.0, "discount a move", low=0, high=1)
    reward: float = option(0.0, "reward of a move")
    draw: float = option(0.0, "score of a draw, in learning and in search; a win is 1, a loss -1")
    first_weight: float = option(0.0, "what every weight is before the first game")
    max_plies: int = option(500, "plies that make a draw of a training game", low=1)
    ties: Literal["first", "random"] = option("first", "which of several best moves is played")
    lists = 2

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        phases(options["schedule"])

    def prepare(self) -> None:
        size = len(self.game.feature_names)
        self.phases = phases(self.schedule)
        # of players 0 and 1, and as they were when the iteration began
        self.weights = np.full((4, size), float(self.first_weight))
        self.updates = np.zeros(2, np.int64)
        self.pace = 0.0  # seconds that a game takes, of late
        self.twin: Any = None  # with arrays of its own, for the second game of an iteration
        self.deepest = max(self.depth, *(max(phase.depth, phase.opponent) for phase in self.phases))
        constants = {"FEATURES": size, "NEUTRAL": self.game.neutral_features}
        judge = variant(linear, constants)
        over = variant(
            alpha_beta,
            {
                **SEARCH,
                "evaluate": judge.evaluate,
                "root": judge.root,
                "DRAWN": int(self.draw != 0),
                "drawn": judge.drawn,
            },
        )
        self.kernel = variant(linear_sarsa, {"FEATURES": size, "search": over.choose})

    def arrays(self) -> Sequence[Any]:
        size, plies = len(self.game.feature_names), self.deepest
        searching = (
            [plies, TIES.index(self.ties), 0, 0, 0, PLACES, 0],
            np.concatenate([[0.0, 0.0, self.draw], np.zeros(size), self.weights.ravel()]),
            [0] * 6,
            *table.arrays(PLACES),
            [0] * (KILLERS + HISTORY),
            [0.0] * (2 * self.game.max_moves),
            [0] * ((2 * plies + 1) * self.game.max_moves),
        )
        stops = until(self.phases, self.episodes)
        numbers = [n for stop, p in zip(stops, self.phases, strict=True) for n in (stop, p.depth, p.opponent)]
        return (
            *searching,
            [min(self.max_plies, self.game.max_plies), self.depth],
            [float(self.epsilon_floor), float(self.gamma), float(self.reward)],
            [0.0] * size,
            numbers,
            [phase.alpha for phase in self.phases],
            self.updates.copy(),
        )

    def learn_many(self, numbers: range, tally: Tally) -> None:
        """The two games of an iteration do not touch each other, and are played at once if they take long.

        ArenaError if the weights grow beyond all numbers.
        """
        threads = os.cpu_count() != 1 and not isinstance(self.player, PlainPlayer)
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
            if not np.isfinite(self.model()["weights"]).all():
                raise ArenaError(
                    f"{self.name or 'sarsa'}: weights grow beyond all numbers by episode {some[-1]}; "
                    "lower the learning rates in schedule"
                )
            self.pace = (perf_counter() - start) / (1 if both else len(some))
            numbers = numbers[len(some) :]

    def learn_both(self, episode: int, tally: Tally) -> None:
        """The two games of an iteration, the second one in a thread."""
        if self.twin is None:
            self.twin, self.thread = self.compiled(), ThreadPoolExecutor(1)
        players = self.player, self.twin
        weights, others = (np.asarray(player.arrays[alpha_beta.WEIGHTS]) for player in players)
        size = len(self.game.feature_names)
        vectors = weights[ROOM + size :].reshape(4, size)
        theirs = others[ROOM + size :].reshape(4, size)
        theirs[:2] = theirs[2:] = vectors[:2]
        updates, changed = (player.arrays[linear_sarsa.UPDATES] for player in players)
        changed[:] = updates
        second = [0, 0, 0]
        future = self.thread.submit(self.twin.learn, range(episode + 1, episode + 2), self.seed, second)
        self.player.learn(range(episode, episode + 1), self.seed, tally)
        future.result()
        vectors[1], updates[1] = theirs[1], changed[1]
        for ended, times in enumerate(second):
            tally[ended] += times

    def model(self) -> Model:
        """weights: float64 [4, features], of players 0 and 1, and as they were when the iteration began.

        updates: int64 [2], how often either player's were changed.
        """
        arrays = self.player.arrays
        size = len(self.game.feature_names)
        weights = np.array(arrays[alpha_beta.WEIGHTS][ROOM + size :], np.float64).reshape(4, size)
        return {"weights": weights, "updates": np.array(arrays[linear_sarsa.UPDATES], np.int64)}

    def recall(self, model: Model) -> None:
        if model["weights"].shape != self.weights.shape:
            raise ArenaError(
                f"its weights are {list(model['weights'].shape)}, not {list(self.weights.shape)}"
            )
        self.weights, self.updates = np.array(model["weights"]), np.array(model["updates"])
        self.equip()

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return chances(self.player.arrays[SCORES][: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: what best play of the depth leads to by the weights, from 10**15 on for a win.

        Then what each feature of the position after the move adds to its score there: weight times feature.
        """
        settings = self.player.arrays[alpha_beta.SETTINGS]
        settings[alpha_beta.WHOLE] = 1
        self.choose(state, moves, Rng())
        settings[alpha_beta.WHOLE] = 0
        scores = self.player.arrays[SCORES][: len(moves)]
        added = [self.contributions(self.game.play(state, move), self.game.to_move(state)) for move in moves]
        named = [name for name in self.game.feature_names if any(name in facts for facts in added)]
        return [
            view(score, self.depth, {name: facts.get(name, 0.0) for name in named})
            for score, facts in zip(scores, added, strict=True)
        ]

    def contributions(self, state: State, player: int) -> dict[str, float]:
        """By feature what it adds to a position's score for a player; those that add nothing are left out."""
        weights = self.model()["weights"][player]
        sign = 1 if self.game.to_move(state) == player else -1
        neutral = self.game.neutral_features
        told = zip(self.game.feature_names, weights, self.game.features(state), strict=True)
        given = {name: w * x * (1 if neutral >> f & 1 else sign) for f, (name, w, x) in enumerate(told)}
        return {name: float(value) for name, value in given.items() if value}

    def findings(self) -> Mapping[str, Sequence[float | str]]:
        """The weights of either player."""
        weights = self.model()["weights"]
        sides = {side: weights[player].tolist() for player, side in enumerate(self.game.sides)}
        return {"feature": list(self.game.feature_names), **sides}


def phases(schedule: Sequence[str]) -> list[Phase]:
    """The phases of a schedule, a preset's if it names one; ArenaError if it is none."""
    if len(schedule) == 1 and schedule[0] in PRESETS:
        schedule = PRESETS[schedule[0]]
    if not schedule:
        raise ArenaError("schedule is empty; write phases, such as 1x3v1@.001,2x3v3@.0001, or 'document'")
    return list(map(read_phase, schedule))


def until(phases: Sequence[Phase], episodes: int) -> list[int]:
    """Of each phase the first episode after it, an even number; the last goes on to the end."""
    whole = sum(phase.share for phase in phases)
    ends = np.cumsum([phase.share for phase in phases]) / whole * episodes
    return [2 * round(end / 2) for end in ends[:-1].tolist()] + [2**62]
