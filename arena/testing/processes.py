"""Checks that are repeated in another process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from arena.module_files import is_written
from arena.registry.gate import admitted
from arena.registry.imports import units
from arena.sandbox import confined
from arena.testing.promise import Compared, Fault

Found = TypeVar("Found")


def another_process(inspection: object) -> Compared:
    """Return whether a second process is available for the check."""
    text = "not checked, since a sandboxed process cannot start another" if confined() else ""
    return Compared(not confined(), text)


def in_another_process(things: Sequence[type], function: Callable[..., Found], *args: object) -> Found:
    """Call a function in a new process, in which sets of texts are ordered differently; return its result.

    It is called in this process if another process cannot import a class, or if this process is sandboxed.

    Args:
        things: Classes that the function needs.
        function: The function, which is pickled with its arguments.
        args: Its arguments.

    Raises:
        Fault: If the function fails.
    """
    if confined() or any(is_written(thing) for thing in things):
        return function(*args)
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=b"".join(map(pickle.dumps, (sys.path, [*admitted], [*units.values()], (function, args)))),
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").split("\n")[-2:]
        raise Fault(f"fails in another process: {said[0]}")
    found: Found = pickle.loads(done.stdout)
    return found


ELSEWHERE = """
import os, pickle, sys
answer, sys.stdout = os.fdopen(os.dup(1), "wb"), sys.stderr
os.dup2(2, 1)
sys.path[:] = pickle.load(sys.stdin.buffer)
from arena.registry.gate import admit
from arena.registry.imports import register
for module in pickle.load(sys.stdin.buffer):
    admit(module)
for unit in pickle.load(sys.stdin.buffer):
    register(unit)
function, args = pickle.load(sys.stdin.buffer)
pickle.dump(function(*args), answer)
answer.close()
"""
