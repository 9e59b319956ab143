"""What cannot be compiled, said with the author's own file, line and words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from arena.errors import did_you_mean

MISFIT = "a compiled function was given arguments of other kinds or numbers than it takes"
NO_ROOM = "a list has room for"  # begins what plain Python never raises
NO_STACK = "the stack has no room for lists"


class CannotCompile(Exception):
    """Why something could not be compiled, and runs interpreted.

    file, line: where in the author's code. facts: what this depends on, if it can be looked up.
    """

    facts: dict[str, Any] | None = None

    def __init__(self, text: str, file: str = "", line: int = 0) -> None:
        super().__init__(text, file, line)
        self.text, self.file, self.line = text, file, line

    def __str__(self) -> str:
        return f"{Path(self.file).name}, line {self.line}: {self.text}" if self.file else self.text


def meant(name: str, known: Iterable[str]) -> str:
    """`, did you mean 'total'?` where a name is nearly one that is known, else nothing."""
    found = did_you_mean(name, (word for word in known if not word.startswith("_")))
    return found if found.endswith("?") else ""


def told(function: Callable[..., object], *args: object) -> str:
    """What this Python says when a function fails; its versions differ."""
    try:
        return f"{function(*args)}"
    except Exception as error:
        return str(error)


def placed_at(function: object, text: str) -> CannotCompile:
    """What is wrong with a whole function."""
    code = getattr(function, "__code__", None)
    return CannotCompile(text, code.co_filename, code.co_firstlineno) if code else CannotCompile(text)
