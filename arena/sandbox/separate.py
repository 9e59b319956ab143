"""Separate processes that are not sandboxed."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

from arena.sandbox.channel import Channel
from arena.workers.processes import context, fresh_interpreters, settle_temporary_folder


class Separate:
    """A process that runs `function(pipe, *arguments)`, and this process's end of the pipe.

    It is not a fork of this process, since the memory could contain an opponent's random numbers. It has the
    methods of `arena.sandbox.Sandboxed`.
    """

    why = ""  # it has no limits that it could exceed
    is_orphan = False

    def __init__(self, name: str, function: Callable[..., object], *arguments: object) -> None:
        here, there = socket.socketpair()
        settle_temporary_folder()
        asked = there, function, arguments
        self.process = context.Process(target=run, args=asked, name=name, daemon=True)
        with fresh_interpreters():
            self.process.start()
        there.close()
        self.pid: int = self.process.pid
        self.channel = Channel(here)

    def signal(self, number: int) -> None:
        """Send a signal; on Windows only SIGKILL has an effect."""
        if number == getattr(signal, "SIGKILL", None):
            self.process.kill()
        elif os.name == "posix":
            with suppress(OSError):
                os.kill(self.pid, number)

    def processor_seconds(self) -> float:
        """Return the processor time used, in seconds; 0 if unknown."""
        with suppress(OSError, AttributeError):
            return time.clock_gettime((~self.pid << 3) | 2)  # the clock of another process, on Linux
        return 0.0

    def end(self, seconds: float = 5.0) -> int | None:
        """Wait for the process to end, or kill it after `seconds`; return its exit status."""
        self.process.join(seconds)
        self.process.kill()
        self.process.join()
        status: int | None = self.process.exitcode
        return status

    def close(self) -> None:
        """Kill the process."""
        self.channel.close()
        self.process.kill()
        self.process.join()


def run(end: socket.socket, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
    """Call a function with its end of the pipe."""
    function(Connection(end.detach()), *arguments)
