"""`arena games`."""

from __future__ import annotations

from typing import Any

import click

from arena.cli.common import GAME, json_option
from arena.cli.offers import compiling, show_offers


@click.command()
@click.argument("name", required=False, type=GAME)
@json_option
def games(name: str | None, as_json: bool) -> None:
    """Show the games installed, or the one of that NAME: capabilities, options, version.

    Of one it also says whether its rules run compiled, and if not why.

    \b
    Example:
      arena games tic-tac-toe
    """

    def facts(cls: Any) -> dict[str, Any]:
        return {"capabilities": list(cls().capabilities), **(compiling(cls) if name else {})}

    show_offers("game", name, as_json, facts)
