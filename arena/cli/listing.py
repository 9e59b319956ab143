"""How `arena games`, `arena agents` and `arena plugins` list what is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from arena.cli.printing import width
from arena.report.shown import text_of
from arena.texts import on_one_line


def list_installed(found: Sequence[Any]) -> None:
    """The name of each in bold, and below it what there is to know of it."""
    columns = width()
    for one in found:
        source = on_one_line(f"{one.distribution} {one.version}")
        click.echo(f"{click.style(on_one_line(one.name), bold=True)}  ({source})")
        for line in one.details():
            click.echo(text_of(line, width=columns))
