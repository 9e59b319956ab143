"""Endings on disk: one file per slice with the values of its positions, in blocks that are read separately.

A file begins with `MAGIC`, the length of the JSON as uint32, and the JSON, an `About`. Then follow,
little-endian: the offsets of the blocks from the first block and the end of the last one (uint64), the CRC-32
of each block (uint32), and the CRC-32 of everything before it (uint32); then the blocks, compressed by zlib.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import platformdirs
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.file_io import draft_of, open_given
from arena.texts import either

FORMAT = 1
MAGIC = b"arena endings\n"
SUFFIX = ".ending"
BLOCK = 1 << 14  # positions
LEVEL = 6  # zlib compression level
LONGEST = 1 << 16  # maximum number of bytes of the JSON


class About(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Description of a file of endings.

    Attributes:
        format: Version of the file format.
        rules: The game with the options that affect the values.
        version: Version of the position numbering, from the game's author.
        name: Name of the slice.
        size: Number of positions in the slice.
        width: Bytes per code, 1 or 2.
        paired: Whether the codes are those of paired endings, see `arena.api.endings`.
        pieces: Largest number of pieces for which the numbering was defined when the file was made.
        block: Positions per block.
        won: Positions won for the side to move.
        drawn: Drawn positions.
        lost: Positions lost for the side to move.
        plies: Length of the longest win or loss.
    """

    format: int
    rules: str
    version: int
    name: str
    size: int
    width: int
    paired: bool
    pieces: int
    block: int
    won: int
    drawn: int
    lost: int
    plies: int


def remedy() -> str:
    """Return what to do about an invalid file, for error messages."""
    return f"remove it, and recreate it with '{either('arena endings', 'arena.endings')}'"


def default_folder() -> Path:
    """Return the folder of endings: ARENA_ENDINGS, or else a folder in the user's data folder."""
    return Path(os.environ.get("ARENA_ENDINGS") or platformdirs.user_data_path("arena", False) / "endings")


def folder_of(folder: Path, rules: str) -> Path:
    """Return the folder in `folder` that holds the endings of a game."""
    return folder / re.sub(r"[^\w.=,-]", "_", rules)


def write(path: Path, about: About, codes: NDArray[Any]) -> int:
    """Write a slice to a file atomically.

    Args:
        path: The file to write or replace.
        about: Description of the slice.
        codes: Integers of shape [size], one code for each position.

    Returns:
        The size of the file in bytes.

    Raises:
        ArenaError: If the file cannot be written.
    """
    codes = np.ascontiguousarray(codes, f"<u{about.width}")
    blocks = [
        zlib.compress(codes[first : first + about.block].tobytes(), LEVEL)
        for first in range(0, about.size, about.block)
    ]
    text = msgspec.json.encode(about)
    head = MAGIC + struct.pack("<I", len(text)) + text
    head += np.cumsum([0, *map(len, blocks)]).astype("<u8").tobytes()
    head += np.array(list(map(zlib.crc32, blocks)), "<u4").tobytes()
    with draft_of(path, f"the endings {path}", kept=True) as file:
        file.write(head + struct.pack("<I", zlib.crc32(head)))
        file.writelines(blocks)
        return file.tell()


class SliceFile:
    """A memory-mapped file of endings.

    Attributes:
        path: The file.
        data: Its mapped content.
        about: The description in the file.
        bytes: Size of the file.
        places: Offsets of the blocks in the file, and the end of the last one.
        sums: CRC-32 of each block.

    Raises:
        ArenaError: If the file is damaged or not a file of endings.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open_given(path) as file:
                self.data = mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError) as error:  # ValueError: the file is empty
            raise self.damaged(str(getattr(error, "strerror", error))) from error
        self.bytes = len(self.data)
        start = len(MAGIC) + 4
        if self.data[: len(MAGIC)] != MAGIC or self.bytes < start:
            raise self.damaged("its header is missing")
        length = struct.unpack("<I", self.data[len(MAGIC) : start])[0]
        text = self.data[start : start + min(length, LONGEST)]
        try:
            version = msgspec.json.decode(text).get("format")
            if isinstance(version, int) and version != FORMAT:
                raise ArenaError(f"{path} has format {version}, not {FORMAT}; {remedy()}")
            self.about = msgspec.json.decode(text, type=About)
        except (msgspec.MsgspecError, ValueError, AttributeError) as error:
            raise self.damaged("its description is invalid") from error
        self.read_index(start + length)

    def read_index(self, at: int) -> None:
        """Read the offsets and checksums of the blocks, which begin at byte `at`."""
        about = self.about
        blocks = -(-about.size // about.block) if about.block > 0 and about.size > 0 else 0
        end = at + 8 * (blocks + 1) + 4 * blocks
        if about.width not in (1, 2) or not blocks or end + 4 > self.bytes:
            raise self.damaged("it is truncated")
        if struct.unpack("<I", self.data[end : end + 4])[0] != zlib.crc32(self.data[:end]):
            raise self.damaged("its head was altered")
        places = np.frombuffer(self.data, "<u8", blocks + 1, at).astype(np.int64) + end + 4
        self.places: list[int] = places.tolist()
        self.sums: list[int] = np.frombuffer(self.data, "<u4", blocks, at + 8 * (blocks + 1)).tolist()
        if self.places[-1] != self.bytes:
            raise self.damaged("it is truncated")

    def damaged(self, how: str) -> ArenaError:
        """Return the error for this file when it is damaged."""
        return ArenaError(f"{self.path} is not an intact file of endings: {how}; {remedy()}")

    def check(self, rules: str, version: int, name: str, size: int) -> None:
        """Raise ArenaError unless the file holds this slice of these rules."""
        about = self.about
        if about.rules != rules:
            raise ArenaError(f"{self.path} has endings of {about.rules}, not of {rules}; {remedy()}")
        if about.version != version:
            raise ArenaError(f"{self.path} is of version {about.version}, not {version}; {remedy()}")
        if (about.name, about.size) != (name, size):
            raise ArenaError(f"{self.path} has {about.name}, not {name}; {remedy()}")

    def block(self, i: int) -> NDArray[Any]:
        """Return the codes of block `i`, of dtype uint8 or uint16; raise ArenaError if it is damaged."""
        packed = self.data[self.places[i] : self.places[i + 1]]
        size = min(self.about.block, self.about.size - i * self.about.block)
        if zlib.crc32(packed) == self.sums[i]:
            with suppress(zlib.error, ValueError):
                found = np.frombuffer(zlib.decompress(packed), f"<u{self.about.width}")
                if len(found) == size:
                    return found
        raise self.damaged(f"block {i} was altered")

    def read(self, into: NDArray[Any]) -> None:
        """Read all codes into an array of shape [size]."""
        for i in range(len(self.sums)):
            first = i * self.about.block
            into[first : first + self.about.block] = self.block(i)

    def code(self, number: int) -> int:
        """Return the code of one position."""
        i, at = divmod(number, self.about.block)
        return int(self.block(i)[at])


def pieces_in(folder: Path) -> int:
    """Return the largest number of pieces in a folder of a game's endings; 0 if there are no files."""
    return max((SliceFile(path).about.pieces for path in folder.glob(f"*{SUFFIX}")), default=0)
