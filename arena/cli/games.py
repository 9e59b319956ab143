"""`arena games`."""

from __future__ import annotations

import click

from arena.cli.common import GAME, json_option
from arena.cli.offers import show_offers


@click.command()
@click.argument("name", required=False, type=GAME)
@json_option
def games(name: str | None, as_json: bool) -> None:
    """Show the games installed, or the one of that NAME: capabilities, options, version.

    \b
    Example:
      arena games tic-tac-toe
    """
    show_offers("game", name, as_json, lambda cls: {"capabilities": list(cls().capabilities)})
