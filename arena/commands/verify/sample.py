"""Random samples of matches, and inference from a sample to all matches."""

from __future__ import annotations

import math

from arena.rng import Rng

CONFIDENCE = 0.95


def drawn(total: int, size: int, seed: int) -> list[int]:
    """Return a random sample of `size` distinct numbers below `total`, in ascending order.

    If `total` is not above `size`, return all numbers. The algorithm is Floyd's (Bentley & Floyd 1987).
    """
    if size >= total:
        return list(range(total))
    rng = Rng(seed)
    found: set[int] = set()
    for last in range(total - size, total):
        number = rng.below(last + 1)
        found.add(last if number in found else number)
    return sorted(found)


def missed(total: int, size: int, forged: int) -> float:
    """Return the probability that a sample of `size` out of `total` contains none of `forged` matches.

    It is hypergeometric: C(total - forged, size) / C(total, size).
    """
    if forged + size > total:
        return 0.0
    few, many = sorted((forged, size))
    return math.exp(math.fsum(math.log1p(-many / (total - i)) for i in range(few)))


def at_most(total: int, size: int, forged: int, found: int) -> float:
    """Return the probability that a sample contains at most `found` of the forged matches.

    Args:
        total: Number of matches.
        size: Size of the sample.
        forged: Number of forged matches.
        found: Number of these in the sample.
    """
    least = max(0, size + forged - total)
    return math.fsum(
        math.exp(choices(forged, k) + choices(total - forged, size - k) - choices(total, size))
        for k in range(least, min(found, forged, size) + 1)
    )


def choices(n: int, k: int) -> float:
    """Return the logarithm of the number of ways to choose k out of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def most_wrong(total: int, size: int, found: int = 0, confidence: float = CONFIDENCE) -> int:
    """Return an upper bound on wrong matches among `total` if `found` in a sample of `size` are wrong.

    It is the upper end of a one-sided confidence interval: the largest number for which the probability of
    finding so few is above 1 - confidence (Clopper & Pearson 1934, for the hypergeometric distribution).
    """
    low, high = found, total - (size - found)  # low is possible; numbers above high are not
    while low < high:
        middle = (low + high + 1) // 2
        few = at_most(total, size, middle, found) if found else missed(total, size, middle)
        if few > 1 - confidence:
            low = middle
        else:
            high = middle - 1
    return low
