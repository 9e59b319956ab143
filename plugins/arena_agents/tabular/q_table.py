"""Tabular Q-learning and double Q-learning over afterstates.

A value belongs to the position after a move, for whoever made it, all its images under the board's
symmetries together; where nothing was learned it is 0. Learning follows Watkins & Dayan (1992), with two
tables van Hasselt (2010), walking each match backwards (Nested Software, "Tic-Tac-Toe with Tabular
Q-Learning").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from arena import Agent, ArenaError, Rng, Spec, States, View, option
from arena.api.game import Move, State
from arena.api.states import store
from arena.rng import hash_state
from arena_agents.tabular.value_table import ValueTable
from arena_agents.ties import pick_best, probabilities

BOTH = 2  # tables, their mean


class QTable(ValueTable):
    """Learns the value of every move it has seen, by Q-learning over the positions after them.

    One table serves both seats. Matches are walked backwards once they have ended.
    """

    # Of every move that the learner can make in a match: afters, the position after it; places, what
    # `Table.seek` says of that. Of each of its turns: begins, which of these moves is its first; chosen,
    # which was made; movers, who made it

    episodes: int = option(140_000, "how many games it learns from, half of them from either seat", low=1)
    opponent: Spec | str = option(
        "random", "whom it trains against, 'self' for itself", kind="agent", also=("self",)
    )
    seats: Literal["both", "first", "second"] = option("both", "the seats it trains in")
    alpha: float = option(0.05, "learning rate", low=0, high=1)
    gamma: float = option(1.0, "discount a move", low=0, high=1)
    epsilon: float = option(0.7, "the probability of a random move in training, at first", low=0, high=1)
    epsilon_drop: float = option(0.1, "what that falls by after each tenth of a seat's games", low=0, high=1)
    epsilon_floor: float = option(0.0, "what it does not fall below", low=0, high=1)
    win: float = option(1.0, "reward for a win")
    draw: float = option(0.9, "reward for a draw")
    loss: float = option(-1.0, "reward for a loss")
    symmetries: bool = option(True, "whether positions alike by the board's symmetries are one")
    ties: Literal["first", "random"] = option("first", "which of several best moves is played")
    tables: ClassVar[tuple[str, ...]] = ()  # what several are called

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if options["opponent"] == "self" and options["seats"] != "both":
            raise ArenaError("opponent=self plays both seats; leave seats out")

    def prepare(self) -> None:
        super().prepare()
        self.double = self.width == 2
        self.itself = self.opponent == "self"  # it plays both seats, and learns from both
        self.second = {"both": (self.episodes + 1) // 2, "first": self.episodes, "second": 0}[self.seats]
        self.rewards = np.array([self.loss, self.draw, self.win], np.float64)
        self.scores = np.zeros(self.game.max_moves)
        self.make_room(self.game.max_moves)

    def make_room(self, moves: int) -> None:
        """For so many moves to look up."""
        self.afters, self.places = States(self.game, moves), np.zeros(moves, np.int64)

    def prepare_learning(self) -> None:
        plies = self.game.max_plies
        self.make_room(plies * self.game.max_moves)
        self.begins, self.chosen, self.movers = (np.zeros(plies + 1, np.uint32) for _ in range(3))
        self.turns = 0  # of a match that are its own
        self.later = np.zeros(2, np.int64)  # of either player the next turn, -1 = none any more
        if isinstance(self.opponent, Spec):
            self.trainer: Agent = self.opponent.make(self.game)

    # --- what is known --------------------------------------------------------------------------------------

    def folded(self, state: State) -> State:
        """The least of a position's images, which stands for all of them."""
        least = state
        if self.symmetries:
            for i in range(1, self.game.symmetries):
                other = self.game.image(state, i)
                if other < least:
                    least = other
        return least

    def look_up(self, state: State, moves: list[Move], begin: int) -> None:
        """Note of moves the positions after them, and their entries, from the place `begin` on.

        All are hashed before the first is looked up, so that memory is asked for several at a time.
        """
        words, places = self.afters.words, self.places
        for i in range(len(moves)):
            after = self.folded(self.game.play(state, moves[i]))
            store(words, begin + i, after)
            places[begin + i] = hash_state(after)
        for i in range(begin, begin + len(moves)):
            places[i] = self.table.seek(places[i], self.afters[i])

    def entry_of(self, i: int) -> int:
        """The entry of a move that was looked up, or ~place.

        A place that was free is still this move's if it is free now.
        """
        if self.places[i] < 0 and self.table.index[~self.places[i]] != 0:
            after = self.afters[i]
            self.places[i] = self.table.seek(hash_state(after), after)
        return self.places[i]

    def value_of(self, i: int, table: int) -> float:
        """The value of a move that was looked up, in one table or the mean of BOTH."""
        entry = self.entry_of(i)
        if entry < 0:
            return 0.0
        values = self.table.values
        if self.double and table == BOTH:
            return (values[entry, 0] + values[entry, 1]) / 2
        return values[entry, table if self.double else 0]

    def weigh(self, begin: int, count: int, table: int) -> None:
        """Put the values of so many moves into `scores`."""
        for i in range(count):
            self.scores[i] = self.value_of(begin + i, table)

    def best_of(self, begin: int, count: int, rng: Rng) -> int:
        """Which of so many moves is to be made, by the mean of the tables."""
        self.weigh(begin, count, BOTH)
        return pick_best(self.scores, count, self.ties == "random", rng)

    def rate(self, state: State, moves: list[Move]) -> None:
        self.look_up(state, moves, 0)
        self.weigh(0, len(moves), BOTH)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.look_up(state, moves, 0)
        return moves[self.best_of(0, len(moves), rng)]

    # --- learning -------------------------------------------------------------------------------------------

    def learn(self, episode: int, rng: Rng) -> int:
        seat = 0 if episode < self.second else 1
        won = self.play_match(seat, self.exploration(episode), rng)
        self.walk_back(won, rng)
        return won if self.itself or seat == 0 else -won

    def exploration(self, episode: int) -> float:
        """The probability of a random move in an episode: it drops after each tenth of a seat's episodes."""
        begun, ended = 0, self.episodes
        if not self.itself:
            if episode < self.second:
                ended = self.second
            else:
                begun = self.second
        tenths = 10 * (episode - begun) // (ended - begun)
        return max(self.epsilon - self.epsilon_drop * tenths, self.epsilon_floor)

    def play_match(self, seat: int, epsilon: float, rng: Rng) -> int:
        """Play a match, noting its own turns; 1 if player 0 won, -1 if player 1 did."""
        if not self.itself:
            self.trainer.begin(1 - seat)
        self.turns = 0
        state = self.game.initial()
        for _ in range(self.game.max_plies):
            moves = self.game.moves(state)
            if not moves:
                break
            mover = self.game.to_move(state)
            if self.itself or mover == seat:
                move = self.take_turn(state, moves, mover, epsilon, rng)
            else:
                move = self.trainer.choose(state, moves, rng)
                if move not in moves:  # which loses
                    return 1 if seat == 0 else -1
            state = self.game.play(state, move)
        if self.game.moves(state):
            return 0
        value = self.game.value(state)
        return value if self.game.to_move(state) == 0 else -value

    def take_turn(self, state: State, moves: list[Move], mover: int, epsilon: float, rng: Rng) -> Move:
        """The move that it makes in training, noted with all others."""
        begin = self.begins[self.turns]
        self.look_up(state, moves, begin)
        if rng.random() < epsilon:
            i = rng.below(len(moves))
        else:
            i = self.best_of(begin, len(moves), rng)
        self.chosen[self.turns], self.movers[self.turns] = begin + i, mover
        self.turns += 1
        self.begins[self.turns] = begin + len(moves)
        return moves[i]

    def walk_back(self, won: int, rng: Rng) -> None:
        """Learn from the turns of a match, the last one first."""
        self.later.fill(-1)
        for turn in reversed(range(self.turns)):
            mover, later = self.movers[turn], self.later[self.movers[turn]]
            if later < 0:
                target = self.rewards[1 + won if mover == 0 else 1 - won]
                first, last = 0, 1 if self.double else 0
            else:
                first = rng.below(2) if self.double else 0
                last = first
                target = self.gamma * self.best_value(later, first, rng)
            self.learn_value(self.chosen[turn], first, last, target)
            self.later[mover] = turn

    def best_value(self, turn: int, table: int, rng: Rng) -> float:
        """What the other table, or the only one, says of the move that this one has for a turn's best."""
        begin = self.begins[turn]
        count = self.begins[turn + 1] - begin
        self.weigh(begin, count, table)
        best = pick_best(self.scores, count, False, rng)
        return self.value_of(begin + best, 1 - table) if self.double else self.scores[best]

    def learn_value(self, i: int, first: int, last: int, target: float) -> None:
        """Move a move's value towards a target in the tables from `first` to `last`."""
        entry = self.entry_of(i)
        if entry < 0:
            if self.alpha * target == 0:
                return  # it stays 0
            after = self.afters[i]
            entry = self.table.insert(~entry, hash_state(after), after)
            self.places[i] = entry
        for table in range(first, last + 1):
            value = self.table.values[entry, table]
            self.table.values[entry, table] = (1 - self.alpha) * value + self.alpha * target

    # --- what it says ---------------------------------------------------------------------------------------

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return probabilities(self.scores[: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: the reward it has learned to expect, of two tables the mean; known: whether there is one."""
        self.choose(state, moves, Rng())
        views = []
        for i in range(len(moves)):
            entry = self.places[i]
            values = self.table.values[entry].tolist() if entry >= 0 else [0.0] * self.width
            facts = {"score": self.scores[i], **dict(zip(self.tables, values, strict=False))}
            views.append(View({**facts, "known": entry >= 0}))
        return views


class DoubleQ(QTable):
    """Double Q-learning: either table learns what the other says of its best move; their mean acts."""

    width = 2
    tables = ("first", "second")
