"""The table of what compiles in `docs/compiling.md`: each row has methods that use all that it lists.

The methods give the same compiled as in plain Python.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import operator
import re
import time
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from arena import Game, Rng, compiled
from arena.compiler.rules import rules_or_why
from both_ways import INTS, Part, both_cases, claims

numba = pytest.importorskip("numba")
DOCUMENT = (Path(__file__).parents[2] / "docs" / "compiling.md").read_text(encoding="utf-8")
TABLE = DOCUMENT.partition("## What compiles\n")[2].partition("\nNot supported")[0]
ROWS = {
    name: said
    for name, said in re.findall(r"^\| ([a-z ]+) \| (.*) \|$", TABLE, re.MULTILINE)
    if name != "kind"
}
WEIGHTS = {"corner": 3, "edge": -1}
VECTOR = np.array([3.0, -1.0, 2.5])


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: int


@dataclass(frozen=True)
class Pair:
    """A frozen dataclass."""

    first: int
    second: float


@dataclass
class Node:
    """An object of an author's own class."""

    value: int
    children: list[int] = field(default_factory=list)
    parent: Node | None = None

    def __post_init__(self):
        self.visits = self.value + 1

    @property
    def doubled(self):
        return 2 * self.value

    def add(self, child: int):
        self.children.append(child)
        return self


def digest(items):
    """Return a number for the items of a list or tuple, since a list within a tuple cannot be returned."""
    total = len(items)
    for x in items:
        total = 3 * total + x
    return total


@numba.njit
def cubed(x):
    return x * x * x


class Values(Part):
    @compiled
    def run(self, a: int, b: int):
        maybe = None if a > b else a
        point, pair = Point(a, b), Pair(a, b / 2)
        array = np.zeros((2, 3))
        array[1, 2] = a
        numbers, rows, tuples = [a, b], [[a], [b, a]], [(a, b), (b, a)]
        nodes = [Node(a), Node(b)]
        line, score = self.scored(a, b)
        return (
            maybe is None,
            point.x,
            pair.second,
            array[1, 2],
            numbers[0],
            rows[1][0],
            tuples[1][0],
            nodes[1].value,
            line[0],
            score,
            a > 0,
        )

    def scored(self, a: int, b: int):
        line, score = [b, a], float(a)
        if a > b:
            return line, score
        return [a, b], score


class Statements(Part):
    @compiled
    def run(self, a: int, b: int):
        items = [a, b, a + b]
        first, *rest = items
        total = 0
        if first > 0:
            total += 1
        else:
            total -= 1
        match b:
            case 1 | 2:
                total += 10
            case 3 if a > 0:
                total += 20
            case _:
                pass
        k = 0
        while True:
            k += 1
            if k == 2:
                continue
            if k > 4:
                break
        for item in rest:
            total += item
        else:
            total += 100
        d = {a: 1, b: 2}
        k = a
        del d[k]
        assert len(d) < 3

        def count(more: int):
            nonlocal total
            total += more

        count(k)
        try:
            if a == 5:
                raise ValueError("text")
            if a == 8:
                raise ValueError(f"text {a}")
            total += 1
        except ValueError:
            total = -total
        else:
            total += 7
        return total, first, len(d), sum(self.both(a)), sum(self.all_of(b))

    def both(self, a: int):
        yield a
        yield 2 * a

    def all_of(self, a: int):
        yield from self.both(a)


class Loops(Part):
    def prepare(self):
        self.array = np.arange(4)

    @compiled
    def run(self, a: int, b: int):
        total, d, queue = 0, {a: 1, b: 2}, deque([a, b])
        for i in range(3):
            total += i
        for x in [a, b]:
            total = 3 * total + x
        for x in (b, a, b):
            total = 3 * total + x
        for x in self.array:
            total += int(x)
        for key in d.keys():  # noqa: SIM118
            total += key
        for value in d.values():
            total += value
        for key, value in d.items():
            total += key * value
        for x in queue:
            total += x
        for x in self.some(a):
            total += x
        for i, x in enumerate([a, b]):
            total += i * x
        for x, y in zip([a, b], (b, a)):  # noqa: B905
            total += x - 2 * y
        for x in reversed([a, b]):
            total = 2 * total - x
        for x in map(abs, [a, b]):
            total += x
        for x in filter(lambda x: x > 0, [a, b]):
            total += x
        return total

    def some(self, a: int):
        yield a
        yield 1


