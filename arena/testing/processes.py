"""What is done again in another process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from arena.errors import ArenaError
from arena.registry.files import PREFIX, File
from arena.registry.written import is_written
from arena.testing.promise import Fault

Found = TypeVar("Found")


def in_another_process(things: Sequence[type], function: Callable[..., Found], *args: Any) -> Found:
    """What a function gives in a new process, where sets of texts have another order.

    If one of the things cannot be imported there, since it was typed in, in this process.
    """
    if any(is_written(thing) for thing in things):
        return function(*args)
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=b"".join(map(pickle.dumps, (sys.path, opened_files(), (function, args)))),
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").split("\n")[-2:]
        raise Fault(f"fails in another process: {said[0]}")
    found: Found = pickle.loads(done.stdout)
    return found


def opened_files() -> list[File]:
    """The files that modules were made of, as far as they still have the same text."""
    found = []
    for name, module in [*sys.modules.items()]:
        if name.startswith(PREFIX) and module.__spec__ and module.__spec__.origin:
            with suppress(ArenaError):
                found.append(File.read(module.__spec__.origin))
    return found


ELSEWHERE = """
import pickle, sys
answer, sys.stdout = sys.stdout.buffer, sys.stderr
sys.path[:] = pickle.load(sys.stdin.buffer)
for file in pickle.load(sys.stdin.buffer):
    file.load()
function, args = pickle.load(sys.stdin.buffer)
pickle.dump(function(*args), answer)
"""
