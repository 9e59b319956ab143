"""Files: those that users name are read without blocking, and others are written whole."""

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
    """Open a file to be read as bytes, without waiting for anybody.

    Raises:
        OSError: If it cannot be opened, or is a pipe, a socket or a device. `strerror` says which.
    """
    check_file(os.stat(path))
    file = open(path, "rb", opener=at_once)  # noqa: SIM115 # the caller closes it
    try:
        check_file(os.fstat(file.fileno()))  # which may be another by now
    except BaseException:
        file.close()
        raise
    return file


def at_once(path: str, flags: int) -> int:
    """Open a file as `os.open` does, but do not block if it is a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_given(path: str | Path, most: int = -1) -> bytes:
    """Read a file, up to `most` bytes of it; OSError as for `open_given`."""
    with open_given(path) as file:
        return file.read(most)


def check_file(facts: os.stat_result) -> None:
    """Raise OSError unless these facts are those of a file with content."""
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file")
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe, a socket or a device, not a file")


@contextmanager
def draft_of(path: Path, said: object = None, kept: bool = False) -> Iterator[BinaryIO]:
    """Open a file to write to that replaces `path` at the end of the block, unless an error is raised.

    said: how errors name it, by default as `path`. kept: make its folder, and have it outlast a loss of
    power. ArenaError if it cannot be written.
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
