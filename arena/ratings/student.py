"""Student's t distribution (Student 1908): a mean divided by its estimated standard error.

In all functions `freedom` is the number of degrees of freedom, above 0 and not necessarily an integer. If it
is infinite, the distribution is normal.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from arena.ratings.likelihood import Flags, Floats

NORMAL = NormalDist()
MANY = 2000.0  # degrees of freedom above which a normal deviate replaces t, accurate to 1e-8
CLOSE = 1e-15  # relative change at which a continued fraction has converged
MOST = 1000  # maximum number of iterations; usually a few suffice, or a hundred with many degrees of freedom
TINY = 1e-300  # replaces a divisor of 0


def cdf(x: Floats | float, freedom: Floats | float) -> Floats:
    """Return the cumulative probability at `x`, elementwise."""
    x, freedom = np.broadcast_arrays(np.asarray(x, float), np.asarray(freedom, float))
    beyond = np.empty(x.shape)
    many: Flags = freedom > MANY
    beyond[~many] = tail(x[~many], freedom[~many])
    deviates = np.abs(deviate(x[many], freedom[many]))
    beyond[many] = [math.erfc(z / math.sqrt(2)) / 2 for z in deviates.tolist()]
    below: Floats = np.where(x > 0, 1 - beyond, beyond)
    return below


def quantile(share: Floats | float, freedom: Floats | float) -> Floats:
    """Return the quantile of a probability, elementwise.

    Args:
        share: The probability, above 0 and below 1.
        freedom: Degrees of freedom.
    """
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
    """Return the normal deviate with about the same tail probability as `x` (Wallace 1959), elementwise."""
    n = np.where(np.isfinite(freedom), freedom, 1.0)
    near: Floats = np.copysign((8 * n + 1) / (8 * n + 3) * np.sqrt(n * np.log1p(x * x / n)), x)
    return np.where(np.isfinite(freedom), near, x)


def end_of_tail(beyond: Floats, freedom: Floats, near: Floats) -> Floats:
    """Return the positive value that is exceeded with the given probability.

    Newton's method finds the root of the log of the tail as a function of log x. Since that function is
    concave, the iteration approaches the root from one side after its first step, from any starting value.

    Args:
        beyond: float64 [numbers]. Probabilities, below a half.
        freedom: float64 [numbers]. Degrees of freedom.
        near: float64 [numbers]. Approximate starting values.

    Returns:
        float64 [numbers].
    """
    log_x = np.log(np.clip(near, 1e-3, 1e100))
    going = np.arange(len(beyond))
    for _ in range(MOST):
        x, n = np.exp(log_x[going]), freedom[going]
        found = tail(x, n)
        step = (np.log(found) - np.log(beyond[going])) * found / (x * density(x, n))
        log_x[going] += np.clip(step, -2, 2)
        going = going[np.abs(step) > 1e-7]  # the next step would be smaller than the rounding error
        if not len(going):
            break
    end: Floats = np.exp(log_x)
    return end


def density(x: Floats, freedom: Floats) -> Floats:
    """Return the probability density at `x`, elementwise."""
    found: Floats = np.exp(log_scale(freedom) - (freedom + 1) / 2 * np.log1p(x * x / freedom))
    return found


def log_scale(freedom: Floats) -> Floats:
    """Return the log of gamma((n + 1) / 2) / (gamma(n / 2) sqrt(n pi)), elementwise, n being the freedom."""
    found = [
        math.lgamma((n + 1) / 2) - math.lgamma(n / 2) - math.log(n * math.pi) / 2
        for n in freedom.ravel().tolist()
    ]
    return np.array(found).reshape(freedom.shape)


def tail(x: Floats, freedom: Floats) -> Floats:
    """Return the probability of a value above |x|, elementwise.

    It is half of the incomplete beta function I(a, 1/2) at n / (n + x²), with n the freedom and a = n/2. The
    continued fraction (DLMF 8.17.22) of that function or of its complement is used, whichever converges
    faster.
    """
    a, b = freedom / 2, np.full(freedom.shape, 0.5)
    share, rest = freedom / (freedom + x * x), x * x / (freedom + x * x)
    direct: Flags = share < (a + 1) / (a + b + 2)
    first, second = np.where(direct, a, b), np.where(direct, b, a)
    # x times the density is the factor before the fraction, up to a constant
    part = np.abs(x) * density(x, freedom) * fraction(np.where(direct, share, rest), first, second) / first
    found: Floats = np.where(direct, part, 1 - part) / 2
    return found


def fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    """Evaluate the continued fraction of the incomplete beta function (Thompson & Barnett 1986)."""
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
    """Replace zeros by a tiny number, to allow division."""
    found: Floats = np.where(values == 0, TINY, values)
    return found
