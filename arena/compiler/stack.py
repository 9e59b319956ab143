"""Where the stack ends, in any thread: recursive functions, and those with long lists, stop before.

Compiled code asks once a thread, and keeps the answer in the thread's own storage (Python's `Py_tss_t`).
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from contextlib import suppress
from typing import Any

BYTES = 5 << 20  # of the stack that recursive calls from one place may take
FRAME = 2 << 10  # bytes that a recursive call takes at most besides its lists
SHARE = 4  # one part in so many of the stack is left for functions that are not recursive
USED = 1 << 20  # bytes that may be in use already, where it is not known
SMALL = 1 << 19  # bytes that a stack surely has

api = ctypes.pythonapi
api.PyThread_tss_alloc.restype = ctypes.c_void_p
api.PyThread_tss_create.argtypes = [ctypes.c_void_p]
api.PyThread_tss_get.argtypes, api.PyThread_tss_get.restype = [ctypes.c_void_p], ctypes.c_void_p
api.PyThread_tss_set.argtypes = [ctypes.c_void_p, ctypes.c_void_p]


@functools.cache
def key() -> int:
    """Return the address of Python's key to the storage of threads; OSError if none can be had."""
    made = api.PyThread_tss_alloc()
    if not made or api.PyThread_tss_create(made):
        raise OSError("no key to the storage of threads is left")
    return int(made)


def learn() -> None:
    """Keep where this thread's stack ends, if the system tells and it is not known yet."""
    if not api.PyThread_tss_get(key()):
        with suppress(OSError, AttributeError):
            keep(*bounds())


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)  # type: ignore[untyped-decorator] # what C calls has no type
def ask(here: int) -> int:
    """Keep where this thread's stack ends, and return the lowest address that recursive functions may reach.

    Args:
        here: An address in the stack.
    """
    try:
        return keep(*bounds())
    except (OSError, AttributeError):
        size = limit()
        return keep(here - size + min(USED, size // 2), size)


def keep(low: int, size: int) -> int:
    floor = low + size // SHARE
    api.PyThread_tss_set(key(), floor)
    return floor


def bounds() -> tuple[int, int]:
    """Return the lowest address of this thread's stack and its size; OSError if the system does not tell."""
    if sys.platform == "win32":
        return bounds_on_windows()
    return bounds_on_mac() if sys.platform == "darwin" else bounds_by_pthread()


def limit() -> int:
    """Return the size that the main thread's stack may have."""
    try:
        import resource
    except ImportError:
        return SMALL
    soft, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return SMALL if soft == resource.RLIM_INFINITY else soft


def bounds_by_pthread() -> tuple[int, int]:
    library = ctypes.CDLL(None)
    library.pthread_self.restype = ctypes.c_void_p
    low, size = ctypes.c_void_p(), ctypes.c_size_t()
    about = ctypes.create_string_buffer(256)  # a pthread_attr_t, which is smaller everywhere
    if error := library.pthread_getattr_np(ctypes.c_void_p(library.pthread_self()), about):
        raise OSError(error, os.strerror(error))
    library.pthread_attr_getstack(about, ctypes.byref(low), ctypes.byref(size))
    library.pthread_attr_destroy(about)
    return low.value or 0, size.value


def bounds_on_mac() -> tuple[int, int]:
    library = ctypes.CDLL(None)
    library.pthread_self.restype = library.pthread_get_stackaddr_np.restype = ctypes.c_void_p
    library.pthread_get_stacksize_np.restype = ctypes.c_size_t
    thread = ctypes.c_void_p(library.pthread_self())
    size = library.pthread_get_stacksize_np(thread)
    return library.pthread_get_stackaddr_np(thread) - size, size


def bounds_on_windows() -> tuple[int, int]:
    low, high = ctypes.c_void_p(), ctypes.c_void_p()
    kernel: Any = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined] # on Windows
    kernel.GetCurrentThreadStackLimits(ctypes.byref(low), ctypes.byref(high))
    return low.value or 0, (high.value or 0) - (low.value or 0)
