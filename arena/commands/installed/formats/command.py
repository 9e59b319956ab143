"""The command line of `arena formats`."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import json_option, wide_option
from arena.cli.parameters import FORMAT
from arena.commands.installed.listing import show_installed


@click.command(cls=Command, page="docs/how-to/choose-who-meets-whom.md")
@click.argument("name", required=False, type=FORMAT)
@wide_option
@json_option
def formats(name: str | None, as_json: bool) -> None:
    """List the installed tournament formats, or describe format NAME: options and version.

    \b
    Example:
      arena formats swiss

    A format decides who plays whom: arena tournament --format gauntlet:first=2.
    """
    import arena

    show_installed(lambda: arena.formats(name), name, "format", as_json)
