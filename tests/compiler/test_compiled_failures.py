"""Errors at run time: compiled code raises them with the message of plain Python, or with the line."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from contextlib import nullcontext

import pytest

from arena import Rng
from arena.compiler import plainly
from both_ways import GROUND
from mistakes import Mistaken, place
from paths import TESTS


class Unset(Mistaken):
    """UnboundLocalError: cannot access local variable 'best' where it is not associated with a value"""

    def choose(self, state, moves, rng):
        for move in moves:
            if move > 5:
                best = move
        return best  # here


class LongList(Mistaken):
    """IndexError: a list has room for 64 items"""

    def choose(self, state, moves, rng):
        found = [x for x in range(63 + state[0])]  # here
        return moves[len(found) - len(found)]


ARRAY, LIST = "IndexError: array index out of range", "IndexError: list index out of range"
WIDE = "OverflowError: a number is beyond the 64 bits of an int"
CHECKED = [  # with i = 3, of arrays of 4 and of 3 by 4, and items = [0, 1, 2]
    ("self.total = self.counts[i + 1]", ARRAY),
    ("self.total = self.counts[-i - 2]", ARRAY),
    ("self.counts[i + 1] = 7", ARRAY),
    ("self.counts[-i - 2] = 7", ARRAY),
    ("self.counts[i + 1] += 7", ARRAY),
    ("self.counts[i:][i - 2] = 7", ARRAY),
    ("self.total = self.counts[1:][i]", ARRAY),
    ("self.total = self.board[i, 0]", ARRAY),
    ("self.total = self.board[0, i + 1]", ARRAY),
    ("self.total = self.board[0, -i - 2]", ARRAY),
    ("self.total = self.board[1][i + 1]", ARRAY),
    ("self.total = sum(self.board[i])", ARRAY),
    ("self.board[0, i + 1] = 7", ARRAY),
    ("self.board[-i - 1, 0] = 7", ARRAY),
    ("self.board[i] = 7", ARRAY),
    ("self.total = CONSTANT[i]", ARRAY),
    ("self.total = items[i]", LIST),
    ("self.total = items[-i - 1]", LIST),
    ("items[i] = 7", LIST),
    ("items[-i - 1] = 7", LIST),
    ("self.total = items[1:][i - 1]", LIST),
    ("self.total = rng.choice(items[i:])", "IndexError: cannot choose from an empty sequence"),
    ("self.total = CORNERS[i]", "IndexError: tuple index out of range"),
    ("self.total = (i, self.total)[-i]", "IndexError: tuple index out of range"),
    ("own = list(items); own.pop(i)", "IndexError: pop index out of range"),
    ("self.counts[1:] = self.counts[:i + 1]", "ValueError: arrays of different lengths"),
    ("self.total = self.most + i", WIDE),
    ("self.total += self.most", WIDE),
    ("self.total = -self.most - i", WIDE),
    ("self.total = self.most * i", WIDE),
    ("self.total = -self.least", WIDE),
    ("self.total = abs(self.least)", WIDE),
    ("self.total = self.least // (2 - i)", WIDE),
    ("self.total = i ** 40", WIDE),
    ("self.total = 1 << i + 60", WIDE),
    ("self.total = i << 62", WIDE),
    ("self.total = sum([self.most, i])", WIDE),
    ("self.total = 1 << -i", "ValueError: negative shift count"),
    ("self.total = 1 >> -i", "ValueError: negative shift count"),
    ("self.total = int(1e19 * i)", "OverflowError: a float is beyond the 64 bits of an int"),
    ("self.rate = 0.5 * self.most", "OverflowError: an int beyond 2**53 cannot be converted to a float"),
    ("self.rate = self.most", "OverflowError: an int beyond 2**53 cannot be converted to a float"),
    ("self.small[0] = 125 + i", "OverflowError: an int is out of bounds for int8"),
    ("self.small[0] -= 126 + i", "OverflowError: an int is out of bounds for int8"),
    ("self.small[:] = 125 + i", "OverflowError: an int is out of bounds for int8"),
    ("self.small[:2] = i, 125 + i", "OverflowError: an int is out of bounds for int8"),
    ("self.small.fill(125 + i)", "OverflowError: an int is out of bounds for int8"),
    ("self.byte[0] = -i", "OverflowError: an int is out of bounds for uint8"),
    ("self.wide[0] = i << 30", "OverflowError: an int is out of bounds for int32"),
    ("own = [x for x in range(62 + i)]", "IndexError: a list has room for 64 items"),
]
CHECKED_HEAD = """
import numpy as np
from both_ways import Part, Rng, compiled

