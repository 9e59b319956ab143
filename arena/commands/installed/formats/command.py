"""`arena formats`."""

from __future__ import annotations

import click

from arena.cli.options import json_option, wide_option
from arena.cli.parameters import FORMAT
from arena.commands.installed.listing import show_installed


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

    show_installed(lambda: arena.formats(name), name, "format", as_json)
