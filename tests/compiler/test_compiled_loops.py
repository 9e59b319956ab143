"""Loops: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import pytest

from both_ways import Part, both_cases, claims, compiled
from language import CORNERS


class Loops(Part):
    """While and for."""

    @compiled
    def ranges(self, a: int, b: int):
        total = 0
        for i in range(a, b):
            total = total * 7 + i & 0xFFFFFF
        for i in range(b):
            total += i
        for i in range(a, 20, 3):
            total = total * 5 - i & 0xFFFFFF
        for i in range(b, -9, -2):
            total = total * 3 + i & 0xFFFFFF
        return total

    @compiled
    def ranges_backwards(self, a: int, b: int):
        total = 0
        for i in reversed(range(a & 15)):
            total = total * 7 + i & 0xFFFFFF
        for i in reversed(range(a, b)):
            total = total * 7 + i & 0xFFFFFF
        return total

    @compiled
    def the_variable_belongs_to_the_body(self, a: int):
        total = 0
        for i in range(5):
            total += i
            i += a
            total += i
        return total, i

    @compiled
    def bounds_are_reckoned_once(self, a: int):
        n, total = a & 7, 0
        for i in range(n):
            n += 1
            total += i * n
        return total, n

    @compiled
    def breaks_and_else(self, a: int, b: int):
        for i in range(a & 7):
            if i == b:
                found = i
                break
            if i == 2:
                continue
        else:
            found = -1
        n = 0
        while n < 10:
            n += 1
            if n == b:
                break
            if n % 3:
                continue
            found += n
        else:
            found += 100
        return found, n

    @compiled
    def loops_in_loops(self, a: int, b: int):
        total = 0
        for i in range(a & 7):
            for j in range(b & 7):
                if j > i:
                    break
                if (i + j) % 3 == 0:
                    continue
                total += i * j
            else:
                total += 100
                continue
            total -= 1
        return total

    @compiled
    def endless_loops_are_left(self, a: int):
        n = abs(a) + 1
        steps = 0
        while True:
            if n == 1:
                return steps
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1

    @compiled
    def loops_that_end_by_break(self, a: int):
        n = 0
        while 1:
            n += 1
            if n * n > abs(a):
                found = n
                break
        return found

    @compiled
    def a_variable_that_is_set_later(self, a: int):
        total = 0
        for i in range(4):
            if i > 0:
                total += before
            before = i * a
        return total

    @compiled
    def a_variable_that_may_not_be_set(self, a: int):
        if a > 2:
            found = a
        for x in range(a):
            pass
        return found + x

    @compiled
    def a_choice_within_what_is_yielded(self, a: int):
        for i in range(a & 3):
            found = i
        return 1 if a & 3 == 0 else found

    @compiled
    def pairs_and_numbers(self, items: list[int], a: int):
        total = 0
        for i, x in enumerate(items):
            total = total * 3 + i * x
        for i, x in enumerate(items, 1):
            total = total * 3 + i * x
        for i, x in enumerate(items, start=a):
            total = total * 3 + i * x
        for x, y in zip(items, CORNERS):  # noqa: B905
            total += x * y
        for x, y, z in zip(items, items, (3, 2, 1), strict=False):
            total = total * 2 + x * y - z
        for i, (x, y) in enumerate(zip(items, items[1:], strict=False)):
            total += i * (x - y)
        return total

    @compiled
    def pairs_of_equally_many(self, items: list[int]):
        total = 0
        for x, y in zip(items, (3, 2), strict=True):
            total += x * y
        return total

    @compiled
    def numbers_change_their_kind(self, a: int):
        x = 0
        for i in range(abs(a) % 5):
            x = x / 2 + i
        y = a > 2
        if a > 1:
            y = 7
        return x, y

    @compiled
    def deep_ones(self, a: int):
        n = 0
        for i in range(3):
            j = 0
            while j < 3:
                j += 1
                for k in (1, 2, 3):
                    if k == i:
                        continue
                    if k + j == a:
                        break
                    n += k
                else:
                    n += 50
                if n > 300:
                    return n, i
        return n, -1


class Cases(Part):
    """`match`, and loops over `map` and `filter`."""

    @compiled
    def of_numbers(self, a: int, b: int):
        match a:
            case 0:
                return 1
            case 1 | -1:
                found = 2
            case _ if b > 3:
                found = 3
            case 7 if b < 0:
                found = 4
            case _:
                found = 5
        return found + a

    @compiled
    def of_pairs(self, a: int, b: int):
        total = 0
        for i in range(4):
            match (i - a, b):
                case (0, _):
                    total += 1
                case (1 | 2, 0):
                    total += 10
                    continue
                case (_, 3):
                    break
            total = total * 2 & 0xFFFF
        return total

    @compiled
    def without_a_case(self, a: int):
        match a:
            case 1:
                a = 5
            case 2:
                a = 7
        return a

    @compiled
    def of_none(self, a: int):
        found = None
        if a > 2:
            found = a
        match found:
            case None:
                return -1
            case 5:
                return 50
        return 0

    def is_odd(self, x: int) -> bool:
        return x % 2 == 1

    @compiled
    def mapped_and_filtered(self, a: int, b: int):
        items = [a & 7, b & 7, 3, 4, 5]
        total = sum(map(lambda x: x * x, filter(self.is_odd, items)))
        for x in filter(lambda x: x > 3, items):
            if x == 5:
                break
            total = total * 3 + x & 0xFFFF
        odd = list(filter(self.is_odd, range(a & 15)))
        return total, len(odd), max(map(negative, items)), sorted(map(negative, odd))[-1] if odd else 0

    @compiled
    def kept_by_truth(self, a: int):
        return len(list(filter(lambda x: x & 3, range(a & 15))))


def negative(x):
    return -x


@pytest.mark.parametrize(("cls", "name"), claims(Loops, Cases))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)
