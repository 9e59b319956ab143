"""Evidence against a bound is what its definition says, and seldom large where the bound holds."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import scipy

from arena.plan.evidence import SHARES, WIDTHS, evidence, falls, variance_needed
from arena.ratings.likelihood import Likelihood, outcomes
from arena.ratings.profile import FEW

PRIOR = (math.log(10) / 400 * 1000) ** -2


def said(distance, fall, unit=1.0):
    return float(evidence(np.array([distance]), np.array([fall]), unit)[0])


@pytest.mark.parametrize(("distance", "fall", "unit"), [(0.1, 0.5, 1.0), (0.3, 12.0, 0.14), (2.0, 6.0, 0.1)])
def test_evidence_is_the_integral_over_half_normal_priors(distance, fall, unit):
    variance = distance**2 / (2 * fall)

    def density(u):
        prior = sum(
            2 * s * scipy.stats.norm.pdf(u, scale=w * unit) for s, w in zip(SHARES, WIDTHS, strict=True)
        )
        return prior * math.exp((distance * u - u * u / 2) / variance)

    whole, _ = scipy.integrate.quad(density, 0, 20 * unit + 3 * distance, points=[distance], limit=200)
    assert said(distance, fall, unit) == pytest.approx(math.log(whole), abs=1e-6)


def test_there_is_none_where_the_estimate_is_beyond_the_bound():
    assert said(-0.5, 3.0) == said(0.0, 0.0) == -math.inf


@pytest.mark.parametrize("deviation", [0.05, 0.5, 3.0])
def test_of_a_normal_estimate_at_the_bound_it_is_1_on_average_or_less(deviation):
    def weighed(z):
        return math.exp(said(z * deviation, z * z / 2, 0.7)) * scipy.stats.norm.pdf(z)

    mean, _ = scipy.integrate.quad(weighed, 1e-9, 12, limit=200)
    assert 0.4 < mean <= 1


@pytest.mark.parametrize("distance", [0.02, 0.2, 1.5])
def test_the_variance_needed_is_where_evidence_is_as_wanted(distance):
    (needed,) = variance_needed(np.array([distance]), np.array([7.0]), 0.14)
    assert said(distance, distance**2 / (2 * needed), 0.14) == pytest.approx(7.0, abs=1e-3)


def test_falls_are_those_of_a_general_optimiser():
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 12, (3, 4, 4)) * (1 - np.eye(4))
    likelihood = Likelihood(counts, PRIOR)
    values, covariance = likelihood.maximum()
    top = float(likelihood.at(values).value)
    contrasts = np.array([[1, -1, 0, 0, 0, 0], [0, 0, 1, -1, 0, 0], [1, 0, 0, -1, 0, 0]], float)
    bounds = np.array([0.0, 0.7, -2.0])
    found = falls(likelihood, values, covariance, contrasts, bounds)
    for contrast, bound, fall in zip(contrasts, bounds, found, strict=True):
        there = [
            {"type": "eq", "fun": lambda v, c=contrast, b=bound: c @ v - b},
            {"type": "eq", "fun": lambda v: v[:4].sum()},
        ]
        best = scipy.optimize.minimize(
            lambda v: -float(likelihood.at(v).value), np.zeros(6), constraints=there, options={"ftol": 1e-12}
        )
        assert best.success
        assert fall == pytest.approx(top + best.fun, rel=2e-3, abs=2e-3)


def every_result(matches):
    """Wins, draws and losses of so many matches."""
    return [(w, d, matches - w - d) for w in range(matches + 1) for d in range(matches + 1 - w)]


def chance(result, probabilities):
    ways = math.factorial(sum(result))
    for count in result:
        ways //= math.factorial(count)
    return ways * math.prod(p**count for p, count in zip(probabilities, result, strict=True))


@pytest.mark.parametrize(
    ("matches", "first_move", "draws"),
    [(2, 0.0, 0.0), (5, 0.0, -0.2), (5, 0.6, -0.2), pytest.param(9, 0.6, 0.5, marks=pytest.mark.campaign)],
)
@pytest.mark.parametrize("bound", [0.0, 0.15, -0.15])
@pytest.mark.slow
def test_over_all_results_of_two_at_the_bound_it_is_1_on_average_or_less(matches, first_move, draws, bound):
    """Summed over all results, the other parameters being unknown to whoever looks."""
    from_first, _ = outcomes(np.array([bound + first_move, -bound + first_move]), draws)
    likely = from_first.T.tolist()
    contrast = np.array([[1.0, -1.0, 0.0, 0.0]])
    mean = 0.0
    for one, other in product(every_result(matches), repeat=2):
        counts = np.zeros((3, 2, 2))
        counts[:, 0, 1], counts[:, 1, 0] = one, other
        likelihood = Likelihood(counts, PRIOR)
        values, covariance = likelihood.maximum()
        fall = falls(likelihood, values, covariance, contrast, np.array([bound]))
        fall /= 1 + FEW * 3 / (2 * matches)
        ratio = math.exp(said(float(contrast[0] @ values) - bound, float(fall[0]), 0.15))
        mean += chance(one, likely[0]) * chance(other, likely[1]) * ratio
    assert 0.1 < mean <= 1
