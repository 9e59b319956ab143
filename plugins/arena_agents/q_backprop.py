"""Q-learning by back-propagation: kernels in `backpropagation`, options here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from arena import ArenaError, FastAgent, Rng, View, option
from arena.game import Move, State
from arena.kernel import States, variant
from arena.learner import Arrays as Model
from arena.learner import Tally
from arena_agents import backpropagation
from arena_agents.ties import TIES, chances
from arena_agents.value_table import EMPTY, SETTINGS, ValueTable


class QBackprop(ValueTable):
    """Learns from matches against itself, in which the winner's moves gain and the loser's lose.

    In a position it does not know it moves at random.
    """

    episodes: int = option(10_000, "how many matches against itself it learns from", low=1)
    alpha: float = option(0.1, "learning rate", low=0, high=1)
    epsilon: float = option(0.5, "the chance of a random move in training", low=0, high=1)
    gamma: float = option(1.0, "discount a move at the end of training", low=0, high=1)
    gamma_first: float = option(0.1, "discount at its beginning, from where it rises evenly", low=0, high=1)
    capture: float = option(0.0, "reward for a move that captures, taken off the move that it answers", low=0)
    parts: int = option(1, "learn from the matches in so many parts side by side, then merge these", low=1)
    published: bool = option(False, "walk each side's moves forwards, as the published program does")
    ties: Literal["first", "random"] = option("first", "which of several best moves is played")
    imported: str = option(
        "", "the name of a table brought in with 'arena models import', in place of learning"
    )
    keyed = True

    def prepare(self) -> None:
        self.kernel = variant(backpropagation, self.constants())
        self.other: Sequence[Any] = ()  # arrays of a table to merge
        super().prepare()

    def constants(self) -> dict[str, int]:
        """Of the kernels, for these options."""
        return {"FORWARDS": int(self.published), "CAPTURES": int(self.capture > 0)}

    def own_settings(self) -> Sequence[int]:
        return [TIES.index(self.ties), self.episodes, 0]

    def own_arrays(self) -> Sequence[Any]:
        return *self.arrays_for(self.game.max_plies * self.learning), *self.other

    def arrays_for(self, plies: int) -> Sequence[Any]:
        """What follows the table's arrays, for training matches of so many plies."""
        rates = [self.alpha, self.epsilon, self.gamma_first, self.gamma, self.capture]
        numbers = [np.zeros(plies, np.int64) for _ in range(5)]
        return rates, [0.0] * self.game.max_moves, States(plies), *numbers

    def foreign(self, data: bytes) -> Model:
        """The table in a model file of the program published with Prior State Voting, for checkers."""
        from arena_agents.published_table import read  # and with it a game, which nobody else needs

        return read(data, self.game)

    def learn_many(self, numbers: range, tally: Tally) -> None:
        if not self.learning:
            self.learning = True
            self.equip()
        super().learn_many(numbers, tally)

    def merge(self, models: Sequence[Model]) -> None:
        """Know what any of these knows; a value is the mean of theirs that have one."""
        room = sum(len(model["values"]) for model in models) + 1
        if self.megabytes(room) > self.memory:
            raise ArenaError(
                f"{self.name or type(self).__name__}: the {room - 1:,} entries of its parts do not fit into "
                f"the memory it may take; set memory={math.ceil(self.megabytes(room))} (megabytes)"
            )
        self.install(EMPTY)
        self.make_room(room)
        met: Any = np.zeros(room, np.int64)
        for model in models:
            self.other = [(), *self.unpacked(model)[1:], (), met]
            self.equip()
            self.player.run("absorb", len(model["values"]))
            met = self.player.arrays[backpropagation.MET]
        self.player.run("average", self.entries())
        self.other = ()
        self.equip()

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return chances_by(self, self.ties, len(moves))

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: the move's value, 0 if it has none; known: whether any move of the position has one."""
        self.choose(state, moves, Rng())
        scores, settings = self.player.arrays[backpropagation.SCORES], self.player.arrays[SETTINGS]
        known = bool(settings[backpropagation.KNOWN])
        return [View({"score": float(score), "known": known}) for score in scores[: len(moves)]]


def chances_by(agent: FastAgent, ties: str, n: int) -> list[float]:
    """With which chances an agent that plays by such a table has chosen of `n` moves just now."""
    arrays = agent.player.arrays
    if not arrays[SETTINGS][backpropagation.KNOWN]:
        return [1 / n] * n
    return chances(arrays[backpropagation.SCORES][:n], ties)
