"""Endings on disk: what the positions of a slice are worth, a file each, in blocks that are read one by one.

A file is `MAGIC`, the length of what follows as four bytes, and JSON, an `About`. Behind it, as little-endian
numbers, are where each block begins, counted from the first one, and the end of the last (uint64), the CRC-32
of each (uint32), and the CRC-32 of all that is before; then the blocks, compressed by zlib.
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

from arena.atomic_files import draft_of
from arena.errors import ArenaError
from arena.user_files import open_given
from arena.wording import either

FORMAT = 1
MAGIC = b"arena endings\n"
SUFFIX = ".ending"
BLOCK = 1 << 14  # positions
LEVEL = 6  # of compression
LONGEST = 1 << 16  # bytes of JSON


class About(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What is in a file.

    rules: the game with the options that matter. version: of its author's numbering. name, size: the slice's.
    width: bytes of a code; paired: which codes these are. pieces: up to how many there were numbers when it
    was made. won, drawn, lost: positions, for who is to move. plies: that the longest win or loss takes.
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
    """What to do about a file that is not what it should be."""
    return f"remove it, and it is made anew by '{either('arena endings', 'arena.endings')}'"


def default_folder() -> Path:
    """Where endings are kept: the environment's ARENA_ENDINGS, else a folder of the user's data."""
    return Path(os.environ.get("ARENA_ENDINGS") or platformdirs.user_data_path("arena", False) / "endings")


def folder_of(folder: Path, rules: str) -> Path:
    """Where in a folder of endings those of a game are."""
    return folder / re.sub(r"[^\w.=,-]", "_", rules)


def write(path: Path, about: About, codes: NDArray[Any]) -> int:
    """Write a slice in place of what was there, at once or not at all, or ArenaError. Gives its bytes."""
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
    """A slice in its file, which is mapped; ArenaError if that is damaged, or none of these endings.

    about: what it says of itself. bytes: its length.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with open_given(path) as file:
                self.data = mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError) as error:  # ValueError if it is empty
            raise self.damaged(str(getattr(error, "strerror", error))) from error
        self.bytes = len(self.data)
        start = len(MAGIC) + 4
        if self.data[: len(MAGIC)] != MAGIC or self.bytes < start:
            raise self.damaged("it does not begin as one")
        length = struct.unpack("<I", self.data[len(MAGIC) : start])[0]
        text = self.data[start : start + min(length, LONGEST)]
        try:
            version = msgspec.json.decode(text).get("format")
            if isinstance(version, int) and version != FORMAT:
                raise ArenaError(f"{path} has format {version}, and not {FORMAT}; {remedy()}")
            self.about = msgspec.json.decode(text, type=About)
        except (msgspec.MsgspecError, ValueError, AttributeError) as error:
            raise self.damaged("it does not say what it is") from error
        self.read_index(start + length)

    def read_index(self, at: int) -> None:
        """Where the blocks are, and their checksums."""
        about = self.about
        blocks = -(-about.size // about.block) if about.block > 0 and about.size > 0 else 0
        end = at + 8 * (blocks + 1) + 4 * blocks
        if about.width not in (1, 2) or not blocks or end + 4 > self.bytes:
            raise self.damaged("it is cut off")
        if struct.unpack("<I", self.data[end : end + 4])[0] != zlib.crc32(self.data[:end]):
            raise self.damaged("its head was altered")
        places = np.frombuffer(self.data, "<u8", blocks + 1, at).astype(np.int64) + end + 4
        self.places: list[int] = places.tolist()
        self.sums: list[int] = np.frombuffer(self.data, "<u4", blocks, at + 8 * (blocks + 1)).tolist()
        if self.places[-1] != self.bytes:
            raise self.damaged("it is cut off")

    def damaged(self, how: str) -> ArenaError:
        return ArenaError(f"{self.path} is no whole file of endings: {how}; {remedy()}")

    def check(self, rules: str, version: int, name: str, size: int) -> None:
        """ArenaError unless it is this slice of these rules."""
        about = self.about
        if about.rules != rules:
            raise ArenaError(f"{self.path} has endings of {about.rules}, and not of {rules}; {remedy()}")
        if about.version != version:
            raise ArenaError(f"{self.path} is of version {about.version}, and not {version}; {remedy()}")
        if (about.name, about.size) != (name, size):
            raise ArenaError(f"{self.path} has {about.name}, and not {name}; {remedy()}")

    def block(self, i: int) -> NDArray[Any]:
        """The codes of a block, or ArenaError if it is damaged."""
        packed = self.data[self.places[i] : self.places[i + 1]]
        size = min(self.about.block, self.about.size - i * self.about.block)
        if zlib.crc32(packed) == self.sums[i]:
            with suppress(zlib.error, ValueError):
                found = np.frombuffer(zlib.decompress(packed), f"<u{self.about.width}")
                if len(found) == size:
                    return found
        raise self.damaged(f"block {i} was altered")

    def read(self, into: NDArray[Any]) -> None:
        """Put all its codes into an array of its size."""
        for i in range(len(self.sums)):
            first = i * self.about.block
            into[first : first + self.about.block] = self.block(i)

    def code(self, number: int) -> int:
        """That of one position."""
        i, at = divmod(number, self.about.block)
        return int(self.block(i)[at])


def pieces_in(folder: Path) -> int:
    """Up to how many pieces there are numbers of in a folder of a game's endings; 0 if there are no files."""
    return max((SliceFile(path).about.pieces for path in folder.glob(f"*{SUFFIX}")), default=0)
