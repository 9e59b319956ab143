"""The book of the solver of connect four: whether positions after eight plies are won, drawn or lost.

The file is written by `leaderboards/connect-four/book.py`. Compressed by zlib, it contains the sorted keys of
positions as int64, each minus the previous one, and then the values as int8.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PLIES = 8
FILE = Path(__file__).with_name("connect_four_book.bin")


def read() -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Return the keys of positions in `ConnectFourSolver`, and values for the player to move: 1, 0 or -1."""
    data = zlib.decompress(FILE.read_bytes())
    positions = len(data) // 9
    steps = np.frombuffer(data, "<i8", positions).astype(np.int64)
    return np.cumsum(steps), np.frombuffer(data, np.int8, positions, 8 * positions)


def write(keys: NDArray[np.int64], values: NDArray[np.int8]) -> None:
    """Write a book to its file."""
    steps = np.diff(keys, prepend=0).astype("<i8")
    FILE.write_bytes(zlib.compress(steps.tobytes() + values.astype(np.int8).tobytes(), 9))
