"""What an agent gives is a legal move by the move's own comparison, never by that of what it gave."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

import arena
from arena.api.rulings import place_of


class Always:
    """Is equal to anything."""

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = object.__hash__


class Whole(Always, int):
    pass


class Text(Always, str):
    pass


class Pair(Always, tuple):
    pass


class Pretends(Always):
    __class__ = int


class Square(NamedTuple):
    x: int
    y: int


@dataclass(frozen=True)
class Step:
    piece: str
    to: int


class Side(enum.IntEnum):
    LEFT, RIGHT = 4, 5


NUMBERS, TEXTS, PAIRS, STEPS = (
    [3, 4, 5, 1],
    ["a", "b"],
    [Square(1, 2), Square(3, 4)],
    [Step("k", 1), Step("q", 2)],
)


@pytest.mark.parametrize(
    ("legal", "given"),
    [
        *((NUMBERS, one) for one in (Whole(9), Always(), Pretends(), Text("4"), "4", None, 4.5, [4], (4,))),
        *((NUMBERS, one) for one in (Fraction(1, 3), np.array([4]), np.float64("nan"), object())),
        *((TEXTS, one) for one in (Text("x"), Always(), Whole(1), b"a", ("a",))),
        *((PAIRS, one) for one in (Pair((9, 9)), Pair((Always(), Always())), (Always(), 2), (1, Whole(7)))),
        *((PAIRS, one) for one in (Square(Always(), Always()), Always(), (1, 2, 3), ((1, 2),))),
        *((STEPS, one) for one in (Step(Always(), 1), Step("k", Whole(9)), Always(), ("k", 1))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_says_that_it_is_equal_is_no_move(legal, given):
    with pytest.raises((ValueError, TypeError)):
        place_of(legal, given)


@pytest.mark.parametrize(
    ("legal", "given", "place"),
    [
        *((NUMBERS, one, 1) for one in (4, 4.0, Whole(4), Side.LEFT, np.int8(4), np.uint64(4), np.array(4))),
        *((NUMBERS, one, 3) for one in (True, np.float64(1.0), np.float32(1), Fraction(1))),
        *((TEXTS, one, 1) for one in ("b", Text("b"), np.str_("b"))),
        *((PAIRS, one, 1) for one in (Square(3, 4), (3, 4), Pair((3, 4)), (np.int64(3), Whole(4)))),
        (STEPS, Step("q", 2), 1),
        ([None, 1], None, 0),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_equal_by_its_value_is_that_move(legal, given, place):
    assert place_of(legal, given) == place


class Swindler(arena.Agent):
    """Gives what is equal to anything."""

    def choose(self, state, moves, rng):
        return Whole(99)


def test_a_match_is_lost_by_what_is_equal_to_anything():
    found = arena.match(Swindler, "random", game="tic-tac-toe", matches=2, executor="serial", progress=False)
    assert [pairing["forfeits"] for pairing in found.to_dict()["pairings"]] == [1, 1]
