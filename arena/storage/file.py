"""The database file: opened, checked, migrated, and recovered if another program removes or replaces it."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from arena.errors import ArenaError
from arena.storage.migrations import (
    APPLICATION_ID,
    migrations,
    shape,
    shape_after,
    statements,
    statements_after,
)
from arena.storage.sqlite import Database
from arena.texts import argument, call, on_one_line
from arena.workers.worker import own_watch

Identity = tuple[int, int]  # device and inode
Thing = TypeVar("Thing")


class Place:
    """The files of a database that is open for writing, as they were when it was opened.

    Attributes:
        path: The database file, absolute.
        log: SQLite's write-ahead log.
        memory: SQLite's shared-memory file.
        size: Minimum size of the file in bytes, as written by the last checkpoint.
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
        """Return the change that another program made to the file, such as `was truncated`; empty if intact.

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
                return "was truncated"
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
        except sqlite3.OperationalError:  # the file is locked by another process
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
    """Save the content of an open database to a new file, even if its own file is lost.

    The new file goes to the folder of `path`, created if necessary, or else to the current folder, or else to
    the folder for temporary files. The connection can read the content as long as it stays open.

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
        raise ArenaError(f"the part that can be read is damaged: {' '.join(faults.split())}")
    return copy


PATIENCE = 60.0  # default seconds to wait for another writer
MAGIC = b"SQLite format 3\0"
CHECKED = 2**25  # bytes; checking a file of this size takes about 0.1 s
CHECKPOINT = 2.0  # seconds that the file may lag behind its log
PART = 10_000  # rows that are read at once


