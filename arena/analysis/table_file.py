"""A solver's table in a memory-mapped file, which makes results persistent and shared."""

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
from arena.file_io import read_given

HEAD = 4096  # bytes before the table


@dataclass(frozen=True)
class Head:
    """The header of a table's file.

    Attributes:
        table_of: Game and solver, with digests of their code.
        memory: Bytes of memory with which the solver was created.
    """

    table_of: str
    memory: int


def read_head(file: Path, table_of: str) -> Head | None:
    """Return the header of a file; None if the file does not exist.

    Raises:
        ArenaError: If the file is unreadable, or is the table of another solver or game.
    """
    try:
        text = read_given(file, HEAD)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ArenaError(f"{file} cannot be read: {error.strerror}") from error
    try:
        head = msgspec.json.decode(text.rstrip(b"\0"), type=Head)
    except msgspec.DecodeError as error:
        raise ArenaError(f"{file} is not a table of a solver; name another file") from error
    if head.table_of != table_of:
        raise ArenaError(f"{file} is the table of {head.table_of}, not of {table_of}; name another file")
    return head


def mapped(file: Path, head: Head, table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Map a file as a table of the same shape and dtype, creating the file if necessary.

    Several processes may share it if the solver supports several threads.

    Raises:
        ArenaError: If the file cannot be created, or has the wrong size.
    """
    try:
        if not file.exists():
            make(file, head, table.nbytes)
        if file.stat().st_size != HEAD + table.nbytes:
            raise ArenaError(f"{file} is damaged: its size does not match its header; delete it")
        return np.memmap(file, table.dtype, "r+", HEAD, table.shape)
    except OSError as error:
        raise ArenaError(f"cannot write the table {file}: {error.strerror}") from error


def make(file: Path, head: Head, size: int) -> None:
    """Write a file with an empty table, with all its space allocated on disk."""
    with NamedTemporaryFile(dir=file.parent, prefix=file.name, delete=False) as stream:
        try:
            stream.write(json.dumps(asdict(head)).encode().ljust(HEAD, b"\0"))
            stream.flush()
            os.posix_fallocate(stream.fileno(), 0, HEAD + size)
            os.replace(stream.name, file)
        except BaseException:
            Path(stream.name).unlink(missing_ok=True)
            raise
