"""Numbers and conditions: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import math

import pytest

from arena import Rng
from arena.api.words import lowest, popcount
from both_ways import Part, both_cases, claims, compiled
from language import CORNERS, FAR

pytestmark = pytest.mark.filterwarnings("ignore:Bitwise inversion")  # of a bool, which Python is to lose

LIMIT = 6


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
    def degrees_and_radians(self, a: float):
        return math.degrees(a), math.radians(a), math.degrees(a * 1e300)

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


@pytest.mark.parametrize(("cls", "name"), claims(Numbers, Choices))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)
