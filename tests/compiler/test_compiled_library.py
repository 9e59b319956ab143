"""What compiled code has of Python's library: `itertools`, `Counter`, `deque`, `sum` of floats, powers."""

from __future__ import annotations

import itertools
import sys
from collections import Counter, deque
from itertools import chain, product

import numpy as np
import pytest

from arena.compiler.errors import CannotCompile
from both_ways import Part, both, both_cases, claims, compiled, compiles


class Loops(Part):
    def prepare(self):
        self.items = [3, 1, 2, 5]

    @compiled
    def combinations(self, a: int) -> int:
        total = 0
        for x, y in itertools.combinations(self.items, 2):
            total = total * 7 + x - 2 * y & 0xFFFF
        for x, y, z in itertools.combinations([a, 1, a, 4], 3):
            total = total * 7 + x - 2 * y + z & 0xFFFF
        for x, y in itertools.combinations_with_replacement((a, 2, 9), 2):
            total = total * 7 + x - 2 * y & 0xFFFF
        return total

    @compiled
    def permutations(self, a: int) -> int:
        total = 0
        for x, y, z in itertools.permutations([1, 2, a], 3):
            total = total * 7 + x - 2 * y + z & 0xFFFF
        for x, y in itertools.permutations(self.items, 2):
            if x == a:
                continue
            if y == a:
                break
            total += x * y
        return total

    @compiled
    def products(self, a: int, b: int) -> int:
        total = 0
        for x, y in product(range(3), range(a % 5)):
            total += x * y
        for x, y in product((1, b), repeat=2):
            if x == b:
                continue
            total = total * 3 + x * y & 0xFFFF
        return total + sum(x - y for x, y in product(self.items, [a, b]))

    @compiled
    def others(self, a: int) -> int:
        total = 0
        for x in chain(self.items, (4, 5), range(a % 3)):
            if x == a:
                break
            total = total * 3 + x & 0xFFFF
        for x, y in itertools.pairwise(self.items):
            total += x * y
        for i in itertools.count(a % 7):
            if i % 7 == 6:
                break
            total += i
        return total + len(list(itertools.pairwise([a])))

    def counted(self, a: int) -> list[int]:
        self.items[0] += 1
        return [self.items[0], a]

    def numbered(self, a: int):
        yield self.items[0]
        yield a

    @compiled
    def chains(self, a: int) -> int:
        """All arguments are evaluated before the first item."""
        total, b, few = 0, a & 7, [4, 5]
        for x in chain(self.numbered(a), self.counted(b), few, range(b), [x for x in range(b)]):
            total = total * 3 + x & 0xFFFF
            b, few = 9, [7]
        return total + b

    @compiled
    def changed_meanwhile(self, a: int) -> int:
        total = 0
        for x, y in itertools.combinations(self.items, 2):
            self.items[3] += a
            total = total * 3 + x - y & 0xFFFF
        return total


class Counts(Part):
    @compiled
    def counter(self, a: int, b: int) -> int:
        counts = Counter(x % 3 for x in range(a))
        counts[7] += 2
        counts[b] -= 1
        total = counts[99] + len(counts) + counts.total()
        for key, count in counts.most_common():
            total = total * 3 + key - count & 0xFFFF
        for key, _ in counts.most_common(2):
            total = total * 3 + key & 0xFFFF
        return total + counts.most_common(1)[0][0] + (99 in counts)

    @compiled
    def queue(self, a: int, b: int) -> int:
        waiting = deque([(a, b), (b, a)])
        waiting.appendleft((1, 2))
        total = 0
        for i in range(abs(a * 3) + 2):
            x, y = waiting.popleft()
            total = total * 3 + x - y & 0xFFFF
            waiting.append((y, x + 1))
            waiting.append((i, i))
        while waiting:
            x, y = waiting.pop()
            total = total * 3 + x - y & 0xFFFF
            if len(waiting) == 3:
                waiting.clear()
        return total

    @compiled
    def queue_of_ints(self, a: int, b: int) -> int:
        total, waiting = 0, deque()
        waiting.extend(range(4))
        for x in waiting:
            total += x * waiting[a % 3]
        if b == 3:
            waiting.clear()
            waiting.popleft()
        if b == 5:
            for x in waiting:
                waiting.append(x)
        return total + (2 in waiting)

    @compiled
    def ones(self, a: int) -> int:
        return bin(a).count("1")

    @compiled
    def power(self, a: int, b: int) -> int:
        return (a % 7 - 3) ** (b & 15)


