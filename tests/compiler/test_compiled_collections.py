"""Operators of sets, deques with `maxlen`, dictionaries of lists: compiled as in plain Python."""

from __future__ import annotations

from collections import defaultdict, deque

import pytest

from arena.compiler.errors import CannotCompile
from both_ways import Part, both_cases, claims, compiled, compiles
from language import told

CORNERS = frozenset({0, 2, 6, 8})


class Sets(Part):
    """Two sets."""

    def prepare(self):
        self.seen = {1, 2, 3}

    @compiled
    def operators(self, a: int, b: int):
        one, other = {a, b, 1}, {3, a + 1, 1}
        both, either, left, odd = one & other, one | other, one - other, one ^ other
        return (
            len(both), len(either), len(left), len(odd), sum(both), sum(either), sum(left), sum(odd),
            sorted(either)[0], len(one), len(other), len((one | other) - (one & other)),
        )  # fmt: skip

    @compiled
    def comparisons(self, a: int, b: int):
        one, other = {a, b}, {b, 3}
        return one == other, one != other, one <= other, one < other, one >= other, one > other, one == {b, a}

    @compiled
    def methods(self, a: int, b: int):
        one, other = {a, b, 1}, {3, a + 1, 1}
        alike = one.copy()
        alike.add(99)
        return (
            sum(one.union(other)), sum(one.intersection(other)), sum(one.difference(other)),
            sum(one.symmetric_difference(other)), one.issubset(other), one.issuperset({1}),
            one.isdisjoint(other), one.isdisjoint({50}), len(alike), 99 in one,
        )  # fmt: skip

    @compiled
    def of_pairs(self, a: int, b: int):
        one = {(a, b), (b, a)}
        return len(one & {(a, a), (a, b)}), len(one - {(b, a)}), (a, b) in one | {(1, 2)}

    @compiled
    def with_constants(self, a: int, b: int):
        taken = {a, b}
        return len(CORNERS & taken), len(taken - CORNERS), sum(CORNERS | taken), taken <= CORNERS

    @compiled
    def empty_ones(self, a: int):
        nothing, some = set(), {a}
        return len(some & nothing), len(some | nothing), nothing == some - some, nothing < some

    @compiled
    def added_in_place(self, a: int, b: int):
        one = {a, 1}
        same = one
        one |= {b, 2}
        one.update([7, a + b])
        self.seen |= {a}
        return len(one), len(same), sum(same), len(self.seen)

    @compiled
    def passed_on(self, a: int, b: int):
        one = {a}
        self.add_all(one, {b, 5})
        return len(one), 5 in one

    def add_all(self, one, other):
        one |= other


class Deques(Part):
    """Deques that keep only their last items."""

    @compiled
    def with_a_length(self, a: int, b: int):
        last = deque(maxlen=3)
        for x in (a, b, 3, a, 5):
            last.append(x)
        before = sum(last)
        last.appendleft(b)
        last.extend([a, 8])
        return before, len(last), last[0], last[1], last[-1], a in last

    @compiled
    def of_items(self, a: int, b: int):
        last = deque([(a, 1), (b, 2), (a, 3)], 2)
        last.popleft()
        last.append((b, b))
        last.append((1, a))
        total = 0
        for x, y in last:
            total = total * 10 + x - y
        return len(last), last.pop()[1], total

    @compiled
    def in_long_use(self, a: int):
        last, total = deque(maxlen=5), 0
        for i in range(200):
            last.append(i * a)
            total += last[0] - len(last)
        last.clear()
        last.append(a)
        return total, len(last), last[-1]


