"""Memory does not grow with the number of matches that are recorded."""

from __future__ import annotations

import subprocess
import sys

import pytest

PLAY = """
import resource, sys, arena
played = arena.tournament(sys.argv[2:], game="tic-tac-toe", rounds=int(sys.argv[1]), seed=1, workers=2).played
for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
    print(resource.getrusage(whose).ru_maxrss)
"""
UNIT = 1024 if sys.platform == "darwin" else 1  # of what it tells: bytes there, elsewhere KiB


def peaks(folder, rounds, *entries):
    """The most MiB that the first process had, and the largest of the others."""
    done = subprocess.run(
        [sys.executable, "-c", PLAY, str(rounds), *entries], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [int(line) / UNIT / 1024 for line in done.stdout.split()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs resource")
@pytest.mark.parametrize("entries", [("random", "first"), ("first", "minimax:depth=1,ties=first")])
def test_five_times_as_many_matches_take_no_more(tmp_path, entries):
    (tmp_path / "few").mkdir()
    (tmp_path / "many").mkdir()
    few = peaks(tmp_path / "few", 50_000, *entries)
    many = peaks(tmp_path / "many", 250_000, *entries)
    # 400,000 matches more; a list of as many whole numbers takes 3 MiB, and of as many records over 150
    for before, after in zip(few, many, strict=True):
        assert after < before + 8
