"""The book of connect four's solver: whether positions after eight plies are won, drawn or lost.

`leaderboards/connect-four/book.py` writes its file: the positions' keys, sorted, each less the one before, as
int64, then what they are worth, as int8, compressed by zlib.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PLIES = 8
FILE = Path(__file__).with_name("connect_four_book.bin")


def read() -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Keys, by which `ConnectFourSolver` knows positions, and their worth to who is to move: 1, 0 or -1."""
    data = zlib.decompress(FILE.read_bytes())
    positions = len(data) // 9
    steps = np.frombuffer(data, "<i8", positions).astype(np.int64)
    return np.cumsum(steps), np.frombuffer(data, np.int8, positions, 8 * positions)


def write(keys: NDArray[np.int64], values: NDArray[np.int8]) -> None:
    """Write the book to the file."""
    steps = np.diff(keys, prepend=0).astype("<i8")
    FILE.write_bytes(zlib.compress(steps.tobytes() + values.astype(np.int8).tobytes(), 9))
