"""Learners with several seeds: what their matches share is in the interval, and how far they are apart."""

from __future__ import annotations

import importlib
import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from arena.api.rating import Results
from arena.ratings.between_seeds import chi_square
from arena.ratings.dependence import combined
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.row import spread_text
from paths import ROOT

LOGISTIC = 400 / math.log(10)  # points of a unit of log odds


def results(scores, seeds):
    """One learner against one opponent of whom each seed wins so many of 100, 50 from either seat."""
    rows = []
    for seed, won in enumerate(scores):
        rows.append((seed, 0, 1, won // 2, 0, 50 - won // 2))
        rows.append((seed, 1, 0, 50 - (won - won // 2), 0, won - won // 2))
    rows = np.array(rows)
    totals = [(0, 1, *rows[::2, 3:].sum(axis=0).tolist()), (1, 0, *rows[1::2, 3:].sum(axis=0).tolist())]
    return Results(["learner", "other"], totals, lambda: iter(()), seeds={0: rows} if seeds else {})


# from a printed table of the chi-square distribution (Abramowitz & Stegun 1964, table 26.8)
@pytest.mark.parametrize(
    ("share", "freedom", "value"),
    [
        (0.025, 1, 0.000982),
        (0.975, 1, 5.02389),
        (0.025, 2, 0.0506356),
        (0.975, 2, 7.37776),
        (0.025, 3, 0.215795),
        (0.975, 3, 9.34840),
        (0.025, 4, 0.484419),
        (0.975, 9, 19.0228),
        (0.025, 9, 2.70039),
        (0.975, 29, 45.7222),
        (0.025, 29, 16.0471),
    ],
)
def test_chi_square_is_as_tables_have_it(share, freedom, value):
    assert chi_square(share, freedom) == pytest.approx(value, rel=1e-3)


def test_the_spread_is_that_of_the_seeds_own_ratings_less_their_errors():
    scores = [40, 50, 60, 70, 80]
    (spread,) = MaximumLikelihood().fit(results(scores, True)).spreads().values()
    # each seed's rating is the log odds of its share, with the variance of a share's log odds
    log_odds = [math.log(won / (100 - won)) for won in scores]
    errors = np.mean([1 / won + 1 / (100 - won) for won in scores])
    seen = np.var(log_odds, ddof=1)
    assert spread.value == pytest.approx(LOGISTIC * math.sqrt(seen - errors), rel=0.02)
    # 2.5 % and 97.5 % of chi square with 4 degrees of freedom
    for end, quantile in ((spread.low, 11.1433), (spread.high, 0.484419)):
        assert end == pytest.approx(LOGISTIC * math.sqrt(max(4 * seen / quantile - errors, 0)), rel=0.03)


def test_seeds_alike_are_not_apart_and_two_may_be_anything():
    spread = MaximumLikelihood().fit(results([60] * 10, True)).spreads()[0]
    assert (spread.value, spread.low) == (0, 0)
    assert spread.high < 40
    spread = MaximumLikelihood().fit(results([50, 70], True)).spreads()[0]
    assert spread.high > 1000


@pytest.mark.parametrize(
    ("spread", "text"),
    [((38.4, 24, 71), "38 (24 to 71)"), ((9, 0, math.inf), "9 (0 to any)"), ((0, 0, 0), "0")],
)
def test_a_spread_has_its_interval_unless_seeds_are_closer_than_chance_has_them(spread, text):
    names = "spread", "spread_low", "spread_high"
    assert spread_text(SimpleNamespace(**dict(zip(names, spread, strict=True)))) == text


def test_the_interval_is_that_of_a_mean_of_seeds_where_these_decide():
    # seeds so far apart, of so many matches each, that nothing else counts
    scores = [20, 35, 50, 65, 80]
    many = results([round(won) for won in scores], True)
    rows = many.seeds[0].copy()
    rows[:, 3:] *= 1000
    totals = [(a, b, 1000 * w, 1000 * d, 1000 * lost) for a, b, w, d, lost in many.totals]
    fit = MaximumLikelihood().fit(Results(many.entries, totals, lambda: iter(()), seeds={0: rows}))
    shares = np.array(scores) / 100
    # as many matches as would give the mean share this error; the profile of their likelihood by hand, with
    # Student's t of 4 degrees of freedom: t^2 / 2 = n log(1 / sqrt(4 p (1 - p)))
    matches = 0.25 / (shares.var(ddof=1) / 5)
    product = math.exp(-(2.77645**2) / matches) / 4  # p (1 - p)
    share = 0.5 + math.sqrt(0.25 - product)
    low, high = fit.difference(0, 1)[1:]
    for end, sign in ((low, -1), (high, 1)):
        assert end == pytest.approx(sign * LOGISTIC * math.log(share / (1 - share)), rel=0.01)
    alone = MaximumLikelihood().fit(Results(many.entries, totals, lambda: iter(())))
    assert high - low > 30 * (alone.difference(0, 1).high - alone.difference(0, 1).low)


def test_what_two_things_share_is_added_up():
    one, other = (np.array([1.5, 3.0]), np.array([9.0, 4.0])), (np.array([2.0, 1.0]), np.array([4.0, np.inf]))
    ratio, freedom = combined([one, other])
    assert ratio.tolist() == [2.5, 3.0]
    # Satterthwaite: the squared sum over the sum of squares over degrees of freedom
    assert freedom[0] == pytest.approx(2.5**2 / (1.5**2 / 9 + 2.0**2 / 4))
    assert freedom[1] == pytest.approx(4.0)
    ratio, freedom = combined([one])
    assert (ratio.tolist(), freedom.tolist()) == (one[0].tolist(), one[1].tolist())
    assert combined([(np.array([0.2]), np.array([9.0]))] * 3)[0] > 0


@pytest.fixture
def seeds():
    """benchmarks/seeds.py, which counts."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    yield importlib.import_module("seeds")
    sys.path.remove(str(ROOT / "benchmarks"))


@pytest.mark.parametrize(
    ("entries", "learners", "spread"),
    [
        pytest.param(2, 1, 80, marks=pytest.mark.slow),
        pytest.param(4, 2, 200, marks=pytest.mark.campaign),
        pytest.param(4, 4, 0, marks=pytest.mark.campaign),
    ],
)
def test_intervals_hold_the_truth(entries, learners, spread, seeds):
    found = seeds.covered(seeds.Regime(entries, learners, 10, 5, spread), 400)
    assert 0.925 < found.held < 0.985  # three standard errors about 93 to 97 %, correlated within a table
    assert 0.92 < found.differences < 0.995
    assert found.spread > 0.92
    if spread:
        assert found.independent < found.held
