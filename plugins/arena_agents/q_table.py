"""Tabular Q-learning and double Q-learning: kernels in `q_learning`, tables and options here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from arena import Agent, ArenaError, FastGame, FastLearner, Spec, option, pack_states, unpack_states
from arena.agent import PlainPlayer
from arena.kernel import Other, States, variant
from arena.learner import Arrays, Tally
from arena_agents import q_learning
from arena_agents.q_learning import SETTINGS, STATES, TAKEN, VALUES
from arena_agents.ties import TIES

LEAST = 1 << 10  # places of a table
FILLED = 0.75  # of them, at most
PLAIN_WORDS = 20  # what a position of a plain game takes, more or less


class QTable(FastLearner):
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
    memory: int = option(1000, "megabytes that its table may take", low=1)
    tables: ClassVar[int] = 1
    kernel = q_learning

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if options["opponent"] == "self" and options["seats"] != "both":
            raise ArenaError("opponent=self plays both seats; leave seats out")

    def prepare(self) -> None:
        changed = {
            "TABLES": self.tables,
            "ITSELF": int(self.opponent == "self"),
            "FOLD": int(self.symmetries),
        }
        self.kernel = variant(q_learning, changed)
        self.learning = False  # what only that takes is made when it begins
        self.trainer: Agent | None = None
        self.old: tuple[Any, Any] = ((), ())  # states and values to move over
        self.places = LEAST
        self.make_room(self.game.max_plies)

    def make_room(self, positions: int) -> None:
        """Set up an empty table that will hold so many and those of one more match."""
        while self.places * FILLED < positions + self.game.max_plies:
            self.places *= 2
        self.states: Any = States(self.places)
        self.values: Any = np.full(self.places * self.tables, np.nan)
        self.taken = 0

    def arrays(self) -> Sequence[Any]:
        plies = self.game.max_plies
        turn = {"both": (self.episodes + 1) // 2, "first": self.episodes, "second": 0}[self.seats]
        room = int(self.places * FILLED)
        ties = TIES.index(self.ties)
        settings = [self.places - 1, self.taken, room, ties, plies, self.episodes, turn]
        rates = [self.alpha, self.gamma, self.epsilon, self.epsilon_drop, self.epsilon_floor]
        rewards = [self.loss, self.draw, self.win]
        table = self.states, self.values, *self.old
        scores = [0.0] * self.game.max_moves
        places: Any = [0] * self.game.max_moves
        match: tuple[Any, ...] = States(self.game.max_moves), (), (), (), places, ()
        if self.learning:
            numbers = np.zeros(plies + 1, np.int64)
            places = np.zeros(plies * self.game.max_moves, np.int64)
            trainer = Other(self.trainer) if self.trainer else ()
            match = States(len(places)), numbers, numbers.copy(), numbers.copy(), places, trainer
        return settings, rates + rewards, *table, scores, *match

    def learn_many(self, numbers: range, tally: Tally) -> None:
        if not self.learning:
            self.learning = True
            known = self.model()
            if isinstance(self.opponent, Spec):
                self.trainer = self.opponent.make(self.game)
                self.lists = 1 + getattr(self.trainer, "lists", 0)
            self.equip()  # in plain Python from now on, if the trainer is that
            self.recall(known)
        super().learn_many(numbers, tally)

    def grow(self) -> None:
        words = len(self.game.initial()) if isinstance(self.game, FastGame) else PLAIN_WORDS
        megabytes = 2 * self.places * 8 * (words + self.tables) / 1e6
        if megabytes > self.memory:
            raise ArenaError(
                f"{self.name or type(self).__name__}: its table of {self.player.arrays[SETTINGS][TAKEN]:,} "
                f"positions is full, and the next takes {megabytes:,.0f} MB; "
                f"set memory={math.ceil(megabytes)}, or fewer episodes"
            )
        self.move_over(self.player.arrays[STATES], self.player.arrays[VALUES], self.places)

    def move_over(self, states: Any, values: Any, places: int) -> None:
        """Enter what these places hold into a new table with room for as many more."""
        self.old = states, values
        self.make_room(places)
        self.equip()
        self.taken = self.player.run("move_over", places)
        self.old = (), ()
        self.states, self.values = self.player.arrays[STATES], self.player.arrays[VALUES]
        self.equip()

    def model(self) -> Arrays:
        """states: int64 [positions, words], or their texts for a plain game, in ascending order.

        values: float64 [positions, tables], after a move, for whoever made it.
        """
        values = np.array(self.player.arrays[VALUES], np.float64).reshape(-1, self.tables)
        taken = np.flatnonzero(~np.isnan(values[:, 0]))
        states = self.player.arrays[STATES]
        if isinstance(states, np.ndarray):
            states = states.reshape(len(values), -1)[taken]
        else:
            states = pack_states(self.game, [states[i] for i in taken.tolist()])
        order = np.lexsort(states.T[::-1]) if states.ndim == 2 else np.argsort(states)
        return {"states": states[order], "values": values[taken][order]}

    def recall(self, model: Arrays) -> None:
        states, values = model["states"], model["values"]
        fast = isinstance(self.game, FastGame)
        wanted = (len(states), len(self.game.initial())) if fast else (len(states),)
        if states.shape != wanted or states.dtype.kind != ("i" if fast else "U"):
            raise ArenaError(f"its states are {states.dtype}{list(states.shape)}, not those of {self.game}")
        if values.shape != (len(states), self.tables) or values.dtype != np.float64:
            raise ArenaError(f"its values are {values.dtype}{list(values.shape)}, not {self.tables} a state")
        plain = isinstance(self.player, PlainPlayer)
        known: Any = unpack_states(states) if plain else states.astype(np.int64).ravel()
        self.places = LEAST
        self.move_over(known, values.ravel(), len(states))


class DoubleQ(QTable):
    """Double Q-learning: either table learns what the other says of its best move; their mean acts."""

    tables = 2
