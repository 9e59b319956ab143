"""What numbers come to: the same in a page as in arena, to the last bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import arena
from arena import Agent
from arena.rng import mix
from node import ASK, answers, made, needs_node, node

INTS = [-(2**63) + 1, -(2**40), -70, -64, -9, -3, -2, -1, 1, 2, 3, 5, 63, 64, 70, 2**31, 2**40 + 1, 2**62]
FLOATS = [
    -math.inf, -1e300, -7.5, -2.5, -2.0, -0.5, -0.0, 0.0, 5e-324, 0.1, 0.5, 1.0, 1.5, 2.5, 3.0, 1e9, 2.0**53,
    1e300, math.inf, math.nan,
]  # fmt: skip


class Reckoning(Agent):
    """Moves by a hash of what Python's operators give of numbers at the edge."""

    def prepare(self) -> None:
        self.ints, self.floats = np.array(INTS), np.array(FLOATS)
        self.small, self.narrow = np.array([-128, 127, -1], np.int8), np.array([0.1, 2.5, -1e-40], np.float32)
        self.wide = np.array([2**32 - 1, 0, 7], np.uint32)
        self.grid = np.arange(12.0).reshape(3, 4)
        self.row = self.grid[1]  # these are the same numbers
        self.cell = np.zeros(1)
        self.bits = self.cell.view(np.int64)
        self.total, self.calls = 0, 0

    def add(self, n: int) -> None:
        self.total = mix(self.total ^ n)

    def add_float(self, x: float) -> None:
        self.cell[0] = x
        self.add(1 if math.isnan(x) else self.bits[0])

    def choose(self, state, moves, rng):
        self.calls += 1
        self.row[self.calls % 4] = self.calls
        for i in range(len(self.ints)):
            a = self.ints[i]
            self.add(a.bit_length() + a.bit_count())
            for j in range(len(self.ints)):
                b = self.ints[j]
                self.add(a // b)
                self.add(a % b)
                self.add((a & b) ^ (a | b))
                if b >= 0:
                    self.add(a >> b)
                if 0 <= b < 8 and abs(a) < 100:
                    self.add(a << b)
                self.add_float(a / b)
        for i in range(len(self.floats)):
            x = self.floats[i]
            if abs(x) < 1e18:
                self.add(int(x) + 2 * round(x) + 3 * math.floor(x) + 5 * math.ceil(x))
            self.add_float(math.sqrt(abs(x)))
            for j in range(len(self.floats)):
                y = self.floats[j]
                self.add_float(x + y)
                self.add_float(x - y)
                self.add_float(x * y)
                self.add_float(max(x, y))
                self.add_float(min(x, y))
                self.add_float(math.nextafter(x, y))
                self.add_float(math.copysign(x, y))
                self.add((x < y) + 2 * (x == y) + 4 * (x >= y))
                if y != 0:
                    self.add_float(x / y)
                    if abs(x) < 1e300:
                        self.add_float(x // y)
                        self.add_float(x % y)
        for i in range(3):
            self.add(self.small[i] + self.wide[i])
            self.add_float(self.narrow[i])
            for j in range(4):
                self.add_float(self.grid[i, j])
        self.add_float(rng.random())
        return moves[(self.total & 0xFFFF) % len(moves)]


class Deep(Agent):
    """Calls itself as often as it has been asked to choose, a hundred times over."""

    def prepare(self) -> None:
        self.calls = 0

    def choose(self, state, moves, rng):
        self.calls += 100
        return moves[self.down(self.calls) % len(moves)]

    def down(self, n: int) -> int:
        items = [1, 2, 3]
        return items[0] if n <= 0 else self.down(n - 1) + items[n % 3]


class Sine(Agent):
    """Goes by a function that JavaScript computes in its own way."""

    def choose(self, state, moves, rng):
        return moves[int(100 * math.exp(len(moves) * 0.37)) % len(moves)]


@needs_node
@pytest.mark.slow
def test_operators_give_the_same_numbers(tmp_path):
    exported = arena.export(Reckoning, game="connect-four", wasm=tmp_path)
    asked, expected = answers(made(Reckoning, "connect-four"), 60)
    assert node(tmp_path, ASK, {"file": exported.module, "asked": asked}) == expected
    assert not exported.approximate
    assert len({move for *_, move, _, _ in expected}) > 3


CHOOSE = """
import { load, Rng } from "./arena.js";
import { readFileSync } from "node:fs";
const entry = await load(readFileSync(JSON.parse(readFileSync(0))));
const told = [];
for (let i = 0; i < 12; i++) {
  try {
    told.push(Number(entry.choose(entry.about.initial.map(BigInt), new Rng(1))));
  } catch (error) {
    told.push(error.message);
  }
}
console.log(JSON.stringify(told));
"""


@needs_node
@pytest.mark.slow
def test_recursion_that_is_too_deep_raises(tmp_path):
    exported = arena.export(Deep, game="tic-tac-toe", wasm=tmp_path)
    told = node(tmp_path, CHOOSE, exported.module)
    assert told[:9] == [(2 * n + (n % 3 == 2) + 1) % 9 for n in range(100, 1000, 100)]
    assert told[10:] == ["RecursionError: maximum recursion depth exceeded"] * 2


def test_functions_that_may_differ_are_named(tmp_path):
    exported = arena.export(Sine, game="tic-tac-toe", wasm=tmp_path)
    assert list(exported.approximate) == ["exp"]
    told = "browsers may round exp differently and then choose other moves"
    assert exported.remarks() == [told]


@pytest.mark.parametrize("cls", [Reckoning])
def test_the_reckoning_runs_compiled(cls):
    assert arena.compiler.reason(made(cls, "connect-four")) is None
