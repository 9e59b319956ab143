"""What is done again in another process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from arena.registry import files, written
from arena.testing.promise import Fault

Found = TypeVar("Found")


def in_another_process(thing: Any, function: Callable[..., Found], *args: Any) -> Found:
    """What a function gives in a new process, where sets of texts have another order.

    Of what cannot be imported, since it was typed in or is in a file by itself, in this one.
    """
    if thing.__module__ == "__main__" or thing.__module__.startswith((files.PREFIX, written.PREFIX)):
        return function(*args)
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        input=pickle.dumps(sys.path) + pickle.dumps((function, args)),
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").split("\n")[-2:]
        raise Fault(f"fails in another process: {said[0]}")
    found: Found = pickle.loads(done.stdout)
    return found


ELSEWHERE = """
import pickle, sys
answer, sys.stdout = sys.stdout.buffer, sys.stderr
sys.path[:] = pickle.load(sys.stdin.buffer)
function, args = pickle.load(sys.stdin.buffer)
pickle.dump(function(*args), answer)
"""
