"""A game that is explored: its rules may hang or crash, and nobody waits for them."""

from __future__ import annotations

import os
import re
import signal
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from arena.analysis.exploring import Exploring, explored
from arena.analysis.graph import graph_of
from arena.registry.plugins import registry
from arena.workers.loop import work_off
from arena.workers.pools import Serial, Threads, Workers, working
from arena.workers.processes import Processes
from commands import arena
from running import until
from tiers import slow

proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

PILE = """
import os, sys
from arena import Game, hookimpl

@hookimpl
def register_games(register): register("pile", "piles:Pile")

class Pile(Game):
    "Whoever takes the last of thirty wins."
    max_moves = 2
    fault = int(os.environ.get("FAULT", "0"))
    def initial(self):
        return (30, 0)
    def moves(self, state):
        while self.fault == 1 and state[0] == 9:
            pass
        return [n for n in (1, 2) if n <= state[0]]
    def play(self, state, move):
        return (state[0] - move, 1 - state[1])
    def to_move(self, state):
        return state[1]
    def value(self, state):
        return -1
"""
EXACT = ("match", "random", "first", "--game", "pile", "--exact")


def all_of(name, executor):
    """The outline of a game, and what was told meanwhile."""
    told = []
    with Workers(executor, 2).opened() as pool:
        spec = registry().spec("game", name)
        found = explored(spec, 60.0, "", pool, lambda *counts: told.append(counts))
    return found, told


@pytest.mark.parametrize(
    "executor", [Serial, *slow(Threads, Processes)], ids=lambda executor: executor.__name__
)
@pytest.mark.parametrize("name", ["tic-tac-toe", *slow("checkers-4x4")])
def test_what_a_worker_finds_is_the_graph(name, executor):
    found, told = all_of(name, executor)
    graph = graph_of(registry().spec("game", name).make())
    for part in ("first", "movers", "values", "after"):
        assert getattr(found, part).tolist() == getattr(graph, part).tolist()
    assert told == sorted(told)
    assert len(told) > 3
    assert told[-1] == (len(graph), len(graph))


def test_a_worker_that_is_gone_is_made_up_for():
    spec = registry().spec("game", "tic-tac-toe")
    with working(Processes, 1) as pool:
        exploring = Exploring(spec, 60.0, "", False, pool)
        for at, _ in enumerate(work_off(exploring, 1, threading.Event())):
            if at in (2, 3):
                for worker in pool.workers:
                    os.kill(worker.process.pid, signal.SIGKILL)
    assert len(exploring.outline) == 5478


@pytest.mark.parametrize("compiled", ["0", pytest.param("1", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_rules_that_hang_are_the_games_fault(tmp_path, plugin, compiled):
    env = {**plugin(piles=PILE), "FAULT": "1", "ARENA_COMPILED": compiled}
    done = arena(tmp_path, *EXACT, "--stall-seconds", "1", status=1, **env)
    told = r"Error: game pile failed: ran for over 1 s, at piles.py:\d+ in \w+\n"
    assert re.fullmatch(told, done.stderr)


@proc
@pytest.mark.parametrize("compiled", ["0", pytest.param("1", marks=pytest.mark.slow)])
@pytest.mark.slow
@pytest.mark.slow
def test_ctrl_c_ends_rules_that_hang(tmp_path, plugin, launch, compiled):
    env = {**plugin(piles=PILE), "FAULT": "1", "ARENA_COMPILED": compiled}
    running = launch(*EXACT, "--stall-seconds", "600", **env)
    assert until(lambda: max(map(seconds_of_work, running.running()), default=0) > 2)
    running.send(signal.SIGINT, group=True)
    done = running.ended(10)
    assert done.returncode == 130
    assert done.stderr.splitlines()[1:] == ["Stopped; exact results are recorded only when all are complete."]
    assert running.nothing_left()


@proc
@pytest.mark.slow
def test_ctrl_c_ends_rules_that_hang_when_blunders_are_counted(tmp_path, plugin, launch):
    args = ("--game", "pile", "--entry", "random", "--entry", "first", "--rounds", "3")
    arena(tmp_path, "tournament", *args, **plugin(piles=PILE))
    running = launch("leaderboard", "--blunders", **plugin(piles=PILE), FAULT="1")
    assert until(lambda: max(map(seconds_of_work, running.running()), default=0) > 2)
    running.send(signal.SIGINT, group=True)
    done = running.ended(10)
    assert done.returncode == 130
    stopped = "Stopped before all moves were judged; leave --blunders out"
    assert done.stderr.splitlines()[-1].startswith(stopped)
    assert running.nothing_left()


def seconds_of_work(process):
    """That a process has had of a processor."""
    with suppress(OSError):
        user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return 0
