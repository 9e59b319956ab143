"""What stands for a sandboxed process on systems that cannot fork: a process of its own, and no more."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from shutil import rmtree
from typing import Any

from arena.sandbox.channel import Channel
from arena.sandbox.confine import confine
from arena.sandbox.process import environment_now
from arena.workers.processes import context, fresh_interpreters


def get_server_ready() -> None:
    """Do nothing: there is no server."""


class Spawned:
    """A replacement for `arena.sandbox.Sandboxed` without any protection."""

    why, left_behind = "", False

    def __init__(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        targets: Sequence[str] = (),
        files: Sequence[str] = (),
        known: Sequence[str] = (),
        environment: dict[str, str] | None = None,
        programs: bool = False,
    ) -> None:
        here, there = socket.socketpair()
        self.folder = tempfile.mkdtemp(prefix="arena-")
        asked = there, self.folder, environment_now() | (environment or {}), function, arguments
        self.process = context.Process(target=run, args=asked, name="arena-sandboxed", daemon=True)
        with fresh_interpreters():
            self.process.start()
        there.close()
        self.pid: int = self.process.pid
        self.channel = Channel(here)

    def signal(self, number: int) -> None:
        """Send a signal; all that Windows has ends the process."""
        if number == getattr(signal, "SIGKILL", None):
            self.process.kill()
        elif os.name == "posix":
            with suppress(OSError):
                os.kill(self.pid, number)

    def processor_seconds(self) -> float:
        """Return 0: it is not known."""
        return 0.0

    def end(self, seconds: float = 5.0) -> int | None:
        """Wait for it to end by itself, then end it; return its exit status."""
        self.process.join(seconds)
        self.process.kill()
        self.process.join()
        status: int | None = self.process.exitcode
        return status

    def close(self) -> None:
        """End it, and remove its folder."""
        self.channel.close()
        self.process.kill()
        self.process.join()
        rmtree(self.folder, ignore_errors=True)


def run(
    end: socket.socket,
    folder: str,
    environment: dict[str, str],
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> None:
    """Run a function as a sandboxed process does."""
    pipe = Connection(end.detach())
    needed = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    confine(folder, needed | environment, [os.sep])
    function(pipe, *arguments)
