"""Every script of the project starts and comes to its end; what they measure is not looked at."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from paths import ROOT

SLOW = ("benchmarks/matches.py", "benchmarks/speed.py")  # the other benchmarks take longer
SCRIPTS = {  # with what makes them quick
    "benchmarks/bridge.py": ("--rounds", "1", "--seconds", "0.01"),
    "benchmarks/control.py": ("--quick",),
    "benchmarks/endings.py": ("--pieces", "2", "--threads", "1", "--matches", "40", "--depths", "2"),
    "benchmarks/engines.py": ("--rounds", "1"),
    "benchmarks/entries.py": ("--quick",),
    "benchmarks/intervals.py": ("--repetitions", "5"),
    "benchmarks/file_agents.py": ("--rounds", "1", "--agents", "3", "--matches", "60"),
    "benchmarks/isolation.py": ("--rounds", "1"),
    "benchmarks/compilers.py": ("--quick",),
    "benchmarks/network.py": ("--quick",),
    "benchmarks/modules.py": (),
    "benchmarks/leaderboard.py": ("--quick",),
    "benchmarks/matches.py": (),
    "benchmarks/recording.py": ("--matches", "4000", "--rounds", "1"),
    "benchmarks/readme.py": ("--quick",),
    "benchmarks/speed.py": ("--quick", "--only", "c"),
    "benchmarks/over_seeds.py": ("--repetitions", "2", "--processes", "1"),
    "benchmarks/seasons.py": ("--players", "3", "--nights", "2", "--changes", "1", "--rounds", "1"),
    "benchmarks/seeds.py": ("--repetitions", "2"),
    "benchmarks/solver.py": ("--positions", "2", "--plies", "20", "--memory", "16"),
    "benchmarks/openings.py": ("--repetitions", "2", "--entries", "2"),
    "benchmarks/stopping.py": ("--repetitions", "1", "--only", "1"),
    "benchmarks/peers.py": None,  # which speed.py starts, where the other programs are installed
    "benchmarks/writer.py": ("--quick",),
    "benchmarks/web.py": ("--rounds", "1", "--only", "ordering"),
    "examples/script.py": (),
    "leaderboards/checkers-4x4/document.py": ("--to", "."),
    "leaderboards/checkers-4x4/nodes.py": ("--quick", "--to", "nodes.csv"),
    "leaderboards/checkers-4x4/published.py": ("--help",),  # which another test runs
    "leaderboards/ablation.py": ("--list",),
    "leaderboards/checkers/order.py": ("--help",),  # likewise
    "leaderboards/checkers/published.py": ("--help",),  # another test compares what it writes
    "leaderboards/connect-four/published.py": ("--help",),  # likewise
    "leaderboards/connect-four/book.py": ("--help",),  # half an hour of search
    "leaderboards/connect-four/schedule.py": ("--to", "."),
    "leaderboards/curves.py": ("--help",),  # an hour of training
    "leaderboards/documents.py": ("--help",),  # another test compares what it writes
    "leaderboards/idea/idea.py": ("--help",),  # which another test runs at a small size
    "leaderboards/mcts/document.py": ("--help",),  # these need a plugin, and another test does as they do
    "leaderboards/mcts/equal_time.py": ("--help",),
    "leaderboards/mcts/page.py": ("--to", "."),
    "leaderboards/mcts/unbeaten.py": ("--help",),
    "leaderboards/neural.py": ("--help",),  # another test runs it
    "leaderboards/neural/checkers.py": ("--help",),  # minutes of training
    "leaderboards/neural/exact.py": ("--help",),
    "leaderboards/psv.py": ("--help",),
    "leaderboards/reproduce.py": (),
    "leaderboards/study/page.py": ("--help",),  # which another test runs
    "leaderboards/study/study.py": ("--help",),  # a day of training
    "leaderboards/publish.py": ("--help",),  # minutes, and another test does as it does
    "leaderboards/tic-tac-toe/published.py": ("--help",),  # which another test runs
    "leaderboards/tic-tac-toe/seeds.py": ("--help",),  # minutes, and another test evaluates as it does
}


def test_no_script_is_left_out():
    scripts = [
        path.relative_to(ROOT).as_posix()
        for folder in ("benchmarks", "leaderboards")
        for path in (ROOT / folder).rglob("*.py")
        if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
    ]
    assert {*scripts} <= {*SCRIPTS}
    assert all((ROOT / name).exists() for name in SCRIPTS)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.campaign if "benchmarks" in name and name not in SLOW else ())
        for name, args in SCRIPTS.items()
        if args is not None
    ],
)
@pytest.mark.slow
def test_it_comes_to_its_end(name, tmp_path):
    if "speed" in name and not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    if "web" in name and not shutil.which("node"):
        pytest.skip("node is not installed")
    if "bridge" in name:
        pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    done = subprocess.run(
        [sys.executable, str(ROOT / name), *(SCRIPTS[name] or ())],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
