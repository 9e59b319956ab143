"""Sandboxed processes, and the server from which they are forked."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress

from arena.compiler import wanted
from arena.errors import ArenaError
from arena.sandbox.channel import Channel
from arena.sandbox.limits import Most
from arena.sandbox.readable import PROGRAMS, import_path, installation, modules, readable
from arena.sandbox.server import COMPILER, PRELOADED

SERVER = "ARENA_SANDBOX"  # environment variable with the address of the server
START = "import sys; sys.path[:] = {path!r}; from arena.sandbox.server import main; main()"
KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")  # environment variables that sandboxed processes inherit
OWN, SECRET = "ARENA_", ("ARENA_DB", "ARENA_TRUSTED", "ARENA_PLUGINS", SERVER)
ATTEMPTS = 3  # maximum number of attempts to reach a server
SOON = 5.0  # seconds that the server may take to fork, or a child to end


class Sandboxed:
    """A sandboxed process that runs `function(pipe, *arguments)`, and this process's end of the pipe.

    The function and its arguments are sent as pickles; nothing that is received is unpickled. The process can
    be stopped and continued, and ends when this process ends.

    Args:
        function: Called with a `multiprocessing.connection.Connection` and the arguments.
        arguments: Further arguments of the function.
        targets: Names of the modules that it needs and that may not be installed.
        files: Files and folder trees that it may read besides installed packages.
        known: Folders that it may not list, but whose files it may read if it knows their names.
        environment: Environment variables besides those of the language and arena's own.
        programs: Let it start programs of the system and in `files`, which stop, continue and end with it.
        work: A trusted function and its arguments, which the server calls once if several processes with the
            same work are started. They then need not import the same modules again.

    Raises:
        ArenaError: If the process cannot be started.
    """

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
        here, there = socket.socketpair()
        try:
            path = import_path()
            places = modules(targets)
            self.programs = programs
            own = {"PATH": os.environ.get("PATH", os.defpath)} if programs else {}
            request = {
                "path": path,
                "modules": places,
                "readable": [
                    *installation(tuple(path)),
                    *(PROGRAMS if programs else ()),
                    *readable(places.values()),
                    *files,
                ],
                "known": [*known],
                "environment": environment_now() | own | (environment or {}),
                "place": os.getcwd() if programs else "",  # commands may name programs relative to it
                "programs": programs,
                "work": b64encode(pickle.dumps(work)).decode() if work else "",
                "processors": processors(),
                "client": os.getpid(),
                "most": Most.stated(),
            }
            self.control, self.pid, self.handle = asked(json.dumps(request).encode(), there)
        except (OSError, ValueError, IndexError) as error:
            here.close()
            why = str(error) if isinstance(error, OSError) and str(error) else "the sandbox server has ended"
            raise ArenaError(f"cannot start a sandboxed process: {why}") from error
        finally:
            there.close()
        self.channel = Channel(here)
        self.status: int | None = None
        self.left_behind = False  # whether its files could not be removed
        self.why = ""  # why the server killed it, if it exceeded a limit
        self.channel.send(pickle.dumps((function, arguments)), SOON)

    @property
    def is_orphan(self) -> bool:
        """Return whether the server ended first, so that the exit status of this process is unknown."""
        return self.status is None

    def signal(self, number: int) -> None:
        """Send a signal if the process is still running."""
        with suppress(OSError):
            if self.programs and self.status is None:
                os.killpg(self.pid, number)
            elif self.handle >= 0:
                signal.pidfd_send_signal(self.handle, number)
            elif self.status is None:
                os.kill(self.pid, number)

    def processor_seconds(self) -> float:
        """Return the processor time used, in seconds; 0 if unknown."""
        with suppress(OSError):
            return time.clock_gettime((~self.pid << 3) | 2)  # the clock of another process, on Linux
        return 0.0

    def end(self, seconds: float = SOON) -> int | None:
        """Wait for the end, or kill the process after `seconds`; return the status, negative for a signal."""
        if self.status is None and self.control.fileno() >= 0:
            self.control.settimeout(seconds)
            for _ in range(2):
                try:
                    said = self.control.recv(100)
                    if said:
                        self.status, self.left_behind, self.why = json.loads(said)
                    break
                except TimeoutError:
                    self.signal(signal.SIGKILL)
                    self.control.settimeout(SOON)
                except OSError:
                    break
        return self.status

    def close(self) -> None:
        """Kill the process."""
        self.channel.close()
        self.signal(signal.SIGKILL)
        self.end()
        self.control.close()
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


def environment_now() -> dict[str, str]:
    """Return the environment variables that a sandboxed process inherits."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in KEPT or (name.startswith(OWN) and name not in SECRET)
    }


def processors() -> list[int]:
    """Return the processors on which this process may run; an empty list if that is unknown."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


class Owned:
    """The server that this process has started, for itself and its descendants."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="arena-", dir=None if short(tempfile.gettempdir()) else "/tmp")
        self.address = os.path.join(self.folder, "sandbox")
        self.lifeline, lifeline = socket.socketpair()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.address)
            listener.listen(64)
            path = import_path()
            names = [*PRELOADED, *(COMPILER if wanted() else ())]
            passed = listener.fileno(), lifeline.fileno()
            self.process = subprocess.Popen(
                [sys.executable, "-c", START.format(path=path), *map(str, passed), self.folder, *names],
                env={"PYTHONHASHSEED": "0", "PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1"},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=passed,
            )
        lifeline.close()


owned: list[Owned] = []
starting = threading.Lock()


def short(folder: str) -> bool:
    """Return whether a folder's path is short enough for a Unix socket address."""
    return len(os.fsencode(folder)) < 60


def get_server_ready() -> None:
    """Start the server if none is running, without waiting for it."""
    with starting:
        alive = bool(owned) and owned[0].process.poll() is None
        if SERVER in os.environ and (alive or not owned):
            return
        if not alive:
            owned[:] = [Owned()]
        os.environ[SERVER] = owned[0].address  # for workers, which inherit the environment


def asked(request: bytes, end: socket.socket) -> tuple[socket.socket, int, int]:
    """Request a sandboxed process from the server, after starting the server if it is not running.

    Args:
        request: The request in JSON, see `arena.sandbox.server`.
        end: The sandboxed process's end of its pipe.

    Returns:
        The control connection, the process id, and a pidfd, or -1 if the system has none.
    """
    for attempts in reversed(range(ATTEMPTS)):
        get_server_ready()
        control = socket.socket(socket.AF_UNIX)
        control.settimeout(60.0)  # seconds for the server to start
        try:
            control.connect(address := os.environ[SERVER])
            socket.send_fds(control, [request], [end.fileno()])
            pid, handles, *_ = socket.recv_fds(control, 100, 1)
            return control, int(pid), (*handles, -1)[0]
        except (OSError, ValueError):  # the server has ended
            control.close()
            if not attempts:
                raise
            if os.environ.get(SERVER) == address:
                del os.environ[SERVER]
    raise AssertionError
