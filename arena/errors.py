"""Errors that users see as a single line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from arena.texts import on_one_line


class ArenaError(Exception):
    """An error caused by the user, a plugin or the machine; one line says what is wrong and what to do.

    The command line prints it and exits with status 1. Any other exception is a bug and shows its traceback.
    """


class Stopped(ArenaError):
    """A call was stopped early. The message says which results were saved and how to continue."""


class Untrained(ArenaError):
    """A learner has no model yet."""


class Reported(Exception):
    """An error raised in another process; its message is shown without the type's name."""


class AsksTerminal(Reported):
    """An agent or a game asked for input, but matches are played without a terminal."""


class Renamed(FutureWarning):
    """A name has changed; the old one works until the next release."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `, did you mean 'random'?` for a word similar to a known one, else `; known: first, random`."""
    known = list(known)
    if close := get_close_matches(word, known, n=1, cutoff=0.5):
        return f", did you mean {close[0]!r}?"
    return f"; known: {', '.join(known)}" if known else ""


def one_line(error: BaseException) -> str:
    """Return an exception as one line, such as `ZeroDivisionError: division by zero`."""
    name = on_one_line(type(error).__name__)
    text = on_one_line(" ".join(safe_text(str, error).split()))
    if isinstance(error, Reported):
        return text
    return f"{name}: {text}" if text else name


def brief(text: str) -> str:
    """Return at most 500 characters of a text, without memory addresses and safe to store."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x…", text[:1000])[:500]
    return text.encode(errors="replace").decode()  # lone surrogates cannot be stored


def safe_text(tell: Callable[[Any], str], thing: object) -> str:
    """Return `tell(thing)` for an object of a plugin, or the name of its class if `tell` fails."""
    try:
        return tell(thing)
    except BaseException:
        return f"<{type(thing).__name__}>"
