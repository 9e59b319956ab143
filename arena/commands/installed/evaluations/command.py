"""The command line of `arena evaluations`."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import json_option, wide_option
from arena.cli.parameters import EVALUATION
from arena.commands.installed.listing import show_installed


@click.command(cls=Command, page="docs/reference/others.md")
@click.argument("name", required=False, type=EVALUATION)
@wide_option
@json_option
def evaluations(name: str | None, as_json: bool) -> None:
    """List the installed evaluation functions, or describe NAME: requirements, options and version.

    \b
    Example:
      arena evaluations material

    A search uses them for the positions where it stops: alpha-beta:depth=4,evaluation=material.
    """
    import arena

    show_installed(lambda: arena.evaluations(name), name, "evaluation", as_json)
