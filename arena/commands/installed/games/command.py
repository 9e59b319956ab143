"""The command line of `arena games`."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import json_option, wide_option
from arena.cli.parameters import GAME
from arena.commands.installed.listing import show_installed


@click.command(cls=Command, page="docs/reference/games.md")
@click.argument("name", required=False, type=GAME)
@wide_option
@json_option
def games(name: str | None, as_json: bool) -> None:
    """List the installed games, or describe game NAME: capabilities, options and version.

    \b
    Example:
      arena games tic-tac-toe

    With NAME it also shows whether the rules run compiled, and if not why.
    """
    import arena

    show_installed(lambda: arena.games(name), name, "game", as_json)
