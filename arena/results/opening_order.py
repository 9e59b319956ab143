"""The opening of each round of a pairing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from arena.rng import Rng, Streams, keyed

Key = tuple[int, int]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class OpeningOrder:
    """The order in which the pairings of a tournament play openings.

    Both seats of a pairing have the same opening in a round. The opening depends only on the seed, the game
    and the two entries, so it does not change when other entries are added.

    Attributes:
        streams: The tournament's random streams.
        game: The game's text.
        lines: The number of lines of the opening book; 0 for random openings.
        shared: Whether all pairings have the same opening in a round.
    """

    streams: Streams
    game: str
    lines: int = 0
    shared: bool = False

    def key(self, first: str, second: str) -> Key:
        """Return the key of a pairing's openings, given the texts of its entries."""
        return self.streams.opening_key(*(() if self.shared else (self.game, first, second)))

    def line(self, key: Key, round: int) -> int:
        """Return the index of the book line with which a round of a pairing begins.

        All lines are played once before any is played again.
        """
        time, place = divmod(round, self.lines)
        if self.shared:
            return shuffled(self.lines, self.streams, time)[place]
        offset, stride = dealt(self.lines, key, time)
        return (offset + stride * place) % self.lines

    def identities(
        self, rounds: Ints, ones: Ints, others: Ints, key_of: Callable[[int, int], Key]
    ) -> tuple[Ints, Ints, Ints]:
        """Return three numbers for each match, which are equal for matches with equal openings.

        Args:
            rounds: int64 [matches]. The round of each match.
            ones: int64 [matches]. The entries in the first seat.
            others: int64 [matches]. The entries in the second seat.
            key_of: Returns the key of the pairing of two entries, see `key`.
        """
        nobody = np.zeros_like(rounds)
        if not self.lines:
            if self.shared:
                return nobody, nobody, rounds
            return np.minimum(ones, others), np.maximum(ones, others), rounds
        if not len(rounds):
            return nobody, nobody, nobody
        time, place = np.divmod(rounds, self.lines)
        times = range(int(time.max()) + 1)
        if self.shared:
            orders = np.array([shuffled(self.lines, self.streams, i) for i in times], np.int64)
            return nobody, nobody, orders[time, place]
        found = np.unique(np.sort([ones, others], axis=0), axis=1, return_inverse=True)
        pairs, pairing = found[0].T.tolist(), found[1].ravel()
        deals = np.array([[dealt(self.lines, key_of(*pair), i) for i in times] for pair in pairs], np.int64)
        offset, stride = deals[pairing, time].T
        return nobody, nobody, (offset + stride * place) % self.lines


def numbered(*columns: Ints) -> Ints:
    """Number the distinct rows of some non-negative columns from 0; return the number of each row."""
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    if prod(sizes) >= 1 << 63:
        found = np.unique(np.column_stack(columns), axis=0, return_inverse=True)[1]
    else:
        codes = np.zeros_like(columns[0])
        for column, size in zip(columns, sizes, strict=True):
            codes = codes * size + column
        found = np.unique(codes, return_inverse=True)[1]
    numbers: Ints = found.ravel()
    return numbers


@lru_cache(maxsize=4)
def shuffled(lines: int, streams: Streams, time: int) -> tuple[int, ...]:
    """Return the permutation of a book's lines that all pairings share.

    Args:
        lines: Number of lines.
        streams: The tournament's random streams.
        time: Number of times that the whole book has been played before.
    """
    numbers = list(range(lines))
    Rng(streams.opening(streams.opening_key(), time)).shuffle(numbers)
    return tuple(numbers)


def dealt(lines: int, key: Key, time: int) -> tuple[int, int]:
    """Return a permutation of a book's lines for one pairing, as the first line and the step to the next.

    The step and the number of lines are coprime.

    Args:
        lines: Number of lines.
        key: The pairing's key, see `OpeningOrder.key`.
        time: Number of times that the pairing has played the whole book before.
    """
    first, second = keyed(*key, time)
    return first % lines, step_of(second, lines)


def step_of(word: int, lines: int) -> int:
    """Return a step that is coprime to the number of lines. Compiled matches call it, too."""
    step = word % lines or 1
    while common_divisor(step, lines) > 1:
        step = step % lines + 1
    return step


def common_divisor(one: int, other: int) -> int:
    """Return the greatest common divisor; `math.gcd` does not compile."""
    while other:
        one, other = other, one % other
    return one
