"""Files that the user has named before, which may also run if only a database names them.

A database from another user could name any file and come with it. So a game's file that a database names runs
only if the user has named it before with the same content, and an agent's file only in a sandbox unless the
user has run it without one. A digest of the file and of the adjacent modules it imports is stored.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import platformdirs

from arena.errors import ArenaError
from arena.registry.file import File
from arena.texts import call

here: set[str] = set()  # digests in this process, in case there is no folder to write to


def folder() -> Path:
    """Return the folder of the digests: ARENA_TRUSTED, or a folder among the user's data."""
    return Path(os.environ.get("ARENA_TRUSTED") or platformdirs.user_data_path("arena", False) / "trusted")


def trust(file: File) -> None:
    """Remember a file that the user has named, on disk if possible."""
    digest = digest_of(file)
    if digest not in here:
        here.add(digest)
        with suppress(OSError):
            folder().mkdir(parents=True, exist_ok=True)
            (folder() / digest).touch()


def is_trusted(file: File) -> bool:
    """Return whether the user has named this file with exactly this content."""
    digest = digest_of(file)
    return digest in here or os.path.exists(folder() / digest)


def check_trusted(file: File) -> None:
    """Raise ArenaError unless the user has named this file with exactly this content."""
    if not is_trusted(file):
        path = os.path.relpath(file.path)
        raise ArenaError(
            f"{path} is named only by a database, so it is not run; if you trust it, run: "
            f"{call('check', path)}"
        )


def digest_of(file: File) -> str:
    """Return a digest of the syntax trees of a file and of the adjacent modules it imports."""
    digest = sha256()
    for text in sorted(file.trees()):
        digest.update(f"{len(text)} {text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
