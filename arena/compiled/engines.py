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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import platformdirs
from filelock import FileLock
from numba import typeof, types
from numba.core import config

import arena.bits
import arena.kernel
import arena.rng
from arena import executors
from arena.compiled import dispatchers, twins, view, walk
from arena.compiled import types as rules_types
from arena.compiled.player import Player, Uncompiled
from arena.errors import ArenaError, one_line
from arena.game import FastGame, Game, Move, State
from arena.rng import derive

if TYPE_CHECKING:
    from arena.agent import FastAgent

settings: Any = config  # whose settings are attributes made at import
if rules_types.CHECKED:
    settings.BOUNDSCHECK = 1

COMPARED = 20  # random matches that compiled and plain rules must play alike
LONGEST = 1000  # plies of them looked at
PATIENCE = 300.0  # seconds to wait for another process that compiles
LIST = "checksums.json"

CHECKED = rules_types.CHECKED
INTS, FLOATS = types.int64[::1], types.float64[::1]
KINDS: Mapping[str, Any] = {
    "Int": types.int64,
    "Float": types.float64,
    "Ints": INTS,
    "Floats": FLOATS,
    "IntPointer": INTS if CHECKED else types.CPointer(types.int64),
    "FloatPointer": FLOATS if CHECKED else types.CPointer(types.float64),
    "Arrays": INTS if CHECKED else types.CPointer(types.int64),  # address and length of each
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
                executors.this_worker.say(f"Warning: {game} stays plain Python, and slow: {explain(error)}")
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
        self.kinds = {**KINDS, "Rules": self.value.type, "State": self.state}
        self.modules: dict[str, Kernels] = {}
        self.kernels(walk)  # which finds out whether the rules compile

    def kernels(self, module: ModuleType, *names: str, python: bool = True) -> Kernels:
        """What a module has of kernels of these names, or its own, compiled, with the rules bound.

        python: whether Python calls them, and not only asks for their addresses.
        """
        space = vars(module)
        named = {name: space[name] for name in names if is_kernel(space.get(name))}
        wanted = named or kernels_of(module)
        text = f"{kernels_text(wanted)} {python}"
        with compiling:
            if text not in self.modules:
                tag = digest(f"{self.digest} {text}")
                self.modules[text] = self.load(module, tag, partial(self.twins, wanted, tag, python))
            return self.modules[text]

    @cached_property
    def view(self) -> Kernels:
        """The rules' own functions, as Python calls them, but for the long one that few do."""
        own = [name for name in ("play", "value", "progress", "evaluate") if hasattr(self.rules, name)]
        return self.kernels(view, "moves", "choose", *own)

    @cached_property
    def features(self) -> Any:
        return self.kernels(view, "features").features

    def player(self, agent: FastAgent) -> Player | None:
        """An agent's kernel for this game; None, with one warning, if it does not compile."""
        try:
            kernels = self.kernels(agent.kernel, "choose", "begin", "learn", python=False)
        except ArenaError:
            raise
        except Exception as error:  # whatever numba may raise
            executors.this_worker.say(
                f"Warning: {type(agent).__name__} stays plain Python, and slow: {explain(error)}"
            )
            return None
        try:
            return Player(self, kernels, agent)
        except Uncompiled:
            return None

    def swift(self, game: Game) -> Game:
        """The game, made to call compiled rules where these are faster."""
        view, buffer, values = self.view, self.ints(game.max_moves), np.zeros(len(game.feature_names))

        def moves(state: State) -> list[Move]:
            legal: list[int] = buffer[: view.moves(state, buffer)].tolist()
            return legal

        def features(state: State) -> list[float]:
            self.features(state, values)
            given: list[float] = values.tolist()
            return given

        game.moves = moves  # type: ignore[method-assign] # as FastGame does with the plain ones
        if hasattr(self.rules, "features"):
            game.features = features  # type: ignore[method-assign] # likewise
        for name in ("play", "value", "progress", "evaluate"):
            if name in view.twins:
                setattr(game, name, getattr(view, name))
        return game

    def ints(self, n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.zeros(n, np.int64)

    def load(self, module: ModuleType, tag: str, twins: Callable[[Path | None], Kernels]) -> Kernels:
        """Kernels from the folder where they are kept, or else compiled, and kept."""
        folder = cache_folder() / self.rules.__name__ / f"{module.__name__}-{tag}"
        try:
            with locked(folder) as whole:
                if whole:
                    return twins(folder)
                executors.this_worker.say(f"Compiling {self.game}, which is done once …")
                compiled = self.checked(module, twins(folder))
                write_list(folder)
                return compiled
        except OSError as error:
            executors.this_worker.say(
                f"Warning: cannot keep compiled code in {cache_folder()}: {error.strerror or error}; "
                "compiling anew each time (ARENA_CACHE names another folder)"
            )
            return self.checked(module, twins(None))

    def checked(self, module: ModuleType, compiled: Kernels) -> Kernels:
        """The twins of a module; where it is the first, the rules have proved themselves in it."""
        if module is walk:
            self.compare(compiled)
        return compiled

    def twins(
        self, wanted: Mapping[str, FunctionType], tag: str, python: bool, folder: Path | None
    ) -> Kernels:
        """Copies of kernels, and of all that they call, compiled for the types they are annotated with."""
        spaces: dict[int, dict[str, Any]] = {}  # by id of a module's names: its copy, with twins for kernels
        made: dict[FunctionType, Any] = {}  # what is called from outside
        called: dict[FunctionType, Any] = {}  # what is called by kernels: the same, but in a circle
        before = settings.CACHE_DIR
        settings.CACHE_DIR = str(folder or "")
        try:
            for function in reachable(wanted.values()):
                names = function.__globals__
                space = spaces.setdefault(id(names), {**names, "G": self.value})
                *parameters, result = (self.kinds[kind] for kind in kernel_kinds(function))
                copy, signature = partial(rules_types.copied, function, space, tag), result(*parameters)
                if function in wanted.values():
                    made[function] = dispatchers.outer(copy(), signature, python, cache=folder is not None)
                if function in made and not in_circle(function):
                    called[function] = made[function]
                else:
                    called[function] = dispatchers.inner(copy(), signature)
            for function in called:
                space = spaces[id(function.__globals__)]
                space.update((name, called[other]) for name, other in calls(function))
            with executors.this_worker.paused():
                for function in wanted.values():
                    made[function].ready()
        finally:
            settings.CACHE_DIR = before
        return Kernels(self.value, {name: made[function] for name, function in wanted.items()})

    def compare(self, compiled: Kernels) -> None:
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


class Kernels:
    """Compiled kernels, as attributes that Python can call; the rules, where they come first, are bound."""

    def __init__(self, rules: rules_types.RulesValue, twins: Mapping[str, Any]) -> None:
        self.twins = twins
        for name, twin in twins.items():
            bound = twin.signatures[0][:1] == (rules.type,)
            setattr(self, name, partial(twin, rules) if bound else twin)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no kernel called {name!r}")

    def address(self, name: str) -> int:
        """Where a kernel's machine code begins, 0 if there is none of this name."""
        if name not in self.twins:
            return 0
        (code,) = self.twins[name].overloads.values()
        return int(code.library.get_pointer_to_function(code.fndesc.llvm_func_name))


def kernels_of(module: ModuleType) -> dict[str, FunctionType]:
    """A module's kernels in the order they stand in; those it has imported are not its own."""
    own = {name: value for name, value in vars(module).items() if is_kernel(value)}
    return {name: value for name, value in own.items() if value.__module__ == module.__name__}


def is_kernel(thing: Any) -> bool:
    """Whether it is a function annotated throughout with the names of `arena.kernel`."""
    if not isinstance(thing, FunctionType) or "return" not in thing.__annotations__:
        return False
    whole = len(thing.__annotations__) == thing.__code__.co_argcount + 1
    return whole and all(kind in KINDS or kind in ("Rules", "State") for kind in kernel_kinds(thing))


def kernel_kinds(function: FunctionType) -> list[str]:
    """The annotations of a function's parameters and of its result, as texts."""
    return list(map(str, function.__annotations__.values()))


def calls(function: FunctionType) -> list[tuple[str, FunctionType]]:
    """The kernels that a kernel calls, by the names it has for them."""
    names = function.__globals__
    return [(name, names[name]) for name in function.__code__.co_names if is_kernel(names.get(name))]


def reachable(functions: Iterable[FunctionType]) -> list[FunctionType]:
    """These kernels and all that they call, the called ones first."""
    found: dict[FunctionType, None] = {}

    def visit(function: FunctionType, above: tuple[FunctionType, ...]) -> None:
        if function in found or function in above:
            return
        for _, called in calls(function):
            visit(called, (*above, function))
        found[function] = None

    for function in functions:
        visit(function, ())
    return list(found)


def in_circle(function: FunctionType) -> bool:
    """Whether a kernel calls another that calls it in turn, by way of however many more."""
    others = [called for _, called in calls(function) if called is not function]
    return function in reachable(others)


# --- what compiled code depends on ----------------------------------------------------------------------


def rules_text(rules: ModuleType) -> str:
    """All that decides what rules do: their source, and their constants, which a variant may have changed."""
    return f"{rules.__file__} {source(str(rules.__file__))} {constants(vars(rules))}"


def kernels_text(wanted: Mapping[str, FunctionType]) -> str:
    """All that decides what kernels do, apart from the rules."""
    functions = reachable(wanted.values())
    parts = [f"{name}={function.__name__}" for name, function in wanted.items()]
    for function in functions:
        names = ", ".join(f"{name}={called.__module__}.{called.__name__}" for name, called in calls(function))
        parts.append(f"{function.__module__}.{function.__name__} {names} {constants(function.__globals__)}")
    paths = sorted({f.__code__.co_filename for f in functions})  # by which numba's own files go, too
    return "\n".join([*parts, *paths, *map(source, paths)])


def constants(names: Mapping[str, Any]) -> str:
    return repr({name: value for name, value in sorted(names.items()) if name.isupper()})


def source(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """Of a text, and of everything else that takes part in compiling it."""
    own = (arena.bits, arena.kernel, arena.rng, dispatchers, rules_types, twins, sys.modules[__name__])
    parts = [text, numba.__version__, np.__version__, sys.version, str(CHECKED)]
    parts += [source(str(module.__file__)) for module in own]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


# --- on disk --------------------------------------------------------------------------------------------


def cache_folder() -> Path:
    return Path(os.environ.get("ARENA_CACHE") or platformdirs.user_cache_path("arena")) / "compiled"


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Hold a folder of compiled code, emptied unless it is whole; gives whether it is. May raise OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".lock", timeout=PATIENCE)
    with executors.this_worker.paused():
        lock.acquire()
    with lock:
        lock.release()  # which it now holds twice
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
    """numba's tens of lines in one: the first place they name is the innermost, the cause stands above it.

    Without addresses, so that every process explains an error alike.
    """
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m| at 0x\w+", "", str(error)).splitlines()]
    for i, line in enumerate(lines):
        if place := re.match(r'File "([^"]+)", line (\d+)', line):
            above = (said for said in reversed(lines[:i]) if said and not said.startswith("During"))
            return f"{Path(place[1]).name}, line {place[2]}: {next(above, 'cannot be compiled')}"
    return one_line(error)
