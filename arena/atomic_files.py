"""Files that are written whole: whoever looks meanwhile sees what was there before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from arena.errors import ArenaError


@contextmanager
def draft_of(path: Path, said: object = None, kept: bool = False) -> Iterator[BinaryIO]:
    """A file to write to, which is put in the place of `path` at the end of the block, if it comes to that.

    said: how errors name it, by default as `path`. kept: make its folder, and have it outlast a loss of
    power. ArenaError if it cannot be written.
    """
    draft = path.with_name(f"{path.name}.{uuid4().hex}.new")
    try:
        if kept:
            path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            yield file
            if kept:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise ArenaError(f"cannot write {said or path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
