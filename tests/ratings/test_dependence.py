"""What matches of an opening share: against refits without an opening, against simulation, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from arena.api.rating import Results
from arena.ratings.clusters import OfPairings, OfSeveral, Rows
from arena.ratings.dependence import Dependence
from arena.ratings.likelihood import Likelihood, derivatives
from arena.ratings.maximum_likelihood import SHARED, MaximumLikelihood, closed
from arena.ratings.statistics import POINTS
from arena.ratings.student import quantile


def drawn(rng, entries, openings, seat=0.0, entry=0.0, keep=1.0):
    """Rows of openings that are worth so much, in logs; of each pairing this share is played."""
    rows = []
    for opening in range(openings):
        favour, suits = rng.normal(0, seat), rng.normal(0, entry, entries)
        for first in range(entries):
            for second in range(entries):
                if first != second and rng.random() < keep:
                    x = suits[first] - suits[second] + favour
                    weights = np.array([np.exp(x / 2), 0.6, np.exp(-x / 2)])
                    outcome = rng.choice(3, p=weights / weights.sum())
                    rows.append([opening, first, second, *np.eye(3, dtype=int)[outcome]])
    return np.array(rows)


def results(rows, entries, more=(), openings=True):
    """Of rows, and of more totals that are of no opening."""
    counts = np.zeros((3, entries, entries), int)
    for _, first, second, *outcome in rows.tolist():
        counts[:, first, second] += outcome
    for first, second, *outcome in more:
        counts[:, first, second] += outcome
    totals = [
        (i, j, *counts[:, i, j].tolist())
        for i in range(entries)
        for j in range(entries)
        if counts[:, i, j].any()
    ]
    names = [f"e{i}" for i in range(entries)]
    return Results(names, totals, lambda: iter(()), openings=(lambda: rows) if openings else None)


def fitted(rows, entries, more=(), openings=True, prior=10000):
    return MaximumLikelihood(prior=prior).fit(results(rows, entries, more, openings))


def robust_errors(fit):
    """Of each entry's distance from the last one, in points."""
    n = fit.likelihood.entries
    contrasts = np.eye(n - 1, n + 2)
    contrasts[:, n - 1] = -1
    ratios, _ = fit.dependences[0].of_each(contrasts)
    return POINTS * np.sqrt(ratios * np.einsum("ki,ij,kj->k", contrasts, fit.maximum[1], contrasts))


@pytest.mark.parametrize(
    ("seat", "entry", "keep"), [(0, 0, 1), (0.5, 1.5, 1), (0, 1.0, 0.6), (2.0, 1.0, 0.8)]
)
def test_errors_are_those_of_fits_that_leave_out_an_opening_each(seat, entry, keep):
    """The jackknife over openings (Tukey 1958), another way to the same."""
    rows = drawn(np.random.default_rng(1), 4, 60, seat, entry, keep)
    left_out = []
    for opening in range(60):
        values = fitted(rows[rows[:, 0] != opening], 4, openings=False).values[:4]
        left_out.append(values[:3] - values[3])
    spread = np.array(left_out) - np.mean(left_out, axis=0)
    jackknife = np.sqrt(59 / 60 * (spread**2).sum(axis=0))
    assert robust_errors(fitted(rows, 4)) == pytest.approx(jackknife, rel=0.04)


def test_matches_that_are_repeated_within_their_opening_tell_nothing_new():
    rows = drawn(np.random.default_rng(2), 5, 40, 0.3, 1.0)
    fivefold = rows * [1, 1, 1, 5, 5, 5]
    once, again = fitted(rows, 5), fitted(fivefold, 5)
    assert again.values == pytest.approx(once.values, abs=0.1)
    assert robust_errors(again) == pytest.approx(robust_errors(once), rel=2e-3)


