"""Results, warnings and errors printed."""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from arena.errors import ArenaError
from arena.show.display import size_of
from arena.show.grid import folded
from arena.stream_encoding import signs_in_json
from arena.texts import in_json, on_one_line

if TYPE_CHECKING:
    from arena.show.presentation import Shown


WIDE = "arena.wide"  # whether --wide is given, in the context of a command


def usage_error(text: str) -> click.UsageError:
    return click.UsageError(text, click.get_current_context())


def say(line: str, err: bool = False, hang: int = 2) -> None:
    """Print a line, as text whatever is in it; at a terminal in as many as it takes. hang: see `folded`."""
    stream = sys.stderr if err else sys.stdout
    at_terminal = stream is not None and stream.isatty()
    lines = folded(line, size_of(stream).columns, hang) if at_terminal else [on_one_line(line)]
    click.echo("\n".join(lines), err=err)


def print_json(value: object, indent: int | None = 2) -> None:
    echo_json(in_json(json.dumps(value, indent=indent, ensure_ascii=False)))


def echo_json(text: str) -> None:
    """Print JSON, with escapes for what standard output cannot encode."""
    click.echo(signs_in_json(text))


def show(result: Shown, as_json: object = None) -> None:
    """Print a result: as JSON if given what JSON has of it, else as text."""
    if as_json is not None:
        print_json(as_json)
    else:
        columns = width()
        click.echo(result.text(styled=True, width=columns))
        if columns:
            for hint in result.hints():
                click.secho("\n".join(folded(hint, columns)), dim=True)


def width() -> int | None:
    """The columns of the terminal; None if it is none, or --wide is given, and all is shown."""
    wide = click.get_current_context().meta.get(WIDE)
    return None if wide or not sys.stdout.isatty() else shutil.get_terminal_size().columns


def agreed(what: str, yes: bool) -> bool:
    """Whether to remove something, by --yes or whoever is at the terminal; UsageError if there is neither."""
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise usage_error(f"nobody can be asked whether to remove {what}; give --yes to do it")
    room = shutil.get_terminal_size().columns - len(" [y/N]: ")
    if not click.confirm("\n".join(folded(f"Remove {what}?", room)), err=True):
        click.echo("Nothing was removed.", err=True)
        return False
    return True


def warn(lines: Sequence[str]) -> None:
    for line in lines:
        say(f"Warning: {line}", err=True)


def insist_on_results(forfeited: bool, more: str = "") -> None:
    """ArenaError if all matches were forfeited, for scripts to see. more: a command that says more of it."""
    if forfeited:
        told = f"; more: {more}" if more else ""
        raise ArenaError(
            f"every match was forfeited, so nothing was measured; mend what the warnings tell{told}"
        )


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Python's warnings, of things renamed say, as lines like all others."""

    def showwarning(message: object, category: object, *rest: object, **named: object) -> None:
        say(f"Warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = showwarning
        yield


def number(models: int) -> str:
    """`1 model`, `3 models`."""
    return "1 model" if models == 1 else f"{models} models"


def tell(done: str, about: Any, where: str) -> None:
    """Say what was done with a model."""
    unfinished = "" if about.finished else f", learned from {about.episodes:,} of {about.planned:,} episodes,"
    say(f"{done} model {about.key}, {about.agent} at {about.game}{unfinished} {where}", err=True)
