"""Tuples: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from both_ways import Part, both_cases, claims, compiled
from language import CORNERS, FAR, Pair

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


class Spot(NamedTuple):
    at: Pair
    value: float = 0.0


class Tuples(Part):
    """Tuples, and names for their items."""

    @compiled
    def unpacking(self, a: int, b: int):
        c, d = a, b
        c, d = d, c
        (e, f), g = (c, d), c + d
        [h, i] = f, e
        a, b = b, a + b
        return c, d, e, f, g, h, i, a, b

    @compiled
    def assigning_several(self, a: int, b: int):
        c = d = a
        d += b
        return c, d

    @compiled
    def comparisons(self, a: int, b: int):
        one, other = (a, b, 1), (b, a, 1)
        return (
            one < other,
            one <= other,
            one > other,
            one >= other,
            one == other,
            one != other,
            one == (a, b, 1),
        )

    @compiled
    def comparisons_of_other_lengths_and_kinds(self, a: int, b: int):
        return (
            (a, b) == (a, b, 1),
            (a, b) != (a,),
            (a, 0.5) < (b, 0.25),
            (a, (b, 1)) < (b, (a, 1)),
            (a > 0, b) < (True, a),
        )

    @compiled
    def joined_and_cut(self, a: int, b: int):
        c = (a, b) + (1,) + (b,)
        return c, c[1:], c[:-1], c[1:3], c[0], c[-1], len(c), c + c

    @compiled
    def items_by_number(self, a: int, b: int):
        c = (a, b, a + b, 7)
        return c[a & 3], c[-1 - (b & 3)], CORNERS[a & 3], FAR[b & 15], STEPS[a & 3], STEPS[1][b & 1]

    @compiled
    def constant_tuples(self, a: int):
        total = 0
        for dx, dy in STEPS:
            total = total * 3 + dx * a + dy
        for cell in CORNERS:
            total += cell * a
        for x in FAR:
            total ^= x
        return total, len(FAR), FAR[3:5], sum(FAR), max(CORNERS), min(CORNERS), sum(x * x for x in CORNERS)

    @compiled
    def named_tuples(self, a: int, b: int):
        pair = Pair(a, other=b)
        spot = Spot(pair, 0.5)
        moved = pair._replace(own=7)
        own, other = pair
        return (
            pair.own, pair.other, pair[0], pair[-1], own - other, spot.at.own, spot.value, moved.own, moved[1],
            pair == moved, pair < moved, len(pair), pair == (a, b), spot.at == pair,
        )  # fmt: skip

    @compiled
    def named_tuples_have_defaults(self, a: int):
        return Spot(Pair(a, a)).value, Spot(at=Pair(1, a)).at.other

    @compiled
    def loops_over_tuples(self, a: int, b: int):
        total = 0
        for i, x in enumerate((a, b, 3)):
            total = total * 10 + x * i
        for x, y in ((a, b), (b, 1)):
            total += x - y
        for x in reversed((a, b, 1)):
            total = total * 2 + x
        return total, sum((a, b, 1)), max((a, b)), min((a, b, 0)), any((a, b)), all((a, b)), tuple((a, b))

    @compiled
    def a_loop_over_constants_may_be_left(self, a: int):
        for x in CORNERS:
            if x >= a:
                break
        y = -1
        for y in (4, 5, 6):
            if y == a:
                break
        return x, y

    @compiled
    def empty_ones(self, a: int):
        nothing = ()
        for _ in nothing:
            a += 1
        return a, len(nothing), 1 if nothing else 2, nothing == ()

    @compiled
    def within_each_other(self, a: int, b: int):
        c = ((a, b), (b, a), (1, 2))
        (d, e), f, _ = c
        return c[a & 1], c[1][0], f, d + e, c[b & 1][a & 1]

    @compiled
    def conditional_ones(self, a: int, b: int):
        pair = (a, b)
        if a > b:
            pair = b, a
        wide = (a, 0.5) if b else (b, a)
        return pair, wide, (1, 2) if a else (3, 4)


@pytest.mark.parametrize(("cls", "name"), claims(Tuples))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)
