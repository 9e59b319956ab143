"""`arena games`."""

from __future__ import annotations

import click

from arena.cli.options import json_option, wide_option
from arena.cli.parameters import GAME
from arena.commands.installed.listing import show_installed


@click.command()
@click.argument("name", required=False, type=GAME)
@wide_option
@json_option
def games(name: str | None, as_json: bool) -> None:
    """Show the games installed, or of one NAME its capabilities, options and version.

    Of one it also says whether its rules run compiled, and if not why.

    \b
    Example:
      arena games tic-tac-toe
    """
    import arena

    show_installed(lambda: arena.games(name), name, "game", as_json)
