"""Arrays: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from both_ways import Part, both_cases, claims, compiled
from language import told

WEIGHTS = np.array([0.5, -1.5, 2.0])
GRID = np.arange(12).reshape(3, 4)


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


@pytest.mark.parametrize(("cls", "name"), claims(Arrays))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)