class Lists(Part):
    """Dictionaries whose values are lists."""

    @compiled
    def by_key(self, a: int, b: int):
        groups, total = defaultdict(list), 0
        for x in (a, b, 3, 4, a + b):
            groups[x % 3].append(x)
        for key, found in groups.items():
            total = total * 7 + key + sum(found) + len(found)
        largest = max(len(found) for found in groups.values())
        return len(groups), sum(groups[0]), len(groups[5]), total, largest

    @compiled
    def of_pairs(self, a: int, b: int):
        groups = defaultdict(list)
        for x in (a, b, 3, 4, a + b):
            groups[x % 3, x & 1].append((x, 0.5 * x))
        best = max(groups, key=lambda key: (len(groups[key]), key))
        return len(groups), best, (3, 1.5) in groups[0, 1], groups[best][0], groups[best][-1]

    @compiled
    def passed_on(self, a: int, b: int):
        groups = defaultdict(list)
        self.fill(groups, a)
        self.fill(groups, b)
        return sum(groups[1]), 2 in groups, len(groups)

    def fill(self, groups, x):
        groups[x % 3].append(x)
        groups[1].append(2 * x)

    @compiled
    def taken_out(self, a: int, b: int):
        groups = defaultdict(list)
        groups[a % 3].append(b)
        groups[a % 3].append(a)
        groups[b % 3].append(1)
        last, gone = groups[a % 3].pop(), groups.pop(b % 3)
        return last, len(gone), len(groups), a % 3 in groups

    @compiled
    def of_plain_dictionaries(self, items: list[int], a: int):
        groups, total = {}, 0
        for x in items:
            groups.setdefault(x % 3, []).append(x)
            row = groups.setdefault(x, [1, a])
            row.append(2)
        for key, found in groups.items():
            for x in found:
                total = (total * 31 + key + x) % 1000003
        return len(groups), total, sum(groups.setdefault(a, [7])), groups[a][0]

    @compiled
    def set_if_missing(self, items: list[int], a: int):
        groups, total = {1: []}, 0
        for x in items:
            if x % 3 not in groups:
                groups[x % 3] = []
            groups[x % 3].append(x + 0.5)
        for y in groups.get(a, []):
            total += y
        for y in groups.get(a % 3, [0.5]):
            total += y
        return total, len(groups), len(groups[1]), max(len(found) for found in groups.values())

    @compiled
    def replaced(self, items: list[int], a: int):
        groups = {x: [] for x in items}
        groups[a] = list(items)
        groups[a].append(a)
        for x in items:
            groups[x] = [y + 1 for y in groups[a]]
            groups[x].append(x)
        groups[a + 1] = groups[a]
        groups[a + 1].append(4)
        return (
            len(groups),
            told(groups[a]),
            told(sorted(groups)),
            sum(sum(found) for found in groups.values()),
        )

    @compiled
    def filled_elsewhere(self, items: list[int], a: int):
        groups = {}
        for x in items:
            self.put(groups, x)
        return len(groups), sum(groups.get(a % 3, [])), sum(len(found) for found in groups.values())

    def put(self, groups, x):
        if x % 3 not in groups:
            groups[x % 3] = [x]
        groups[x % 3].append(x)


@pytest.mark.parametrize(("cls", "name"), claims(Sets, Deques, Lists))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


class Refused(Part):
    """Methods that do not compile."""

    def prepare(self):
        self.n = 3
        self.groups = {}

    @compiled
    def taken_away_in_place(self, a: int):
        one = {a, 1}
        one -= {1}
        return len(one)

    @compiled
    def union_with_a_list(self, a: int):
        return len({a}.union([1, 2]))

    @compiled
    def a_set_and_a_number(self, a: int):
        return len({a} | a)

    @compiled
    def a_length_that_varies(self, a: int):
        last = deque(maxlen=self.n)
        last.append(a)
        return len(last)

    @compiled
    def a_list_with_a_name_for_a_key(self, a: int):
        groups, row = defaultdict(list), [1]
        groups[a] = row
        row.append(2)
        return len(groups[a])

    @compiled
    def a_list_in_an_attribute(self, a: int):
        self.groups.setdefault(a, []).append(a)
        return len(self.groups)

    @compiled
    def a_dictionary_for_a_key(self, a: int):
        groups = defaultdict(dict)
        groups[a][1] = 2
        return len(groups)


WHY = {
    "taken_away_in_place": "only |= with another set compiles; write a = a - b",
    "union_with_a_list": "compiles only with a set, not a list; write set(…)",
    "a_set_and_a_number": "this operator does not compile for a set and an int",
    "a_length_that_varies": "maxlen must be a constant from 1 to 256",
    "a_list_with_a_name_for_a_key": "cannot be stored in a dictionary; write list(…) for a copy",
    "a_list_in_an_attribute": "self.groups cannot keep a list beyond the call; keep numbers and tuples",
    "a_dictionary_for_a_key": "defaultdict compiles only with int, float, bool or list",
}


@pytest.mark.parametrize(("cls", "name"), claims(Refused))
def test_what_does_not_compile_is_refused_with_the_reason(cls, name):
    with pytest.raises(CannotCompile, match=r"test_compiled_collections\.py, line \d+: ") as error:
        compiles(cls(), name)
    assert WHY[name] in str(error.value)
