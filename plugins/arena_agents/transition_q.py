"""Q-learning over transitions between abstract states: kernels in `transitions`, options here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from arena import Agent, ArenaError, FastLearner, Protocol, Rng, Spec, View, option
from arena.game import Move, State
from arena.index import cleared, places
from arena.kernel import Other, variant
from arena.learner import Arrays as Model
from arena.learner import Tally
from arena_agents import transitions
from arena_agents.ties import TIES, chances
from arena_agents.transitions import (
    AFTERS,
    BEFORES,
    BOTH,
    ENTRIES,
    FOUND,
    MADE,
    SCORES,
    SETTINGS,
    TAKEN,
    VALUES,
)

SEATS = {"first": 0, "second": 1, "both": BOTH}
NOTHING_KNOWN: Model = {
    "before": np.zeros(0, np.int64),
    "after": np.zeros(0, np.int64),
    "values": np.zeros(0),
}


class TransitionQ(FastLearner):
    """Learns what it is worth to go from one abstract state to another: from few numbers, not the position.

    The game's rules say what a position's abstract state is for player 0 or 1: `abstract(s, player)`, a whole
    number from 0 to 2**56 - 1. A reward is what the game's evaluation has changed by.

    With alpha a and discount l, the value T of a transition is learned at the own next turn, from the reward
    R up to there and the best T' then: T += a (R + l T' - T). At the end of a match it is T += a R, as
    published, so that what loses again and again falls ever further; ending=target makes it T += a (R - T).
    In the published program T' is the best of all transitions known from the abstract state, even if no move
    makes them here: later=known does so, and where none is known leaves out l T' - T, as that does.

    What holds it back at checkers is that positions of one abstract state are safe and lost alike. With
    replies=true the state that a move leads to also says what the best reply gains, by the evaluation.
    """

    episodes: int = option(2500, "how many games it learns from", low=1)
    opponent: Spec = option(
        "alpha-beta:depth=2,evaluation=(material)", "whom it trains against", kind="agent"
    )
    seats: Literal["both", "first", "second"] = option("both", "the seats it trains in, both by turns")
    alpha: float = option(0.005, "learning rate", low=0, high=1)
    discount: float = option(0.3, "discount from one own turn to the next", low=0, high=1)
    epsilon: float = option(0.25, "the chance of a random transition in training", low=0, high=1)
    first_value: float = option(10.0, "value of a transition that is not known")
    win: float = option(12.0, "reward for a win besides, taken off for a loss")
    later: Literal["available", "known"] = option(
        "available", "whether what can be done next counts, or all that is known from there"
    )
    ending: Literal["added", "target"] = option("added", "how the end of a match is learned")
    replies: bool = option(False, "let a transition lead also to what the other can gain there at once")
    ties: Literal["first", "random"] = option("first", "which of several best transitions is made")
    max_plies: int = option(500, "plies that make a tie of a training game", low=1)
    memory: int = option(1000, "megabytes that its table may take", low=1)
    needs = ("abstract", "evaluation")
    protocols: ClassVar[Mapping[str, Protocol]] = {
        "document": Protocol(
            "checkers:capture_to_win=true,repetition=0,quiet_plies=0",
            ("alpha-beta:depth=3,evaluation=material",),
            points=tuple(range(100, 2501, 100)),
            seeds=1,
            matches=5,
        )
    }

    def prepare(self) -> None:
        changed = {"KNOWN": self.later == "known", "REPLIES": self.replies, "TARGET": self.ending == "target"}
        self.kernel = variant(transitions, {name: int(value) for name, value in changed.items()})
        self.lists = 1 + self.replies
        self.trainer: Agent | None = None
        self.known, self.room = NOTHING_KNOWN, 0
        self.plies = min(self.max_plies, self.game.max_plies)
        self.brought = self.plies * self.game.max_moves  # transitions by one match, at most

    def arrays(self) -> Sequence[Any]:
        taken, moves = len(self.known["values"]), self.game.max_moves
        index = cleared(places(self.room))
        limits = [self.brought, self.plies, SEATS[self.seats], TIES.index(self.ties), 0]
        settings = [len(index) - 1, taken, self.room, *limits]
        table = [
            np.concatenate([array, np.zeros(self.room - taken, array.dtype)]) for array in self.known.values()
        ]
        rates = [self.alpha, self.discount, self.epsilon, self.first_value, self.win, 0.0]
        numbers = [[0] * moves for _ in range(3)]
        trainer = Other(self.trainer) if self.trainer else ()
        return settings, index, *table, rates, *numbers, [0.0] * moves, trainer

    def install(self, known: Model, room: int) -> None:
        """Take up a table, with room for so many transitions."""
        self.known, self.room = known, room
        self.equip()
        self.player.run("enter", len(known["values"]))
        self.known = NOTHING_KNOWN  # its arrays are the player's alone

    def learn_many(self, numbers: range, tally: Tally) -> None:
        if not self.trainer:
            self.trainer = self.opponent.make(self.game)
            self.lists = 1 + max(self.replies, getattr(self.trainer, "lists", 0))
            self.grow()  # in plain Python from now on, if the trainer is that
        super().learn_many(numbers, tally)

    def grow(self) -> None:
        known = self.model()
        taken = len(known["values"])
        for room in (2 * taken + self.brought, taken + self.brought):  # as much again, or for one match
            megabytes = 8 * (3 * room + places(room)) / 1e6
            if megabytes <= self.memory:
                self.install(known, room)
                return
        raise ArenaError(
            f"{self.name or type(self).__name__}: its table of {taken:,} transitions fills the memory it "
            f"may take; set memory={math.ceil(megabytes)} (megabytes), or fewer episodes"
        )

    def model(self) -> Model:
        """before, after: int64 [transitions], abstract states, as met. values: float64 [transitions]."""
        arrays = self.player.arrays
        taken = arrays[SETTINGS][TAKEN]
        return {
            "before": np.array(arrays[BEFORES][:taken], np.int64),
            "after": np.array(arrays[AFTERS][:taken], np.int64),
            "values": np.array(arrays[VALUES][:taken], np.float64),
        }

    def recall(self, model: Model) -> None:
        known = {name: model[name] for name in NOTHING_KNOWN}
        for name, array in known.items():
            wanted = np.zeros(len(known["values"]), NOTHING_KNOWN[name].dtype)
            if array.shape != wanted.shape or array.dtype != wanted.dtype:
                raise ArenaError(
                    f"its {name} is {array.dtype}{list(array.shape)}, not {wanted.dtype}{list(wanted.shape)}"
                )
        self.install(known, len(known["values"]))

    def findings(self) -> Mapping[str, Sequence[float | str]]:
        """As the published program says it: transitions, the states they are from, their values."""
        known = self.model()
        values = known["values"]
        if not len(values):
            return {}
        return {
            "transitions": [len(values)],
            "states": [len(np.unique(known["before"]))],
            "least value": [float(values.min())],
            "mean value": [float(values.mean())],
            "highest value": [float(values.max())],
        }

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        arrays = self.player.arrays
        made = [int(transition) for transition in arrays[MADE][: len(moves)]]
        of_each = chances(arrays[SCORES][: arrays[SETTINGS][FOUND]], self.ties)
        return [of_each[transition] / made.count(transition) for transition in made]

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: the value of the transition that the move makes; known: whether it was met in training."""
        self.choose(state, moves, Rng())
        made, entries, scores = (self.player.arrays[i] for i in (MADE, ENTRIES, SCORES))
        return [View({"score": float(scores[j]), "known": bool(entries[j] >= 0)}) for j in made[: len(moves)]]
