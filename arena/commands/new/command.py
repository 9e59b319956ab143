"""`arena new`: create a package to start from."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import json_option
from arena.cli.printing import show


@click.command(cls=Command, page="docs/tutorial.md")
@click.argument("kind", type=click.Choice(["agent", "game", "learner", "season"]))
@click.argument("name")
@click.option("--folder", type=click.Path(), help="The folder to create.  [default: arena-NAME, or NAME]")
@json_option
def new(kind: str, name: str, folder: str | None, as_json: bool) -> None:
    """Create a package for an agent, a game or a learner called NAME, or the folder of a season.

    \b
    Examples:
      arena new agent early-bird
      arena new game nim --folder games/nim
      arena new learner my-q
      arena new season autumn

    A package has a module, tests and a README. It works as it is. Install it with 'pip install -e FOLDER',
    edit it, and test it with 'arena check NAME'. The folder of a season has its settings, a folder for
    players, and a workflow for GitHub; 'arena season NAME' plays it.
    """
    import arena

    found = arena.new(kind, name, folder=folder)
    show(found, found.to_dict() if as_json else None)
