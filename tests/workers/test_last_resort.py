"""A second Ctrl-C ends a command whose compiled code goes on and on in its own process."""

from __future__ import annotations

import signal
import time

import pytest

import arena
from records import query

ENDLESS = """
from arena import Agent

class Endless(Agent):
    def choose(self, state, moves, rng):
        n = 0
        while n < 1_000_000:
            n = n + 1 if n < 1000 else n
        return moves[0]
"""
HOW = ("--game", "tic-tac-toe", "--no-isolate", "--record", "--executor", "serial")


@pytest.mark.slow
def test_a_second_ctrl_c_ends_compiled_code_without_end(tmp_path, launch):
    played = {"game": "tic-tac-toe", "matches": 20, "executor": "serial", "progress": False}
    arena.match("random", "first", db=tmp_path / "arena.db", **played)
    (tmp_path / "endless.py").write_text(ENDLESS)
    command = launch("match", "endless.py", "random", "--matches", "4", *HOW, ARENA_COMPILED="1")
    time.sleep(8)  # until it is compiled, and has begun
    assert command.process.poll() is None
    for _ in range(2):
        command.send(signal.SIGINT)
        time.sleep(0.2)
    done = command.ended(10)
    assert done.returncode in (130, -signal.SIGKILL)
    assert "Error: interrupted" in done.stderr
    assert command.nothing_left()
    assert query(tmp_path / "arena.db", "SELECT count(*) FROM matches WHERE tournament = 1") == [(20,)]
