"""Dictionaries and sets: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import copy
import functools
import pickle
import sys
from collections import defaultdict
from pathlib import Path
from typing import ClassVar

import pytest

from arena import Rng
from arena.compiler.errors import CannotCompile
from both_ways import Part, both, both_cases, claims, compiled, compiles
from language import told


class Dictionaries(Part):
    """Dictionaries that a method makes, with keys of ints and tuples, of any size."""

    @compiled
    def made_and_read(self, a: int, b: int):
        known = {1: 2.5, a: 3}
        known[b] = 4
        known[b] += 0.5
        return len(known), known[a], known[b], known.get(7), known.get(8, -1), a in known, 9 not in known

    @compiled
    def missing(self, a: int):
        known = {1: 2, 3: 4}
        return known[a]

    @compiled
    def with_keys_of_tuples(self, items: list[int], a: int):
        seen = {}
        for x in items:
            for y in items:
                key = ((x, y), x > y)
                seen[key] = seen.get(key, 0) + a
        total = 0
        for ((x, y), greater), times in seen.items():
            total = (total * 31 + x * 3 + y * 7 + greater + times) % 1000003
        return total, len(seen), seen.get(((a, a), False), 0)

    @compiled
    def of_many_keys(self, rng: Rng):
        counts, order = {}, 0
        for i in range(3000):
            key = rng.below(1000)
            if key in counts and rng.below(3) == 0:
                del counts[key]
            elif rng.below(50) == 0:
                order += counts.pop(key, -5)
            else:
                counts[key] = counts.setdefault(key, i) + 1
        for key in counts:
            order = (order * 31 + key) % 1000003
        for value in counts.values():
            order = (order * 31 + value) % 1000003
        return order, len(counts), max(counts), min(counts.values())

    @compiled
    def emptied(self, items: list[int]):
        known = dict()  # both ways of writing it compile
        for x in items:
            known[x] = x * x
        first = len(known)
        known.clear()
        empty = not known
        known[5] = 6
        return first, empty, len(known), known[5]

    @compiled
    def by_default(self, items: list[int]):
        counts = defaultdict(int)
        shares = defaultdict(float)
        for x in items:
            counts[x % 3] += 1
            shares[x] += 0.5
        return counts[0], counts[7], len(counts), shares[1], told(counts)

    @compiled
    def changed_in_a_loop(self, items: list[int]):
        known = {1: 1}
        for x in items:
            known[x] = x
        for x in known:
            if x > 4:
                known[x + 100] = 1
            else:
                known[x] = 7
        return len(known)

    @compiled
    def popped(self, a: int):
        known = {0: 1, 2: 3}
        value = known.pop(a)
        return value, len(known)

    @compiled
    def deleted(self, a: int):
        known = {0: 1, 2: 3}
        del known[a]
        return len(known)

    @compiled
    def passed_on(self, items: list[int], a: int):
        known = {}
        for x in items:
            self.add(known, x, a)
        other = known
        other[-1] = 17
        return len(known), known.get(a), known[-1]

    def add(self, known, x, a):
        known[x] = x + a
        known[x + 1] = a

    @compiled
    def made_again_and_again(self, a: int):
        total = 0
        for i in range(300):
            total += self.distinct(i, a)
        return total

    def distinct(self, i, a):
        seen = {}
        for j in range(i):
            seen[(j * a) % 17, j % 2] = j
        return len(seen)

    @compiled
    def maybe_none(self, items: list[int], a: int):
        known = {}
        for x in items:
            known[x] = x / 2
        found = known.get(a)
        if found is None:
            return -1.0, found
        return found * 2, found

    @compiled
    def none_in_a_sum(self, a: int):
        known = {1: 2}
        return known.get(a) + 1

    @compiled
    def copied(self, items: list[int], a: int):
        known = {x: x * x for x in items}
        more = known.copy()
        more.update({a: 1, 5: 2})
        again = dict(more)
        again[-9] = 3
        pairs = dict(zip(items, items[1:], strict=False))
        again.update(pairs)
        halves = dict((x, x / 2) for x in items)
        rows = {a: [1, 2]}
        other = rows.copy()
        other[a].append(a)
        total = 0
        for key, value in again.items():
            total = (total * 31 + key * 7 + value) % 1000003
        sizes = len(known), len(more), len(again), len(pairs)
        return total, sizes, told(known), sum(halves.values()), told(rows[a]), len(dict([(1, 2), (a, 3)]))

    @compiled
    def copied_by_default(self, items: list[int], a: int):
        counts = defaultdict(int)
        for x in items:
            counts[x] += 1
        other = counts.copy()
        other[a] += 5
        other[a + 1] += 1
        return len(counts), len(other), other[a], VALUES.copy().get(a), len(dict(VALUES))

    @compiled
    def with_none_as_a_value(self, a: int):
        known = {1: None, 2: 3}
        value = known.get(a, 8)
        return value, value == 3, value is None, not value


class Sets(Part):
    """Sets, whose order is not seen."""

    @compiled
    def made_and_asked(self, items: list[int], a: int):
        seen = set()
        for x in items:
            seen.add(x)
        seen.discard(a)
        other = {a, a + 1, 3}
        return len(seen), a in seen, told(sorted(seen)), len(other), sum(other), max(other), 3 in other

    @compiled
    def comprehended(self, items: list[int], a: int):
        squares = {x: x * x for x in items if x != a}
        rests = {x % 3 for x in items}
        again = set(squares)
        return (
            told(squares),
            sum(squares.values()),
            told(sorted(rests)),
            len(again),
            a in again,
            len(set(items)),
        )

    @compiled
    def removed(self, a: int):
        seen = {1, 2, 3}
        seen.remove(a)
        return len(seen)

    @compiled
    def of_positions(self, a: int):
        seen, state, plies = set(), (a, 0), 0
        while state not in seen:
            seen.add(state)
            state = ((state[0] * 5 + 3) % 64, state[1] ^ 1)
            plies += 1
        return plies


class Kept(Part):
    """Dictionaries and sets that are attributes."""

    def prepare(self):
        self.values = {}
        self.counts = defaultdict(int)
        self.seen = set()
        self.rates = {3: 0.5, 1: 2.0}
        self.pairs = {(0, 1): (True, 2)}

    @compiled
    def filled(self, items: list[int], a: int):
        for x in items:
            self.counts[x] += 1
            self.values[x, a > 0] = x / 2
            self.seen.add((x, a))
        total = len(self.counts) + self.counts[a]
        return total, len(self.values), self.values.get((a, True)), (a, a) in self.seen, len(self.seen)

    @compiled
    def read_and_removed(self, a: int):
        if a in self.rates:
            self.rates[a] += 1
            del self.rates[3]
        first = 0.0
        for key, rate in self.rates.items():
            first = first * 3 + key + rate
        return first, self.rates.pop(a, -1.0), len(self.rates)

    @compiled
    def of_pairs(self, a: int, b: int):
        self.pairs[a, b] = (a > b, a)
        return self.pairs[0, 1]

    @compiled
    def replaced(self, a: int):
        self.values = {}
        self.rates = {a: 1.5, 7: 2.5}
        self.seen = set()
        self.values[a, True] = 1.0
        self.seen.add((a, 0))
        return len(self.rates)

    @compiled
    def grown(self, a: int):
        for i in range(1000):
            self.counts[(i * 7919 + a) % 701] += i
        for i in range(0, 700, 2):
            self.counts.pop(i, 0)
        for i in range(300):
            self.counts[-i] = i
        return len(self.counts)


def test_python_sees_and_changes_what_compiled_code_has():
    part = Kept()
    compiles(part, "filled")
    part.filled([1, 2, 1], 4)
    assert part.counts == {1: 2, 2: 1, 4: 0}
    assert list(part.counts) == [1, 2, 4]
    assert isinstance(part.values, dict)
    assert isinstance(part.counts, defaultdict)
    assert dict(part.values) == {**part.values} == {(1, True): 0.5, (2, True): 1.0}
    assert part.seen == {(1, 4), (2, 4)}
    assert copy.deepcopy(part.counts) == pickle.loads(pickle.dumps(part.counts)) == part.counts
    part.counts[1] = 10
    part.seen.clear()
    part.filled([1], 2)
    assert part.counts[1] == 11
    assert part.seen == {(1, 2)}
    part.counts["text"] = 1  # which compiled code does not know
    assert part.filled([1], 2) == (5, 2, 1.0, False, 1)
    assert part.counts == {1: 12, 2: 1, 4: 0, "text": 1}
    part.counts = defaultdict(int)
    part.filled([1], 2)
    assert part.counts == {1: 1, 2: 0}


def test_a_dictionary_with_another_name_is_refused():
    part = Kept()
    other = part.rates
    with pytest.raises(CannotCompile, match=r"self\.rates is a dict that is also referenced elsewhere"):
        compiles(part, "read_and_removed")
    assert other is part.rates


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the system tells used memory otherwise")
def test_memory_does_not_grow_with_calls():
    part = Kept()
    compiles(part, "grown")
    maker = Dictionaries()
    compiles(maker, "of_many_keys")

    def used():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    for _ in range(100):
        part.grown(1)
        maker.of_many_keys(Rng(1))
        Kept().grown(1)
    before = used()
    for _ in range(3000):
        maker.of_many_keys(Rng(1))
    for _ in range(1000):
        part.replaced(1)
        part.grown(1)
    assert used() - before < 4 << 20


SHARED = {}


class Cached(Part):
    """Methods with `lru_cache`."""

    def prepare(self):
        self.calls = 0

    @functools.lru_cache(maxsize=None)  # noqa: B019, UP033 # as authors write it
    def ways(self, n, pair):
        if n <= 0:
            return 1.0
        return self.ways(n - 1, (pair[1], pair[0])) + self.ways(n - 2, pair) / (pair[0] + 7)

    @functools.lru_cache(maxsize=4)  # noqa: B019 # as authors write it
    def square(self, n):
        return n * n

    @compiled
    def counted(self, a: int, b: int):
        total = 0
        for i in range(20):
            total += self.square(i % 7 + a)
        return self.ways(30, (a, b)) if a > -7 and b > -7 else 0.0, total


VALUES = {1: 3, 2: 5, -4: 0.5, 70: 9}
CORNERS = {0, 2, 6, 8}
NAMES = {"man": 100, "king": 300}
STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "none": [2, 2.5]}
NESTED = {"early": {"man": 1.5, "king": 4}, "late": {"man": 2}}
ORDER = [4, 0, 2, 6, 8]
NEIGHBOURS = {(0, 0): (1, 2), (1, 0): (0, 3)}


class Constants(Part):
    """Dictionaries, sets and lists of the module and of classes."""

    weights: ClassVar = {0: 0.5, 3: 1.5}
    edges = frozenset((1, 3, 5, 7))
    phase: ClassVar = {"slow": 3, "fast": 0.5}

    def prepare(self):
        self.name = "fast"

    @compiled
    def read(self, a: int):
        found = VALUES.get(a), VALUES.get(a, 7), a in VALUES, len(VALUES), VALUES[2]
        return found, NAMES["king"], self.weights.get(a), a in self.edges, a in CORNERS, sum(CORNERS)

    @compiled
    def of_strings(self, a: int):
        total = a
        for dx, dy in STEPS.values():
            total = total * 3 + dx - dy
        got = (
            NESTED["late"]["man"],
            NAMES.get("king"),
            NAMES.get("rook", a),
            NAMES.get("rook"),
            NESTED["early"].get("man", 0),
        )
        return (
            total,
            sum(NAMES.values()),
            got,
            "man" in NAMES,
            "rook" not in NAMES,
            len(NAMES),
            self.phase[self.name],
        )

    @compiled
    def indexed(self, a: int):
        return VALUES[a]

    @compiled
    def walked(self, a: int):
        total = 0.0
        for key, value in VALUES.items():
            total = total * 3 + key * value
        for x in ORDER:
            total += x * a
        return total, ORDER[a & 3], len(ORDER), NEIGHBOURS[a & 1, 0][1], max(VALUES.values())


class Changing(Part):
    def prepare(self):
        self.known = {0: 1}
        self.counts = {"calls": 0, "mistakes": 0}

    @compiled
    def counted(self, a: int):
        self.counts["calls"] += 1
        return a

    @compiled
    def by_string(self, a: int):
        return sum(value for name, value in NAMES.items())

    @compiled
    def replaced(self, a: int):
        before = self.known
        self.known = {a: 1}
        return len(before)

    @compiled
    def changed(self, a: int):
        VALUES[a] = 1
        return a

    @compiled
    def shared(self, a: int):
        SHARED[a] = 1
        return a


def test_a_constant_cannot_be_changed():
    with pytest.raises(CannotCompile, match="VALUES is a constant, which compiled code cannot change"):
        both(Changing, "changed", 1)
    with pytest.raises(
        CannotCompile, match="SHARED is empty and cannot change, since it is a constant of compiled code"
    ):
        both(Changing, "shared", 1)


def test_strings_of_different_lengths_as_keys_must_be_constants_of_a_constant():
    reason = "keys other than ints, texts or tuples of these, all of the same length"
    with pytest.raises(CannotCompile, match=f"self.counts is a dict with {reason}"):
        both(Changing, "counted", 1)
    with pytest.raises(CannotCompile, match=f"NAMES is a dict with {reason}"):
        both(Changing, "by_string", 1)


def test_what_has_another_name_cannot_be_replaced():
    with pytest.raises(CannotCompile, match="is also referenced elsewhere, so it cannot be replaced"):
        both(Changing, "replaced", 1)


def test_code_on_disk_depends_on_what_constants_contain(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))
    part = Constants()
    compiles(part, "indexed")
    assert part.indexed(2) == 5
    monkeypatch.setitem(VALUES, 2, 6)
    part = Constants()
    compiles(part, "indexed")
    assert part.indexed(2) == 6


class Optional(Part):
    """Variables that are None at first."""

    @compiled
    def the_best_so_far(self, items: list[int]):
        best, where = None, None
        for i, x in enumerate(items):
            if best is None or x > best:
                best, where = x, i
        return best, where, best is not None

    @compiled
    def needed_as_numbers(self, items: list[int], a: int):
        last = None
        for x in items:
            last = x
        pair = (last, 2) if a > 0 else None
        known = {a: 1}
        x, y = pair
        return max(last, 3), abs(last), int(last), known.get(last), x + y

    @compiled
    def none_or_a_tuple(self, items: list[int], a: int):
        pair = None
        for x in items:
            if x == a:
                pair = (x, x / 2)
        if pair:
            return pair[0] + 1, pair
        return 0, pair

    @compiled
    def maybe(self, a: int):
        found = self.look(a)
        return 0 if found is None else found + 1

    def look(self, a):
        if a > 2:
            return a
        return None


@pytest.mark.parametrize(("cls", "name"), claims(Dictionaries, Sets, Kept, Cached, Constants, Optional))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)
