"""Pairings with the seeds of a learner put together: sums, means, and intervals worked by hand."""

from __future__ import annotations

import pytest

from arena.show.pooled_seeds import pooled

SEEDS = {"a:seeds=3": ["a", "a:seed=1", "a:seed=2"], "b:seeds=3": ["b", "b:seed=1", "b:seed=2"]}
T = 4.302653  # Student's, of 2 degrees of freedom, for 95 %


def pairing(first, second, wins, losses, copies=0):
    return {
        "first": first,
        "second": second,
        "wins": wins,
        "draws": 0,
        "losses": losses,
        "forfeits": 0,
        "copies": copies,
    }


def test_seeds_are_added_up_and_the_interval_is_as_wide_as_they_are_apart():
    """Scores of .5, .6 and .7 have the standard deviation .1."""
    rows = [pairing(a, "c", won, 100 - won) for a, won in zip(SEEDS["a:seeds=3"], (50, 60, 70), strict=True)]
    alone = pairing("c", "d", 1, 2)
    together, same = pooled([*rows, alone], SEEDS)
    assert same is alone
    assert [together[name] for name in ("first", "second", "wins", "losses")] == ["a:seeds=3", "c", 180, 120]
    half = T * 0.1 / 3**0.5
    assert together["interval"] == pytest.approx((0.6 - half, 0.6 + half), abs=1e-6)


def test_seeds_of_both_players_count():
    """Scores of .5 - .1, 0 or .1 for the one's seed, and likewise for the other's.

    Sums over a seed are off by 30, 0 and -30; cells by 20, 10, 0 …, whose squares come to 1200.
    """
    rows = [
        pairing(a, b, 50 + 10 * i + 10 * j, 50 - 10 * i - 10 * j)
        for i, a in enumerate(SEEDS["a:seeds=3"], -1)
        for j, b in enumerate(SEEDS["b:seeds=3"], -1)
    ]
    (together,) = pooled(rows, SEEDS)
    half = T * (2 * 1800 * 3 / 2 - 1200) ** 0.5 / 900
    assert together["interval"] == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)


def test_seeds_that_are_alike_are_as_sure_as_their_matches_without_copies():
    """Wilson's interval of 4 of 6 is 30.0 to 90.3 %."""
    rows = [pairing(a, "c", 20, 10, copies=28) for a in SEEDS["a:seeds=3"]]
    (together,) = pooled(rows, SEEDS)
    assert together["interval"] == pytest.approx((0.300, 0.903), abs=5e-4)


def test_of_exact_results_there_is_the_mean():
    exact = {"forfeits": 0.0, "plies": 7.0, "first_blunder_rate": None, "draws": 0.0}
    rows = [
        {"first": a, "second": "c", "wins": won, "losses": 1 - won, **exact}
        for a, won in zip(SEEDS["a:seeds=3"], (0.5, 0.6, 0.7), strict=True)
    ]
    (together,) = pooled(rows, SEEDS)
    assert (together["wins"], together["plies"]) == pytest.approx((0.6, 7.0))
    assert together["first_blunder_rate"] is None
    half = T * 0.1 / 3**0.5
    assert together["interval"] == pytest.approx((0.6 - half, 0.6 + half), abs=1e-6)
