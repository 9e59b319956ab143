"""Samples of matches, against fractions and all sets of small numbers."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from arena.commands.verify.sample import drawn, missed, most_wrong

CASES = [(1, 1), (5, 2), (10, 10), (60, 7), (60, 53), (1000, 30), (10_000, 500), (5_000_000, 500)]


def none_found(total, size, forged):
    return Fraction(comb(total - forged, size), comb(total, size))


def few_found(total, size, forged, found):
    ways = sum(comb(forged, k) * comb(total - forged, size - k) for k in range(found + 1) if k <= size)
    return Fraction(ways, comb(total, size))


def test_each_set_of_numbers_is_as_likely_as_any_other():
    seeds = 30_000
    times = Counter(tuple(drawn(6, 3, seed)) for seed in range(seeds))
    assert set(times) == set(combinations(range(6), 3))
    expected = seeds / 20
    chi_square = sum((count - expected) ** 2 / expected for count in times.values())
    assert chi_square < 43.8  # of 19 degrees of freedom, exceeded once in a thousand


@pytest.mark.parametrize(("total", "size"), CASES)
def test_a_sample_has_different_numbers_below_the_total_in_order(total, size):
    sample = drawn(total, size, 7)
    assert len(sample) == size
    assert sorted({*sample}) == sample
    assert sample[0] >= 0
    assert sample[-1] < total


def test_there_are_no_more_than_all():
    assert drawn(4, 9, 1) == [0, 1, 2, 3]
    assert drawn(0, 9, 1) == []


@pytest.mark.parametrize(("total", "size"), CASES)
@pytest.mark.parametrize("forged", [1, 2, 3, 50, 100])
def test_forged_results_are_missed_with_the_hypergeometric_probability(total, size, forged):
    if forged <= total:
        assert missed(total, size, forged) == pytest.approx(float(none_found(total, size, forged)), rel=1e-9)


def test_a_hundred_forged_of_ten_thousand_are_hardly_missed_by_five_hundred():
    """1 - C(9900, 500) / C(10000, 500), and 500 / 10000."""
    assert f"{1 - missed(10_000, 500, 100):.4f}" == "0.9942"
    assert 1 - missed(10_000, 500, 1) == pytest.approx(0.05)


@pytest.mark.parametrize(("total", "size"), CASES[:-2])
@pytest.mark.parametrize("found", [0, 1, 4])
def test_the_bound_is_the_last_number_of_wrong_ones_that_is_not_refuted(total, size, found):
    if found > size:
        return
    bound = most_wrong(total, size, found)
    assert found <= bound <= total - (size - found)
    assert few_found(total, size, bound, found) > Fraction(1, 20) or bound == found
    if bound < total - (size - found):
        assert few_found(total, size, bound + 1, found) <= Fraction(1, 20)


def test_of_all_matches_the_bound_is_what_was_found():
    assert most_wrong(100, 100) == 0
    assert most_wrong(100, 100, 3) == 3
