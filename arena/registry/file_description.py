"""The contents of files of agents and games, found by running each in a sandboxed process."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from json import dumps  # imported now, before a file can replace `json.dumps`
from multiprocessing import connection
from multiprocessing.connection import Connection
from time import monotonic
from traceback import extract_tb
from typing import Literal, NoReturn

import msgspec

from arena.api.agent import Agent
from arena.api.component import lack_of
from arena.api.game import Game
from arena.api.options import Configurable
from arena.api.plugin_guard import quiet
from arena.errors import Reported, one_line, safe_text
from arena.registry.class_facts import ClassFacts
from arena.registry.file import File, lacking
from arena.sandbox import Sandboxed
from arena.sandbox.channel import Garbled
from arena.workers.processes import describe_exit, undisturbed

SECONDS = 10.0  # time limit for running a file
LATE = f"takes over {SECONDS:g} s to import"
LONGEST = 1 << 20  # maximum number of bytes of a description
AT_ONCE = 8  # maximum number of files described at the same time


class Unfinished(msgspec.Struct):
    """A class that cannot play, since it lacks a method.

    Attributes:
        kind: `"agent"` or `"game"`.
        lack: The missing method, and a method with a similar name if there is one.
    """

    kind: Literal["agent", "game"]
    lack: str

    @classmethod
    def of(cls, thing: type[Configurable]) -> Unfinished:
        (name, *_) = lacking(thing)
        return cls("agent" if issubclass(thing, Agent) else "game", lack_of(thing, name))


class FileFacts(msgspec.Struct):
    """The contents of a file, or the reason why they could not be determined.

    Attributes:
        classes: Its agents and games.
        fault: Why the contents could not be determined; otherwise empty.
        line: Line of the fault; 0 if unknown.
        others: By name, classes that look like agents or games but do not extend `arena.Agent` or
            `arena.Game`.
        unfinished: By name, agents and games that lack a method.
    """

    classes: list[ClassFacts] = []
    fault: str = ""
    line: int = 0
    others: dict[str, Literal["agent", "game"]] = {}
    unfinished: dict[str, Unfinished] = {}


known: dict[str, FileFacts] = {}  # of files without faults, by module


def described(files: Sequence[File]) -> list[FileFacts]:
    """Return the contents of each file; a file is not run again unless its code has changed."""
    new = {file.module: file for file in files if file.module not in known}
    found = dict(zip(new, looked_at([*new.values()]), strict=True))
    known.update((module, facts) for module, facts in found.items() if not facts.fault)
    return [found.get(file.module) or known[file.module] for file in files]


def looked_at(files: Sequence[File]) -> list[FileFacts]:
    """Run files, `AT_ONCE` at a time, and return the contents of each."""
    found: dict[int, FileFacts] = {}
    with undisturbed():
        left = list(enumerate(files))
        running: list[Look] = []
        try:
            while left or running:
                while left and len(running) < AT_ONCE:
                    running.append(Look(*left.pop(0)))
                wait = min(look.deadline for look in running) - monotonic()
                connection.wait([look.process.channel.end for look in running], max(wait, 0))
                for look in [*running]:
                    if (facts := look.facts()) is not None:
                        running.remove(look)
                        look.close()
                        found[look.number] = facts
        finally:
            for look in running:
                look.close()
    return [found[i] for i in range(len(files))]


class Look:
    """A sandboxed process that runs a file and describes its contents."""

    def __init__(self, number: int, file: File) -> None:
        self.number, self.deadline = number, monotonic() + SECONDS
        self.process = Sandboxed(look, file)

    def facts(self) -> FileFacts | None:
        """Return the description of the file, or its fault; None if the process has not sent it yet."""
        try:
            message = self.process.channel.receive(0, LONGEST)
            if message is not None:
                return msgspec.json.decode(message, type=FileFacts)
        except (EOFError, OSError):
            status = self.process.end(1.0)
            why = f"{self.process.why or describe_exit(status)} while being imported"
            return FileFacts(fault=LATE if monotonic() > self.deadline else why)
        except (msgspec.MsgspecError, ValueError, RecursionError, Garbled) as error:
            return FileFacts(fault=f"has an invalid description: {error}")
        return FileFacts(fault=LATE) if monotonic() > self.deadline else None

    def close(self) -> None:
        self.process.close()


def look(pipe: Connection, file: File) -> None:
    """Describe a file; this is the main function of the sandboxed process."""
    sys.stdin = NoInput(file.name)
    try:
        with quiet():
            facts = FileFacts(
                [ClassFacts.of(*item) for item in file.classes().items()],
                others=lookalikes(file),
                unfinished={name: Unfinished.of(thing) for name, thing in file.unfinished().items()},
            )
            data = in_json(facts)
    except BaseException as error:
        data = in_json(FileFacts(fault=safe_text(told, error)[:500], line=line_of(error, file)))
    with suppress(OSError):
        pipe.send_bytes(data)
    os._exit(0)


def in_json(facts: FileFacts) -> bytes:
    """Return facts as JSON, or raise Reported if they contain a non-finite number or are too long."""
    try:
        data = dumps(msgspec.to_builtins(facts), allow_nan=False).encode()
    except ValueError as error:
        raise Reported(
            "an option has a default or a bound that is not finite; use a finite number"
        ) from error
    if len(data) > LONGEST:
        raise Reported(f"has a description of over {LONGEST:,} characters; reduce its classes and options")
    return data


class NoInput(io.StringIO):
    """Standard input for a file that is being described.

    A file that reads from standard input is a program, not a file of agents.
    """

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file

    def read(self, *asked: object) -> NoReturn:
        entry = f"'engine:command=python3 {self.file}'"
        raise Reported(f"it reads its standard input, as programs do; enter a program as {entry}")

    readline = readlines = __next__ = read
    buffer = property(read)


def lookalikes(file: File) -> dict[str, Literal["agent", "game"]]:
    """Return the classes that look like agents or games but do not extend `arena.Agent` or `arena.Game`."""
    found: dict[str, Literal["agent", "game"]] = {}
    for name, thing in vars(file.load()).items():
        if (
            isinstance(thing, type)
            and thing.__module__ == file.module
            and not issubclass(thing, (Agent, Game))
        ):
            if callable(getattr(thing, "choose", None)):
                found[name] = "agent"
            elif callable(getattr(thing, "moves", None)) and callable(getattr(thing, "play", None)):
                found[name] = "game"
    return found


def told(error: BaseException) -> str:
    """Return an exception as one line, without the file name, which the caller adds."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f"{type(error).__name__}: {error.msg}"
    return one_line(error)


def line_of(error: BaseException, file: File) -> int:
    """Return the line of a file in which an exception was raised, 0 if it was raised elsewhere."""
    if isinstance(error, SyntaxError) and error.filename == file.path and error.lineno:
        return error.lineno
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == file.path]
    return (lines[-1] or 0) if lines else 0
