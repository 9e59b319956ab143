"""Intervals that hold whenever one looks."""

from __future__ import annotations

import math
import sys
from itertools import islice

import numpy as np
import pytest
import scipy

import arena
from arena.api.rating import Results
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.profile import squares_always
from paths import ROOT

PRIOR = 200 / (400 / math.log(10))  # in log odds


@pytest.fixture(scope="module")
def script():
    """benchmarks/stopping.py, which counts."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import stopping

    yield stopping
    sys.path.remove(str(ROOT / "benchmarks"))


@pytest.mark.slow
@pytest.mark.parametrize("error", [0.05, 0.3, 2.0])
def test_at_their_ends_the_weighed_likelihood_is_20_times_that_of_the_end(error):
    distance = error * math.sqrt(float(squares_always(np.array([error**2]), 0.05)[0]))
    weighed, _ = scipy.integrate.quad(
        lambda u: scipy.stats.norm.pdf(u, scale=PRIOR) * scipy.stats.norm.pdf(distance, u, error),
        -8,
        8,
        points=[0, distance],
        limit=300,
    )
    assert weighed / scipy.stats.norm.pdf(distance, 0, error) == pytest.approx(20, rel=1e-6)


@pytest.mark.parametrize("distance", [0.0, 0.4])
def test_a_walk_is_outside_at_any_time_with_a_probability_of_5_percent_at_most(distance):
    """Steps of normal numbers, looked at after each; the mean is what the prior is about, or is not."""
    rng, times = np.random.default_rng(1), np.arange(1, 2001)
    means = (rng.normal(0, 3, (1000, len(times))).cumsum(axis=1)) / times + distance
    variances = 9 / times
    squares = squares_always(variances, 0.05)
    assert ((means - distance) ** 2 > squares * variances).any(axis=1).mean() <= 0.05


def test_they_are_wider_but_where_nothing_was_lost():
    def rated(decided, *totals):
        return MaximumLikelihood().rate(Results("ab", totals, lambda: iter(()), optional_stopping=decided))

    totals = (0, 1, 30, 10, 20), (1, 0, 20, 10, 30)
    for fixed, always in zip(rated(False, *totals), rated(True, *totals), strict=True):
        assert 1.4 < (always.high - always.low) / (fixed.high - fixed.low) < 2
        assert always.value == fixed.value
    lost_none = (0, 1, 30, 0, 0), (1, 0, 0, 0, 30)
    assert rated(True, *lost_none) == rated(False, *lost_none)


@pytest.mark.slow
def test_a_table_with_what_ended_once_differences_were_clear_has_them(tmp_path):
    how = {"game": "tic-tac-toe", "executor": "threads", "workers": 1, "seed": 2}

    def of(play, *entries, **more):
        db = tmp_path / f"{len([*tmp_path.iterdir()])}.db"
        play(*entries, db=db, **how, **more)
        said = str(arena.leaderboard(db=db))
        return "Intervals are wider because matches ended once differences were clear." in said

    two = ["random", "first"]
    assert of(arena.tournament, two, until="decided", indifference=300)
    assert of(arena.match, *two, sprt=(0, 100))
    assert not of(arena.tournament, two, until=150)
    assert not of(arena.tournament, two, rounds=20)
    assert not of(arena.match, *two, matches=20)


@pytest.mark.campaign
def test_they_hold_the_truth_once_an_order_is_sure(script):
    events = [*islice(script.tournaments(script.Regime("decided", 50, 5, 400)), 40)]
    held, fixed = (np.mean([getattr(event, name) for event in events]) for name in ("held", "fixed"))
    assert held > 0.95 > fixed
