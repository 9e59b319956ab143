"""Compiles kernels for a game when they are first used, and keeps the machine code on disk.

What is kept belongs to a digest of every source and version that made it, so it is never stale; a list
of checksums says that it is whole; a lock lets one process compile while others wait.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numba
import numpy as np
import platformdirs
from filelock import FileLock
from numba import njit, typeof, types
from numba.core import config

import arena.bits
import arena.kernel
import arena.rng
from arena.compiled import twins, walk
from arena.compiled import types as rules_types
from arena.errors import ArenaError, one_line
from arena.game import FastGame
from arena.rng import derive

settings: Any = config  # whose settings are attributes made at import

COMPARED = 20  # random matches that compiled and plain rules must play alike
LONGEST = 1000  # plies of them looked at
PATIENCE = 300.0  # seconds to wait for another process that compiles
LIST = "checksums.json"

KINDS: Mapping[str, Any] = {
    "Int": types.int64,
    "Float": types.float64,
    "Ints": types.int64[::1],
    "Floats": types.float64[::1],
    "IntPointer": types.CPointer(types.int64),
    "FloatPointer": types.CPointer(types.float64),
}

engines: dict[tuple[str, str], Engine | None] = {}
compiling = threading.RLock()


def engine_of(game: FastGame) -> Engine | None:
    """The engine of a game's rules; None, with one warning, if they do not compile or go another way."""
    key = (game.rules.__name__, rules_text(game.rules))
    with compiling:
        if key not in engines:
            try:
                engines[key] = Engine(game)
            except Exception as error:  # whatever numba, or the rules, may raise
                print(f"Warning: {game} stays plain Python, and slow: {explain(error)}", file=sys.stderr)
                engines[key] = None
        return engines[key]


