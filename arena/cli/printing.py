"""Printing of results, warnings and errors."""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.errors import ArenaError
from arena.show.display import size_of
from arena.show.grid import folded
from arena.stream_encoding import signs_in_json
from arena.texts import in_json, on_one_line

if TYPE_CHECKING:
    from arena.show.presentation import Shown


WIDE = "arena.wide"  # key of the flag --wide in `click.Context.meta`


def usage_error(text: str) -> click.UsageError:
    return click.UsageError(text, click.get_current_context())


def say(line: str, err: bool = False, hang: int = 2) -> None:
    """Print a line with control characters escaped, wrapped if printed to a terminal. hang: see `folded`."""
    stream = sys.stderr if err else sys.stdout
    at_terminal = stream is not None and stream.isatty()
    lines = folded(line, size_of(stream).columns, hang) if at_terminal else [on_one_line(line)]
    click.echo("\n".join(lines), err=err)


def print_json(value: object, indent: int | None = 2) -> None:
    echo_json(in_json(json.dumps(value, indent=indent, ensure_ascii=False)))


def echo_json(text: str) -> None:
    """Print JSON, escaping characters that standard output cannot encode."""
    click.echo(signs_in_json(text))


def write_or_echo(text: str, file: str) -> None:
    """Write text to a file, or to standard output if the file is `-`; raise ArenaError if that fails."""
    if file == "-":
        click.echo(text, nl=False)
        return
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"cannot write {file}: {error.strerror}") from error


def show(result: Shown, as_json: object = None) -> None:
    """Print a result as text, or print `as_json` as JSON if it is not None."""
    if as_json is not None:
        print_json(as_json)
    else:
        columns = width()
        click.echo(result.text(styled=True, width=columns))
        if columns:
            for hint in result.hints():
                click.secho("\n".join(folded(hint, columns)), dim=True)


def width() -> int | None:
    """Return the width of the terminal; None if the output is not a terminal or --wide is set."""
    wide = click.get_current_context().meta.get(WIDE)
    return None if wide or not sys.stdout.isatty() else shutil.get_terminal_size().columns


def agreed(what: str, yes: bool) -> bool:
    """Return whether to remove something: ask unless `yes` is set; raise UsageError without a terminal."""
    if yes:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise usage_error(f"cannot ask whether to remove {what}: not at a terminal; use --yes")
    room = shutil.get_terminal_size().columns - len(" [y/N]: ")
    if not click.confirm("\n".join(folded(f"Remove {what}?", room)), err=True):
        click.echo("Nothing was removed.", err=True)
        return False
    return True


def warn(lines: Sequence[str]) -> None:
    for line in lines:
        say(f"Warning: {line}", err=True)


def insist_on_results(forfeited: bool, more: str = "") -> None:
    """Raise ArenaError if all matches were forfeited. more: command that shows details."""
    if forfeited:
        told = f"; for details: {more}" if more else ""
        raise ArenaError(
            f"every match was forfeited, so there is no result; fix the errors in the warnings{told}"
        )


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Print Python's warnings, such as those of renamed options, as one line each."""

    def showwarning(message: object, category: object, *rest: object, **named: object) -> None:
        say(f"Warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = showwarning
        yield


def number(models: int) -> str:
    """Return a number of models as text, such as `1 model` or `3 models`."""
    return "1 model" if models == 1 else f"{models} models"


def tell(done: str, about: Any, where: str) -> None:
    """Print a line that says what was done with a model, and describes the model."""
    unfinished = "" if about.finished else f", trained on {about.episodes:,} of {about.planned:,} episodes,"
    say(f"{done} model {about.key}, {about.agent} at {about.game}{unfinished} {where}", err=True)
