"""Numbers at the edges of their types: compiled code gives and raises what plain Python does."""

from __future__ import annotations

import math

import pytest

from arena.compiler.program import CHECKED
from both_ways import Part, compiled
from edges import Small, branches, cases, differences
from tiers import tiers


class Ints(Part):
    @branches(12)
    def operators(self, which: int, a: int, b: int):
        if which == 0:
            return a // b
        if which == 1:
            return a % b
        if which == 2:
            return a >> b
        if which == 3:
            return a & b
        if which == 4:
            return a | b
        if which == 5:
            return a ^ b
        if which == 6:
            return a + b
        if which == 7:
            return a - b
        if which == 8:
            return a * b
        if which == 9:
            return min(a, b)
        if which == 10:
            return max(a, b)
        return (a > b) + (b > a) * 2

    @compiled
    def divided_with_the_rest(self, a: int, b: int):
        return divmod(a, b)

    @branches(9)
    def operators_on_one(self, which: int, a: int):
        if which == 0:
            return -a
        if which == 1:
            return ~a
        if which == 2:
            return abs(a)
        if which == 3:
            return a.bit_count()
        if which == 4:
            return a.bit_length()
        if which == 5:
            return a**2
        if which == 6:
            return a**3
        if which == 7:
            return round(a)
        return a // 8 + a % 8 + a // -7 + a % -7

    @branches(6)
    def shifted_left(self, which: int, a: int, n: Small):
        if which == 0:
            return a << n
        if which == 1:
            return 1 << n
        if which == 2:
            return (a > 0) << n
        if which == 3:
            return -1 << n
        if which == 4:
            return a >> n
        return -1 >> n

    @branches(6)
    def compared_with_floats(self, which: int, n: Small, x: float):
        if which == 0:
            return n < x
        if which == 1:
            return n == x
        if which == 2:
            return n >= x
        if which == 3:
            return min(n, x)
        if which == 4:
            return max(x, n)
        return n * x


class Floats(Part):
    @branches(8)
    def operators(self, which: int, x: float, y: float):
        if which == 0:
            return x + y
        if which == 1:
            return x - y
        if which == 2:
            return x * y
        if which == 3:
            return x / y
        if which == 4:
            return x // y
        if which == 5:
            return x % y
        if which == 6:
            return min(x, y)
        return max(x, y)

    @compiled
    def divided_with_the_rest(self, x: float, y: float):
        return divmod(x, y)

    @compiled
    def to_powers(self, x: float, y: float):
        if x < 0 and y % 1 != 0:  # which plain Python makes a complex number of
            return 0.0
        return x**y

    @branches(6)
    def to_known_powers(self, which: int, x: float):
        if which == 0:
            return x**2
        if which == 1:
            return x**-1
        if which == 2:
            return x**0
        if which == 3:
            return x**-3.0
        if which == 4:
            return 2.0**x
        return 0.0**x

    @branches(7)
    def compared(self, which: int, x: float, y: float):
        if which == 0:
            return x < y
        if which == 1:
            return x <= y
        if which == 2:
            return x == y
        if which == 3:
            return x != y
        if which == 4:
            return x > y >= 0.5
        if which == 5:
            return (x or 3.0) if y else (y and x)
        return not x

    @branches(6)
    def to_whole_numbers(self, which: int, x: float):
        if which == 0:
            return int(x)
        if which == 1:
            return round(x)
        if which == 2:
            return math.floor(x)
        if which == 3:
            return math.ceil(x)
        if which == 4:
            return math.trunc(x)
        return int(x / 3)

    @branches(6)
    def parts(self, which: int, x: float, y: float):
        if which == 0:
            return math.copysign(x, y)
        if which == 1:
            return math.nextafter(x, y)
        if which == 2:
            return math.pow(x, y)
        if which == 3:
            return math.atan2(x, y)
        if which == 4:
            return abs(x) - math.fabs(y)
        return float(math.isnan(x)) + 2 * math.isinf(y) + 4 * math.isfinite(x)

    @branches(16)
    def functions(self, which: int, x: float):
        if which == 0:
            return math.sqrt(x)
        if which == 1:
            return math.exp(x)
        if which == 2:
            return math.expm1(x)
        if which == 3:
            return math.log(x)
        if which == 4:
            return math.log2(x)
        if which == 5:
            return math.log10(x)
        if which == 6:
            return math.log1p(x)
        if which == 7:
            return math.sin(x)
        if which == 8:
            return math.cos(x)
        if which == 9:
            return math.tan(x)
        if which == 10:
            return math.asin(x)
        if which == 11:
            return math.acos(x)
        if which == 12:
            return math.atan(x)
        if which == 13:
            return math.sinh(x)
        if which == 14:
            return math.cosh(x)
        return math.tanh(x)

    @branches(6)
    def functions_of_ints(self, which: int, a: int):
        if which == 0:
            return math.sqrt(a)
        if which == 1:
            return math.log(a)
        if which == 2:
            return math.log2(a)
        if which == 3:
            return math.log10(a)
        if which == 4:
            return math.exp(a)
        return float(a)

    @branches(4)
    def least_of_several(self, which: int, x: float, y: float):
        if which == 0:
            return min([x, y, 1.0])
        if which == 1:
            return max((x, y, -1.0))
        if which == 2:
            return max([1.0, x, y], key=lambda z: -z)
        return min(x, 0.5, y)


@pytest.mark.skipif(CHECKED, reason="overflow raises, where plain Python goes on")
@pytest.mark.parametrize(("cls", "name"), tiers(cases(Ints, Floats), quick=[(Floats, "to_powers")]))
def test_compiled_code_does_what_plain_python_does(cls, name):
    assert not differences(cls, name, 1)[:5]
