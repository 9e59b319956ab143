"""What speaks against an order: found where it is so, and seldom where it is not."""

import math
from collections import Counter

import numpy as np
import pytest
import scipy

from arena.api.rating import Results
from arena.ratings.caveats import Doubts, beyond
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.statistics import POINTS
from tiers import slow


def doubts_of(counts, prior=1000):
    """counts: [3, n, n], wins, draws and losses of the row's entry moving first."""
    n = counts.shape[1]
    totals = [(a, b, *counts[:, a, b].tolist()) for a in range(n) for b in range(n) if counts[:, a, b].sum()]
    fit = MaximumLikelihood(prior=prior).fit(Results([str(i) for i in range(n)], totals, lambda: iter(())))
    return Doubts(fit.likelihood, *fit.maximum)


def drawn(differences, matches, rng, first_move=0.0, draws=-1.0):
    """Matches of all pairings, so many from either seat, with these differences [n, n] in log odds."""
    n = len(differences)
    counts = np.zeros((3, n, n))
    for a in range(n):
        for b in range(n):
            if a != b:
                x = differences[a][b] + first_move
                weights = np.exp([x / 2, draws, -x / 2])
                counts[:, a, b] = rng.multinomial(matches, weights / weights.sum())
    return counts


def circle(share=0.7):
    """Rock, paper and scissors: each beats the next in this share of matches, which has no draws."""
    edge = math.log(share / (1 - share))
    return [[0, edge, -edge], [-edge, 0, edge], [edge, -edge, 0]]


def ladder(ratings):
    return np.subtract.outer(ratings, ratings) / POINTS


@pytest.mark.slow
def test_rock_paper_and_scissors_are_found_within_300_matches():
    rng, found = np.random.default_rng(1), 0
    for _ in range(200):
        doubts = doubts_of(drawn(circle(), 50, rng, draws=-50.0))
        found += [cycle.entries for cycle in doubts.cycles] == [(0, 1, 2)]
    assert found >= 190


def test_a_cycle_among_others_is_named_with_its_scores():
    ratings = [900, 500, 0, 0, 0, -400]
    differences = ladder(ratings)
    for row, column, edge in ((2, 3, 1.2), (3, 4, 1.2), (4, 2, 1.2)):
        differences[row, column], differences[column, row] = edge, -edge
    doubts = doubts_of(drawn(differences, 200, np.random.default_rng(2), first_move=0.3))
    assert [cycle.entries for cycle in doubts.cycles] == [(2, 3, 4)]
    counts = doubts.likelihood.counts
    points = counts[0, 2, 3] + counts[2, 3, 2] + (counts[1, 2, 3] + counts[1, 3, 2]) / 2
    assert doubts.cycles[0].scores[0] == pytest.approx(points / 400)
    assert doubts.misfit < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("matches", [3, *slow(20, 200)])
def test_what_is_transitive_raises_no_false_alarm(matches):
    rng = np.random.default_rng(matches)
    alarms, shares = Counter(), []
    for _ in range(300):
        ratings = rng.normal(0, 250, 6)
        doubts = doubts_of(drawn(ladder(ratings), matches, rng, first_move=0.3))
        alarms["cycle"] += bool(doubts.cycles)
        alarms["misfit"] += doubts.misfit < 0.05
        shares.append(doubts.cyclic_share)
    assert alarms["cycle"] <= 15
    assert alarms["misfit"] <= 24
    assert np.median(shares) < (0.25 if matches == 3 else 0.05)


@pytest.mark.parametrize(("entries", "matches"), [(2, 2), (2, 5), (3, 2), (3, 4)])
def test_few_matches_of_few_entries_raise_no_false_alarm(entries, matches):
    rng = np.random.default_rng(matches)
    alarms, events = 0, 100
    for _ in range(events):
        counts = drawn(ladder(rng.normal(0, 250, entries)), matches, rng, first_move=0.3)
        alarms += doubts_of(counts).misfit < 0.05
    assert alarms <= scipy.stats.binom.ppf(0.999, events, 0.05)


