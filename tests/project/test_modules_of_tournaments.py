"""A tournament and its leaderboard run through few modules, so that few have to be read to follow one."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from paths import ROOT

# modules that a serial tournament and its leaderboard run through, besides those of the compiler
MOST = {"tournament": 70, "leaderboard": 32}


@pytest.mark.slow
def test_a_tournament_runs_through_few_modules():
    """Two plain entries, two compiled ones and a learner; counted by `sys.setprofile`."""
    program = ROOT / "benchmarks" / "modules.py"
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    counts = {name: int(n) for name, n in re.findall(r"^(\w+): (\d+) modules", done.stdout, re.MULTILINE)}
    assert counts.keys() == MOST.keys()
    assert all(20 < counts[name] <= most for name, most in MOST.items()), counts
