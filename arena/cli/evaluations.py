"""`arena evaluations`."""

from __future__ import annotations

import click

from arena.cli.listing import list_installed
from arena.cli.options import json_option, wide_option
from arena.cli.parameters import EVALUATION
from arena.cli.printing import show
from arena.report.progress import busy


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

    with busy(f"Looking at {name}" if name else "Looking at the evaluations"):
        found = arena.evaluations(name)
    if name and not as_json:
        list_installed(found)
    else:
        show(found, found.to_dicts() if as_json else None)
