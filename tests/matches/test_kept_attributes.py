"""Registered agents name the arrays and containers that they change in matches, or matches would be slow."""

from __future__ import annotations

import pytest

import arena
from arena import Rng
from arena.api.learner import Learner
from arena.matches.agent_state import AgentState
from arena.registry.plugins import registry
from tiers import slow

PLIES = 30
LEARNED = "q-backprop:episodes=20"
AGENTS = [
    ("random", "tic-tac-toe"),
    ("greedy", "tic-tac-toe"),
    ("minimax:depth=2", "tic-tac-toe"),
    ("alpha-beta:depth=2,table=64", "tic-tac-toe"),
    ("alpha-beta:nodes=50,table=64,deeper=true", "tic-tac-toe"),
    ("perfect", "tic-tac-toe"),
    ("q-table:episodes=20", "tic-tac-toe"),
    *slow(
        ("q-table:episodes=20,keyed=pair", "tic-tac-toe"),
        ("double-q:episodes=20", "tic-tac-toe"),
        (LEARNED, "tic-tac-toe"),
        (f"q-random:learner=({LEARNED})", "tic-tac-toe"),
        (f"keep-training:games=2,learner=({LEARNED})", "tic-tac-toe"),
        (f"psv:learner=({LEARNED})", "tic-tac-toe"),
        ("value-iteration:episodes=2", "tic-tac-toe"),
        ("policy-iteration:episodes=2", "tic-tac-toe"),
        ("sarsa:episodes=2", "tic-tac-toe"),
        ("td-lines:episodes=2,places=10", "tic-tac-toe"),
        ("transition-q:episodes=2", "checkers"),
    ),
]


def made(text, name):
    """A game and an agent for it, trained if it learns."""
    game, spec = registry().spec("game", name), registry().spec("agent", text)
    for one in (spec, *spec.nested()):
        if issubclass(one.cls, Learner):
            arena.train(one.text, game=name, executor="serial", progress=False)
    return game.make(), spec.make(game.make())


@pytest.mark.parametrize(("text", "name"), AGENTS)
def test_it_changes_no_other_arrays_and_containers(text, name):
    game, agent = made(text, name)
    before = AgentState(agent)
    assert before.objects
    numbers = {
        (id(thing), name)
        for thing, held in before.objects
        for name, one in held.items()
        if isinstance(one.value, int | float)
    }
    for seat in (0, 1):
        rng, state = Rng(seat), game.initial()
        agent.begin(seat)
        for _ in range(PLIES):
            if not (moves := game.moves(state)):
                break
            move = rng.choice(moves)
            if game.to_move(state) == seat:
                move = agent.choose(state, list(moves), rng)
            state = game.play(state, move)
        assert not before.has_changed(numbers)
        assert before.restore()


def test_an_agent_that_changes_an_array_is_found():
    _, agent = made("greedy", "tic-tac-toe")
    before = AgentState(agent)
    agent.other = [0]
    assert before.has_changed(())