class FromItertools(Part):
    @compiled
    def run(self, a: int, b: int):
        total, items = 0, [a, b, 1]
        for x, y in itertools.combinations(items, 2):
            total = 3 * total + x - y
        for x, y in itertools.combinations_with_replacement(items, 2):
            total += x * y
        for x, y in itertools.permutations(items, 2):
            total += x - 2 * y
        for x, y in itertools.product(items, [a, b]):
            total += x + 2 * y
        for x in itertools.chain(items, [b]):
            total = 2 * total + x
        for x, y in itertools.pairwise(items):
            total += x * y
        for x in itertools.count(2):
            total += x
            if x > 4:
                break
        for x in itertools.accumulate(items):
            total += x
        return total & 0xFFFF


class Operators(Part):
    @compiled
    def run(self, a: int, b: int):
        c = abs(b) % 7 + 1
        maybe = a if a > 0 else None
        bits = (a & b) ^ (a | 3) ^ (~b) ^ (a << 2) ^ (a >> 1)
        numbers = a + b - a * b, a / c, a // c, a % c, -a, +b, c**2
        compared = a < b, a <= b <= 9, a == b != 3, a > b, a >= b
        flags = (a > 0 and b > 0), (a > 0 or b > 0), not a, a in (1, b), a not in (2, b), maybe is None
        return bits, numbers, compared, flags, (d := a + 1), d


class Functions(Part):
    @compiled
    def run(self, a: int, b: int):
        items, x = [a, b, 2], abs(b) + 1
        given = min(items), max(items), max([y for y in items if y > 99], default=a), min(a, b)
        kinds = int(a / x), float(a), bool(a), round(a / x), digest(tuple(sorted(items))), digest(list(items))
        counted = len(items), sum(items), any([a > 0, b > 0]), all([a > 0, b > 0]), abs(a)
        more = divmod(a, x), pow(x, 2), bin(x).count("1"), functools.reduce(lambda y, z: 2 * y + z, items)
        return given, kinds, counted, more, x.bit_count(), x.bit_length()

    @compiled
    def of_math(self, a: int, b: int):
        x, y = abs(a) / 100 + 0.1, abs(b) / 10 + 0.5
        roots = math.sqrt(x), math.pow(x, y), math.exp(x), math.expm1(x)
        logs = math.log(x), math.log1p(x), math.log2(x), math.log10(x)
        circle = (
            math.sin(x),
            math.cos(x),
            math.tan(x),
            math.asin(x),
            math.acos(x),
            math.atan(x),
            math.atan2(x, y),
        )
        curves = math.sinh(x), math.cosh(x), math.tanh(x), math.degrees(x), math.radians(y)
        whole = math.floor(y), math.ceil(y), math.trunc(-y), math.fabs(-x), math.copysign(x, -y)
        return (
            roots,
            logs,
            circle,
            curves,
            whole,
            math.nextafter(x, y),
            math.isnan(x),
            math.isinf(x),
            math.isfinite(x),
        )


class Lists(Part):
    @compiled
    def run(self, a: int, b: int):
        made, items = [], [x * a for x in range(4)]
        made.append(a)
        made.extend(items)
        made.insert(1, b)
        last = made.pop()
        made.append(7)
        made.remove(7)
        copied = made.copy()
        copied.sort()
        made.reverse()
        whole, both_of = [*made, b], made + items
        where, times, same_as = made.index(b), made.count(a), made == copied
        b_items = items[::-1]
        part = made[1:3]
        items.clear()
        numbers = digest(made), digest(copied), digest(whole), digest(both_of), digest(b_items), digest(part)
        return numbers, where, times, same_as, last, len(items)


