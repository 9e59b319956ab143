"""Read files named by users without blocking, and write files atomically."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from arena.errors import ArenaError


def open_given(path: str | Path) -> BinaryIO:
    """Open a file for reading bytes, without blocking.

    Raises:
        OSError: If it cannot be opened, or is a pipe, a socket or a device. `strerror` states the reason.
    """
    check_file(os.stat(path))
    file = open(path, "rb", opener=at_once)  # noqa: SIM115 # the caller closes it
    try:
        check_file(os.fstat(file.fileno()))  # the path may name another file by now
    except BaseException:
        file.close()
        raise
    return file


def at_once(path: str, flags: int) -> int:
    """Open a file like `os.open`, but without blocking if it is a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_given(path: str | Path, most: int = -1) -> bytes:
    """Read at most `most` bytes of a file; raise OSError as `open_given` does."""
    with open_given(path) as file:
        return file.read(most)


def check_file(facts: os.stat_result) -> None:
    """Raise OSError unless the `os.stat` result is that of a regular file."""
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file")
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe, a socket or a device, not a file")


@contextmanager
def draft_of(path: Path, said: object = None, kept: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces `path` at the end of the block, unless an error is raised.

    said: the name used in errors; default `path`. kept: create the folder, and sync the file to disk so that
    it survives a power failure. Raises ArenaError if the file cannot be written.
    """
    draft = path.with_name(f"{path.name}.{uuid4().hex}.new")
    try:
        if kept:
            path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            yield file
            if kept:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise ArenaError(f"cannot write {said or path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
