"""Limits on memory, processor time, descriptors and file sizes of sandboxed processes."""

from __future__ import annotations

from contextlib import suppress

MEMORY = 4 << 30  # bytes of address space
PROCESSOR = 3600  # seconds
DESCRIPTORS = 256
FILE = 16 << 20  # bytes of one file
FOLDER = 64 << 20  # bytes of all files together
FILES = 4096
THREADS = 64


def set_limits(programs: bool = False) -> None:
    """Limit this process irrevocably, if the system supports limits.

    Args:
        programs: Whether it may start programs, some of which reserve addresses that they do not use. Then
            data is limited instead of address space.
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
            with suppress(ValueError, OSError):  # a lower limit is set
                resource.setrlimit(getattr(resource, name), (most, most))
