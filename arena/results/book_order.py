"""The order in which the lines of an opening book are played."""

from __future__ import annotations

from functools import lru_cache

from arena.rng import Rng, Streams


@lru_cache(maxsize=4)
def in_order(lines: int, streams: Streams, time: int) -> tuple[int, ...]:
    """Return a permutation of a book's lines.

    Args:
        lines: Number of lines.
        streams: The tournament's random streams.
        time: How many times the whole book was played before.
    """
    numbers = list(range(lines))
    Rng(streams.openings(time)).shuffle(numbers)
    return tuple(numbers)
