"""The conformance kit: what the author of a game or an agent runs, in one line each.

    from arena.testing import check_agent, check_game

    def test_my_game_keeps_its_promises():
        check_game(MyGame())

    def test_my_agent_keeps_its_promises():
        check_agent(MyAgent, MyGame(), options={"depth": 2})

The first fault found raises AssertionError, which says what is wrong, and in which position.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from arena.api.agent import Agent
from arena.api.game import Game, State
from arena.api.learner import Learner
from arena.compiler import plainly
from arena.rng import derive
from arena.testing.blame import blaming
from arena.testing.explaining import check_views
from arena.testing.learning import check_learning, train_named
from arena.testing.matches import (
    agent_match,
    agent_matches,
    check_irreversible,
    compare,
    in_another_process,
    random_match,
    random_matches,
)
from arena.testing.moving import check_probabilities
from arena.testing.position import CHECKS, equals_its_copy
from arena.testing.whole import class_is_sound, count, declarations, refuses_nonsense, travels

__all__ = ["check_agent", "check_game"]

BEGUN = 10  # plies of a match that are played in plain Python too, or explained
CLOSE_LOOKS = 1000  # positions that every check sees, in the order that play first meets them


def check_game(game: Game, matches: int = 50, seed: int = 0) -> None:
    """AssertionError unless a game does what `Game` promises, in the positions of so many random matches."""
    seeds = [derive(seed, number) for number in range(matches)]
    with blaming(game):
        declarations(game)
    seen: set[State] = set()
    ended = 0
    for state in (state for s in seeds for state in random_match(game, s)):
        with blaming(game, state):
            equals_its_copy(state)
            if state not in seen and len(seen) < CLOSE_LOOKS:
                seen.add(state)
                for capability in ("", *game.capabilities):
                    for check in CHECKS.get(capability, ()):
                        check(game, state)
            ended += not game.moves(state)
    with blaming(game):
        assert ended, f"none of {matches} random matches ends within max_plies, {game.max_plies}"
        count(game)
        travels(game)
    if game.repetition or game.quiet_plies:
        for match_seed in seeds:
            check_irreversible(game, match_seed)
    again = in_another_process(game, random_matches, game, seeds[:10])
    compare(game, random_matches(game, seeds[:10]), again, "moves gives", "in another process")
    with blaming(game):
        refuses_nonsense(game)


def check_agent(
    cls: type[Agent],
    game: Game,
    matches: int = 10,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
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
    seeds = [derive(seed, number) for number in range(matches)]
    make: Callable[[], Agent] = partial(cls, game, **(options or {}))
    how = "made again"
    agent: Agent
    with blaming(cls):
        class_is_sound(cls)
        train_named(cls, game, options or {})
    if issubclass(cls, Learner):
        agent, make = check_learning(cls, game, options or {})
        how = "having recalled its model"
    else:
        with blaming(cls):
            agent = make()
    played = agent_matches(lambda: agent, seeds)
    compare(cls, played, agent_matches(lambda: agent, seeds), "plays", "having played other matches")
    compare(cls, played, agent_matches(make, seeds), "plays", how)
    compare(cls, played, in_another_process(cls, agent_matches, make, seeds), "plays", "in another process")
    if check_views(agent, [match[:BEGUN] for match in played[:2]]):
        compare(
            cls, played[:2], agent_matches(lambda: agent, seeds[:2]), "plays", "having explained its moves"
        )
    check_probabilities(agent, [match[:BEGUN] for match in played[:2]])
    with plainly():
        plain = make()
        begun = [agent_match(plain, number % 2, seed, BEGUN) for number, seed in enumerate(seeds[:2])]
    compare(cls, played[:2], begun, "plays", "in plain Python")
