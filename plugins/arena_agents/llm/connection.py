"""An HTTP request with a deadline that the server cannot extend."""

from __future__ import annotations

import io
import socket
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from time import perf_counter
from typing import Any, NamedTuple
from urllib.parse import urlsplit

LONGEST = 1 << 20  # maximum bytes of an answer


class Unreachable(Exception):
    """There is no answer; the message says why."""


class Response(NamedTuple):
    """A response. headers: values by name in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def requested(
    method: str, address: str, headers: Mapping[str, str], body: bytes | None, until: float
) -> Response:
    """Return the response to a request, or raise Unreachable. until: the deadline by `perf_counter`.

    Redirects are not followed. At most `LONGEST` + 1 bytes of the answer are read.
    """
    parts = urlsplit(address)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=left(until))
    try:
        connection.connect()
        connection.sock = Timed(connection.sock, until)
        connection.request(method, parts.path, body, {**headers, "Connection": "close"})
        with connection.getresponse() as response:
            found = {name.lower(): value for name, value in response.getheaders()}
            return Response(response.status, found, response.read(LONGEST + 1))
    except TimeoutError:
        raise Unreachable("no answer in time") from None
    except (OSError, HTTPException, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise Unreachable(said) from None
    finally:
        connection.close()


def left(until: float) -> float:
    """Return the seconds until a deadline, or raise TimeoutError."""
    seconds = until - perf_counter()
    if seconds <= 0:
        raise TimeoutError
    return seconds


class Timed:
    """A socket with a deadline for all operations together, however slow the transfer is."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self.sock, self.until = sock, until

    def sendall(self, data: Any) -> None:
        self.sock.settimeout(left(self.until))
        self.sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(TimedReader(self.sock, self.until))

    def close(self) -> None:
        self.sock.close()


class TimedReader(io.RawIOBase):
    """A reader of a socket with a deadline."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self.sock, self.until = sock, until
        self.raw = sock.makefile("rb", buffering=0)  # keeps the socket open while it is being read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self.sock.settimeout(left(self.until))
        return self.raw.readinto(buffer)

    def close(self) -> None:
        self.raw.close()
        super().close()