class File:
    """An open database file. Every method raises a one-line ArenaError for problems with the file."""

    def __init__(
        self,
        path: str | Path,
        *,
        write: bool = False,
        patience: float = PATIENCE,
        others: bool = False,
    ) -> None:
        """Open the database; with `write`, create it or migrate its schema where necessary.

        Args:
            path: The database file.
            write: Open for writing. Default: read only.
            patience: Seconds to wait for another writer.
            others: Treat the file as untrusted: check all of it, and change neither it nor SQLite's side
                files.
        """
        self.path, self.patience, self.writes = str(path), patience, write
        self.place: Place | None = None  # None if the file is open read-only
        self.due = 0.0  # when the next checkpoint is due, by time.monotonic()
        with self.telling():
            conn = self.connect_untouched() if others else self.connect(write)
        try:
            with self.telling():
                self.open(conn, write)
                if others:
                    self.check_sound()
        except BaseException:
            conn.close()
            raise

    def open(self, conn: sqlite3.Connection, write: bool) -> None:
        """Use a connection after checking that the file is an arena database."""
        self.db = Database(conn)
        self.check()
        if write:
            self.prepare()
            self.named = self.place = Place(self.path)
        elif not migrations.applied(self.db):
            raise ArenaError(f"{self.path} holds no arena tournaments yet; play one: {call('tournament')}")

    def connect(self, write: bool) -> sqlite3.Connection:
        """Return a connection to the file after checking that the path is usable."""
        path, db = Path(self.path), argument("db")
        check_whole(path)
        if self.path == ":memory:" or self.path.startswith("file:"):
            raise ArenaError(f"{self.path!r} is not a file, so results would be lost; name a file with {db}")
        if path.is_dir() or not self.path:
            raise ArenaError(f"{self.path!r} is a folder, not a database; name a file with {db}")
        if path.exists() and not path.is_file():
            raise ArenaError(f"{self.path} is a pipe or a device, not a database; name a file with {db}")
        if write:
            folder = path.parent
            if not folder.is_dir():
                raise ArenaError(
                    f"cannot write {self.path}: there is no folder {folder}; create it, or use {db}"
                )
            if not os.access(path if path.exists() else folder, os.W_OK):
                raise ArenaError(f"cannot write {self.path}: no permission; use {db} for another place")
            return sqlite3.connect(self.path, timeout=self.patience, check_same_thread=False)
        if not path.exists():
            raise ArenaError(f"there is no database {self.path}; play a tournament first, or use {db}")
        address = path.absolute().as_uri()
        if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
            # read-write, so that SQLite can remove its side files; query_only prevents changes
            conn = sqlite3.connect(f"{address}?mode=rw", uri=True, timeout=self.patience)
            conn.execute("PRAGMA query_only = ON")
            return conn
        try:
            conn = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=self.patience)
            conn.execute("SELECT 1 FROM sqlite_schema").fetchone()
        except sqlite3.OperationalError:  # side files cannot be created in a read-only folder
            conn = sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)
        return conn

    def connect_untouched(self) -> sqlite3.Connection:
        """Return a read-only connection that leaves an existing file and SQLite's side files unchanged."""
        path = Path(self.path)
        check_whole(path)
        if not path.is_file():
            raise ArenaError(f"there is no database {self.path}; name an arena database")
        log = Path(f"{path}-wal")
        alone = "" if log.is_file() and log.stat().st_size else "&immutable=1"
        conn = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{alone}", uri=True, timeout=self.patience)
        conn.execute("PRAGMA trusted_schema = OFF")
        conn.execute("PRAGMA cell_size_check = ON")
        return conn

    def check_sound(self) -> None:
        """Raise ArenaError unless the file is intact and contains exactly the schema that arena creates."""
        if self.db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",) or not self.has_its_shape():
            raise damaged(self.path)
        applied = frozenset(migration.name for migration in migrations.applied(self.db))
        found, made = statements(self.db), statements_after(applied)
        for kind, name in sorted(found.keys() | made.keys()):
            if found.get((kind, name)) != made.get((kind, name)):
                how = "another" if name in [one for _, one in made] else "a"
                raise altered(self.path, f"it has {how} {kind} {name!r} that arena does not create")
        (fault,) = self.db.execute("PRAGMA integrity_check(1)").fetchone()
        if fault != "ok":
            raise altered(self.path, str(fault))
        for table, row, parent, _ in self.db.execute("PRAGMA foreign_key_check").fetchmany(1):
            which = "a row" if row is None else f"row {row}"
            raise altered(self.path, f"{which} of {table} refers to a missing row of {parent}")

    def has_its_shape(self) -> bool:
        """Return whether tables and views have the columns that the applied migrations create."""
        applied = frozenset(migration.name for migration in migrations.applied(self.db))
        found = shape(self.db)
        return all(found.get(name) == columns for name, columns in shape_after(applied).items())

    def check(self) -> None:
        """Raise ArenaError unless the file is an arena database and not from a newer version."""
        tables = self.db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        application = self.db.execute("PRAGMA application_id").fetchone()[0]
        if tables and application != APPLICATION_ID:
            db = argument("db")
            raise ArenaError(f"{self.path} is a database, but not arena's; use {db} for another file")
        try:
            pending, applied = migrations.pending(self.db), migrations.applied(self.db)
        except LookupError as error:  # the table of applied migrations has other columns
            raise damaged(self.path) from error.with_traceback(None)  # its frames hold cursors
        known = {m.name for m in pending} | {m.name for m in applied}
        ours = {m.name for m in migrations._migrations}
        if newer := sorted(known - ours):
            raise ArenaError(f"{self.path} was written by a newer arena ({newer[-1]}); upgrade arena")

    def has(self, migration: str) -> bool:
        """Return whether a migration was applied; in an older file opened read-only it may not be."""
        return any(applied.name == migration for applied in migrations.applied(self.db))

    def prepare(self) -> None:
        """Configure the connection and apply pending migrations, one process at a time.

        Raises:
            ArenaError: If the file is damaged: its tables differ from those that migrations create, it has a
                trigger, or, up to `CHECKED` bytes, SQLite's quick check fails. Nothing is written then.
        """
        if self.bytes_taken() <= CHECKED and self.db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise damaged(self.path)
        if not self.has_its_shape():
            raise damaged(self.path)
        for kind, name in statements(self.db):
            if kind == "trigger":
                what = f"it has a trigger {name!r}, which would change what is recorded"
                raise ArenaError(f"{self.path} was altered: {what}; drop it, or use {argument('db')}")
        deadline = time.monotonic() + self.patience
        while True:
            try:
                self.db.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:  # the busy timeout does not apply to this
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.execute("PRAGMA foreign_keys = ON")
        if migrations.pending(self.db):
            self.db.conn.execute("BEGIN IMMEDIATE")
            with self.db.conn:
                self.check()
                migrations.apply(self.db)
            self.checkpoint()

    def telling(self) -> Telling:
        """Return a context manager that turns SQLite's errors into an ArenaError naming the file."""
        return Telling(self)

    def told(self, error: Exception) -> ArenaError:
        """Return the ArenaError for an exception of SQLite or of the operating system."""
        db = argument("db")
        if isinstance(error, OSError):
            return ArenaError(
                f"cannot open {self.path}: {error.strerror or error}; use {db} for another place"
            )
        if isinstance(error, OverflowError):
            return ArenaError(f"database {self.path}: a number has more than 63 bits")
        text = str(error)
        if "not a database" in text:
            return ArenaError(f"{self.path} is not a database; use {db} for another file")
        if "unable to open" in text:
            return ArenaError(f"cannot open {self.path}; use {db} for another place")
        if "malformed" in text or "decode to UTF-8" in text or isinstance(error, UnicodeDecodeError):
            return damaged(self.path)
        if "locked" in text:
            writing = f"another program has been writing to it for over {self.patience:g} s"
            return ArenaError(f"database {self.path}: {writing}; end that, or use {db} for another file")
        if "disk I/O" in text and not self.writes:
            return ArenaError(f"cannot read {self.path}: {text}; use {db} for another file")
        if "or disk is full" in text or "disk I/O" in text:
            return ArenaError(f"cannot write {self.path}: {text}; what was recorded before is kept")
        return ArenaError(f"database {self.path}: {on_one_line(text)}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as one transaction. Begin it with a write, so that SQLite waits for other writers."""
        with self.telling():
            if self.place:
                self.place.look()
            try:
                with self.db.atomic():
                    yield
            except sqlite3.DatabaseError:
                self.keep()  # if the file was lost, that is the error to report
                raise
            self.keep()
            if time.monotonic() > self.due:
                self.checkpoint()
            elif self.place:
                self.place.seen()

    def checkpoint(self) -> None:
        """Write the log into the database file, for users who copy this file without its side files.

        It never waits: pages blocked by other readers or writers are left to a later checkpoint.
        """
        _, log, written = self.db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if self.place:
            self.place.seen(whole=log == written)
        self.due = time.monotonic() + CHECKPOINT

    @contextmanager
    def hurried(self, patience: float) -> Iterator[None]:
        """Wait at most `patience` seconds for other writers within the block."""
        self.rows(f"PRAGMA busy_timeout = {int(1000 * patience)}")
        try:
            yield
        finally:
            self.rows(f"PRAGMA busy_timeout = {int(1000 * self.patience)}")

    def keep(self, closing: bool = False) -> None:
        """Continue in a new file, with a warning, if another program removed, replaced or truncated this one.

        The open connection can still read everything that was written.

        Args:
            closing: Also check that the file was not overwritten.

        Raises:
            ArenaError: If the content cannot be saved elsewhere.
        """
        if not self.place:
            return
        fate = self.place.fate(self.bytes_taken)
        if closing and not fate and not self.place.sound():
            fate = "was written over"
        if not fate:
            return
        happened = f"{self.path} {fate} while it was written to"
        try:
            copy = rescued(self.db.conn, self.named.path)
        except ArenaError as error:
            raise ArenaError(f"{happened}, and {error}") from error
        self.db.close()
        self.place.leave()
        self.path = str(copy)
        self.db = Database(self.connect(write=True))
        self.prepare()
        self.place = Place(self.path)
        own_watch.say(f"Warning: {happened}; all past and future results are in {copy}")

    def bytes_taken(self) -> int:
        """Return the size of the database in bytes, including what is still in the log."""
        pages, size = (self.db.execute(f"PRAGMA {of}").fetchone()[0] for of in ("page_count", "page_size"))
        return int(pages * size)

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self.telling(), closing(self.db.execute(sql, values)) as cursor:
            found: list[tuple[Any, ...]] = []
            while part := cursor.fetchmany(PART):  # a signal is handled after each
                found += part
            return found

    def checked(self, rows: list[Any], kind: Any, what: str) -> list[Any]:
        """Return rows after validating each as `kind`; raise ArenaError naming `what` if one is invalid."""
        try:
            return msgspec.convert(rows, list[kind])
        except msgspec.ValidationError as error:
            raise self.altered(what, str(error)) from error

    def decoded(self, text: str, kind: type[Thing], what: str) -> Thing:
        """Decode JSON from a column, validated as `kind`, without dropping unknown fields.

        Raises:
            ArenaError: If the text is not valid; it names `what`.
        """
        try:
            found: Thing = msgspec.json.decode(text)
            msgspec.convert(found, kind)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            raise self.altered(what, str(error)) from error
        return found

    def altered(self, what: str, how: str) -> ArenaError:
        """Return the error for content of the file that arena did not write."""
        return altered(f"{self.path}: {what}", how)

    def close(self) -> None:
        """Close the file, after saving its content elsewhere if the file was lost."""
        try:
            with self.telling():
                self.keep(closing=True)
        finally:
            self.db.close()


class Telling:
    """Context manager that turns errors of SQLite into ArenaError.

    The traceback is dropped, since cursors in its frames would keep the file open.
    """

    def __init__(self, file: File) -> None:
        self.file = file

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, (sqlite3.DatabaseError, UnicodeDecodeError, OSError, OverflowError)):
            del trace
            raise self.file.told(error) from error.with_traceback(None)


