"""The trusted end of a connection to a sandboxed process, which may send arbitrary data at any time."""

from __future__ import annotations

import select
import socket
import struct
from contextlib import suppress
from time import monotonic

HEADER = struct.Struct("!i")  # the message header of `multiprocessing.connection.Connection`


class Garbled(Exception):
    """Raised if the other end sent something that is not a message, or a message that is too long."""


class Channel:
    """Exchanges messages with a `multiprocessing.connection.Connection` without blocking."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        end.setblocking(False)
        self.buffer = bytearray()
        if hasattr(select, "poll"):
            self.poll = select.poll()
            self.poll.register(end, select.POLLIN)

    def has_come(self, seconds: float) -> bool:
        """Wait up to `seconds`, and return whether there is data to read or the other end is closed."""
        if not hasattr(self, "poll"):  # Windows
            return bool(select.select([self.end], [], [], max(0.0, seconds))[0])
        return bool(self.poll.poll(max(0.0, 1000 * seconds)))

    def send(self, message: bytes, seconds: float) -> None:
        """Send a message.

        Raises:
            TimeoutError: If the other end does not read the message within `seconds`.
            OSError: If the other end is closed.
        """
        left = memoryview(HEADER.pack(len(message)) + message)
        until = monotonic() + seconds
        while left:
            try:
                left = left[self.end.send(left) :]
            except BlockingIOError:
                if monotonic() > until:
                    raise TimeoutError from None
                select.select([], [self.end], [], max(0.0, until - monotonic()))

    def quiet(self) -> bool:
        """Return whether no unsolicited data has arrived; raise EOFError if the other end is closed."""
        if not self.buffer and self.has_come(0):
            self.take_in(1 << 16)
        return not self.buffer

    def take_in(self, most: int) -> None:
        """Read up to `most` bytes that have arrived; raise EOFError if the other end is closed."""
        with suppress(BlockingIOError):
            data = self.end.recv(most)
            if not data:
                raise EOFError
            self.buffer += data

    def receive(self, seconds: float, longest: int) -> bytes | None:
        """Return a message, or None if it has not arrived completely within `seconds`.

        Raises:
            EOFError: If the other end is closed.
            Garbled: If the message is longer than `longest` bytes.
        """
        until = monotonic() + seconds
        while True:
            size = HEADER.size
            if len(self.buffer) >= size:
                (length,) = HEADER.unpack_from(self.buffer)
                if not 0 <= length <= longest:
                    raise Garbled(f"its process sent an answer of {length:,} bytes")
                size += length
                if len(self.buffer) >= size:
                    message = bytes(self.buffer[HEADER.size : size])
                    del self.buffer[:size]
                    return message
            if not self.has_come(until - monotonic()):
                return None
            self.take_in(max(1 << 16, size - len(self.buffer)))

    def drain(self, seconds: float, longest: int, last: bytes) -> bytes:
        """Return the raw bytes that arrive within `seconds`, at most `longest`; stop early at `last`."""
        until = monotonic() + seconds
        while (left := until - monotonic()) > 0 and len(self.buffer) < longest and last not in self.buffer:
            if self.has_come(left):
                data = self.end.recv(1 << 16)
                if not data:
                    break
                self.buffer += data
        self.read_ahead()
        found = bytes(self.buffer[:longest])
        self.buffer.clear()
        return found

    def read_ahead(self) -> None:
        """Read data that has arrived, ignoring errors."""
        with suppress(BlockingIOError, OSError):
            self.buffer += self.end.recv(1 << 16)

    def close(self) -> None:
        """Close this end of the connection."""
        self.end.close()
