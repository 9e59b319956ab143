"""Texts for display: strings of others are escaped, and remedies are in the caller's own words.

A string of somebody else neither moves the cursor, ends a line nor turns it round. What a caller is told to
write is an option on the command line, and an argument in Python:

    told                               on the command line           in Python
    argument("db")                     --db                          db=
    argument("keep_going", True)       --keep-going                  keep_going=True
    argument("openings", "random:N")   --openings random:N           openings="random:N"
    call("train", "psv", game="nim")   arena train psv --game nim    arena.train("psv", game="nim")
    either("--seed N", "seed=N")       --seed N                      seed=N

Callers ask in Python, except within `at_the_command_line`. Workers use the words of the caller.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

# C0, DEL, C1; marks and overrides of direction; separators of lines and paragraphs; half characters
HIDDEN = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
CONTROL = re.compile(f"[{HIDDEN}]")
NOT_NEWLINE = re.compile(f"(?!\n)[{HIDDEN}]")
MARKDOWN = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")  # within a word `_` means nothing
NOTE = "Note: "  # begins advice for the user
no_notes = threading.Event()  # set while a command writes JSON, when advice is left out
FORMULA = ("=", "+", "-", "@")  # what a cell begins with that spreadsheets compute


def on_one_line(text: str) -> str:
    r"""Return a text with what cannot be seen escaped as in Python, newlines too: `\n`, `\x1b`, `\u202e`."""
    return text if text.isascii() and text.isprintable() else CONTROL.sub(escaped, text)


def on_lines(text: str) -> str:
    """Like `on_one_line`, but keep newlines."""
    return NOT_NEWLINE.sub(escaped, text.replace("\r\n", "\n"))


def escaped(found: re.Match[str]) -> str:
    """Return a character as Python writes it."""
    return found[0].encode("unicode_escape").decode()


def in_json(text: str) -> str:
    r"""JSON whose texts have what cannot be seen as `\u202e`, which they mean."""
    return NOT_NEWLINE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def in_markdown(text: str) -> str:
    """Return a text for a cell of a table in Markdown, where it is shown as it is."""
    return MARKDOWN.sub(r"\\\g<0>", on_one_line(text))


def in_csv(text: str) -> str:
    """Return a text for a cell, with an apostrophe before what a spreadsheet would compute."""
    shown = on_one_line(text)
    return f"'{shown}" if shown.startswith(FORMULA) else shown


Answer = TypeVar("Answer")

typed: ContextVar[bool] = ContextVar("typed", default=False)  # whether it is the command line that asks


@contextmanager
def at_the_command_line() -> Iterator[None]:
    """Word messages in this context for the command line."""
    before = typed.set(True)
    try:
        yield
    finally:
        typed.reset(before)


def either(command: str, python: str) -> str:
    """Return one of two texts, for the command line or for Python."""
    return command if typed.get() else python


def argument(name: str, value: object = None) -> str:
    """Return an argument of a call, or the option of the same name; with its value, if there is one."""
    return either(option(name, value), f"{name}={in_python(value)}")


def call(name: str, *positional: object, **named: object) -> str:
    """Return a call, or the command of the same name: `arena.tournaments.show` or `tournaments show`.

    What is None among what is named is left out.
    """
    given = {key: value for key, value in named.items() if value is not None}
    words = ["arena", name, *map(in_shell, positional), *(option(*one) for one in given.items())]
    inside = [*map(in_python, positional), *(f"{key}={in_python(value)}" for key, value in given.items())]
    return either(" ".join(words), f"arena.{name.replace(' ', '.')}({', '.join(inside)})")


def option(name: str, value: object = None) -> str:
    """`--force`, `--max-plies 100`."""
    dashed = "--" + name.replace("_", "-")
    return dashed if value is None or value is True else f"{dashed} {in_shell(value)}"


def in_shell(value: object) -> str:
    """Return a value as a shell takes it for one word."""
    from shlex import quote  # which a command that tells nothing need not wait for

    return quote(str(value))


def in_python(value: object) -> str:
    """Return a value as in Python source, texts between double quotes; empty for None."""
    if value is None:
        return ""
    plain = isinstance(value, str) and value.isprintable() and not {'"', "\\"} & {*value}
    return f'"{value}"' if plain else repr(value)


def as_asked(by_command: bool, function: Callable[..., Answer], *arguments: object) -> Answer:
    """In a worker: what a function gives, told to who asked for it. by_command: as `typed` was there."""
    before = typed.set(by_command)
    try:
        return function(*arguments)
    finally:
        typed.reset(before)


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share as `58.5 %`, or an empty text for None."""
    return "" if share is None else f"{100 * share:.{digits}f} %"


def three_digits(number: float) -> str:
    """Return a number with three significant digits: `1,230`, `4.56`, `0.00123`."""
    places = max(0, 2 - math.floor(math.log10(number))) if number > 0 else 0
    return f"{number:,.{min(places, 9)}f}"
