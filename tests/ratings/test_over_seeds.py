"""Comparisons over training seeds, against scipy, naive counts and simulated methods."""

from __future__ import annotations

import importlib
import math
import statistics
import sys

import numpy as np
import pytest
from scipy import stats

from arena.ratings import over_seeds, power
from paths import ROOT

MIDDLE_OF_FAILING = 0.7815  # interquartile mean of very many seeds of which some fail
GAMES = [
    np.random.default_rng(seed).beta(4, 2, (seeds, tasks)) for seed, seeds, tasks in ((1, 7, 3), (2, 9, 2))
]


@pytest.fixture(scope="module")
def benchmark():
    """The benchmark that simulates methods."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    yield importlib.import_module("over_seeds")
    sys.path.remove(str(ROOT / "benchmarks"))


# --- differences ------------------------------------------------------------------------------------------


def test_with_many_seeds_the_interval_is_that_of_the_paired_t_test():
    one, other = np.random.default_rng(3).random((2, 60))
    found = over_seeds.mean_of([one - other], -1.0, 1.0)
    expected = stats.ttest_rel(one, other)
    assert found.value == pytest.approx(np.mean(one - other))
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    assert [found.low, found.high] == pytest.approx([*expected.confidence_interval()], rel=1e-6)


def test_with_few_seeds_it_is_wider_by_a_known_factor():
    values = [0.02, 0.11, 0.05]
    found = over_seeds.mean_of([np.array(values)], -1.0, 1.0)
    error = statistics.stdev(values) / math.sqrt(3)
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, 2) * error * (1 + math.exp(-1)))


def test_variances_of_games_add_up_with_the_degrees_of_freedom_of_satterthwaite():
    games = [np.array([0.1, 0.3, 0.2, 0.25]), np.array([0.0, 0.01, -0.02, 0.03])]
    found = over_seeds.mean_of(games, -1.0, 1.0)
    parts = [statistics.variance(map(float, game)) / 4 / 4 for game in games]  # of a mean of two games
    assert found.freedom == pytest.approx(sum(parts) ** 2 / sum(part**2 / 3 for part in parts))
    assert found.spread == pytest.approx(math.sqrt(4 * sum(parts)))


def test_an_interval_ends_at_the_bounds():
    found = over_seeds.mean_of([np.array([0.9, 1.0, 0.8])], 0.0, 1.0)
    assert found.high == 1.0


@pytest.mark.parametrize("seeds", [3, 10])
def test_if_all_seeds_win_everything_the_p_value_is_the_sign_tests(seeds):
    found = over_seeds.mean_of([np.ones(seeds)], -1.0, 1.0)
    assert found.p_value == pytest.approx(stats.binomtest(seeds, seeds).pvalue)
    # the share of other seeds, of which each would lose everything
    share = 1 - stats.binomtest(seeds, seeds).proportion_ci().low
    assert (found.low, found.high) == (pytest.approx(1 - 2 * share), 1.0)


def test_if_all_seeds_are_level_no_difference_is_shown():
    found = over_seeds.mean_of([np.zeros(10)], -1.0, 1.0)
    assert found.p_value == 1.0
    assert found.low == -found.high < 0


@pytest.mark.parametrize("seeds", [2, 3, 4, 5, 7, 10])
def test_evenly_spread_seeds_are_called_different_in_at_most_5_percent(seeds):
    values = np.random.default_rng(seeds).uniform(-1, 1, (200_000, seeds))
    t = np.abs(values.mean(axis=1)) / values.std(axis=1, ddof=1) * math.sqrt(seeds)
    false = np.mean(t > stats.t.ppf(0.975, seeds - 1) * power.stretch(seeds - 1))
    assert 0.04 < false < 0.0515


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [5, 3, 10, 20])
@pytest.mark.parametrize("spread", [10, 200])
def test_of_simulated_pairs_few_are_called_different_and_intervals_hold(benchmark, seeds, spread):
    regime, random = (
        benchmark.Regime(seeds, spread, 10, each_other=spread == 200),
        np.random.default_rng(seeds),
    )
    false = held = 0
    truth = benchmark.truth_of(regime, 60.0)
    for apart in (0.0, 60.0):
        one, other = benchmark.values_of(regime, apart, 300, random)
        for differences in one - other:
            found = over_seeds.mean_of([differences], -1.0, 1.0)
            false += not apart and found.p_value < 0.05
            held += apart > 0 and found.low <= truth <= found.high
    assert false / 300 <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)
    assert held / 300 >= 0.93 - 3 * math.sqrt(0.93 * 0.07 / 300)


def test_the_true_difference_of_the_simulation_is_what_very_many_seeds_have(benchmark):
    for regime in (benchmark.Regime(20, 200, 25), benchmark.Regime(20, None, 25, each_other=True)):
        one, other = benchmark.values_of(regime, 60.0, 2000, np.random.default_rng(1))
        assert (one - other).mean() == pytest.approx(benchmark.truth_of(regime, 60.0), abs=0.01)


def test_the_table_has_no_more_false_positives_and_no_less_coverage_than_stated(benchmark):
    page = importlib.import_module("page")
    _, written, _ = page.parts(benchmark.PAGE, "over_seeds.py")
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in written.splitlines()]
    assert head == [name.strip() for name in benchmark.COLUMNS]
    assert [row[:4] for row in rows] == [benchmark.facts(regime) for regime in benchmark.REGIMES]
    false, held = ([float(row[i].removesuffix(" %")) for row in rows] for i in (4, 5))
    assert max(false) <= 5 + 300 * math.sqrt(0.05 * 0.95 / 1000)
    assert min(held) >= 93 - 300 * math.sqrt(0.93 * 0.07 / 1000)


def test_the_share_of_matches_in_the_variance_is_found():
    random = np.random.default_rng(5)
    seeds = random.normal(0, 0.1, (4000, 1))
    rounds = seeds + random.normal(0, 0.5, (4000, 25))  # their mean has the same deviation, 0.1
    assert over_seeds.share_of_matches([rounds]) == pytest.approx(0.5, abs=0.03)
    assert over_seeds.share_of_matches([rounds[:, :1]]) is None


# --- power ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shift", "freedom"), [(0.0, 1), (3.0, 2), (1.5, 4), (2.9, 19), (2.8, 5.5)])
def test_power_is_that_of_the_noncentral_t_distribution(shift, freedom):
    bound = stats.t.ppf(0.975, freedom) * power.stretch(freedom)
    expected = stats.nct.sf(bound, freedom, shift) + stats.nct.cdf(-bound, freedom, shift)
    assert power.power_of(shift, freedom) == pytest.approx(expected, abs=2e-5)


def test_so_many_seeds_show_a_difference_and_one_less_does_not():
    seeds = power.seeds_needed(0.05, 0.1)
    t = [stats.t.ppf(0.975, n - 1) * power.stretch(n - 1) for n in (seeds - 1, seeds)]
    less, enough = (
        stats.nct.sf(bound, n - 1, math.sqrt(n) / 2) for bound, n in zip(t, (seeds - 1, seeds), strict=True)
    )
    assert less < 0.8 <= enough
    assert power.detectable(seeds, 0.1) <= 0.05 < power.detectable(seeds - 1, 0.1)
    assert power.seeds_needed(1e-6, 0.5) is None
    assert power.seeds_needed(0.05, 0.0) == 2


# --- the measures of rliable ------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3, 1), (10, 5), (5, 26), (7, 3)])
def test_the_interquartile_mean_is_the_trimmed_mean_of_scipy(shape):
    scores = np.random.default_rng(7).gamma(2, 1, shape)
    expected = stats.trim_mean(scores, 0.25, axis=None)
    assert over_seeds.interquartile_mean(scores) == pytest.approx(expected, rel=1e-12)


def test_the_probability_of_improvement_is_the_mean_of_mann_whitneys_u():
    random = np.random.default_rng(8)
    ones, others = ([np.round(random.random((seeds, 4)), 1) for seeds in sizes] for sizes in ((5, 8), (6, 3)))
    expected = [
        stats.mannwhitneyu(one[:, task], other[:, task]).statistic / (len(one) * len(other))
        for one, other in zip(ones, others, strict=True)
        for task in range(4)
    ]
    assert over_seeds.improvement(ones, others) == pytest.approx(np.mean(expected), rel=1e-12)


def test_a_profile_is_the_share_of_runs_above_each_threshold():
    scores, thresholds = np.round(GAMES[0], 1), [0.0, 0.3, 0.5, 0.7, 1.0]
    flat = scores.ravel().tolist()
    expected = [sum(score > threshold for score in flat) / len(flat) for threshold in thresholds]
    assert over_seeds.profile(scores, np.array(thresholds)).tolist() == pytest.approx(expected)


def test_the_bootstrap_resamples_seeds_within_each_game_and_keeps_their_tasks_together():
    random = np.random.Generator(np.random.PCG64(0))
    games = [np.arange(12.0).reshape(6, 2), 100 + np.arange(6.0).reshape(3, 2)]
    for one, sample in zip(games, over_seeds.resampled(games, random), strict=True):
        assert sample.shape == one.shape
        rows = {tuple(row) for row in one.tolist()}
        assert {tuple(row) for row in sample.tolist()} <= rows


def test_its_interval_of_a_mean_is_that_of_the_normal_distribution_with_many_seeds():
    scores = [np.random.default_rng(9).normal(0.5, 0.1, (400, 1))]
    found = over_seeds.bootstrap(lambda games: float(games[0].mean()), scores, seed=1, resamples=4000)
    half = 1.96 * scores[0].std() / 20
    assert found.value == scores[0].mean()
    assert [found.low, found.high] == pytest.approx([found.value - half, found.value + half], abs=half / 10)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [5, 3, 10])
def test_of_simulated_interquartile_means_the_interval_holds_most(seeds):
    """Seeds are spread evenly, or some fail; percentiles of the bootstrap hold 89 to 91 % of them at five."""
    random = np.random.default_rng(seeds)
    held, repetitions = 0, 300
    for _ in range(repetitions // 2):
        even = random.random((seeds, 1))
        held += holds_middle(even, 0.5)
        failing = np.where(random.random((seeds, 1)) < 0.2, 0.3, 0.8) + random.normal(0, 0.05, (seeds, 1))
        held += holds_middle(failing, MIDDLE_OF_FAILING)
    assert held / repetitions >= 0.93 - 3 * math.sqrt(0.93 * 0.07 / repetitions)


def holds_middle(scores, truth):
    """Return whether the interval of the interquartile mean of one game contains its true value."""
    found = over_seeds.studentized(
        lambda games: over_seeds.interquartile_mean(games[0]), [scores], seed=1, resamples=200
    )
    return found.low <= truth <= found.high


def test_the_same_seed_gives_the_same_interval_and_band():
    intervals = [
        over_seeds.bootstrap(
            lambda games: over_seeds.interquartile_mean(over_seeds.pooled(games)), GAMES, seed=seed
        )
        for seed in (1, 1, 2)
    ]
    assert intervals[0] == intervals[1] != intervals[2]
    share, low, high = over_seeds.band(GAMES, np.linspace(0, 1, 9), seed=3, resamples=300)
    assert ((low <= share) & (share <= high)).all()
    assert share[0] == 1.0
    assert share[-1] == 0.0
