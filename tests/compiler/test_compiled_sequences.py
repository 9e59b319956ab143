"""Tuples of any length, sums of lists, and stars: the same compiled as in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from arena import Game
from arena.compiler import reason
from arena.compiler.errors import CannotCompile
from arena.compiler.rules import rules_or_why
from both_ways import Part, both, both_cases, claims, compiled
from language import FAR, told


class Sequences(Part):
    @compiled
    def sliced(self, a: int, b: int):
        row = (a, 3, b, 5, 8)
        some = row[:a] + (7,) + row[b:] + row[a:b]
        return told(some), len(some), told(row[a:]), told(row[:-1]), sum(row[a:b])

    @compiled
    def of_lists(self, items: list[int], a: int):
        cells = list(items)
        cells.append(a)
        row = tuple(cells)
        again = tuple(x + 1 for x in row if x != a)
        return told(row), len(again), sum(again), row[0], row[-1], a in row, max(row)

    @compiled
    def of_known_length(self, a: int):
        squares = tuple(i * a for i in range(4))
        state = (a, a + 1, 5)
        halves = tuple(x / 2 for x in state)
        known = {squares: 1, tuple([x for x in state]) + (0,): 2}
        return squares, halves, len(known)

    @compiled
    def with_stars(self, items: list[int], a: int):
        pair = (a, 2)
        row = (1, *pair, 3)
        longer = (0, *items, *pair)
        kept = [*items, a, *pair]
        return row, told(longer), told(kept), len(kept), len(longer)

    @compiled
    def joined(self, items: list[int], a: int):
        more = items + [a, 1]
        more += [5]
        tail = [a] + more
        row = tuple(items)
        for x in (1, 2):
            row = (x,) + row
        return told(more), told(tail), told(row)

    @compiled
    def passed(self, items: list[int], a: int):
        row = self.replaced(tuple(items), 0, a)
        return told(row), len(row)

    def replaced(self, row, i, x):
        return row[:i] + (x,) + row[i + 1 :]


class Optional(Part):
    """Tuples of any length that a method returns, or None."""

    @compiled
    def found_or_none(self, items: list[int], a: int):
        found = self.others(items, a)
        if found is None:
            return -1
        total = self.noise(items, a)
        x, others = found
        return x + told(others) + total

    def others(self, items, a):
        if a in items:
            return a, tuple([x for x in items if x != a])
        return None

    def noise(self, items, a):
        rows = [[x, a, 1] for x in items]
        return sum(told(row) for row in rows)


class Unpacked(Part):
    """Targets that take the items of lists and tuples apart."""

    @compiled
    def lists(self, a: int, b: int):
        low, high = sorted((a, b))
        rows, total = [[a, 1, 2], [b, 3, 4], [5, 6, low]], 0
        for x, y, z in rows:
            total = total * 7 + x - y * z
        (p, q, r), [s, t] = rows[1], [x + 0.5 for x in (a, b)]
        return low, high, total, p * q - r, s, t

    @compiled
    def stars(self, items: list[int], a: int):
        first, *rest = (a, 3, 0.5)
        *most, last = (a, 1, 2, first)
        x, *none, y = a, first
        rest.append(a)
        none.append(7)
        *cells, player = (*items, a)
        return first, told(rest), told(most), last, x, y, none[0], len(cells), player

    @compiled
    def stars_of_lists(self, items: list[int], a: int):
        first, *rest = items
        rest.append(a)
        [*most, last] = rest
        groups = {a: [1, *items]}
        one, *others, other = groups[a]
        others.append(3)
        return first, told(rest), told(most), last, one, other, told(others), len(groups[a]), len(items)

    @compiled
    def tuples_of_any_length(self, items: list[int], a: int):
        x, y, *others = tuple(items)
        return x, y, told(others)

    @compiled
    def of_another_length(self, items: list[int]):
        x, y = items
        return x - y

    @compiled
    def exchanged(self, items: list[int]):
        x, *items = items
        return x, told(items)


class Lines(Part):
    """Lists within tuples."""

    @compiled
    def principal_variation(self, items: list[int], a: int):
        value, line = self.search(items, a % 4)
        other, changed = self.search(items, 2)
        if changed:
            changed[0] += 1
        return value, told(line), other, told(changed), len(items)

    def search(self, items, depth):
        if depth == 0 or not items:
            return sum(items), []
        best, line = -1000, []
        for i, x in enumerate(items):
            value, rest = self.search(items[i + 1 :], depth - 1)
            if x - value > best:
                best = x - value
                line = [x] + rest
        return best, line

    @compiled
    def two_lists(self, items: list[int], a: int):
        rows, total = [self.divided(items, b) for b in (1, 2, a)], 0
        for small, large in rows:
            total = (total * 31 + told(small) - told(large)) % 1000003
        pair = (a, [x + 0.5 for x in items])
        pair[1].sort()
        rows[0][1].reverse()
        return total, told(pair[1]), told(rows[0][1]), len(self.divided(items, a)[0])

    def divided(self, items, a):
        small = [x for x in items if x < a]
        large = []
        for x in items:
            if x >= a:
                large.append(x)
        return small, large

    @compiled
    def maybe_none(self, items: list[int], a: int):
        found, best = self.others(items, a), None
        for x in items:
            if best is None or x > best[0]:
                best = (x, [x, a])
        rows = [self.divided(items, x) for x in items]
        if found is None or best is None:
            return -len(rows)
        return found[0] + told(found[1]) * 3 + told(best[1]) + len(rows)

    def others(self, items, a):
        if a in items:
            return a, [x for x in items if x != a]
        return None

    @compiled
    def outside(self, items: list[int], a: int):
        best, total = (0, [1, 2]), 0

        def look(x):
            nonlocal best
            best = (x, [x, *best[1][:3]])

        for x in items:
            look(x)
            total = (total * 31 + told(best[1]) + len(self.divided(items, a)[1])) % 1000003
        return total, max(((x, [x, a]) for x in items), key=lambda pair: pair[0], default=best)[0]


class Steps(Part):
    """Slices with a step."""

    @compiled
    def of_lists(self, items: list[int], a: int, b: int):
        backwards = items[::-1]
        backwards.append(a)
        up = told(items[a::2]), told(items[:b:3]), told(items[a:b:2]), told(items[-2::2]), told(items[1::1])
        down = told(items[a::-1]), told(items[:b:-1]), told(items[a:b:-2]), told(items[-2::-2])
        return told(backwards), up, down, told(items[:-3:-1]), told(items[5:1:-3]), len(items)

    @compiled
    def of_tuples(self, a: int, b: int):
        cells = (a, 1, b, 3, a + b, 5, 6, 7, 8)
        column, rows = cells[a % 3 :: 3], [cells[i : i + 3][::-1] for i in (0, 3, 6)]
        total = 0
        for i in range(3):
            total = total * 31 + sum(cells[i::3]) + rows[i][0]
        return cells[::4], cells[::-1], cells[7:1:-2], told(cells[b::-2]), column[1], total, told(FAR[a::7])

    @compiled
    def of_pairs(self, a: int):
        pairs = [(i, i * a) for i in range(7)]
        pairs[::-1][0] = (1, 1)
        return told([x - y for x, y in pairs[::-2]]), len(pairs[a::3])

    @compiled
    def of_vectors(self, a: int):
        groups = {a: [i * a for i in range(9)]}
        groups[a] = groups[a][::-1]
        groups[a].append(a)
        return told(groups[a]), told(groups[a][1::3])


@pytest.mark.parametrize(("cls", "name"), claims(Sequences, Optional, Unpacked, Lines, Steps))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


class Heaps(Game):
    """Nim, its heaps in a tuple and the player last."""

    max_moves = 16

    def initial(self):
        return (1, 3, 5, 7, 0)

    def moves(self, state):
        for heap in range(4):
            for taken in range(1, state[heap] + 1):
                yield heap * 8 + taken

    def play(self, state, move):
        heap, taken = divmod(move, 8)
        return state[:heap] + (state[heap] - taken,) + state[heap + 1 : 4] + (1 - state[4],)

    def to_move(self, state):
        return state[4]

    def value(self, state):
        return -1


class Cells(Heaps):
    """The same, its position changed as a list."""

    def play(self, state, move):
        cells = list(state)
        cells[move // 8] -= move % 8
        cells[4] = 1 - cells[4]
        return tuple(cells)


class TooShort(Cells):
    def play(self, state, move):
        cells = list(state)
        cells.pop()
        return tuple(cells)


@pytest.mark.parametrize("cls", [Heaps, Cells])
def test_positions_made_of_slices_and_lists_compile(cls):
    assert reason(cls()) is None


def test_a_position_of_another_length_is_an_error():
    with pytest.raises(CannotCompile):
        rules_or_why(TooShort())


class Refused(Part):
    @compiled
    def given_to_python(self, items: list[int]):
        return tuple(items)

    @compiled
    def list_given_to_python(self, items: list[int], a: int):
        return a, [x + 1 for x in items]

    @compiled
    def list_with_a_name(self, items: list[int], a: int):
        pair = (a, items)
        return len(pair[1])

    @compiled
    def list_twice(self, items: list[int], a: int):
        one, other = self.twice(a)
        one[0] += 1
        return other[0]

    def twice(self, a):
        row = [a]
        return row, row

    @compiled
    def by_a_step_that_varies(self, items: list[int], a: int):
        return len(items[::a])

    @compiled
    def of_an_array(self, a: int):
        return np.arange(a)[::-1].sum()


def test_a_list_in_a_tuple_is_a_new_one_for_compiled_code_alone():
    with pytest.raises(CannotCompile, match="returns a list within a list or tuple to Python"):
        both(Refused, "list_given_to_python", [1], 1)
    for name in ("list_with_a_name", "list_twice"):
        with pytest.raises(CannotCompile, match="cannot be stored in a list or tuple; write list"):
            both(Refused, name, [1], 1)


def test_a_slice_has_a_constant_step_and_is_of_a_list_or_tuple():
    with pytest.raises(CannotCompile, match="the step of a slice must be a constant other than 0"):
        both(Refused, "by_a_step_that_varies", [1], 1)
    with pytest.raises(CannotCompile, match="a slice with a step compiles only for lists and tuples"):
        both(Refused, "of_an_array", 1)


def test_a_tuple_of_any_length_cannot_be_given_to_python():
    with pytest.raises(CannotCompile, match="returns a tuple of any length to Python"):
        both(Refused, "given_to_python", [1])
