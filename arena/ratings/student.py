"""Student's t distribution (Student 1908): a mean, over the error that is estimated with it.

freedom: degrees of freedom, any number above 0; with infinitely many it is the normal distribution.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from arena.ratings.likelihood import Flags, Floats

NORMAL = NormalDist()
MANY = 2000.0  # degrees of freedom above which a normal deviate stands for t, right to 1e-8
CLOSE = 1e-15  # to a factor of 1, at which a continued fraction is left
MOST = 1000  # steps of an iteration, which takes a few, or a hundred where degrees of freedom are many
TINY = 1e-300  # stands for a 0 that is divided by


def cdf(x: Floats | float, freedom: Floats | float) -> Floats:
    """The probability of a value up to x, elementwise."""
    x, freedom = np.broadcast_arrays(np.asarray(x, float), np.asarray(freedom, float))
    beyond = np.empty(x.shape)
    many: Flags = freedom > MANY
    beyond[~many] = tail(x[~many], freedom[~many])
    deviates = np.abs(deviate(x[many], freedom[many]))
    beyond[many] = [math.erfc(z / math.sqrt(2)) / 2 for z in deviates.tolist()]
    below: Floats = np.where(x > 0, 1 - beyond, beyond)
    return below


def quantile(share: Floats | float, freedom: Floats | float) -> Floats:
    """The value that this share lies below, 0 < share < 1, elementwise."""
    shares = np.asarray(share, float)
    deviates = np.array([NORMAL.inv_cdf(p) for p in shares.ravel().tolist()]).reshape(shares.shape)
    share, freedom, normal = np.broadcast_arrays(shares, np.asarray(freedom, float), deviates)
    finite = np.where(np.isfinite(freedom), freedom, 1.0)
    z = normal * (8 * finite + 3) / (8 * finite + 1)
    found = np.where(np.isfinite(freedom), np.copysign(np.sqrt(finite * np.expm1(z * z / finite)), z), normal)
    few = (freedom <= MANY) & (share != 0.5)
    near, beyond = np.abs(found[few]), np.minimum(share, 1 - share)[few]
    found[few] = np.copysign(end_of_tail(beyond, freedom[few], near), normal[few])
    return found


def deviate(x: Floats, freedom: Floats) -> Floats:
    """The normal deviate that is exceeded about as often as x (Wallace 1959), elementwise."""
    n = np.where(np.isfinite(freedom), freedom, 1.0)
    near: Floats = np.copysign((8 * n + 1) / (8 * n + 3) * np.sqrt(n * np.log1p(x * x / n)), x)
    return np.where(np.isfinite(freedom), near, x)


def end_of_tail(beyond: Floats, freedom: Floats, near: Floats) -> Floats:
    """The x above 0 that is exceeded with a probability below a half, float64 [numbers].

    near: about what it is. By Newton's method on the logarithm of the tail over that of x, which falls ever
    steeper: whatever it starts from, it then comes from one side.
    """
    log_x = np.log(np.clip(near, 1e-3, 1e100))
    going = np.arange(len(beyond))
    for _ in range(MOST):
        x, n = np.exp(log_x[going]), freedom[going]
        found = tail(x, n)
        step = (np.log(found) - np.log(beyond[going])) * found / (x * density(x, n))
        log_x[going] += np.clip(step, -2, 2)
        going = going[np.abs(step) > 1e-7]  # after which the next would be of rounding alone
        if not len(going):
            break
    end: Floats = np.exp(log_x)
    return end


def density(x: Floats, freedom: Floats) -> Floats:
    """Of the distribution, elementwise."""
    found: Floats = np.exp(log_scale(freedom) - (freedom + 1) / 2 * np.log1p(x * x / freedom))
    return found


def log_scale(freedom: Floats) -> Floats:
    """log of gamma((n + 1) / 2) / (gamma(n / 2) sqrt(n pi)), elementwise."""
    found = [
        math.lgamma((n + 1) / 2) - math.lgamma(n / 2) - math.log(n * math.pi) / 2
        for n in freedom.ravel().tolist()
    ]
    return np.array(found).reshape(freedom.shape)


def tail(x: Floats, freedom: Floats) -> Floats:
    """The probability of a value beyond |x| on one side, elementwise.

    Half the incomplete beta function I(a, 1/2) of n / (n + x²), with a = n/2, by its continued fraction (DLMF
    8.17.22), or that of its complement, whichever it is that comes close sooner.
    """
    a, b = freedom / 2, np.full(freedom.shape, 0.5)
    share, rest = freedom / (freedom + x * x), x * x / (freedom + x * x)
    direct: Flags = share < (a + 1) / (a + b + 2)
    first, second = np.where(direct, a, b), np.where(direct, b, a)
    # x times the density is, but for a factor, what stands before the fraction
    part = np.abs(x) * density(x, freedom) * fraction(np.where(direct, share, rest), first, second) / first
    found: Floats = np.where(direct, part, 1 - part) / 2
    return found


def fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    """The continued fraction of the incomplete beta function, elementwise (Thompson & Barnett 1986)."""
    c = np.ones_like(x)
    d = 1 / nonzero(1 - (a + b) * x / (a + 1))
    value = d.copy()
    for m in range(1, MOST):
        before = value
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / nonzero(1 + term * d)
            c = nonzero(1 + term / c)
            value = value * c * d
        if (np.abs(value - before) <= CLOSE * np.abs(value)).all():
            break
    return value


def nonzero(values: Floats) -> Floats:
    found: Floats = np.where(values == 0, TINY, values)
    return found
