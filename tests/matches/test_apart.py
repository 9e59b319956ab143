"""Agents in processes of their own: what is not counted as their time."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import replace
from multiprocessing import current_process

import pytest

import arena
from arena import Agent
from arena.api.limits import UNLIMITED
from arena.api.spec import Spec
from arena.compiler import cache, host, program
from arena.compiler.rules import rules_or_why
from arena.matches import children as processes
from arena.matches.agent_process import Listening
from arena.matches.children import Children
from arena.matches.isolated_matches import play_apart, play_one
from arena.matches.match import Told
from arena.matches.remote_agent import Child, Remote
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.settings import Settings
from arena.sandbox import Sandboxed
from arena.workers.processes import Processes
from arena.workers.worker import DEADLINE, WORDS, ProcessWatch, Watch, Worker, current, own_watch
from tiers import slow

GAME = Spec("tic-tac-toe", "arena_games.tic_tac_toe:TicTacToe", {})
STALL = 0.5

if current_process().name == "arena-player":  # an agent's process takes longer to import this
    time.sleep(2 * STALL)


class Slow(Child):
    """A process that takes longer to be started than an agent may think."""

    def __init__(self, *args):
        time.sleep(2 * STALL)
        super().__init__(*args)


class Recorded(ProcessWatch):
    """Whether somebody was overdue when it became another's turn, as the process outside would see it."""

    def __init__(self):
        self.overdue = []
        super().__init__([0] * WORDS, print)

    def turn(self, *args):
        self.overdue.append(0 < self.mark[DEADLINE] < time.monotonic_ns())
        super().turn(*args)


@pytest.mark.slow
def test_to_start_its_process_takes_nothing_of_an_agents_time(monkeypatch):
    """Else who sits first would be ended for what the machine takes to start an interpreter."""
    monkeypatch.setattr(processes, "Child", Slow)
    said = Settings(game="tic-tac-toe", entries=["random", "first"], seed=1, stall_seconds=STALL)
    plan = complete(said, registry())[1]
    children, watch = Children(), Recorded()
    try:
        record, _ = play_one(plan, plan.game.make(), 0, children, watch)
    finally:
        children.close()
    assert record.reason == "rules"
    assert not any(watch.overdue)


def rules_found(pipe, game):
    """Send whether compiled rules are there without being made again."""
    host.set(Listening(keeps=False))
    program.produced = None
    pipe.send_bytes(json.dumps(bool(rules_or_why(game.make()))).encode())


@pytest.mark.skipif("ARENA_COMPILED" in os.environ, reason="nothing is compiled")
def test_a_sandboxed_process_finds_compiled_rules():
    game = registry().spec("game", "connect-four")
    assert rules_or_why(game.make())
    folder = str(cache())
    asked = {"targets": ["test_apart", "tiers"], "files": [folder], "environment": {"ARENA_CACHE": folder}}
    process = Sandboxed(rules_found, game, **asked)
    try:
        assert process.channel.receive(20.0, 100) == b"true"
    finally:
        process.close()


class Illegal(Agent):
    def choose(self, state, moves, rng):
        return "the middle"


@pytest.mark.slow
def test_whose_opponent_forfeits_plays_on_in_its_process(monkeypatch):
    started = []

    class Counted(Child):
        def __init__(self, spec, *args):
            started.append(spec.text)
            super().__init__(spec, *args)

    monkeypatch.setattr(processes, "Child", Counted)
    said = Settings(game="tic-tac-toe", entries=["first", "random"], rounds=2, seed=1)
    plan = complete(said, registry())[1]
    plan = replace(plan, entries=(Spec("illegal", "test_apart:Illegal", {}), plan.entries[1]))
    worker, context = Worker(own_watch), copy_context()
    context.run(current.set, worker)
    try:
        records, left, _ = context.run(play_apart, plan, range(4), True)
    finally:
        worker.close()
    assert [(record.reason, record.loser) for record in records] == 4 * [("illegal move", 0)]
    assert not left
    assert Counter(started) == {"illegal": 4, "random": 1}


@pytest.mark.parametrize(
    ("gigabytes", "processors", "kept"), [(16, 8, 64), (24, 2, 384), (64, 16, 128), (0, 4, 64)]
)
def test_as_many_idle_processes_are_kept_as_a_fourth_of_the_memory_has_room_for(
    monkeypatch, gigabytes, processors, kept
):
    monkeypatch.setattr(processes, "memory", lambda: gigabytes << 30)
    monkeypatch.setattr(processes, "default_workers", lambda: processors)
    assert Children().most == kept


@pytest.mark.slow
def test_where_all_play_behind_walls_no_other_workers_are_begun(monkeypatch):
    monkeypatch.setattr(Processes, "another", None)
    found = arena.match("random", "first", matches=4, isolate=True, seed=1, workers=1)
    assert found.played == 4
    assert not found.forfeits


class Starved(Child):
    """A process that had no processor for most of the time."""

    share = 0.9
    asked_at = 0.0

    def waited(self):
        self.asked_at = self.asked_at or time.perf_counter()
        return self.share * (time.perf_counter() - self.asked_at)


class Thinks(Agent):
    """For longer than it may."""

    def choose(self, state, moves, rng):
        time.sleep(3 * STALL)
        return moves[0]


class Waits(Thinks):
    def overdue(self):
        return "the oracle\nis silent"


class Breaks(Thinks):
    def overdue(self):
        raise SystemExit("neither can it say why")


class Numbers(Thinks):
    overdue = 7


class Hangs(Thinks):
    def overdue(self):
        time.sleep(60)


@pytest.mark.slow
@pytest.mark.parametrize("cls", [Waits, *slow(Breaks, Numbers, Hangs)])
def test_who_is_overdue_says_why_or_else_its_line_is_told(cls):
    child = Child(Spec("waits", f"test_apart:{cls.__name__}", {}), GAME, UNLIMITED, False)
    remote = Remote(child, Watch(), (0, 0), STALL)
    try:
        remote.begin(0)
        with pytest.raises(Told) as told:
            remote.ask("choose", GAME.make().initial(), [1, 2], [1, 2], ())
    finally:
        child.close()
    why, line = (": the oracle\\nis silent", False) if cls is Waits else ("", True)
    assert str(told.value) == f"no move within {STALL:g} s{why}"
    assert bool(told.value.place) == line


@pytest.mark.slow
@pytest.mark.parametrize(("share", "stalls"), [(0.9, False), *slow((0.0, True))])
def test_while_no_processor_is_free_nobody_is_overdue(share, stalls):
    child = Starved(Spec("thinks", "test_apart:Thinks", {}), GAME, UNLIMITED, False)
    child.share = share
    remote = Remote(child, Watch(), (0, 0), STALL)
    try:
        remote.begin(0)  # its imports have taken nothing of its time
        with pytest.raises(Told, match=f"^no move within {STALL:g} s$") if stalls else nullcontext():
            assert remote.ask("choose", GAME.make().initial(), [1, 2], [1, 2], ()).move == 0
    finally:
        child.close()
