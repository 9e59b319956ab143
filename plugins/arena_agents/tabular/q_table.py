"""Tabular Q-learning and double Q-learning over afterstates.

A value belongs to the position after a move, for the player who made it; symmetric positions share one value.
Values that were not learned are 0. With keyed=pair a value belongs to a position and a move, as in the
article. Learning follows Watkins & Dayan (1992), or with two tables van Hasselt (2010), and processes each
match backwards (Nested Software, "Tic-Tac-Toe with Tabular Q-Learning").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from arena import Move, Rng, State, States, Table, View, hash_state, option, store
from arena_agents.q_learner import QLearner
from arena_agents.tabular.value_table import ValueTable
from arena_agents.ties import pick_best, probabilities

BOTH = 2  # stands for the mean of both tables


class QTable(QLearner, ValueTable):
    """Learns the values of moves by Q-learning over the positions after them.

    One table serves both seats. Each match is processed backwards after it has ended.
    """

    # For every move that the learner can make in a match: afters, the position after it; places, the result
    # of `Table.seek` for that position. For each of its turns: begins, the index of the first of these moves;
    # chosen, the index of the move made

    uses = ("symmetries",)
    kept_attributes = ("scores", "afters", "places")

    symmetries: bool = option(True, "whether symmetric positions are treated as one")
    keyed: Literal["after", "pair"] = option(
        "after", "key of a value: the position after a move, or a position and a move"
    )
    ties: Literal["first", "random"] = option("first", "choice among equally good moves")
    tables: ClassVar[tuple[str, ...]] = ()  # the names of the tables, if there are two

    def prepare(self) -> None:
        super().prepare()
        self.double, self.pairs = self.width == 2, self.keyed == "pair"
        if self.pairs:
            read = self.game.max_plies * self.game.max_moves  # maximum number of moves in a match
            self.table = Table(self.game, self.width, True, read, self.memory)
        self.scores = np.zeros(self.game.max_moves)
        self.make_room(self.game.max_moves)

    def make_room(self, moves: int) -> None:
        """Allocate arrays for looking up this number of moves."""
        self.afters, self.places = States(self.game, moves), np.zeros(moves, np.int64)

    def prepare_learning(self) -> None:
        super().prepare_learning()
        self.make_room(self.longest * self.game.max_moves)
        self.begins, self.chosen = (np.zeros(self.longest + 1, np.uint32) for _ in range(2))

    # --- values ---------------------------------------------------------------------------------------------

    def folded(self, state: State) -> State:
        """Return the smallest of a position's images, which represents all of them."""
        least = state
        if self.symmetries:
            for i in range(1, self.game.symmetries):
                other = self.game.image(state, i)
                if other < least:
                    least = other
        return least

    def look_up(self, state: State, moves: list[Move], begin: int) -> None:
        """Store the positions after moves, and their table entries, from index `begin` on.

        All positions are hashed before the first is looked up, so that memory accesses overlap.
        """
        if self.pairs:
            self.look_up_pairs(state, moves, begin)
            return
        words, places = self.afters.words, self.places
        for i in range(len(moves)):
            after = self.folded(self.game.play(state, moves[i]))
            store(words, begin + i, after)
            places[begin + i] = hash_state(after)
        for i in range(begin, begin + len(moves)):
            places[i] = self.table.seek(places[i], self.afters[i])

    def look_up_pairs(self, state: State, moves: list[Move], begin: int) -> None:
        """Store the table entries of a position's moves, -1 if there is none, from index `begin` on."""
        folded = self.folded(state)
        hashed, turn = hash_state(folded), self.turn_to(folded, state)
        for i in range(len(moves)):
            move = self.turned(moves[i], turn)
            self.places[begin + i] = -1
            for entry in self.table.entries_of(hashed, folded):
                if self.table.moves[entry] == move:
                    self.places[begin + i] = entry

    def turn_to(self, folded: State, state: State) -> int:
        """Return the number of the first symmetry that maps a position to `folded`."""
        if folded == state:
            return 0
        turn = 1
        while self.game.image(state, turn) != folded:
            turn += 1
        return turn

    def turned(self, move: Move, turn: int) -> Move:
        """Return the image of a move under a symmetry."""
        return self.game.image_move(move, turn) if turn > 0 else move

    def enter_pairs(self, state: State, moves: list[Move]) -> None:
        """Add all moves of a position to the table with values 0, unless it contains the position."""
        folded = self.folded(state)
        hashed = hash_state(folded)
        if self.table.seek(hashed, folded) < 0:
            turn = self.turn_to(folded, state)
            for i in range(len(moves)):
                self.table.add_move(hashed, folded, self.turned(moves[i], turn), 0.0)
                if self.double:
                    self.table.values[self.table.size - 1, 1] = 0.0

    def entry_of(self, i: int) -> int:
        """Return the entry of a move that was looked up, or ~place.

        A place that was free is still this move's if it is free now.
        """
        if self.pairs:
            return self.places[i]
        if self.places[i] < 0 and self.table.index[~self.places[i]] != 0:
            after = self.afters[i]
            self.places[i] = self.table.seek(hash_state(after), after)
        return self.places[i]

    def value_of(self, i: int, table: int) -> float:
        """Return the value of a move that was looked up, in one table, or the mean if `table` is BOTH."""
        entry = self.entry_of(i)
        if entry < 0:
            return 0.0
        values = self.table.values
        if self.double and table == BOTH:
            return (values[entry, 0] + values[entry, 1]) / 2
        return values[entry, table if self.double else 0]

    def weigh(self, begin: int, count: int, table: int) -> None:
        """Write the values of `count` moves to `scores`."""
        for i in range(count):
            self.scores[i] = self.value_of(begin + i, table)

    def best_of(self, begin: int, count: int, rng: Rng) -> int:
        """Return the index of the best of `count` moves, by the mean of the tables."""
        self.weigh(begin, count, BOTH)
        return pick_best(self.scores, count, self.ties == "random", rng)

    def rate(self, state: State, moves: list[Move]) -> None:
        self.look_up(state, moves, 0)
        self.weigh(0, len(moves), BOTH)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.look_up(state, moves, 0)
        return moves[self.best_of(0, len(moves), rng)]

    # --- learning -------------------------------------------------------------------------------------------

    def take_turn(self, state: State, moves: list[Move], mover: int, epsilon: float, rng: Rng) -> int:
        """Choose a move in training, and record all moves of the turn; return the index of the chosen one."""
        begin = self.begins[self.turns]
        if self.pairs:
            self.enter_pairs(state, moves)
        self.look_up(state, moves, begin)
        if rng.random() < epsilon:
            i = rng.below(len(moves))
        else:
            i = self.best_of(begin, len(moves), rng)
        self.chosen[self.turns] = begin + i
        self.begins[self.turns + 1] = begin + len(moves)
        return i

    def learn_turn(self, turn: int, later: int, reward: float, rng: Rng) -> None:
        """Learn from a turn; of two tables, the last turn updates both, other turns update a random one."""
        if later < 0:
            self.learn_value(self.chosen[turn], 0, 1 if self.double else 0, reward)
        else:
            table = rng.below(2) if self.double else 0
            self.learn_value(self.chosen[turn], table, table, self.gamma * self.best_value(later, table, rng))

    def best_value(self, turn: int, table: int, rng: Rng) -> float:
        """Return the other table's value (or the only table's) of the move that is best in this table."""
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
                return  # the value stays 0
            after = self.afters[i]
            entry = self.table.insert(~entry, hash_state(after), after)
            self.places[i] = entry
        for table in range(first, last + 1):
            value = self.table.values[entry, table]
            self.table.values[entry, table] = (1 - self.alpha) * value + self.alpha * target

    # --- explanations ---------------------------------------------------------------------------------------

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return probabilities(self.scores[: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the expected reward, a mean of two tables, and `known`: whether it was learned."""
        self.choose(state, moves, Rng())
        views = []
        for i in range(len(moves)):
            entry = self.places[i]
            values = self.table.values[entry].tolist() if entry >= 0 else [0.0] * self.width
            facts = {"score": self.scores[i], **dict(zip(self.tables, values, strict=False))}
            views.append(View({**facts, "known": entry >= 0}))
        return views


class DoubleQ(QTable):
    """Double Q-learning: each table learns from the other's value of its best move; their mean acts."""

    width = 2
    tables = ("first", "second")
