"""Texts for display: untrusted strings are escaped, and advice is worded for the command line or Python.

An untrusted string can neither move the cursor, end a line nor change the text direction. Messages name an
option on the command line, and an argument in Python:

    call                               on the command line           in Python
    argument("db")                     --db                          db=
    argument("keep_going", True)       --keep-going                  keep_going=True
    argument("openings", "random:N")   --openings random:N           openings="random:N"
    call("train", "psv", game="nim")   arena train psv --game nim    arena.train("psv", game="nim")
    either("--seed N", "seed=N")       --seed N                      seed=N

The wording is for Python, except within `at_the_command_line`. Workers use the wording of the caller.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

# C0, DEL, C1; direction marks and overrides; line and paragraph separators; surrogates
HIDDEN = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
CONTROL = re.compile(f"[{HIDDEN}]")
NOT_NEWLINE = re.compile(f"(?!\n)[{HIDDEN}]")
MARKDOWN = re.compile(r"[\\`*\[\]<>|~&]|(?<![^\W_])_|_(?![^\W_])")  # within a word `_` is literal
NOTE = "Note: "  # prefix of advice for the user
no_notes = threading.Event()  # set while a command writes JSON, when advice is left out
FORMULA = ("=", "+", "-", "@")  # first characters of cells that spreadsheets evaluate as formulas


def on_one_line(text: str) -> str:
    r"""Return a text with invisible characters escaped as in Python, newlines too: `\n`, `\x1b`, `\u202e`."""
    return text if text.isascii() and text.isprintable() else CONTROL.sub(escaped, text)


def on_lines(text: str) -> str:
    """Like `on_one_line`, but keep newlines."""
    return NOT_NEWLINE.sub(escaped, text.replace("\r\n", "\n"))


def escaped(found: re.Match[str]) -> str:
    """Return a character as a Python escape."""
    return found[0].encode("unicode_escape").decode()


def in_json(text: str) -> str:
    r"""Return JSON whose invisible characters are escaped, as in `\u202e`; its meaning is unchanged."""
    return NOT_NEWLINE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def in_markdown(text: str) -> str:
    """Return a text escaped for a cell of a Markdown table."""
    return MARKDOWN.sub(r"\\\g<0>", on_one_line(text))


def in_csv(text: str) -> str:
    """Return a text for a CSV cell, with an apostrophe before what a spreadsheet would evaluate."""
    shown = on_one_line(text)
    return f"'{shown}" if shown.startswith(FORMULA) else shown


Answer = TypeVar("Answer")

typed: ContextVar[bool] = ContextVar("typed", default=False)  # whether the caller is the command line


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
    """Return an argument of a call, or the command-line option of the same name, with its value if given."""
    return either(option(name, value), f"{name}={in_python(value)}")


def call(name: str, *positional: object, **named: object) -> str:
    """Return a call, or the command of the same name: `arena.tournaments.show` or `tournaments show`.

    Keyword arguments that are None are left out.
    """
    given = {key: value for key, value in named.items() if value is not None}
    words = ["arena", name, *map(in_shell, positional), *(option(*one) for one in given.items())]
    inside = [*map(in_python, positional), *(f"{key}={in_python(value)}" for key, value in given.items())]
    return either(" ".join(words), f"arena.{name.replace(' ', '.')}({', '.join(inside)})")


def option(name: str, value: object = None) -> str:
    """Return a command-line option: `--force`, `--max-plies 100`."""
    dashed = "--" + name.replace("_", "-")
    return dashed if value is None or value is True else f"{dashed} {in_shell(value)}"


def in_shell(value: object) -> str:
    """Return a value quoted as one word for a shell."""
    from shlex import quote  # imported here, as most commands do not need it

    return quote(str(value))


def in_python(value: object) -> str:
    """Return a value as Python source, with texts in double quotes; empty for None."""
    if value is None:
        return ""
    plain = isinstance(value, str) and value.isprintable() and not {'"', "\\"} & {*value}
    return f'"{value}"' if plain else repr(value)


def as_asked(by_command: bool, function: Callable[..., Answer], *arguments: object) -> Answer:
    """Call a function in a worker, with messages worded for the caller. by_command: the caller's `typed`."""
    before = typed.set(by_command)
    try:
        return function(*arguments)
    finally:
        typed.reset(before)


def percent(share: float | None, digits: int = 1) -> str:
    """Return a fraction as `58.5 %`, or an empty text for None."""
    return "" if share is None else f"{100 * share:.{digits}f} %"


def error_text(value: float, low: float | None, high: float | None) -> str:
    """Return the 95 % interval of a rating as text, to be shown after the rating.

    The text is `± 36`, or `−40 +85` if the two sides differ by more than a tenth of their mean. It is `≥ 812`
    or `≤ 812` if one end is open, and empty if both ends are.
    """
    if low is None or high is None:
        return f"≤ {high:.0f}" if high is not None else f"≥ {low:.0f}" if low is not None else ""
    below, above = value - low, high - value
    if abs(above - below) <= (above + below) / 20:
        return f"± {(high - low) / 2:.0f}"
    return f"−{below:.0f} +{above:.0f}"


def three_digits(number: float) -> str:
    """Return a number with three significant digits: `1,230`, `4.56`, `0.00123`."""
    places = max(0, 2 - math.floor(math.log10(number))) if number > 0 else 0
    return f"{number:,.{min(places, 9)}f}"
