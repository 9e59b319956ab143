"""A limit on threads: the kernel asks the server before a sandboxed process starts one (Linux from 5.5)."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import re
import struct
import sys
from contextlib import suppress

from arena.sandbox.seccomp import ALLOW, EQUAL, LOAD, MACHINE, NUMBER, RETURN, step
from arena.sandbox.system_calls import AUDIT, numbers

SECCOMP = {"x86_64": 317, "aarch64": 277}  # number of the system call
SET_MODE_FILTER, NEW_LISTENER = 1, 8
ASK = 0x7FC00000  # a filter returns this value so that the kernel asks the listener
RECEIVE, SEND = 0xC0502100, 0xC0182101  # requests to the listener
CONTINUE = 1
STARTING = ("clone", "fork", "vfork")  # the calls that start threads and processes
SINCE = (5, 5)  # the first version of the kernel with CONTINUE


def possible() -> bool:
    """Return whether this system supports a limit on threads."""
    if sys.platform != "linux" or platform.machine() not in AUDIT:
        return False
    release = re.match(r"(\d+)\.(\d+)", os.uname().release)
    return release is not None and tuple(map(int, release.groups())) >= SINCE


def listen(libc: ctypes.CDLL, programs: bool) -> int:
    """Make the kernel ask for permission before this process starts a thread or a process.

    Args:
        libc: The C library.
        programs: Whether the process may start programs.

    Returns:
        The descriptor on which the questions are answered, or -1 if that is not possible.
    """
    machine = platform.machine()
    known = numbers(machine, programs)
    starting = [step(EQUAL, known[name], 0, 1) + step(RETURN, ASK) for name in STARTING if name in known]
    begin = [step(LOAD, MACHINE), step(EQUAL, AUDIT[machine], 1, 0), step(RETURN, ALLOW), step(LOAD, NUMBER)]
    code = b"".join([*begin, *starting, step(RETURN, ALLOW)])
    buffer = ctypes.create_string_buffer(code)
    filter = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    return int(libc.syscall(SECCOMP[machine], SET_MODE_FILTER, NEW_LISTENER, filter))


def started(session: int) -> int:
    """Return the number of threads in all processes of a session."""
    found = 0
    for entry in os.scandir("/proc"):
        with suppress(OSError):
            if entry.name.isdigit() and os.getsid(int(entry.name)) == session:
                found += len(os.listdir(f"/proc/{entry.name}/task"))
    return found


def answer(listener: int, pid: int, programs: bool, most: int) -> None:
    """Answer one question of the kernel: allow a new thread if there are fewer than `most`.

    Args:
        listener: The descriptor that `listen` returned.
        pid: The sandboxed process, which leads its session.
        programs: Also count the threads of the programs that it has started.
        most: Maximum number of threads.
    """
    question = bytearray(80)
    with suppress(OSError):  # the process has ended
        fcntl.ioctl(listener, RECEIVE, question)
        (number,) = struct.unpack_from("Q", question)
        allowed = (started(pid) if programs else len(os.listdir(f"/proc/{pid}/task"))) < most
        reply = bytearray(struct.pack("QqiI", number, 0, 0 if allowed else -errno.EAGAIN, CONTINUE * allowed))
        fcntl.ioctl(listener, SEND, reply)
