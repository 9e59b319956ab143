"""Samples of recorded matches, and what finding none wrong, or some, says of all of them."""

from __future__ import annotations

import math

from arena.rng import Rng

CONFIDENCE = 0.95


def drawn(total: int, size: int, seed: int) -> list[int]:
    """So many different numbers below `total`, each set of them as likely as any other, ascending.

    All of them if there are no more. By Floyd's algorithm (Bentley & Floyd 1987).
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
    """The probability that a sample has none of the forged ones among `total`, 0 to 1.

    Of the hypergeometric distribution: C(total - forged, size) / C(total, size).
    """
    if forged + size > total:
        return 0.0
    few, many = sorted((forged, size))
    return math.exp(math.fsum(math.log1p(-many / (total - i)) for i in range(few)))


def at_most(total: int, size: int, forged: int, found: int) -> float:
    """The probability that a sample has no more than so many of the forged ones."""
    least = max(0, size + forged - total)
    return math.fsum(
        math.exp(choices(forged, k) + choices(total - forged, size - k) - choices(total, size))
        for k in range(least, min(found, forged, size) + 1)
    )


def choices(n: int, k: int) -> float:
    """The logarithm of how many ways there are to choose k of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def most_wrong(total: int, size: int, found: int = 0, confidence: float = CONFIDENCE) -> int:
    """How many of `total` are wrong at most, if so many were found wrong in a sample.

    The upper end of a one-sided interval: the most with which so few are found with a probability over
    1 - confidence (Clopper & Pearson 1934, of the hypergeometric distribution).
    """
    low, high = found, total - (size - found)  # low is possible, and more than high is not
    while low < high:
        middle = (low + high + 1) // 2
        few = at_most(total, size, middle, found) if found else missed(total, size, middle)
        if few > 1 - confidence:
            low = middle
        else:
            high = middle - 1
    return low
