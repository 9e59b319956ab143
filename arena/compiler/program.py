"""Compiled programs: loaded from disk, or compiled and then stored on disk."""

from __future__ import annotations

import functools
import importlib
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from arena.activity import compiling
from arena.api.game import Game
from arena.compiler.errors import NO_ROOM, CannotCompile
from arena.compiler.facts import hold
from arena.compiler.layout import describe_game
from arena.compiler.switch import host
from arena.compiler.types import type_of
from arena.errors import one_line

if TYPE_CHECKING:
    from arena.compiler.machine import Code
    from arena.compiler.unit import Unit

CHECKED = os.environ.get("ARENA_CHECKED", "0") not in ("", "0")  # check every operation for overflow
PATIENCE = 300.0  # seconds to wait for another process that compiles

Trial = Callable[[], "Program | None"]  # creates the program that also records overflow
Compare = Callable[["Program", Trial], None]  # raises CannotCompile if a program differs from plain Python

making = threading.RLock()
programs: dict[str, tuple[tuple[object, ...], Program | CannotCompile]] = {}  # by key, with their `of`


@dataclass(frozen=True)
class Program:
    """Loaded machine code.

    Attributes:
        code: The code.
        stored: The attributes that it sets, as pairs of class name and attribute name.
        writes_moves: Whether it may modify the list of moves passed to it.
        legal: Whether its result is certainly an item of that list.
        clocked: Whether it reads the clock.
        facts: Facts that it depends on; None if other processes cannot look them up.
    """

    code: Code
    stored: frozenset[tuple[str, str]]
    writes_moves: bool
    legal: bool
    clocked: bool
    facts: dict[str, Any] | None


def program(
    game: Game,
    key: str,
    of: tuple[object, ...],
    add: Callable[[Unit], None],
    compare: Compare,
    what: str,
) -> Program:
    """Return the program for a key, after compiling it if it is neither in this process nor on disk.

    A newly compiled program is compared with plain Python.

    Args:
        game: The game.
        key: The key.
        of: Functions and classes from which it is compiled, which a notebook may have redefined meanwhile.
        add: Function that adds the entries to a unit.
        compare: Function that raises CannotCompile if the program differs from plain Python.
        what: Description, for messages.

    Raises:
        CannotCompile: If it cannot be compiled; every call raises the same error.
    """
    lists = game.max_moves, len(game.feature_names)
    key = f"{describe_game(game)} {type_of(game.initial())!r} {lists} {key} {CHECKED}"
    with making:
        before, known = programs.get(key, ((), None))
        if (
            known is None
            or not still(before, of)
            or not (known.facts is None or hold(known.facts, game, False))
        ):
            try:
                known = found(game, key, add, compare, what)
            except CannotCompile as error:
                known = error
            programs[key] = of, known
    if isinstance(known, CannotCompile):
        raise known
    return known


def still(before: tuple[object, ...], of: tuple[Any, ...]) -> bool:
    return len(before) == len(of) and all(one is other for one, other in zip(before, of, strict=True))


def found(game: Game, key: str, add: Callable[[Unit], None], compare: Compare, what: str) -> Program:
    machine = machinery()
    name = machine.digest_of(key)
    if loaded := kept(game, name):
        return loaded
    with compiling(what):
        return produced(game, name, add, compare, what)


def produced(game: Game, name: str, add: Callable[[Unit], None], compare: Compare, what: str) -> Program:
    """Compile a program, and store it under a name if possible.

    If several processes need the same program at the same time, the first compiles it while the others wait.
    """
    machine = machinery()
    if not host.get().keeps:
        with host.get().waiting():
            return compiled(lowered(game, add, what), "", compare)
    try:
        machine.folder().mkdir(parents=True, exist_ok=True, mode=0o700)
        machine.whose(machine.folder())
        from filelock import FileLock

        lock: Any = FileLock(machine.folder() / f"{name}.lock", timeout=PATIENCE)
        with host.get().waiting(), lock:
            try:
                return kept(game, name) or compiled(lowered(game, add, what), name, compare)
            finally:
                with suppress(OSError):  # another process may have removed it
                    os.unlink(lock.lock_file)
    except OSError as error:
        say_unkept(error)
        with host.get().waiting():
            return compiled(lowered(game, add, what), "", compare)


def lowered(game: Game, add: Callable[[Unit], None], what: str) -> tuple[Unit, str]:
    """Return a new unit with the entries that `add` adds, and its LLVM assembly."""
    from arena.compiler.assembly import text_of  # imports the whole compiler, which takes a while
    from arena.compiler.unit import Unit

    unit = Unit(game, CHECKED)
    unit.what = what
    try:
        add(unit)
        return unit, text_of(unit)
    except CannotCompile as error:
        error.facts = unit.facts.said() if unit.facts.kept else None
        raise
    except RecursionError:
        raise CannotCompile("it is nested too deeply") from None
    except Exception as error:
        raise failed(what, error) from error


