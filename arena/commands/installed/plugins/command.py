"""The command line of `arena plugins`."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import json_option
from arena.cli.printing import print_json
from arena.commands.installed.listing import list_installed
from arena.show.progress import busy


@click.command(cls=Command, page="docs/how-to/write-other-plugins.md")
@json_option
def plugins(as_json: bool) -> None:
    """List the installed plugins, what each provides, and errors in loading them.

    \b
    Example:
      arena plugins --json
    """
    import arena

    with busy("Loading the plugins"):
        found = arena.plugins()
    print_json(found.to_dicts()) if as_json else list_installed(found)
