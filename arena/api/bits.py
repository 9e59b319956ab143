"""Bit operations for the rules of games. Arguments are ints from 0 to 2**63 - 1."""

from __future__ import annotations

from collections.abc import Iterator


def popcount(x: int) -> int:
    """Return the number of bits that are set."""
    return int(x).bit_count()


def lowest(x: int) -> int:
    """Return the index of the lowest set bit; `x` must not be 0."""
    x = int(x)
    return (x & -x).bit_length() - 1


def bits(x: int) -> Iterator[int]:
    """Yield the indices of the set bits in increasing order."""
    while x:
        yield lowest(x)
        x &= x - 1
