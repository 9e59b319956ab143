"""What is published of tic-tac-toe and of checkers on 4 x 4: scripts, against other ways to find the same."""

from __future__ import annotations

import csv
import importlib.util
import subprocess
import sys
from itertools import accumulate

import pytest

import arena
from paths import ROOT
from tiers import slow

TIC_TAC_TOE, CHECKERS = (ROOT / "leaderboards" / name for name in ("tic-tac-toe", "checkers-4x4"))


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def script(path):
    """A script as a module."""
    found = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("folder", [TIC_TAC_TOE, *slow(CHECKERS)], ids=lambda folder: folder.name)
def test_pages_and_published_numbers_come_out_to_the_letter(tmp_path, folder):
    subprocess.run([sys.executable, folder / "published.py", "--to", tmp_path], check=True)
    for name in ("README.md", "published.csv"):
        assert (tmp_path / name).read_text(encoding="utf-8") == (folder / name).read_text(encoding="utf-8")


# --- checkers on 4 x 4 --------------------------------------------------------------------------------------

CELLS = [(x, y) for x in range(4) for y in range(4) if (x + y) % 2 == 0]  # by x, then y
WAYS = [(-1, -1), (1, -1), (-1, 1), (1, 1)]  # NW, NE, SW, SE


def targets(board, cell, jumps_alone=False):
    """Where a piece may go; a board has (colour, king) by cell."""
    colour, king = board[cell]
    for dx, dy in WAYS:
        if king or (dy < 0) == (colour == "blue"):
            near, far = (cell[0] + dx, cell[1] + dy), (cell[0] + 2 * dx, cell[1] + 2 * dy)
            if near in CELLS and near not in board and not jumps_alone:
                yield near
            elif near in board and board[near][0] != colour and far in CELLS and far not in board:
                yield far


def moved(board, start, end):
    """The board after a move, whose jumps go on by the first there is."""
    board = dict(board)
    colour, king = board.pop(start)
    jumped = abs(end[0] - start[0]) == 2
    if jumped:
        del board[(start[0] + end[0]) // 2, (start[1] + end[1]) // 2]
    board[end] = (colour, king or end[1] == (0 if colour == "blue" else 3))
    further = next(targets(board, end, jumps_alone=True), None) if jumped else None
    return moved(board, end, further) if further else board


def after(board, colour):
    """The boards after each move of a side."""
    for cell in CELLS:
        if board.get(cell, ("", False))[0] == colour:
            for end in list(targets(board, cell)):
                yield moved(board, cell, end)


def test_the_documents_4029_states_are_2216_of_which_its_search_counts_many_twice():
    """Its set holds boards by identity, and a board is on the stack as often as it was reached before."""
    start = {(1, 3): ("blue", False), (3, 3): ("blue", False), (0, 0): ("red", False), (2, 0): ("red", False)}
    stack, met, boards = [start], set(), 0
    while stack:
        board = stack.pop()
        met.add(frozenset(board.items()))
        boards += 1
        for between in after(board, "blue"):
            stack += [new for new in after(between, "red") if frozenset(new.items()) not in met]
    assert (boards, len(met)) == (4029, 2216)
    found = {
        row["cells by"]: (int(row["boards"]), int(row["different"])) for row in rows(CHECKERS / "states.csv")
    }
    assert found["x, then y"] == (4029, 2216)
    assert [order for order, (boards, _) in found.items() if boards == 4029] == ["x, then y"]


def test_changes_in_the_published_sweeps_are_those_printed():
    changes = [float(row["as published"]) for row in rows(CHECKERS / "sweeps.csv") if row["as published"]]
    assert changes == pytest.approx([10000 * 0.9**i for i in range(40)], rel=1e-12)


PERFT = {  # lines of play, as published
    "connect-four": (7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572),
    "checkers": (7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564),
    "tic-tac-toe": (9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872),
}


def test_minimax_visits_as_many_positions_as_there_are_lines_and_alpha_beta_fewer():
    found = rows(CHECKERS / "nodes.csv")
    for game, lines in PERFT.items():
        visited = [int(row["minimax"]) for row in found if row["game"] == game]
        assert visited == [1 + n for n in accumulate(lines)][: len(visited)]
    for row in found:
        for name in ("alpha-beta", "ordered", "table"):
            assert int(row[name]) <= int(row["minimax"])
    assert {row["game"] for row in found} == {*PERFT, "checkers-4x4"}


def test_the_least_that_has_to_be_visited_is_that_of_a_uniform_tree():
    """b**((d + 1) // 2) + b**(d // 2) - 1 leaves, corollary 1 of theorem 1 of Knuth & Moore (1975)."""
    nodes = script(CHECKERS / "nodes.py")
    assert nodes.minimal([5**d for d in range(7)]) == pytest.approx(
        [5 ** ((d + 1) // 2) + 5 ** (d // 2) - 1 for d in range(7)]
    )


# --- tic-tac-toe --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["q-table:episodes=3000,alpha=0.4,draw=0", "double-q:episodes=3000"])
@pytest.mark.slow
def test_learners_of_many_seeds_are_evaluated_as_arena_evaluates_them(tmp_path, monkeypatch, kind):
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path))
    evaluation = script(TIC_TAC_TOE / "seeds.py").Evaluation()
    for seed in (0, 7):
        measured = evaluation.learned(kind, seed)
        entry = f"{kind},seed={seed}"
        for opponent in ("random", "minimax", "minimax:ties=first"):
            found = arena.exact(entry, opponent, game="tic-tac-toe", progress=False)
            x, o = found.pairings
            mine = [measured[f"{opponent}, as {seat}, {how}"] for seat in "XO" for how in ("won", "lost")]
            assert mine == pytest.approx([x.wins, x.losses, o.losses, o.wins], abs=1e-12)


def test_random_play_and_perfect_play_do_as_is_known_exactly():
    """Fractions by enumeration, such as 75257 of 77760 for minimax as X against random moves."""
    found = {
        (row["entry"], row["measure"]): float(row["mean"])
        for row in rows(TIC_TAC_TOE / "seeds.csv")
        if row["seeds"] == "1"
    }
    exact = {
        ("random", "random, as X, won"): 737 / 1260,
        ("random", "random, as O, won"): 121 / 420,
        ("minimax", "random, as X, won"): 75257 / 77760,
        ("minimax", "random, as O, won"): 2645 / 3402,
        ("minimax:ties=first", "random, as X, won"): 191 / 192,
        ("minimax:ties=first", "random, as O, won"): 254 / 315,
        ("minimax", "minimax:ties=first, as X, won"): 0.0,
    }
    assert {key: found[key] for key in exact} == pytest.approx(exact, abs=1e-6)
