"""Models on disk: what learners have learned, under a digest of all that made it.

A model is one file, a zip archive that `numpy.load` reads: an array a member, and `about.json`. It holds
numbers and texts, and nothing in it is ever executed. A file whose learning is not finished is a checkpoint
of it, from which it goes on. Arrays are read where they lie in the file, so that processes share them.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import msgspec
import numpy as np

from arena.api.learner import Arrays
from arena.atomic_files import draft_of
from arena.errors import ArenaError
from arena.user_files import open_given

FORMAT = 1
ABOUT = "about.json"
SUFFIX = ".npz"
MADE_BY = ("format", "game", "rules", "agent", "options", "seed", "code")  # what the key is a digest of
KINDS = "biufcUS"  # of arrays, as numpy calls them: numbers and texts
LOCAL = 30 + 20  # bytes of a member's header: what all have, and the sizes of a large one; its name aside
ALIGNED = 64  # what bytes of an array begin at a multiple of
HEADER = 1 << 17  # bytes that numpy's own header fits in

# files in memory, by device, inode, size and time; and of those found to be whole the digest
mapped_files: WeakValueDictionary[tuple[int, ...], mmap] = WeakValueDictionary()
verified: WeakKeyDictionary[mmap, str] = WeakKeyDictionary()


class About(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What made a model, and how far it is.

    key: the digest of all that decides what is in it, which is what comes before `versions`. sha256: of the
    arrays. seconds: spent learning, by the clock.
    """

    format: int
    key: str
    game: str
    rules: str  # a digest
    agent: str  # the entry's text
    options: dict[str, Any]
    seed: int
    code: str  # a digest of the learner's source
    versions: dict[str, str]
    planned: int  # episodes
    episodes: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    seconds: float = 0.0
    sha256: str = ""

    @property
    def finished(self) -> bool:
        """Whether all episodes have been learned from."""
        return self.episodes == self.planned

    def computed_key(self) -> str:
        """The key as computed from what comes before `versions`; `key` is the one that was written down."""
        made_by = {name: getattr(self, name) for name in MADE_BY}
        return hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:16]


class Model(msgspec.Struct):
    """Arrays by name, and what made them."""

    about: About
    arrays: dict[str, Any]


# --- files ----------------------------------------------------------------------------------------------


class NoModel(ArenaError):
    """There is no such file."""


