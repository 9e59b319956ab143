"""Names of the last release: they do what the new ones do, with a warning that names both."""

import warnings

import pytest

from arena import Agent, Game, Learner
from arena.compiler import is_compiled, with_compiled_rules
from arena.errors import Renamed


class Walk(Game):
    """A token on a ring of four; who comes back to the start for the second time draws."""

    repetition = 2

    def initial(self):
        return (0, 0)

    def moves(self, state):
        yield 1
        yield 2

    def play(self, state, move):
        return ((state[0] + move) % 4, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return 0


def old_walk():
    class OldWalk(Walk):
        """Calls it progress."""

        def progress(self, state, move):
            return 1 if move == 2 else 0

    return OldWalk


def test_a_game_with_progress_has_irreversible_moves_plain_and_compiled():
    with pytest.warns(Renamed, match="OldWalk.progress is now called irreversible") as noted:
        cls = old_walk()
    assert [one.filename for one in noted] == [__file__]
    game = cls()
    assert [game.irreversible((0, 0), move) for move in (1, 2)] == [0, 1]
    compiled = with_compiled_rules(cls())
    assert is_compiled(compiled)
    assert [compiled.irreversible((0, 0), move) for move in (1, 2)] == [0, 1]


def test_the_new_name_is_the_one_meant_where_both_are_there():
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        class Both(Walk):
            """For either release."""

            def irreversible(self, state, move):
                return 2

            progress = irreversible

    assert Both().irreversible((0, 0), 1) == 2


def test_a_class_that_inherits_the_old_name_warns_no_more_and_a_mixin_does():
    with pytest.warns(Renamed):
        cls = old_walk()
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        class Inherits(cls):
            """As its base."""

    assert Inherits().irreversible((0, 0), 2) == 1

    class Progress:
        def progress(self, state, move):
            return 2

    with pytest.warns(Renamed, match="Mixed.progress"):

        class Mixed(Progress, Walk):
            """Takes it from elsewhere."""

    assert Mixed().irreversible((0, 0), 1) == 2


def test_what_an_agent_and_a_learner_called_otherwise():
    with pytest.warns(Renamed, match="Asks.unasked is now called default_needs"):

        class Asks(Agent):
            """Is entered by itself in small games alone."""

            unasked = ("enumeration",)

    assert Asks.default_needs == ("enumeration",)
    with pytest.warns(Renamed, match="Reads.foreign is now called import_model") as noted:

        class Reads(Learner):
            """Takes tables of another program."""

            def foreign(self, data):
                return {"data": data}

    assert [one.filename for one in noted] == [__file__]
    assert Reads.import_model is not Learner.import_model
    assert Reads(Walk()).import_model(b"x") == {"data": b"x"}
