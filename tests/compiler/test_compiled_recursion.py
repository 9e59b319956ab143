"""Recursion that is too deep, and lists for which the stack has no room, raise as in plain Python."""

from __future__ import annotations

import threading

import pytest

import arena
from arena import Agent
from both_ways import GROUND, Ground, Part, both, compiled, outcome
from tiers import slow, tiers


class Deep(Part):
    @compiled
    def straight(self, n: int):
        return self.down(n)

    def down(self, n) -> int:
        return 0 if n <= 0 else 1 + self.down(n - 1)

    @compiled
    def in_turns(self, n: int):
        return self.even(n)

    def even(self, n) -> int:
        items = [1, 2, 3, 4]
        return items[0] if n <= 0 else self.odd(n - 1) + items[n % 4]

    def odd(self, n) -> int:
        return 0 if n <= 0 else self.even(n - 1)

    @compiled
    def with_lists(self, n: int):
        return len(self.grown(n))

    def grown(self, n):
        if n <= 0:
            return [n]
        items = self.grown(n - 1)
        if len(items) < 30:
            items.append(n)
        return items

    @compiled
    def without_result(self, n: int):
        self.count(n)
        return self.total

    def count(self, n) -> None:
        self.total += 1
        if n > 0:
            self.count(n - 1)

    @compiled
    def by_a_key(self, n: int):
        return self.best(n)

    def best(self, n) -> int:
        return 1 if n <= 0 else 1 + max([1, 2], key=lambda x: self.best(n - 1) if x > 1 else 0)

    def prepare(self):
        self.total = 0


DEEP = ["straight", "in_turns", "with_lists", "without_result", "by_a_key"]


@pytest.mark.parametrize("name", tiers(DEEP, quick=["in_turns"]))
def test_recursion_that_is_too_deep_raises_as_in_plain_python(name):
    for n in (0, 1, 30, 400):
        both(Deep, name, n)
    part = Deep(GROUND)
    for n in (2_000, 100_000, 10_000_000):
        with pytest.raises(RecursionError):
            getattr(part, name)(n)
    assert getattr(part, name)(0) is not None


@pytest.mark.parametrize("kilobytes", tiers([64, 256, 1024, 16 * 1024], quick=[64]))
def test_recursion_ends_in_time_in_threads_of_any_size(kilobytes):
    part, found = Deep(GROUND), []
    part.in_turns(0), part.with_lists(0)  # compiled by the main thread

    def recurse():
        for name in ("in_turns", "with_lists"):
            for n in (10, 100_000):
                found.append(outcome(part, name, [n])[:2])

    before = threading.stack_size(kilobytes << 10)
    try:
        thread = threading.Thread(target=recurse)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    deep = (None, "RecursionError")
    assert found == [(12, None), deep, (11, None), deep]


class Wide(Ground):
    """Lists take half a megabyte."""

    max_moves = 60_000


class Large(Part):
    @compiled
    def chained(self, n: int):
        return self.first(n)

    def first(self, n) -> int:
        items = sorted([n - i for i in range(n % 7 + 1)])
        return self.second(n) + items[n % len(items)]

    def second(self, n) -> int:
        items = sorted([n + i for i in range(n % 5 + 1)])
        return items[-1] + items[n % len(items)]


def test_lists_for_which_the_stack_has_no_room_raise():
    part = Large(Wide())
    assert part.chained(9) == 7 + 13 + 13  # of 7, 8, 9 and of 9, 10, 11, 12, 13
    found, before = [], threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=lambda: found.append(outcome(part, "chained", [9])[:2]))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [(None, "RecursionError")]


class Endless(Agent):
    """Calls itself without end where few moves are left."""

    def choose(self, state, moves, rng):
        return moves[self.one(3) if len(moves) < 6 else 0]

    def one(self, n) -> int:
        items = [1, 2, 3]
        return self.other(n) + items[n % 3]

    def other(self, n) -> int:
        return self.one(n)


@pytest.mark.parametrize("executor", slow("serial", "threads", "processes"))
def test_endless_recursion_costs_its_match_and_nothing_else(executor):
    found = arena.match(
        Endless, "random", game="tic-tac-toe", matches=4, seed=1, executor=executor, progress=False
    )
    assert [(each.wins, each.losses) for each in found.pairings] == [(0, 2), (2, 0)]
