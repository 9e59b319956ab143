"""The language that compiles: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from arena import Rng
from arena.api.bits import bits, lowest, popcount
from arena.rng import derive, hash_move, hash_state, mix
from both_ways import Part, both, claims, compiled, given

pytestmark = pytest.mark.filterwarnings("ignore:Bitwise inversion")  # of a bool, which Python is to lose

CORNERS = (0, 2, 6, 8)
FAR = tuple(range(0, 90, 3))
WEIGHTS = np.array([0.5, -1.5, 2.0])
GRID = np.arange(12).reshape(3, 4)
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
HALF, LIMIT = 0.5, 6


def told(items):
    """A number that tells one list from another."""
    total = len(items)
    for x in items:
        total = (total * 31 + x) % 1000003
    return total


class Numbers(Part):
    """Reckoning."""

    @compiled
    def sums_and_products(self, a: int, b: int):
        return a + b, a - b, a * b, -a, +b, a * 3 - b * -2

    @compiled
    def quotients_are_rounded_down(self, a: int, b: int):
        return a // b, a % b, divmod(a, b)

    @compiled
    def quotients_by_constants(self, a: int, b: bool):
        return a // 4, a % 4, a // 7, a % 7, a // -3, a % -3, a // -1, a % -1, a // 1, a % 1, a // -4, a % -4

    @compiled
    def quotients_of_constants(self, b: int):
        return 17 // b, 17 % b, -17 // b, -17 % b, 17 / b

    @compiled
    def fractions(self, a: float, b: float):
        return a + b, a - b, a * b, a / b, -a

    @compiled
    def quotients_of_fractions(self, a: float, b: float):
        return a // b, a % b, divmod(a, b)

    @compiled
    def mixed(self, a: int, b: float):
        return a + b, a * b - 1, a // b, a % b, b / a, a < b, a == b, a >= b

    @compiled
    def true_division_gives_a_fraction(self, a: int, b: int):
        return a / b

    @compiled
    def bit_operations(self, a: int, b: int):
        return a & b, a | b, a ^ b, ~a, a & -a, a & 15, a | 1 << 40

    @compiled
    def shifts(self, a: int):
        x = a
        for n in range(5):
            x = x << n
        return x, x >> 3, a >> 1, a >> 63, a >> 70, a << 40, (a << 40) >> 38, a >> abs(a), 3 << (a & 15)

    @compiled
    def powers(self, a: int, b: float):
        return a**2, a**3, a**0, b**2, b**3, 2**10, 2.0**a

    @compiled
    def fractions_to_powers(self, a: float):
        return abs(a) ** 0.5, abs(a) ** a if abs(a) < 9 else 0.0, pow(abs(a), 1.5)

    @compiled
    def whole_numbers_of_fractions(self, a: float):
        return (
            int(a),
            round(a),
            math.floor(a),
            math.ceil(a),
            math.trunc(a),
            abs(a),
            float(int(a)),
            round(a * 2),
        )

    @compiled
    def halves_are_rounded_to_even(self, a: int):
        return round(a / 2), round(a + 0.5), round(-a / 2)

    @compiled
    def conversions(self, a: int, b: bool):
        return int(a), float(a), bool(a), int(b), float(b), bool(b), abs(a), abs(b), round(a), math.floor(a)

    @compiled
    def truths_as_numbers(self, a: int, b: int):
        return (a < b) + (a > 0), (a < b) * 5, -(a < b), True + a, (a > 0) << 2, ~(a > 0), (a > 0) == (b > 0)

    @compiled
    def truths_by_bit_operations(self, a: int, b: int):
        return (a > 0) & (b > 0), (a > 0) | (b > 0), (a > 0) ^ (b > 0), (a > 0) & b, not a

    @compiled
    def bits_are_counted(self, a: int):
        return a.bit_count(), a.bit_length(), popcount(abs(a)), lowest(a * a + 1), (a > 0).bit_length()

    @compiled
    def roots_and_angles(self, a: float):
        x = abs(a) % 10
        return (
            math.sqrt(x),
            math.exp(-x),
            math.sin(a),
            math.cos(a),
            math.atan2(a, 2.0),
            math.tanh(a),
            math.fabs(a),
        )

    @compiled
    def logarithms(self, a: int):
        x = abs(a) + 1
        return math.log(x), math.log2(x), math.log10(x), math.log1p(x), math.expm1(-x), math.pow(x, 0.5)

    @compiled
    def mathematics_may_fail(self, a: float):
        return math.sqrt(a), math.log(a)

    @compiled
    def numbers_that_are_none(self, a: float):
        odd = math.inf - math.inf
        far = a * math.inf
        return (
            math.isnan(odd),
            math.isnan(far),
            math.isinf(far),
            math.isfinite(a),
            far > 1,
            odd == odd,
            odd != odd,
        )

    @compiled
    def neighbours_of_fractions(self, a: float):
        return math.nextafter(a, math.inf), math.nextafter(a, -math.inf), math.copysign(a, -1.0)

    @compiled
    def least_and_greatest(self, a: int, b: int):
        return min(a, b), max(a, b), min(a, b, 0), max(a, 2, b), min(a / 2, b), max(0.5, a)

    @compiled
    def constants_are_reckoned_with_at_once(self, a: int):
        return (
            a + 2**40,
            a - (7 // 2) * -(2**3),
            a * (1 << 5 | 3),
            a * 0.1**2,
            a + int("a" < "b"),
            a + len("four"),
        )

    @compiled
    def the_largest_numbers(self, a: int):
        low, high = -9223372036854775808, 2**63 - 1
        return (
            low,
            high,
            high - abs(a),
            low + abs(a),
            (high if a > 0 else low) // 2,
            low // 7,
            high % 1000,
            low % -1000,
        )


class Choices(Part):
    """Conditions, and what they choose."""

    @compiled
    def comparisons(self, a: int, b: int):
        return a < b, a <= b, a > b, a >= b, a == b, a != b

    @compiled
    def comparisons_in_chains(self, a: int, b: int):
        return 0 < a < b, a < b > 2, -3 <= a <= 3 != b, a == b == 1, 0 <= a < LIMIT

    @compiled
    def a_chain_reckons_each_part_once(self, a: int, rng: Rng):
        return 2 < rng.below(9) < 7, a < rng.below(5) <= rng.below(9) < rng.below(12)

    @compiled
    def and_or_give_values(self, a: int, b: int):
        return a and b, a or b, (a and b) or 7, (a or b) and 5, not a or b, a and b and 3, a > 1 or b > 1

    @compiled
    def and_or_of_fractions(self, a: float, b: int):
        return a and b, a or b, b or a, b and a, a or 0.5

    @compiled
    def and_or_stop_early(self, a: int, rng: Rng):
        hit = a > 2 and rng.below(3) == 0
        miss = a > 0 or rng.below(2) or rng.below(3) > 0
        if (a > 1 and rng.random() < 0.5) or (a == 0 and rng.below(2) == 0):
            return 1, hit, miss
        return 0, hit, miss

    @compiled
    def conditional_values(self, a: int, b: int):
        c = 1 if a > b else 2 if a == b else 3
        return c, a if a else b, (a, b) if a > 0 else (b, a), 0.5 if b else a

    @compiled
    def branches(self, a: int, b: int):
        if a > b:
            c = 1
        elif a == b:
            c = 2
            if b > 2:
                c += 5
        else:
            c = 3
        if not (a and b):
            c = -c
        return c

    @compiled
    def conditions_known_beforehand(self, a: int):
        if self.deep and a > 1:
            return 1
        if not self.deep or a == 1:
            return 2
        if self.mode == "slow" and self.nothing is None:
            return 3
        return 4

    @compiled
    def what_is_none_is_not_asked(self, a: int):
        if self.nothing is not None and self.nothing.worth > a:
            return 1
        if self.part is not None and self.part.worth > a:
            return 2
        if self.nothing is None or self.nothing.worth > a:
            return 3
        return 4

    @compiled
    def parts_are_true(self, a: int):
        return bool(self.part), bool(self.nothing), 1 if self.part else 2, 1 if self.nothing and a else 2

    @compiled
    def assignments_within_expressions(self, a: int, b: int):
        if (c := a + b) > 3 and (d := c * 2) < 20:
            return c, d
        total = 0
        while (b := b - 1) > 0:
            total += b
        return total, b

    @compiled
    def is_in(self, a: int, b: int):
        return (
            a in (1, 3, b),
            a not in (b, 5),
            a in CORNERS,
            a in FAR,
            (a, b) in ((1, 2), (3, b)),
            b in (a, a),
        )

    def prepare(self):
        self.deep = True
        self.mode = "slow"
        self.nothing = None
        self.part = Worth()


class Worth(Part):
    def prepare(self):
        self.worth = 3


class Pair(NamedTuple):
    own: int
    other: int


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


class Loops(Part):
    """While and for."""

    @compiled
    def ranges(self, a: int, b: int):
        total = 0
        for i in range(a, b):
            total = total * 7 + i & 0xFFFFFF
        for i in range(b):
            total += i
        for i in range(a, 20, 3):
            total = total * 5 - i & 0xFFFFFF
        for i in range(b, -9, -2):
            total = total * 3 + i & 0xFFFFFF
        return total

    @compiled
    def ranges_backwards(self, a: int, b: int):
        total = 0
        for i in reversed(range(a & 15)):
            total = total * 7 + i & 0xFFFFFF
        for i in reversed(range(a, b)):
            total = total * 7 + i & 0xFFFFFF
        return total

    @compiled
    def the_variable_belongs_to_the_body(self, a: int):
        total = 0
        for i in range(5):
            total += i
            i += a
            total += i
        return total, i

    @compiled
    def bounds_are_reckoned_once(self, a: int):
        n, total = a & 7, 0
        for i in range(n):
            n += 1
            total += i * n
        return total, n

    @compiled
    def breaks_and_else(self, a: int, b: int):
        for i in range(a & 7):
            if i == b:
                found = i
                break
            if i == 2:
                continue
        else:
            found = -1
        n = 0
        while n < 10:
            n += 1
            if n == b:
                break
            if n % 3:
                continue
            found += n
        else:
            found += 100
        return found, n

    @compiled
    def loops_in_loops(self, a: int, b: int):
        total = 0
        for i in range(a & 7):
            for j in range(b & 7):
                if j > i:
                    break
                if (i + j) % 3 == 0:
                    continue
                total += i * j
            else:
                total += 100
                continue
            total -= 1
        return total

    @compiled
    def endless_loops_are_left(self, a: int):
        n = abs(a) + 1
        steps = 0
        while True:
            if n == 1:
                return steps
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1

    @compiled
    def loops_that_end_by_break(self, a: int):
        n = 0
        while 1:
            n += 1
            if n * n > abs(a):
                found = n
                break
        return found

    @compiled
    def a_variable_that_is_set_later(self, a: int):
        total = 0
        for i in range(4):
            if i > 0:
                total += before
            before = i * a
        return total

    @compiled
    def a_variable_that_may_not_be_set(self, a: int):
        if a > 2:
            found = a
        for x in range(a):
            pass
        return found + x

    @compiled
    def a_choice_within_what_is_yielded(self, a: int):
        for i in range(a & 3):
            found = i
        return 1 if a & 3 == 0 else found

    @compiled
    def pairs_and_numbers(self, items: list[int], a: int):
        total = 0
        for i, x in enumerate(items):
            total = total * 3 + i * x
        for i, x in enumerate(items, 1):
            total = total * 3 + i * x
        for i, x in enumerate(items, start=a):
            total = total * 3 + i * x
        for x, y in zip(items, CORNERS):  # noqa: B905
            total += x * y
        for x, y, z in zip(items, items, (3, 2, 1), strict=False):
            total = total * 2 + x * y - z
        for i, (x, y) in enumerate(zip(items, items[1:], strict=False)):
            total += i * (x - y)
        return total

    @compiled
    def pairs_of_equally_many(self, items: list[int]):
        total = 0
        for x, y in zip(items, (3, 2), strict=True):
            total += x * y
        return total

    @compiled
    def numbers_change_their_kind(self, a: int):
        x = 0
        for i in range(abs(a) % 5):
            x = x / 2 + i
        y = a > 2
        if a > 1:
            y = 7
        return x, y

    @compiled
    def deep_ones(self, a: int):
        n = 0
        for i in range(3):
            j = 0
            while j < 3:
                j += 1
                for k in (1, 2, 3):
                    if k == i:
                        continue
                    if k + j == a:
                        break
                    n += k
                else:
                    n += 50
                if n > 300:
                    return n, i
        return n, -1


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


class Arrays(Part):
    """Arrays among the attributes."""

    def prepare(self):
        self.counts = np.arange(6)
        self.values = np.linspace(-1, 1, 5)
        self.board = np.arange(12).reshape(3, 4)
        self.cube = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
        self.flags = np.zeros(8, bool)
        self.small = np.arange(-3, 5, dtype=np.int8)
        self.bytes = np.arange(250, 256, dtype=np.uint8)
        self.shorts = np.arange(-2, 4, dtype=np.int16)
        self.words = np.array([0, 65535, 7], np.uint16)
        self.ints = np.array([-(2**31), 2**31 - 1, 5], np.int32)
        self.wide = np.array([0, 2**32 - 1, 9], np.uint32)
        self.singles = np.array([0.1, -2.5, 3e10], np.float32)

    @compiled
    def elements(self, a: int):
        self.counts[a % 6] += a
        self.values[a % 5] = a / 3
        self.values[-1] *= 2
        return (
            self.counts[-1],
            self.values[a % 5],
            self.counts[-(a % 6) - 1],
            len(self.counts),
            self.values[0] < 0,
        )

    @compiled
    def of_all_kinds(self, a: int):
        i = a % 3
        self.small[i] += 5
        self.bytes[i] -= 5
        self.shorts[i] *= -7
        self.words[i] = 60000
        self.ints[i] //= 2
        self.wide[i] >>= 1
        self.singles[i] += 0.1
        self.flags[i] = a > 2
        self.flags[i + 3] = True
        return (
            self.small[i], self.bytes[i], self.shorts[i], self.words[i], self.ints[i], self.wide[i], self.singles[i],
            self.flags[i], self.bytes[5] + 1, self.small[0] - 1, self.wide[1] + 1, self.singles[0] == 0.1,
        )  # fmt: skip

    @compiled
    def a_whole_number_in_an_array_of_fractions(self, a: int):
        self.values[0] = a
        self.singles[1] = a > 2
        self.counts[1] = a > 2
        return self.values[0] / 2, self.singles[1], self.counts[1]

    @compiled
    def in_two_dimensions(self, a: int, b: int):
        self.board[a % 3, b % 4] -= 7
        self.board[-1, -1] = a
        row = self.board[a % 3]
        row[0] += b
        return (
            self.board[b % 3, a % 4],
            self.board[1][2],
            row[1],
            len(self.board),
            len(row),
            sum(row),
            max(self.board[2]),
        )

    @compiled
    def in_three_dimensions(self, a: int):
        i = a % 2
        self.cube[i, a % 3, a % 4] = -1.0
        plane = self.cube[1 - i]
        plane[2, 3] += 0.5
        row = self.cube[i, 1]
        row[:] = 4
        self.cube[i][2][a % 4] = 8
        total = 0.0
        for line in plane:
            for x in line:
                total += x
        return total, len(self.cube[0]), len(self.cube[0, 0]), self.cube[-1, -1, -1], row[3]

    @compiled
    def filled(self, a: int):
        self.counts[:] = a
        self.counts[1:3] = 7
        self.values.fill(0.5)
        self.flags[a % 4 :] = True
        self.board[1] = a
        self.board[2][1:] = 3
        self.cube[0, 1][:] = 2
        self.counts[-2:] = 1
        return sum(self.counts)

    @compiled
    def copied(self, a: int):
        self.board[0] = self.board[2]
        self.counts[1:] = self.counts[:-1]
        self.counts[:2] = (a, 5)
        self.board[1][:] = self.board[a % 3]
        self.values[:2] = self.values[3:]
        return self.board[1, 1]

    @compiled
    def cut(self, a: int):
        part = self.counts[1:4]
        part[0] = a
        rows = self.board[1:]
        rows[0, 0] = a
        none = self.counts[4:2]
        return (
            len(part),
            sum(part),
            self.counts[1],
            len(rows),
            rows[-1, -1],
            len(none),
            len(self.counts[a:]),
            max(part),
        )

    @compiled
    def gone_over(self, a: int):
        total = 0
        for i, x in enumerate(self.counts):
            total += i * x
            self.counts[5] = a
        for row in self.board:
            total = total * 3 + row[1]
        for x, y in zip(self.counts, self.board[1], strict=False):
            total += x * y
        best = 0.0
        for x in self.values:
            if x > best:
                best = x
        return (
            total,
            best,
            told([x for x in self.counts if x > 2]),
            sum(x > 0 for x in self.values),
            any(self.flags),
        )

    @compiled
    def found_in(self, a: int):
        self.counts[2] = a
        self.small[1] = 3
        return (
            a in self.counts,
            3 in self.small,
            True in self.flags,
            0.5 in self.values,
            max(self.counts),
            min(self.values),
        )

    @compiled
    def changed_and_looked_for(self, a: int):
        found = 0
        for i in range(6):
            self.counts[i] = a + i
            if a + i in self.counts:
                found += 1
            self.counts[i] = -100
        return found

    @compiled
    def sorted_ones(self, a: int):
        self.counts[0] = a
        return told(sorted(self.counts)), told(sorted(self.values, reverse=True)), told(list(self.counts))

    @compiled
    def local_names(self, a: int):
        counts = self.counts
        total = 0
        for i in range(len(counts)):
            counts[i] += a
            total += self.counts[i]
        row = self.board[0] if a > 0 else self.board[1]
        return total, row[0]

    @compiled
    def given_to_methods(self, a: int):
        self.shift(self.counts, a)
        self.shift(self.board[1], 2)
        return self.norm(self.values), self.norm(self.cube[0, 1])

    def shift(self, numbers, by):
        for i in range(len(numbers)):
            numbers[i] += by

    def norm(self, numbers) -> float:
        total = 0.0
        for x in numbers:
            total += x * x
        return math.sqrt(total)

    @compiled
    def of_the_module(self, a: int):
        total = 0.0
        for weight in WEIGHTS:
            total += weight * a
        return total, WEIGHTS[a % 3], GRID[a % 3, 1], GRID[1][a % 4], len(GRID), WEIGHTS[-1]


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


class AnyKey(Chain):
    pass


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


class Raised(Exception):
    """An author's own."""


