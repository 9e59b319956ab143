"""Values at the edges of types: compiled code gives, raises, draws and leaves what plain Python does.

Each method is called with all combinations of its values. `which` numbers its branches, so that one compilation
serves many operations. Not compared is what plain Python computes with ints of more than 64 bits.
"""

from __future__ import annotations

import itertools
import math
import threading
import warnings
from inspect import signature

import numpy as np
import pytest

import arena
from arena import Agent, Rng
from arena.compiler import plainly
from arena.compiler.program import CHECKED
from arena.rng import derive, hash_move, hash_state, mix
from both_ways import GROUND, Ground, Part, both, compiled, compiles, outcome, same, unlike
from tiers import slow, tiers

EDGES = [-(2**63), -(2**63) + 1, -(2**62), -(2**32), -(2**31) - 1, -(2**31), -(2**15) - 1, -129, -128, -65, -64,
         -63, -17, -5, -3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 8, 31, 39, 40, 41, 63, 64, 65, 127, 128, 255, 256, 1000,
         2**15, 2**16 - 1, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1]  # fmt: skip
FLOATS = [math.nan, math.inf, -math.inf, -0.0, 0.0, 0.5, 1.0, -1.0, 1.5, 2.5, -0.5, -2.5, 3.0, -7.25, 5e-324, 1e-310,
          -1e-310, 1e-160, 1e154, 1e308, -1e308, 9.3e18, -9.3e18, 3.5e38, 2.0**53, 1e22, 709.9, 0.1]  # fmt: skip
POOLS = {
    "which": lambda cls, name: range(getattr(cls, name).plain.branches),
    "int": lambda *_: EDGES,
    "Small": lambda *_: [-41, -5, -3, -2, -1, 0, 1, 2, 3, 4, 5, 39, 40, 41],
    "float": lambda *_: FLOATS,
    "bool": lambda *_: [False, True],
    "Rng": lambda *_: [7],
}
Small = int  # an int that is about as large as a list may be long


def branches(n):
    """Mark a method whose `which` goes from 0 up to `n`."""

    def marked(method):
        method.branches = n
        return compiled(method)

    return marked


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


