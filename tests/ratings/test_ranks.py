"""Ranges of ranks: they hold the true ranks together, and are as narrow as results allow."""

from __future__ import annotations

import numpy as np
import pytest

from arena.api.rating import RatingSystem, Results
from arena.ratings.maximum_likelihood import MaximumLikelihood
from tiers import slow


def results(strengths, matches, rng):
    """A round robin without draws among entries of these strengths, in Elo points."""
    n = len(strengths)
    totals = []
    for i in range(n):
        for j in range(n):
            if i != j:
                won = int(rng.binomial(matches, 1 / (1 + 10 ** ((strengths[j] - strengths[i]) / 400))))
                totals.append((i, j, won, 0, matches - won))
    return Results([f"e{i}" for i in range(n)], totals, lambda: iter(()))


def ranks_of(strengths):
    """Best and worst true rank, equals sharing theirs."""
    strengths = np.asarray(strengths)
    return [(1 + int((strengths > s).sum()), int((strengths >= s).sum())) for s in strengths]


@pytest.mark.slow
@pytest.mark.parametrize(
    "strengths",
    [[0, 0, 0, 0, 0], *slow([0, 30, 60, 90, 500], [0, 0, 100, 1500])],
    ids=["equal", "near", "far"],
)
def test_all_ranges_together_hold_what_is_true_nineteen_times_in_twenty(strengths):
    rng, system, missed = np.random.default_rng(1), MaximumLikelihood(), 0
    for _ in range(200):
        found = system.ranks(results(strengths, 20, rng))
        # a range must reach into the ranks that an entry shares with its equals
        missed += any(
            low > worst or high < best
            for (low, high), (best, worst) in zip(found, ranks_of(strengths), strict=True)
        ) or any(
            strengths[i] == strengths[j] and (found[i][1] < found[j][0])
            for i in range(len(strengths)) for j in range(len(strengths))
        )  # fmt: skip
    assert missed <= 17  # of 200; more than that has a chance below 2 % at 10


def test_enough_matches_tell_all_apart_and_none_tell_nothing():
    rng, strengths = np.random.default_rng(2), [0, 100, 200, 300]
    assert MaximumLikelihood().ranks(results(strengths, 4000, rng)) == [(4, 4), (3, 3), (2, 2), (1, 1)]
    assert MaximumLikelihood().ranks(results(strengths, 0, rng)) == [(1, 4)] * 4


def test_who_has_won_all_is_first_alone_and_who_has_lost_all_last():
    totals = [(i, j, 8 * (i < j), 0, 8 * (i > j)) for i in range(3) for j in range(3) if i != j]
    found = MaximumLikelihood().ranks(Results(["a", "b", "c"], totals, lambda: iter(())))
    assert found == [(1, 1), (2, 2), (3, 3)]
    few = [(i, j, 1 * (i < j), 0, 1 * (i > j)) for i in range(3) for j in range(3) if i != j]
    found = MaximumLikelihood().ranks(Results(["a", "b", "c"], few, lambda: iter(())))
    assert found[1] == (1, 3)  # two matches each tell little


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("n", [8, 32])
def test_ranks_among_some_are_those_among_all_less_those_left_out(n, shared):
    rng = np.random.default_rng(n)
    found = results(rng.normal(0, 150, n), 12, rng)
    if shared:
        rows = [(k % 7, *row) for k, row in enumerate(found.totals)]
        found = Results(found.entries, found.totals, found.sequence, openings=lambda: np.array(rows))
    places = rng.permutation(n)
    everybody = MaximumLikelihood().fit(found)
    assert everybody.ranks(places) == [everybody.ranks()[place] for place in places]
    for facts, all_facts in zip(everybody.errors_among(places[:5]), everybody.errors, strict=True):
        assert facts == pytest.approx(all_facts[np.ix_(places[:5], places[:5])], rel=1e-9)


def test_a_system_that_does_not_know_says_nothing():
    assert RatingSystem().ranks(Results(["a"], [], lambda: iter(()))) is None
    exact = Results(["a", "b"], [(0, 1, 0.5, 0.0, 0.5)], lambda: iter(()), exact=True)
    assert MaximumLikelihood().ranks(exact) is None
