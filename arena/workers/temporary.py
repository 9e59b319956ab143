"""The folder for the sockets between a process and its workers, and the removal of stale folders.

A process holds a lock on its folder while it runs. Unlike process ids, locks work across containers.
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
except ImportError:  # Windows, whose named pipes vanish with their process
    fcntl = None  # type: ignore[assignment] # a module elsewhere

ALIVE = "alive"  # the file that is locked
LONGEST = 75  # maximum length of the folder's path; the address of a socket has at most 104 characters
UNCLAIMED = 3600.0  # seconds after which a folder without a lock file counts as abandoned
TRIES = 5


def meet_in_own_folder() -> None:
    """Make multiprocessing use a folder in `arena-1000` (1000 is the user id) for its sockets.

    Folders of dead processes are removed. If the folder cannot be used, multiprocessing creates its own
    folder, `pymp-…`.
    """
    config = current_process()._config  # type: ignore[attr-defined] # where `get_temp_dir` looks
    if fcntl is None or config.get("tempdir"):
        return
    with suppress(OSError):
        sweep(shared_folder())
        folder, lock = claimed()
        config["tempdir"] = folder
        util.Finalize(None, leave, args=(folder, lock), exitpriority=-100)  # as multiprocessing does


def shared_folder() -> Path:
    """Return the folder shared by all processes of this user, created if needed.

    Raises:
        OSError: If others can access it, or its path is too long for the address of a socket.
    """
    folder = Path(tempfile.gettempdir()) / f"arena-{os.getuid()}"
    if len(str(folder)) > LONGEST:
        raise OSError("too long for the address of a socket")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise OSError("not a private folder of this user")
    return folder


def claimed() -> tuple[str, int]:
    """Return a new folder for this process, and the file descriptor that holds the lock on it.

    Raises:
        OSError: If this fails several times.
    """
    for _ in range(TRIES):
        try:
            folder = tempfile.mkdtemp(prefix="", dir=shared_folder())
            lock = os.open(
                os.path.join(folder, ALIVE), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
            )
        except FileNotFoundError:  # another process has just removed the shared folder
            continue
        if locked(lock) and os.fstat(lock).st_nlink:
            return folder, lock
        os.close(lock)  # another process considered the folder abandoned and removed it
    raise OSError("no folder can be created")


def locked(file: int) -> bool:
    """Try to lock a file, and return whether the lock was acquired."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def sweep(shared: Path) -> None:
    """Remove the folders of dead processes."""
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
    """Remove a folder with all its files, ignoring errors."""
    import shutil  # rarely needed

    shutil.rmtree(folder, ignore_errors=True)


def leave(folder: str, lock: int) -> None:
    """Remove this process's folder at exit, and the shared folder if no other process uses it."""
    remove(folder)
    os.close(lock)
    with suppress(OSError):
        os.rmdir(os.path.dirname(folder))
    current_process()._config["tempdir"] = None  # type: ignore[attr-defined]
