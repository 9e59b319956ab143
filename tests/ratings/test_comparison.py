"""Means over seeds and tests of differences, against published examples."""

from __future__ import annotations

import math

import pytest
import scipy

from arena.ratings.comparison import holm, mean_of, paired, predicted, two_sided, welch

# Student (1908), "The probable error of a mean", section IX: hours of sleep gained by ten patients with
# either of two drugs. What R's t.test says of these (data set `sleep`): paired, t = -4.0621, 9 degrees of
# freedom, mean -1.58, 95 % from -2.4598858 to -0.7001142, p = 0.002833; Welch, t = -1.8608, p = 0.07939.
FIRST = (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
SECOND = (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)
GAINED = [a - b for a, b in zip(FIRST, SECOND, strict=True)]


def test_a_mean_has_the_interval_of_students_t():
    found = mean_of(GAINED)
    assert found.value == pytest.approx(-1.58)
    assert (found.value - found.half, found.value + found.half) == pytest.approx((-2.4598858, -0.7001142))
    assert f"{found:+.1f}" == "-1.6 ± 0.9"
    assert f"{mean_of([1.0, 2.0]):+.2f}" == "+1.50 ± 6.35"  # 12.706 · 0.7071 / √2


def test_one_value_has_no_interval_and_values_that_agree_none_to_show():
    assert mean_of([7.25]).half == math.inf
    assert f"{mean_of([7.25]):.1f}" == f"{7.25:.1f}"
    assert mean_of([3.0, 3.0, 3.0]) == (3.0, 0.0)
    assert f"{mean_of([3.0, 3.0, 3.0]):.1f}" == "3.0"


def test_pairs_and_samples_that_do_not_belong_together_are_compared_as_published():
    assert paired(GAINED) == pytest.approx(0.002833, abs=5e-7)
    assert welch(FIRST, SECOND) == pytest.approx(0.07939, abs=5e-6)
    assert welch(SECOND, FIRST) == welch(FIRST, SECOND)


def test_without_any_spread_means_differ_for_certain_or_not_at_all():
    assert paired([0.0, 0.0]) == welch([4.0, 4.0], [4.0, 4.0]) == 1.0
    assert paired([0.5, 0.5]) == welch([4.0, 4.0], [5.0, 5.0, 5.0]) == 0.0


def test_a_normal_deviate_is_two_sided():
    assert two_sided(1.959964, 1.0) == pytest.approx(0.05, abs=1e-7)
    assert two_sided(-5.15165, 2.0) == pytest.approx(0.01, abs=1e-6)


def test_many_comparisons_are_adjusted_as_by_hand():
    # Holm (1979): the least times their number, the next times one less, none less than one before it
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.02]) == pytest.approx([0.6, 0.04])
    assert holm([0.5, 0.4, 0.9]) == [1.0, 1.0, 1.0]
    assert holm([]) == []


@pytest.mark.slow
def test_all_are_as_other_programs_have_them():
    one, other = [0.61, 0.58, 0.66, 0.6, 0.63], [0.55, 0.6, 0.57, 0.52]
    assert welch(one, other) == pytest.approx(scipy.stats.ttest_ind(one, other, equal_var=False).pvalue)
    assert paired(GAINED) == pytest.approx(scipy.stats.ttest_rel(FIRST, SECOND).pvalue)
    mean, half = mean_of(one)
    low, high = scipy.stats.t.interval(0.95, 4, mean, scipy.stats.sem(one))
    assert (mean - half, mean + half) == pytest.approx((low, high))


@pytest.mark.slow
def test_many_comparisons_are_adjusted_as_by_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    chances = [0.04, 0.001, 0.03, 0.012, 0.7]
    assert holm(chances) == pytest.approx([*multitest.multipletests(chances, method="holm")[1]])


@pytest.mark.slow
def test_where_one_more_seed_would_be_is_as_a_regression_on_nothing_has_it():
    sm = pytest.importorskip("statsmodels.api")
    fitted = sm.OLS(GAINED, [1.0] * len(GAINED)).fit()
    expected = fitted.get_prediction([[1.0]]).conf_int(obs=True)[0]
    assert predicted(GAINED) == pytest.approx(tuple(expected))


def test_what_one_more_seed_is_measured_with_widens_where_it_would_be():
    n, middle, variance = len(GAINED), sum(GAINED) / len(GAINED), scipy.stats.tvar(GAINED)
    expected = scipy.stats.t.interval(0.95, n - 1, middle, math.sqrt(variance * (1 + 1 / n) + 2.5))
    assert predicted(GAINED, 2.5) == pytest.approx(expected)
    assert predicted([50.0, 50.0], 25.0) == pytest.approx(scipy.stats.t.interval(0.95, 1, 50, 5))
    assert predicted([4.0, 4.0, 4.0]) == (4.0, 4.0)
