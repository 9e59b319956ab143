"""A tournament until ratings are known well enough."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

import arena
from arena.api.rating import Results
from arena.errors import ArenaError
from arena.plan.until_precise import Precise
from arena.ratings.maximum_likelihood import MaximumLikelihood
from simulated import Field, by_gaps, evenly, nothing, play

EIGHT = Field(evenly(8, 600), first_move=50.0)


def ratings(standing):
    """As the leaderboard has them."""
    n = standing.entries
    totals = [(a, b, *standing.results[a, b].tolist()) for a in range(n) for b in range(n) if a != b]
    return MaximumLikelihood().rate(Results([str(i) for i in range(n)], totals, lambda: iter(())))


def widest(standing):
    return max((r.high - r.low) / 2 for r in ratings(standing))


def test_it_plays_until_the_leaderboard_has_narrow_intervals():
    format = Precise(points=50)
    seen = []
    standing = play(format, EIGHT, seed=2, look=seen.append)
    assert widest(standing) <= 50 < widest(seen[-2])
    assert format.next_stage(standing) is None
    assert format.progress(standing) == "8 of 8 within ± 50"
    (note,) = format.notes(standing)
    assert note == f"Each rating is within ± 50 points at 95 %, the widest ± {widest(standing):.1f}."


@pytest.mark.slow
def test_where_matches_share_openings_it_goes_by_the_leaderboards_intervals(tmp_path):
    db = tmp_path / "arena.db"
    entries = ["random", "greedy", "minimax:depth=1,ties=random"]
    how = {"game": "tic-tac-toe", "seed": 3, "db": db, "executor": "threads", "workers": 1}
    found = arena.tournament(entries, until=60, openings="random:2", **how)
    (board,) = arena.leaderboard(db=db)
    widest = max((row.high - row.low) / 2 for row in board.rows)
    assert widest <= 60
    assert f"Each rating is within ± 60 points at 95 %, the widest ± {widest:.1f}." in str(found)


def test_at_its_limit_it_ends_and_says_how_far_it_came():
    standing = play(Precise(), EIGHT, seed=2, limit=300)
    assert standing.matches == 300
    assert Precise().next_stage(standing) is None
    assert Precise().notes(standing) == ["Of 8 ratings 0 are within ± 20 points at 95 %."]


def test_the_same_standing_gives_the_same_stage():
    standing = replace(play(Precise(), EIGHT, seed=2, limit=900), limit=10**6)
    stage = Precise().next_stage(copy.deepcopy(standing))
    assert Precise().next_stage(standing) == stage
    assert {(b, a) for a, b in stage.pairings} == {*stage.pairings}


def test_the_withdrawn_are_not_met_and_do_not_count():
    standing = play(Precise(), EIGHT, seed=2, limit=900)
    standing = replace(standing, limit=10**6, withdrawn=frozenset({0, 7}))
    stage = Precise().next_stage(standing)
    assert {entry for pairing in stage.pairings for entry in pairing} <= {1, 2, 3, 4, 5, 6}
    assert Precise().progress(standing).endswith(" of 6 within ± 20")
    everybody = replace(standing, withdrawn=frozenset(range(8)))
    assert Precise().next_stage(everybody) is None
    assert Precise().notes(everybody) == []


@pytest.mark.slow
def test_it_meets_those_most_of_whom_least_is_known():
    field = Field(by_gaps(500, 20, 20, 20))
    standing = play(Precise(), field, seed=4)
    met = (standing.played + standing.played.T).sum(axis=1)
    assert met[0] == met.max()


def test_it_takes_fewer_matches_than_everybody_against_everybody():
    field = Field(by_gaps(300, 100, 500, 0))
    own = play(Precise(), field, seed=4).matches
    rounds = own // 20
    chances = field.probabilities
    rng = np.random.default_rng(4)
    results = np.array(
        [[rng.multinomial(rounds * (a != b), chances[a, b]) for b in range(5)] for a in range(5)]
    )
    robin = replace(nothing(5, 10**6), results=results, played=results.sum(axis=2))
    assert widest(robin) > 1.05 * 20


def test_one_entry_has_no_rating():
    with pytest.raises(ArenaError, match=r"^precise: ratings are relative; name two entries or more$"):
        Precise().check_entries(1)


def held(field, events, points):
    """The share of intervals that hold the truth."""
    truth = np.array(field.ratings) - np.mean(field.ratings) + 1500
    inside = 0
    for seed in range(events):
        found = ratings(play(Precise(points=points), field, seed))
        inside += sum(r.low <= t <= r.high for r, t in zip(found, truth, strict=True))
    return inside / (events * len(truth))


@pytest.mark.slow
def test_intervals_hold_the_truth_though_it_ended_because_of_them():
    events = 60
    # of so many tournaments of eight, five standard errors, for intervals of a table depend on each other
    assert held(EIGHT, events, 40) > 0.94 - 5 * (0.06 * 0.94 / (8 * events)) ** 0.5


@pytest.mark.campaign
@pytest.mark.parametrize("field", [EIGHT, Field(by_gaps(10, 40, 0), first_move=100.0)], ids=["eight", "four"])
def test_of_2000_tournaments_94_percent_of_intervals_hold_the_truth(field):
    assert held(field, 2000, 20) >= 0.94
