"""Bit tricks that rules may call. Arguments are ints from 0 to 2**63 - 1."""

from __future__ import annotations


def popcount(x: int) -> int:
    """How many bits are set."""
    return int(x).bit_count()


def lowest(x: int) -> int:
    """The number of the lowest set bit; `x` is not 0."""
    x = int(x)
    return (x & -x).bit_length() - 1
