"""The pytest fixtures `check_game` and `check_agent`, for tests of games and agents.

    def test_my_game_keeps_its_promises(check_game):
        check_game(MyGame)

    def test_my_agent_keeps_its_promises(check_agent):
        check_agent(MyAgent, MyGame, options={"depth": 2})

Games and agents are given as classes, as `functools.partial` of a class with options, or as texts such as
`"alpha-beta:depth=2"`. The fixtures import other modules only when they are used, because every run of pytest
loads this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest


@pytest.fixture(scope="session")
def check_game() -> Callable[..., None]:
    """Fails a test unless a game keeps its promises.

    `check_game(game, matches=None, seed=0, positions=None)`.
    """

    def check(game: Any, matches: int | None = None, seed: int = 0, positions: int | None = None) -> None:
        __tracebackhide__ = True
        hold(game, matches=matches, seed=seed, positions=positions)

    return check


@pytest.fixture(scope="session")
def check_agent() -> Callable[..., None]:
    """Fails a test unless an agent keeps its promises.

    `check_agent(agent, game=None, matches=None, seed=0, options=None)`; without `game`, the agent plays the
    first installed game that it can play.
    """

    def check(
        agent: Any,
        game: object = None,
        matches: int | None = None,
        seed: int = 0,
        options: Mapping[str, object] | None = None,
    ) -> None:
        __tracebackhide__ = True
        hold(partial(agent, **options) if options else agent, on=game, matches=matches, seed=seed)

    return check


def hold(entry: Any, **how: Any) -> None:
    """Fail the running test, with a line for each broken promise: where it is broken, and what to do."""
    __tracebackhide__ = True

    from arena.commands.check.call import check_here, wanted_of
    from arena.errors import ArenaError

    try:
        found = check_here(wanted_of(entry, **how))
    except ArenaError as error:
        pytest.fail(str(error), pytrace=False)
    if not found.kept:
        pytest.fail(found.text_of_broken(), pytrace=False)
