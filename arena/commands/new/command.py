"""`arena new`: a package to go on from."""

from __future__ import annotations

import click

from arena.cli.options import json_option
from arena.cli.printing import show


@click.command()
@click.argument("kind", type=click.Choice(["agent", "game"]))
@click.argument("name")
@click.option(
    "--folder", type=click.Path(), help="Where, a folder that is not there yet.  [default: arena-NAME]"
)
@json_option
def new(kind: str, name: str, folder: str | None, as_json: bool) -> None:
    """Write a package of an agent or a game called NAME: a module, tests, a README, and how to install it.

    It plays as it is. Install it by pip install -e, change what it does, and look at it by arena check.

    \b
    Examples:
      arena new agent early-bird
      arena new game nim --folder games/nim
    """
    import arena

    found = arena.new(kind, name, folder=folder)
    show(found, found.to_dict() if as_json else None)
