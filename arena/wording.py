"""What callers are told to write, in their own words: options on the command line, arguments in Python.

    told                               on the command line           in Python
    argument("db")                     --db                          db=
    argument("keep_going", True)       --keep-going                  keep_going=True
    argument("openings", "random:N")   --openings random:N           openings="random:N"
    call("train", "psv", game="nim")   arena train psv --game nim    arena.train("psv", game="nim")
    either("--seed N", "seed=N")       --seed N                      seed=N

Whoever asks, asks in Python, but within `at_the_command_line`. What is done in workers is told as asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Answer = TypeVar("Answer")

typed: ContextVar[bool] = ContextVar("typed", default=False)  # whether it is the command line that asks


@contextmanager
def at_the_command_line() -> Iterator[None]:
    """What is told meanwhile is told to somebody who types commands."""
    before = typed.set(True)
    try:
        yield
    finally:
        typed.reset(before)


def either(command: str, python: str) -> str:
    """One of two texts, by who asks."""
    return command if typed.get() else python


def argument(name: str, value: object = None) -> str:
    """An argument of a call, or the option of the same name; with its value, if there is one."""
    return either(option(name, value), f"{name}={in_python(value)}")


def call(name: str, *positional: object, **named: object) -> str:
    """A call of arena's, or the command of the same name: `tournaments show` is `arena.tournaments.show`.

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
    """A value as a shell takes it for one word."""
    from shlex import quote  # which a command that tells nothing need not wait for

    return quote(str(value))


def in_python(value: object) -> str:
    """A value as Python has it, texts between double quotes; nothing for None."""
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
