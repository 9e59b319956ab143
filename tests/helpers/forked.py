"""Run commands as forks of one process that has imported arena, so that they start in milliseconds.

`Server` is what tests use. It runs this file as a program, which forks once for each request, and the child
becomes `python -m arena`, with the streams, folder and environment of the request. It differs from a new
interpreter in two ways: modules are imported already, and strings are hashed with a fixed seed.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from multiprocessing import forkserver, resource_tracker, util
from pathlib import Path
from typing import NoReturn

AT_START = ("PYTHON", "LC_", "LANG", "ARENA_CHECKED", "OPENBLAS")  # prefixes of variables read only at start
SET_BY_FORK = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")  # those of them that `become` applies
NOT_IMPORTED = (  # `preload` sets up the process that workers are forked from; gymnasium may not be installed
    "arena.gymnasium.",
    "arena.calls.templates",
    "arena.workers.preload",
    "arena.pytest_fixtures",
    "arena.__main__",
)
NAME = "<frozen forked>"  # of the code in stacks, in which arena skips files that Python itself has frozen
START = "import sys; exec(compile(open(sys.argv[1]).read(), {name!r}, 'exec'))"
REQUEST_BYTES = 1 << 20
INPUT_BYTES = 1 << 15  # a pipe holds that much before anybody reads it


def can_fork(env: dict[str, str], given: str) -> bool:
    """Return whether a fork behaves like a new interpreter with this environment and standard input."""
    changed = (name for name in {*env, *os.environ} if env.get(name) != os.environ.get(name))
    at_start = any(name.startswith(AT_START) and name not in SET_BY_FORK for name in changed)
    return sys.platform == "linux" and len(given) < INPUT_BYTES and not at_start


# --- the client ---------------------------------------------------------------------------------------------


class Server:
    """The process that commands are forked from, one at a time, for one thread. It ends with its client."""

    def __init__(self) -> None:
        self.socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, REQUEST_BYTES)
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", START.format(name=NAME), __file__, str(there.fileno())],
            env={**env, "PYTHONHASHSEED": "0"},
            pass_fds=[there.fileno()],
            start_new_session=True,
        )
        there.close()

    def run(
        self, args: tuple[str, ...], folder: Path, env: dict[str, str], given: str, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run `arena` as `subprocess.run` would, with `given` as standard input and its output as text."""
        (stdin, to), (out, stdout), (err, stderr) = (os.pipe() for _ in range(3))
        os.write(to, given.encode())
        pid = self.start(args, folder, env, (stdin, stdout, stderr))
        for end in (stdin, to, stdout, stderr):
            os.close(end)
        try:
            texts = read(out, err, time.monotonic() + timeout)
        except TimeoutError:
            os.kill(pid, 9)
            raise subprocess.TimeoutExpired(args, timeout) from None
        finally:
            status = self.wait()
        return subprocess.CompletedProcess(args, status, *texts)

    def start(
        self,
        args: tuple[str, ...],
        folder: Path,
        env: dict[str, str],
        streams: tuple[int, int, int],
        terminal: bool = False,
    ) -> int:
        """Start `arena` with three standard streams, and return its process id. Call `wait` when it ends.

        If `terminal` is true, the streams are a terminal, which controls the new process.
        """
        request = {"args": args, "folder": str(folder), "env": env, "terminal": terminal}
        socket.send_fds(self.socket, [json.dumps(request).encode()], streams)
        return int(self.socket.recv(100))

    def wait(self) -> int:
        """Wait until the process ends that `start` started, and return its status."""
        return int(self.socket.recv(100))


def read(out: int, err: int, deadline: float) -> list[str]:
    """Return what comes through two pipes until both are closed, or raise TimeoutError."""
    found = {out: bytearray(), err: bytearray()}
    with selectors.DefaultSelector() as selector:
        for end in found:
            selector.register(end, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(deadline - time.monotonic())
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                if data := os.read(key.fd, 1 << 16):
                    found[key.fd] += data
                else:
                    selector.unregister(key.fd)
                    os.close(key.fd)
    return [data.decode() for data in found.values()]


# --- the server, and the commands forked from it ------------------------------------------------------------


def import_all() -> None:
    """Import the modules of arena and of the plugins that come with it."""
    for package in ("arena", "arena_games", "arena_agents"):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.startswith(NOT_IMPORTED):
                importlib.import_module(module.name)


def serve(here: socket.socket) -> dict:
    """Fork a child for each request and report its status. Returns only in a child, with its request."""
    while True:
        request, streams, *_ = socket.recv_fds(here, REQUEST_BYTES, 3)
        if not request:
            os._exit(0)
        pid = os.fork()
        if not pid:
            here.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            return json.loads(request)
        for stream in streams:
            os.close(stream)
        here.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        here.send(str(os.waitstatus_to_exitcode(status)).encode())


def become(request: dict) -> None:
    """Set this process up as a new interpreter would be that runs `python -m arena`."""
    if request["terminal"]:
        take_terminal()
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    tempfile.tempdir = None
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.path[:0] = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    importlib.invalidate_caches()
    os.chdir(request["folder"])
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115 # open to the end
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    fork_workers()
    sys.path.insert(0, os.getcwd())
    sys.argv = ["arena", *request["args"]]


def take_terminal() -> None:
    """Make the terminal that is this process's standard input its controlling terminal, with Ctrl-C."""
    from fcntl import ioctl
    from termios import TIOCSCTTY

    os.setsid()
    ioctl(0, TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def fork_workers() -> None:
    """Start the process that workers come from as a fork, as commands start it before anything else."""
    from arena.calls.execution import get_ready

    spawn = util.spawnv_passfds

    def fork(path: object, command: list[str], passed: tuple[int, ...]) -> int:
        if pid := os.fork():
            return pid
        try:
            util.spawnv_passfds = spawn
            forkserver._forkserver.__init__()  # the fork holds its lock
            resource_tracker._resource_tracker.__init__()
            for name in os.listdir("/proc/self/fd"):
                if int(name) not in {0, 1, 2, *passed}:
                    with suppress(OSError):
                        os.close(int(name))
            exec(compile(command[-1], NAME, "exec"), {"__name__": "__main__"})  # as `python -c` would
        except SystemExit:
            pass
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)

    util.spawnv_passfds = fork
    try:
        get_ready()
    finally:
        util.spawnv_passfds = spawn


def run() -> NoReturn:
    """Run `python -m arena` and end, without taking the interpreter apart, which takes most of the time."""
    status: object = 1
    try:
        runpy.run_module("arena", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code
    except BaseException:
        traceback.print_exc()
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status if isinstance(status, int) else bool(status))


if __name__ == "__main__":
    sys.modules["readline"] = None  # it reads TERM when it is imported, which commands may do
    import_all()
    del sys.modules["readline"]
    gc.freeze()  # or the first collection of each child copies all there is
    become(serve(socket.socket(fileno=int(sys.argv[2]))))
    run()
