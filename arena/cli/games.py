"""`arena games`."""

from __future__ import annotations

import click

from arena.cli.listing import list_installed
from arena.cli.options import json_option, wide_option
from arena.cli.parameters import GAME
from arena.cli.printing import show
from arena.report.progress import busy


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

    with busy(f"Looking at {name}" if name else "Looking at the games"):
        found = arena.games(name)
    if name and not as_json:
        list_installed(found)
    else:
        show(found, found.to_dicts() if as_json else None)
