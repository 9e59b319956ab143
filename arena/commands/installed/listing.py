"""Output of `arena games`, `arena agents` and similar commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from arena.cli.printing import show, width
from arena.show.presentation import text_of
from arena.show.progress import busy
from arena.texts import on_one_line

if TYPE_CHECKING:
    from arena.commands.installed.call import InstalledList, PluginList


def show_installed(look: Callable[[], InstalledList], name: str | None, kind: str, as_json: bool) -> None:
    """Print the installed plugins of a kind as a table, or the details of one by name.

    Args:
        look: Function that returns the result.
        name: Name of one plugin; None for all.
        kind: The kind, such as `game`.
        as_json: Whether to print JSON.
    """
    with busy(f"Looking at {name or f'the {kind}s'}"):
        found = look()
    if name and not as_json:
        list_installed(found)
    else:
        show(found, found.to_dicts() if as_json else None)


def list_installed(found: InstalledList | PluginList) -> None:
    """Print the name of each item in bold, with its details below."""
    columns = width()
    for one in found:
        source = on_one_line(f"{one.distribution} {one.version}")
        click.echo(f"{click.style(on_one_line(one.name), bold=True)}  ({source})")
        for line in one.details():
            click.echo(text_of(line, width=columns))
