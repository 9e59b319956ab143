"""Processes that need the same program at the same time compile it once."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
from arena.compiler import is_compiled, program, with_compiled_rules
from arena.registry.plugins import registry

lowered = program.lowered

def noted(game, add, what):
    with open(sys.argv[1], "a") as file:
        file.write("lowered\\n")
    return lowered(game, add, what)

program.lowered = noted
assert is_compiled(with_compiled_rules(registry().spec("game", "tic-tac-toe").make()))
"""


@pytest.mark.skipif("ARENA_COMPILED" in os.environ, reason="nothing is compiled")
def test_a_program_is_compiled_once(tmp_path):
    environment = {**os.environ, "ARENA_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "noted")]
    processes = [subprocess.Popen(command, env=environment) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert (tmp_path / "noted").read_text().split() == ["lowered"]
