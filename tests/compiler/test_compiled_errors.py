"""Errors: what is written here does the same compiled as it does as plain Python."""

from __future__ import annotations

import pytest

from both_ways import Part, both_cases, claims, compiled


class Raised(Exception):
    """An author's own."""


class Errors(Part):
    """What is raised: its class, and its text up to the place."""

    def prepare(self):
        self.steps = 0
        self.never = False

    @compiled
    def raised(self, a: int):
        self.steps += 1
        if a == 1:
            raise ValueError("one is not it")
        if a == 2:
            raise Raised("two")
        if a == 3:
            raise NotImplementedError
        if a == 5:
            raise IndexError()
        self.steps += 1
        return self.checked(a)

    def checked(self, a):
        self.steps += 10
        if a < -3:
            raise KeyError("low")
        assert a != 8, "eight is too many"
        self.steps += 10
        return a

    @compiled
    def divided_by_nothing(self, a: int, b: int):
        return a // (b - b % 3), b % a

    @compiled
    def fractions_divided_by_nothing(self, a: float, b: float):
        self.steps = 1
        return a / b, a // b, a % b

    @compiled
    def in_generators(self, a: int):
        total = 0
        for x in self.numbers(a):
            total += x
            self.steps = total
        return total

    def numbers(self, a):
        yield 1
        if a > 2:
            raise Raised("beyond")
        yield a

    @compiled
    def not_set_in_what_is_false_anyway(self, a: int):
        if a > 3:
            late = a
        if (not late) and (self.never and late):
            self.steps = 7
        self.steps = 5
        if 0 < soon < 1 > 2 and a < 3:
            self.steps = 7
        soon = a
        return late

    @compiled
    def nothing_to_the_power_of_less(self, a: float):
        return abs(a) ** -1.5


@pytest.mark.parametrize(("cls", "name"), claims(Errors))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)
