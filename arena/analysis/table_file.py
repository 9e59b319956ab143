"""A solver's table in a file that is mapped into memory: what was found out stays, and others find it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.user_files import read_given

HEAD = 4096  # bytes before the table


@dataclass(frozen=True)
class Head:
    """What a file begins with: whose table follows, and how many bytes its solver was made with."""

    table_of: str
    memory: int


def read_head(file: Path, table_of: str) -> Head | None:
    """What a file says of itself; None if there is none. ArenaError if it is not that table."""
    try:
        text = read_given(file, HEAD)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ArenaError(f"{file} cannot be read: {error.strerror}") from error
    try:
        head = msgspec.json.decode(text.rstrip(b"\0"), type=Head)
    except msgspec.DecodeError as error:
        raise ArenaError(f"{file} is no table of a solver; name another file") from error
    if head.table_of != table_of:
        raise ArenaError(f"{file} is the table of {head.table_of}, not of {table_of}; name another file")
    return head


def mapped(file: Path, head: Head, table: NDArray[np.int64]) -> NDArray[np.int64]:
    """A table like this one, in a file that is made if it is not there.

    Several processes may have it at once, if its solver bears several threads. ArenaError if there is none.
    """
    try:
        if not file.exists():
            make(file, head, table.nbytes)
        if file.stat().st_size != HEAD + table.nbytes:
            raise ArenaError(f"{file} is damaged: it is not of the size that it begins with; delete it")
        return np.memmap(file, table.dtype, "r+", HEAD, table.shape)
    except OSError as error:
        raise ArenaError(f"{file} cannot be a table: {error.strerror}") from error


def make(file: Path, head: Head, size: int) -> None:
    """Write a file with an empty table, all of whose bytes the disk has room for."""
    with NamedTemporaryFile(dir=file.parent, prefix=file.name, delete=False) as stream:
        try:
            stream.write(json.dumps(asdict(head)).encode().ljust(HEAD, b"\0"))
            stream.flush()
            os.posix_fallocate(stream.fileno(), 0, HEAD + size)
            os.replace(stream.name, file)
        except BaseException:
            Path(stream.name).unlink(missing_ok=True)
            raise
