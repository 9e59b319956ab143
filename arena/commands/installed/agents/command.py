"""`arena agents`."""

from __future__ import annotations

import click

from arena.cli.options import json_option, wide_option
from arena.cli.parameters import AGENT, GAME
from arena.cli.printing import usage_error
from arena.commands.installed.listing import show_installed


@click.command()
@click.argument("name", required=False, type=AGENT)
@click.option("--game", type=GAME, help="Where it would run compiled; by default the first installed.")
@wide_option
@json_option
def agents(name: str | None, game: str | None, as_json: bool) -> None:
    """Show the agents installed, or of one NAME what it needs of a game, its options and version.

    Of one it also says whether it runs compiled in a game, and if not why. Those that learn may have
    protocols, published ones say, for `arena train --curve FILE --protocol NAME`.

    \b
    Examples:
      arena agents minimax
      arena agents minimax --game checkers
    """
    if game and not name:
        raise usage_error("--game goes with the NAME of an agent")
    import arena

    show_installed(lambda: arena.agents(name, game=game), name, "agent", as_json)