class Tuples(Part):
    @compiled
    def run(self, a: int, b: int):
        one, s = (a, b), (a, b, 1, 2)
        i, x = abs(a) % 4, b
        made = tuple([a, b]) + tuple(y + 1 for y in s)  # noqa: C409
        longer = s[:i] + (x,) + s[i + 1 :]  # noqa: RUF005
        parts = s[1], s[1:3], s[::2], one + s, one * 3, (*one, b)
        return parts, one == (b, a), s.count(1), s.index(1), digest(made), digest(longer)


class Rows(Game):
    """Noughts and crosses on rows, without a winner: a position is a tuple of tuples."""

    max_moves, max_plies = 9, 9

    def initial(self):
        return ((0, 0, 0),) * 3

    def to_move(self, state):
        return sum(x != 0 for row in state for x in row) % 2

    def moves(self, state):
        board = [list(row) for row in state]
        for r in range(3):
            for c in range(3):
                if state[r][c] == 0 and board[r][c] == 0:
                    yield 3 * r + c

    def play(self, state, move):
        r, c = divmod(move, 3)
        board = [list(row) for row in state]
        board[r][c] = 1 + self.to_move(state)
        made = tuple(tuple(row) for row in board)
        if move % 3 == 0:
            return tuple(map(tuple, board))
        if move % 3 == 1:
            row = made[r]
            return state[:r] + (row,) + state[r + 1 :]  # noqa: RUF005
        return made

    def value(self, state):
        for column in zip(*state):  # noqa: B905
            if column[0] == column[1] == column[2] != 0:
                return -1
        return 0


class Texts(Part):
    @compiled
    def run(self, a: int, b: int):
        s, i = "abcabcab" if a > b else "XO.XOX.O", abs(a) % 7
        j = i + 1
        put = s[:i] + "X" + s[i + 1 :]
        found = s.count("X"), s.find("O"), s[i:].find("b"), put.replace("X", "O") == s, s[0] * 3 == "aaa"
        number = int("0123456789"[i])
        letters = list(s)
        letters[i] = "."
        whole = "".join(letters) == s, "".join(c for c in s) == s
        told = f"{a}:{s[i]}" == str(a) + ":" + s[i]
        codes = (
            ord(s[i]),
            chr(97 + i) == "a",
            len(s),
            s < "b",
            s[i:j] == s[i],
            s.startswith("XO"),
            s.endswith("ab"),
        )
        return (
            found,
            number,
            whole,
            told,
            codes,
            s[::-1] == s,
            s[i::7] == s[i],
            s.index(s[i]),
            "c" in s,
            sum(1 for c in s if c == "X"),
        )


class Bytes(Part):
    @compiled
    def run(self, a: int, b: int):
        i = abs(a) % 4
        s = bytes([1, 2, 3, 4])
        board = bytearray(s)
        board[i] = abs(b)
        changed = bytes(board)
        return s[i], changed[i], changed == s, len(bytes(5)), sum(changed), 3 in changed


class Dictionaries(Part):
    @compiled
    def run(self, a: int, b: int):
        d, k, v = {}, a, b
        d[k] = v
        d[k] += v
        empty = dict()  # noqa: C408
        empty[b] = 1
        zipped = dict(zip([a, b], [1, 2]))  # noqa: B905
        counts = defaultdict(int)
        counts[a] += 2
        lists = defaultdict(list)
        lists[b].append(a)
        seen = Counter([a, b, a])
        squares = {x: x * x for x in (a, b)}
        d.update(squares)
        copied = d.copy()
        got = d.get(b), d.get(99, 5), d.setdefault(77, 3)
        gone = d.pop(77)
        if 99 not in d:
            d[99] = 1
        del d[99]
        rows = {}
        x = b
        rows.setdefault(k, []).append(x)
        keyed = {(a, "ab"): None, (b, "cd"): None}
        n = len(d)
        copied.clear()
        most, times = seen.most_common(1)[0]
        counted = n, len(empty), zipped[b], counts[a], len(lists[b]), most, times, seen.total()
        return counted, got, gone, rows[k][0], a in d, len(copied), (a, "ab") in keyed


