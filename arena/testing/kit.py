"""The functions `check_game` and `check_agent`, which check a game or an agent in one call."""

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
    """Check that a game keeps the API contract of `Game`, near the start and in random matches.

    Args:
        game: The game, or its class.
        matches: Number of random matches.
        seed: Seed of the matches.
        positions: Number of positions in which every promise is checked.

    Raises:
        AssertionError: At the first promise that is broken; it names the promise, the position and the moves
            that lead there, and suggests a remedy.
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
    """Check that an agent keeps the API contract of `Agent`, in matches against random moves.

    It plays from either seat. The matches are repeated with another instance and in another process, and the
    beginnings of two in plain Python; the agent must play the same. If it explains its moves or states their
    probabilities, its play must agree.

    A learner is first trained on as many episodes as its options say, by default on 100, or fewer if they
    take long. Its model must be the same, bit by bit, when it learns again, in pieces, interrupted, in
    another process and in plain Python, and when stored in a file; an instance that has recalled the model
    must play the same. The user's own models are not changed. Learners that the agent names in its options
    are trained first, as for a tournament, unless they have a model.

    Args:
        cls: Class of the agent.
        game: The game, or its class.
        matches: Number of matches.
        seed: Seed of the matches.
        options: Options of the agent.

    Raises:
        AssertionError: At the first promise that is broken; it names the promise, the position and the moves
            that lead there, and suggests a remedy.
    """
    made = game() if isinstance(game, type) else game
    insist(cls.__name__, findings(agents.look_at_agent(cls, made, matches, seed, options)))
