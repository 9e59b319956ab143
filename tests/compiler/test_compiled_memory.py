"""Dictionaries of compiled code against Python's own, and memory that does not grow, over many operations."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import hobby_agents
import student_agents
from arena import Rng, derive
from arena.compiler import reason
from arena_games.tic_tac_toe import TicTacToe
from both_ways import Part, both, compiled

MINUTES = float(os.environ.get("ARENA_MINUTES", "10"))  # of the campaign
OPERATIONS = 1_000_000
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
STATM = Path("/proc/self/statm")
GROWTH = 4 << 20  # bytes that the process may grow by


class Operations(Part):
    """Draws operations on a dictionary with ints as keys, one with tuples, and a set."""

    def prepare(self):
        self.numbers = {0: 0}
        self.pairs = {(0, 0): 0.5}
        self.known = {0}

    @compiled
    def run(self, count: int, rng: Rng) -> int:
        total = 0
        for i in range(count):
            key, what = rng.below(5000) - 2500, rng.below(13)
            if what == 0:
                self.numbers[key] = i
            elif what == 1:
                self.pairs[key, key & 7] = i / 8
            elif what == 2:
                self.known.add(key)
            elif what == 3:
                total += self.numbers.get(key, -1)
            elif what == 4:
                total += int(self.pairs.get((key, key & 7), 0.0))
            elif what == 5:
                total += key in self.known
            elif what == 6:
                total += self.numbers.pop(key, 7)
            elif what == 7 and key in self.numbers:
                del self.numbers[key]
            elif what == 8:
                self.known.discard(key)
            elif what == 9:
                total += self.numbers.setdefault(key, i)
            elif what == 10 and (key, key & 7) in self.pairs:
                self.pairs[key, key & 7] += 1
            elif what == 11 and key == 1:
                self.numbers.clear()
                self.known.clear()
            else:
                total += len(self.numbers) + len(self.pairs) + len(self.known)
            total &= 0xFFFFFFFF
        for key, value in self.numbers.items():
            total = total * 31 + key * 7 + value & 0xFFFFFFFF
        for x, y in self.pairs:
            total = total * 31 + x * 7 + y & 0xFFFFFFFF
        return total


def test_dictionaries_do_what_pythons_do_in_thousands_of_operations():
    both(Operations, "run", 20_000, Rng(4))


@pytest.mark.slow
def test_they_do_in_a_million():
    _, error = both(Operations, "run", OPERATIONS, Rng(5))
    assert error is None


def resident():
    """The memory of this process in bytes."""
    return int(STATM.read_text().split()[1]) * PAGE


AGENTS = (
    (student_agents.Mcts, {"playouts": 20}),
    (student_agents.History, {}),
    (hobby_agents.TreeSearch, {"iterations": 20}),
    (hobby_agents.KillerHistory, {"depth": 3}),
    (hobby_agents.BreadthFirst, {"budget": 100}),
    (hobby_agents.Playouts, {"n": 3}),
)


def play(agents, rng):
    """One match of each agent against itself."""
    for agent in agents:
        state = agent.game.initial()
        while moves := list(agent.game.moves(state)):
            state = agent.game.play(state, agent.choose(state, moves, rng))


@pytest.mark.skipif(not STATM.exists(), reason="the memory of a process is read from /proc")
@pytest.mark.parametrize(
    "seconds",
    [pytest.param(0.5, marks=pytest.mark.slow), pytest.param(60 * MINUTES, marks=pytest.mark.campaign)],
)
def test_memory_does_not_grow_in_matches_with_nodes_and_dictionaries(seconds):
    agents = [cls(TicTacToe(), **options) for cls, options in AGENTS]
    assert [reason(agent) for agent in agents] == [None] * len(agents)
    rng = Rng(derive(1))
    for _ in range(50):
        play(agents, rng)
    before, end = resident(), time.monotonic() + seconds
    while time.monotonic() < end:
        play(agents, rng)
    assert resident() < before + GROWTH
