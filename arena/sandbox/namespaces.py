"""Linux namespaces: no network, and file systems in memory."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress

NEW_MOUNTS, NEW_HOST, NEW_IPC, NEW_USER, NEW_NETWORK = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 2, 4, 8, 16384, 1 << 18


def enter() -> bool:
    """Move this single-threaded process to new namespaces, and return whether that was possible.

    On some systems, only root may do so.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(NEW_USER | NEW_MOUNTS | NEW_IPC | NEW_HOST | NEW_NETWORK):
        return False
    with suppress(OSError):
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", f"{user} {user} 1")
        write("/proc/self/gid_map", f"{group} {group} 1")
        return not libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    return False


def write(path: str, text: str) -> None:
    """Write a text to a file."""
    with open(path, "w") as file:
        file.write(text)


def mount_memory(folder: str, size: int, files: int) -> bool:
    """Mount an in-memory file system on a folder, for this process only, and return whether it succeeded.

    The file system is removed when the process ends.

    Args:
        folder: An empty folder.
        size: Capacity in bytes.
        files: Maximum number of files and folders.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_MOUNTS):
        return False
    options = f"size={size},nr_inodes={files},mode=0700".encode()
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    return not libc.mount(b"arena", os.fsencode(folder), b"tmpfs", flags, options)
