"""The parts of WebAssembly's binary format that arena uses (Core Specification, chapter 5)."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator

MAGIC = b"\0asm\x01\0\0\0"
CUSTOM, TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE, DATA, DATA_COUNT = range(
    13
)
# order of sections in a module
ORDER = (TYPE, IMPORT, FUNCTION, TABLE, MEMORY, GLOBAL, EXPORT, START, ELEMENT, CODE, DATA, CUSTOM)
OF_FUNCTION, OF_TABLE, OF_MEMORY, OF_GLOBAL = range(4)  # kinds of imports and exports
PADDED = 5  # size in bytes of a number that the linker replaces


class Reader:
    """Reads numbers, names and byte strings from a byte string, one after the other."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """Read an unsigned number in LEB128."""
        found = shift = 0
        while True:
            byte = self.byte()
            found |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return found

    def signed(self) -> int:
        begun = self.at
        found = self.number()
        bits = 7 * (self.at - begun)
        return found - (1 << bits) if found >> (bits - 1) else found

    def bytes(self) -> builtins.bytes:
        """Read a byte string that is preceded by its length."""
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at]

    def name(self) -> str:
        return self.bytes().decode()

    def rest(self) -> builtins.bytes:
        return self.data[self.at :]


def number(n: int) -> bytes:
    """Return an unsigned number in LEB128."""
    found = bytearray()
    while n > 0x7F:
        found.append(n & 0x7F | 0x80)
        n >>= 7
    found.append(n)
    return bytes(found)


def signed(n: int) -> bytes:
    """Return a signed number in LEB128."""
    found = bytearray()
    while not -0x40 <= n < 0x40:
        found.append(n & 0x7F | 0x80)
        n >>= 7
    found.append(n & 0x7F)
    return bytes(found)


def padded(n: int) -> bytes:
    """Return a signed or unsigned number below 2**31 in LEB128 with `PADDED` bytes, as in relocations."""
    return bytes([*((n >> 7 * i) & 0x7F | 0x80 for i in range(PADDED - 1)), n >> 7 * (PADDED - 1)])


def text(data: bytes | str) -> bytes:
    """Return a byte string or a name, preceded by its length."""
    data = data.encode() if isinstance(data, str) else data
    return number(len(data)) + data


def vector(items: Iterable[bytes]) -> bytes:
    """Return items, preceded by their number."""
    listed = list(items)
    return number(len(listed)) + b"".join(listed)


def sections(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the sections of an object file or a module, each as its kind and its content."""
    if data[:8] != MAGIC:
        raise ValueError("it is not a WebAssembly module")
    reader = Reader(data, len(MAGIC))
    while reader.at < len(data):
        kind = reader.byte()
        yield kind, reader.bytes()


def module(parts: Iterable[tuple[int, bytes]]) -> bytes:
    """Return a module with these sections, in the order that the format requires."""
    ordered = sorted(parts, key=lambda part: ORDER.index(part[0]))
    return MAGIC + b"".join(bytes([kind]) + text(body) for kind, body in ordered)
