"""Limits on memory, processor time, descriptors and file sizes of sandboxed processes."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import NamedTuple

DESCRIPTORS = 256
FILE = 16 << 20  # bytes of one file
FILES = 4096
VARIABLE = "ARENA_LIMITS"  # environment variable: other limits, as JSON


class Most(NamedTuple):
    """The resource limits of a sandboxed process.

    Attributes:
        memory: Bytes of address space.
        processor: Seconds of processor time.
        folder: Bytes of all its files together.
        threads: Threads, including those of programs that it starts.
    """

    memory: int = 4 << 30
    processor: int = 3600
    folder: int = 64 << 20
    threads: int = 64

    @classmethod
    def stated(cls) -> Most:
        """Return the limits from the environment variable, or the default limits."""
        return cls(*json.loads(os.environ.get(VARIABLE, "[]")))


def set_limits(programs: bool, most: Most) -> None:
    """Limit this process irrevocably, if the system supports limits.

    Args:
        most: The limits.
        programs: Whether it may start programs, some of which reserve addresses that they do not use. Then
            data is limited instead of address space.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, limit in (
        ("RLIMIT_DATA" if programs else "RLIMIT_AS", most.memory),
        ("RLIMIT_CPU", most.processor),
        ("RLIMIT_NOFILE", DESCRIPTORS),
        ("RLIMIT_FSIZE", min(FILE, most.folder)),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_MEMLOCK", 0),
        ("RLIMIT_MSGQUEUE", 0),
    ):
        if hasattr(resource, name):
            with suppress(ValueError, OSError):  # a lower limit is set
                resource.setrlimit(getattr(resource, name), (limit, limit))
