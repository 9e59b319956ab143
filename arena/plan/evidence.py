"""Anytime-valid evidence against a bound on the difference between two ratings.

Evidence is the log of a likelihood ratio: parameters on one side of the bound, weighted by half-normal priors
centred at the bound, against the most likely parameter on the other side. For normal results this ratio is a
martingale if the true difference is at the bound, and a supermartingale if it is beyond the bound. The
probability that it ever reaches b is therefore at most 1 / b, however often it is inspected and however the
next matches depend on the results (Robbins, "Statistical methods related to the law of the iterated
logarithm", 1970; Howard, Ramdas, McAuliffe & Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence
sequences", 2021). The likelihood used here is the profile likelihood of ratings, which is nearly normal once
there are many matches; with few matches it is flattened.
"""

from __future__ import annotations

import math

import numpy as np

from arena.ratings.likelihood import Floats, Likelihood
from arena.ratings.profile import dot

WIDTHS = np.array([0.8, 4.0, 20.0])  # standard deviations of the priors, in multiples of `unit`
SHARES = np.array([0.84, 0.13, 0.03])  # weights of these priors
EXACT = 1e-3  # tolerance of a profile log likelihood
MOST = 30  # maximum number of Newton steps
SECANTS = 8  # steps of the secant method
erf = np.vectorize(math.erf, otypes=[np.float64])


def evidence(distance: Floats, fall: Floats, unit: float) -> Floats:
    """Return the log evidence against a bound and all values beyond it.

    Args:
        distance: float64. Distance of the estimate from the bound; negative if the estimate is beyond the
            bound.
        fall: float64 of the same shape. Drop of the log likelihood from its maximum to the bound. In between
            it is assumed to be a parabola.
        unit: The difference that should be detected, in the unit of `distance`.

    Returns:
        float64 of the same shape, -inf where the estimate is beyond the bound.
    """
    before = (distance > 0) & (fall > 0)
    d, f = np.where(before, distance, 1.0)[..., None], np.where(before, fall, 1.0)[..., None]
    widths = (WIDTHS * unit / d) ** 2 * 2 * f  # variance of each prior divided by that of the estimate
    shrunk = widths / (1 + widths)
    inside = (1 + erf(np.sqrt(f * shrunk)).astype(np.float64)) / 2  # posterior mass on the estimate's side
    logs = np.log(2 * SHARES * inside) - np.log1p(widths) / 2 + f * shrunk
    found: Floats = np.where(before, log_sum(logs), -np.inf)
    return found


def variance_needed(distance: Floats, wanted: Floats, unit: float) -> Floats:
    """Return the variance of an estimate at which its evidence reaches a value, by the secant method.

    Evidence grows about as fast as the log likelihood drops, and exceeds that drop by at most log 2.

    Args:
        distance: float64. Distance of the estimate from the bound.
        wanted: float64 of the same shape. The evidence to reach.
        unit: As in `evidence`.

    Returns:
        float64 of the same shape.
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
    """Return the log of the sum of exponentials over the last axis."""
    most = logs.max(axis=-1, keepdims=True)
    total: Floats = most[..., 0] + np.log(np.exp(logs - most).sum(axis=-1))
    return total


def falls(
    likelihood: Likelihood, values: Floats, covariance: Floats, contrasts: Floats, bounds: Floats
) -> Floats:
    """Return the drop of the profile log likelihood below its maximum at given values of contrasts.

    It is computed by Newton's method over the parameters that a contrast leaves free.

    Args:
        likelihood: The likelihood.
        values: float64 [entries + 2]. The parameters at its maximum.
        covariance: float64 [entries + 2, entries + 2]. The covariance at the maximum.
        contrasts: float64 [contrasts, entries + 2].
        bounds: float64 [contrasts]. The value of each contrast.

    Returns:
        float64 [contrasts].
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
        missing = dot(gradient, ascent) - slope * dot(c, ascent)  # twice the profile minus `value`
        found[going] = np.maximum(top - value - missing / 2, 0.0)
        places[going] = here + likelihood.damped(ascent - slope[:, None] * direction)
        going = going[missing > EXACT * np.maximum(found[going], 1)]
        if not len(going):
            break
    return found
