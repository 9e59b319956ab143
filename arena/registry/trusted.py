"""Files that the user has named before, which may also run when only a database names them.

A database from another user could name any file and be delivered together with it. So a game's file named in
a database runs only if the user has named a file with the same content before, and an agent's file runs only
in a sandbox unless the user has run it without one. Files are recognised by a digest of the file and of the
adjacent modules that it imports.
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

here: set[str] = set()  # digests in this process, in case the folder is not writable


def folder() -> Path:
    """Return the folder of the digests: ARENA_TRUSTED, or else a folder in the user's data folder."""
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