def test_how_rows_are_ordered_numbered_and_split_does_not_matter():
    rng = np.random.default_rng(3)
    rows = drawn(rng, 4, 30, 0.5, 0.5, 0.8)
    doubled = np.concatenate([rows, rows])  # two rows of one match each
    numbers = rng.permutation(1000)[:30]
    other = rows * [1, 1, 1, 2, 2, 2]
    other[:, 0] = numbers[other[:, 0]]
    one, two = fitted(doubled, 4), fitted(rng.permutation(other), 4)
    for rating, same in zip([*one.ratings, one.first_move], [*two.ratings, two.first_move], strict=True):
        assert rating == pytest.approx(same, abs=1e-3)


def test_where_openings_are_alike_there_are_as_many_degrees_of_freedom_as_openings_but_one():
    rows = drawn(np.random.default_rng(4), 4, 25, 1.0)
    _, freedom = fitted(rows, 4).dependences[0].of_each(np.eye(3, 6) - np.eye(4, 6)[3])
    assert freedom == pytest.approx(24, rel=1e-3)


def information_of_opening(rows, values, opening):
    counts = np.zeros((3, 3, 3))
    some = rows[rows[:, 0] == opening]
    np.add.at(counts, (slice(None), some[:, 1], some[:, 2]), some[:, 3:].T)
    return derivatives(counts, values).information


def test_variance_and_degrees_of_freedom_are_those_of_drawn_gradients():
    """Of openings of many sizes: Satterthwaite's, from the mean and the variance of what is drawn."""
    rng = np.random.default_rng(5)
    rows = drawn(rng, 3, 14)
    rows[:, 3:] *= rng.integers(1, 30, 14)[rows[:, 0]][:, None]  # some openings are played more often
    rows = rows[(rows[:, 0] > 3) | (rows[:, 1] != 2)]  # and some not by all
    counts = np.zeros((3, 3, 3))
    np.add.at(counts, (slice(None), rows[:, 1], rows[:, 2]), rows[:, 3:].T)
    likelihood = Likelihood(counts, 1e-6)
    values, _ = likelihood.maximum()
    contrast = np.array([1.0, 0, -1, 0, 0])
    dependence = Dependence(likelihood, values, rows)
    _, freedom = dependence.of_each(contrast[None])

    information = likelihood.at(values).information
    of_openings = np.array([information_of_opening(rows, values, opening) for opening in range(14)])
    own = of_openings
    roots = [np.linalg.cholesky(one + 1e-9 * np.eye(5)) for one in of_openings]
    weights = np.linalg.solve(information, contrast)
    drawn_variances = []
    # the matrix whose square is 1 - the opening's share, by eigenvalues of the matrix as it is
    for one in range(len(own)):
        sizes, vectors = np.linalg.eig(np.eye(5) - of_openings[one] @ np.linalg.inv(information))
        grown = (vectors / np.sqrt(sizes)) @ np.linalg.inv(vectors)
        drawn_variances.append(weights @ grown.real)
    gradients = np.stack([rng.normal(size=(20_000, 5)) @ root.T for root in roots], axis=1)
    total = gradients.sum(axis=1)
    residuals = gradients - np.einsum("gij,jk,rk->rgi", of_openings, np.linalg.inv(information), total)
    moved = np.einsum("gi,rgi->rg", np.array(drawn_variances), residuals)
    found = (moved**2).sum(axis=1)
    assert found.mean() == pytest.approx(contrast @ weights, rel=0.02)  # without bias
    assert 2 * found.mean() ** 2 / found.var() == pytest.approx(freedom[0], rel=0.05)
    assert freedom[0] < 9


