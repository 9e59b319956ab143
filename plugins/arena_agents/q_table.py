"""Tabular Q-learning and double Q-learning: kernels in `q_learning`, tables and options here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from arena import Agent, ArenaError, Rng, Spec, View, option
from arena.game import Move, State
from arena.kernel import Other, States, variant
from arena.learner import Tally
from arena_agents import q_learning
from arena_agents.ties import TIES, chances
from arena_agents.value_table import VALUES, ValueTable


class QTable(ValueTable):
    """Learns the value of every move it has seen, by Q-learning over the positions after them.

    One table serves both seats. Matches are walked backwards once they have ended.
    """

    episodes: int = option(140_000, "how many games it learns from, half of them from either seat", low=1)
    opponent: Spec | str = option(
        "random", "whom it trains against, 'self' for itself", kind="agent", also=("self",)
    )
    seats: Literal["both", "first", "second"] = option("both", "the seats it trains in")
    alpha: float = option(0.05, "learning rate", low=0, high=1)
    gamma: float = option(1.0, "discount a move", low=0, high=1)
    epsilon: float = option(0.7, "the chance of a random move in training, at first", low=0, high=1)
    epsilon_drop: float = option(0.1, "what that falls by after each tenth of a seat's games", low=0, high=1)
    epsilon_floor: float = option(0.0, "what it does not fall below", low=0, high=1)
    win: float = option(1.0, "reward for a win")
    draw: float = option(0.9, "reward for a draw")
    loss: float = option(-1.0, "reward for a loss")
    symmetries: bool = option(True, "whether positions alike by the board's symmetries are one")
    ties: Literal["first", "random"] = option("first", "which of several best moves is played")
    kernel = q_learning
    tables: ClassVar[tuple[str, ...]] = ()  # what several are called

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if options["opponent"] == "self" and options["seats"] != "both":
            raise ArenaError("opponent=self plays both seats; leave seats out")

    def prepare(self) -> None:
        changed = {"TABLES": self.width, "ITSELF": int(self.opponent == "self"), "FOLD": int(self.symmetries)}
        self.kernel = variant(q_learning, changed)
        self.trainer: Agent | None = None
        super().prepare()

    def own_settings(self) -> Sequence[int]:
        turn = {"both": (self.episodes + 1) // 2, "first": self.episodes, "second": 0}[self.seats]
        return [TIES.index(self.ties), self.episodes, turn]

    def own_arrays(self) -> Sequence[Any]:
        rates = [self.alpha, self.gamma, self.epsilon, self.epsilon_drop, self.epsilon_floor]
        rewards = [self.loss, self.draw, self.win]
        plies, moves = self.game.max_plies, self.game.max_moves
        scores = [0.0] * moves
        match: tuple[Any, ...] = States(moves), (), (), (), [0] * moves, ()
        if self.learning:
            numbers = np.zeros(plies + 1, np.int64)
            entries = np.zeros(plies * moves, np.int64)
            trainer = Other(self.trainer) if self.trainer else ()
            match = States(len(entries)), numbers, numbers.copy(), numbers.copy(), entries, trainer
        return rates + rewards, scores, *match

    def learn_many(self, numbers: range, tally: Tally) -> None:
        if not self.learning:
            if isinstance(self.opponent, Spec):
                self.trainer = self.opponent.make(self.game)
                self.lists = 1 + getattr(self.trainer, "lists", 0)
            self.learning = True
            self.equip()  # in plain Python from now on, if the trainer is that
        super().learn_many(numbers, tally)

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return chances(self.player.arrays[q_learning.SCORES][: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: the reward it has learned to expect, of two tables the mean; known: whether there is one."""
        self.choose(state, moves, Rng())
        numbers = (q_learning.SCORES, q_learning.ENTRIES, VALUES)
        scores, entries, values = (self.player.arrays[number] for number in numbers)
        views = []
        for score, entry in zip(scores[: len(moves)], entries, strict=False):
            facts = {"score": float(score)}
            for table, name in enumerate(self.tables):
                facts[name] = float(values[entry * self.width + table]) if entry >= 0 else 0.0
            views.append(View({**facts, "known": bool(entry >= 0)}))
        return views


class DoubleQ(QTable):
    """Double Q-learning: either table learns what the other says of its best move; their mean acts."""

    width = 2
    tables = ("first", "second")
