"""The conformance kit passes all that is registered, and sound games."""

from __future__ import annotations

import pytest

from arena import ArenaError
from arena.api.agent import check_needs
from arena.api.options import required
from arena.registry.plugins import registry
from arena.testing import check_agent, check_game
from sound_games import Heap, Lettered, Ring, Row, Walk, YieldingHeap
from tiers import slow, tiers

GAMES = list(registry().offers["game"])
AGENTS = [
    name
    for name in registry().offers["agent"]
    if not required(registry().cls("agent", name)) and not registry().cls("agent", name).interactive
]


def make_game(name):
    return registry().spec("game", name).make()


def first_game_for(cls):
    for name in GAMES:
        game = make_game(name)
        try:
            check_needs(cls, game, cls.__name__)
        except ArenaError:
            continue
        return game
    return pytest.skip(f"no game installed offers {cls.needs}")


@pytest.mark.parametrize("name", tiers(GAMES, quick=["tic-tac-toe"]))
def test_every_registered_game_conforms(name):
    check_game(make_game(name))


@pytest.mark.parametrize("name", tiers(AGENTS, quick=["random"]))
def test_every_registered_agent_conforms_at_the_first_game_it_can_play(name):
    cls = registry().spec("agent", name).cls
    check_agent(cls, first_game_for(cls))


@pytest.mark.parametrize("cls", [Heap, *slow(Row, Lettered, Ring, Walk, YieldingHeap)])
def test_a_sound_game_passes(cls):
    check_game(cls())
