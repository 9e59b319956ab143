"""Arrays at the edges of their types and lengths: compiled code does to them what plain Python does."""

from __future__ import annotations

import numpy as np
import pytest

from arena.compiler.program import CHECKED
from both_ways import Part, compiled
from edges import Small, branches, cases, differences
from tiers import tiers


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


@pytest.mark.skipif(CHECKED, reason="overflow raises, where plain Python goes on")
@pytest.mark.parametrize(
    ("cls", "name"), tiers(cases(Arrays), quick=[(Arrays, "set_to_ints"), (Arrays, "filled")])
)
def test_compiled_code_does_what_plain_python_does(cls, name):
    assert not differences(cls, name, 1)[:5]
