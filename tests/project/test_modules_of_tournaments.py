"""A tournament runs through few modules, so that few have to be read to follow one."""

from __future__ import annotations

import re
import subprocess
import sys

from paths import ROOT

MOST = 74  # modules that a serial tournament runs through, besides those of the compiler


def test_a_tournament_runs_through_few_modules():
    """Two plain entries, two compiled ones and a learner; counted by `sys.setprofile`."""
    program = ROOT / "benchmarks" / "modules.py"
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    (count,) = re.findall(r"^tournament: (\d+) modules", done.stdout, re.MULTILINE)
    assert 20 < int(count) <= MOST
