"""Commands at a terminal of some width, where something may be typed in."""

from __future__ import annotations

import os
import re

import pytest

from recording import ARENA, started

SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def at_terminal(folder, *args, typed="", columns=80, **env):
    """The status and what is seen, without the sequences that style it; each bar of progress as it ended."""
    pty = pytest.importorskip("pty", reason="no terminals of this kind here")
    from fcntl import ioctl
    from struct import pack
    from termios import TIOCSWINSZ

    inner, outer = pty.openpty()
    ioctl(outer, TIOCSWINSZ, pack("HHHH", 24, columns, 0, 0))
    clean = {
        name: value for name, value in os.environ.items() if name not in ("ARENA_DB", "COLUMNS", "LINES")
    }
    env = {"ARENA_COMPILED": "0", **clean, "TERM": "xterm", **env}
    process = started(ARENA, args, folder, env, outer)
    os.close(outer)
    os.write(inner, typed.encode())
    seen = b""
    while True:
        try:
            more = os.read(inner, 4096)
        except OSError:  # as Linux says that there is no more
            break
        if not more:
            break
        seen += more
    status = process.wait()
    os.close(inner)
    lines = SEQUENCE.sub("", seen.decode()).replace("\r\n", "\n").split("\n")
    return status, "\n".join(line.rpartition("\r")[2] for line in lines)