def test_openings_that_favour_a_seat_narrow_ratings_and_widen_the_first_move():
    rows = drawn(np.random.default_rng(6), 4, 80, seat=3.0)
    with_openings, without = fitted(rows, 4), fitted(rows, 4, openings=False)
    for known, independent in zip(with_openings.ratings, without.ratings, strict=True):
        assert known.value == independent.value
        assert known.high - known.low < 0.8 * (independent.high - independent.low)
    wide, narrow = with_openings.first_move, without.first_move
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_openings_that_suit_an_entry_widen_ratings_differences_and_ranges_of_ranks():
    rows = drawn(np.random.default_rng(7), 6, 30, entry=2.0)
    with_openings, without = fitted(rows, 6), fitted(rows, 6, openings=False)
    pairs = [
        *zip(with_openings.ratings, without.ratings, strict=True),
        *zip(with_openings.from_anchor(2, 0.0), without.from_anchor(2, 0.0), strict=True),
        (with_openings.difference(0, 1), without.difference(0, 1)),
    ]
    for wide, narrow in pairs:
        assert wide.value == narrow.value
        if wide.high != wide.low:  # the anchor
            assert wide.high - wide.low > 1.25 * (narrow.high - narrow.low)
    for (best, worst), (first, last) in zip(with_openings.ranks(), without.ranks(), strict=True):
        assert best <= first
        assert last <= worst
    assert with_openings.ranks() != without.ranks()


@pytest.mark.slow
def test_of_one_opening_little_follows_and_of_more_more():
    rng = np.random.default_rng(8)
    widths = []
    for openings in (1, 3, 10, 40):
        pairs = []
        for _ in range(10):
            rows = drawn(rng, 4, openings)
            fits = fitted(rows, 4, prior=1000), fitted(rows, 4, prior=1000, openings=False)
            found, independent = (fit.difference(0, 1) for fit in fits)
            if None not in (*found, *independent):
                pairs.append((found.high - found.low) / (independent.high - independent.low))
        widths.append(np.mean(pairs))
    # Student's t of 1, 2, 9 and 39 degrees of freedom is 6.5, 2.2, 1.15 and 1.03 times the normal's 1.96
    assert widths[0] > 5
    assert 1.1 < widths[1] < 3.5  # 1.25 for the 6 of three openings and three differences, 2.2 for 2
    assert 1 < widths[2] < 1.4
    assert 0.95 < widths[3] < 1.1


def test_openings_that_all_go_the_same_way_do_not_make_ratings_certain():
    """Each of 20 openings is won from the first seat: one more could go otherwise."""
    rows = np.array([[opening, a, 1 - a, 1, 0, 0] for opening in range(20) for a in (0, 1)])
    found = fitted(rows, 2, prior=1000).difference(0, 1)
    # one opening in 7 may go otherwise, and 20 of them have none with a probability of 5 %, 0.86 ** 20; if
    # the same entry won those from both seats, it would score 0.57, and be 50 points ahead
    assert found.high > 50 / 2


def test_matches_of_no_opening_stay_independent():
    rows = drawn(np.random.default_rng(9), 3, 20, entry=2.0)
    more = [(i, j, 4000, 2500, 4000) for i in range(3) for j in range(3) if i != j]
    mixed, independent = fitted(rows, 3, more), fitted(rows, 3, more, openings=False)
    ratios, freedom = mixed.dependent(np.eye(3, 5) - 1 / 3 * np.array([1, 1, 1, 0, 0]))
    assert ratios == pytest.approx(1, abs=0.02)
    assert (freedom > 1000).all()
    assert mixed.ratings[0] == pytest.approx(independent.ratings[0], abs=0.1)


def test_without_openings_nothing_changes_to_the_bit():
    rows = drawn(np.random.default_rng(10), 4, 20)
    none = results(rows, 4)
    none.openings = lambda: rows[:0]
    system, plain = MaximumLikelihood(), results(rows, 4, openings=False)
    assert system.rate(none) == system.rate(plain)
    assert system.ranks(none) == system.ranks(plain)
    assert system.notes(none) == system.notes(plain)
    assert SHARED not in system.notes(plain)
    assert SHARED in system.notes(results(rows, 4))


def test_beside_a_shut_out_openings_never_make_an_open_interval_reach_less_far():
    rng = np.random.default_rng(11)
    rows = drawn(rng, 5, 15, entry=1.5)
    for who, place in ((1, [1, 0, 0]), (2, [0, 0, 1])):
        rows[rows[:, who] == 0, 3:] = place  # the first entry wins all
    found, independent = fitted(rows, 5).ratings, fitted(rows, 5, openings=False).ratings
    assert found[0].high is None
    assert found[0].low < independent[0].low
    assert fitted(rows, 5).ranks()[0] == (1, 1)


