"""Models on disk: what learners have learned, named by a digest of all that determines it.

A model is a zip archive that `numpy.load` can read: one member for each array, and `about.json`. It holds
numbers and texts, and nothing in it is ever executed. The file of an unfinished model is a checkpoint, from
which training resumes. Arrays are memory-mapped, so that processes share them.
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
from arena.errors import ArenaError
from arena.file_io import draft_of, open_given

FORMAT = 1
ABOUT = "about.json"
SUFFIX = ".npz"
MADE_BY = ("format", "game", "rules", "agent", "options", "seed", "code")  # what the key is made of
KINDS = "biufcUS"  # numpy's kinds of dtypes that a model may have: numbers and texts
LOCAL = 30 + 20  # bytes of a member's header without its name: the fixed part, and 64-bit sizes
ALIGNED = 64  # the data of each array begins at a multiple of this
HEADER = 1 << 17  # bytes that hold numpy's own header in any case

# memory maps by device, inode, size and modification time; and the digests of those that were verified
mapped_files: WeakValueDictionary[tuple[int, ...], mmap] = WeakValueDictionary()
verified: WeakKeyDictionary[mmap, str] = WeakKeyDictionary()


class About(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """How a model was made, and how far its training is."""

    format: int  # version of the file format
    key: str  # digest of all that determines what is learned
    game: str  # with its options
    rules: str  # digest of the game's rules
    agent: str  # the entry's text
    options: dict[str, Any]  # all options of the learner
    seed: int  # of the learner's random numbers
    code: str  # digest of the learner's source
    versions: dict[str, str]  # of the distributions involved
    planned: int  # episodes to learn from
    episodes: int = 0  # learned from so far
    wins: int = 0  # episodes won
    draws: int = 0  # episodes drawn
    losses: int = 0  # episodes lost
    seconds: float = 0.0  # elapsed time of learning
    sha256: str = ""  # digest of the arrays

    @property
    def finished(self) -> bool:
        """Whether all planned episodes have been learned from."""
        return self.episodes == self.planned

    def computed_key(self) -> str:
        """Compute the key from the fields in `MADE_BY`; `key` is the one that was written."""
        made_by = {name: getattr(self, name) for name in MADE_BY}
        return hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:16]


class Model(msgspec.Struct):
    """Arrays by name, and how they were made."""

    about: About
    arrays: dict[str, Any]


# --- files ----------------------------------------------------------------------------------------------


class NoModel(ArenaError):
    """Raised if a model's file does not exist."""


def write(model: Model, path: Path) -> None:
    """Write a model to a file atomically; raise ArenaError if that fails or an array has another type."""
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
    """A member of a zip archive whose header has the same bytes in every Python version.

    Before Python 3.11.4 a 64-bit header did not declare its version or that the sizes follow.
    """

    def FileHeader(self, zip64: bool | None = None) -> bytes:
        """Return the header's bytes."""
        if not zip64:
            return super().FileHeader(zip64)
        self.create_version = self.extract_version = 45
        header = super().FileHeader(zip64)
        return header[:18] + b"\xff" * 8 + header[26:]  # its two 32-bit sizes


def member(name: str) -> Member:
    """Return a member with a fixed date."""
    return Member(name, (1980, 1, 1, 0, 0, 0))  # equal models are equal files


def padding(at: int) -> bytes:
    """Return a header field that aligns the bytes after it to `ALIGNED`, when it starts at byte `at`."""
    return struct.pack("<HH", 0xD935, -(at + 4) % ALIGNED) + bytes(-(at + 4) % ALIGNED)


def read(path: Path) -> Model:
    """Read a model and verify its checksum; its arrays are memory-mapped and read-only.

    Raises:
        NoModel: If the file does not exist.
        ArenaError: If it cannot be read, or is damaged.
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
            raise damaged(path, "its description was altered")
        return Model(about, arrays)


def is_there(path: Path) -> bool:
    """Return whether a file exists at a model's path; raise ArenaError if that cannot be determined."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ArenaError(f"cannot read the model {path}: {error.strerror or error}") from error
    return True


def mapped(file: Any) -> mmap:
    """Return an open file's memory map, shared by all users of the same file."""
    facts = os.fstat(file.fileno())
    key = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
    data = mapped_files.get(key)
    if data is None:
        data = mapped_files[key] = mmap(
            file.fileno(), 0, access=ACCESS_COPY
        )  # copy-on-write: writing never changes the file
    return data


def content(data: mmap, entry: zipfile.ZipInfo) -> int:
    """Return the offset at which a member's content begins."""
    name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
    return int(entry.header_offset + 30 + name + extra)


def read_about(path: Path) -> About:
    """Read a model's `About` without its arrays; raise ArenaError if it is missing or damaged."""
    with open_archive(path) as archive:
        return about_in(archive, path)


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a model's file, and turn any error in it or in the block into ArenaError.

    Members must be uncompressed and unique, so that no file claims more bytes than it has.
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
    except Exception as error:  # zipfile, numpy, json and msgspec raise many kinds for damaged bytes
        raise damaged(path, "it was cut off or altered") from error


def damaged(path: Path, how: str) -> ArenaError:
    """Return the error for a model's file that was truncated or altered."""
    return ArenaError(f"{path} is not an intact model: {how}; remove it, or get it again")


def about_in(archive: zipfile.ZipFile, path: Path) -> About:
    """Read and check the `About` of an open archive."""
    stated = json.loads(archive.read(ABOUT))
    version = stated.get("format") if isinstance(stated, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise ArenaError(f"{path} was written by a newer arena (format {version}, not {FORMAT}); upgrade")
    about = msgspec.convert(stated, About)
    planned = about.options.get("checkpoint") or about.options.get("episodes")
    plausible = 0 <= about.episodes <= about.planned == planned
    if about.key != about.computed_key() or not plausible:
        raise damaged(path, "its description was altered")
    return about


def read_array(data: mmap, start: int, size: int) -> Any:
    """Read an array in numpy's format without unpickling.

    Args:
        data: The mapped archive.
        start: Offset of the member's content.
        size: Bytes of the content.

    Returns:
        A read-only array, memory-mapped where it is aligned.

    Raises:
        ValueError: If the content is not such an array.
    """
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
    """Return the SHA-256 of the names, dtypes, shapes and contents of arrays."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name], order="C")
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