class Errors(Part):
    """What is raised: its class, and its text up to the place."""

    def prepare(self):
        self.steps = 0
        self.never = False

    @compiled
    def raised(self, a: int):
        self.steps += 1
        if a == 1:
            raise ValueError("one is not it")
        if a == 2:
            raise Raised("two")
        if a == 3:
            raise NotImplementedError
        if a == 5:
            raise IndexError()
        self.steps += 1
        return self.checked(a)

    def checked(self, a):
        self.steps += 10
        if a < -3:
            raise KeyError("low")
        assert a != 8, "eight is too many"
        self.steps += 10
        return a

    @compiled
    def divided_by_nothing(self, a: int, b: int):
        return a // (b - b % 3), b % a

    @compiled
    def fractions_divided_by_nothing(self, a: float, b: float):
        self.steps = 1
        return a / b, a // b, a % b

    @compiled
    def in_generators(self, a: int):
        total = 0
        for x in self.numbers(a):
            total += x
            self.steps = total
        return total

    def numbers(self, a):
        yield 1
        if a > 2:
            raise Raised("beyond")
        yield a

    @compiled
    def not_set_in_what_is_false_anyway(self, a: int):
        if a > 3:
            late = a
        if (not late) and (self.never and late):
            self.steps = 7
        self.steps = 5
        if 0 < soon < 1 > 2 and a < 3:
            self.steps = 7
        soon = a
        return late

    @compiled
    def nothing_to_the_power_of_less(self, a: float):
        return abs(a) ** -1.5