class Sets(Part):
    @compiled
    def run(self, a: int, b: int):
        made, pair, squares = set(), {a, b}, {x * x for x in (a, b, 2)}
        made.add(a)
        made.update(pair)
        made.discard(99)
        copied = made.copy()
        copied.remove(b)
        one, other = {a, 1}, {b, 2}
        joined, met, left, apart = one | other, one & other, one - other, one ^ other
        copied |= squares
        numbers = (
            len(joined),
            sum(met),
            min(one),
            max(other),
            len(left),
            len(apart),
            sorted(one | other) == [1],
        )
        flags = one == other, one <= other, one.isdisjoint(other), a in made, len(one.union(other))
        left_over = len(copied)
        copied.clear()
        return numbers, flags, left_over, len(copied)


class Deques(Part):
    @compiled
    def run(self, a: int, b: int):
        queue, short = deque(), deque(maxlen=2)
        queue.append(a)
        queue.appendleft(b)
        queue.extend([1, 2])
        for x in (a, b, 3):
            short.append(x)
        last, first, where = queue.pop(), queue.popleft(), a in queue
        n, item = len(queue), short[0]
        queue.clear()
        return last, first, where, n, item, len(queue)


class Chain:
    """An object whose `__init__` sets all attributes."""

    def __init__(self, value: int):
        self.value = value


class Objects(Part):
    @compiled
    def run(self, a: int, b: int):
        root = Node(a)
        child = Node(b, parent=root)
        root.add(b).add(a)
        above = child.parent
        n = 0 if above is None else above.value
        return (
            Chain(a).value,
            root.doubled,
            root.visits,
            len(root.children),
            n,
            above is root,
            root.parent is None,
        )


class Arrays(Part):
    def prepare(self):
        self.a = np.arange(12).reshape(3, 4)
        self.line = np.zeros(5)

    @compiled
    def run(self, a: int, b: int):
        i, j = abs(a) % 3, abs(b) % 4
        self.a[i, j] = b
        row = self.a[i]
        part = self.line[1:3]
        part[0] = a
        flat = np.ones(3)
        flat[:] = 0
        self.line.fill(2)
        return (
            self.a[i, j],
            row[j],
            part[0],
            flat[0],
            len(self.a),
            self.a.shape[1],
            self.a.size,
            self.a.ndim,
            self.line[i],
        )


class Numpy(Part):
    def prepare(self):
        self.matrix = np.array([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0], [2.0, 2.0, 1.0]])

    @compiled
    def run(self, a: int, b: int):
        x = np.zeros(3) + a / 10
        y = np.full(3, 2.0) * np.ones(3)
        z = np.array([a / 9, b / 8, 0.25])
        counted = np.arange(3).astype(np.float64)
        like, copied = np.zeros_like(z), z.copy()
        copied += y
        shaped = np.arange(6).reshape(2, 3).ravel()
        grown, logs, curved, roots = np.exp(counted / 4), np.log(y), np.tanh(z), np.sqrt(y)
        made = np.abs(z) + np.sign(z) + np.floor(z)
        either = np.maximum(z, y) - np.minimum(z, y) + np.where(z > 0, z, y)
        moved = self.matrix + z
        turned = self.matrix @ z + np.dot(self.matrix, y) + np.matmul(self.matrix, z)
        sums = z.sum(), z.min(), z.max(), moved.sum(axis=0)[1], z.mean(), z.argmax(), z.argmin()
        flags = (z > 0).any(), (z > 0).all()
        order = np.argsort(z, kind="stable")
        listed = z.tolist()
        parts = grown[1], logs[0], curved[2], roots[0], made[0], either[1], turned[2], like[0], copied[1]
        return sums, flags, order[0], listed[1], (z**2)[1], parts, shaped[4], x[0]


class Numba(Part):
    @compiled
    def run(self, a: int, b: int):
        return cubed(a) + cubed(b)


