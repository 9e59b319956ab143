"""Replacement for sandboxed processes on Windows, which cannot fork: an unprotected process."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from shutil import rmtree

from arena.sandbox.confine import confine
from arena.sandbox.process import environment_now
from arena.sandbox.separate import Separate


def get_server_ready() -> None:
    """Do nothing, since there is no server."""


class Spawned(Separate):
    """Replacement for `arena.sandbox.Sandboxed` without any protection."""

    left_behind = False

    def __init__(
        self,
        function: Callable[..., object],
        *arguments: object,
        targets: Sequence[str] = (),
        files: Sequence[str] = (),
        known: Sequence[str] = (),
        environment: dict[str, str] | None = None,
        programs: bool = False,
        work: tuple[object, ...] = (),
    ) -> None:
        self.folder = tempfile.mkdtemp(prefix="arena-")
        variables = environment_now() | (environment or {})
        super().__init__("arena-sandboxed", run_confined, self.folder, variables, function, arguments)

    def close(self) -> None:
        """Kill the process, and remove its folder."""
        super().close()
        rmtree(self.folder, ignore_errors=True)


def run_confined(
    pipe: Connection,
    folder: str,
    environment: dict[str, str],
    function: Callable[..., object],
    arguments: tuple[object, ...],
) -> None:
    """Run a function with the environment and the folder of a sandboxed process."""
    needed = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    confine(folder, needed | environment, [os.sep])
    function(pipe, *arguments)
