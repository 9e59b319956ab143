"""Ranges of ranks, differences and their intervals say the same of any results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.api.rating import Results
from arena.ratings.maximum_likelihood import MaximumLikelihood


@st.composite
def some_results(draw):
    """Results with shut-outs, copies, pairings that were not played, and groups that never met."""
    n = draw(st.integers(2, 6))
    groups = [draw(st.integers(0, 4)) == 0 for _ in range(n)]
    numbers = st.sampled_from([0, 0, 1, 2, 5, 30])
    totals, rows = [], []
    for i in range(n):
        for j in range(n):
            if i != j and groups[i] == groups[j]:
                counts = [draw(numbers) for _ in range(3)]
                if any(counts):
                    totals.append((i, j, *counts))
                    rows += [
                        (draw(st.integers(0, 5)), i, j, *(int(k == of) for k in range(3)))
                        for of in range(3)
                        for _ in range(min(counts[of], 2))
                    ]
    opened = np.array(rows, np.int64).reshape(-1, 6)
    given_openings = draw(st.booleans()) and len(rows) > 0
    names = [f"e{i}" for i in range(n)]
    openings = (lambda: opened) if given_openings else None
    return Results(names, totals, lambda: iter(()), openings=openings)


def check(results):
    fit = MaximumLikelihood().fit(results)
    n = len(results.entries)
    above, ranks = fit.above, fit.ranks()
    for i in range(n):
        assert ranks[i] == (1 + above[:, i].sum(), n - above[i].sum())
        for j in range(n):
            if i == j:
                continue
            if above[i, j]:
                assert fit.values[i] > fit.values[j]
                assert not above[j, i]
                low = fit.difference(i, j).low
                assert low is not None
                assert low > 0  # the interval of one difference is within that of all together
            if ranks[i][1] < ranks[j][0]:
                assert above[i, j]
    follows = above.astype(int) @ above.astype(int) > 0
    assert not (follows & ~above).any()


@given(some_results())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_ranges_differences_and_intervals_do_not_contradict(results):
    check(results)


@pytest.mark.campaign
@given(some_results())
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_they_do_not_in_ten_thousand_results(results):
    check(results)
