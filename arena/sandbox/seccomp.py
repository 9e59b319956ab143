"""A filter that refuses all but the necessary system calls (seccomp, Linux on x86-64 and aarch64)."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from pathlib import Path

from arena.sandbox.system_calls import AUDIT, LIMITED, MACHINES, PRETENDED, numbers

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2

# classic BPF: the fields of a call that a filter can read, and the instructions
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16  # offsets; each argument has 8 bytes, the lower half first
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL_PROCESS, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
X32 = 0x40000000  # first number of the x32 interface

CLONE_THREAD = 0x00010000
FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK(W), …
O_ASYNC = 0x2000
IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIO(N)CLEX
PRCTL_PROGRAMS = (1, 2, 4, 21, 22, 36, 37)  # death signals, dumpable, seccomp, subreapers
PRCTL = (3, 15, 16, 23, 39, 0x53564D41)  # GET_DUMPABLE, SET_NAME, GET_NAME, CAPBSET_READ, …, SET_VMA


def step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    """Return one BPF instruction.

    Args:
        code: Operation code.
        value: Operand.
        yes: Number of instructions to skip if a comparison holds.
        no: Number of instructions to skip if it does not hold.
    """
    return struct.pack("<HBBI", code, yes, no, value)


def argument(number: int) -> bytes:
    """Return the instruction that loads the lower half of an argument of the system call."""
    return step(LOAD, ARGUMENTS + 8 * number)


def program(machine: str, pid: int, programs: bool = False, signals: bool = False) -> bytes:
    """Return the seccomp filter for a process.

    Args:
        machine: As returned by `platform.machine()`.
        pid: Id of the process.
        programs: Let it start other processes, which stay in its process group.
        signals: Let these processes signal each other. Without Landlock they could also signal other
            processes.
    """
    refuse, allow, missing = (
        step(RETURN, what) for what in (REFUSE | errno.EPERM, ALLOW, REFUSE | errno.ENOSYS)
    )
    allowed = numbers(machine, programs)

    def one_of(call: str, which: int, values: tuple[int, ...]) -> list[bytes]:
        """Return instructions that allow a call only if argument `which` has one of these values."""
        tests = [step(EQUAL, value, len(values) - i, 0) for i, value in enumerate(values)]
        body = [argument(which), *tests, refuse, allow]
        return [step(EQUAL, allowed[call], 0, len(body)), *body]

    code = [
        step(LOAD, MACHINE), step(EQUAL, AUDIT[machine], 1, 0), step(RETURN, KILL_PROCESS),
        step(LOAD, NUMBER), step(AT_LEAST, X32, 0, 1), step(RETURN, KILL_PROCESS),
    ]  # fmt: skip
    limited = {*LIMITED} - ({"clone"} if programs else set()) - ({"kill", "tgkill"} if signals else set())
    for name, number in allowed.items():
        if name not in limited and not (name == "tkill" and not signals):
            code += [step(EQUAL, number, 0, 1), allow]
    for numbers_of in PRETENDED.values() if programs else ():
        code += [step(EQUAL, numbers_of[MACHINES[machine]], 0, 1), step(RETURN, REFUSE)]  # seems to succeed
    if not signals:
        code += one_of("kill", 0, (pid,)) + one_of("tgkill", 0, (pid,))
    code += one_of("prlimit64", 0, (0, pid)) + one_of("ioctl", 1, IOCTL)
    code += one_of("prctl", 0, PRCTL + PRCTL_PROGRAMS if programs else PRCTL)
    # F_SETFL with O_ASYNC would send signals to any process whenever a descriptor is ready
    asynchronous = [argument(1), step(EQUAL, 4, 0, 3), argument(2), step(ANY_BIT, O_ASYNC, 0, 1), refuse]
    fcntl = one_of("fcntl", 1, FCNTL)
    code += [step(EQUAL, allowed["fcntl"], 0, len(asynchronous) + len(fcntl) - 1), *asynchronous, *fcntl[1:]]
    if not programs:
        threads = [argument(0), step(ANY_BIT, CLONE_THREAD, 0, 1), allow, refuse]
        code += [step(EQUAL, allowed["clone"], 0, len(threads)), *threads]
    code += [step(EQUAL, allowed["clone3"], 0, 1), missing]  # C libraries then use `clone`
    # unknown newer calls seem to be missing, so that C libraries use older ones; known calls are refused
    code += [step(AT_LEAST, max(allowed.values()), 0, 1), missing, refuse]
    return b"".join(code)


def filter_calls(libc: ctypes.CDLL, programs: bool = False, signals: bool = False) -> None:
    """Apply the filter of `program` to this process irrevocably, if system and machine support it.

    Args:
        libc: The C library.
        programs: As for `program`.
        signals: As for `program`.
    """
    machine = platform.machine()
    if machine not in AUDIT:
        return
    code = program(machine, os.getpid(), programs, signals)
    buffer = ctypes.create_string_buffer(code)
    filter = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def has_seccomp() -> bool:
    """Return whether system calls can be filtered on this system and machine."""
    status = Path("/proc/self/status")
    return sys.platform == "linux" and platform.machine() in AUDIT and "Seccomp:" in status.read_text()
