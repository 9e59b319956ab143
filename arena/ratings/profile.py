"""Intervals from the profile likelihood: how far a parameter may go until the results are too unlikely.

A *contrast* is float64 [entries + 2], weights of the parameters, those of ratings summing to 0. Its value is
the weighted sum. The profile log likelihood of a value is the highest of parameters that give this value.
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
FEW = 1.5  # so that summed over all results of two entries with 20 matches never under 93 % hold the truth
LIKELY = (
    200 / POINTS
)  # standard deviation of the normal prior with which values are weighed whenever one looks
MANY = 40  # entries from which on `NearMaximum` is sooner there
NUMBERS = 1 << 18  # of a block of contrasts in an array: what stays near the processor


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
    """The ends of each contrast's interval, float64 [contrasts] each, infinite where they are open.

    values, covariance: of the maximum. contrasts: float64 [contrasts, entries + 2].
    scale: what the profile log likelihood is multiplied by, one for all or [contrasts]; below 1 where
    matches depend on each other: the contrast's variance under independence, over its real one (the vertical
    adjustment of Chandler & Bate 2007). unsure: with what probability an interval lacks the truth.
    freedom: with how many degrees the scale is known, one for all or [contrasts]. always: whether ends hold
    whenever one looks, and not only after matches that were fixed before; see `squares_always`. near: of
    many entries, what was computed about the maximum before.

    Of two ends, each is at 95 % where twice the profile falls by 1.96² (1 + 1.5 p / N), with p parameters,
    less what the prior settles of them, and N matches: as many parameters fitted to few matches make it fall
    more than it should. Beside an open end, it is where the profile falls by log 20, so that a shut-out, the
    results least expected there, happens with a chance of 5 %. Where the scale is an estimate, Student's t
    stands for 1.96, and both falls are larger as its square is.
    """
    n = likelihood.entries
    drop = drops(likelihood, covariance, contrasts, open_above, open_below, scale, unsure, freedom, always)
    # the lower end is the upper one of the opposite
    found = np.where([open_above, open_below], np.inf, 0.0).ravel()
    both = np.concatenate([contrasts, -contrasts])
    found[~both.any(axis=1)] = 0.0  # always 0, whatever the parameters
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
    """By how much the profile falls up to each contrast's upper and lower end, float64 [2, contrasts].

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
    """By how much twice the profile may fall for intervals that hold whenever one looks, [contrasts].

    variances: of estimates. The likelihood of all values, weighed by a normal prior about the one that is
    true, is to its own likelihood a martingale that begins at 1. So that it ever is 1 / `unsure` has a
    probability of at most `unsure` (Robbins 1970), and up to there is what is given back. That of a shut-out
    is a martingale already, being that of one value, an infinite one.
    """
    ratios = LIKELY**2 / np.maximum(variances, 1e-12)
    squares: Floats = (1 + 1 / ratios) * (np.log1p(ratios) - 2 * math.log(unsure))
    return squares


def upper_ends(likelihood: Likelihood, values: Floats, contrasts: Floats, drop: Floats) -> Floats:
    """The largest value of each contrast at which its profile is `drop` [contrasts] below the maximum.

    Newton's method on all parameters and on the contrast at once, as Venzon & Moolgavkar (1988) have it. But
    what is brought to its value is the root of twice the fall, which is nearly straight, and the parameters
    first come near the profile.
    """
    top, wanted = likelihood.at(values).value, np.sqrt(2 * drop)
    values = np.repeat(values[None], len(contrasts), axis=0)
    going = np.arange(len(contrasts))
    for turn in range(100):
        here, c = values[going], contrasts[going]
        value, gradient, information = likelihood.at(here)
        # where the gradient leads, and which way the contrast grows at the least cost
        solved = np.linalg.solve(information, np.stack([gradient, c], axis=-1))
        ascent, direction = solved[..., 0], solved[..., 1]
        variance, drift = dot(c, direction), dot(c, ascent)
        missing = dot(gradient, ascent) - drift**2 / variance  # twice what the profile is above `value`
        slope, error = drift / variance, np.sqrt(variance)
        root = np.sqrt(np.maximum(2 * (top - value) - missing, 0.0))
        downhill = (root > 0) & (slope < 0) & (turn > 0)  # else as if the likelihood were normal
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
    """Scalar products over the last axis."""
    product: Floats = (one * other).sum(axis=-1)
    return product
