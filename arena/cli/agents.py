"""`arena agents`."""

from __future__ import annotations

import click

from arena.cli.common import AGENT, json_option
from arena.cli.offers import show_offers


@click.command()
@click.argument("name", required=False, type=AGENT)
@json_option
def agents(name: str | None, as_json: bool) -> None:
    """Show the agents installed, or the one of that NAME: what they need of a game, options, version.

    Those that learn may have protocols, published ones say, for `arena train --curve FILE --protocol NAME`.

    \b
    Example:
      arena agents minimax
    """
    show_offers(
        "agent",
        name,
        as_json,
        lambda cls: {
            "needs": list(cls.needs),
            "protocols": {name: found.describe() for name, found in cls.protocols.items()},
        },
    )
