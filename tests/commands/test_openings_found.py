"""Even openings: of random lines those that a judge finds the most even."""

from __future__ import annotations

import pytest

import arena
from arena.errors import ArenaError
from commands import arena as command
from records import query

# what perfect play comes to after a first move and an answer, from a table of tic-tac-toe: an edge answered
# beside it draws; a corner is answered by the centre alone, the centre by a corner alone
DRAWN_REPLIES = {"5": set("1379"), "1": {"5"}}


def test_what_is_decided_is_no_opening():
    book = arena.openings("tic-tac-toe", plies=2, lines=12, candidates=12, judge="minimax:ties=first")
    assert set(book.scores) == {0.0}
    for line in book.lines:
        first, second = line.split()
        if first in DRAWN_REPLIES:
            assert second in DRAWN_REPLIES[first]


def test_no_two_lead_to_positions_that_mirror_each_other():
    # nine first moves are three up to symmetry
    book = arena.openings("tic-tac-toe", plies=1, lines=9, judge="minimax:ties=first")
    assert len(book.lines) == 3


def test_the_most_even_come_first_and_the_same_seed_is_the_same_book():
    how = {"plies": 5, "lines": 10, "candidates": 80, "judge": "alpha-beta:depth=4"}
    book, again, other = (arena.openings("connect-four", **how, seed=seed) for seed in (3, 3, 4))
    sizes = [abs(score) for score in book.scores]
    assert sizes == sorted(sizes)
    assert (book.lines, book.scores) == (again.lines, again.scores)
    assert book.lines != other.lines


@pytest.mark.slow
def test_matches_begin_with_them(tmp_path):
    done = command(
        tmp_path, "openings", "connect-four", "--plies", "4", "--lines", "5", "--output", "book.txt"
    )
    assert "Wrote 5 openings to book.txt" in done.stderr
    lines = [line.partition("#")[0].split() for line in (tmp_path / "book.txt").read_text().splitlines()]
    lines = [line for line in lines if line]
    assert all(len(line) == 4 for line in lines)
    found = command(
        tmp_path, "match", "random", "first", "--game", "connect-four", "--openings", "book.txt", "--matches",
        "10", "--record",
    )  # fmt: skip
    assert "10 matches" in found.stdout
    begun = {
        " ".join(moves.split()[:4]) for (moves,) in query(tmp_path / "arena.db", "SELECT moves FROM matches")
    }
    assert begun == {" ".join(line) for line in lines}


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"judge": "random"}, "does not explain its moves"),
        ({"plies": 9}, "no match of tic-tac-toe continues"),
        ({"plies": 0}, "plies is 0"),
        ({"candidates": 5}, "candidates is 5"),
    ],
)
def test_what_cannot_be_is_one_line(how, told):
    with pytest.raises(ArenaError, match=told) as error:
        arena.openings("tic-tac-toe", **{"plies": 2, "judge": "minimax:ties=first", **how})
    assert "\n" not in str(error.value)
