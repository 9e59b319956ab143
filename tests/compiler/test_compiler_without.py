"""Where LLVM cannot be had everything plays on as plain Python, after one line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

WITHOUT = """
import sys
sys.modules["llvmlite"] = None
from arena.cli import main
main()
"""


@pytest.mark.slow
def test_without_llvm_everything_plays_plainly_after_one_line(tmp_path):
    command = [sys.executable, "-c", WITHOUT, "match", "greedy", "minimax", "--matches", "4", "--seed", "1"]
    env = {**os.environ, "ARENA_CACHE": str(tmp_path), "ARENA_COMPILED": "1"}
    done = subprocess.run(
        [*command, "--executor", "serial"], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    plain = subprocess.run(
        [*command, "--executor", "serial"],
        env={**env, "ARENA_COMPILED": "0"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    warnings = [line for line in done.stderr.splitlines() if line.startswith("Warning")]
    assert len(warnings) == 1
    assert "install llvmlite" in warnings[0]
    assert done.stdout == plain.stdout
