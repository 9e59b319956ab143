"""Irrevocable sandboxing of the current process, as far as the system supports it."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Mapping, Sequence

from arena.sandbox import threads
from arena.sandbox.landlock import keeps_signals, restrict_files, version
from arena.sandbox.limits import Most, set_limits
from arena.sandbox.seccomp import filter_calls, has_seccomp

PR_SET_NO_NEW_PRIVS = 38
CAPABILITIES = 0x20080522  # version of the structures passed to capset

state = {"confined": False}


def confined() -> bool:
    """Return whether this process is sandboxed, so that untrusted code may run in it."""
    return state["confined"]


def confine(
    folder: str,
    environment: Mapping[str, str],
    readable: Sequence[str],
    known: Sequence[str] = (),
    place: str = "",
    programs: bool = False,
    most: Most | None = None,
) -> None:
    """Sandbox this process irrevocably.

    Args:
        folder: The only folder it may write to.
        environment: Its complete environment, except `HOME` and `TMPDIR`, which are `folder`.
        readable: Files and folder trees that it may read.
        known: Folders that it may not list, but whose files it may read if it knows their names.
        place: Its working folder. Default: `folder`.
        programs: Let it start programs, which are sandboxed with it.
        most: Resource limits. Default: the usual limits.
    """
    os.environ.clear()
    os.environ.update({**environment, "HOME": folder, "TMPDIR": folder})
    os.chdir(place or folder)
    set_limits(programs, most or Most())
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        libc.capset(struct.pack("<Ii", CAPABILITIES, 0), bytes(24))  # no capabilities, even for root
        restrict_files(libc, readable, known, [folder, os.devnull], programs)
        filter_calls(libc, programs, programs and keeps_signals())
    state["confined"] = True


def missing() -> list[str]:
    """Return descriptions of what the sandbox cannot prevent on this system; empty if it is complete."""
    lacks = []
    if not version():
        lacks.append("reading and writing your files")
    if not has_seccomp():
        lacks.append("using the network and starting programs")
    if not threads.possible():
        lacks.append("starting thousands of threads")
    return lacks
