"""Restricts access to files (Landlock, Linux from 5.13), and signals to other processes (from 6.12)."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # numbers of system calls, the same on all machines
GET_VERSION = 1
PATH_BENEATH = 1  # type of a rule

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
# kinds of file access, by the version of Landlock that introduced them
FILES = {1: 0x1FFF, 2: 1 << 13, 3: TRUNCATE, 5: IOCTL_DEVICE}
NETWORK, SCOPES = {4: 0b11}, {6: 0b11}  # the same for TCP, and for abstract sockets and signals
REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG, REFER = 1 << 4, 1 << 5, 1 << 7, 1 << 8, 1 << 13
READ = READ_FILE | READ_DIR
OWN = READ | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE  # access that a file rule can allow


def version() -> int:
    """Return the version of Landlock on this system; 0 if it is not available."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(CREATE_RULESET, None, 0, GET_VERSION)))


def keeps_signals() -> bool:
    """Return whether Landlock can prevent a process from sending signals to unrestricted processes."""
    return version() >= 6


def restrict_files(
    libc: ctypes.CDLL,
    readable: Iterable[str],
    known: Iterable[str],
    writable: Iterable[str],
    programs: bool = False,
) -> None:
    """Irrevocably restrict this process to some files and folders, if Landlock is available.

    Args:
        libc: The C library.
        readable: Files and folder trees that may be read. Those that do not exist, or cannot be opened, are
            left out.
        known: Folders whose files may be read, but which cannot be listed.
        writable: Files and folder trees that may be read and written.
        programs: Allow executing readable files.
    """
    has = version()
    if not has:
        return
    files, network, scopes = (
        sum(bits for since, bits in kinds.items() if since <= has) for kinds in (FILES, NETWORK, SCOPES)
    )
    size = 8 if has < 4 else 16 if has < 6 else 24
    attributes = struct.pack("<QQQ", files, network, scopes)[:size]
    rules = libc.syscall(CREATE_RULESET, attributes, size, 0)
    if rules < 0:
        raise OSError(ctypes.get_errno(), "Landlock")
    rights = (readable, READ | EXECUTE * programs), (known, READ_FILE), (writable, OWN)
    for paths, allowed in rights:
        for path in paths:
            with suppress(OSError):
                add_rule(libc, rules, path, allowed & files)
    if libc.syscall(RESTRICT_SELF, rules, 0):
        raise OSError(ctypes.get_errno(), "Landlock")
    os.close(rules)


def add_rule(libc: ctypes.CDLL, rules: int, path: str, allowed: int) -> None:
    """Add a rule that allows kinds of access to a file or a folder tree."""
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            allowed &= OF_FILES
        if libc.syscall(ADD_RULE, rules, PATH_BENEATH, struct.pack("<Qi", allowed, place), 0):
            raise OSError(ctypes.get_errno(), "Landlock", path)
    finally:
        os.close(place)
