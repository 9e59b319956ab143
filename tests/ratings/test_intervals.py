"""Intervals hold the truth as often as they say, in tournaments drawn from the model."""

from __future__ import annotations

import sys

import pytest

from paths import ROOT
from tiers import slow

REPETITIONS = 150


@pytest.fixture(scope="module")
def script():
    """benchmarks/intervals.py, which counts."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import intervals

    yield intervals
    sys.path.remove(str(ROOT / "benchmarks"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entries", "apart", "matches"), [(2, 1200, 200), *slow((3, 600, 5), (4, 2500, 10), (6, 300, 2))]
)
def test_intervals_hold_the_truth(script, entries, apart, matches):
    (regime,) = [r for r in script.REGIMES if r[:3] == (entries, apart, matches)]
    found = script.covered(regime, REPETITIONS)
    # three standard errors of so many tournaments below 95 %, each entry's interval with the same chance
    assert found.held > 0.95 - 3 * (0.95 * 0.05 / REPETITIONS) ** 0.5
    if not found.open:
        assert found.held < 0.99


@pytest.mark.slow
def test_intervals_are_open_as_often_as_an_entry_wins_or_loses_all(script):
    # 200 matches from each seat; 30 points for the first move make 1200 to 1230 and 1170
    (regime,) = [r for r in script.REGIMES if r[:3] == (2, 1200, 200)]
    all_won = 1.0
    for lead in (1230, 1170):
        odds = 10 ** (lead / 400)
        all_won *= (odds / (odds + odds**0.5 * 10 ** (-600 / 400) + 1)) ** 200
    found = script.covered(regime, REPETITIONS)
    assert found.open == pytest.approx(all_won, abs=4 * (0.25 / REPETITIONS) ** 0.5)
