"""Results as tables: data frames with documented columns, Markdown and LaTeX."""

from __future__ import annotations

import pkgutil
import re
import sys
from importlib import import_module

import pytest

import arena
from arena.show.frame import DTYPES, Column, frame_of
from arena.show.grid import Grid
from arena.show.latex import latex
from arena.show.presentation import Shown, ShownSequence

EXTRA = r"^{}\(\) needs {}, which is not installed: pip install 'arena-tournament\[notebook\]'$"


def result_classes() -> list[type[Shown]]:
    """Return all classes of results but those that only others are made of."""
    for package in ("arena.calls", "arena.commands"):
        path = import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            if "templates" not in module.name and not module.name.endswith(".command"):
                import_module(module.name)
    found, left = set(), [Shown]
    while left:
        cls = left.pop()
        left += cls.__subclasses__()
        found.add(cls)
    bases = {Shown, ShownSequence}
    named = [cls for cls in found - bases if cls.__module__.startswith("arena.")]
    return sorted(named, key=lambda cls: cls.__qualname__)


def pandas():
    return pytest.importorskip("pandas", reason="needs: pip install -e '.[test-slow]'")


# --- columns ----------------------------------------------------------------------------------------------


def test_every_result_documents_the_columns_of_its_frame():
    """A list whose rows differ from call to call has them in `columns` instead."""
    for cls in result_classes():
        if issubclass(cls, arena.Listing):
            continue
        columns = cls.frame_columns
        assert columns, cls
        for name, column in columns.items():
            assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name), (cls, name)
            assert column.type in DTYPES, (cls, name)
            assert column.meaning.endswith("."), (cls, name)


def test_what_is_in_elo_points_or_seconds_is_named_for_it():
    for cls in result_classes():
        for name, column in getattr(cls, "frame_columns", {}).items():
            if "in Elo points" in column.meaning:
                assert name.endswith("_elo"), (cls, name)
            if "in seconds" in column.meaning:
                assert name.endswith("seconds"), (cls, name)


def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    found = arena.position("tic-tac-toe")
    with pytest.raises(arena.ArenaError, match=EXTRA.format("to_frame", "pandas")):
        found.to_frame()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    match = arena.Match("nim", 1, 4, 4, [arena.Pairing("a", "b", 3, 0, 1, 0, 0)], [])
    with pytest.raises(arena.ArenaError, match=EXTRA.format("plot", "matplotlib")):
        match.plot()


# --- frames -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_frame_keeps_types_where_values_are_missing():
    pandas()
    columns = {
        "n": Column(int, "A."),
        "x": Column(float, "B."),
        "s": Column(str, "C."),
        "b": Column(bool, "D."),
    }
    frame = frame_of(columns, [{"n": 2**60, "x": 0.5, "s": "a", "b": True}, {}])
    assert [str(dtype) for dtype in frame.dtypes] == ["Int64", "float64", "string", "boolean"]
    assert frame["n"][0] == 2**60
    assert frame.iloc[1].isna().all()
    assert list(frame_of(columns, []).columns) == ["n", "x", "s", "b"]


@pytest.mark.slow
def test_an_optional_column_is_there_if_a_row_has_a_value():
    pandas()
    columns = {"n": Column(int, "A."), "why": Column(str, "B.", True)}
    assert list(frame_of(columns, [{"n": 1}]).columns) == ["n"]
    assert list(frame_of(columns, [{"n": 1}, {"n": 2, "why": "late"}]).columns) == ["n", "why"]


@pytest.mark.slow
def test_the_frame_of_a_match_has_wilsons_interval():
    """Wilson's interval at 8 of 10 is 0.4902 to 0.9433, as in tables (Newcombe 1998)."""
    pandas()
    pairing = arena.Pairing("a", "b", 8, 0, 2, 0, 0)
    match = arena.Match("nim", 1, 10, 10, [pairing], [])
    (row,) = match.to_frame().to_dict("records")
    assert (row["first"], row["second"], row["matches"], row["score"]) == ("a", "b", 10, 0.8)
    assert row["score_low"] == pytest.approx(0.4902, abs=5e-5)
    assert row["score_high"] == pytest.approx(0.9433, abs=5e-5)


@pytest.mark.slow
def test_frames_of_a_tournament_are_narrow_and_say_the_same_as_its_rows(tmp_path):
    pandas()
    found = arena.tournament(
        ["minimax", "first", "random"], game="tic-tac-toe", rounds=2, seed=1, db=tmp_path / "a.db",
        executor="serial",
    )  # fmt: skip
    frame = found.to_frame()
    assert len(frame.columns) == 12
    assert list(frame["entry"]) == [row.entry for row in found.leaderboard.rows]
    assert list(frame["rating_elo"]) == [row.rating for row in found.leaderboard.rows]
    pairings = found.to_frame("pairings")
    assert len(pairings) == 6
    assert pairings["matches"].sum() == found.played == 12
    with pytest.raises(arena.ArenaError, match="no figure of kind 'pairing', did you mean 'pairings'"):
        found.to_frame("pairing")
    assert list(arena.tournaments.show(db=tmp_path / "a.db").to_frame().columns) == list(pairings.columns)


# --- Markdown and LaTeX -----------------------------------------------------------------------------------


def test_a_table_in_markdown_has_its_numbers_at_the_right():
    match = arena.Match("nim", 1, 4, 4, [arena.Pairing("a|b", "c", 3, 0, 1, 0, 0)], [])
    head, sides, row = match.to_markdown().splitlines()
    assert head.startswith("| first | second | won |")
    assert sides.startswith("| --- | --- | ---: |")
    assert row.startswith(r"| a\|b | c | 3 | 0 | 1 |")


def test_a_table_in_latex_escapes_what_latex_reads():
    text = latex(Grid(["entry", "95 %"], [["a_b & {c}", "−3 ± 2"]]))
    assert text.splitlines() == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"entry & 95 \% \\",
        r"\midrule",
        r"a\_b \& \{c\} & $-$3 $\pm$ 2 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_first_cell_in_latex_is_no_option_of_the_line_above():
    lines = latex(Grid(["entry", "score"], [["[a]", "[b]"], ["*", ""], ["", "1"]])).splitlines()
    assert lines[4:7] == [r"{}[a] & [b] \\", r"{}* &  \\", r" & 1 \\"]


def test_a_result_without_a_printed_table_has_the_rows_of_its_frame():
    head, _, *rows = arena.position("tic-tac-toe", "XX.OO....").to_markdown().splitlines()
    assert head == "| move | after |"
    assert len(rows) == 5


# --- in notebooks -----------------------------------------------------------------------------------------


def test_a_position_is_drawn_as_an_image_in_html():
    """Jupyter prefers HTML to SVG, so the drawing must be in the HTML."""
    html = arena.position("tic-tac-toe", "X.O......")._repr_html_()
    assert '<img alt="' in html
    assert "data:image/svg+xml;base64," in html
    assert "<pre>" not in html
