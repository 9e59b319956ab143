"""Confidence intervals from the profile likelihood.

A *contrast* is float64 [n + 2] for n entries: weights of the parameters, where those of the ratings sum to 0.
Its value is the weighted sum of the parameters. The profile log likelihood at a value is the maximum over all
parameters for which the contrast has this value.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from arena.ratings import student
from arena.ratings.likelihood import Flags, Floats, Likelihood
from arena.ratings.near_maximum import NearMaximum
from arena.ratings.statistics import POINTS, SURE

UNSURE = 0.05
FEW = 1.5  # chosen so that intervals from 20 matches of two entries have a coverage of at least 93 %
LIKELY = 200 / POINTS  # standard deviation of the prior in `squares_always`, in log odds
MANY = 30  # number of entries from which `NearMaximum` is faster
NUMBERS = 1 << 18  # size of an array for a block of contrasts, chosen to fit the processor's cache


def ends(
    likelihood: Likelihood,
    values: Floats,
    covariance: Floats,
    contrasts: Floats,
    open_above: Flags,
    open_below: Flags,
    scale: Floats | float = 1.0,
    unsure: float = UNSURE,
    freedom: Floats | float = math.inf,
    always: bool = False,
    near: NearMaximum | None = None,
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of each contrast.

    If both ends are finite, twice the profile drops by 1.96² (1 + 1.5 p / N) at each end, where p is the
    effective number of parameters, which excludes those determined by the prior, and N is the number of
    matches. The second factor corrects for fitting many parameters to few matches. If one end is open,
    because an entry won or lost all its matches, the profile drops by log 20 at the other end, where this
    result has a probability of 5 %. If the scale is an estimate, a quantile of Student's t replaces 1.96, and
    the drop opposite an open end grows by the same factor as 1.96².

    Args:
        likelihood: The log likelihood of all results.
        values: float64 [n + 2]. The parameters at its maximum.
        covariance: float64 [n + 2, n + 2]. Covariance of the parameters at the maximum.
        contrasts: float64 [contrasts, n + 2].
        open_above: bool [contrasts]. Which intervals are open above.
        open_below: bool [contrasts]. Which intervals are open below.
        scale: Factor for the profile log likelihood, one for all contrasts or [contrasts]: the variance of
            the contrast if matches were independent, divided by its actual variance (the vertical adjustment
            of Chandler & Bate 2007).
        unsure: Probability that an interval does not contain the true value.
        freedom: Degrees of freedom of the scale, one for all contrasts or [contrasts].
        always: Whether intervals hold simultaneously at all times of the tournament, and not only after a
            number of matches fixed in advance; see `squares_always`.
        near: Precomputed properties of the maximum, used if there are at least `MANY` entries. Default:
            computed when needed.

    Returns:
        The lower and the upper ends in log odds, float64 [contrasts] each; infinite if open.
    """
    n = likelihood.entries
    drop = drops(likelihood, covariance, contrasts, open_above, open_below, scale, unsure, freedom, always)
    # the lower end of a contrast is minus the upper end of its opposite
    found = np.where([open_above, open_below], np.inf, 0.0).ravel()
    both = np.concatenate([contrasts, -contrasts])
    found[~both.any(axis=1)] = 0.0  # contrasts whose weights are all 0 have the value 0
    wanted = np.flatnonzero((found == 0) & both.any(axis=1))
    if n >= MANY and len(wanted):
        near = near or NearMaximum(likelihood, values)
        above, right = near.upper_ends(both[wanted], drop.ravel()[wanted])
        found[wanted] = both[wanted] @ values + above
        wanted = wanted[~right]
    size = max(NUMBERS // max(n * n, 1), 1)
    for block in np.split(wanted, range(size, len(wanted), size)):
        found[block] = upper_ends(likelihood, values, both[block], drop.ravel()[block])
    high, low = found.reshape(2, -1)
    return -low, high


def drops(
    likelihood: Likelihood,
    covariance: Floats,
    contrasts: Floats,
    open_above: Flags,
    open_below: Flags,
    scale: Floats | float = 1.0,
    unsure: float = UNSURE,
    freedom: Floats | float = math.inf,
    always: bool = False,
) -> Floats:
    """Return the drop of the profile at each contrast's upper and lower end, float64 [2, contrasts].

    The arguments are those of `ends`.
    """
    n, matches = likelihood.entries, likelihood.counts.sum()
    parameters = n + 1 - likelihood.precision * np.trace(covariance)
    sure = SURE if unsure == UNSURE else NormalDist().inv_cdf(1 - unsure / 2)
    squares = squares_always(dot(contrasts @ covariance, contrasts) / scale, unsure) if always else sure**2
    estimated = (student.quantile(1 - unsure / 2, freedom) / student.quantile(1 - unsure / 2, np.inf)) ** 2
    two_sided = estimated * squares / 2 * (1 + FEW * parameters / max(matches, 1))
    one_sided = -estimated * math.log(unsure)
    found: Floats = np.where([open_below, open_above], one_sided, two_sided) / scale
    return found


def squares_always(variances: Floats, unsure: float) -> Floats:
    """Return the drop of twice the profile for intervals that hold at all times, float64 [contrasts].

    The likelihood averaged over a normal prior about the true value, divided by the likelihood of the true
    value, is a martingale that begins at 1. The probability that it ever reaches 1 / `unsure` is at most
    `unsure` (Robbins 1970). If an entry won or lost all its matches, the likelihood ratio itself is a
    martingale, since the alternative is a single, infinite value.

    Args:
        variances: float64 [contrasts]. Variances of the estimates.
        unsure: Probability that an interval ever fails to contain the true value.
    """
    ratios = LIKELY**2 / np.maximum(variances, 1e-12)
    squares: Floats = (1 + 1 / ratios) * (np.log1p(ratios) - 2 * math.log(unsure))
    return squares


def upper_ends(likelihood: Likelihood, values: Floats, contrasts: Floats, drop: Floats) -> Floats:
    """Return the largest value of each contrast at which its profile is `drop` below the maximum.

    This is Newton's method on all parameters and the value of the contrast at once (Venzon & Moolgavkar
    1988), with two changes: it solves for the root of twice the drop, which is nearly linear, and it first
    moves the parameters close to the profile.

    Args:
        likelihood: The log likelihood of all results.
        values: float64 [n + 2]. The parameters at its maximum.
        contrasts: float64 [contrasts, n + 2].
        drop: float64 [contrasts].

    Returns:
        float64 [contrasts].
    """
    top, wanted = likelihood.at(values).value, np.sqrt(2 * drop)
    values = np.repeat(values[None], len(contrasts), axis=0)
    going = np.arange(len(contrasts))
    for turn in range(100):
        here, c = values[going], contrasts[going]
        value, gradient, information = likelihood.at(here)
        # the Newton step, and the direction in which the contrast grows with the smallest loss of likelihood
        solved = np.linalg.solve(information, np.stack([gradient, c], axis=-1))
        ascent, direction = solved[..., 0], solved[..., 1]
        variance, drift = dot(c, direction), dot(c, ascent)
        missing = dot(gradient, ascent) - drift**2 / variance  # twice the height of the profile above `value`
        slope, error = drift / variance, np.sqrt(variance)
        root = np.sqrt(np.maximum(2 * (top - value) - missing, 0.0))
        downhill = (root > 0) & (slope < 0) & (turn > 0)  # otherwise treat the likelihood as quadratic
        steepness = np.where(downhill, -slope, 1) / np.where(downhill, root, 1)
        grows = (wanted[going] - np.where(downhill, root, 0)) * np.where(downhill, 1 / steepness, error)
        most = np.maximum(3.0, wanted[going] / 8) * error
        grows = np.where(missing > 1, 0.0, np.clip(grows, -most, most))
        step = ascent + ((grows - drift) / variance)[:, None] * direction
        values[going] = here + likelihood.damped(step)
        going = going[(np.abs(root - wanted[going]) > 1e-5) | (missing > 1e-6)]
        if not len(going):
            break
    return dot(contrasts, values)


def dot(one: Floats, other: Floats) -> Floats:
    """Return the scalar products over the last axis."""
    product: Floats = (one * other).sum(axis=-1)
    return product