class Arrays(Part):
    def prepare(self):
        self.i8, self.u8 = np.zeros(4, np.int8), np.zeros(4, np.uint8)
        self.i16, self.u16 = np.zeros(4, np.int16), np.zeros(4, np.uint16)
        self.i32, self.u32 = np.zeros(4, np.int32), np.zeros(4, np.uint32)
        self.i64, self.truths = np.zeros(4, np.int64), np.zeros(4, bool)
        self.f32, self.f64 = np.zeros(4, np.float32), np.zeros(4)
        self.bytes, self.grid = np.zeros((3, 4), np.uint8), np.zeros((3, 4), np.int32)
        self.none = np.zeros(0, np.int64)

    @branches(10)
    def set_to_ints(self, which: int, a: int):
        if which == 0:
            self.i8[0] = a
        elif which == 1:
            self.u8[1] = a
        elif which == 2:
            self.i16[2] = a
        elif which == 3:
            self.u16[-1] = a
        elif which == 4:
            self.i32[0] = a
        elif which == 5:
            self.u32[0] = a
        elif which == 6:
            self.i64[0] = a
        elif which == 7:
            self.truths[0] = a
        elif which == 8:
            self.f32[0] = a
        else:
            self.f64[0] = a
        return self.i8[0] + self.u8[1] + self.i16[2] + self.u16[3] + self.i32[0] + self.u32[0], self.f32[0]

    @branches(3)
    def set_to_floats(self, which: int, x: float):
        if which == 0:
            self.f32[0] = x
        elif which == 1:
            self.f64[0] = x
        else:
            self.truths[0] = bool(x)
        return self.f32[0], self.f64[0], self.truths[0], self.f32[0] * 1.1, self.f32[0] == x

    @branches(10)
    def set_to_bools(self, which: int, a: bool):
        if which == 0:
            self.i8[0] = a
        elif which == 1:
            self.u8[0] = a
        elif which == 2:
            self.i16[0] = a
        elif which == 3:
            self.u16[0] = a
        elif which == 4:
            self.i32[:2] = a
        elif which == 5:
            self.u32[0] = a
        elif which == 6:
            self.i64.fill(a)
        elif which == 7:
            self.truths[0] = a
        elif which == 8:
            self.f32[0] = a
        else:
            self.f64[0] = a
        return self.i8[0] + self.u8[0] + self.i16[0] + self.u16[0] + self.i32[1] + self.u32[0] + self.i64[3]

    @branches(10)
    def changed_in_place(self, which: int, a: int, b: int):
        self.u8[1], self.i16[1], self.i8[1], self.u32[1] = 250, -32000, 100, 4000000000
        if which == 0:
            self.u8[1] += a
        elif which == 1:
            self.u8[1] -= a
        elif which == 2:
            self.i16[1] *= a >> 16
        elif which == 3:
            self.i8[1] //= a
        elif which == 4:
            self.i8[1] %= a
        elif which == 5:
            self.u32[1] >>= a
        elif which == 6:
            self.u8[1] |= a
        elif which == 7:
            self.i8[1] &= a
        elif which == 8:
            self.u32[1] ^= a
        else:
            self.u8[b] += a
        return self.u8[1] + self.i16[1] + self.i8[1] + self.u32[1]

    @branches(9)
    def filled(self, which: int, a: int):
        if which == 0:
            self.u8[:] = a
        elif which == 1:
            self.i8[1:3] = a
        elif which == 2:
            self.u16[2:2] = a
        elif which == 3:
            self.i16.fill(a)
        elif which == 4:
            self.bytes[1] = a
        elif which == 5:
            self.bytes[:] = a
        elif which == 6:
            self.u8[:2] = (5, a)
        elif which == 7:
            self.grid[0:2] = a
        else:
            self.i8[:] = (a,)
        return sum(self.u8) + sum(self.i8)

    @branches(5)
    def sliced(self, which: int, i: Small, j: Small):
        if which == 0:
            return len(self.i64[i:j])
        if which == 1:
            return len(self.grid[i:]) * 10 + len(self.grid[:j])
        if which == 2:
            self.i64[i:j] = 7
            return sum(self.i64)
        if which == 3:
            return len(self.i64[i:][:j])
        return self.i64[i:j][j]

    @branches(4)
    def sliced_far(self, which: int, a: int, b: int):
        if which == 0:
            return len(self.i64[a:b])
        if which == 1:
            return len(self.grid[a:]) * 10 + len(self.grid[:b])
        if which == 2:
            return len(self.none[a:b])
        return len([1, 2, 3][a:b])

    @branches(6)
    def items(self, which: int, a: int, b: int):
        if which == 0:
            return self.i64[a]
        if which == 1:
            return self.grid[a, b]
        if which == 2:
            return self.grid[a][b]
        if which == 3:
            return self.none[a]
        if which == 4:
            self.i32[a] = 3
            return sum(self.i32)
        return (3, 1, 4, 1, 5)[a]

    @branches(6)
    def looked_for(self, which: int, x: float, a: int):
        self.f32[0], self.f64[1] = 0.1, 0.1
        self.u8[2], self.truths[1] = 255, True
        if which == 0:
            return x in self.f32
        if which == 1:
            return x in self.f64
        if which == 2:
            return a in self.u8
        if which == 3:
            return a in self.truths
        if which == 4:
            return a in self.f32
        return x in self.u8

    @compiled
    def copied(self, i: Small, j: Small):
        self.i64[:] = (1, 2, 3, 4)
        source = self.i64[j:]
        if len(source) != 1:  # which numpy stretches
            self.i64[i:j] = source
        return len(source)


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


class Deep(Part):
    @compiled
    def straight(self, n: int):
        return self.down(n)

    def down(self, n) -> int:
        return 0 if n <= 0 else 1 + self.down(n - 1)

    @compiled
    def in_turns(self, n: int):
        return self.even(n)

    def even(self, n) -> int:
        items = [1, 2, 3, 4]
        return items[0] if n <= 0 else self.odd(n - 1) + items[n % 4]

    def odd(self, n) -> int:
        return 0 if n <= 0 else self.even(n - 1)

    @compiled
    def with_lists(self, n: int):
        return len(self.grown(n))

    def grown(self, n):
        if n <= 0:
            return [n]
        items = self.grown(n - 1)
        if len(items) < 30:
            items.append(n)
        return items

    @compiled
    def without_result(self, n: int):
        self.count(n)
        return self.total

    def count(self, n) -> None:
        self.total += 1
        if n > 0:
            self.count(n - 1)

    @compiled
    def by_a_key(self, n: int):
        return self.best(n)

    def best(self, n) -> int:
        return 1 if n <= 0 else 1 + max([1, 2], key=lambda x: self.best(n - 1) if x > 1 else 0)

    def prepare(self):
        self.total = 0


def given(cls, name):
    """All combinations of arguments of a method, by the names and annotations of its parameters."""
    parameters = list(signature(getattr(cls, name)).parameters.values())[1:]
    kinds = ["which" if one.name == "which" else one.annotation for one in parameters]
    return itertools.product(*(POOLS[kind](cls, name) for kind in kinds))


