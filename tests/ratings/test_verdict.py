"""What a match says: against figures of others."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from statistics import NormalDist

import pytest

from arena.ratings.statistics import wilson
from arena.ratings.verdict import Verdict, distance, elo_of

# Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3
NEWCOMBE = [((81, 263), 0.2553, 0.3662), ((15, 148), 0.0624, 0.1605), ((0, 20), 0.0, 0.1611)]
NEWCOMBE.append(((1, 29), 0.0061, 0.1718))


@pytest.mark.parametrize(("share", "low", "high"), NEWCOMBE)
def test_intervals_are_those_of_newcombes_table(share, low, high):
    some, n = share
    assert wilson(some / n, n) == pytest.approx((low, high), abs=5e-5)
    assert wilson(1 - some / n, n) == pytest.approx((1 - high, 1 - low), abs=5e-5)


@pytest.mark.parametrize(("share", "low", "high"), NEWCOMBE)
def test_the_interval_of_pairs_that_are_all_won_or_lost_is_that_of_a_share(share, low, high):
    some, n = share
    if some:
        found = Verdict.of_pairs((n - some, 0, 0, 0, some))
        assert (score(found.elo_low), score(found.elo_high)) == pytest.approx((low, high), abs=5e-5)
    found = Verdict.of_pairs((some, 0, 0, 0, n - some))
    assert (score(found.elo_low), score(found.elo_high)) == pytest.approx((1 - high, 1 - low), abs=5e-5)


def score(elo: float) -> float:
    """By Elo's curve."""
    return 1 / (1 + 10 ** (-elo / 400))


def tango(more: int, fewer: int, n: int, difference: float) -> float:
    """The score statistic of a difference of paired shares (Tango 1998), by its closed form.

    more, fewer: of n pairs those in which the one and in which the other alone succeeded.
    """
    a, c = 2 * n, -fewer * difference * (1 - difference)
    b = -more - fewer + (2 * n - more + fewer) * difference
    fewer_then = (math.sqrt(b * b - 4 * a * c) - b) / (2 * a)
    return (more - fewer - n * difference) / math.sqrt(n * (2 * fewer_then + difference * (1 - difference)))


@pytest.mark.parametrize(
    "counts", [(3, 0, 20, 0, 9), (1, 0, 43, 0, 0), (0, 0, 12, 0, 5), (7, 0, 1, 0, 7), (2, 0, 500, 0, 1)]
)
def test_pairs_won_drawn_and_lost_have_the_interval_of_paired_shares(counts):
    found = Verdict.of_pairs(counts)
    for elo, expected in ((found.elo_low, 1.96), (found.elo_high, -1.96)):
        assert tango(counts[4], counts[0], sum(counts), 2 * score(elo) - 1) == pytest.approx(
            expected, abs=1e-4
        )
    z = tango(counts[4], counts[0], sum(counts), 0)
    assert found.superiority == pytest.approx(NormalDist().cdf(z), abs=1e-6)


