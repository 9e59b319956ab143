"""Lists: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import pytest

from arena import Rng
from both_ways import Part, both_cases, claims, compiled
from language import CORNERS, Pair, told


class Lists(Part):
    """Lists, each with one name, and at most as many items as there are moves."""

    @compiled
    def made_and_read(self, a: int, b: int):
        items = [a, b, a + b]
        items.append(7)
        items[0] += 5
        items[-1] = b
        parts = told(items[1:3]), told(items[-2:]), told(items[:-1]), told(items[5:])
        return told(items), len(items), items[1], items[-2], items[b & 1], parts

    @compiled
    def cut(self, items: list[int], a: int):
        some = told(items[a:]), told(items[:a]), told(items[-a:]), told(items[1:a])
        return some, told(items[a : a + 2]), told(items[:]), told(items[a:-1]), told(items[-2:a])

    @compiled
    def equal(self, items: list[int], a: int):
        some = [x for x in items if x != a]
        same = some == items, items == [4, 4, a], items != sorted(items), [x / 1 for x in items] == items
        pairs, rows = [(x, a) for x in some], [[x, a] for x in items]
        groups = {a: list(items)}
        if some == []:
            some.append(a)
        return (
            same,
            pairs == [(3, a)],
            len(rows) > 0 and rows[0] == [a, a],
            groups[a] == items,
            groups[a] == [],
            some == [a],
        )

    @compiled
    def second_names(self, items: list[int], a: int):
        good = [x for x in items if x > a]
        if not good:
            good = items
        rest = good
        for x in items:
            if x == a:
                good = rest
        return told(list(good)), len(rest), sum(rest), a in good

    @compiled
    def second_names_in_a_loop(self, items: list[int], a: int):
        total = 0
        best = items
        for i in range(3):
            more = [*best, i]
            if i != a:
                best = more
            total = total * 3 + sum(best)
        return told(list(best)), total

    @compiled
    def truths(self, items: list[int]):
        if items:
            return 1 if not items[1:] else 2
        return 3 if not items else 4

    @compiled
    def found_in(self, items: list[int], a: int):
        return a in items, a not in items, items.count(a), told([a] * len(items)), a in items[1:]

    @compiled
    def the_first_place_of(self, items: list[int], a: int):
        return items.index(a)

    @compiled
    def taken_from_the_end(self, items: list[int]):
        kept, total = list(items), 0
        while kept:
            total = total * 5 + kept.pop()
        kept.append(3)
        kept.append(4)
        return total, kept.pop(0), told(kept), told(kept.copy())

    @compiled
    def taken_from_the_middle(self, items: list[int], a: int):
        kept = items[:]
        taken = kept.pop(a)
        return taken, told(kept), len(kept)

    @compiled
    def taken_from_nothing(self, a: int):
        nothing = [a]
        nothing.clear()
        return nothing.pop()

    @compiled
    def sorted_ones(self, items: list[int], a: int):
        kept = list(items)
        kept.sort()
        other = sorted(items, reverse=True)
        third = sorted(items, key=lambda x: x * a)
        kept.reverse()
        fourth = sorted(items, key=lambda x: x % 3, reverse=True)
        other.sort(key=lambda x: -x % 4)
        mixed = (
            told(sorted((a, 3, 1))),
            told(sorted([x / 2 for x in items])),
            told(sorted(x * a for x in items)),
        )
        return told(kept), told(other), told(third), told(fourth), mixed

    @compiled
    def sorted_with_a_random_key(self, items: list[int], rng: Rng):
        kept = sorted(items, key=lambda x: rng.below(100))
        kept.sort(key=lambda x: (rng.below(3), x), reverse=True)
        return told(kept), rng.below(100)

    @compiled
    def greatest_by_a_random_key(self, items: list[int], rng: Rng):
        some = [x for x in items if x > 0] or [1, 2]
        return max(some, key=lambda x: rng.random()), min(
            [rng.below(9) for _ in some], key=lambda x: rng.random()
        )

    @compiled
    def greatest_and_least(self, items: list[int], a: int):
        if not items:
            return 0, 0, 0, 0, 0
        return (
            max(items), min(items), max(items, key=lambda x: abs(x - a)), min(items, key=lambda x: (x % 3, -x)),
            max(x * a for x in items),
        )  # fmt: skip

    @compiled
    def greatest_of_nothing(self, items: list[int]):
        return max(items)

    @compiled
    def sums_and_truths(self, items: list[int], a: int):
        return (
            sum(items), sum(x > a for x in items), sum(1 for x in items if x > a), any(x == a for x in items),
            all(x > a for x in items), any(items), all(items), len([x for x in items if x]), any([]), all([]), sum([]),
        )  # fmt: skip

    @compiled
    def truths_of_lists_see_all_items(self, a: int, rng: Rng):
        return (
            any([rng.below(3) == 0 for _ in range(5)]),
            all(rng.below(3) > 0 for _ in range(5)),
            rng.below(100),
        )

    @compiled
    def comprehensions(self, items: list[int], a: int):
        squares = [x * x for x in items if x > a]
        pairs = [x * y for x in items[:3] for y in range(x) if y % 2 if x]
        halves = [x / 2 for x in items]
        deep = [sum(x * y for y in items) for x in items]
        places = told([i for i, x in enumerate(items) if x == a])
        return told(squares), told(pairs), told(halves), told(deep), places, told([a for _ in range(3)])

    @compiled
    def a_comprehensions_variable_is_its_own(self, a: int):
        x = 5
        items = [x * a for x in range(3)]
        return x, told(items), told([x for _ in range(2)]), sum(x for x in items)

    @compiled
    def of_fractions(self, a: float, b: int):
        items = [a, 0.5]
        items.append(b * 0.5)
        items[0] = b
        return (
            told(items),
            told(sorted(items)),
            max(items),
            0.5 in items,
            items.index(0.5),
            min(items, key=lambda x: -x),
        )

    @compiled
    def of_truths(self, a: int, b: int):
        items = [a > b, a == b]
        items.append(b > 0)
        return sum(items), any(items), all(items), items[1], True in items, items.count(True)

    @compiled
    def of_pairs(self, items: list[int], a: int):
        pairs = [(x, -x) for x in items]
        pairs.append((a, 1))
        pairs.sort()
        first, second = pairs[0]
        best = max(pairs, key=lambda pair: pair[1])
        return (
            len(pairs),
            first,
            second,
            best,
            (a, 1) in pairs,
            pairs.index((a, 1)),
            sum(x for x, _ in pairs),
            max(pairs),
        )

    @compiled
    def of_unlike_pairs(self, items: list[int], a: float):
        found = [(x * a, x, x > 1) for x in items]
        found.sort()
        if not found:
            return 0.0, 0, False
        return found[-1]

    @compiled
    def of_named_tuples(self, items: list[int]):
        spots = [Pair(x, i) for i, x in enumerate(items)]
        total = 0
        for spot in spots:
            total = total * 3 + spot.own - spot.other
        return total, sum(spot.other for spot in spots), len(spots)

    @compiled
    def repeated(self, a: int, b: int):
        counts = [0] * (abs(b) % 9)
        for i in range(len(counts)):
            counts[i] += i * a
        return told(counts), told([a, b] * 2), told([0.5] * 3), told([a] * (b % 40))

    @compiled
    def conditional_ones(self, items: list[int], a: int):
        chosen = [x for x in items if x > a] or [a]
        other = [a] if a > 2 else [x for x in items if x < a]
        return told(chosen), told(other), told(list(items) if a else [a, a]), len([1] if a else items[1:])

    @compiled
    def lists_are_made_of_other_things(self, items: list[int], a: int):
        return (
            told(list(range(5))), told(list(range(a, 10, 2))), told(list((a, 1))), told(list(items)),
            told(list(CORNERS)), told(list(reversed(items))), told(list(x + a for x in items)),
            told(list(reversed(range(4)))),
        )  # fmt: skip

    @compiled
    def a_list_that_grows_while_it_is_gone_over(self, a: int):
        queue = [1]
        for x in queue:
            if x < 15:
                queue.append(2 * x)
                queue.append(2 * x + a % 2)
        return queue

    @compiled
    def a_list_that_shrinks_while_it_is_gone_over(self, items: list[int]):
        kept, seen = list(items), 0
        for x in kept:
            seen = seen * 10 + x
            kept.pop()
        return told(kept), seen

    @compiled
    def a_list_made_of_itself(self, items: list[int]):
        cells = [1, 2]
        for _ in range(3):
            cells = [x + y for x in cells for y in (0, 1) if x < 5]
        kept = list(items)
        while len(kept) > 1:
            kept = kept[1:]
            kept = [x + 1 for x in kept]
        for _ in range(3):
            kept = self.twice(kept)
        for x in kept:
            kept = [x, x]
        return told(cells), told(kept)

    def twice(self, items):
        found = []
        for x in items[:4]:
            found.append(x)
            found.append(-x)
        return found

    @compiled
    def new_in_each_round(self, a: int):
        total = 0
        for i in range(4):
            items = []
            for j in range(i):
                items.append(j * a)
            more = [1]
            more.append(a)
            total = total * 7 + sum(items) + len(items) + sum(more)
        return total

    @compiled
    def given_to_methods_that_change_them(self, items: list[int], a: int, rng: Rng):
        kept = list(items)
        self.double(kept)
        rng.shuffle(kept)
        self.sort_from(kept, a)
        return told(kept), self.total(kept), self.total(items), self.total([a, a])

    def double(self, items):
        for i in range(len(items)):
            items[i] *= 2

    def sort_from(self, items, a):
        items.sort(key=lambda x: x * a)
        items.reverse()

    def total(self, items):
        found = 0
        for x in items:
            found += x
        return found

    @compiled
    def given_back_by_methods(self, items: list[int], a: int):
        one = self.chosen(items, a)
        other = self.chosen(items, 0)
        one.append(3)
        most = len(self.chosen(items, -5)), told(self.chosen(other, 1)), told(self.filled(a))
        return told(one), told(other), most, len(self.pairs(items)[-1:])

    def chosen(self, items, least):
        found = []
        for x in items:
            if x > least:
                found.append(x)
        return found

    def filled(self, a):
        if a < 0:
            return []
        return [a, a]

    def pairs(self, items):
        return [x for x in items if x > 100]

    @compiled
    def full_ones(self, a: int):
        return told(list(range(40))), told([a] * 40), told([x for x in range(40)]), sum(list(range(40)))

    @compiled
    def given_back_to_python(self, items: list[int], a: int):
        return [x + a for x in items]

    @compiled
    def pairs_given_back_to_python(self, items: list[int], a: float):
        return [(x, x > 1, x * a) for x in items]

    @compiled
    def truths_given_back_to_python(self, items: list[int]):
        return [x > 1 for x in items]

    @compiled
    def those_given_by_python_are_changed(self, items: list[int], a: int, rng: Rng):
        rng.shuffle(items)
        if items:
            items[0] = a
        if a == 2:
            raise ValueError("two")
        items.sort(reverse=True)

    @compiled
    def two_names_of_one_number(self, items: list[int]):
        total = 0
        for x in [y for y in items if y > 0]:
            for y in [x, x + 1]:
                total = total * 3 + y
        return total


@pytest.mark.parametrize(("cls", "name"), claims(Lists))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)