class Engine:
    """A game's rules, compiled, and any module of kernels for them."""

    def __init__(self, game: FastGame) -> None:
        self.game = game
        self.rules = game.rules
        self.digest = digest(rules_text(game.rules))
        self.value = rules_types.RulesValue(f"{self.rules.__name__}-{self.digest}", self.rules)
        self.state = typeof(game.initial())
        self.modules: dict[str, SimpleNamespace] = {}
        self.told = False  # that it takes a while
        self.kernels(walk)  # which finds out whether the rules compile

    def kernels(self, module: ModuleType) -> SimpleNamespace:
        """A module's kernels, compiled; the rules, their first argument, are bound."""
        with compiling:
            if module.__name__ not in self.modules:
                self.modules[module.__name__] = self.compile(module)
            return self.modules[module.__name__]

    def ints(self, n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.zeros(n, np.int64)

    def compile(self, module: ModuleType) -> SimpleNamespace:
        text = f"{self.digest} {source(module)}"
        folder = cache_folder() / self.rules.__name__ / f"{module.__name__}-{digest(text)}"
        try:
            with locked(folder) as whole:
                if whole:
                    return self.twin(module, folder)
                self.tell(f"Compiling {self.game}, which is done once …")
                compiled = self.checked(module, folder)
                write_list(folder)
                return compiled
        except OSError as error:
            self.tell(
                f"Warning: cannot keep compiled code in {cache_folder()}: {error.strerror or error}; "
                "compiling anew each time (ARENA_CACHE names another folder)"
            )
            return self.checked(module, None)

    def checked(self, module: ModuleType, folder: Path | None) -> SimpleNamespace:
        """The twin of a module; where it is the first, the rules have proved themselves in it."""
        compiled = self.twin(module, folder)
        if module is walk:
            self.compare(compiled)
        return compiled

    def tell(self, text: str) -> None:
        """Say on standard error, once, why it takes a while."""
        if not self.told:
            print(text, file=sys.stderr)
        self.told = True

    def twin(self, module: ModuleType, folder: Path | None) -> SimpleNamespace:
        """A copy of a module's kernels, each compiled for the types it is annotated with."""
        kinds = {**KINDS, "Rules": self.value.type, "State": self.state}
        names = dict(vars(module))
        compiled = {}
        before = settings.CACHE_DIR
        settings.CACHE_DIR = str(folder or "")
        try:
            for name, function in kernels_of(module).items():
                *parameters, result = (kinds[kind] for kind in kernel_kinds(function))
                copy = FunctionType(function.__code__, names, name, function.__defaults__)
                copy.__module__ = function.__module__
                options = {"cache": folder is not None, "nogil": True, "error_model": "numpy"}
                names[name] = compiled[name] = njit(result(*parameters), **options)(copy)
        finally:
            settings.CACHE_DIR = before
        return SimpleNamespace(**{name: bind(kernel, self.value) for name, kernel in compiled.items()})

    def compare(self, compiled: SimpleNamespace) -> None:
        """ArenaError unless compiled and plain rules play the same matches at random."""
        trace, plain_trace = self.ints(2 * LONGEST + self.game.max_moves), [0] * 2 * LONGEST
        for seed in range(COMPARED):
            stream = np.array([derive(seed), 0], np.int64)
            plies = compiled.walk(stream, self.ints(self.game.max_moves), trace[: 2 * LONGEST])
            ended = compiled.outcome(trace, plies)
            plain_stream = [derive(seed), 0]
            plain_plies = walk.walk(self.rules, plain_stream, [0] * self.game.max_moves, plain_trace)
            plain_ended = walk.outcome(self.rules, plain_trace + [0] * self.game.max_moves, plain_plies)
            same = plies == plain_plies and ended == plain_ended
            if not same or trace[: 2 * plies].tolist() != plain_trace[: 2 * plies]:
                raise ArenaError(
                    "compiled, its rules play otherwise than as they stand; keep to ints from 0 to 2**63 - 1"
                )


def bind(dispatcher: Callable[..., Any], rules: rules_types.RulesValue) -> Callable[..., Any]:
    return lambda *args: dispatcher(rules, *args)


def kernels_of(module: ModuleType) -> dict[str, FunctionType]:
    """A module's own functions whose first parameter is `G: Rules`, in the order they stand in."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and kernel_kinds(value)[:1] == ["Rules"]
    }


def kernel_kinds(function: FunctionType) -> list[str]:
    """The annotations of a function's parameters and of its result, as texts."""
    return [kind if isinstance(kind, str) else kind.__name__ for kind in function.__annotations__.values()]


# --- what compiled code depends on ----------------------------------------------------------------------


def rules_text(rules: ModuleType) -> str:
    """All that decides what rules do: their source, and their constants, which a variant may have changed."""
    constants = {name: value for name, value in sorted(vars(rules).items()) if name.isupper()}
    return f"{source(rules)} {constants!r}"


def source(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """Of a text, and of everything else that takes part in compiling it."""
    own = (arena.bits, arena.kernel, arena.rng, rules_types, twins, sys.modules[__name__])
    parts = [text, numba.__version__, np.__version__, sys.version, *map(source, own)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


# --- on disk --------------------------------------------------------------------------------------------


def cache_folder() -> Path:
    return Path(os.environ.get("ARENA_CACHE") or platformdirs.user_cache_path("arena")) / "compiled"


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Hold a folder of compiled code, emptied unless it is whole; gives whether it is. May raise OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock", timeout=PATIENCE):
        whole = is_whole(folder)
        if not whole:
            for path in folder.iterdir():
                if path.is_dir():
                    shutil.rmtree(path)
                elif path.name != ".lock":
                    path.unlink()
        yield whole


def checksums(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.nb[ci]"))
    }


def is_whole(folder: Path) -> bool:
    """Whether a folder holds what it did when its compilation was complete."""
    try:
        listed = json.loads((folder / LIST).read_text())
    except (OSError, ValueError):
        return False
    return bool(listed == checksums(folder))


def write_list(folder: Path) -> None:
    draft = folder / (LIST + ".new")
    draft.write_text(json.dumps(checksums(folder)))
    draft.replace(folder / LIST)


def explain(error: Exception) -> str:
    """numba's tens of lines in one: the first place they name is the innermost, the cause stands above it."""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()]
    for i, line in enumerate(lines):
        if place := re.match(r'File "([^"]+)", line (\d+)', line):
            above = (said for said in reversed(lines[:i]) if said and not said.startswith("During"))
            return f"{Path(place[1]).name}, line {place[2]}: {next(above, 'cannot be compiled')}"
    return one_line(error)
