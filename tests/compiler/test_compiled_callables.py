"""Functions that take functions, and defaults of `min` and `max`: the same compiled as in plain Python."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from functools import reduce
from itertools import accumulate
from operator import itemgetter

import pytest

from arena import Rng
from arena.compiler.errors import CannotCompile
from both_ways import Part, both, both_cases, claims, compiled, compiles


def spread(x):
    return (x * 7919) % 13


def mixed(items):
    """A number that depends on all items and their order."""
    total = 1
    for x in items:
        total = (total * 31 + x) & 0xFFFFFF
    return total


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Defaults(Part):
    def prepare(self):
        self.worst = -9

    @compiled
    def of_numbers(self, items: list[int], a: int):
        return (
            max(items, default=a),
            min([x for x in items if x > a], default=-1),
            max((x * 2 for x in items if x < a), default=self.worst),
            max(items, default=0.5) * 2,
        )

    @compiled
    def of_none(self, items: list[int], a: int):
        found = max((x for x in items if x > a), default=None)
        if found is None:
            return -1
        return found

    @compiled
    def with_a_key(self, items: list[int], a: int):
        best = min((x for x in items if x != a), default=a, key=lambda x: -x)
        return best, max(items, key=spread, default=-math.inf), max(items, key=None, default=3)

    @compiled
    def of_tuples(self, items: list[int]):
        return max(((spread(x), x) for x in items), default=(0, -1))

    @compiled
    def of_objects(self, items: list[int], a: int):
        found = max([Pair(x, -x) for x in items if x > a], key=lambda pair: spread(pair.a), default=None)
        return a if found is None else found.b

    @compiled
    def of_an_item(self, items: list[int]):
        few = [x for x in items if x > 4]
        return max(few, default=items[0])


class Several(Part):
    @compiled
    def tuples(self, a: int, b: int):
        return max((a % 3, b), (b % 3, a), (1, 1)), min((a, 1), (b, 0))

    @compiled
    def with_a_key(self, a: int, b: int):
        return max(a, b, 3, key=spread), min(a, b, key=abs), max(a, b, key=lambda x: -x)

    @compiled
    def numbers(self, a: int, x: float):
        return max(a, x, 2), min(a, 0, 7)


class Keys(Part):
    def prepare(self):
        self.worth = {i: (i * 5) % 7 for i in range(-9, 71)}
        self.table = [i * i % 11 for i in range(12)]

    @compiled
    def methods_of_containers(self, items: list[int], a: int):
        counts = {}
        for x in items:
            counts[x % 3] = counts.get(x % 3, 0) + 1
        counts[a % 3] = 1
        return (
            max(counts, key=counts.get),
            max(range(12), key=self.table.__getitem__),
            min(items, key=self.worth.get, default=0),
            sorted(counts, key=counts.__getitem__, reverse=True)[0],
        )

    @compiled
    def builtins(self, items: list[int], a: int):
        rows = [[1] * (x % 3) for x in items] + [[a]]
        return (
            len(max(rows, key=len)),
            mixed(sorted(items, key=abs, reverse=True)),
            mixed([x for x in map(abs, items)]),
            sum(map(float, items)),
            len(list(filter(bool, items))),
        )

    @compiled
    def getters(self, items: list[int]):
        pairs = [(spread(x), x) for x in items] + [(1, 2)]
        ranked = sorted(pairs, key=itemgetter(0), reverse=True)
        nodes = [Pair(x, (x, 3)) for x in items] + [Pair(5, (1, 1))]
        last = max(nodes, key=operator.attrgetter("a"))
        return (
            ranked[0],
            ranked[-1],
            min(pairs, key=operator.itemgetter(1, 0)),
            last.b,
            sum(map(itemgetter(1), pairs)),
        )


class Folds(Part):
    @compiled
    def sums(self, items: list[int], a: int):
        totals = list(accumulate(items))
        others = list(itertools.accumulate((a, 1, a), initial=100))
        return mixed(totals), mixed(others), sum(accumulate(range(a % 5)))

    @compiled
    def with_functions(self, items: list[int], a: int):
        return (
            mixed(list(accumulate(items, max))),
            mixed(list(accumulate(items, lambda x, y: (x * 3 + y) & 0xFFFF))),
            mixed(list(accumulate(items, func=lambda x, y: x ^ y, initial=a))),
            mixed(list(accumulate(items, None, initial=None))),
        )

    @compiled
    def of_floats(self, a: int, x: float):
        first, second, third = 0.0, 0.0, 0.0
        for total in accumulate([x, 0.1, x]):
            first = first * 3 + total
        for total in accumulate((y / 3 for y in range(a % 7)), initial=0.0):
            second, third = total, second
        return first, second, third

    @compiled
    def draws(self, items: list[int], rng: Rng):
        weights = [1 + x % 4 for x in items] + [2]
        totals = list(accumulate(weights))
        point = rng.random() * totals[-1]
        for i, total in enumerate(totals):
            if point < total:
                return i
        return -1

    @compiled
    def until_broken(self, items: list[int], a: int):
        for total in accumulate(items):
            if total > a:
                break
        else:
            total = -1
        return total

    @compiled
    def reduced(self, items: list[int], a: int):
        mask = reduce(lambda x, y: x | 1 << (y & 31), items, 0)
        hashed = functools.reduce(lambda h, x: (h * 31 + x) & 0xFFFFFF, (x + 1 for x in items), a)
        return mask, hashed, reduce(spread_both, items, 1)

    @compiled
    def of_nothing(self, items: list[int]):
        return reduce(lambda x, y: x - y, items)


def spread_both(x, y):
    return (x * 3 + y * 5) & 0xFFF


class Orders(Part):
    @compiled
    def permutations(self, a: int, b: int):
        total = 0
        for x, y, z in itertools.permutations((a, b, 3)):
            total = (total * 7 + x - 2 * y + z) & 0xFFFF
        return total


@pytest.mark.parametrize(("cls", "name"), claims(Defaults, Several, Keys, Folds, Orders))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


def test_nothing_without_a_default_raises_the_error_of_python():
    assert both(Folds, "of_nothing", []) == (None, "TypeError")
    assert both(Defaults, "of_an_item", []) == (None, "IndexError")


class Refused(Part):
    def prepare(self):
        self.n = 0

    def count(self):
        self.n += 1
        return self.n

    @compiled
    def late(self, items: list[int]):
        return max(items, default=self.count())

    @compiled
    def changed(self, items: list[int]):
        return max([self.count() for _ in items], default=self.n)

    @compiled
    def unknown(self, items: list[int]):
        return max(items, keys=abs)

    @compiled
    def of_several(self, a: int):
        return max(a, 1, default=3)

    @compiled
    def called(self, items: list[int]):
        return max(items, key=functools.partial(pow, 2))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("late", "give self.count() a name before this call"),
        ("changed", "give self.n a name before this call"),
        ("unknown", "keys= does not compile"),
        ("of_several", "default= goes with one sequence"),
        ("called", "a key must be a lambda, a method or a function"),
    ],
)
def test_what_would_differ_from_plain_python_is_refused(name, text):
    with pytest.raises(CannotCompile) as error:
        compiles(Refused(), name)
    assert text in str(error.value)
