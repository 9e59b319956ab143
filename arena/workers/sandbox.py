"""Walls around a process that runs one agent: limits, no environment, a folder of its own, no way out.

What there is of them depends on the system. Everywhere that has limits: memory, processor time, descriptors,
size of files. On Linux with Landlock (5.13): no writing outside its folder, no look into other processes. On
Linux on x86-64 (seccomp): no network, no signals to others, no processes of its own.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from contextlib import suppress
from pathlib import Path

MEMORY = 4 << 30  # bytes of address space
PROCESSOR = 3600  # seconds
DESCRIPTORS = 256
FILE = 64 << 20  # bytes of a file

KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "SYSTEMROOT", "TZ", "PYTHONHASHSEED")  # of the environment
OWN = "ARENA_"  # likewise what begins so


def confine(folder: str, *keep: int) -> None:
    """Put walls around this process for good, as many as there are here.

    folder: where it may write. keep: the descriptors that stay open, besides standard ones, which go nowhere.
    """
    for name in [name for name in os.environ if name not in KEPT and not name.startswith(OWN)]:
        del os.environ[name]
    os.environ.update(HOME=folder, TMPDIR=folder)
    os.chdir(folder)
    close_others(*keep)
    set_limits()
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        libc.capset(struct.pack("<Ii", CAPABILITIES, 0), bytes(24))  # none, even for root
        forbid_writing(libc, folder)
        if platform.machine() == "x86_64":
            forbid_calls(libc)


def close_others(*keep: int) -> None:
    """Close all descriptors but some, and have standard input and output be nothing."""
    most = 1 << 20
    with suppress(ValueError, OSError):
        most = os.sysconf("SC_OPEN_MAX")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    begin = 3
    for kept in sorted(keep):
        os.closerange(begin, kept)
        begin = kept + 1
    os.closerange(begin, most)


def set_limits() -> None:
    """Of memory, processor time, descriptors and files, where the system has them."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, most in (
        ("RLIMIT_AS", MEMORY),
        ("RLIMIT_CPU", PROCESSOR),
        ("RLIMIT_NOFILE", DESCRIPTORS),
        ("RLIMIT_FSIZE", FILE),
        ("RLIMIT_CORE", 0),
    ):
        if hasattr(resource, name):
            with suppress(ValueError, OSError):  # there is a lower one
                resource.setrlimit(getattr(resource, name), (most, most))


# --- Linux: writing ----------------------------------------------------------------------------------------

NO_NEW_PRIVILEGES = 38  # of prctl
CAPABILITIES = 0x20080522  # the version of the structures that capset takes
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, the same on all machines
VERSION = 1
BENEATH = 1  # a kind of rule
WRITE_FILE = 1 << 1
WRITING = {
    1: WRITE_FILE | 0x1FF0,
    2: 1 << 13,
    3: 1 << 14,
}  # kinds of access to files, by the version they came with
NETWORK, SCOPES = {4: 0b11}, {6: 0b11}  # likewise: TCP; abstract sockets and signals


def forbid_writing(libc: ctypes.CDLL, folder: str) -> None:
    """Have Landlock refuse to write, make or remove files but in a folder, where there is Landlock."""
    version = libc.syscall(CREATE_RULESET, None, 0, VERSION)
    if version < 1:
        return
    files, network, scopes = (
        sum(bits for since, bits in kinds.items() if since <= version) for kinds in (WRITING, NETWORK, SCOPES)
    )
    attributes = struct.pack("<QQQ", files, network, scopes)[
        : 8 if version < 4 else 16 if version < 6 else 24
    ]
    rules = libc.syscall(CREATE_RULESET, attributes, len(attributes), 0)
    for path, allowed in ((folder, files), (os.devnull, WRITE_FILE)):
        place = os.open(path, os.O_PATH)
        libc.syscall(ADD_RULE, rules, BENEATH, struct.pack("<Qi", allowed, place), 0)
        os.close(place)
    libc.syscall(RESTRICT_SELF, rules, 0)
    os.close(rules)


# --- Linux: system calls -----------------------------------------------------------------------------------

SECCOMP, FILTER = 22, 2  # of prctl
X86_64 = 0xC000003E
NUMBER, MACHINE, ARGUMENT = 0, 4, 16  # offsets of what a filter sees; of the first argument's lower half
SECOND = 24  # of the second
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
OTHER_INTERFACE = 0x40000000  # numbers from here on are those of 32-bit pointers
THREAD = 0x00010000  # the flag of `clone` that makes a thread
DEATH_SIGNAL = 1  # of prctl

