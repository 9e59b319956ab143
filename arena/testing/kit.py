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
    """Check that a game satisfies the contract of `Game`, near the start and in random matches.

    Args:
        game: The game, or its class.
        matches: Number of random matches.
        seed: Seed of the matches.
        positions: Number of positions in which every promise is checked.

    Raises:
        AssertionError: At the first broken promise; the message names the promise, the position and the moves
            that lead to it, and suggests a remedy.
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
    """Check that an agent satisfies the contract of `Agent`, in matches against random moves.

    The agent plays from each seat. The matches are repeated with another instance and in another process, and
    the beginnings of two matches in plain Python; the agent must play the same moves. If it explains its
    moves or states their probabilities, its play must agree with the explanations and probabilities.

    A learner is first trained on the number of episodes in its options, by default on 100, or fewer if they
    take long. Its model must be bit-for-bit the same when it is retrained, trained in several calls,
    interrupted, trained in another process or in plain Python, and when stored in a file; an instance that
    loads the model must play the same moves. The user's own models are not changed. Learners in the agent's
    options are trained first, as for a tournament, unless they have a model.

    Args:
        cls: Class of the agent.
        game: The game, or its class.
        matches: Number of matches.
        seed: Seed of the matches.
        options: Options of the agent.

    Raises:
        AssertionError: At the first broken promise; the message names the promise, the position and the moves
            that lead to it, and suggests a remedy.
    """
    made = game() if isinstance(game, type) else game
    insist(cls.__name__, findings(agents.look_at_agent(cls, made, matches, seed, options)))
