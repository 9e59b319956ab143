"""Student's t: published tables, closed forms, and the density added up."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from arena.ratings.student import MANY, cdf, quantile

# Abramowitz & Stegun, "Handbook of Mathematical Functions" (1964), table 26.10, A = 0.8, 0.95, 0.99, 0.999
TABLE = {
    1: (3.078, 12.706, 63.657, 636.619),
    2: (1.886, 4.303, 9.925, 31.598),
    3: (1.638, 3.182, 5.841, 12.924),
    4: (1.533, 2.776, 4.604, 8.610),
    5: (1.476, 2.571, 4.032, 6.869),
    7: (1.415, 2.365, 3.499, 5.408),
    10: (1.372, 2.228, 3.169, 4.587),
    19: (1.328, 2.093, 2.861, 3.883),
    30: (1.310, 2.042, 2.750, 3.646),
    60: (1.296, 2.000, 2.660, 3.460),
    120: (1.289, 1.980, 2.617, 3.373),
    math.inf: (1.282, 1.960, 2.576, 3.291),
}


@pytest.mark.parametrize("freedom", TABLE)
def test_quantiles_are_those_of_the_table(freedom):
    found = quantile(np.array([0.9, 0.975, 0.995, 0.9995]), freedom)
    assert found == pytest.approx(TABLE[freedom], rel=4e-5, abs=6e-4)


def test_one_two_and_four_degrees_have_closed_forms():
    x = np.array([-40.0, -3, -0.2, 0, 1e-6, 0.7, 2, 9, 300])
    assert cdf(x, 1) == pytest.approx(0.5 + np.arctan(x) / math.pi, abs=1e-15)
    assert cdf(x, 2) == pytest.approx(0.5 + x / (2 * np.sqrt(2 + x * x)), abs=1e-15)
    share = x / np.sqrt(4 + x * x)
    assert cdf(x, 4) == pytest.approx(0.5 + share * (3 - share**2) / 4, abs=1e-15)
    # far out, where differences from 1 have no digits left: Cauchy's distribution
    assert quantile(1e-12, 1) == pytest.approx(-1 / math.tan(math.pi * 1e-12), rel=1e-10)


@pytest.mark.parametrize("freedom", [0.7, 1.5, 4.3, 17.9, 333.3, 1999.5, 2000.5, 5e4])
def test_the_distribution_is_the_area_below_its_density(freedom):
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi * freedom)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    for x in (0.1, 1.0, 3.3):
        at = x / 2 * (nodes + 1)
        area = scale * x / 2 * (weights * (1 + at * at / freedom) ** (-(freedom + 1) / 2)).sum()
        assert float(cdf(x, freedom)) - 0.5 == pytest.approx(area, abs=1e-8)


def test_quantiles_undo_the_distribution():
    freedom = np.array([0.8, 1, 2.5, 6, 40, 900, MANY, MANY + 1, 1e6, np.inf])
    for share in (1e-7, 0.01, 0.3, 0.5, 0.5001, 0.9, 0.975, 0.99999):
        assert cdf(quantile(share, freedom), freedom) == pytest.approx(share, rel=1e-10)
    assert quantile(0.3, freedom) == pytest.approx(-quantile(0.7, freedom), rel=1e-9)


def test_from_few_degrees_to_infinitely_many_it_comes_down_to_the_normal_one_without_a_jump():
    freedom = np.array([1, 3, 10, 500, MANY - 1e-6, MANY + 1e-6, 1e5, 1e9, np.inf])
    found = quantile(0.975, freedom)
    assert (np.diff(found) < 1e-8).all()
    assert abs(found[4] - found[5]) < 1e-8
    assert found[-1] == NormalDist().inv_cdf(0.975)
