"""A lock that lets only one process at a time play a tournament."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from arena.errors import ArenaError
from arena.storage.file import Identity, identity

WAIT = 1.0  # seconds to wait while another process tests whether the lock was left behind


@contextmanager
def sole_player(path: str, tournament: int) -> Iterator[SolePlayer]:
    """Hold the lock of a tournament; raise ArenaError if another process has it. It ends with the process."""
    remove_left_locks(path)
    right = SolePlayer(path, tournament)
    try:
        yield right
    finally:
        right.release()


def remove_left_locks(path: str) -> None:
    """Remove the lock files that killed processes left beside a database."""
    folder, name = os.path.split(os.path.abspath(path))
    for left in glob.glob(os.path.join(glob.escape(folder), f"{glob.escape(name)}-*.lock")):
        with suppress(OSError, Timeout), FileLock(left, timeout=0):
            Path(left).unlink()


class SolePlayer:
    """The lock of a tournament: a locked file beside its database."""

    def __init__(self, path: str, tournament: int) -> None:
        self.tournament = tournament
        self.file: Identity | None
        self.acquire(path)

    def acquire(self, path: str) -> None:
        """Acquire the lock for the database at `path`, or raise ArenaError."""
        self.path, self.file = path, None
        while not self.file:  # another process may have removed it as left behind
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
        """Acquire the lock anew if the database was moved to `path` or the lock file was removed."""
        if path != self.path or identity(self.lock.lock_file) != self.file:
            self.release()
            self.acquire(path)

    def release(self) -> None:
        """Release the lock, and remove its file unless it belongs to another process by now."""
        if identity(self.lock.lock_file) == self.file:
            Path(self.lock.lock_file).unlink(missing_ok=True)
        self.lock.release()
