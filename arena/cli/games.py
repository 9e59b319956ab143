"""`arena games`."""

from __future__ import annotations

import click

from arena.cli.listing import list_installed
from arena.cli.options import json_option
from arena.cli.parameters import GAME
from arena.cli.printing import print_json


@click.command()
@click.argument("name", required=False, type=GAME)
@json_option
def games(name: str | None, as_json: bool) -> None:
    """Show the games installed, or the one of that NAME: capabilities, options, version.

    Of one it also says whether its rules run compiled, and if not why.

    \b
    Example:
      arena games tic-tac-toe
    """
    import arena

    found = arena.games(name)
    print_json(found.to_dicts()) if as_json else list_installed(found)