def test_a_system_is_asked_for_openings_once_and_again_for_other_results():
    rows, calls = drawn(np.random.default_rng(12), 3, 10), []
    asked = results(rows, 3)
    asked.openings = lambda: calls.append(1) or rows
    system = MaximumLikelihood()
    first = system.rate(asked), system.ranks(asked), system.notes(asked)
    assert len(calls) == 1
    asked.totals = [(0, 1, 5, 0, 1), *asked.totals]
    assert system.rate(asked) != first[0]


def test_intervals_are_those_of_student_where_results_are_many():
    """From the robust error by hand: far from any bound the profile is a parabola."""
    rows = drawn(np.random.default_rng(13), 2, 8)
    rows[:, 3:] *= 5000
    fit = fitted(rows + np.array([0, 0, 0, 9000, 9000, 9000]), 2)
    _, freedom = fit.dependent(np.array([[1.0, -1, 0, 0]]))
    error = robust_errors(fit)[0]
    found = fit.difference(0, 1)
    assert freedom[0] == pytest.approx(7, rel=0.02)
    assert found.high - found.value == pytest.approx(float(quantile(0.975, freedom[0])) * error, rel=0.05)


def test_clusters_of_one_pairing_are_the_same_as_clusters_in_general():
    """Three directions say as much as all of them, with matches of different numbers and seats."""
    rng = np.random.default_rng(9)
    rows = drawn(rng, 4, 12, 0.5, 0.5, 0.8)
    rows[:, 3:] *= rng.integers(1, 4, len(rows))[:, None]
    low, high = np.minimum(rows[:, 1], rows[:, 2]), np.maximum(rows[:, 1], rows[:, 2])
    rows[:, 0] = (rows[:, 0] * 4 + low) * 4 + high  # each pairing has openings of its own
    fit = fitted(rows, 4)
    values, information = fit.maximum[0], fit.likelihood.at(fit.maximum[0]).information
    root = np.linalg.cholesky(information)
    each = Rows.of(rows, values)
    assert each.of_one_pairing.all()
    one, general = OfPairings(each, np.linalg.inv(information)), OfSeveral(each, root)
    assert one.seen_by_all == pytest.approx(general.seen_by_all, rel=1e-6, abs=1e-9)
    assert one.expected_of_all == pytest.approx(general.expected_of_all, rel=1e-6, abs=1e-9)
    ways = np.linalg.inv(information)[:4]
    expected, squares, _ = general.spread(ways)
    found, about, _ = one.spread(ways)
    assert found == pytest.approx(expected, rel=1e-6)
    assert about == pytest.approx(squares, rel=0.1)  # one degree of freedom less, in place of all products


def test_many_entries_have_about_the_same_errors_as_their_clusters_say(monkeypatch):
    rng = np.random.default_rng(10)
    rows = drawn(rng, 12, 6, 1.0, 0.5)
    low, high = np.minimum(rows[:, 1], rows[:, 2]), np.maximum(rows[:, 1], rows[:, 2])
    rows[:, 0] = (rows[:, 0] * 12 + low) * 12 + high
    errors, freedom = fitted(rows, 12).errors
    monkeypatch.setattr("arena.ratings.dependence.MANY", 5)
    others, about = fitted(rows, 12).errors
    apart = ~np.eye(12, dtype=bool)
    assert others[apart] == pytest.approx(errors[apart], rel=0.03)
    assert (about[apart] > 50).all()
    assert (freedom[apart] > 50).all()


def test_what_follows_from_two_differences_is_counted_in_ranges_of_ranks():
    above = np.zeros((4, 4), bool)
    above[0, 1] = above[1, 2] = above[2, 3] = True
    assert (closed(above) == np.triu(np.ones((4, 4), bool), 1)).all()
