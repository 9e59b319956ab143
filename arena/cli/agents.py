"""`arena agents`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import AGENT, GAME, json_option
from arena.cli.offers import compiling, show_offers

if TYPE_CHECKING:
    from arena.api.agent import Agent
    from arena.api.game import Game


@click.command()
@click.argument("name", required=False, type=AGENT)
@click.option("--game", type=GAME, help="Where it would run compiled; by default the first installed.")
@json_option
def agents(name: str | None, game: str | None, as_json: bool) -> None:
    """Show the agents installed, or the one of that NAME: what they need of a game, options, version.

    Of one it also says whether it runs compiled in a game, and if not why. Those that learn may have
    protocols, published ones say, for `arena train --curve FILE --protocol NAME`.

    \b
    Examples:
      arena agents minimax
      arena agents minimax --game checkers
    """
    if game and not name:
        raise click.UsageError("--game goes with the NAME of an agent", click.get_current_context())

    def facts(cls: Any) -> dict[str, Any]:
        return {
            "needs": list(cls.needs),
            "protocols": {name: found.describe() for name, found in cls.protocols.items()},
            **(compiled_at(of, cls) if of else {}),
        }

    of = made(game) if name else None
    show_offers("agent", name, as_json, facts)


def made(name: str | None) -> Game:
    """The game of that name, or the first installed, with compiled rules."""
    from arena.compiler import with_compiled_rules
    from arena.matches.settings import default_game, make_game
    from arena.registry.plugins import registry

    game: Game = with_compiled_rules(make_game(registry().spec("game", name or default_game(registry()))))
    return game


def compiled_at(game: Game, cls: type[Agent]) -> dict[str, Any]:
    """Whether an agent runs compiled in a game, and if not why."""
    from arena.api.learner import Learner

    def make() -> Agent:
        agent = cls(game)
        if isinstance(agent, Learner):
            agent.begin_learning()
        return agent

    return {"game": str(game), **compiling(make)}