def drawn_twice(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """The probabilities of a pair's scores, of those of losing, drawing and winning in either match."""
    shares = [0.0] * 5
    for i, j in product(range(3), repeat=2):
        shares[i + j] += first[i] * second[j]
    return shares


LEVEL = drawn_twice((0.35, 0.3, 0.35), (0.35, 0.3, 0.35))
BETTER = drawn_twice((0.25, 0.3, 0.45), (0.3, 0.3, 0.4))
DRAWS = drawn_twice((0.02, 0.94, 0.04), (0.02, 0.95, 0.03))
LOPSIDED = drawn_twice((0.02, 0.03, 0.95), (0.04, 0.06, 0.9))
# each opening is won by the side to move, or by the other, but for some
OPENINGS = [
    0.45 * x + 0.45 * y + 0.1 * z
    for x, y, z in zip(
        drawn_twice((0.02, 0.08, 0.9), (0.88, 0.08, 0.04)),
        drawn_twice((0.9, 0.08, 0.02), (0.04, 0.06, 0.9)),
        drawn_twice((0.3, 0.3, 0.4), (0.4, 0.3, 0.3)),
        strict=True,
    )
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shares", "pairs"),
    [(LEVEL, 100), (BETTER, 50), (OPENINGS, 100), (DRAWS, 200), (LOPSIDED, 50), (BETTER, 10)],
    ids=["level", "better", "openings decide", "many draws", "lopsided", "few pairs"],
)
def test_intervals_hold_the_truth_as_often_as_they_say(shares, pairs):
    mean = sum(i / 4 * share for i, share in enumerate(shares))
    draw = random.Random(4)
    kept: dict[tuple[int, ...], bool] = {}
    held = 0
    for _ in range(2000):
        scores = Counter(draw.choices(range(5), shares, k=pairs))
        counts = tuple(scores[i] for i in range(5))
        if counts not in kept:
            kept[counts] = abs(distance(counts, mean)) <= 1.96
            if len(kept) % 100 == 1:  # what the interval has is what it does not differ from
                found = Verdict.of_pairs(counts)
                assert kept[counts] == (score(found.elo_low) <= mean <= score(found.elo_high))
        held += kept[counts]
    assert 0.93 < held / 2000 < 0.98


def test_what_the_openings_decide_is_not_taken_for_chance():
    """Where every pair is won from one seat and lost from the other, matches by themselves say little."""
    found = Verdict.of_pairs((0, 2, 90, 8, 0))
    matches = wilson(found.score, 200)
    assert score(found.elo_high) - score(found.elo_low) < 0.3 * (matches[1] - matches[0])


@pytest.mark.parametrize("n", [1, 2, 50, 10**6])
@pytest.mark.parametrize("place", range(5))
def test_equal_pairs_leave_an_interval_to_both_sides(place, n):
    """By hand: a mean that is d higher is the likeliest if d / (1 - s) of all pairs are won outright.

    Their variance is d (1 - s) - d², which is n d² / z² at d = z² (1 - s) / (n + z²); and so it is below.
    """
    counts = [0] * 5
    counts[place] = n
    found, s = Verdict.of_pairs(counts), place / 4
    missed = 1.96**2 / (n + 1.96**2)
    assert score(found.elo_low) == pytest.approx(s - missed * s, abs=1e-7)
    assert score(found.elo_high) == pytest.approx(s + missed * (1 - s), abs=1e-7)
    if place == 2:
        assert found.superiority == pytest.approx(0.5)
    else:
        assert (found.superiority > 0.5) == (place > 2)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100, 10**6])
def test_all_and_none_leave_an_end_open(n):
    assert wilson(1.0, n)[1] == 1.0
    assert wilson(0.0, n)[0] == 0.0
    assert Verdict.of_pairs((0, 0, 0, 0, n)).elo_high == math.inf
    assert Verdict.of_pairs((n, 0, 0, 0, 0)).elo_low == -math.inf


# FIDE's table of expected scores (Handbook, B.02, 8.1.2) gives these to whole points
@pytest.mark.parametrize(("score", "points"), [(0.5, 0), (0.64, 100), (0.76, 200), (0.85, 300), (0.92, 424)])
def test_points_are_those_of_the_elo_curve(score, points):
    assert elo_of(score) == pytest.approx(points, abs=2)
    assert elo_of(1 - score) == pytest.approx(-points, abs=2)


def test_the_likelihood_of_superiority_is_that_of_a_normal_distribution():
    # a table of that has .8413, .9772 and .9987 at one, two and three deviations
    for wins, losses, expected in ((10, 6, 0.8413), (36, 28, 0.8413), (60, 40, 0.9772), (200, 139, 0.9995)):
        assert Verdict.of_pairs((losses, 0, 0, 0, wins)).superiority == pytest.approx(expected, abs=5e-5)
        assert Verdict.of_pairs((wins, 0, 0, 0, losses)).superiority == pytest.approx(1 - expected, abs=5e-5)


# 60 of 100 are from 50.2 to 69.06 %
def test_it_is_said_in_one_line():
    assert Verdict.of_pairs((40, 0, 0, 0, 60)).text("a", "b") == (
        "a scores 60.0 % against b: Elo +70, 95 % from +1 to +139; better with a likelihood of 97.7 %."
    )
    assert (
        Verdict.of_pairs((0, 0, 0, 0, 99))
        .text("a", "b")
        .endswith(" up; better with a likelihood over 99.9 %.")
    )
    assert "95 % up to −" in Verdict.of_pairs((99, 0, 0, 0, 0)).text("a", "b")
    assert Verdict.of_pairs((99, 0, 0, 0, 1)).text("a", "b").endswith("below 0.1 %.")
