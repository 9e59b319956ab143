"""`arena plugins`."""

from __future__ import annotations

import click

from arena.cli.options import json_option
from arena.cli.printing import print_json
from arena.commands.installed.listing import list_installed
from arena.show.progress import busy


@click.command()
@json_option
def plugins(as_json: bool) -> None:
    """Show the plugins installed, what each offers, and what failed to load and why.

    \b
    Example:
      arena plugins --json
    """
    import arena

    with busy("Looking at the plugins"):
        found = arena.plugins()
    print_json(found.to_dicts()) if as_json else list_installed(found)
