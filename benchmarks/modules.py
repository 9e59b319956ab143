"""Count the modules of arena that an event runs through: fewer are easier to follow.

A serial tournament of two plain entries, two compiled ones and a learner, and its leaderboard. A module
counts if one of its functions is called, imports left out. The compiler is counted apart.

python benchmarks/modules.py             # the counts; --list names the modules
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import arena
from arena import Agent

HOME = Path(arena.__file__).parent
COMPILED = ["random", "greedy"]


class Last(Agent):
    """Plays the last move, as plain Python."""

    def choose(self, state: Any, moves: Any, rng: Any) -> Any:
        return sorted(moves, key=str)[-1]


class Middle(Agent):
    """Plays the move in the middle, as plain Python."""

    def choose(self, state: Any, moves: Any, rng: Any) -> Any:
        return sorted(moves, key=str)[len(moves) // 2]


def modules(call: Callable[[], object]) -> set[str]:
    """Return the files of arena, by their paths below it, in which a call calls functions."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # a function, and not the body of a module
            files.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return {Path(file).relative_to(HOME).as_posix() for file in files if Path(file).is_relative_to(HOME)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the modules")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ARENA_MODELS"] = folder
        db = Path(folder) / "arena.db"

        def tournament(episodes: int) -> None:
            entries: list[Any] = [Last, Middle, *COMPILED, f"q-table:episodes={episodes}"]
            how: dict[str, Any] = {"game": "tic-tac-toe", "rounds": 2, "seed": 1, "db": db}
            arena.tournament(entries, executor="serial", progress=False, **how)

        calls: dict[str, Callable[[], object]] = {
            "tournament": lambda: tournament(50),
            "leaderboard": lambda: str(arena.leaderboard(db=db)),
        }
        tournament(49)  # imports what it needs
        for name, call in calls.items():
            found = modules(call)
            compiler = {file for file in found if file.startswith("compiler/")}
            print(f"{name}: {len(found - compiler)} modules, and {len(compiler)} of the compiler")
            if asked.list:
                print(*sorted(found), sep="\n")


if __name__ == "__main__":
    main()