def machinery() -> Any:
    """Return the module `arena.compiler.machine`.

    Raises:
        CannotCompile: If LLVM cannot be used; a warning is printed, too.
    """
    try:
        from arena.compiler import machine

        machine.ready()
        return machine
    except Exception as error:  # missing, or another version
        text = f"LLVM cannot be used: {one_line(error)}"
        say_once(f"Warning: nothing could be compiled; all code runs interpreted: {text}; install llvmlite")
        raise CannotCompile(text) from error


@functools.cache
def say_once(text: str) -> None:
    host.get().say(text)


def say_unkept(error: OSError) -> None:
    from arena.compiler import machine

    say_once(
        f"Warning: cannot keep compiled code in {machine.folder()}: {error.strerror or error}; "
        "it is compiled again each time; set ARENA_CACHE to another folder"
    )


def compiled(made: tuple[Unit, str], name: str, compare: Compare) -> Program:
    """Compile a unit from its LLVM assembly, and store the program under a name unless the name is empty."""
    from arena.compiler import machine

    unit, text = made
    try:
        data = machine.object_code(text)
    except Exception as error:
        raise failed(unit.what, error) from error
    sites = [(error, placed(said, file, line)) for error, said, file, line in unit.sites]
    entries = {entry.name: entry.python for entry, _, _ in unit.entries.values()}
    facts = unit.facts.said() if unit.facts.kept else None

    def load(data: bytes, places: Sequence[str] = ()) -> Code:
        return machine.Code(data, entries, sites, [*unit.loops], places)

    try:
        code = load(data)
    except Exception as error:
        raise failed(unit.what, error) from error
    legal = unit.legal and not unit.writes_moves
    new = Program(code, frozenset(unit.stored), unit.writes_moves, legal, unit.uses_clock, facts)
    with host.get().comparing():
        compare(new, lambda: trial(new, unit, text, load))
    if name and facts is not None:
        said = {
            "facts": facts,
            "entries": entries,
            "sites": [[f"{error.__module__}:{error.__qualname__}", text] for error, text in sites],
            "loops": [*unit.loops],
            "stored": sorted(new.stored),
            "writes_moves": new.writes_moves,
            "legal": new.legal,
            "clocked": new.clocked,
        }
        try:
            machine.write(name, said, data)
        except OSError as error:
            say_unkept(error)
    return new


def trial(
    made: Program, unit: Unit, text: str, load: Callable[[bytes, Sequence[str]], Code]
) -> Program | None:
    """Return a program that also records overflow, for a comparison; None if this one raises it."""
    from arena.compiler import machine
    from arena.compiler.assembly import trial_of

    if unit.checked:
        return None
    try:
        data = machine.quick_code(trial_of(text))
        code = load(data, [at_line(file, line) for file, line in unit.places])
    except Exception as error:
        raise failed(unit.what, error) from error
    return replace(made, code=code)


def at_line(file: str, line: int) -> str:
    return f" ({os.path.basename(file)}, line {line})"


def placed(text: str, file: str, line: int) -> str:
    """Return the message of an exception, which is as in plain Python.

    File and line are appended if overflow is checked, or if only compiled code raises the exception.
    """
    place = at_line(file, line)
    return (text + place).lstrip() if CHECKED or text.startswith(NO_ROOM) else text


def failed(what: str, error: Exception) -> CannotCompile:
    """Print a warning about an error in the compiler or in LLVM, and return a CannotCompile for it."""
    if os.environ.get("ARENA_DEBUG_COMPILER"):
        raise error
    text = f"the compiler failed: {type(error).__name__}: {one_line(error)}"
    host.get().say(f"Warning: {what} could not be compiled; runs interpreted: {text}")
    return CannotCompile(text)


def kept(game: Game, name: str) -> Program | None:
    """Return the program stored under a name; None if there is none, or if its facts no longer hold."""
    from arena.compiler import machine

    read = machine.read(name)
    if read is None or not hold(read[0]["facts"], game):
        return None
    said, data = read
    sites = [(error_class(path), text) for path, text in said["sites"]]
    try:
        code = machine.Code(data, said["entries"], sites, said["loops"])
    except Exception:  # compiled for another machine, for example; compile again
        return None
    stored = frozenset((cls, attribute) for cls, attribute in said["stored"])
    return Program(code, stored, said["writes_moves"], said["legal"], said["clocked"], said["facts"])


def error_class(path: str) -> type[BaseException]:
    module, _, name = path.partition(":")
    thing: object = importlib.import_module(module)
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing if isinstance(thing, type) and issubclass(thing, BaseException) else RuntimeError
