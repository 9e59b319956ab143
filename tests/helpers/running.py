"""Commands that go on running while a test does something to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


class Running:
    """A command that goes on while the test does something to it; in plain Python unless told otherwise."""

    def __init__(
        self,
        folder: Path,
        *args: str,
        python: tuple[str, ...] = ("-m", "arena"),
        stdin: int = subprocess.DEVNULL,
        before: Callable[[], object] = lambda: None,
        **env: str,
    ) -> None:
        self.mark = uuid4().hex  # in the environment of all its processes
        clean = {name: value for name, value in os.environ.items() if name != "ARENA_DB"}
        clean.setdefault("ARENA_COMPILED", "0")
        self.process = subprocess.Popen(
            [sys.executable, *python, *args],
            cwd=folder,
            env={**clean, **env, "ARENA_TEST": self.mark},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            preexec_fn=lambda: (hear_ctrl_c(), before()),
        )

    def send(self, number: int, group: bool = False) -> None:
        (os.killpg if group else os.kill)(self.process.pid, number)

    def ended(self, seconds: float = 600) -> subprocess.CompletedProcess[str]:
        """What it said, and its status, when it has ended."""
        out, err = self.process.communicate(timeout=seconds)
        return subprocess.CompletedProcess(self.process.args, self.process.returncode, out, err)

    def running(self) -> list[int]:
        """The processes it has started, and those have, that still run; itself too."""
        return marked(self.mark)

    def nothing_left(self, seconds: float = 30) -> bool:
        """Whether all its processes end within some seconds."""
        return until(lambda: not self.running(), seconds)


def marked(mark: str) -> list[int]:
    """The processes that run with a mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def hear_ctrl_c() -> None:
    """A shell has what it starts in the background ignore it, and what that starts in its turn."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def until(claim, seconds: float = 300) -> bool:
    """Whether a claim comes true within some seconds."""
    deadline = time.monotonic() + seconds
    while not (true := claim()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return bool(true)


def processes(text: str) -> list[int]:
    """The processes whose command has this in it."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if text.encode() in (folder / "cmdline").read_bytes().replace(b"\0", b" "):
                found.append(int(folder.name))
    return found


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def workers_of(running) -> list[int]:
    """Its worker processes: neither the command itself nor what it starts them from."""
    found = []
    for pid in running.running():
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            grandchild = parent_of(parent_of(pid)) == running.process.pid
        except (OSError, ValueError):
            continue
        if grandchild and b"resource_tracker" not in command:
            found.append(pid)
    return found
