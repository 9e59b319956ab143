"""Results, warnings and errors printed."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from arena.report.shown import Shown


def usage_error(text: str) -> click.UsageError:
    return click.UsageError(text, click.get_current_context())


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def show(result: Shown, as_json: Any = None) -> None:
    """Print a result: as JSON if given what JSON has of it, else as text."""
    if as_json is not None:
        print_json(as_json)
    else:
        click.echo(result.text(styled=True))


def warn(lines: Sequence[str]) -> None:
    for line in lines:
        click.echo(f"Warning: {line}", err=True)


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Python's warnings, of things renamed say, as lines like all others."""

    def showwarning(message: Any, category: Any, *rest: Any, **named: Any) -> None:
        click.echo(f"Warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = showwarning
        yield


def number(models: int) -> str:
    """`1 model`, `3 models`."""
    return "1 model" if models == 1 else f"{models} models"


def tell(done: str, about: Any, where: str) -> None:
    """Say what was done with a model."""
    unfinished = "" if about.finished else f", learned from {about.episodes:,} of {about.planned:,} episodes,"
    click.echo(f"{done} model {about.key}, {about.agent} at {about.game}{unfinished} {where}", err=True)
