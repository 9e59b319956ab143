"""Limits on memory, processor time, descriptors and file sizes of sandboxed processes."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import NamedTuple

DESCRIPTORS = 256
FILE = 16 << 20  # maximum size of a file in bytes
FILES = 4096
VARIABLE = "ARENA_LIMITS"  # environment variable with other limits, as JSON


class Most(NamedTuple):
    """The resource limits of a sandboxed process.

    Attributes:
        memory: Maximum address space in bytes.
        processor: Maximum processor time in seconds.
        folder: Maximum total size of its files in bytes.
        threads: Maximum number of threads, including those of programs that it starts.
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
    """Set the limits of this process irrevocably, if the system supports limits.

    Args:
        most: The limits.
        programs: Whether it may start programs. Since some programs reserve addresses that they do not use,
            data is then limited instead of address space.
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
            with suppress(ValueError, OSError):  # a lower limit is already set
                resource.setrlimit(getattr(resource, name), (limit, limit))
