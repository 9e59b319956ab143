"""The learning curves published of connect four and checkers: what is said of them is what the files hold."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from statistics import fmean, stdev

import pytest
from curve_files import asked, rows, there

LEADERBOARDS = Path(__file__).parents[1] / "leaderboards"
FOLDERS = ("connect-four", "checkers")
CURVES = [path for folder in FOLDERS for path in sorted((LEADERBOARDS / folder).glob("*.csv"))]
each = pytest.mark.parametrize("path", CURVES, ids=lambda path: path.stem)


def readme(folder):
    return (folder / "README.md").read_text(encoding="utf-8")


def test_pages_and_figures_come_out_to_the_letter(tmp_path):
    subprocess.run([sys.executable, LEADERBOARDS / "curves.py", "--to", tmp_path], check=True)
    for folder in FOLDERS:
        written = {path.name for path in (tmp_path / folder).iterdir()}
        figures = {path.name for path in (LEADERBOARDS / folder).glob("*.svg")}
        assert written == {"README.md", *figures}
        assert len(figures) == len(list((LEADERBOARDS / folder).glob("*.csv"))) > 1
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
    heads, _, *lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:1] == "|"]
    told = {int(cells[0].replace(",", "")): dict(zip(heads[1:], cells[1:], strict=True)) for cells in lines}
    found = {}
    for row in rows(path):
        head = f"{row['opponent']}, as {('first', 'second')[int(row['seat']) - 1]}"
        found.setdefault(int(row["episodes"]), {}).setdefault(head, []).append(percent(row))
    assert told == {
        n: {head: shown(values) for head, values in columns.items()} for n, columns in found.items()
    }


def percent(row):
    wins, draws, losses = (int(row[name]) for name in ("wins", "draws", "losses"))
    return 100 * (wins + draws / 2) / (wins + draws + losses)


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
