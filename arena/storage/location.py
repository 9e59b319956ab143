"""Where an open database lies: whether its files are still there, and where else what it holds can go."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from arena.errors import ArenaError

Identity = tuple[int, int]  # device and inode


class Place:
    """The files of a database that is open for writing, as they were when it was opened.

    size: bytes that its file is sure to have, since a checkpoint wrote them. shared: whether others have
    written to it, too. written: when it was written last, in ns, as far as this process has seen.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(os.path.abspath(path))
        self.log = Path(f"{self.path}-wal")
        self.memory = Path(f"{self.path}-shm")
        self.size = self.written = 0
        self.shared = False
        self.file, self.sides = identity(self.path), {side: identity(side) for side in self.side_files}

    @property
    def side_files(self) -> tuple[Path, Path]:
        """SQLite's own, beside the database."""
        return self.log, self.memory

    def fate(self, bytes_taken: Callable[[], int]) -> str:
        """What has become of the file by another's hand, `was cut off`; empty while it is what was opened.

        bytes_taken: what all that the database holds takes, which is less after a VACUUM.
        """
        try:
            found = os.stat(self.path)
        except OSError:
            return "was removed or renamed"
        if (found.st_dev, found.st_ino) != self.file:
            return "was replaced by another file"
        if self.sides[self.log] and identity(self.log) != self.sides[self.log]:
            return f"lost {self.log.name}, which holds its latest results,"
        if found.st_size < self.size:
            try:
                cut_off = bytes_taken() >= self.size
            except sqlite3.DatabaseError:  # SQLite has noticed
                cut_off = True
            if cut_off:
                return "was cut off"
            self.size = found.st_size
        return ""

    def look(self) -> None:
        """Before this process writes: note whether somebody else has."""
        with suppress(OSError):
            self.shared |= self.written not in (0, os.stat(self.path).st_mtime_ns)

    def seen(self, whole: bool = False) -> None:
        """This process has written; `whole`, and all that the database holds is in the file itself."""
        with suppress(OSError):
            found = os.stat(self.path)
            self.written = found.st_mtime_ns
            if whole:
                self.size = found.st_size

    def sound(self) -> bool:
        """Whether what is read from the file anew holds together; looked at only if others wrote to it."""
        if not self.shared:
            return True
        try:
            with closing(sqlite3.connect(self.path)) as reading:
                return bool(reading.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        except sqlite3.OperationalError:  # somebody has it locked
            return True
        except sqlite3.DatabaseError:
            return False

    def leave(self) -> None:
        """Remove the side files that were left behind where the database itself is no longer.

        SQLite would take what is in them for part of whatever database lies there next.
        """
        if identity(self.path) != self.file:
            for side, opened in self.sides.items():
                if opened and identity(side) == opened:
                    with suppress(OSError):
                        side.unlink()


def identity(path: str | Path) -> Identity | None:
    """Device and inode of a file; None if there is no such."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def rescued(connection: sqlite3.Connection, path: Path) -> Path:
    """A new file with all that an open database holds, whatever has become of its own; or ArenaError.

    It lies in the folder of `path`, made anew if it is gone, else in the current one, else in that for
    temporary files. An open connection reads what it holds for as long as it is open.
    """
    faults = []
    for folder in folders(path):
        try:
            place = folder()
            place.mkdir(parents=True, exist_ok=True)
            copy = new_file(place, path)
        except OSError as error:
            faults.append(error.strerror or str(error))
            continue
        try:
            return whole_copy(connection, copy)
        except BaseException as error:
            copy.unlink(missing_ok=True)
            if not isinstance(error, sqlite3.OperationalError):
                raise
            faults.append(str(error))
    raise ArenaError(f"it cannot be saved elsewhere: {', '.join(dict.fromkeys(faults))}")


def folders(path: Path) -> Iterator[Callable[[], Path]]:
    """Where a copy may go; to find out may raise OSError."""
    yield lambda: path.parent
    yield Path.cwd
    yield lambda: Path(tempfile.gettempdir())


def new_file(folder: Path, path: Path) -> Path:
    """A file of our own, `arena.rescued-1.db`, that was not there before."""
    number = 1
    while True:
        copy = folder / f"{path.stem}.rescued-{number}{path.suffix}"
        try:
            copy.touch(exist_ok=False)
        except FileExistsError:
            number += 1
        else:
            return copy


def whole_copy(connection: sqlite3.Connection, copy: Path) -> Path:
    """Copy a database to a file, or ArenaError if what can still be read of it is damaged."""
    try:
        with closing(sqlite3.connect(copy)) as to:
            connection.backup(to)
            faults = to.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.OperationalError:  # no room, say
        raise
    except sqlite3.DatabaseError as error:
        faults = str(error)
    if faults != "ok":
        raise ArenaError(f"what can still be read of it is damaged: {' '.join(faults.split())}")
    return copy