def check_whole(path: Path) -> None:
    """Raise ArenaError if the database file is truncated and its log does not contain the missing pages."""
    log = Path(f"{path}-wal")
    # check twice: another process may have written the log into the file meanwhile, and removed it
    if lacks_pages(path) and not (log.is_file() and log.stat().st_size) and lacks_pages(path):
        raise damaged(str(path))


def lacks_pages(path: Path) -> bool:
    """Return whether a database file is shorter than its header says.

    Header: https://www.sqlite.org/fileformat.html, section 1.3.
    """
    if not path.is_file():
        return False
    file = opened(path)
    header = os.pread(file, 100, 0) if hasattr(os, "pread") else os.read(file, 100)
    size = os.fstat(file).st_size
    if os.name != "posix":
        os.close(file)
    if header[:16] != MAGIC or header[24:28] != header[92:96]:
        return header[:16] == MAGIC and len(header) < 100  # old versions of SQLite do not record the size
    page = int.from_bytes(header[16:18], "big")
    return size < int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)


def opened(path: Path) -> int:
    """Return a descriptor of a file opened for reading; on POSIX it stays open while the file exists.

    Closing it there would release the locks that SQLite holds on the file for this process's other
    connections (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    """
    if os.name != "posix":
        return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    facts = path.stat()
    key = facts.st_dev, facts.st_ino
    if key not in kept_open:
        for other, file in [*kept_open.items()]:
            if not os.fstat(file).st_nlink:  # removed
                os.close(kept_open.pop(other))
        kept_open[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    return kept_open[key]


kept_open: dict[tuple[int, int], int] = {}  # descriptors, by device and inode


def altered(what: str, how: str) -> ArenaError:
    """Return the error for content that arena did not write."""
    return ArenaError(f"{what} was altered, or is damaged: {how}; restore it from a backup")


def damaged(path: str) -> ArenaError:
    """Return the error for a file that is damaged or truncated."""
    db = argument("db")
    return ArenaError(f"{path} is damaged or truncated; restore it from a backup, or use {db} for another")
