"""Loops, lists and random numbers at the edges of their ranges: compiled code does what plain Python does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena import Rng
from arena.compiler.program import CHECKED
from arena.rng import derive, hash_move, hash_state, mix
from both_ways import Part, compiled
from edges import Small, branches, cases, differences
from tiers import tiers


class Loops(Part):
    @branches(8)
    def over_ranges(self, which: int, a: int, b: int):
        total = 0
        if which == 0:
            for i in range(a, b):
                total += 1 + (i == b - 1)
                if total > 9:
                    break
        elif which == 1:
            for i in range(a, b, -1):
                total += 1 + (i == b + 1)
                if total > 9:
                    break
        elif which == 2:
            for i in range(a, b, 2**62):
                total += 1 + (i < 0)
                if total > 9:
                    break
        elif which == 3:
            for i in range(a, b, -(2**62)):
                total += 1 + (i < 0)
                if total > 9:
                    break
        elif which == 4:
            for i in reversed(range(a, b)):
                total += 1 + (i == a)
                if total > 9:
                    break
        elif which == 5:
            for i in range(a, 2**63 - 1, 3):
                total += 1 + (i & 1)
                if total > 9:
                    break
        elif which == 6:
            for i in range(a, -(2**63), -5):
                total += 1 + (i & 1)
                if total > 9:
                    break
        else:
            for i in range(b):
                total += i & 1
                if i >= 9:
                    break
        return total

    @branches(9)
    def over_lists(self, which: int, n: Small):
        items = [3, 1, 2]
        if which == 0:
            items.pop(n)
        elif which == 1:
            items[n] = 9
        elif which == 2:
            return items[n]
        elif which == 3:
            return items.index(n)
        elif which == 4:
            return items.count(n)
        elif which == 5:
            return sum(items[n:]) * 100 + sum(items[:n])
        elif which == 6:
            for i in range(min(n, 5)):
                items.pop()
        elif which == 7:
            return sum([i for i in range(n) if i < 20])
        else:
            return len([1] * min(n, 40))
        return sum(items)

    @compiled
    def over_a_list_that_gets_longer(self, n: Small):
        items = [1, 2, 3]
        for x in items:
            if len(items) < min(n, 40):
                items.append(x)
        return len(items)

    @branches(8)
    def over_tuples(self, which: int, x: float, y: float):
        if math.isnan(x + y):  # which a tuple in plain Python takes for equal to itself
            return 0
        if which == 0:
            return (x, 1) < (y, 0)
        if which == 1:
            return (1, x) <= (1, y)
        if which == 2:
            return (x, 2) > (y, 2)
        if which == 3:
            return (0.0, x) == (-0.0, y)
        if which == 4:
            return (x, y) != (y, x)
        if which == 5:
            return max([(1, 2), (0, 3)])[0] if x < y else 0
        if which == 6:
            return "one" < "two" and x in (1.0, y)
        return "Z" > "a" or (x,) >= (y,)


class Randoms(Part):
    def prepare(self):
        self.counts, self.none = np.arange(3), np.zeros(0, np.int64)

    @branches(8)
    def drawn(self, which: int, rng: Rng, a: int):
        if which == 0:
            return rng.below(a)
        if which == 1:
            return rng.below(-5)
        if which == 2:
            return rng.below(2**31)
        if which == 3:
            return rng.below(2**31 + 1)
        if which == 4:
            rng.restart(a)
            return rng.bits()
        if which == 5:
            return mix(a)
        if which == 6:
            return derive(a, a, 3)
        return hash_state((a, 2)) ^ hash_move(a)

    @branches(8)
    def chosen(self, which: int, rng: Rng, n: Small):
        items = [i for i in range(min(n, 39))]
        if which == 0:
            return rng.choice(items)
        if which == 1:
            return rng.choice(self.counts[n:])
        if which == 2:
            return rng.choice(self.none)
        if which == 3:
            return len(rng.sample(items, n))
        if which == 4:
            return len(rng.sample([5, 6, 7], n))
        if which == 5:
            rng.shuffle(items)
            return sum(items[:3])
        if which == 6:
            return rng.choice((4, n))
        return rng.choice(items[n:])


@pytest.mark.skipif(CHECKED, reason="overflow raises, where plain Python goes on")
@pytest.mark.parametrize(
    ("cls", "name"), tiers(cases(Loops, Randoms), quick=[(Randoms, "drawn"), (Randoms, "chosen")])
)
def test_compiled_code_does_what_plain_python_does(cls, name):
    assert not differences(cls, name, 1)[:5]
