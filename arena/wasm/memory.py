"""The layout of a module's memory, with the blocks and arrays of a component and its parts."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from arena.compiler.layout import Block

LINE = 64  # alignment in bytes
MANY = 20_000  # maximum number of segments of a module
LINES = (LINE, 1 << 10, 1 << 14, 1 << 20, 1 << 40)  # minimum lengths of runs of zeros that are omitted


class Memory:
    """A memory layout with blocks and arrays.

    Attributes:
        address: Address of the component's block.
        end: First free address.
    """

    def __init__(self, block: Block, base: int) -> None:
        self.end = base
        self.blocks = list({id(one): one for one in block.blocks.values()}.values())
        self.places = {one.address: self.room(len(one.words)) for one in self.blocks}
        self.address = self.places[block.address]
        self.pieces = list(overlapping([piece for one in self.blocks for piece in pieces(one)]))
        self.moved = [self.room(size) for _, size in self.pieces]

    def room(self, size: int) -> int:
        """Reserve a number of bytes, and return their address."""
        at = -(-self.end // LINE) * LINE
        self.end = at + size
        return at

    def place(self, address: int) -> int:
        """Return the address in the module's memory for data at an address in this process."""
        i = bisect_right(self.pieces, (address, 1 << 63)) - 1
        return self.moved[i] + address - self.pieces[i][0]

    def segments(self) -> list[tuple[int, bytes]]:
        """Return the initial content of memory, without long runs of zeros, as pairs of address and bytes."""
        whole = [(self.places[one.address], self.words(one)) for one in self.blocks]
        for (address, size), at in zip(self.pieces, self.moved, strict=True):
            whole.append((at, np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))))
        for line in LINES:
            found = [segment for at, data in whole for segment in without_zeros(at, data, line)]
            if len(found) <= MANY:
                break
        return found

    def words(self, block: Block) -> Any:
        """Return the words of a block, with addresses replaced by those in the module's memory."""
        found = np.frombuffer(bytes(block.words), np.int64).copy()
        for name, _, _, at in block.arrays:
            found[at] = self.place(int(found[at])) if vars(block.thing)[name].nbytes else self.address
        for name, _, at in block.objects:
            found[at] = self.places[block.parts[name].address]
        return found.view(np.uint8)


def pieces(block: Block) -> Iterator[tuple[int, int]]:
    """Yield the address in this process, and the size in bytes, of each array of a component."""
    for name, *_ in block.arrays:
        array = vars(block.thing)[name]
        if array.nbytes:
            yield array.ctypes.data, array.nbytes


def overlapping(pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield areas of memory after merging those that overlap, since arrays may be views of others."""
    begin = end = 0
    for address, size in sorted(pieces):
        if address >= end:
            if end > begin:
                yield begin, end - begin
            begin = address
        end = max(end, address + size)
    if end > begin:
        yield begin, end - begin


def without_zeros(at: int, data: Any, line: int) -> Iterator[tuple[int, bytes]]:
    """Yield runs of lines that contain nonzero bytes, with their addresses.

    Args:
        at: Address of the data.
        data: Bytes, as an array.
        line: Size of a line in bytes.
    """
    starts = np.arange(0, len(data), line) if len(data) > line else np.zeros(min(len(data), 1), np.int64)
    if not len(starts):
        return
    some = np.concatenate([[False], np.maximum.reduceat(data, starts) > 0, [False]])
    edges = np.flatnonzero(some[1:] != some[:-1])
    for first, last in edges.reshape(-1, 2).tolist():
        begin, end = first * line, min(last * line, len(data))
        yield at + begin, data[begin:end].tobytes()
