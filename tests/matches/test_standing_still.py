"""A machine that sleeps, or everything stopped at once, costs nobody a match."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from records import query
from running import Running, until

SLOW = """
import os, time
from pathlib import Path
from arena import Agent, hookimpl

@hookimpl
def register_agents(register):
    register("slow", "slow_one:Slow")

class Slow(Agent):
    "Takes a second a move, once."
    def prepare(self):
        self.first = True
    def choose(self, state, moves, rng):
        if self.first and not Path(os.environ["BEGUN"]).exists():
            Path(os.environ["BEGUN"]).touch()
            time.sleep(1)
        return moves[0]
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
@pytest.mark.slow
def test_what_stands_still_with_all_others_is_not_overdue(tmp_path, plugin):
    env = plugin(slow_one=SLOW)
    begun = tmp_path / "begun"
    args = ("slow", "random", "--matches", "2", "--seed", "1", "--stall-seconds", "2", "--record", "--json")
    running = Running(tmp_path, "match", *args, "--db", "a.db", "--workers", "1", BEGUN=str(begun), **env)
    assert until(begun.exists)
    all_of_it = running.running()
    for pid in all_of_it:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(5)
    for pid in all_of_it:
        os.kill(pid, signal.SIGCONT)
    done = running.ended(120)
    assert done.returncode == 0, done.stderr
    assert "forfeited" not in done.stderr
    assert len(json.loads(done.stdout)["pairings"]) == 2
    assert query(tmp_path / "a.db", "SELECT DISTINCT reason FROM matches") == [("rules",)]
