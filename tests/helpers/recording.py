"""Commands recorded in a terminal emulator: what is seen, when it changes, and what did not fit."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

import forked
from arena.show.display import SPINNER
from commands import server
from running import hear_ctrl_c

ARENA = ("-m", "arena")
ROWS = 24
LONGEST = 600.0  # seconds that a command may take on a busy machine
SIZES = ("COLUMNS", "LINES", "ARENA_DB")  # what would speak for the terminal, or for another database


def recorded(folder, *args, columns=80, rows=ROWS, typed="", keys=(), program=ARENA, **env):
    """A command as it is seen at a terminal of this size.

    typed: at the beginning. keys: pairs of a text that is waited for, and what is typed once it is seen.
    """
    pty = pytest.importorskip("pty", reason="no terminals of this kind here")
    inner, outer = pty.openpty()
    screen = sized(outer, rows, columns)
    clean = {name: value for name, value in os.environ.items() if name not in SIZES}
    env = {"ARENA_COMPILED": "0", **clean, "TERM": "xterm-256color", **env}
    process = started(program, args, folder, env, outer)
    os.close(outer)
    os.write(inner, typed.encode())
    left = list(keys)
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        if not select.select([inner], [], [], 0.05)[0]:
            continue
        try:
            more = os.read(inner, 65536)
        except OSError:  # as Linux says that there is no more
            break
        if not more:
            break
        screen.take(more)
        while left and left[0][0] in screen.text:
            os.write(inner, left.pop(0)[1].encode())
    else:
        os.kill(process.pid, signal.SIGKILL)
    screen.status = process.wait()
    os.close(inner)
    return screen


def started(program, args, folder, env, terminal):
    """A process that a terminal controls; it is forked if it would behave like a new interpreter."""
    if program == ARENA and forked.can_fork(env, ""):
        forking = server()
        pid = forking.start(args, folder, env, (terminal,) * 3, terminal=True)
        return SimpleNamespace(pid=pid, wait=forking.wait)
    return subprocess.Popen(
        [sys.executable, *program, *args],
        cwd=folder,
        env=env,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=lambda: (hear_ctrl_c(), has_terminal()),
    )


def has_terminal():
    """Have this process's standard input be the terminal that Ctrl-C comes from."""
    from fcntl import ioctl
    from termios import TIOCSCTTY

    ioctl(0, TIOCSCTTY)


def sized(terminal, rows, columns):
    """An emulator for a terminal, which gets its size."""
    pyte = pytest.importorskip("pyte")
    from fcntl import ioctl
    from struct import pack
    from termios import TIOCSWINSZ

    ioctl(terminal, TIOCSWINSZ, pack("HHHH", rows, columns, 0, 0))

    class Recording(pyte.HistoryScreen):
        """The screen. wrapped: lines that did not fit. frames: what was seen, one after the other."""

        def __init__(self):
            self.wrapped, self.frames, self.status = [], [], None
            super().__init__(columns, rows, history=10_000)
            self.stream = pyte.ByteStream(self)

        def draw(self, data):
            for char in data:
                if self.cursor.x == self.columns:
                    self.wrapped.append(self.display[self.cursor.y])
                super().draw(char)

        def take(self, data):
            self.stream.feed(data)
            text = self.text
            if not self.frames or self.frames[-1] != text:
                self.frames.append(text)

        @property
        def moved(self):
            """Pictures of what a command was at, one after the other, as far as they differ."""
            return [frame for frame in self.frames if any(turn in frame for turn in SPINNER)]

        @property
        def text(self):
            """All lines, also those that have scrolled away, without the empty ones at the end."""
            gone = ("".join(line[x].data for x in range(columns)) for line in self.history.top)
            return "\n".join(line.rstrip() for line in (*gone, *self.display)).rstrip("\n")

    return Recording()
