"""Named tuples and frozen dataclasses in compiled methods: the same as in plain Python."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from arena.compiler.errors import CannotCompile
from both_ways import Part, both_cases, claims, compiled, compiles

Place = namedtuple("Place", "row column")


class Cell(NamedTuple):
    row: int
    column: int = 3

    def turned(self):
        return Cell(self.column, -self.row)

    @property
    def number(self):
        return 8 * self.row + self.column


@dataclass(frozen=True)
class Position:
    own: int
    other: int = 0

    width = 7

    def turned(self):
        return Position(self.other, self.own)

    @property
    def both(self):
        return self.own | self.other

    @staticmethod
    def of(n):
        return Position(n, other=n + 1)


@dataclass(frozen=True)
class Weighted(Position):
    weight: float = 0.5


START = Position(5, 2)


class Named(Part):
    @compiled
    def named_tuples(self, a: int, b: int):
        place = Place(a, column=b)
        row, column = place
        other = place._replace(row=7)
        cell = Cell(a)
        turned = cell.turned()
        same = place == other
        return place.row + column * row, other.row, same, cell[1], turned.row, turned.number, cell < turned

    @compiled
    def dataclasses(self, a: int, b: int):
        one = Position(a, b)
        two = one.turned() if a > 2 else one
        three = Position.of(a)
        if one == two.turned():
            two = three
        unlike = one != Position(a, b)
        return one.own, two.own, three.other, one == two, unlike, two.both, one.width, START.own + a

    @compiled
    def within_lists_and_variables(self, a: int):
        positions = [Position(i, a) for i in range(4)]
        best = max(positions, key=lambda position: position.own * a % 3)
        last = START
        for position in positions:
            if position.own > a:
                last = position
        pairs = [(position, 1.5) for position in positions]
        return best.own, last.own, last.other, pairs[2][0].own, len({(p.own, p.other) for p in positions})

    @compiled
    def inherited(self, a: int, b: float):
        one = Weighted(a, 1, b)
        two = Weighted(a)
        return one.weight + two.weight, one.both, one == two, two == Position(a), self.total(one)

    def total(self, position):
        return position.own + position.other

    @compiled
    def constants(self, a: int):
        return self.chosen(a).own, self.chosen(a) == START, self.total(START)

    def chosen(self, a):
        return START if a > 2 else Position(a)

    @compiled
    def ordered(self, a: int):
        return Position(a) < Position(2)


@pytest.mark.parametrize(
    ("cls", "name"), [case for case in claims(Named, slow=["dataclasses"]) if case.values[1] != "ordered"]
)
def test_tuples_with_names(cls, name):
    both_cases(cls, name)


def test_dataclasses_have_no_order():
    with pytest.raises(CannotCompile, match=r"dataclasses can be compared only by == and !="):
        compiles(Named(), "ordered")
