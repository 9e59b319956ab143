"""Functions within functions: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import pytest

from arena import Rng
from arena.compiler.errors import CannotCompile
from both_ways import Part, both, both_cases, claims, compiled
from language import told


class Inner(Part):
    """Functions that a method defines for itself."""

    @compiled
    def called(self, a: int, b: int):
        def least(x, y=3):
            return x if x < y else y

        return least(a, b), least(a), least(b, y=a)

    @compiled
    def recursive(self, a: int):
        visited = [0]
        limit = 12

        def count(n, depth):
            visited[0] += 1
            if n <= 0 or depth > limit:
                return 1
            return count(n - 1, depth + 1) + count(n - 3, depth + 1)

        return count(a % 13, 0), visited[0]

    @compiled
    def that_set_variables(self, items: list[int], a: int):
        total, best, seen = 0, None, []

        def add(x):
            nonlocal total, best
            total = total * 3 + x
            if best is None or x > best:
                best = x
            if len(seen) < 5:
                seen.append(x)

        for x in items:
            add(x + a)
        return total, best, told(seen)

    @compiled
    def that_call_each_other(self, a: int):
        steps = 0

        def even(n):
            nonlocal steps
            steps += 1
            return True if n <= 0 else odd(n - 1)

        def odd(n):
            return False if n <= 0 else even(n - 1)

        return even(a), odd(a), steps

    @compiled
    def within_one_another(self, a: int, b: int):
        def outer(x):
            y = x + b

            def inner(z):
                return z * a + y

            y += 1
            return inner(x) + inner(b)

        return outer(a), outer(b)

    @compiled
    def as_keys(self, items: list[int], a: int):
        def distance(x):
            return abs(x - a)

        order = sorted(items, key=distance)
        if not order:
            return 0, 0
        return told(order), max(items, key=lambda x: (distance(x), x))

    @compiled
    def that_use_attributes(self, rng: Rng):
        def playout(state, left):
            moves = self.game.moves(state)
            if not moves or left == 0:
                return state[1]
            return playout(self.game.play(state, rng.choice(moves)), left - 1)

        return playout((7, 0), 9), playout((3, 1), 2), rng.below(100)

    @compiled
    def with_tables(self, items: list[int]):
        known = {}

        def value(x, depth):
            if depth == 0:
                return x
            key = (x, depth)
            if key in known:
                return known[key]
            found = value((x * 3) % 11, depth - 1) + value((x + 1) % 7, depth - 1)
            known[key] = found
            return found

        return told([value(x, 4) for x in items]), len(known)

    @compiled
    def whose_result_widens(self, a: int):
        total = 0

        def half():
            nonlocal total
            total = total + 0.5
            return total

        return half(), total + a, half()


class Kept(Part):
    """Variables outside that refer to what an inner function has created."""

    @compiled
    def tuples_of_any_length(self, items: list[int], a: int):
        best, total = (0, tuple(items)), 0

        def look(x):
            nonlocal best
            best = (x, tuple([x + y for y in items]))

        for x in items:
            look(x)
            total = (total * 31 + told(best[1]) + self.others(items, a)) % 1000003
        return total, best[0], told(best[1])

    @compiled
    def rows(self, items: list[int], a: int):
        board, total = [[a, x] for x in (1, 2, 3)], 0
        row = board[0]

        def look(x):
            nonlocal row
            board[1] = [x, 2, x + 1]
            row = board[1]

        for x in items:
            look(x)
            total = (total * 31 + told(row) + self.others(items, a)) % 1000003
        return total, told(row)

    def others(self, items, a):
        rows = [[x, a, 1] for x in items]
        return len(rows) + sum(told(row) for row in rows)


@pytest.mark.parametrize(("cls", "name"), claims(Inner, Kept))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)


class Refused(Part):
    @compiled
    def too_early(self, a: int):
        def look():
            return later

        found = 0
        if a > 100:
            found = look()
        later = a
        return found + later

    @compiled
    def generator(self, a: int):
        def some():
            yield a

        return sum(some())

    @compiled
    def list_outside(self, a: int):
        best = [1, 2]

        def look(x):
            nonlocal best
            best = [x, x + 1]

        look(a)
        return sum(best)


def test_what_does_not_compile_says_so():
    with pytest.raises(CannotCompile, match="later may not be set yet when look is called"):
        both(Refused, "too_early", 1)
    with pytest.raises(CannotCompile, match="a generator defined within a function does not compile"):
        both(Refused, "generator", 1)
    with pytest.raises(
        CannotCompile, match="an inner function cannot assign a list to best, a variable outside"
    ):
        both(Refused, "list_outside", 1)
