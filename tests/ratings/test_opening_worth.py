"""What openings are worth to the first player: against an independent fit, in simulation, and as a book."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import arena
from arena.ratings.opening_worth import opening_worths
from arena.results.record import Record
from commands import arena as command

# after which perfect play draws, as every textbook has it: O answers a corner in the centre, the centre in a
# corner, an edge in the centre, beside it in a corner, or opposite
DRAWN = {
    *(f"{corner} 5" for corner in "1379"),
    *(f"5 {corner}" for corner in "1379"),
    *(
        f"{edge} {reply}"
        for edge, replies in {"2": "5138", "4": "5176", "6": "5394", "8": "5792"}.items()
        for reply in replies
    ),
}
POINTS = 400 / np.log(10)
VALUES = np.array([1.0, 0.2, -1.2, 0.3, -0.5])  # three ratings, first move, draws, in log odds


def probabilities(one, other, worth):
    """Of a win, a draw and a loss by Davidson's model, from its formula."""
    strong, weak = np.exp((VALUES[one] + worth) / 2), np.exp(VALUES[other] / 2)
    weights = np.array([strong / weak, np.exp(VALUES[-1]), weak / strong])
    return weights / weights.sum()


def record(number, one, other, result, moves, opening, start=None):
    return Record(number, 0, one, other, result, "rules", None, 9, opening, moves, 1, 0.0, 0.0, start)


def played(rng, worths, times):
    """Records of matches with openings `a a`, `b b` and so on, whose worths in log odds are given."""
    found = []
    for name, worth in worths.items():
        for one, other in permutations(range(3), 2):
            for result in rng.choice([1, 0, -1], times, p=probabilities(one, other, worth)):
                found.append(record(len(found), one, other, int(result), f"{name} {name} x y", 2))
    return found


def test_a_worth_is_the_maximum_that_another_program_finds():
    records = played(np.random.default_rng(1), {"a": 0.3, "b": 2.0, "c": -2.0}, 5)
    for found in opening_worths(records, VALUES):
        own = [r for r in records if r.moves.startswith(found.moves)]

        def cost(worth, own=own):
            each = [probabilities(r.first, r.second, worth)[1 - r.result] for r in own]
            return -np.log(each).sum() + ((worth - VALUES[3]) * POINTS / 1000) ** 2 / 2

        best = minimize_scalar(cost, bounds=(-10, 10), method="bounded", options={"xatol": 1e-9})
        assert found.worth == pytest.approx(best.x * POINTS, abs=0.01)
        for end in (found.low, found.high):
            assert cost(end / POINTS) == pytest.approx(best.fun + 1.959964**2 / 2, abs=1e-4)
        assert found.low < found.worth < found.high
        assert found.matches == len(own) == 30
        assert found.wins == sum(r.result == 1 for r in own)


@pytest.mark.slow
def test_intervals_hold_and_only_decisive_openings_are_called_so():
    rng = np.random.default_rng(2)
    worths = {"a": 0.3, "b": 3.0, "c": -0.5, "d": -3.0}
    held = []
    for _ in range(100):
        for found in opening_worths(played(rng, worths, 20), VALUES):
            worth = worths[found.moves[0]] * POINTS
            held.append(found.low <= worth <= found.high)
            assert found.decides == (found.moves[0] in "bd")
    assert np.mean(held) == pytest.approx(0.95, abs=3 * (0.95 * 0.05 / len(held)) ** 0.5)


def test_openings_are_told_apart_by_start_and_moves_and_matches_without_one_do_not_count():
    records = [
        record(0, 0, 1, 1, "a b c", 2),
        record(1, 1, 0, 1, "a b d", 2),
        record(2, 0, 1, 0, "a b c", 1),
        record(3, 0, 1, -1, "c", 0, start="8/8"),
        record(4, 0, 1, -1, "c", 0),
    ]
    found = {one.moves: (one.matches, one.from_start) for one in opening_worths(records, VALUES)}
    assert found == {"a b": (2, True), "a": (1, True), "8/8": (1, False)}
    assert opening_worths(records[-1:], VALUES) == []


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Matches of tic-tac-toe after two moves, some of which lose by force."""
    folder = tmp_path_factory.mktemp("openings")
    entries = ["minimax", "alpha-beta:depth=9", "random"]
    arena.tournament(
        entries, game="tic-tac-toe", rounds=100, seed=1, openings="random:2", db=folder / "arena.db",
        progress=False,
    )  # fmt: skip
    return folder


@pytest.mark.slow
def test_the_leaderboard_says_what_openings_are_worth(recorded):
    said = command(recorded, "leaderboard", "--openings").stdout
    assert "Value of each opening for the first player between equal entries, in points:" in said
    (table,) = arena.leaderboard("tic-tac-toe", openings=True, db=recorded / "arena.db")
    assert sum(one.matches for one in table.openings) == sum(row.matches for row in table.rows) / 2
    assert "arena openings tic-tac-toe --played" in said or not any(one.decides for one in table.openings)
    assert table.to_dicts()[0]["openings"][0]["moves"] == table.openings[0].moves


def test_the_book_of_what_was_played_leaves_out_what_decides(recorded):
    (table,) = arena.leaderboard("tic-tac-toe", openings=True, db=recorded / "arena.db")
    book = arena.openings("tic-tac-toe", played=True, db=recorded / "arena.db")
    decided = {one.moves for one in table.openings if one.decides}
    assert len(decided - DRAWN) >= 10
    assert len(decided & DRAWN) <= 2  # an interval of a drawn opening may miss by chance
    assert set(book.lines) == {one.moves for one in table.openings} - decided
    assert [*map(abs, book.scores)] == sorted(map(abs, book.scores))
    command(recorded, "openings", "tic-tac-toe", "--played", "--lines", "3", "--output", "book.txt")
    three = arena.openings("tic-tac-toe", played=True, lines=3, db=recorded / "arena.db")
    assert three.lines == book.lines[:3]
    arena.match("minimax", "random", game="tic-tac-toe", matches=2, openings=str(recorded / "book.txt"))


@pytest.mark.slow
def test_errors_name_the_remedy(recorded):
    done = command(recorded, "openings", "connect-four", "--played", status=1)
    assert done.stderr == "Error: arena.db holds no tournament of 'connect-four'; it has: tic-tac-toe\n"
    done = command(recorded, "openings", "tic-tac-toe", "--played", "--judge", "random", status=2)
    assert "--judge has no effect with --played; remove it" in done.stderr
    command(recorded, "tournament", "--entry", "random", "--entry", "minimax", "--db", "plain.db")
    done = command(recorded, "openings", "tic-tac-toe", "--played", "--db", "plain.db", status=1)
    assert done.stderr == (
        "Error: no match of tic-tac-toe in plain.db began with an opening; play a tournament with openings: "
        "arena tournament --game tic-tac-toe --openings random:4\n"
    )
