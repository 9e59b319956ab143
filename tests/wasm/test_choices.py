"""Exported entries choose as arena does: the same moves in the same positions, by the same random numbers."""

from __future__ import annotations

import pytest

import arena
from arena import ArenaError
from arena.api.agent import missing_needs
from arena.compiler import reason
from arena.registry.plugins import registry
from node import ASK, answers, made, needs_node, node
from paths import ROOT
from tiers import campaign, slow, tiers

pytestmark = needs_node

GAMES = ("tic-tac-toe", "connect-four", "checkers-4x4", "checkers")
# entries of each agent that comes with arena, with little to learn
ENTRIES = {
    "alpha-beta": (
        "alpha-beta:depth=5",
        "alpha-beta:depth=4,ordering=false,ties=first",
        "alpha-beta:depth=5,table=4096",
        "alpha-beta:nodes=1000,table=1000,deeper=true",
        "alpha-beta:depth=4,wins=any,evaluation=none",
        "alpha-beta:depth=3,deepening=true",
        "alpha-beta:depth=3,evaluation=piece-and-board",
    ),
    "minimax": ("minimax:depth=3", "minimax:depth=2,ties=first,wins=soonest"),
    "q-table": ("q-table:episodes=300", "q-table:episodes=300,symmetries=true"),
    "double-q": ("double-q:episodes=300",),
    "q-backprop": ("q-backprop:episodes=300",),
    "q-random": ("q-random:learner=(q-backprop:episodes=300)",),
    "keep-training": ("keep-training:learner=(q-backprop:episodes=300),games=20",),
    "transition-q": (
        "transition-q:episodes=300",
        "transition-q:episodes=100,decided=alone,ties=last,later=known",
    ),
    "sarsa": ("sarsa:episodes=100",),
    "psv": (
        "psv:learner=(q-backprop:episodes=300)",
        "psv:learner=(q-backprop:episodes=300),rule=lines,known=votes,symmetry=reflection",
    ),
    "perfect": ("perfect:nodes=200",),
    "engine": (),
    "uci": (),
    "llm": (),
    "human": (),
}


def cases():
    for game in GAMES:
        for name, offer in registry().offers["agent"].items():
            if offer.target.startswith("arena_agents."):
                for text in ENTRIES.get(name, (name,)):
                    if fits(text, game):
                        yield pytest.param(text, game, id=f"{game}-{text}")


def fits(text, game):
    made = registry().spec("game", game).make()
    return not any(missing_needs(spec.cls, made) for spec in registry().spec("agent", text).walk()) and (
        ("value-iteration" not in text and "policy-iteration" not in text) or made.reachable is not None
    )


def same_choices(folder, entry, game, n):
    exported = arena.export(entry, game=game, wasm=folder, progress=False)
    asked, expected = answers(made(entry, game), n)
    found = node(folder, ASK, {"file": exported.module, "asked": asked})
    for i, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert one == other, (i, asked[i])
    return exported


@pytest.mark.parametrize(
    ("text", "game"),
    tiers(
        cases(),
        slow=[
            ("minimax:depth=3", "tic-tac-toe"),
            ("q-table:episodes=300,symmetries=true", "tic-tac-toe"),
            ("alpha-beta:depth=5,table=4096", "tic-tac-toe"),
            ("q-backprop:episodes=300", "tic-tac-toe"),
            ("alpha-beta:depth=5", "connect-four"),
            ("random", "connect-four"),
            ("q-random:learner=(q-backprop:episodes=300)", "connect-four"),
            ("minimax:depth=3", "checkers-4x4"),
            ("alpha-beta:depth=3,deepening=true", "checkers-4x4"),
            ("keep-training:learner=(q-backprop:episodes=300),games=20", "checkers-4x4"),
            ("random", "checkers"),
            ("q-backprop:episodes=300", "checkers"),
        ],
    ),
)
def test_an_entry_chooses_the_same_moves_as_in_arena(text, game, tmp_path):
    if reason(made(text, game)) is None:
        assert not same_choices(tmp_path, text, game, 1000).approximate
    else:
        with pytest.raises(ArenaError, match="runs as plain Python"):
            arena.export(text, game=game, wasm=tmp_path)


@pytest.mark.parametrize("size", [*slow(4), *campaign(6, 8)])
@pytest.mark.parametrize("entry", ["alpha-beta:depth=3", "random", "greedy", "minimax:depth=2"])
def test_entries_at_othello_choose_the_same_moves(entry, size, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples" / "arena-othello")
    from functools import partial

    from arena_othello import Othello

    same_choices(tmp_path, entry, partial(Othello, size=size), 1000)


@pytest.mark.parametrize("entry", [*slow("alpha-beta:depth=3", "random"), *campaign("greedy")])
def test_entries_at_minichess_choose_the_same_moves(entry, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples" / "arena-minichess")
    from arena_minichess import Minichess

    same_choices(tmp_path, entry, Minichess, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tic-tac-toe", "connect-four"])
def test_the_example_of_a_learner_chooses_the_same_moves(game, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples" / "arena-monte-carlo")
    from functools import partial

    from arena_monte_carlo import MonteCarlo

    same_choices(tmp_path, partial(MonteCarlo, episodes=300), game, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"proving": True}, {"rollouts": "evaluation"}], ids=str)
def test_monte_carlo_tree_search_chooses_the_same_moves(options, tmp_path):
    """By a logarithm of the browser's, which may be otherwise in its last bit, and seldom matters."""
    from functools import partial

    from arena_mcts.mcts import MCTS

    assert same_choices(tmp_path, partial(MCTS, playouts=50, **options), "connect-four", 200).approximate
