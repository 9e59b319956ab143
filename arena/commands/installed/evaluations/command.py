"""`arena evaluations`."""

from __future__ import annotations

import click

from arena.cli.options import json_option, wide_option
from arena.cli.parameters import EVALUATION
from arena.commands.installed.listing import show_installed


@click.command()
@click.argument("name", required=False, type=EVALUATION)
@wide_option
@json_option
def evaluations(name: str | None, as_json: bool) -> None:
    """Show the evaluations installed, or of one NAME what it needs of a game, its options and version.

    Search judges by them the positions at which it stops: alpha-beta:depth=4,evaluation=material.

    \b
    Example:
      arena evaluations material
    """
    import arena

    show_installed(lambda: arena.evaluations(name), name, "evaluation", as_json)
