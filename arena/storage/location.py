"""The location of an open database: whether its files are still there, and where to save a copy if not."""

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

    Attributes:
        path: The database file, absolute.
        log: SQLite's write-ahead log.
        memory: SQLite's shared-memory file.
        size: Bytes that the file must have, since a checkpoint wrote them.
        written: When the file was last written to by this process, in nanoseconds; 0 if not yet.
        shared: Whether other processes have written to it.
        file: Device and inode of the database file when it was opened.
        sides: Device and inode of the side files when it was opened, by path.
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
        """Files that SQLite keeps beside the database."""
        return self.log, self.memory

    def fate(self, bytes_taken: Callable[[], int]) -> str:
        """Return what another program has done to the file, `was cut off`; empty if it is intact.

        Args:
            bytes_taken: Returns the size of the database in bytes, which is smaller after a VACUUM.
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
            except sqlite3.DatabaseError:  # SQLite has noticed the truncation
                cut_off = True
            if cut_off:
                return "was cut off"
            self.size = found.st_size
        return ""

    def look(self) -> None:
        """Note whether another process has written to the file. Call it before writing."""
        with suppress(OSError):
            self.shared |= self.written not in (0, os.stat(self.path).st_mtime_ns)

    def seen(self, whole: bool = False) -> None:
        """Note that this process has written; with `whole`, the file contains everything in the log."""
        with suppress(OSError):
            found = os.stat(self.path)
            self.written = found.st_mtime_ns
            if whole:
                self.size = found.st_size

    def sound(self) -> bool:
        """Return whether the file passes SQLite's quick check; done only if other processes wrote to it."""
        if not self.shared:
            return True
        try:
            with closing(sqlite3.connect(self.path)) as reading:
                return bool(reading.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        except sqlite3.OperationalError:  # locked by another process
            return True
        except sqlite3.DatabaseError:
            return False

    def leave(self) -> None:
        """Remove side files that were left behind by a database that was removed or replaced.

        SQLite would apply them to the next database at this path.
        """
        if identity(self.path) != self.file:
            for side, opened in self.sides.items():
                if opened and identity(side) == opened:
                    with suppress(OSError):
                        side.unlink()


def identity(path: str | Path) -> Identity | None:
    """Return device and inode of a file; None if it does not exist."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def rescued(connection: sqlite3.Connection, path: Path) -> Path:
    """Save everything in an open database to a new file, whatever has become of its own file.

    The new file goes to the folder of `path`, created if necessary, or else to the current folder, or else to
    the folder for temporary files. An open connection can read the content as long as it is open.

    Args:
        connection: The open database.
        path: Where the database was.

    Returns:
        The path of the new file.

    Raises:
        ArenaError: If no folder can take the copy, or the content is damaged.
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
    """Yield functions that return the folders to try in order; they may raise OSError."""
    yield lambda: path.parent
    yield Path.cwd
    yield lambda: Path(tempfile.gettempdir())


def new_file(folder: Path, path: Path) -> Path:
    """Create a file `arena.rescued-1.db` with the first free number, and return its path."""
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
    """Copy a database to a file and check it; raise ArenaError if the content is damaged."""
    try:
        with closing(sqlite3.connect(copy)) as to:
            connection.backup(to)
            faults = to.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.OperationalError:  # for example, the disk is full
        raise
    except sqlite3.DatabaseError as error:
        faults = str(error)
    if faults != "ok":
        raise ArenaError(f"what can still be read is damaged: {' '.join(faults.split())}")
    return copy