def too_large(result) -> bool:
    """Whether a result has an int of more than 64 bits."""
    if isinstance(result, tuple | list):
        return any(map(too_large, result))
    return isinstance(result, int) and not -(2**63) <= result < 2**63


def differences(cls, name, step):
    """The arguments of a method, each `step`-th of all, for which compiled code does not do the same."""
    plain, fast, found = cls(GROUND), cls(GROUND), []
    compiles(fast, name)
    drawn = "rng" in signature(getattr(cls, name)).parameters
    for args in itertools.islice(given(cls, name), 0, None, step):
        ones, others = (
            [Rng(arg) if drawn and i == 1 else arg for i, arg in enumerate(args)] for _ in range(2)
        )
        with (
            plainly(),
            warnings.catch_warnings(action="ignore"),
        ):  # numpy warns of floats too large for float32
            expected = outcome(plain, name, ones)
        result = outcome(fast, name, others)
        if not too_large(expected[0]) and not same(result, expected):
            found.append(f"{name}{args} compiled: {result}, plainly: {expected}")
        if difference := unlike(plain, fast):
            found.append(f"{name}{args} leaves {difference}")
            plain, fast = cls(GROUND), cls(GROUND)
    return found


DEEP = ["straight", "in_turns", "with_lists", "without_result", "by_a_key"]


@pytest.mark.parametrize("name", tiers(DEEP, quick=["in_turns"]))
def test_recursion_that_is_too_deep_raises_as_in_plain_python(name):
    for n in (0, 1, 30, 400):
        both(Deep, name, n)
    part = Deep(GROUND)
    for n in (2_000, 100_000, 10_000_000):
        with pytest.raises(RecursionError):
            getattr(part, name)(n)
    assert getattr(part, name)(0) is not None


@pytest.mark.parametrize("kilobytes", tiers([64, 256, 1024, 16 * 1024], quick=[64]))
def test_recursion_ends_in_time_in_threads_of_any_size(kilobytes):
    part, found = Deep(GROUND), []
    part.in_turns(0), part.with_lists(0)  # compiled by the main thread

    def recurse():
        for name in ("in_turns", "with_lists"):
            for n in (10, 100_000):
                found.append(outcome(part, name, [n])[:2])

    before = threading.stack_size(kilobytes << 10)
    try:
        thread = threading.Thread(target=recurse)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    deep = (None, "RecursionError")
    assert found == [(12, None), deep, (11, None), deep]


class Wide(Ground):
    """Lists take half a megabyte."""

    max_moves = 60_000


class Large(Part):
    @compiled
    def chained(self, n: int):
        return self.first(n)

    def first(self, n) -> int:
        items = sorted([n - i for i in range(n % 7 + 1)])
        return self.second(n) + items[n % len(items)]

    def second(self, n) -> int:
        items = sorted([n + i for i in range(n % 5 + 1)])
        return items[-1] + items[n % len(items)]


def test_lists_for_which_the_stack_has_no_room_raise():
    part = Large(Wide())
    assert part.chained(9) == 7 + 13 + 13  # of 7, 8, 9 and of 9, 10, 11, 12, 13
    found, before = [], threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=lambda: found.append(outcome(part, "chained", [9])[:2]))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [(None, "RecursionError")]


class Endless(Agent):
    """Calls itself without end where few moves are left."""

    def choose(self, state, moves, rng):
        return moves[self.one(3) if len(moves) < 6 else 0]

    def one(self, n) -> int:
        items = [1, 2, 3]
        return self.other(n) + items[n % 3]

    def other(self, n) -> int:
        return self.one(n)


@pytest.mark.parametrize("executor", slow("serial", "threads", "processes"))
def test_endless_recursion_costs_its_match_and_nothing_else(executor):
    found = arena.match(
        Endless, "random", game="tic-tac-toe", matches=4, seed=1, executor=executor, progress=False
    )
    assert [(each.wins, each.losses) for each in found.pairings] == [(0, 2), (2, 0)]


CLASSES = (Ints, Floats, Arrays, Loops, Randoms)
CASES = [(cls, name) for cls in CLASSES for name, method in vars(cls).items() if hasattr(method, "plain")]
QUICK = [
    (Floats, "to_powers"),
    (Arrays, "set_to_ints"),
    (Arrays, "filled"),
    (Randoms, "drawn"),
    (Randoms, "chosen"),
]


@pytest.mark.skipif(CHECKED, reason="overflow raises, where plain Python goes on")
@pytest.mark.parametrize(("cls", "name"), tiers(CASES, quick=QUICK))
def test_compiled_code_does_what_plain_python_does(cls, name):
    assert not differences(cls, name, 1)[:5]
