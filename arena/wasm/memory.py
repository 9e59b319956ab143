"""What lies in a module's memory: a component's block, those of its parts, and the arrays of all."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from arena.compiler.layout import Block

LINE = 64  # bytes to which what lies in memory is aligned
MANY = 20_000  # segments of a module
LINES = (LINE, 1 << 10, 1 << 14, 1 << 20, 1 << 40)  # bytes of zeros that are left out, the fewest that do


class Memory:
    """Blocks and arrays laid out from an address on.

    address: of the block that all begins with. end: what is free again.
    """

    def __init__(self, block: Block, base: int) -> None:
        self.end = base
        self.blocks = list({id(one): one for one in block.blocks.values()}.values())
        self.places = {one.address: self.room(len(one.words)) for one in self.blocks}
        self.address = self.places[block.address]
        self.pieces = list(overlapping([piece for one in self.blocks for piece in pieces(one)]))
        self.moved = [self.room(size) for _, size in self.pieces]

    def room(self, size: int) -> int:
        """The address of so many bytes that are free."""
        at = -(-self.end // LINE) * LINE
        self.end = at + size
        return at

    def place(self, address: int) -> int:
        """Where in the module's memory lies what in this process is here."""
        i = bisect_right(self.pieces, (address, 1 << 63)) - 1
        return self.moved[i] + address - self.pieces[i][0]

    def segments(self) -> list[tuple[int, bytes]]:
        """Addresses, and what is there from the start, but for zeros."""
        whole = [(self.places[one.address], self.words(one)) for one in self.blocks]
        for (address, size), at in zip(self.pieces, self.moved, strict=True):
            whole.append((at, np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))))
        for line in LINES:
            found = [segment for at, data in whole for segment in without_zeros(at, data, line)]
            if len(found) <= MANY:
                break
        return found

    def words(self, block: Block) -> Any:
        """A block's bytes, with the addresses that hold in the module."""
        found = np.frombuffer(bytes(block.words), np.int64).copy()
        for name, _, _, at in block.arrays:
            found[at] = self.place(int(found[at])) if vars(block.thing)[name].nbytes else self.address
        for name, _, at in block.objects:
            found[at] = self.places[block.parts[name].address]
        return found.view(np.uint8)


def pieces(block: Block) -> Iterator[tuple[int, int]]:
    """Where the arrays of a component lie in this process, and how many bytes they take."""
    for name, *_ in block.arrays:
        array = vars(block.thing)[name]
        if array.nbytes:
            yield array.ctypes.data, array.nbytes


def overlapping(pieces: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same, those that overlap as one: arrays may be views of others."""
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
    """The runs of lines, of so many bytes, that are not all 0."""
    starts = np.arange(0, len(data), line) if len(data) > line else np.zeros(min(len(data), 1), np.int64)
    if not len(starts):
        return
    some = np.concatenate([[False], np.maximum.reduceat(data, starts) > 0, [False]])
    edges = np.flatnonzero(some[1:] != some[:-1])
    for first, last in edges.reshape(-1, 2).tolist():
        begin, end = first * line, min(last * line, len(data))
        yield at + begin, data[begin:end].tobytes()
