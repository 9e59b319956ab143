"""Run a program, and end together with it: `python keeper.py PARENT PROGRAM ARGUMENT…`.

The program and all processes that it starts are ended when this process receives SIGTERM, or when its parent
ends for any reason: their input ends, and shortly afterwards they receive SIGKILL. On Linux this includes
processes that have left the program's process group and session. If a program stops this process (SIGSTOP),
it continues when the parent ends, and `end_tree` can end it from outside.

The exit status is that of the program. If the program was ended by a signal, the same signal ends this
process.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

GRACE = 0.5  # seconds for a program to end by itself once its input has ended
LOOK = 1.0  # seconds between checks of the parent on systems on which it cannot be waited for
NOT_STARTED = 127  # exit status if the program cannot be started
WHY = b"arena cannot start it: "  # precedes the reason on standard error in this case
DEATH_SIGNAL, SUBREAPER = 1, 36  # options of prctl


class Ended(Exception):
    """Raised when the program has ended. status: its status, as returned by `waitpid`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def main(parent: int, program: str, words: list[str]) -> None:
    """Run a program with these arguments, its own name first, until it ends or has to be ended."""
    told, bell = os.pipe()
    os.set_blocking(told, False)
    os.set_blocking(bell, False)
    signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
    terminated: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: terminated.append(1))
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    prctl(SUBREAPER, 1)
    prctl(DEATH_SIGNAL, signal.SIGCONT)
    child = start(program, words)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    poll = select.poll()
    poll.register(told, select.POLLIN)
    watched = watch(parent)
    if watched is not None:
        poll.register(watched, select.POLLIN)
    status = 0
    try:
        while not terminated and os.getppid() == parent:
            wait(poll, told, LOOK if watched is None else None)
            reap(child)
        until = time.monotonic() + GRACE
        while (left := until - time.monotonic()) > 0:
            wait(poll, told, min(left, 0.05))
            reap(child)
    except Ended as end:
        status = end.status
    end_all(child)
    leave_as(status)


def prctl(what: int, value: int) -> None:
    """Call Linux's prctl; do nothing on other systems."""
    if sys.platform == "linux":
        with suppress(OSError):
            ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def watch(parent: int) -> int | None:
    """Return a descriptor that becomes readable when the parent ends, None if the system has none."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(parent)
    except OSError:
        return None


def wait(poll: select.poll, told: int, seconds: float | None) -> None:
    """Wait for a signal, the end of the parent, or this number of seconds."""
    poll.poll(None if seconds is None else seconds * 1000)
    with suppress(BlockingIOError):
        os.read(told, 4096)


def start(program: str, words: list[str]) -> int:
    """Start a program in its own process group and return its id; on Linux it is killed with this process."""
    keeper = os.getpid()
    child = os.fork()
    if child:
        with suppress(OSError):
            os.setpgid(child, child)
        return child
    try:
        os.setpgid(0, 0)
        prctl(DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() == keeper:
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):  # ignored in this process
                signal.signal(number, signal.SIG_DFL)
            os.execv(program, words)
    except OSError as error:
        os.write(2, WHY + (error.strerror or str(error)).encode())
    os._exit(NOT_STARTED)


def reap(child: int) -> None:
    """Raise Ended if the program has ended; also reap other orphaned child processes."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == child:
            raise Ended(status)
        if pid == 0:
            return


def end_all(child: int) -> None:
    """Kill the program's process group and all descendants of this process until none are left."""
    with suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    while True:
        for pid in children():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def children() -> Iterator[int]:
    """Yield the processes whose parent is this one, as far as the system shows them."""
    yield from (pid for pid, parent in parents() if parent == os.getpid())


def parents() -> Iterator[tuple[int, int]]:
    """Yield all running processes, each with its parent, as far as the system shows them."""
    with suppress(OSError):
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with suppress(OSError), open(f"/proc/{entry.name}/stat", "rb") as file:
                    state, parent, *_ = file.read().rpartition(b")")[2].split()
                    if state != b"Z":
                        yield int(entry.name), int(parent)


def is_stopped(pid: int) -> bool:
    """Return whether a process is stopped and waits for SIGCONT; False if unknown."""
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
    return False


def below(top: int) -> list[int]:
    """Return the descendants of a process."""
    of = dict(parents())
    found = {top}
    while more := {pid for pid, parent in of.items() if parent in found} - found:
        found |= more
    return [*found - {top}]


def end_tree(keeper: int) -> None:
    """Kill a keeper process with all its descendants, in whatever state it is.

    Orphans of a program become children of its keeper, so the keeper is killed last.
    """
    until = time.monotonic() + GRACE
    while (pids := below(keeper)) and time.monotonic() < until:
        for pid in pids:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
    with suppress(OSError):
        os.kill(keeper, signal.SIGKILL)


def leave_as(status: int) -> None:
    """End this process with the status or signal of the program."""
    if os.WIFSIGNALED(status):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        with suppress(OSError, ValueError):  # SIGKILL cannot be handled
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