def write(model: Model, path: Path) -> None:
    """Write a model in place of what was there, at once or not at all, or ArenaError."""
    arrays = {name: np.asarray(array, order="C") for name, array in model.arrays.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in KINDS:
            raise ArenaError(
                f"{model.about.agent} gives {array.dtype} for {name!r} in its model; give numbers or texts"
            )
    model.about.sha256 = content_digest(arrays)
    with draft_of(path, f"the model {path}", kept=True) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            entry = member(f"{name}.npy")
            entry.extra = padding(file.tell() + LOCAL + len(entry.filename))
            with archive.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
        archive.writestr(member(ABOUT), json.dumps(msgspec.to_builtins(model.about), indent=1))


class Member(zipfile.ZipInfo):
    """A member of a zip archive whose header has the same bytes in every Python.

    In those before 3.11.4 one of 64 bits says neither its version nor that its sizes follow.
    """

    def FileHeader(self, zip64: bool | None = None) -> bytes:
        if not zip64:
            return super().FileHeader(zip64)
        self.create_version = self.extract_version = 45
        header = super().FileHeader(zip64)
        return header[:18] + b"\xff" * 8 + header[26:]  # where its two sizes are, of 32 bits


def member(name: str) -> Member:
    return Member(name, (1980, 1, 1, 0, 0, 0))  # the same model, the same bytes


def padding(at: int) -> bytes:
    """A field of a member's header that makes what follows it at `at` begin where arrays may."""
    return struct.pack("<HH", 0xD935, -(at + 4) % ALIGNED) + bytes(-(at + 4) % ALIGNED)


def read(path: Path) -> Model:
    """A model from its file, whole and as it was written, or ArenaError on one line.

    Its arrays lie in the file and cannot be written to.
    """
    with open_archive(path) as archive:
        about = about_in(archive, path)
        data = mapped(archive.fp)
        arrays = {
            entry.filename.removesuffix(".npy"): read_array(data, content(data, entry), entry.file_size)
            for entry in archive.infolist()
            if entry.filename != ABOUT
        }
        if data not in verified:
            if content_digest(arrays) != about.sha256:
                raise damaged(path, "its arrays were altered")
            verified[data] = about.sha256
        if verified[data] != about.sha256:
            raise damaged(path, "what it says of itself was altered")
        return Model(about, arrays)


def is_there(path: Path) -> bool:
    """Whether there is something where a model is looked for, or ArenaError if that cannot be told."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ArenaError(f"cannot read the model {path}: {error.strerror or error}") from error
    return True


def mapped(file: Any) -> mmap:
    """An open file in memory, the same object for the same file as long as that is in use."""
    facts = os.fstat(file.fileno())
    key = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
    data = mapped_files.get(key)
    if data is None:
        data = mapped_files[key] = mmap(
            file.fileno(), 0, access=ACCESS_COPY
        )  # whoever writes to it spoils a copy
    return data


def content(data: mmap, entry: zipfile.ZipInfo) -> int:
    """Where a member's content begins."""
    name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
    return int(entry.header_offset + 30 + name + extra)


def read_about(path: Path) -> About:
    """What a model says of itself, without reading its arrays, or ArenaError."""
    with open_archive(path) as archive:
        return about_in(archive, path)


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """A model's file, open; whatever is wrong with it, there or in what is done with it, is an ArenaError.

    A member is as large in the file as in memory, and there once: no file claims more than it has.
    """
    try:
        with open_given(path) as file, zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            stored = all(
                m.compress_type == zipfile.ZIP_STORED and m.file_size == m.compress_size for m in members
            )
            once = len({m.filename for m in members}) == len(members)
            if not stored or not once or sum(m.file_size for m in members) > os.fstat(file.fileno()).st_size:
                raise ValueError("written by something else")
            yield archive
    except ArenaError:
        raise
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NoModel(f"there is no model {path}") from error
    except OSError as error:
        raise ArenaError(f"cannot read the model {path}: {error.strerror or error}") from error
    except MemoryError as error:
        raise ArenaError(f"cannot read the model {path}: there is not enough memory") from error
    except Exception as error:  # of the many that zipfile, numpy, json and msgspec raise at bytes gone wrong
        raise damaged(path, "it was cut off or altered") from error


def damaged(path: Path, how: str) -> ArenaError:
    """The error for a file that is not as it was written."""
    return ArenaError(f"{path} is no whole model: {how}; remove it, or get it again")


def about_in(archive: zipfile.ZipFile, path: Path) -> About:
    stated = json.loads(archive.read(ABOUT))
    version = stated.get("format") if isinstance(stated, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise ArenaError(f"{path} was written by a newer arena (format {version}, not {FORMAT}); upgrade")
    about = msgspec.convert(stated, About)
    planned = about.options.get("checkpoint") or about.options.get("episodes")
    plausible = 0 <= about.episodes <= about.planned == planned
    if about.key != about.computed_key() or not plausible:
        raise damaged(path, "what it says of itself was altered")
    return about


def read_array(data: mmap, start: int, size: int) -> Any:
    """An array in numpy's format, of `size` bytes from `start` on, or ValueError; nothing is unpickled."""
    file = io.BytesIO(data[start : start + min(size, HEADER)])
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("another version of numpy's format")
    shape, columns, dtype = np.lib.format.read_array_header_1_0(file)
    begin = start + file.tell()
    if dtype.kind not in KINDS or math.prod(shape) * dtype.itemsize != start + size - begin:
        raise ValueError("no such array")
    array: Any = np.ndarray(shape, dtype, data, begin, order="F" if columns else "C")
    if not array.flags.aligned:
        array = array.copy()
    array.flags.writeable = False
    return array


def content_digest(arrays: Arrays) -> str:
    """Of names, types, shapes and contents of arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name], order="C")
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
