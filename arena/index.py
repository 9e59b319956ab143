"""An open-addressing index, which finds the entry of a position: kernels, and how large it has to be.

From the place that a position's hash names up to the next that is free, each place has an entry and 31 bits
of the hash, so that what is not there is seldom looked for further. The entries' positions stand elsewhere.
"""

from __future__ import annotations

import math
from typing import Any

from arena.kernel import Int, IntPointer, State, is_state

FILLED = 0.8  # of the index, at most

LOW = 0xFFFFFFFF  # of a place of the index, the entry + 1; above it, of the position's hash,
NAMED = 0x7FFFFFFF  # these bits, which the place itself is named by as well


def place_for(hashed: Int, entry: Int) -> Int:
    """What the index has for an entry of a position with this hash."""
    return (hashed & NAMED) << 32 | (entry + 1)


def may_be(place: Int, hashed: Int) -> Int:
    """Whether what the index has in a place may be for a position with this hash."""
    return place >> 32 == hashed & NAMED


def seek(hashed: Int, s: State, mask: Int, index: IntPointer, states: IntPointer) -> Int:
    """The first entry of a position, or ~place where the index is free for it.

    mask: places of the index - 1, which are a power of two.
    """
    at = hashed & mask
    while index[at] != 0:
        if may_be(index[at], hashed):
            entry: int = (index[at] & LOW) - 1
            if is_state(states, entry, s):
                return entry
        at = (at + 1) & mask
    return ~at


def put(place: Int, index: IntPointer, mask: Int) -> Int:
    """Put what is to be in the index into the first place that is free for it; gives that."""
    at = (place >> 32) & mask
    while index[at] != 0:
        at = (at + 1) & mask
    index[at] = place
    return at


def places(entries: int) -> int:
    """Places of the index for so many entries: a power of two."""
    return max(2, 1 << math.ceil(math.log2(entries / FILLED + 1)))


def cleared(size: int) -> Any:
    """An empty index of so many places, int64."""
    import numpy as np

    index = np.empty(size, np.int64)
    index.fill(0)
    return index
