"""The limit of the stack in each thread, which recursive functions and those with long lists observe.

Compiled code determines it once per thread, and keeps it in thread-local storage (Python's `Py_tss_t`).
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from contextlib import suppress
from typing import Any

BYTES = 5 << 20  # maximum number of bytes of the stack for the recursive calls of one function
FRAME = 2 << 10  # maximum size of a frame in bytes, without lists
SHARE = 4  # 1/SHARE of the stack is reserved for functions that are not recursive
USED = 1 << 20  # bytes of the stack assumed to be in use, if the actual number is unknown
SMALL = 1 << 19  # smallest size of a stack in bytes

api = ctypes.pythonapi
api.PyThread_tss_alloc.restype = ctypes.c_void_p
api.PyThread_tss_create.argtypes = [ctypes.c_void_p]
api.PyThread_tss_get.argtypes, api.PyThread_tss_get.restype = [ctypes.c_void_p], ctypes.c_void_p
api.PyThread_tss_set.argtypes = [ctypes.c_void_p, ctypes.c_void_p]


@functools.cache
def key() -> int:
    """Return the address of a Python key for thread-local storage, or raise OSError."""
    made = api.PyThread_tss_alloc()
    if not made or api.PyThread_tss_create(made):
        raise OSError("no key for thread-local storage is available")
    return int(made)


def learn() -> None:
    """Store the limit of this thread's stack, if the system provides it and it is not stored yet."""
    if not api.PyThread_tss_get(key()):
        with suppress(OSError, AttributeError):
            keep(*bounds())


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)  # type: ignore[untyped-decorator] # what C calls has no type
def ask(here: int) -> int:
    """Store and return the lowest address of this thread's stack that recursive functions may use.

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
    """Return the lowest address of this thread's stack and its size, or raise OSError if they are unknown."""
    if sys.platform == "win32":
        return bounds_on_windows()
    return bounds_on_mac() if sys.platform == "darwin" else bounds_by_pthread()


def limit() -> int:
    """Return the maximum size of the main thread's stack."""
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
    about = ctypes.create_string_buffer(256)  # a pthread_attr_t, which is smaller on all systems
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
