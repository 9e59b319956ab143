"""In which order the lines of a book of openings are played."""

from __future__ import annotations

from functools import lru_cache

from arena.rng import Rng
from arena.streams import Streams


@lru_cache(maxsize=4)
def in_order(lines: int, streams: Streams, time: int) -> tuple[int, ...]:
    """The order of so many lines when they are played the `time`-th time, from 0: a permutation."""
    numbers = list(range(lines))
    Rng(streams.openings(time)).shuffle(numbers)
    return tuple(numbers)
