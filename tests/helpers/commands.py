"""Runs the command line in a process of its own.

In plain Python unless told otherwise: a command that compiles nothing begins a second sooner.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from contextlib import chdir, redirect_stderr, redirect_stdout
from contextvars import copy_context
from functools import partial
from pathlib import Path

import pytest

import forked
from arena.cli import main
from arena.workers.worker import Worker, current, own_watch

TIMEOUT = 900  # seconds, for a command


def arena(folder: Path, *args: str, status: int = 0, input: str = "", **env: str):
    """Run `arena` in a folder and return what it said; it must end with this status.

    It is a process of its own, forked from one that has arena imported where that makes no difference.
    """
    clean = {name: value for name, value in os.environ.items() if name != "ARENA_DB"}
    clean.setdefault("ARENA_COMPILED", "0")
    env = {**clean, **env}
    if forked.can_fork(env, input):
        done = server().run(args, folder, env, input, TIMEOUT)
    else:
        command = [sys.executable, "-m", "arena", *args]
        how = {"capture_output": True, "text": True, "timeout": TIMEOUT}
        done = subprocess.run(command, cwd=folder, env=env, input=input, **how)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


servers = threading.local()


def server() -> forked.Server:
    """Return the process that this thread's commands are forked from, started when it is first needed."""
    if not hasattr(servers, "own"):
        servers.own = forked.Server()
    return servers.own


arena_compiled = partial(arena, ARENA_COMPILED="1")


def taught() -> None:
    """What learns by default has learned, compiled: in plain Python that takes minutes."""
    arena_compiled(Path(os.environ["ARENA_MODELS"]), "tournament", "--rounds", "1")


def inside(folder: Path, *args: str, status: int = 0, **env: str):
    """The same in this process, which begins sooner."""
    done = ended(folder, *args, **env)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def ended(folder: Path, *args: str, **env: str):
    """The same whatever its status."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, chdir(folder), redirect_stdout(out), redirect_stderr(err):
        patch.setattr("sys.stdin", io.StringIO())
        patch.delenv("ARENA_DB", raising=False)
        for name, value in env.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as end:
            main(list(args))
    return subprocess.CompletedProcess(args, end.value.code or 0, out.getvalue(), err.getvalue())


def in_a_new_worker(function, *args):
    """What a function gives in a worker that keeps nothing yet."""

    def run():
        current.set(Worker(own_watch))
        return function(*args)

    return copy_context().run(run)


def completed(folder, *typed, **env):
    """What bash offers for the last of some words, which it has parted its own way."""
    words = {"COMP_WORDS": "\n".join(["arena", *typed]), "COMP_CWORD": str(len(typed))}
    done = arena(folder, _ARENA_COMPLETE="bash_complete", **words, **env)
    assert done.stderr == ""
    return [line.removeprefix("plain,") for line in done.stdout.split()]
