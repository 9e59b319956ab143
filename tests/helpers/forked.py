"""Run commands as forks of one process that has imported arena: they begin in milliseconds.

The process that tests run in is the client. It starts this file once, as a program, and sends it the words,
environment and streams of each command. The server forks; the child becomes the command, and ends as a program
ends. What differs from a new interpreter: modules are imported already, and texts are hashed by one seed.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import subprocess
import sys
import time
import traceback
from pathlib import Path

AT_THE_START = ("PYTHON", "LC_", "LANG", "ARENA_CHECKED", "OPENBLAS")  # read once, by whatever starts
FORKS = hasattr(os, "fork") and hasattr(socket, "send_fds")
MESSAGE = 1 << 20  # bytes
INPUT = 1 << 15  # bytes that a pipe takes without a reader


def fits(env: dict[str, str], given: str) -> bool:
    """Whether a command with these variables can be forked: whether none is read by a new interpreter alone."""
    changed = {name for name in {*env, *os.environ} if env.get(name) != os.environ.get(name)}
    return (
        FORKS
        and len(given) < INPUT
        and not any(
            name.startswith(AT_THE_START) and name not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
            for name in changed
        )
    )


class Server:
    """The process that commands are forked from, one at a time."""

    def __init__(self) -> None:
        self.socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MESSAGE)
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        command = [sys.executable, "-P", __file__, str(there.fileno())]
        self.process = subprocess.Popen(
            command, env={**env, "PYTHONHASHSEED": "0"}, pass_fds=[there.fileno()], start_new_session=True
        )
        there.close()

    def run(
        self, args: tuple[str, ...], folder: Path, env: dict[str, str], given: str, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Like `subprocess.run` of `python -m arena`, with its output as text."""
        pipes = [os.pipe() for _ in range(3)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        os.write(pipes[0][1], given.encode())
        request = json.dumps({"args": args, "folder": str(folder), "env": env}, ensure_ascii=True).encode()
        socket.send_fds(self.socket, [request], theirs)
        for end in (*theirs, pipes[0][1]):
            os.close(end)
        pid = int(self.socket.recv(100))
        try:
            out, err = read(pipes[1][0], pipes[2][0], time.monotonic() + timeout)
        except TimeoutError:
            os.kill(pid, 9)
            self.socket.recv(100)
            raise subprocess.TimeoutExpired(args, timeout) from None
        return subprocess.CompletedProcess(args, int(self.socket.recv(100)), out, err)


def read(out: int, err: int, deadline: float) -> tuple[str, str]:
    """What comes through two pipes until both are closed."""
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
    return tuple(bytes(data).decode().replace("\r\n", "\n") for data in found.values())


# --- the server, and what is forked from it -----------------------------------------------------------------


def serve(here: socket.socket) -> dict:
    """Fork a process for each request, in which this gives the request; it does not end in the server."""
    while True:
        request, streams, *_ = socket.recv_fds(here, MESSAGE, 3)
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


def import_all() -> None:
    """Import what commands import, from arena and from its own plugins."""
    import pkgutil
    from importlib import import_module

    for package in ("arena", "arena_games", "arena_agents"):
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if not module.name.startswith(
                ("arena.session.templates", "arena.cluster", "arena.fixtures", "arena.__main__")
            ):
                import_module(module.name)


def become(request: dict) -> None:
    """Set this process up as the one that was asked for."""
    import importlib
    import io
    import tempfile

    os.environ.clear()
    os.environ.update(request["env"])
    if hasattr(time, "tzset"):
        time.tzset()
    tempfile.tempdir = None
    sys.path[:0] = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    os.chdir(request["folder"])
    for name, number, mode, errors in (
        ("stdin", 0, "r", "strict"),
        ("stdout", 1, "w", "strict"),
        ("stderr", 2, "w", "backslashreplace"),
    ):
        stream = open(number, mode, errors=errors, closefd=False)
        if name == "stderr":
            stream.reconfigure(line_buffering=True)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    assert isinstance(sys.stdout, io.TextIOWrapper)
    importlib.invalidate_caches()
    have_workers(request["args"])
    sys.path.insert(0, os.getcwd())
    sys.argv = ["arena", *request["args"]]


def have_workers(args: list[str]) -> None:
    """Fork the process that workers are forked from, in place of a new interpreter's start."""
    from multiprocessing import forkserver, resource_tracker, util

    from arena.cli import PLAYING, plays
    from arena.session.ready import get_ready

    def fork(path, args, passed):
        pid = os.fork()
        if pid:
            return pid
        util.spawnv_passfds = before
        forkserver._forkserver.__init__()  # whose lock the fork has taken
        resource_tracker._resource_tracker.__init__()
        keep = {0, 1, 2, *passed}
        for name in os.listdir("/proc/self/fd"):
            if int(name) not in keep:
                try:
                    os.close(int(name))
                except OSError:
                    pass
        try:
            exec(args[-1], {"__name__": "__main__"})
        except SystemExit:
            pass
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)

    if args[:1] and args[0] in PLAYING and plays(args[1:]):
        before, util.spawnv_passfds = util.spawnv_passfds, fork
        try:
            get_ready()
        finally:
            util.spawnv_passfds = before


if __name__ == "__main__":
    here = socket.socket(fileno=int(sys.argv[1]))
    import_all()
    import gc

    gc.freeze()
    become(serve(here))
    del here
    import runpy

    runpy.run_module("arena", run_name="__main__", alter_sys=True)