class Sums(Part):
    @compiled
    def of_floats(self, x: float, a: int) -> float:
        return sum(x / (i + 1) for i in range(a % 11)) + sum((0.1, x, 3), 2.5)

    @compiled
    def with_cancellation(self, x: float) -> float:
        return sum([x, -x, 1e16, x, -1e16, 0.1, 1e100, x, -1e100])

    @compiled
    def of_infinity(self, x: float) -> float:
        return sum([x, 1e308 * 10, 1.0])


class Lengths(Part):
    def prepare(self):
        self.items = [3, 1, 2, 5]

    @compiled
    def kept(self, a: int, b: int) -> int:
        self.items.insert(b, a)
        self.items.insert(0, 7)
        self.items.extend(self.items)
        self.items.extend(x + 1 for x in range(3))
        self.items.extend((a, b))
        self.items.remove(7)
        return self.items.pop(3) * 3 + self.items.pop(-2)

    @compiled
    def local(self, a: int, b: int) -> int:
        own = [1, 2, 3]
        own.insert(b, a)
        own.extend(own)
        own.extend(self.items[:4])
        own.extend([x for x in own if x > 2])
        if a in own:
            own.remove(a)
        own.insert(-1, 9)
        total = 0
        for x in own:
            total = total * 5 + x & 0xFFFF
        return total

    @compiled
    def missing(self, a: int) -> int:
        self.items.remove(a)
        return self.items.pop(a)


class Grids(Part):
    def prepare(self):
        self.killers = [[-1, -1] for _ in range(5)]
        self.history = [[0.0] * 3 for _ in range(4)]
        self.lists = [[] for _ in range(4)]

    @compiled
    def changes(self, a: int, b: int) -> int:
        self.killers[a % 5][1] = self.killers[a % 5][0]
        self.killers[a % 5][0] = b
        self.history[b % 4][a % 3] += 0.5 * a
        self.lists[a % 4].append(b)
        self.lists[b % 4].append(a)
        if b in self.killers[a % 5]:
            self.lists[2] = [4, 5, b]
        total = 0
        for row in self.killers:
            for x in row:
                total = total * 3 + x & 0xFFF
        return total + sum(self.lists[2]) + len(self.lists[a % 4])

    @compiled
    def renewed(self, a: int, b: int) -> int:
        self.killers = [[i, a, b] for i in range(5)]
        self.history = [[0.0] * i for i in range(4)]
        self.killers[a % 5] = [b, b]
        return self.killers[b % 5][1] + len(self.history[3])

    @compiled
    def copied(self, a: int) -> int:
        own = [row[:] for row in self.killers]
        own[0][0] = a
        row = self.killers[1]
        row[0] = a
        return own[0][0] + self.killers[1][0] + self.killers[a][1]


@pytest.mark.parametrize(("cls", "name"), claims(Loops, Counts, Sums, Lengths, Grids))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


def test_sums_of_floats_are_those_of_this_python():
    found, _ = both(Sums, "with_cancellation", 1.0)
    assert found == sum([1.0, -1.0, 1e16, 1.0, -1e16, 0.1, 1e100, 1.0, -1e100])
    assert (found == 0.0) == (
        sys.version_info < (3, 12)
    )  # since then what is rounded off is added at the end


class OfNumpy(Part):
    @compiled
    def total(self, a: int) -> float:
        values = np.full(10, 0.1)
        return sum(values[i] for i in range(10))


def test_a_sum_of_numpys_floats_is_refused_where_python_adds_them_otherwise():
    if sys.version_info < (3, 12):
        compiles(OfNumpy(), "total")
        return
    with pytest.raises(CannotCompile, match="sum adds numpy floats differently from Python floats"):
        compiles(OfNumpy(), "total")


def test_python_sees_and_changes_lists_of_lists_between_calls():
    part = Grids()
    for i in range(100):
        part.changes(i, 7 * i)
    assert part.killers[0] == [665, 630]
    part.killers[0][0] = 5
    part.lists[3].clear()
    part.changes(0, 3)
    assert part.killers[0] == [3, 5]
    assert part.lists[3] == [0]


class Sliced(Part):
    def prepare(self):
        self.items = [0]

    @compiled
    def copies(self, a: int) -> int:
        self.items.clear()
        for i in range(a):
            self.items.append(i)
        return sum(self.items[1:]) + len(self.items.copy()) + self.items.count(3)


def test_copies_of_kept_lists_stay_within_their_room():
    part = Sliced()
    compiles(part, "copies")
    assert part.copies(60) == 59 * 30 + 60 + 1
    for n in (100, 5000, 100_000):
        with pytest.raises(IndexError, match="a list has room for 64 items"):
            part.copies(n)
