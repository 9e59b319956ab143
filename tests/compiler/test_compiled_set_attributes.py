"""Texts and tuples that compiled methods set as attributes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import text_games
from arena import Agent, Rng
from arena.compiler import layout, plainly
from arena.compiler.errors import CannotCompile
from arena_games.tic_tac_toe import TicTacToe
from both_ways import Part, both_cases, claims, compiled, compiles, outcome, recorded_both_ways, same


class Place(NamedTuple):
    row: int
    weight: float


class Sets(Part):
    """Texts, bytes, tuples, tuples in tuples and named tuples."""

    def prepare(self):
        self.mark = "X"
        self.raw = b"ab"
        self.last = (0, 0.5, True)
        self.nested = ((1, 2), "ab")
        self.place = Place(0, 0.25)
        self.board = "........."

    @compiled
    def text(self, a: int):
        self.mark = "XO"[a & 1]
        return self.mark == "X", ord(self.mark)

    @compiled
    def bytes_of(self, a: int):
        self.raw = self.raw[1:] + bytes([a & 255])
        return self.raw[0] + len(self.raw)

    @compiled
    def several(self, a: int, b: float):
        before = self.last
        self.last = (a, b, a > 2)
        x, y, z = self.last
        return before[0] + x, y + before[1], z or before[2]

    @compiled
    def from_itself(self, a: int):
        for _ in range(3):
            self.last = (self.last[0] + a, self.last[1] * 0.5, not self.last[2])
        return self.last

    @compiled
    def within(self, a: int):
        self.nested = ((a, self.nested[0][0]), self.nested[1][::-1])
        return self.nested[0][1] + self.nested[1].count("a")

    @compiled
    def named(self, a: int, b: float):
        self.place = Place(self.place.row + a, b)
        return self.place.row, self.place.weight

    @compiled
    def filled(self, a: int):
        self.board = self.board[:4] + self.mark + self.board[5:]
        if a < 0:
            self.board = self.board[::-1].replace(".", "X")
        return self.board.count("X") + a, self.board.find("X")

    @compiled
    def raising(self, a: int):
        self.mark = "O"
        self.last = (a, 1.5, False)
        return 7 // a

    @compiled
    def sometimes(self, a: int):
        if a > 1:
            self.mark = "Z"
        elif a < 0:
            self.last = (a, -0.0, True)
        return self.mark > "X", self.last[0]


@pytest.mark.parametrize(("cls", "name"), claims(Sets))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


def test_python_sees_what_is_set_and_sets_it_too():
    part = Sets()
    compiles(part, "filled")
    for _ in range(2):
        assert part.filled(0) == (1, 4)
        assert part.board == "....X...."
        part.board = "XXXXXXXXO"
        assert part.filled(1) == (9, 0)
        part.board, part.mark = "........X", "O"
        assert part.filled(0) == (1, 8)
        part.board, part.mark = ".........", "X"


class Lengths(Part):
    def prepare(self):
        self.said = "a"
        self.seen = (1,)

    @compiled
    def count(self, a: int):
        self.seen = self.seen[::-1]
        return len(self.said) * 100 + sum(self.seen) + self.said.count("a")


def test_lengths_that_change_are_right_and_do_not_compile_without_end():
    part = Lengths()
    for n in range(1, 12):
        part.said, part.seen = "a" * n, tuple(range(n))
        assert part.count(0) == 101 * n + sum(range(n))
        assert part.seen == tuple(range(n))[::-1]
    assert len(layout.tuple_kinds[Lengths, "seen"]) <= layout.MOST_KINDS


class Kinds(Part):
    def prepare(self):
        self.pair = (0, 1)

    @compiled
    def swap(self, a: int):
        self.pair = self.pair[1], self.pair[0]
        return self.pair[0] * 2 + a, self.pair[1]


@pytest.mark.parametrize("pair", [(3, 5), (3.5, 5.5), (True, False), ("a", "b"), ((1, 2), (3, 4))])
def test_tuples_of_one_length_and_different_types_are_told_apart(pair):
    for mixed in (False, True):
        part, plain = Kinds(), Kinds()
        part.pair = plain.pair = (pair[0], pair[0]) if mixed else pair
        with plainly():
            expected = outcome(plain, "swap", (1,))
        assert same(outcome(part, "swap", (1,)), expected)
        assert repr(part.pair) == repr(plain.pair)


class Unread(Part):
    """What is odd about an attribute that no compiled method reads matters to none."""

    odd: object = None

    def prepare(self):
        self.kept, self.count = self.odd, 0

    def keep(self, value: object) -> None:
        self.kept = value

    @compiled
    def counted(self, a: int):
        self.count += a
        return self.count


ODD = [(np.int64(1), 2), (2**70, 1), (1, None), (), "", ((),), "x" * 300, np.str_("ab"), ([1], 2), "\ud800"]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_odd_values_do_not_stop_other_methods_from_compiling(odd, monkeypatch):
    monkeypatch.setattr(Unread, "odd", odd)
    part = Unread()
    compiles(part, "counted")
    assert [part.counted(2), part.counted(3)] == [2, 5]
    assert part.kept is odd


class Wrong(Part):
    def prepare(self):
        self.mark, self.empty, self.none, self.items = "X", (), None, ([1], 2)

    @compiled
    def any_length(self, a: int):
        self.mark = "abc"[a:]
        return a

    @compiled
    def longer(self, a: int):
        self.mark = "XX"
        return a

    @compiled
    def number(self, a: int):
        self.mark = a
        return a

    @compiled
    def from_nothing(self, a: int):
        self.empty = (*self.empty, a)
        return a

    @compiled
    def from_none(self, a: int):
        self.none = (a, a)
        return a

    @compiled
    def lists(self, a: int):
        self.items = ([a], 1)
        return a


REASONS = {
    "any_length": "self.mark is a text of 1 character and cannot also be a text of any length",
    "longer": "self.mark is a text of 1 character and cannot also be a text of 2 characters",
    "number": "self.mark is a text of 1 character and cannot also be an int",
    "from_nothing": "self.empty is an empty tuple; start it at one of its length",
    "from_none": "self.none is None after prepare; start it at a number, a text or a tuple",
    "lists": "self.items is a tuple of other items than numbers, texts and tuples",
}


@pytest.mark.parametrize("name", REASONS)
def test_what_cannot_be_set_is_told(name):
    with pytest.raises(CannotCompile) as error:
        compiles(Wrong(), name)
    assert REASONS[name] in str(error.value)


class Marks(Agent):
    """Keeps its mark, and what it did last."""

    def begin(self, seat):
        self.mark = "XO"[seat]
        self.last = (-1, 0)

    def choose(self, state, moves, rng):
        move = moves[rng.below(len(moves))]
        if self.last[0] >= 0 and self.mark == "X":
            move = min(moves, key=lambda one: abs(one - self.last[0]))
        self.last = (move, self.last[1] + 1)
        return moves[0] if self.last[1] > 3 else move


@pytest.mark.parametrize("game", [TicTacToe, text_games.Pair])
def test_whole_matches_are_recorded_the_same_compiled(game, tmp_path):
    """Each match begins with what `begin` sets."""
    fast, plain = recorded_both_ways(tmp_path, Marks, game)
    assert fast == plain


def test_an_agent_chooses_the_same_compiled():
    game = TicTacToe()
    fast, plain = Marks(game), Marks(game)
    rngs = Rng(1), Rng(1)
    for match in range(20):
        state = game.initial()
        fast.begin(match & 1)
        with plainly():
            plain.begin(match & 1)
        while moves := list(game.moves(state)):
            with plainly():
                expected = plain.choose(state, list(moves), rngs[0])
            assert fast.choose(state, list(moves), rngs[1]) == expected
            assert (fast.mark, fast.last) == (plain.mark, plain.last)
            state = game.play(state, expected)
    assert fast._runners["choose"].codes
    assert all(fast._runners["choose"].codes.values())
