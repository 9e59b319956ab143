"""The right to play a tournament, which one process has at a time."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from arena.errors import ArenaError
from arena.storage.location import Identity, identity

WAIT = 1.0  # seconds for others to let go of a lock that they take for one that was left


@contextmanager
def sole_player(path: str, tournament: int) -> Iterator[SolePlayer]:
    """Hold the right to play a tournament, or ArenaError if another process does. Ends with the process."""
    remove_left_locks(path)
    right = SolePlayer(path, tournament)
    try:
        yield right
    finally:
        right.release()


def remove_left_locks(path: str) -> None:
    """Remove the files of locks beside a database whose processes were killed."""
    folder, name = os.path.split(os.path.abspath(path))
    for left in glob.glob(os.path.join(glob.escape(folder), f"{glob.escape(name)}-*.lock")):
        with suppress(OSError, Timeout), FileLock(left, timeout=0):
            Path(left).unlink()


class SolePlayer:
    """The right to play a tournament of a database: a lock on a file beside that."""

    def __init__(self, path: str, tournament: int) -> None:
        self.tournament = tournament
        self.file: Identity | None
        self.acquire(path)

    def acquire(self, path: str) -> None:
        self.path, self.file = path, None
        while not self.file:  # it may have been taken for one that was left, and be gone
            file = f"{path}-{self.tournament}.lock"
            self.lock = FileLock(file)
            try:
                self.lock.acquire(timeout=WAIT, poll_interval=0.02)
            except Timeout:
                raise ArenaError(
                    f"tournament {self.tournament} of {path} is being played by another process"
                ) from None
            except OSError as error:
                told = f"cannot write {file}: {error.strerror or error}; remove what is there"
                raise ArenaError(told) from error
            self.file = identity(self.lock.lock_file)

    def keep(self, path: str) -> None:
        """Hold it of the database at this path, be it that it was rescued, or that the lock was removed."""
        if path != self.path or identity(self.lock.lock_file) != self.file:
            self.release()
            self.acquire(path)

    def release(self) -> None:
        """Give it up, and remove its file unless that is another process's by now."""
        if identity(self.lock.lock_file) == self.file:
            Path(self.lock.lock_file).unlink(missing_ok=True)
        self.lock.release()
