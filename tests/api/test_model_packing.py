"""What models may be made of, and that it comes back from a file as it was, of the same types."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest

from arena import Game, Learner, Table
from arena.api.model_packing import pack, unpack
from arena.storage import model_file
from arena_games.tic_tac_toe import TicTacToe


class Cell(NamedTuple):
    x: int
    y: int


class Walk(Game):
    """Positions are named tuples; nobody plays it."""

    max_plies = 100

    def initial(self):
        return Cell(0, 0)

    def moves(self, state):
        return [7, 5, 9]

    def play(self, state, move):
        return Cell(state.x + 1, move)


class Keeper(Learner):
    """Keeps whatever it is given."""

    def choose(self, state, moves, rng):
        return moves[0]

    def model(self):
        return self.kept

    def recall(self, model):
        self.kept = model


def through_a_file(model, path, game):
    learner = Keeper(game)
    learner.kept = model
    about = model_file.about_learner(learner)
    about.episodes = about.planned
    model_file.write(model_file.Model(about, learner._packed_model()), path / "model.npz")
    again = Keeper(game)
    again._recall_packed(model_file.read(path / "model.npz").arrays)
    return again.kept


def typed(thing):
    """A thing with the types of all that is in it, so that 1, 1.0 and True are three."""
    if isinstance(thing, dict):
        items = [(typed(key), typed(value)) for key, value in thing.items()]
        return type(thing), getattr(thing, "default_factory", None), items
    if isinstance(thing, set | frozenset):
        return type(thing), sorted(map(typed, thing), key=repr)
    if isinstance(thing, list | tuple):
        return type(thing), [*map(typed, thing)]
    return type(thing), thing


MODELS = {
    "numbers": {"n": 3, "x": 0.1, "minus": -0.0, "yes": True, "no": None, "text": "Grüße", "big": 2**70},
    "a dictionary of positions": {"q": {((0, 3), 4): 0.5, ((1, 3), 4): -0.25}},
    "of named positions": {"q": {Cell(1, 2): 0.5, Cell(3, -4): 1.0}},
    "of texts": {"q": {"a": 1, "": 2, "b\0": 3}},
    "of dictionaries": {"q": {(1, 2): {4: 0.5, 5: 0.25}, (3, 4): {}, (5, 6): {4: 1.0}}},
    "of tuples": {"q": {1: (3, 0.5), 2: (4, 0.25)}, "empty": {}},
    "of lists": {"q": {1: [0.5, 1.5], 2: []}},
    "of different things": {"q": {1: "a", (2, 3): None, "b": [1, 2]}},
    "defaultdicts": {"q": defaultdict(float, {1: 0.5}), "by": defaultdict(list, {(1, 2): [3]})},
    "sets": {"seen": {(3, 1), (2, 5)}, "frozen": frozenset([3, 1])},
    "lists": {"games": [[1, 2], [], [3]], "rows": [(1, 2), (3, 4, 5)], "none": []},
    "names that begin alike": {"a": {1: 2.0}, "a.b": 3, "ab": "c"},
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_comes_back_as_it_was_from_a_file(tmp_path, name):
    model = MODELS[name]
    again = through_a_file(model, tmp_path, Walk())
    assert {key: typed(value) for key, value in again.items()} == {k: typed(v) for k, v in model.items()}


def test_arrays_are_kept_as_they_are_and_beside_other_things(tmp_path):
    model = {"w": np.arange(6.0).reshape(2, 3), "n": 2, "zero": np.array(5), "by": {3: np.arange(2)}}
    again = through_a_file(model, tmp_path, Walk())
    assert again["w"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (again["n"], again["zero"].shape, again["by"][3].tolist()) == (2, (), [0, 1])
    packed = pack(Walk(), {"w": model["w"]})
    assert [*packed] == ["w"]  # models that are arrays alone have always been files of them
    assert packed["w"] is model["w"]


def test_tables_come_back_with_their_options(tmp_path):
    table = Table(Walk(), keyed=True, spare=9, default=0.5)
    table.grow()
    table[Cell(1, 2), 5] = 2.0
    again = through_a_file({"q": table, "n": 1}, tmp_path, Walk())["q"]
    assert again[Cell(1, 2)].tolist() == [0.5, 2.0, 0.5]  # of moves 7, 5 and 9
    assert (again[Cell(1, 2), 5], again[Cell(2, 2), 5], again.spare) == (2.0, 0.5, 9)


def test_ints_among_floats_become_floats_as_they_are_in_compiled_code():
    again = unpack(Walk(), pack(Walk(), {"q": {1: 0, 2: 0.5}}))
    assert typed(again["q"]) == typed({1: 0.0, 2: 0.5})
    assert math.isnan(unpack(Walk(), pack(Walk(), {"x": math.nan}))["x"])


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"q": object()}, "model returns an object for 'q'; give arrays, numbers, texts, tables"),
        ({"q": {1: object()}}, "model returns an object for 'q'"),
        ({"q": defaultdict(lambda: 0.5)}, r"model returns a defaultdict of a function, .*dict\(…\)"),
        ({"q": {1, "a"}}, "a set of values that have no order"),
        ({3: 1}, "model returns the name 3; names must be texts without '/'"),
        ({"a/b": 1}, "model returns the name 'a/b'; names must be texts without '/'"),
        ([1], "model returns a list, not a dictionary: name -> value"),
        (None, "model returns None, not a dictionary"),
    ],
)
def test_what_cannot_be_kept_is_named(model, said):
    with pytest.raises(TypeError, match=said):
        pack(TicTacToe(), model)


# --- a keyed table ------------------------------------------------------------------------------------------


class Boards(Game):
    """Positions are a board of rows and who is to move, as students write them; nobody plays it."""

    max_plies = 10

    def initial(self):
        return (((0, 0), (0, 0)), 0)

    def moves(self, state):
        return [(0, 1), (1, 1)]


def test_positions_that_are_pairs_themselves_are_not_taken_for_a_position_and_a_move():
    table = Table(Boards(), keyed=True, default=-1.0)
    table.grow()
    state = (((0, 1), (0, 0)), 1)
    table[state, (1, 1)] = 0.25
    assert table[state].tolist() == [-1.0, 0.25]
    assert (table[state, (1, 1)], table[state, (0, 1)]) == (0.25, -1.0)
    with pytest.raises(ValueError, match=r"write table\[state, move\] = value"):
        table[state] = 1.0


def test_a_default_counts_for_what_was_not_stored():
    table = Table(TicTacToe(), default=0.5)
    table.grow()
    start = table.game.initial()
    assert table[start] == 0.5
    assert table.values[table.add(start)].tolist() == [0.5]
    table[start] = 2.0
    assert table[start] == 2.0
