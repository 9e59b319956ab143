"""How `arena games`, `arena agents` and the like list what is installed."""

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
    """Show what `look` finds: all of a kind in a table, or all there is to know of the one that is named."""
    with busy(f"Looking at {name or f'the {kind}s'}"):
        found = look()
    if name and not as_json:
        list_installed(found)
    else:
        show(found, found.to_dicts() if as_json else None)


def list_installed(found: InstalledList | PluginList) -> None:
    """The name of each in bold, and below it what there is to know of it."""
    columns = width()
    for one in found:
        source = on_one_line(f"{one.distribution} {one.version}")
        click.echo(f"{click.style(on_one_line(one.name), bold=True)}  ({source})")
        for line in one.details():
            click.echo(text_of(line, width=columns))
