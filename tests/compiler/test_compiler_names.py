"""Entries that differ by the numbers of their options share compiled code."""

from __future__ import annotations

import pytest

from arena import Evaluation, option
from arena.compiler.layout import layout_of
from arena.registry.plugins import spec_named
from arena.training.learners import untrained


class Named(Evaluation):
    """Reads what it was entered as."""

    weight: float = option(1.0, "worth of a letter")

    def evaluate(self, state):
        return self.weight if self.name == "" else 0.0


def layout(text):
    game = spec_named("game", "checkers").make()
    return layout_of(spec_named("agent", text).make(game), game)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alpha-beta:depth=3", "alpha-beta:depth=4"),
        (
            "alpha-beta:evaluation=(piece-and-board:king=3)",
            "alpha-beta:evaluation=(piece-and-board:king=4.5,man=2)",
        ),
    ],
)
def test_entries_that_differ_by_numbers_share_compiled_code(one, other):
    assert layout(one) is layout(other)


@pytest.mark.parametrize("name", ["q-table", "q-backprop", "sarsa"])
def test_learners_that_differ_by_numbers_share_compiled_code(name):
    game = spec_named("game", "tic-tac-toe")
    entries = (f"{name}:episodes=10", f"{name}:episodes=20,seed=3")
    one, other = (untrained(spec_named("agent", entry), game) for entry in entries)
    assert layout_of(one, one.game) is layout_of(other, other.game)


def test_entries_that_differ_by_more_do_not():
    assert layout("alpha-beta:ordering=false") is not layout("alpha-beta")


def test_a_thing_whose_methods_read_its_name_has_code_of_its_own():
    game = spec_named("game", "checkers").make()
    one, other = Named(game), Named(game)
    one.name, other.name = "", "other"
    assert layout_of(one, game).constants["name"] == ""
    assert layout_of(one, game) is not layout_of(other, game)
    assert (one.evaluate(game.initial()), other.evaluate(game.initial())) == (1.0, 0.0)
