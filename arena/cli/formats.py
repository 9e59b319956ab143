"""`arena formats`."""

from __future__ import annotations

import click

from arena.cli.listing import list_installed
from arena.cli.options import json_option, wide_option
from arena.cli.parameters import FORMAT
from arena.cli.printing import show
from arena.report.progress import busy


@click.command()
@click.argument("name", required=False, type=FORMAT)
@wide_option
@json_option
def formats(name: str | None, as_json: bool) -> None:
    """Show the formats installed, or of one NAME its options and version.

    A format says who meets whom in a tournament: arena tournament --format gauntlet:first=2.

    \b
    Example:
      arena formats swiss
    """
    import arena

    with busy(f"Looking at {name}" if name else "Looking at the formats"):
        found = arena.formats(name)
    if name and not as_json:
        list_installed(found)
    else:
        show(found, found.to_dicts() if as_json else None)
