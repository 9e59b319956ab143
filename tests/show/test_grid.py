"""Tables fit the width there is: what is missing is marked, and said below."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.show.grid import SHORTEST, Grid, folded, shortened

LONG = ["alpha-beta:depth=6,table=65536,deepening=true", "alpha-beta:depth=6,ties=first,deepening=true"]
GRID = Grid(
    ["#", "entry", "rating", "Elo", "won", "forfeits"],
    [
        ["1", LONG[0], "1720", "1650", "8", "0"],
        ["2", LONG[1], "1280", "1350", "2", "0"],
        ["3", "random", "9", "", "0", "0"],
    ],
    left=2,
    spare=("Elo", "won", "forfeits"),
)
names = st.text("abcd:=,…#", min_size=1, max_size=60)


def lines(grid, width):
    return grid.text(width=width).split("\n")


def test_what_has_room_is_whole_but_for_columns_of_nothing_but_zero():
    assert lines(GRID, 80)[0].split() == ["#", "entry", "rating", "Elo", "won"]
    assert len(lines(GRID, 80)) == 4
    assert GRID.text().split("\n")[0].split() == ["#", "entry", "rating", "Elo", "won", "forfeits"]


def test_names_get_shorter_first_and_are_given_in_full_below():
    head, first, second, third, *below = lines(GRID, 60)
    assert head.split() == ["#", "entry", "rating", "Elo", "won"]
    (one,), (other,) = (re.findall(r"alpha\S*…\S*", line) for line in (first, second))
    assert one != other
    assert third.split()[1] == "random"
    assert below == [f"{one}:", f"  {LONG[0]}", f"{other}:", f"  {LONG[1]}"]
    for short, whole in ((one, LONG[0]), (other, LONG[1])):
        head, tail = short.split("…")
        assert whole.startswith(head)
        assert whole.endswith(tail)


def test_games_with_options_get_shorter_as_well():
    """A table of models: an id, an agent, a game."""
    row = ["2b07618410d8ef18", "q-backprop:capture=0.5", "checkers:repetition=0,quiet_plies=0"]
    lines = Grid(["model", "agent", "game"], [row], left=3).text(width=60).splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[1].startswith("2b07618410d8ef18")
    assert any(line.endswith(": checkers:repetition=0,quiet_plies=0") for line in lines)


def test_then_columns_go_the_least_important_first():
    assert lines(GRID, 45)[0].split() == ["#", "entry", "rating", "won"]
    assert lines(GRID, 45)[-1] == "Not shown: Elo; text() shows all."
    assert lines(GRID, 36)[0].split() == ["#", "entry", "rating"]


@pytest.mark.slow
@given(
    st.lists(st.tuples(names, st.integers(0, 10**9), st.integers(0, 99)), min_size=1, max_size=8),
    st.integers(30, 120),
)
def test_no_line_is_longer_and_names_stay_different(rows, width):
    cells = [[name, str(big), str(small)] for name, big, small in rows]
    grid = Grid(["entry", "matches", "won"], cells, spare=("matches",))
    fitted, gone, short = grid.fitted(width)
    assert all(len(line) <= width for line in lines(grid, width))
    assert [short.get(row[0], row[0]) for row in fitted.rows] == [row[0] for row in cells]
    assert gone in ([], ["matches"])


@given(st.lists(names, unique=True, min_size=1, max_size=9), st.integers(SHORTEST, 40))
@pytest.mark.slow
def test_shortened_names_are_short_and_differ(those, most):
    found = shortened(those, most)
    assert list(found) == those
    assert all(len(short) <= most for short in found.values())
    assert len({*found.values()}) == len(those)


def test_columns_that_fold_stand_below_the_others():
    names = [f"alpha-beta:depth={i}" for i in range(20)]
    rows = [[name, *(str(i * j) for j in range(20))] for i, name in enumerate(names)]
    grid = Grid(["entry", *(f"n{j}" for j in range(20))], rows, folds=True)
    assert len(lines(grid, 140)) == 21
    shown = [block.split("\n") for block in grid.text(width=60).split("\n\n")]
    assert len(shown) > 1
    assert {len(block) for block in shown} == {21}
    assert max(len(line) for block in shown for line in block) <= 60
    found = [[cell for block in shown for cell in block[i].split()[1:]] for i in range(21)]
    assert found == [[*grid.columns[1:]], *(row[1:] for row in rows)]


def test_sentences_end_early_with_a_mark():
    grid = Grid(["agent", "what it is"], [["random", "Plays a legal move uniformly at random."]], left=2)
    assert lines(grid, 40)[1] == "random  Plays a legal move uniformly at…"
    assert lines(grid, 60)[1].endswith("random.")


@pytest.mark.parametrize("width", [1, 5, 12])
def test_where_there_is_hardly_any_room_nothing_fails(width):
    assert "random" in GRID.text(width=width)


@pytest.mark.parametrize("width", range(12, 60))
def test_no_line_begins_with_a_per_cent_sign(width):
    text = "better: +113 (95 % from -16 to 244), 7 % of 12.5 % drawn"
    lines = [*folded(text, width)]
    assert not any(line.lstrip().startswith("%") for line in lines)
    assert " ".join(line.strip() for line in lines) == text
    assert max(map(len, lines)) <= width
