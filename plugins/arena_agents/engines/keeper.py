"""Runs a program, and ends with it: `python keeper.py PARENT PROGRAM ARGUMENT…`.

The program and all that it starts end when this process is told to end (SIGTERM), or when its parent does,
however that comes about: with input at its end for a moment, then by SIGKILL. On Linux it gets hold of those,
too, that have left the program's process group and session. A program may stop this process (SIGSTOP): the
end of the parent has it go on, and `end_tree` ends it from outside.

The status is the program's. If a signal ended that, the same signal ends this process.
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
LOOK = 1.0  # seconds between looks at the parent where it cannot be waited for
NOT_STARTED = 127  # status
WHY = b"arena cannot start it: "  # what then stands before the reason, on standard error
DEATH_SIGNAL, SUBREAPER = 1, 36  # of prctl


class Ended(Exception):
    """The program did. status: as `waitpid` has it."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def main(parent: int, program: str, words: list[str]) -> None:
    """Run a program with these words, its own name first, until it ends or has to."""
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
    """Ask Linux for something that other systems do not have."""
    if sys.platform == "linux":
        with suppress(OSError):
            ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def watch(parent: int) -> int | None:
    """Return a descriptor that tells when the parent has ended, None where there is no such thing."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(parent)
    except OSError:
        return None


def wait(poll: select.poll, told: int, seconds: float | None) -> None:
    """For a signal, the end of the parent, or so many seconds."""
    poll.poll(None if seconds is None else seconds * 1000)
    with suppress(BlockingIOError):
        os.read(told, 4096)


def start(program: str, words: list[str]) -> int:
    """Return the process of a program, in a group of its own, which Linux kills should this one be killed."""
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
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):  # which Python ignores, or this
                signal.signal(number, signal.SIG_DFL)
            os.execv(program, words)
    except OSError as error:
        os.write(2, WHY + (error.strerror or str(error)).encode())
    os._exit(NOT_STARTED)


def reap(child: int) -> None:
    """Ended if the program has; others that were left to this process are seen off."""
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
    """Kill the program's group, and whatever else is below this process, until nothing is."""
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
    """Yield the processes whose parent is this one, as far as the system tells."""
    yield from (pid for pid, parent in parents() if parent == os.getpid())


def parents() -> Iterator[tuple[int, int]]:
    """Yield all running processes, each with its parent, as far as the system tells."""
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
    """Return the processes that a process has started, directly or not."""
    of = dict(parents())
    found = {top}
    while more := {pid for pid, parent in of.items() if parent in found} - found:
        found |= more
    return [*found - {top}]


def end_tree(keeper: int) -> None:
    """Kill a process like this one with all that is below it, whatever state it is in.

    What a program has left behind comes to its keeper, which therefore is the last.
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
    """End as the program has ended."""
    if os.WIFSIGNALED(status):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        number = os.WTERMSIG(status)
        with suppress(OSError, ValueError):  # nothing handles SIGKILL
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