# numbers of system calls on x86-64
FORBIDDEN = (
    41,  # socket
    57, 58, 59, 322,  # fork, vfork, execve, execveat
    101, 310, 311, 312, 440,  # ptrace, process_vm_readv, process_vm_writev, kcmp, process_madvise
    200, 129, 297, 424, 434, 438,  # tkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_…
    109, 112, 141, 142, 144, 203, 251, 314,  # setpgid, setsid, setpriority, sched_set…, ioprio_set
    29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240,  # shm, sem, msg, mq_open
    90, 91, 92, 93, 94, 132, 235, 260, 261, 268, 280, 452,  # chmod, chown, utime and their kind
    188, 189, 190, 197, 198, 199,  # setxattr, removexattr
    155, 161, 165, 166, 272, 308, 428, 429, 430, 431, 432, 442,  # roots, mounts, namespaces
    250, 248, 249, 298, 321, 323, 425, 426, 427,  # keys, perf_event_open, bpf, userfaultfd, io_uring
    153, 159, 164, 167, 168, 169, 170, 171, 175, 176, 227, 246, 305, 313, 320,  # the machine itself
)  # fmt: skip
KILLING = 62, 234  # kill, tgkill: only itself
LIMITING = (302,)  # prlimit64: only itself, which is 0
CLONE, CLONE3, PRCTL = 56, 435, 157
# whom a descriptor signals, and with what: F_SETOWN, F_SETSIG, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP
SIGNALLING = {72: (8, 10, 15), 16: (0x8901, 0x8902)}  # of fcntl and ioctl


def forbid_calls(libc: ctypes.CDLL) -> None:
    """Have the kernel refuse whatever reaches other processes, the network or the machine."""
    refuse = step(RETURN, REFUSE | errno.EPERM)
    allow = step(RETURN, ALLOW)

    def unless(number: int, test: int, value: int) -> list[bytes]:
        """Of one system call, refuse it unless its first argument passes a test."""
        return [
            step(EQUAL, number, 0, 4), step(LOAD, ARGUMENT), step(test, value, 1, 0), refuse, allow,
        ]  # fmt: skip

    program = [
        step(LOAD, MACHINE), step(EQUAL, X86_64, 1, 0), step(RETURN, KILL),
        step(LOAD, NUMBER), step(AT_LEAST, OTHER_INTERFACE, 0, 1), step(RETURN, KILL),
    ]  # fmt: skip
    for number in FORBIDDEN:
        program += [step(EQUAL, number, 0, 1), refuse]
    program += [
        step(EQUAL, CLONE3, 0, 1),
        step(RETURN, REFUSE | errno.ENOSYS),
    ]  # whoever asks then takes `clone`
    program += unless(CLONE, ANY_BIT, THREAD)
    for number in KILLING:
        program += unless(number, EQUAL, os.getpid())
    for number in LIMITING:
        program += unless(number, EQUAL, 0)
    for number, commands in SIGNALLING.items():
        program += [step(EQUAL, number, 0, 2 * len(commands) + 2), step(LOAD, SECOND)]
        for command in commands:
            program += [step(EQUAL, command, 0, 1), refuse]
        program.append(allow)
    program += [
        step(EQUAL, PRCTL, 0, 4), step(LOAD, ARGUMENT), step(EQUAL, DEATH_SIGNAL, 0, 1), refuse, allow,
    ]  # fmt: skip
    program.append(allow)
    code = ctypes.create_string_buffer(b"".join(program))
    filter = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    if libc.prctl(SECCOMP, FILTER, filter, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    """One instruction of a filter: what it does, with what, and how many to leave out if so and if not."""
    return struct.pack("<HBBI", code, yes, no, value)


def walls() -> dict[str, bool]:
    """Which walls this system has, by name: `limits`, `writing`, `calls`."""
    linux = sys.platform == "linux"
    landlock = linux and ctypes.CDLL(None).syscall(CREATE_RULESET, None, 0, VERSION) > 0
    seccomp = linux and platform.machine() == "x86_64" and Path("/proc/self/status").exists()
    return {"limits": os.name == "posix", "writing": landlock, "calls": seccomp}
