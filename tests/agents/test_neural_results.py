"""The results of neural-q: pages are what their script makes of the files, and the files are whole."""

from __future__ import annotations

import csv
import subprocess
import sys
from statistics import fmean

import pytest

from paths import ROOT

LEADERBOARDS = ROOT / "leaderboards"
FOLDER = LEADERBOARDS / "neural"
PAGES = {
    "README.md": FOLDER / "README.md",
    "published.csv": FOLDER / "published.csv",
    "neural.md": ROOT / "docs" / "agents" / "neural.md",
}
EXACT = [
    path for path in sorted(FOLDER.glob("*.csv")) if path.read_text(encoding="utf-8").startswith("entry,seed")
]
README = PAGES["README.md"].read_text(encoding="utf-8")


def rows(name):
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_pages_come_out_to_the_letter(tmp_path):
    subprocess.run([sys.executable, LEADERBOARDS / "neural.py", "--to", tmp_path], check=True)
    assert {path.name for path in tmp_path.iterdir()} == {*PAGES}
    for name, path in PAGES.items():
        assert (tmp_path / name).read_text(encoding="utf-8") == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [path.name for path in EXACT])
def test_each_seed_is_evaluated_against_all_from_either_seat(name):
    found = {}
    for row in rows(name):
        assert sum(float(row[end]) for end in ("won", "drawn", "lost")) == pytest.approx(1)
        found.setdefault((row["entry"], row["seed"]), []).append((row["opponent"], row["seat"]))
    met = {(opponent, seat) for opponent in ("random", "minimax", "minimax:ties=first") for seat in "12"}
    assert all({*pairs} == met | {("itself", "1")} and len(pairs) == 7 for pairs in found.values())


@pytest.mark.parametrize("seat", ["1", "2"])
def test_the_page_says_what_was_won_against_random(seat):
    won = [100 * float(r["won"]) for r in rows("published-seeds.csv") if r["opponent"] == "random"][
        int(seat) - 1 :: 2
    ]
    section = README.partition("### As published\n")[2].partition("\n###")[0]
    (line,) = (
        line
        for line in section.splitlines()
        if line.startswith(f"| `random` | {('X, first', 'O, second')[int(seat) - 1]} ")
    )
    assert line.split("|")[3].split("±")[0].strip() == f"{fmean(won):.1f}"


def test_matches_at_checkers_are_all_there():
    found = {}
    for row in rows("matches.csv"):
        count = sum(int(row[end]) for end in ("won", "drawn", "lost"))
        assert count == (500 if row["opponent"] == "random" else 100)
        found.setdefault(row["seed"], set()).add((row["opponent"], row["games"], row["seat"]))
    each = {("random", n, seat) for n in ("100", "1000", "10000", "40000", "100000") for seat in "12"}
    each |= {
        (voter, n, seat)
        for voter in ("psv", "lines and captures")
        for n in ("1000", "10000", "100000")
        for seat in "12"
    }
    assert all(there == each for there in found.values())
    assert {row["seed"] for row in rows("seconds.csv")} == {*found}
