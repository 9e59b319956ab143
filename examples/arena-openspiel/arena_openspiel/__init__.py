"""OpenSpiel's games in arena, its Monte Carlo tree search as an agent, and a command that lists the games."""

from arena import hookimpl


@hookimpl
def register_games(register):
    register("openspiel", "arena_openspiel.game:OpenSpiel")


@hookimpl
def register_agents(register):
    register("openspiel-mcts", "arena_openspiel.mcts:Mcts")
    register("openspiel-bot", "arena_openspiel.bots:RegisteredBot")


@hookimpl
def register_commands(register):
    register(
        "openspiel", "arena_openspiel.listing:listing", "List the games of OpenSpiel that can be played."
    )