@pytest.mark.parametrize("shape", [0.01, 0.5, 1.9, 2.1, 40])
def test_the_tail_is_a_gamma_distributions(shape):
    for ratio in (0.0, 0.01, 0.5, 1.0, 3.0, 1000.0):
        assert beyond(ratio, shape) == pytest.approx(scipy.stats.gamma.sf(ratio * shape, shape), abs=5e-3)


def test_the_cyclic_share_is_all_of_a_circle_and_none_of_a_ladder():
    rng = np.random.default_rng(3)
    assert doubts_of(drawn(circle(), 10_000, rng)).cyclic_share > 0.98
    assert doubts_of(drawn(ladder([300, 0, -300]), 10_000, rng)).cyclic_share < 0.01
    mixed = np.array(circle()) + ladder([300, 0, -300])
    edge = math.log(0.7 / 0.3)
    cyclic, ranked = 6 * edge**2, (ladder([300, 0, -300]) ** 2).sum()
    found = doubts_of(drawn(mixed, 100_000, rng)).cyclic_share
    assert found == pytest.approx(cyclic / (cyclic + ranked), abs=0.12)  # squares are weighted


@pytest.mark.slow
def test_misfit_is_the_share_of_tables_that_fit_worse():
    """Against tables simulated from the fit."""
    rng = np.random.default_rng(4)
    differences = ladder([200, 100, 0, -100])
    differences[0, 3], differences[3, 0] = -0.2, 0.2
    counts = drawn(differences, 40, rng, first_move=0.2)
    doubts = doubts_of(counts)

    def statistic(doubts):
        counts = doubts.likelihood.counts
        expected = counts.sum(axis=0) * doubts.expected
        played = counts.sum(axis=0) > 0
        return ((counts - expected)[:, played] ** 2 / expected[:, played]).sum()

    own, worse = statistic(doubts), 0
    for _ in range(400):
        again = np.zeros_like(counts)
        for a in range(4):
            for b in range(4):
                if a != b:
                    again[:, a, b] = rng.multinomial(40, doubts.expected[:, a, b])
        worse += statistic(doubts_of(again)) >= own
    assert doubts.misfit == pytest.approx(worse / 400, abs=0.07)


def test_superiority_is_the_normal_distributions():
    doubts = doubts_of(drawn(ladder([100, 0, 0]), 50, np.random.default_rng(5)))
    found = doubts.superiority
    assert np.allclose(found + found.T, 1)
    assert np.allclose(np.diag(found), 0.5)
    contrast = np.array([1, -1, 0, 0, 0])
    z = contrast @ doubts.values / math.sqrt(contrast @ doubts.covariance @ contrast)
    assert found[0, 1] == pytest.approx((1 + math.erf(z / math.sqrt(2))) / 2)


@pytest.mark.parametrize("seed", range(6))
def test_so_few_results_change_the_first_place_and_one_less_does_not(seed):
    """Of two entries it is counted out; of four no other choice of as many in their own matches does it."""
    rng = np.random.default_rng(seed)
    two = drawn(ladder([60, 0]), 100, rng)
    doubts = doubts_of(two)
    one, other = (0, 1) if doubts.values[0] > doubts.values[1] else (1, 0)
    swaps = doubts.swaps(one, other)
    points = [two[0, a, b] + two[2, b, a] for a, b in ((one, other), (other, one))]
    assert swaps == math.ceil((points[0] - points[1]) / 2)
    four = drawn(ladder([60, 40, 0, -200]), 100, rng)
    doubts = doubts_of(four)
    one, other = np.argsort(-doubts.values[:4])[:2].tolist()
    own = four.copy()  # only in matches of the two against each other
    moved = 0
    while doubts_of(own).values[one] > doubts_of(own).values[other]:
        a, b, source, target = (one, other, 0, 2) if own[0, one, other] else (other, one, 2, 0)
        own[source, a, b] -= 1
        own[target, a, b] += 1
        moved += 1
    assert 1 <= doubts.swaps(one, other) <= moved
