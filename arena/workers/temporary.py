"""The folder in which a process meets its workers, and those that killed processes have left.

It has its owner's lock for as long as that lives, whatever its number, and in whatever container.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from multiprocessing import current_process, util
from pathlib import Path
from time import time

try:
    import fcntl
except ImportError:  # Windows, where processes meet at names that go with them
    fcntl = None  # type: ignore[assignment] # a module elsewhere

ALIVE = "alive"  # the file that is locked
LONGEST = 75  # characters; the address of a socket has 104 at most, and its name is in it
UNCLAIMED = 3600.0  # seconds after which a folder without that file is nobody's
TRIES = 5


def meet_in_own_folder() -> None:
    """Have multiprocessing meet workers in `arena-1000/…` among temporary files, 1000 being the user.

    What lies there of processes that are gone is removed. Where this cannot be done multiprocessing takes a
    folder of its own, `pymp-…`.
    """
    config = current_process()._config  # type: ignore[attr-defined] # all that `get_temp_dir` goes by
    if fcntl is None or config.get("tempdir"):
        return
    with suppress(OSError):
        sweep(shared_folder())
        folder, lock = claimed()
        config["tempdir"] = folder
        util.Finalize(None, leave, args=(folder, lock), exitpriority=-100)  # as it does with its own


def shared_folder() -> Path:
    """The folder of all of this user's processes, made if need be; OSError if others can write to it."""
    folder = Path(tempfile.gettempdir()) / f"arena-{os.getuid()}"
    if len(str(folder)) > LONGEST:
        raise OSError("too long for the address of a socket")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise OSError("somebody else's")
    return folder


def claimed() -> tuple[str, int]:
    """A folder of this process's own, and the file descriptor by which it is locked, or OSError."""
    for _ in range(TRIES):
        try:
            folder = tempfile.mkdtemp(prefix="", dir=shared_folder())
            lock = os.open(
                os.path.join(folder, ALIVE), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
            )
        except FileNotFoundError:  # who was last has just removed the folder of all
            continue
        if locked(lock) and os.fstat(lock).st_nlink:
            return folder, lock
        os.close(lock)  # somebody took it for one that was left
    raise OSError("no folder can be had")


def locked(file: int) -> bool:
    """Whether a file can be locked, and is so from now on."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def sweep(shared: Path) -> None:
    """Remove what is left of processes that are gone."""
    for entry in list(os.scandir(shared)):
        with suppress(OSError):
            if not entry.is_dir(follow_symlinks=False):
                continue
            try:
                lock = os.open(os.path.join(entry.path, ALIVE), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            except FileNotFoundError:
                if time() - entry.stat(follow_symlinks=False).st_mtime > UNCLAIMED:
                    remove(entry.path)
                continue
            try:
                if locked(lock):
                    remove(entry.path)
            finally:
                os.close(lock)


def remove(folder: str) -> None:
    import shutil  # which few need

    shutil.rmtree(folder, ignore_errors=True)


def leave(folder: str, lock: int) -> None:
    """Remove this process's own folder as it ends, and that of all if it was the last."""
    remove(folder)
    os.close(lock)
    with suppress(OSError):
        os.rmdir(os.path.dirname(folder))
    current_process()._config["tempdir"] = None  # type: ignore[attr-defined] # which it has
