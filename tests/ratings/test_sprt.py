"""The sequential test between two, held against other computations and simulated."""

import math

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.ratings.sprt import (
    SCALE,
    SCORES,
    Sprt,
    left_by,
    likeliest,
    log_likelihood_ratio,
    moments,
    shares_of,
)
from tiers import tiers

COUNTS = [  # of pairs that scored 0, 1/4, 1/2, 3/4, 1
    [39, 8843, 26675, 9240, 44],
    [0, 3, 20, 5, 0],
    [1, 2, 3, 4, 5],
    [5, 4, 3, 2, 1],
    [10, 10, 10, 10, 10],
    [100, 300, 900, 320, 120],
    [0, 0, 50, 1, 0],
    [0, 0, 50, 0, 0],
    [20, 0, 0, 0, 25],
    [2000, 8000, 20000, 8500, 2100],
    [7, 30, 60, 45, 12],
    [0, 1, 0, 1, 0],
    [3, 0, 9, 0, 6],
    [1, 200, 400, 100, 0],
    [50, 120, 210, 130, 45],
    [0, 12, 100, 40, 2],
    [9, 9, 9, 9, 30],
    [400, 100, 50, 100, 420],
    [0, 40, 41, 39, 0],
    [13, 170, 350, 210, 19],
]
A = np.array(SCORES)


def likelihood_at(shares, t):
    """The highest mean log likelihood of distributions with mean = 1/2 + t deviation.

    By an empirical likelihood with mean and deviation fixed, over a finer and finer grid of deviations.
    """

    def best_with(deviation):
        values = np.stack([A - 0.5 - t * deviation, (A - 0.5 - t * deviation) ** 2 - deviation**2])
        x = np.zeros(2)
        for _ in range(200):  # Newton's method for the dual, which is convex
            below = 1 + x @ values
            gradient = values @ (shares / below)
            hessian = (values * (shares / below**2)) @ values.T
            step, size = np.linalg.solve(hessian + 1e-14 * np.eye(2), gradient), 1.0
            dual = -(shares @ np.log(below))
            while size > 1e-12:
                new = 1 + (x + size * step) @ values
                if new.min() > 0 and -(shares @ np.log(new)) <= dual:
                    break
                size /= 2
            x = x + size * step
            if np.abs(size * step).max() < 1e-13:
                break
        p = shares / (1 + x @ values)
        feasible = abs(p.sum() - 1) < 1e-6 and np.abs(values @ p).max() < 1e-6
        return shares @ np.log(p) if feasible else -math.inf

    low, high = 1e-3, 0.5
    for _ in range(40):
        grid = np.linspace(low, high, 9)
        place = int(np.argmax([best_with(deviation) for deviation in grid]))
        low, high = grid[max(place - 1, 0)], grid[min(place + 1, 8)]
    return best_with((low + high) / 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "counts",
    tiers(
        COUNTS,
        quick=[
            [39, 8843, 26675, 9240, 44],
            [5, 4, 3, 2, 1],
            [0, 0, 50, 1, 0],
            [7, 30, 60, 45, 12],
            [1, 200, 400, 100, 0],
            [9, 9, 9, 9, 30],
        ],
    ),
    ids=str,
)
def test_the_ratio_is_that_of_the_likeliest_distributions(counts):
    shares = np.array(shares_of(counts))
    low, high = (math.sqrt(2) * elo / SCALE for elo in (0, 5))
    pairs = sum(count or 1e-3 for count in counts)
    expected = pairs * (likelihood_at(shares, high) - likelihood_at(shares, low))
    assert log_likelihood_ratio(counts, 0, 5) == pytest.approx(expected, abs=2e-5 * max(1, pairs / 1000))


def test_a_published_test_ends_where_it_was_seen_to():
    """A pentanomial record shown with OpenBench, which stops at 2.94 with bounds of 0.5 and 2.5."""
    counts, test = (39, 8843, 26675, 9240, 44), Sprt(0.5, 2.5)
    assert test.bounds == pytest.approx((-2.9444, 2.9444), abs=1e-4)
    assert test.ratio(counts) == pytest.approx(2.94, abs=0.005)


@pytest.mark.parametrize("elo", [-40.0, 0.0, 12.0])
def test_the_likeliest_distribution_has_the_difference(elo):
    shares = shares_of((50, 120, 210, 130, 45))
    p = np.array(likeliest(shares, elo))
    assert p.sum() == pytest.approx(1)
    assert moments(p).normalised == pytest.approx(elo, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("time", "bound", "other", "drift"), [(1, 1, 1, 0), (3, 1, 2, 0.5), (2, 1, 0.5, -1), (9, 1, 1, 0.2)]
)
def test_the_law_of_the_time_of_leaving_is_that_of_random_walks(time, bound, other, drift):
    """A walk on a fine lattice has its probabilities one step after the other, by a recursion."""
    cells = 120
    width = bound / cells
    below = round(other / width)
    steps = round(time / width**2)
    up = (1 + drift * width) / 2
    p, left = np.zeros(below + cells - 1), 0.0
    p[below - 1] = 1.0
    for _ in range(steps):
        left += p[-1] * up
        new = np.zeros_like(p)
        new[1:] += p[:-1] * up
        new[:-1] += p[1:] * (1 - up)
        p = new
    assert left_by(time, bound, other, drift, 1.0) == pytest.approx(left, abs=2e-3)


def runs(elo, test, repetitions, rng, grow=1.15):
    """Tests simulated with pairs of this difference: counts at the end, looked at as pairs grow by a part."""
    shares = np.array(likeliest(shares_of((5, 25, 42, 24, 4)), elo))
    for _ in range(repetitions):
        counts, pairs = np.zeros(5, int), 10
        while True:
            counts += rng.multinomial(pairs - counts.sum(), shares)
            if test.decision(counts.tolist()):
                break
            pairs = math.ceil(pairs * grow)
        yield counts.tolist()


@pytest.mark.campaign
@pytest.mark.parametrize("elo", [0, 5])
def test_errors_are_as_few_as_asked_for_and_estimates_have_no_bias(elo):
    test, rng = Sprt(0, 5), np.random.default_rng(elo)
    wrong = {0: "high", 5: "low"}[elo]
    errors, above, held, repetitions = 0, 0, 0, 2000
    for counts in runs(elo, test, repetitions, rng):
        errors += test.decision(counts) == wrong
        middle, low, high = test.estimate(counts)
        above += middle > elo
        held += low < elo < high
    assert errors <= 0.06 * repetitions
    assert abs(above / repetitions - 0.5) < 0.04
    assert held >= 0.93 * repetitions


@pytest.mark.parametrize(("low", "high"), [(5, 0), (0, 0), (-500, 0), (0, math.inf), (math.nan, 5)])
def test_what_is_no_test(low, high):
    with pytest.raises(ArenaError, match="use LOW,HIGH"):
        Sprt(low, high)


@pytest.mark.parametrize("share", [0, 0.5, -1, math.nan])
def test_what_is_no_share_of_errors(share):
    with pytest.raises(ArenaError, match=r"must lie between 0 and 0\.5"):
        Sprt(0, 5, alpha=share)
