"""Memory does not grow with the number of matches that are recorded."""

from __future__ import annotations

import subprocess
import sys

import pytest

PLAY = """
import resource, sys, arena
played = arena.tournament(sys.argv[2:], game="tic-tac-toe", rounds=int(sys.argv[1]), seed=1, workers=2).played
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
MIB = 2**20 if sys.platform == "darwin" else 2**10  # of what it tells: bytes there, elsewhere KiB


def peak(folder, rounds, *entries):
    """The most MiB that the process had that records."""
    done = subprocess.run(
        [sys.executable, "-c", PLAY, str(rounds), *entries], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout) / MIB


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs resource")
@pytest.mark.parametrize(
    "entries",
    [("random", "first"), pytest.param(("first", "minimax:depth=1,ties=first"), marks=pytest.mark.campaign)],
)
def test_three_times_as_many_matches_take_no_more(tmp_path, entries):
    (tmp_path / "few").mkdir()
    (tmp_path / "many").mkdir()
    few = peak(tmp_path / "few", 100_000, *entries)
    many = peak(tmp_path / "many", 300_000, *entries)
    # 400,000 matches more; a list of as many whole numbers takes 3 MiB, of as many records over 150
    assert many < few + 8
