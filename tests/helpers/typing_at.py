"""Commands at a terminal where a test types, key by key."""

from __future__ import annotations

import os
import sys

import pytest

from running import hear_ctrl_c

SIZE = (40, 100)


def typing_at(folder, *args, columns=SIZE[1], nohup=False, **env):
    """`arena` at a terminal, as pexpect has it. nohup: whether the terminal's end is ignored."""
    pexpect = pytest.importorskip("pexpect", reason="no terminals of this kind here")
    if not hasattr(pexpect, "spawn"):
        pytest.skip("no terminals of this kind here")
    clean = {
        name: value for name, value in os.environ.items() if name not in ("ARENA_DB", "COLUMNS", "LINES")
    }
    return pexpect.spawn(
        sys.executable,
        ["-m", "arena", *args],
        cwd=str(folder),
        env={"ARENA_COMPILED": "0", **clean, "TERM": "xterm", "NO_COLOR": "1", **env},
        dimensions=(SIZE[0], columns),
        encoding="utf-8",
        timeout=300,
        preexec_fn=hear_ctrl_c,
        ignore_sighup=nohup,
    )


def end_of(child):
    """What is left to be seen, and the status."""
    seen = child.read()
    child.close()
    return seen, child.exitstatus
