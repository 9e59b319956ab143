"""Methods and functions: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from both_ways import Part, both_cases, claims, compiled

HALF, LIMIT = 0.5, 6


class Base(Part):
    """Methods, attributes, classes."""

    bonus = 3
    table = (5, 6, 7)
    ratios = np.array([0.25, 0.5])

    def prepare(self):
        self.size = 4
        self.rate = 0.5
        self.ready = False
        self.calls = 0

    def worth(self, a):
        return a * self.bonus

    @property
    def double(self):
        return 2 * self.size

    @staticmethod
    def halved(a):
        return a / 2

    def count(self):
        self.calls += 1
        return self.calls


class Methods(Base):
    bonus = 4

    def prepare(self):
        super().prepare()
        self.left, self.right = Shared(), Shared()
        self.right.leaf = self.left.leaf
        self.parts = Chain()

    def worth(self, a):
        return super().worth(a) + 1

    @compiled
    def attributes_are_set(self, a: int):
        self.size += a
        self.rate = self.rate * a + self.size
        self.ready = a > 2
        self.ready = not self.ready
        self.count()
        return self.size, self.rate, self.ready, self.count(), self.calls

    @compiled
    def those_above(self, a: int):
        return (
            self.worth(a),
            super().worth(a),
            self.bonus,
            self.table[a % 3],
            self.double,
            self.halved(a),
            Base.bonus,
        )

    @compiled
    def of_classes(self, a: int):
        return self.ratios[a % 2], Methods.table[0], Base.halved(a), Base.table[a % 3]

    @compiled
    def parts_shared_by_two_ways(self, a: int):
        self.left.leaf.value += a
        self.right.leaf.value *= 2
        self.left.leaf.cells[1] = a
        return (
            self.left.leaf.value,
            self.right.leaf.value,
            self.right.leaf.cells[1],
            self.left.grown(a),
            self.right.grown(1),
        )

    @compiled
    def parts_of_parts(self, a: int):
        leaf = self.left.leaf
        leaf.value = a
        return (
            self.parts.inner.inner.value,
            self.left.leaf.value,
            self.parts[a],
            a in self.parts,
            len(self.parts),
            self.item(a),
        )

    def item(self, a):
        self.parts[a % 3] = a
        self.parts[2, 1] = 5
        self.parts[0] += 2
        return self.parts[a % 3] + self.parts.inner.value

    @compiled
    def named_arguments_and_defaults(self, a: int, b: int):
        return (
            self.weighed(a), self.weighed(a, b), self.weighed(a, scale=b), self.weighed(scale=a, b=b, a=1),
            plus(a), plus(b=a), plus(a, b=b),
        )  # fmt: skip

    def weighed(self, a, b=2, scale=HALF):
        return (a - b) * scale

    @compiled
    def arguments_are_reckoned_as_they_stand(self, a: int):
        return self.weighed(
            scale=self.count(), b=self.count() * 10, a=self.count() * 100
        ), self.count() - self.count() * 10

    @compiled
    def calls_of_itself(self, a: int):
        return (
            factorial(a % 9),
            self.fibonacci(a % 12),
            self.depth(a % 5, 0.5),
            even(a % 7),
            self.search(a % 5, 0),
        )

    def fibonacci(self, n: int) -> int:
        return n if n < 2 else self.fibonacci(n - 1) + self.fibonacci(n - 2)

    def depth(self, n: int, x: float) -> float:
        if n == 0:
            return x
        return max(self.depth(n - 1, -x), x / n)

    def search(self, depth, alpha):
        if depth == 0:
            return alpha
        best = -99
        for i in range(3):
            best = max(best, -self.search(depth - 1, alpha + i))
        return best

    @compiled
    def calls_within_calls(self, a: int):
        return self.one(a), self.halves(a & 3)

    def one(self, a):
        return self.two(a) + 1

    def two(self, a):
        return self.three(a) * 2

    def three(self, a):
        found = 0
        for x in range(int(self.four(a)) & 3):
            found = found + self.four(x) / 2
        return found

    def four(self, a):
        return self.five(a) - 1

    def five(self, a):
        return self.six(a) * 3

    def six(self, a):
        return self.seven(a) + self.one(a - 1) if a == 2 else a

    def seven(self, a):
        return self.eight(a) // 2

    def eight(self, a):
        return [x for x in range(3)][a]

    def halves(self, n):
        return [x / 2 for x in self.upwards(n, 4 // (n + 1))][-1]

    def upwards(self, n, of):
        if n == 3:
            return
        yield of
        yield 4 // n
        yield self.eight(n)

    @compiled
    def what_is_given_is_the_functions_own(self, a: int):
        b = a
        return (
            self.used_up(a),
            a,
            b,
            counted_down(3),
            counted_down(a & 3),
            self.replaced((1, 2, 3, 4, 5, 6, 7, 8, 9)),
        )

    def used_up(self, a):
        a = a * 2
        a += 1
        return a

    def replaced(self, items):
        first = items[0]
        items = (first + 1, 2, 3, 4, 5, 6, 7, 8, 9)
        return items[0]

    @compiled
    def nothing_is_given_back(self, a: int):
        self.size = a
        self.rest(a)

    def rest(self, a):
        if a > 2:
            return
        self.size += 1

    @compiled
    def functions_are_constants(self, a: int):
        choose = plus if self.table[0] == 5 else factorial
        return choose(a, 1), self.applied(plus, a)

    def applied(self, function, a):
        return function(a, 2) + function(a, 3)

    @compiled
    def lists_and_results_of_several_kinds(self, a: int, items: list[int]):
        return self.first(items, a)

    def first(self, items, a):
        for i, x in enumerate(items):
            if x > a:
                return i, x / 2
        return -1, 0


class Leaf(Part):
    def prepare(self):
        self.value = 1
        self.cells = np.zeros(3, np.int64)


class Shared(Part):
    def prepare(self):
        self.leaf = Leaf()
        self.grows = 2

    def grown(self, a):
        self.grows += a
        self.leaf.value += 1
        return self.grows


class Chain(Part):
    def prepare(self):
        self.inner = Shared()
        self.inner.inner = Leaf()
        self.inner.value = 9
        self.cells = np.arange(3)

    def __getitem__(self, i):
        return self.cells[i % 3]

    def __setitem__(self, at, value):
        self.cells[0] = value
        self.inner.value += 1

    def __contains__(self, x):
        return x in self.cells

    def __len__(self):
        return 7


def plus(a=1, b=10):
    return a + b


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


def counted_down(n):
    total = 0
    while n > 0:
        total += n
        n -= 1
    return total


@pytest.mark.parametrize(("cls", "name"), claims(Methods))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)
