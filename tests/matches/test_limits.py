"""Clocks: seconds for a match, and what each move adds."""

import time
from itertools import pairwise

import pytest

import arena
from arena import Agent
from arena.api.limits import Clock, Clocks, Limits
from arena.errors import ArenaError


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("60+0.6", (60, 0.6)),
        ("60", (60, 0)),
        (60, (60, 0)),
        (0.5, (0.5, 0)),
        (" 1+.25 ", (1, 0.25)),
        ("1e-3+2", (0.001, 2)),
        ("1000000+1000000", (10**6, 10**6)),
    ],
)
def test_a_clock_is_read(text, clock):
    assert Clock.read(text) == clock
    assert Clock.read(str(Clock.read(text))) == clock


@pytest.mark.parametrize(
    "text",
    ["", "0", "0+1", "-1", "1+-1", "a", "1+", "+1", "1:30", "40/60", "1000001", "1+1000001", "nan", None],
)
def test_what_is_no_clock_is_refused(text):
    with pytest.raises(ArenaError, match="use seconds per match, optionally plus seconds per move: 60"):
        Clock.read(text)


def test_time_is_taken_and_increments_are_added():
    """By hand: 2 - .5 + .25 = 1.75, - 1.75 + .25 = .25; the other 2 - 2 + .25 = .25."""
    clocks = Clocks(Limits(9, 0.0, 0.0, Clock(2.0, 0.25)))
    assert [clocks.overrun(0, 0.5), clocks.left] == [None, [1.75, 2.0]]
    assert [clocks.overrun(1, 2.0), clocks.left] == [None, [1.75, 0.25]]
    assert [clocks.overrun(0, 1.75), clocks.left] == [None, [0.25, 0.25]]
    assert clocks.overrun(1, 0.375) == "ran out of its clock of 2.0+0.25 s"


def test_a_move_may_be_too_slow_with_time_left():
    clocks = Clocks(Limits(9, 0.5, 0.0, Clock(60.0)))
    assert clocks.overrun(0, 0.75) == "took over 0.5 s"


class Thinker(Agent):
    """Takes its time, and says what it has left."""

    def choose(self, state, moves, rng):
        self.move_usage = {
            "own": self.clock_seconds,
            "other": self.opponent_seconds,
            "limit": self.time_limit,
        }
        time.sleep(0.1)
        return moves[0]


@pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.slow
@pytest.mark.slow
def test_who_runs_out_of_time_loses_and_sees_it_coming(tmp_path, isolate):
    """Of .25 s two moves of .1 s can be made, and three cannot."""
    db = tmp_path / "arena.db"
    how = {"matches": 2, "seed": 1, "clock": "0.25", "db": db, "isolate": isolate, "workers": 1}
    found = arena.match(Thinker, "first", game="tic-tac-toe", **how)
    assert {(f.entry, f.reason) for f in found.forfeits} == {("thinker", "clock")}
    assert {f.match for f in found.forfeits} == {0, 1}
    assert all(f.detail.endswith("ran out of its clock of 0.25 s") for f in found.forfeits)
    moves = [(move.match, move.amounts) for move in arena.tournaments.usage(1, db=db)]
    for number in (0, 1):
        seen = [usage for match, usage in moves if match == number]
        assert all(usage["limit"] == usage["own"] and 0 < usage["other"] <= 0.25 for usage in seen)
        assert seen[0]["own"] == 0.25
        assert all(one["own"] - next["own"] >= 0.1 for one, next in pairwise(seen))


@pytest.mark.slow
def test_matches_with_a_clock_are_no_repeats_of_others(tmp_path):
    db = tmp_path / "arena.db"
    for _ in range(2):
        how = {"game": "tic-tac-toe", "rounds": 1, "seed": 1, "clock": "60", "db": db}
        board = arena.tournament(["first", "minimax:ties=first"], **how)
    assert board.settings["clock"] == "60.0"
    pooled = arena.leaderboard(db=db)[0]
    assert {row.matches for row in pooled.rows} == {4}
    assert "Played with time limits, so another run may give different results." in pooled.notes


def test_a_clock_has_no_exact_results():
    with pytest.raises(ArenaError, match="a match with a clock has no exact result; leave out"):
        arena.tournament(["random", "first"], game="tic-tac-toe", exact=True, clock="60")


def test_a_clock_comes_from_a_file(tmp_path):
    file = tmp_path / "clock.toml"
    file.write_text('entries = ["first", "random"]\nrounds = 1\nclock = "5+0.5"\n')
    found = arena.tournament(file=file, db=tmp_path / "arena.db", seed=1)
    assert (found.settings["clock"], found.settings["stall_seconds"]) == ("5.0+0.5", 65.0)
