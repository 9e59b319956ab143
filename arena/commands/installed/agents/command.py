"""The command line of `arena agents`."""

from __future__ import annotations

import click

from arena.cli.help import Command
from arena.cli.options import json_option, wide_option
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import usage_error
from arena.commands.installed.listing import show_installed


@click.command(cls=Command, page="docs/agents/README.md")
@click.argument("name", required=False, type=AGENT)
@click.option("--game", type=GAME, help="The game to compile for.  [default: the first installed]")
@wide_option
@json_option
def agents(name: str | None, game: str | None, as_json: bool) -> None:
    """List the installed agents, or describe agent NAME: requirements, options and version.

    \b
    Examples:
      arena agents minimax
      arena agents minimax --game checkers

    With NAME it also shows whether the agent runs compiled, if not why, and which protocols a learner has
    for 'arena train --curve FILE --protocol NAME'.
    """
    if game and not name:
        raise usage_error("--game needs the NAME of an agent")
    import arena

    show_installed(lambda: arena.agents(name, game=game), name, "agent", as_json)
