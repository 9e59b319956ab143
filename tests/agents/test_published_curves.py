"""The learning curves published of connect four and checkers: what is said of them is what the files hold."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from statistics import fmean, stdev

import pytest

from curve_files import asked, rows, there
from paths import ROOT

LEADERBOARDS = ROOT / "leaderboards"
FOLDERS = ("connect-four", "checkers")
CURVES = [
    path
    for folder in FOLDERS
    for path in sorted((LEADERBOARDS / folder).glob("*.csv"))
    if path.name != "published.csv"
]
COUNTS = ("wins", "draws", "losses")
each = pytest.mark.parametrize("path", CURVES, ids=lambda path: path.stem)


def readme(folder):
    return (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_pages_and_figures_come_out_to_the_letter(tmp_path):
    subprocess.run([sys.executable, LEADERBOARDS / "curves.py", "--to", tmp_path], check=True)
    for folder in FOLDERS:
        written = {path.name for path in (tmp_path / folder).iterdir()}
        figures = {path.name for path in (LEADERBOARDS / folder).glob("*.svg")}
        assert written == {"README.md", *figures}
        assert len(figures) == len([path for path in CURVES if path.parent.name == folder]) > 1
        for name in written:
            there = (LEADERBOARDS / folder / name).read_text(encoding="utf-8")
            assert (tmp_path / folder / name).read_text(encoding="utf-8") == there


@each
def test_the_page_has_the_command_of_each_file(path):
    name = f"leaderboards/{path.parent.name}/{path.name}"
    (line,) = re.findall(rf"^arena train .* --curve {name} .*$", readme(path.parent), re.MULTILINE)
    assert asked(line) == there(path)


@each
def test_a_table_says_what_the_file_holds(path):
    section = readme(path.parent).partition(f"]({path.stem}.svg)")[2].partition("```sh")[0]
    scores, records = map(cells, section.split("Matches won, drawn and lost"))
    percents, counts = defaultdict(list), defaultdict(Counter)
    for row in rows(path):
        n, opponent = int(row["episodes"]), row["opponent"]
        percents[n, f"{opponent}, as {('first', 'second')[int(row['seat']) - 1]}"].append(percent(row))
        counts[n, opponent] += Counter({name: int(row[name]) for name in COUNTS})
    assert scores == {where: shown(values) for where, values in percents.items()}
    assert records == {
        where: " / ".join(f"{count[name]:,}" for name in COUNTS) for where, count in counts.items()
    }


def cells(text):
    """The cells of a table by number of episodes and heading."""
    (_, *heads), _, *lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line[:1] == "|"]
    return {
        (int(n.replace(",", "")), head): cell
        for n, *row in lines
        for head, cell in zip(heads, row, strict=True)
    }


def test_q_learning_over_abstract_states_wins_where_the_published_program_did_not():
    """Of 2500 games, in training, against depth 2: none."""
    won = Counter()
    for name in ("transition-q", "transition-q-replies"):
        for row in rows(LEADERBOARDS / "checkers" / f"{name}.csv"):
            won[name, int(row["episodes"]), row["opponent"]] += int(row["wins"])
    for depth in (1, 2, 3):
        opponent = f"alpha-beta:depth={depth},evaluation=material"
        assert won["transition-q", 2500, opponent] > 0
        for episodes in (2500, 250_000):
            assert won["transition-q-replies", episodes, opponent] > won["transition-q", episodes, opponent]


def test_sarsa_beats_search_as_deep_without_an_evaluation_and_with_one():
    for name, opponents in (("connect-four", 2), ("checkers", 1)):
        scores = defaultdict(list)
        for row in rows(LEADERBOARDS / name / "sarsa.csv"):
            if row["episodes"] == "10000" and "depth=4" in row["opponent"]:
                scores[row["opponent"]].append(percent(row))
        assert len(scores) == opponents
        assert min(map(fmean, scores.values())) > 55


def percent(row):
    wins, draws, losses = (int(row[name]) for name in COUNTS)
    return 100 * ((wins + draws / 2) / (wins + draws + losses))


def shown(values):
    return f"{fmean(values):.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "")


@each
def test_a_figure_is_a_file_of_its_own_with_a_background(path):
    figure = ET.parse(path.with_suffix(".svg")).getroot()
    assert figure.tag == "{http://www.w3.org/2000/svg}svg"
    background = figure.find("{*}rect")
    assert background.get("fill") == "#ffffff"
    for side in ("width", "height"):
        assert background.get(side) == figure.get(side)
    assert "currentColor" not in figure.attrib.values()
