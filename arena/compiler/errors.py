"""Compilation errors, with file, line and message for the author of the code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from arena.errors import did_you_mean

MISFIT = "a compiled function was called with the wrong number or types of arguments"
NO_ROOM = "a list has room for"  # begins messages of exceptions that plain Python never raises
NO_RESULT = "None in place of the result"  # begins the message when a method returns None to Python
BEYOND = "a number is beyond the 64 bits of an int"
NO_STACK = "the stack has no room for lists"


class CannotCompile(Exception):
    """Raised with the reason why something cannot be compiled, so that it runs as plain Python.

    Attributes:
        text: The reason.
        file: File of the author's code; empty if unknown.
        line: Line in the file.
        facts: Facts that the error depends on; None if other processes cannot look them up.
    """

    facts: dict[str, Any] | None = None

    def __init__(self, text: str, file: str = "", line: int = 0) -> None:
        super().__init__(text, file, line)
        self.text, self.file, self.line = text, file, line

    def __str__(self) -> str:
        return f"{Path(self.file).name}, line {self.line}: {self.text}" if self.file else self.text


def is_real(cls: type[BaseException], text: str) -> bool:
    """Return whether plain Python may raise this exception, too."""
    limits = NO_ROOM, NO_STACK, NO_RESULT
    beyond = "64 bits" in text or "2**53" in text
    return not (issubclass(cls, RecursionError | MemoryError) or text.startswith(limits) or beyond)


def meant(name: str, known: Iterable[str]) -> str:
    """Return `, did you mean 'total'?` if a name is similar to one of the known names, else ""."""
    found = did_you_mean(name, (word for word in known if not word.startswith("_")))
    return found if found.endswith("?") else ""


def told(function: Callable[..., object], *args: object) -> str:
    """Return the message of the exception that a function raises in this version of Python."""
    try:
        return f"{function(*args)}"
    except Exception as error:
        return str(error)


def placed_at(function: object, text: str) -> CannotCompile:
    """Return a CannotCompile with the file and first line of a function."""
    code = getattr(function, "__code__", None)
    return CannotCompile(text, code.co_filename, code.co_firstlineno) if code else CannotCompile(text)
