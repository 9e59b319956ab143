"""What a match says: against figures of others."""

from __future__ import annotations

import math

import pytest

from arena.ratings.statistics import wilson
from arena.ratings.verdict import Verdict, elo_of

# Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3
NEWCOMBE = [((81, 263), 0.2553, 0.3662), ((15, 148), 0.0624, 0.1605), ((0, 20), 0.0, 0.1611)]
NEWCOMBE.append(((1, 29), 0.0061, 0.1718))


@pytest.mark.parametrize(("share", "low", "high"), NEWCOMBE)
def test_intervals_are_those_of_newcombes_table(share, low, high):
    some, n = share
    assert wilson(some / n, n) == pytest.approx((low, high), abs=5e-5)
    assert wilson(1 - some / n, n) == pytest.approx((1 - high, 1 - low), abs=5e-5)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100, 10**6])
def test_all_and_none_leave_an_end_open(n):
    assert wilson(1.0, n)[1] == 1.0
    assert wilson(0.0, n)[0] == 0.0
    assert Verdict.of(n, 0, 0).elo_high == math.inf
    assert Verdict.of(0, 0, n).elo_low == -math.inf


# FIDE's table of expected scores (Handbook, B.02, 8.1.2) gives these to whole points
@pytest.mark.parametrize(("score", "points"), [(0.5, 0), (0.64, 100), (0.76, 200), (0.85, 300), (0.92, 424)])
def test_points_are_those_of_the_elo_curve(score, points):
    assert elo_of(score) == pytest.approx(points, abs=2)
    assert elo_of(1 - score) == pytest.approx(-points, abs=2)


def test_the_likelihood_of_superiority_is_that_of_a_normal_distribution():
    # a table of that has .8413, .9772 and .9987 at one, two and three deviations; draws count for neither
    for wins, losses, expected in ((10, 6, 0.8413), (36, 28, 0.8413), (60, 40, 0.9772), (200, 139, 0.9995)):
        assert Verdict.of(wins, 40, losses).superiority == pytest.approx(expected, abs=5e-5)
        assert Verdict.of(losses, 7, wins).superiority == pytest.approx(1 - expected, abs=5e-5)
    assert Verdict.of(0, 12, 0).superiority == 0.5


# 60 of 100 are from 50.2 to 69.06 %
def test_it_is_said_in_one_line():
    assert Verdict.of(60, 0, 40).text("a", "b") == (
        "a scores 60.0 % against b: Elo +70, 95 % from +1 to +139; better with a likelihood of 97.7 %."
    )
    assert Verdict.of(100, 0, 0).text("a", "b").endswith(" up; better with a likelihood over 99.9 %.")
    assert "95 % up to −" in Verdict.of(0, 0, 100).text("a", "b")
    assert Verdict.of(1, 0, 99).text("a", "b").endswith("below 0.1 %.")
