"""Files that the user has named, which may be run again where a database alone names them.

A database that somebody else made could name any file, and bring it along. So the file of a game that a
database names is run only if the user has named it before, as it is now; and that of an agent only in a
sandbox, unless the user has had it run without one. A digest of the file, and of what it imports from beside
it, is remembered.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import platformdirs

from arena.errors import ArenaError
from arena.registry.file import File
from arena.wording import call

here: set[str] = set()  # the digests of this process, whose user may have no folder


def folder() -> Path:
    """Where they are remembered: the environment's ARENA_TRUSTED, else a folder of the user's data."""
    return Path(os.environ.get("ARENA_TRUSTED") or platformdirs.user_data_path("arena", False) / "trusted")


def trust(file: File) -> None:
    """Remember a file that the user has named, as far as there is a folder for it."""
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
    """ArenaError unless the user has named it, as it is."""
    if not is_trusted(file):
        path = os.path.relpath(file.path)
        raise ArenaError(
            f"{path} is named by a database alone, and is not run for that; if you trust it, name it once: "
            f"{call('check', path)}"
        )


def digest_of(file: File) -> str:
    """Of the syntax trees of a file and of those that it imports from beside it."""
    digest = sha256()
    for text in sorted(file.trees()):
        digest.update(f"{len(text)} {text}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
