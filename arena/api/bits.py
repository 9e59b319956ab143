"""Bit tricks that rules may call. Arguments are ints from 0 to 2**63 - 1."""

from __future__ import annotations

from collections.abc import Iterator


def popcount(x: int) -> int:
    """Return the number of bits that are set."""
    return int(x).bit_count()


def lowest(x: int) -> int:
    """Return the number of the lowest set bit; `x` is not 0."""
    x = int(x)
    return (x & -x).bit_length() - 1


def bits(x: int) -> Iterator[int]:
    """Yield the numbers of the set bits, from the lowest up."""
    while x:
        yield lowest(x)
        x &= x - 1