CORNERS = (0, 2, 6)
CONSTANT = np.arange(3)

class Checked(Part):
    def prepare(self):
        self.total = 5
        self.rate = 0.5
        self.most = 2**63 - 1
        self.least = -(2**63)
        self.counts = np.zeros(4, np.int64)
        self.board = np.zeros((3, 4), np.int64)
        self.small = np.zeros(4, np.int8)
        self.byte = np.zeros(4, np.uint8)
        self.wide = np.zeros(4, np.int32)
"""
CHECKED_METHOD = """
    @compiled
    def line_{0}(self, i: int, items: list[int], rng: Rng):
        {1}
"""
CHECKED_RUN = """
import sys
sys.path[:0] = sys.argv[1:]
from checked import Checked, Rng
from both_ways import compiles
for name in [name for name in vars(Checked) if name.startswith("line_")]:
    compiles(Checked(), name)
    try:
        print(name, getattr(Checked(), name)(3, [0, 1, 2], Rng()))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
"""


@pytest.mark.slow
def test_where_everything_is_checked_the_line_at_fault_is_named(tmp_path):
    methods = [CHECKED_METHOD.format(i, line) for i, (line, _) in enumerate(CHECKED)]
    text = CHECKED_HEAD + "".join(methods)
    (tmp_path / "checked.py").write_text(text)
    lines = text.splitlines()
    expected = [f"{error} (checked.py, line {lines.index(' ' * 8 + line) + 1})" for line, error in CHECKED]
    assert said_of_checked(tmp_path, "1") == expected


@pytest.mark.slow
def test_what_is_outside_is_looked_at_always(tmp_path):
    inside = [(line, error) for line, error in CHECKED if not error.startswith("OverflowError")]
    methods = [CHECKED_METHOD.format(i, line) for i, (line, _) in enumerate(inside)]
    (tmp_path / "checked.py").write_text(CHECKED_HEAD + "".join(methods))
    said = [re.sub(r" \(checked.py, line \d+\)", "", line) for line in said_of_checked(tmp_path, "0")]
    assert said == [error for _, error in inside]


def said_of_checked(folder, checked):
    """What each method of the class raises, compiled in a process of its own."""
    args = [sys.executable, "-c", CHECKED_RUN, str(folder), str(TESTS / "helpers")]
    env = {**os.environ, "ARENA_CHECKED": checked}
    done = subprocess.run(args, env=env, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_what_plain_python_has_room_for_names_its_line_in_any_case():
    with pytest.raises(IndexError) as raised:
        LongList(GROUND).choose((3, 0), [0, 1, 2], Rng())
    assert f"IndexError: {raised.value}" == f"{LongList.__doc__} ({place(LongList)})"


class Dividing(Mistaken):
    def choose(self, state, moves, rng):
        return moves[0] // (state[0] - 3)


class Remainder(Mistaken):
    def choose(self, state, moves, rng):
        return moves[0] % (state[0] - 3)


class Quotient(Mistaken):
    def choose(self, state, moves, rng):
        return int(moves[0] / (state[0] - 3))


class QuotientOfFractions(Mistaken):
    def choose(self, state, moves, rng):
        return int(self.rate / (state[0] - 3))


class RemainderOfFractions(Mistaken):
    def choose(self, state, moves, rng):
        return int(self.rate % (state[0] - 3))


class Emptied(Mistaken):
    def choose(self, state, moves, rng):
        return max([move for move in moves if move > 7])


class PoppedOnceMore(Mistaken):
    def choose(self, state, moves, rng):
        some = list(moves)
        while True:
            self.total += some.pop()


class Refused(Mistaken):
    def choose(self, state, moves, rng):
        if state[0] == 3:
            raise ValueError("not 3")
        return moves[0]


class RootOfNegative(Mistaken):
    def choose(self, state, moves, rng):
        return int(math.sqrt(state[1] - 2))


FAILING = [Unset, Dividing, Remainder, Quotient, QuotientOfFractions, RemainderOfFractions, Emptied,
           PoppedOnceMore, Refused, RootOfNegative]  # fmt: skip


@pytest.mark.parametrize("cls", FAILING, ids=lambda cls: cls.__name__)
def test_what_fails_in_plain_python_fails_in_the_same_words_compiled(cls):
    said = []
    for way in (plainly, nullcontext):
        agent = cls(GROUND)
        with way(), pytest.raises(Exception) as raised:  # noqa: PT011
            agent.choose((3, 0), [0, 1, 2], Rng())
        said.append(f"{type(raised.value).__name__}: {raised.value}")
    assert agent._runners["choose"].codes
    assert said[0] == said[1]
