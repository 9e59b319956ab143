"""Lists as attributes: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import copy
import json

import pytest

from arena import Rng
from arena.compiler.errors import CannotCompile
from both_ways import Part, both, both_cases, claims, compiled, compiles
from language import told


class Kept(Part):
    def prepare(self):
        self.past = []
        self.pairs = [(1, True), (2, False)]
        self.rates = [0.5, 1.5]
        self.order = [4, 0, 2, 6]

    @compiled
    def appended(self, items: list[int], a: int):
        for x in items:
            self.past.append(x)
            self.pairs.append((x, x > a))
        self.rates[0] += a
        total = 0
        for x, flag in self.pairs:
            total = total * 3 + x + flag
        return total, len(self.past), self.rates[-1], a in self.past, sum(self.past), told(self.order)

    @compiled
    def taken(self, a: int):
        self.order.sort()
        last = self.order.pop()
        self.order[1] = a
        if self.past:
            return 0, 0
        self.past = [a, 2, a]
        self.rates = []
        return last + self.past[0], len(self.rates)

    @compiled
    def missing(self, a: int):
        return self.order[a]

    @compiled
    def grown(self, rng: Rng):
        for _ in range(1000):
            self.past.append(rng.below(50))
        self.past.reverse()
        return told(self.past), self.past.count(3), self.past.index(7), max(self.past)


@pytest.mark.parametrize(("cls", "name"), claims(Kept))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


def test_python_sees_and_changes_what_compiled_code_has():
    part = Kept()
    compiles(part, "appended")
    part.appended([5, 6], 5)
    assert part.past == [5, 6]
    assert [0] + part.past == [0, 5, 6]
    assert part.pairs == [(1, True), (2, False), (5, False), (6, True)]
    assert (list(part.rates), [*part.order]) == ([5.5, 1.5], [4, 0, 2, 6])
    assert json.dumps(part.past) == json.dumps(copy.deepcopy(part.past)) == "[5, 6]"
    part.past.insert(0, 9)
    part.past += [1]
    part.appended([7], 5)
    assert part.past == [9, 5, 6, 1, 7]
    assert isinstance(part.past, list)


class Refused(Part):
    def prepare(self):
        self.past = [1]

    @compiled
    def second_name(self, items: list[int]):
        self.past = items
        return 0


def test_a_list_of_an_attribute_has_no_second_name():
    with pytest.raises(CannotCompile, match="a list cannot have a second name"):
        both(Refused, "second_name", [1])
