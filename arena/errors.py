"""The errors a user sees as one line."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from arena.texts import on_one_line


class ArenaError(Exception):
    """A fault of the user's, a plugin's or the machine's, told in one line: thing, value, remedy.

    The command line prints it and exits with status 1. Anything else that escapes is a bug of
    arena's and keeps its traceback.
    """


class Stopped(ArenaError):
    """What was asked for has been stopped: what is kept of it, and how to go on."""


class Untrained(ArenaError):
    """A learner has no model yet, so that nothing can be said of how it plays."""


class Reported(Exception):
    """An error of another process in one line, which says all."""


class AsksTerminal(Reported):
    """An agent or a game asked for input, but matches are played without a terminal."""


class Renamed(FutureWarning):
    """Something goes by another name now; the old one works until the next release."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`, did you mean 'random'?` for a near miss, else `; known: first, random`."""
    known = list(known)
    if close := get_close_matches(word, known, n=1, cutoff=0.5):
        return f", did you mean {close[0]!r}?"
    return f"; known: {', '.join(known)}" if known else ""


def whole_number(name: str, value: Any) -> int:
    """A whole number as Python's own, of numpy's say, or ArenaError."""
    try:
        return operator.index(value)
    except TypeError as error:
        raise ArenaError(f"{name} takes a whole number, not {safe_text(repr, value)}") from error


def one_line(error: BaseException) -> str:
    """`ZeroDivisionError: division by zero`, on one line whatever the message."""
    name = on_one_line(type(error).__name__)
    text = on_one_line(" ".join(safe_text(str, error).split()))
    if isinstance(error, Reported):
        return text
    return f"{name}: {text}" if text else name


def brief(text: str) -> str:
    """At most 500 characters of a text, without addresses, which differ each time, and storable."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x…", text[:1000])[:500]
    return text.encode(errors="replace").decode()  # half characters cannot be stored


def safe_text(tell: Callable[[Any], str], thing: object) -> str:
    """A text made of a plugin's object, by `repr` say; its class if that raises."""
    try:
        return tell(thing)
    except BaseException:
        return f"<{type(thing).__name__}>"
