"""Generators: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from arena import Rng
from arena.api.words import bits
from both_ways import Part, both_cases, claims, compiled
from language import told


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


@pytest.mark.parametrize(("cls", "name"), claims(Given))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)
