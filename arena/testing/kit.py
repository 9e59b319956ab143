"""Games and agents held to their promises, in one call each."""

from __future__ import annotations

from collections.abc import Mapping

from arena.api.agent import Agent
from arena.api.game import Game
from arena.testing import agent as agents
from arena.testing import game as games
from arena.testing.promise import findings, insist


def check_game(
    game: Game | type[Game],
    matches: int = games.MATCHES,
    seed: int = 0,
    positions: int = games.POSITIONS,
) -> None:
    """AssertionError unless a game does what `Game` promises, near the start and in random matches.

    positions: how many are looked at closely. The error says which promise is broken, where, after which
    moves, and what to do.
    """
    made = game() if isinstance(game, type) else game
    insist(type(made).__name__, findings(games.look_at_game(made, matches, seed, positions)))


def check_agent(
    cls: type[Agent],
    game: Game | type[Game],
    matches: int = agents.MATCHES,
    seed: int = 0,
    options: Mapping[str, object] | None = None,
) -> None:
    """AssertionError unless an agent does what `Agent` promises, in matches against random moves.

    It plays from either seat. The same matches are played again later on, by another agent and in another
    process, and must go the same way; so must the beginnings of two in plain Python. If it explains its
    moves, or says with which probabilities it makes them, it must make them accordingly in these.

    A learner is trained first: from as many episodes as options say, else from 100, or fewer if they take
    long. Its model must be the same to the bit when it learns again, in pieces, interrupted, in another
    process and in plain Python, and stay so in a file; and whoever has recalled it must play the same. The
    models that the user keeps are left alone. Learners that the agent names in its options are
    trained before, as for a tournament, unless they have been.
    """
    made = game() if isinstance(game, type) else game
    insist(cls.__name__, findings(agents.look_at_agent(cls, made, matches, seed, options)))