class RandomNumbers(Part):
    @compiled
    def run(self, a: int, rng: Rng):
        n, seed = abs(a) + 1, 5
        items = [1, 2, 3, 4]
        drawn = rng.below(n), rng.random(), rng.choice(items)
        rng.shuffle(items)
        two = rng.sample(items, 2)
        rng.restart(seed)
        return drawn, digest(items), digest(two), rng.below(n)


class Keys(Part):
    @compiled
    def run(self, a: int, b: int):
        moves, d, pairs = [a, b, 1], {a: 3, b: 2, 1: 5}, [(a, b), (b, a)]
        lengths = [[a], [a, b]]
        best = max(moves, key=lambda move: move * move - move), min(moves, key=lambda move: -move)
        others = max(moves, key=d.get), digest(sorted(moves, key=abs)), len(max(lengths, key=len))
        return best, others, min(pairs, key=operator.itemgetter(1))


class GlobalNames(Part):
    @compiled
    def run(self, a: int, b: int):
        named = (
            WEIGHTS["corner"],
            WEIGHTS.get("edge", 0),
            sum(WEIGHTS.values()),
            "edge" in WEIGHTS,
            len(WEIGHTS),
        )
        return named, VECTOR[abs(a) % 3], INTS[abs(b) % 4]


class Caches(Part):
    @functools.lru_cache  # noqa: B019
    def steps(self, n: int):
        return 1 if n < 2 else self.steps(n - 1) + self.steps(n - 2)

    @functools.cache  # noqa: B019
    def known(self, n: int, name: str):
        return n + len(name)

    @compiled
    def run(self, a: int, b: int):
        return self.steps(abs(a) % 20), self.known(b, "ab")


class Clocks(Part):
    @compiled
    def run(self, a: int, b: int):
        began, ticks, clock = time.perf_counter(), time.perf_counter_ns(), time.monotonic()
        return time.perf_counter() >= began, time.perf_counter_ns() >= ticks, time.monotonic() >= clock


METHODS = {
    "values": [Values], "statements": [Statements], "loops over": [Loops, FromItertools],
    "operators": [Operators], "functions": [Functions], "lists": [Lists], "tuples": [Tuples],
    "texts": [Texts], "bytes": [Bytes], "dictionaries": [Dictionaries], "sets": [Sets], "deques": [Deques],
    "objects": [Objects, Node, Chain], "arrays": [Arrays], "numpy": [Numpy], "numba": [Numba],
    "random numbers": [RandomNumbers], "keys": [Keys], "global names": [GlobalNames], "caches": [Caches],
    "clocks": [Clocks], "tuples of tuples": [Rows],
}  # fmt: skip
ELSEWHERE = {  # words of a row that stand outside its methods
    "tuples": {"play"}, "numba": {"numba", "njit"}, "deques": {"collections"},
}  # fmt: skip
TESTED = [part for parts in METHODS.values() for part in parts if issubclass(part, Part)]


def test_each_row_has_methods():
    assert ROWS.keys() == METHODS.keys()


@pytest.mark.parametrize("row", METHODS)
def test_the_methods_of_a_row_use_all_that_it_lists(row):
    source = "\n".join(map(inspect.getsource, METHODS[row]))
    listed = {
        word for code in re.findall(r"`([^`]*)`", ROWS[row]) for word in re.findall(r"[A-Za-z_]\w*", code)
    }
    listed -= ELSEWHERE.get(row, set())
    assert {word for word in listed if not re.search(rf"\b{word}\b", source)} == set()


@pytest.mark.parametrize(("cls", "name"), claims(*TESTED))
def test_the_methods_give_the_same_compiled(cls, name):
    both_cases(cls, name)


def test_rules_on_tuples_of_tuples_are_the_same_compiled():
    game, rules = Rows(), rules_or_why(Rows()).builtins
    for seed in range(50):
        rng, state = Rng(seed), game.initial()
        while moves := list(game.moves(state)):
            assert list(rules["moves"](state)) == moves
            move = rng.choice(moves)
            after = game.play(state, move)
            assert rules["play"](state, move) == after
            assert rules["value"](after) == game.value(after)
            state = after
