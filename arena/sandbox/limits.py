"""Limits on memory, processor time, descriptors and the size of files."""

from __future__ import annotations

from contextlib import suppress

MEMORY = 4 << 30  # bytes of address space
PROCESSOR = 3600  # seconds
DESCRIPTORS = 256
FILE = 16 << 20  # bytes of a file
FOLDER = 64 << 20  # bytes of all files
FILES = 4096
THREADS = 64


def set_limits(programs: bool = False) -> None:
    """Limit this process for good, where the system has limits.

    programs: whether it may start others, some of which reserve addresses that they do not use.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, most in (
        ("RLIMIT_DATA" if programs else "RLIMIT_AS", MEMORY),
        ("RLIMIT_CPU", PROCESSOR),
        ("RLIMIT_NOFILE", DESCRIPTORS),
        ("RLIMIT_FSIZE", FILE),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_MEMLOCK", 0),
        ("RLIMIT_MSGQUEUE", 0),
    ):
        if hasattr(resource, name):
            with suppress(ValueError, OSError):  # there is a lower one
                resource.setrlimit(getattr(resource, name), (most, most))
