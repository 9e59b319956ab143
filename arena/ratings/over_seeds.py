"""Compare methods over training seeds: differences with intervals, and the robust measures of `rliable`.

A method is a learner with its options, and each training seed yields one sample of it. Seeds are therefore
the units of analysis: the variance due to matches and openings is part of the variance between seeds. Scores
are from 0 to 1.

The interquartile mean, the probability of improvement, performance profiles and the stratified bootstrap are
those of Agarwal, Schwarzer, Castro, Courville & Bellemare (2021), "Deep reinforcement learning at the edge of
the statistical precipice".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from arena.ratings import student
from arena.ratings.comparison import UNSURE, two_sided
from arena.ratings.likelihood import Floats
from arena.ratings.power import stretch

RESAMPLES = 2000  # number of bootstrap samples
TRIMMED = 0.25  # share of the scores that the interquartile mean leaves out at each end


class Interval(NamedTuple):
    """An estimate with its 95 % interval.

    Attributes:
        value: The estimate.
        low: Lower end of the interval.
        high: Upper end of the interval.
    """

    value: float
    low: float
    high: float


class Mean(NamedTuple):
    """The mean of values over seeds and games, with its 95 % interval.

    Attributes:
        value: The mean.
        low: Lower end of its 95 % interval.
        high: Upper end of the interval.
        p_value: P-value of the two-sided test that the mean is 0.
        spread: Standard deviation, from seed to seed, of the mean over games.
        freedom: Degrees of freedom of `spread`.
    """

    value: float
    low: float
    high: float
    p_value: float
    spread: float
    freedom: float


def mean_of(games: Sequence[Floats], least: float, most: float) -> Mean:
    """Return the mean over games of the means over seeds, with a 95 % interval by Student's t.

    Seeds of different games are trained independently, so the variances of the games' means add up, with
    Satterthwaite's (1946) degrees of freedom. With one game and differences between two methods this is the
    paired t-test, except that the interval is widened by `arena.ratings.power.stretch` for few seeds.

    If all seeds have the same value, their variance is not informative. The interval then allows for the
    largest share of seeds with other values that is compatible with this number of equal seeds.

    Args:
        games: For each game, float64 [seeds], at least two seeds.
        least: The smallest possible value.
        most: The largest possible value.
    """
    value = math.fsum(float(one.mean()) for one in games) / len(games)
    parts = [float(one.var(ddof=1)) / len(one) / len(games) ** 2 for one in games]
    variance = math.fsum(parts)
    if variance <= 1e-24:
        return all_equal(value, sum(map(len, games)), least, most)
    freedom = variance**2 / math.fsum(
        part**2 / (len(one) - 1) for part, one in zip(parts, games, strict=True)
    )
    error = math.sqrt(variance)
    wide = error * stretch(freedom)
    half = float(student.quantile(1 - UNSURE / 2, freedom)) * wide
    seeds = len(games[0])
    return Mean(
        value, max(least, value - half), min(most, value + half), two_sided(value, wide, freedom),
        error * math.sqrt(seeds), freedom,
    )  # fmt: skip


def all_equal(value: float, seeds: int, least: float, most: float) -> Mean:
    """Return the mean of seeds that all have the same value; see `mean_of`.

    Other seeds may have other values: their share can be as large as that at which all these seeds would have
    the same value with a probability of 2.5 %. If all seeds win or all lose, the p-value is that of the sign
    test.
    """
    share = 1 - (UNSURE / 2) ** (1 / seeds)
    low, high = value - share * (value - least), value + share * (most - value)
    reach = -least if value > 0 else most
    p_value = min(1.0, 2 * (reach / (abs(value) + reach)) ** seeds) if value and reach > 0 else 1.0
    return Mean(value, low, high, p_value, 0.0, float(seeds - 1))


def share_of_matches(rounds: Sequence[Floats]) -> float | None:
    """Return the share of the variance between seeds that is due to matches and openings, from 0 to 1.

    The rest is due to training. More matches per seed reduce the former, only more seeds reduce the latter.

    Args:
        rounds: For each game, float64 [seeds, rounds], the value of each round of matches.

    Returns:
        The share; None if there is only one round or all seeds have the same value.
    """
    if any(one.shape[1] < 2 for one in rounds):
        return None
    between = math.fsum(float(one.mean(axis=1).var(ddof=1)) for one in rounds)
    within = math.fsum(float((one.var(axis=1, ddof=1) / one.shape[1]).mean()) for one in rounds)
    return min(1.0, within / between) if between > 1e-24 else None


# --- the measures of rliable ------------------------------------------------------------------------------


def interquartile_mean(scores: Floats) -> float:
    """Return the mean of the middle half of all scores.

    A quarter of the scores, rounded down, is left out at each end.
    """
    ordered = np.sort(scores, axis=None)
    out = int(TRIMMED * len(ordered))
    return float(ordered[out : len(ordered) - out].mean())


def improvement(ones: Sequence[Floats], others: Sequence[Floats]) -> float:
    """Return the probability that a seed of one method scores higher than a seed of another.

    It is the mean over tasks of the Mann-Whitney statistic, with equal scores counted half. A task is a game
    against an opponent.

    Args:
        ones: For each game, float64 [seeds, tasks], the scores of one method.
        others: For each game, float64 [seeds, tasks], the scores of the other method.
    """
    found = []
    for one, other in zip(ones, others, strict=True):
        apart = np.sign(one[:, None, :] - other[None, :, :])
        found += ((1 + apart) / 2).mean(axis=(0, 1)).tolist()
    return math.fsum(found) / len(found)


def profile(scores: Floats, thresholds: Floats) -> Floats:
    """Return the share of scores above each threshold: the performance profile of a method.

    Args:
        scores: The scores of all seeds and tasks, in any shape.
        thresholds: float64 [thresholds].

    Returns:
        float64 [thresholds].
    """
    shares: Floats = (scores.reshape(-1, 1) > thresholds).mean(axis=0)
    return shares


def pooled(games: Sequence[Floats]) -> Floats:
    """Return the scores of all games in one array."""
    return np.concatenate([one.ravel() for one in games])


def resampled(games: Sequence[Floats], random: np.random.Generator) -> list[Floats]:
    """Return a bootstrap sample of the seeds of each game, with all tasks of a seed kept together."""
    return [one[random.integers(len(one), size=len(one))] for one in games]


def samples(
    value: Callable[..., float], methods: Sequence[Sequence[Floats]], seed: int, resamples: int
) -> list[float]:
    """Return a statistic of each bootstrap sample, see `bootstrap`."""
    random = np.random.Generator(np.random.PCG64(seed))
    return [value(*(resampled(games, random) for games in methods)) for _ in range(resamples)]


def bootstrap(
    value: Callable[..., float], *methods: Sequence[Floats], seed: int, resamples: int = RESAMPLES
) -> Interval:
    """Return a statistic with its 95 % percentile interval by a bootstrap stratified by game.

    The seeds of each game and method are resampled independently. A seed keeps its scores in all tasks of a
    game, because these scores come from one training run.

    Args:
        value: Computes the statistic from one list of games for each method.
        methods: For each method and game, float64 [seeds, tasks].
        seed: Seed of the random numbers.
        resamples: Number of bootstrap samples.
    """
    low, high = np.quantile(samples(value, methods, seed, resamples), [UNSURE / 2, 1 - UNSURE / 2])
    return Interval(value(*methods), float(low), float(high))


def studentized(
    value: Callable[..., float], games: Sequence[Floats], seed: int, resamples: int = RESAMPLES
) -> Interval:
    """Return a statistic of scores with a 95 % interval by Student's t and the bootstrap's standard error.

    With few seeds a percentile interval is too narrow: the spread of bootstrap samples is smaller than that
    of the seeds by the factor sqrt((n - 1)/n), and their quantiles are not those of Student's t. This
    function corrects both.

    Args:
        value: Computes the statistic, from 0 to 1, from a list of games.
        games: For each game, float64 [seeds, tasks]; two seeds or more.
        seed: Seed of the random numbers.
        resamples: Number of bootstrap samples.
    """
    seeds = min(map(len, games))
    error = np.std(samples(value, [games], seed, resamples)) * math.sqrt(seeds / (seeds - 1))
    half = float(student.quantile(1 - UNSURE / 2, seeds - 1) * error)
    middle = value(games)
    return Interval(middle, max(middle - half, 0.0), min(middle + half, 1.0))


def band(
    games: Sequence[Floats], thresholds: Floats, seed: int, resamples: int = RESAMPLES
) -> tuple[Floats, Floats, Floats]:
    """Return the performance profile of a method with pointwise 95 % intervals, by the stratified bootstrap.

    Returns:
        The shares and the ends of their intervals, float64 [thresholds] each.
    """
    random = np.random.Generator(np.random.PCG64(seed))
    found = [profile(pooled(resampled(games, random)), thresholds) for _ in range(resamples)]
    low, high = np.quantile(found, [UNSURE / 2, 1 - UNSURE / 2], axis=0)
    return profile(pooled(games), thresholds), low, high