class Randoms(Part):
    """Random numbers."""

    @compiled
    def drawn(self, a: int, rng: Rng):
        return rng.below(10), rng.random(), rng.below(abs(a) + 1), rng.random() < 0.5, rng.bits() > 0

    @compiled
    def chosen(self, items: list[int], rng: Rng):
        if not items:
            return 0, 0
        return rng.choice(items), rng.choice(CORNERS)

    @compiled
    def shuffled(self, items: list[int], rng: Rng):
        kept = list(items)
        rng.shuffle(kept)
        rng.shuffle(kept)
        return told(kept)

    @compiled
    def sampled(self, items: list[int], rng: Rng):
        return told(rng.sample(items, len(items))), told(rng.sample(items, len(items) // 2)), rng.below(1000)

    @compiled
    def sampled_too_many(self, items: list[int], rng: Rng):
        return told(rng.sample(items, 3))

    @compiled
    def restarted(self, a: int, rng: Rng):
        first = rng.random()
        rng.restart(abs(a))
        second = rng.random()
        rng.restart(derive(abs(a), 1, 2))
        return first, second, rng.random()

    @compiled
    def given_on(self, a: int, rng: Rng):
        return self.roll(rng) + self.roll(rng), rng.below(6), told([rng.below(4) for _ in range(abs(a) % 5)])

    def roll(self, rng):
        return rng.below(6) + 1

    @compiled
    def hashed(self, a: int, b: int):
        return (
            mix(abs(a)),
            hash_state((a, b)),
            hash_state((a, b, a > b)),
            hash_move(abs(a)),
            derive(abs(a), abs(b), 7),
        )

    @compiled
    def hashed_positions(self, state: State):
        return hash_state(state), hash_state(self.game.initial())


class Given(Part):
    """Generators of components."""

    def prepare(self):
        self.limit = 5
        self.seen = np.zeros(9, np.int64)

    def up_to(self, n):
        for i in range(n):
            if i == self.limit:
                return
            yield i

    @compiled
    def one_yield(self, a: int):
        total = 0
        for i in self.up_to(a & 15):
            if i == 4:
                self.limit = a
            total = total * 3 + i
        return total, sum(self.up_to(3)), told(list(self.up_to(4))), sorted(self.up_to(9)).count(2)

    @compiled
    def left_early(self, a: int):
        found = -1
        for i in self.marked(9):
            if i == a:
                found = i
                break
            if i == 6:
                return found
        else:
            found = 100
        return found * 2 + any(i > 3 for i in self.marked(a & 7))

    def marked(self, n):
        for i in range(n):
            self.seen[i] += 1
            yield i
            self.seen[i] += 10

    @compiled
    def several_yields(self, a: int):
        total = 0
        for x in self.around(a):
            total = total * 3 + x
            self.limit += 1
        for x in self.around(1):
            if x == a:
                break
            if x == 2:
                continue
            total += 100
        return total

    def around(self, a):
        yield self.limit
        if a > 2:
            yield a + self.limit
            return
        for x in (a, self.limit):
            yield x
        yield self.limit * 2

    @compiled
    def within_each_other(self, a: int):
        total = 0
        for x in self.up_to(3):
            for y in self.up_to(x):
                for z in self.outer(y):
                    total = total * 2 + x + y * z + a
        return total

    def outer(self, n):
        yield n
        yield from self.up_to(n + 1)
        yield from (7, 8)

    @compiled
    def constants_given_to_them(self, a: int):
        total = 0
        for x in self.down_from(3):
            total = total * 10 + x
        for n in (2, 4):
            for x in self.down_from(n):
                total = total * 10 + x
        return total

    def down_from(self, n):
        while n > 0:
            yield n
            n -= 1

    @compiled
    def with_random_numbers(self, rng: Rng):
        total = 0
        for x in self.rolls(3, rng):
            total = total * 10 + x + rng.below(5)
        for x in two_rolls(rng):
            total = total * 10 + x + rng.below(5)
            if x > 2:
                break
        return total

    def rolls(self, n, rng):
        for _ in range(n):
            yield rng.below(6)

    @compiled
    def of_pairs(self, a: int):
        total = 0
        for i, (x, y) in enumerate(self.steps(a & 3)):
            total = total * 5 + i * x - y
        return total, len(list(self.steps(3))), sum(x * y for x, y in self.steps(4))

    def steps(self, n):
        for i in range(n):
            yield i, n - i

    @compiled
    def functions_of_the_module(self, a: int):
        total = 0
        for bit in bits(abs(a)):
            total = total * 7 + bit
        return total, told(list(bits(abs(a)))), sum(bits(abs(a))), told([b for b in bits(abs(a)) if b > 1])

    @compiled
    def the_game_s(self, state: State):
        total = 0
        for move in self.game.moves(state):
            total = total * 5 + move + len(self.game.moves(self.game.play(state, move)))
        moves = self.game.moves(state)
        return (
            total,
            told(moves),
            len(moves),
            self.game.to_move(state),
            self.game.value(state),
            self.game.max_moves,
        )

    @compiled
    def a_comprehension_is_made_before_its_loop(self, a: int):
        total = 0
        for x in [self.seen[i] + i for i in range(4)]:
            total = total * 5 + x
            self.seen[3] += a
        for x in (self.seen[i] for i in range(4)):
            total += x
            self.seen[3] += 1
        return total


def two_rolls(rng):
    yield rng.below(6)
    yield rng.below(6)


@pytest.mark.parametrize(
    ("cls", "name"),
    claims(Numbers, Choices, Tuples, Loops, Lists, Arrays, Methods, Errors, Randoms, Given),
)
def test_compiled_code_does_what_plain_python_does(cls, name):
    cases = list(given(cls, name))
    for args in cases[:: max(1, len(cases) // 60)]:
        both(cls, name, *args)
