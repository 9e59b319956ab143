"""Players of a season that are programs: folders with a `run.sh` that follows the program protocol."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from arena.errors import ArenaError
from arena.registry.file_offers import NO_FOLDERS
from arena.sandbox.limits import VARIABLE, Most

RUN = "run.sh"
HOME = "ARENA_PROGRAMS"  # environment variable with the folder that contains the folders of programs
LARGEST = 64 << 20  # maximum size of a program's folder in bytes


@contextmanager
def for_players(code: Path, most: Most) -> Iterator[None]:
    """Set the environment for players: the folder of programs, and the limits of the sandbox.

    Args:
        code: The folder of code, which contains the folders of programs.
        most: The limits of the sandbox.
    """
    wanted = {HOME: str(code.absolute()), VARIABLE: json.dumps(most)}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def entry_of(place: str) -> str:
    """Return the entry of a program. place: path of its `run.sh` in the folder of code."""
    return f"engine:command=./{RUN},folder={place.removesuffix('/' + RUN)}"


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files and links in a folder and its subfolders, without hidden ones, in order."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in NO_FOLDERS:
            continue
        if path.is_dir() and not path.is_symlink():
            yield from files_in(path)
        elif path.is_symlink() or path.is_file():
            yield path


def copied_program(player: str, folder: Path, code: Path) -> Path:
    """Copy a program's folder to the folder of code, and return the `run.sh` in the copy.

    The name of the copy is a digest of the folder's contents: names, file contents and links.

    Raises:
        ArenaError: If a file cannot be read, or the folder is too large.
    """
    files = [*files_in(folder)]
    if sum(path.lstat().st_size for path in files) > LARGEST:
        raise ArenaError(f"{folder} has over {LARGEST >> 20} MB; remove files that {RUN} does not need")
    digest = sha256()
    try:
        for path in files:
            content = os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
            name = os.fsencode(path.relative_to(folder))
            digest.update(b"%d %d %d " % (path.is_symlink(), len(name), len(content)) + name + content)
        target = code.absolute() / player / digest.hexdigest()[:16]
        if not target.exists():
            copy(files, folder, target)
    except OSError as error:
        raise ArenaError(f"cannot copy {folder}: {error.strerror or error}") from error
    return target / RUN


def copy(files: list[Path], folder: Path, target: Path) -> None:
    """Copy files of a folder to a target folder, which is created atomically."""
    draft = target.with_name(f"{target.name}.{uuid4().hex}.new")
    try:
        for path in files:
            place = draft / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place, follow_symlinks=False)
        run = draft / RUN
        run.chmod(run.stat().st_mode | 0o111)
        draft.replace(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
