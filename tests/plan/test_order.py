"""What is sure of an order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arena.plan.certain_order import UNSURE, Order, blocks
from simulated import Field, by_gaps, nothing, wrongly


def expected(field, matches, withdrawn=frozenset()):
    """The standing where each pairing has brought what is to be expected of so many matches."""
    n = len(field.ratings)
    results = np.round(matches * field.probabilities * (1 - np.eye(n))[..., None]).astype(np.int64)
    played = results.sum(axis=2)
    return replace(
        nothing(n, 10**9, withdrawn=withdrawn),
        stages=1, matches=int(played.sum()), results=results, played=played, fresh=played,
    )  # fmt: skip


FIELD = Field(by_gaps(60, 3, 200, 0, 80), first_move=100.0)


def test_with_many_matches_it_says_what_is_true():
    order = Order(expected(FIELD, 20000), 25.0)
    assert order.fitted.entries.tolist() in ([0, 1, 2, 3, 4, 5], [0, 1, 2, 4, 3, 5])
    assert order.cuts.tolist() == [True, False, True, False, True]
    assert order.close.tolist() == [False, True, False, True, False]
    assert order.questions() is None
    assert not wrongly(order, FIELD, 25.0)


def test_with_few_matches_it_says_little_and_asks():
    order = Order(expected(FIELD, 10), 25.0)
    assert not order.close.any()
    questions = order.questions()
    assert np.allclose(questions.contrasts.sum(axis=1), 0)
    assert (questions.variances > 0).all()


def test_what_is_asked_suffices():
    """Were the variances as wanted and all else the same, all would be decided."""
    order = Order(expected(FIELD, 400), 25.0)
    assert not order.decided.all()
    order.variances = np.full_like(order.variances, order.questions().variances.min())
    asked = Order.__new__(Order)
    asked.__dict__.update({k: v for k, v in order.__dict__.items() if k not in ("above", "cuts", "close")})
    asked.fitted.__dict__["less"] = 1.0
    asked.against = lambda bound, way, ones, others, wanted: by_curvature(asked, bound, way, ones, others)
    assert asked.decided.all()


def by_curvature(order, bound, way, ones, others):
    from arena.plan.evidence import evidence

    distance = way * (order.gaps[ones, others] - bound)
    return evidence(distance, distance**2 / (2 * order.variances[ones, others]), order.unit)


@pytest.mark.parametrize("n", [2, 3, 8, 20])
def test_the_chances_of_all_that_may_be_wrong_sum_to_5_percent(n):
    order = Order(nothing(n, 1), 25.0)
    apart = np.arange(1, n)
    assert ((n - apart) * np.exp(-order.wanted(apart))).sum() == pytest.approx(UNSURE)


def test_a_cut_needs_each_above_it_to_be_better_than_each_below():
    order = Order(expected(FIELD, 600), 25.0)
    above = order.above
    for i in range(order.n - 1):
        assert order.cuts[i] == all(above[a, b] for a in range(i + 1) for b in range(i + 1, order.n))


def test_it_takes_those_alone_who_still_play():
    order = Order(expected(FIELD, 20000, frozenset({1, 3})), 25.0)
    assert order.fitted.entries.tolist() == [0, 2, 4, 5]
    assert order.cuts.all()
    everybody = Order(expected(FIELD, 20000), 25.0)
    one = np.array([1])
    assert order.wanted(one) > everybody.wanted(one)


def test_an_entry_that_won_all_is_above_soon():
    results = np.zeros((2, 2, 3), np.int64)
    results[0, 1], results[1, 0] = (12, 0, 0), (0, 0, 12)
    standing = replace(nothing(2, 1000), stages=1, matches=24, results=results, played=results.sum(axis=2))
    assert Order(standing, 25.0).cuts.tolist() == [True]
    few = replace(standing, results=results // 4)
    assert Order(few, 25.0).cuts.tolist() == [False]


def test_blocks_lie_between_cuts():
    cuts = np.array([False, True, False, False, True, True])
    assert blocks(cuts).tolist() == [2, 1, 3, 3, 1, 1]
    assert blocks(np.zeros(3, bool)).tolist() == [4, 4, 4]
    assert blocks(np.zeros(0, bool)).tolist() == []


def test_pairs_of_matches_that_one_opening_decides_count_as_one():
    """Of 60 openings an entry wins 35 from both seats and loses the others: half of it tells nothing."""
    opening, won = np.repeat(np.arange(60), 2), np.repeat(np.arange(60) < 35, 2)
    first = np.tile([0, 1], 60)
    rows = np.column_stack([opening, first, 1 - first, won == (first == 0), 0 * won, won != (first == 0)])
    results = np.zeros((2, 2, 3), np.int64)
    np.add.at(results, (rows[:, 1], rows[:, 2]), rows[:, 3:])
    standing = replace(nothing(2, 1000), stages=1, matches=120, results=results, played=results.sum(axis=2))
    shared = Order(replace(standing, openings=lambda: rows.astype(np.int64)), 25.0)
    alone = Order(standing, 25.0)
    assert shared.variances[0, 1] / alone.variances[0, 1] == pytest.approx(2, rel=0.1)
    one, other, wanted = np.array([0]), np.array([1]), np.array([1.0])
    assert shared.against(0.0, 1, one, other, wanted) < alone.against(0.0, 1, one, other, wanted)
    even_out = rows.astype(np.int64)
    even_out[:, 3:] = np.tile([[1, 0, 0], [0, 1, 0]], (60, 1))  # each opening is alike: they never seem surer
    assert Order(replace(standing, openings=lambda: even_out), 25.0).fitted.wider[0, 1] == 1
