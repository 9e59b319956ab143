"""How strongly results speak against a bound on the difference of two ratings, whenever one looks.

Evidence is the log of a likelihood ratio: of what is on one side of a bound, weighed by half-normal priors
from the bound, against the likeliest on the other side. For normal results such a ratio is a martingale
where the truth is at the bound, and expected to shrink where it is beyond. So that it ever reaches b has a
probability of at most 1 / b, however often one looks and whatever one plays next because of what one saw
(Robbins, "Statistical methods related to the law of the iterated logarithm", 1970; Howard, Ramdas,
McAuliffe & Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences", 2021). The likelihood
here is the profile of that of ratings, which is nearly so once matches are many; where they are few it is
made flatter.
"""

from __future__ import annotations

import math

import numpy as np

from arena.ratings.likelihood import Floats, Likelihood
from arena.ratings.profile import dot

WIDTHS = np.array([0.8, 4.0, 20.0])  # of the priors that are mixed, in units of what is to be told apart
SHARES = np.array([0.84, 0.13, 0.03])
EXACT = 1e-3  # that a profile may be off
MOST = 30  # steps towards it
SECANTS = 8
erf = np.vectorize(math.erf, otypes=[np.float64])


def evidence(distance: Floats, fall: Floats, unit: float) -> Floats:
    """The log evidence against a bound and all beyond, -inf where the estimate is beyond, too.

    distance: of the estimate from the bound. fall: how much less than at the maximum the log likelihood is at
    the bound, from which it is taken to rise as a parabola. unit: what is to be told apart, in the units of
    distances. All arrays have one shape.
    """
    before = (distance > 0) & (fall > 0)
    d, f = np.where(before, distance, 1.0)[..., None], np.where(before, fall, 1.0)[..., None]
    widths = (WIDTHS * unit / d) ** 2 * 2 * f  # a prior's variance, over the estimate's
    shrunk = widths / (1 + widths)
    inside = (1 + erf(np.sqrt(f * shrunk)).astype(np.float64)) / 2  # of the posterior, before the bound
    logs = np.log(2 * SHARES * inside) - np.log1p(widths) / 2 + f * shrunk
    found: Floats = np.where(before, log_sum(logs), -np.inf)
    return found


def variance_needed(distance: Floats, wanted: Floats, unit: float) -> Floats:
    """The variance of estimates, so far from a bound, at which evidence is as wanted; by secants.

    Evidence grows about as fast as the log likelihood falls, and is at most log 2 above what it falls by.
    """
    before = np.maximum(wanted - math.log(2), 0.1)
    had = evidence(distance, before, unit)
    fall = before + np.maximum(wanted - had, 1e-3)
    for _ in range(SECANTS):
        has = evidence(distance, fall, unit)
        slope = np.maximum((has - had) / np.where(fall == before, 1, fall - before), 0.01)
        step = np.where(fall == before, 0.0, (wanted - has) / slope)
        before, had, fall = fall, has, fall + np.clip(step, -fall / 2, 4 * fall)
    needed: Floats = distance**2 / (2 * fall)
    return needed


def log_sum(logs: Floats) -> Floats:
    """The log of the sum of exponentials over the last axis."""
    most = logs.max(axis=-1, keepdims=True)
    total: Floats = most[..., 0] + np.log(np.exp(logs - most).sum(axis=-1))
    return total


def falls(
    likelihood: Likelihood, values: Floats, covariance: Floats, contrasts: Floats, bounds: Floats
) -> Floats:
    """How far below its maximum the profile log likelihood is where contrasts have these values, [contrasts].

    values, covariance: of the maximum. contrasts: float64 [contrasts, entries + 2]. By Newton's method in
    what a contrast leaves free.
    """
    found = np.zeros(len(contrasts))
    going = np.arange(len(contrasts))
    if not len(going):
        return found
    top = likelihood.at(values).value
    ways = contrasts @ covariance
    reach = (bounds - contrasts @ values) / dot(contrasts, ways)
    places = values + reach[:, None] * ways
    for _ in range(MOST):
        here, c = places[going], contrasts[going]
        value, gradient, information = likelihood.at(here)
        solved = np.linalg.solve(information, np.stack([gradient, c], axis=-1))
        ascent, direction = solved[..., 0], solved[..., 1]
        slope = dot(c, ascent) / dot(c, direction)
        missing = dot(gradient, ascent) - slope * dot(c, ascent)  # twice what the profile is above `value`
        found[going] = np.maximum(top - value - missing / 2, 0.0)
        places[going] = here + likelihood.damped(ascent - slope[:, None] * direction)
        going = going[missing > EXACT * np.maximum(found[going], 1)]
        if not len(going):
            break
    return found
