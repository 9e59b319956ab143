"""Games as graphs: as many positions as published, the same whoever finds them, and no more than wanted."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest

from arena import ArenaError, Game
from arena.analysis.graph import ROOM, TooManyPositions, graph_of
from arena.api.game import positions
from arena.registry.plugins import registry
from tiers import slow

ARRAYS = ("first", "movers", "values", "after")


def game(text):
    return registry().spec("game", text).make()


class Nim(Game):
    """Heaps of coins, of which a move takes some from one; who takes the last coin wins."""

    max_moves = 6

    def initial(self):
        return frozenset({("a", 1), ("b", 2), ("c", 3)}), "first"

    def moves(self, state):
        return [(heap, n) for heap, coins in sorted(state[0]) for n in range(1, coins + 1)]

    def play(self, state, move):
        left = {heap: coins - move[1] * (heap == move[0]) for heap, coins in state[0]}
        return frozenset(left.items()), "second" if state[1] == "first" else "first"

    def to_move(self, state):
        return int(state[1] == "second")

    def value(self, state):
        return -1


class Line(Game):
    """One move each, and a long way to the end."""

    max_moves = 1
    length = 3 * ROOM

    def initial(self):
        return 0

    def moves(self, state):
        return [1] if state < self.length else []

    def play(self, state, move):
        return state + move

    def to_move(self, state):
        return state % 2

    def value(self, state):
        return -1


def by_ply(graph):
    """How many positions are so many moves from the start."""
    ply = np.full(len(graph), -1)
    new, counts = [0], []
    while new:
        ply[new] = len(counts)
        counts.append(len(new))
        after = {int(child) for i in new for child in graph.after[graph.first[i] : graph.first[i + 1]]}
        new = [child for child in after if ply[child] < 0]
    return counts


# --- as published -------------------------------------------------------------------------------------------


def test_tic_tac_toe_has_as_many_positions_as_published():
    graph = graph_of(game("tic-tac-toe"))
    assert len(graph) == 5478
    assert graph.over.sum() == 958
    assert by_ply(graph) == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    # 626 ends are won by X, 316 by O, and 16 drawn; who has lost is to move
    assert np.bincount(graph.values[graph.over] + 1).tolist() == [626 + 316, 16]
    assert graph.movers[graph.values == -1].sum() == 626


@pytest.mark.slow
def test_checkers_on_4_x_4_has_as_many_positions_as_published():
    graph = graph_of(game("checkers-4x4"))
    assert len(graph) == 4302
    blue = graph.movers == 0
    assert blue.sum() == 2216
    lost = [graph.position(i) for i in np.flatnonzero(blue & graph.over)]
    assert len(lost) == 94
    assert sum(own == 0 for own, *_ in lost) == 58
    assert (graph.values[graph.over] == -1).all()
    tied = graph_of(game("checkers-4x4:capture_to_win=true"))
    assert np.bincount(tied.values[(tied.movers == 0) & tied.over] + 1).tolist() == [58, 36]


# --- the same as the game says -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "one",
    [game("tic-tac-toe"), *slow(game("checkers-4x4"), Nim(), Line())],
    ids=lambda one: type(one).__name__,
)
def test_positions_and_moves_are_the_games(one):
    graph = graph_of(one)
    found = [graph.position(i) for i in range(len(graph))]
    assert found == list(positions(one))
    number = {state: i for i, state in enumerate(found)}
    assert len(graph.first) == len(graph) + 1
    assert graph.first[-1] == len(graph.after) == len(graph.before)
    for i, state in enumerate(found):
        moves = one.moves(state)
        edges = slice(graph.first[i], graph.first[i + 1])
        assert graph.moves_of(i) == moves
        assert graph.after[edges].tolist() == [number[one.play(state, move)] for move in moves]
        assert graph.before[edges].tolist() == [i] * len(moves)
        assert graph.movers[i] == one.to_move(state)
        assert graph.over[i] == (not moves)
        assert graph.values[i] == (0 if moves else one.value(state))


@pytest.mark.parametrize(
    ("one", "wanted"), [(game("tic-tac-toe"), False), (game("checkers-4x4"), True), (Nim(), False)]
)
def test_play_comes_back_where_pieces_can_be_moved_back(one, wanted):
    assert graph_of(one).comes_back is wanted


def test_a_plain_game_has_states_of_its_own():
    """Of heaps of 1, 2 and 3 there are 2 * 3 * 4, for either to move where a heap has lost two coins or more.

    Where none has, in 2 ** 3 of them, the coins taken say who is to move.
    """
    graph = graph_of(Nim())
    assert len(graph) == 2 * 24 - 8
    assert graph.position(0) == Nim().initial()
    assert graph.moves_of(0) == [("a", 1), ("b", 1), ("b", 2), ("c", 1), ("c", 2), ("c", 3)]


@pytest.mark.parametrize("name", ["tic-tac-toe", "checkers-4x4", "checkers-4x4:capture_to_win=true"])
def test_plain_and_compiled_rules_give_the_same(monkeypatch, name):
    compiled = graph_of(game(name))
    monkeypatch.setenv("ARENA_COMPILED", "0")
    plain = graph_of(game(name))
    for array in ("states", "moves", *ARRAYS):
        assert np.array_equal(getattr(plain, array), getattr(compiled, array))


# --- no more than wanted -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "size"),
    [(game("tic-tac-toe"), 5478), (game("checkers-4x4"), 4302), (Nim(), 40), (Line(), 3 * ROOM + 1)],
    ids=["tic-tac-toe", "checkers-4x4", "nim", "line"],
)
def test_as_many_as_there_are_will_do_and_one_less_will_not(one, size):
    assert len(graph_of(one, size)) == size
    with pytest.raises(TooManyPositions, match=f"{one} has more than {size - 1:,} positions: {size:,} are"):
        graph_of(one, size - 1)


# distinct positions of connect four by ply, and so up to one
UP_TO = [*accumulate([1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275])]


@pytest.mark.parametrize("ply", range(1, len(UP_TO)))
def test_how_far_the_positions_go_is_told(ply):
    with pytest.raises(TooManyPositions, match=f"{UP_TO[ply]:,} are reached within {ply} plies$"):
        graph_of(game("connect-four"), UP_TO[ply] - 1)
    with pytest.raises(TooManyPositions, match=rf" are reached within {ply + 1} plies$"):
        graph_of(game("connect-four"), UP_TO[ply])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect-four", "checkers"])
def test_a_game_with_too_many_is_told_in_one_line_with_what_to_do(name):
    with pytest.raises(ArenaError) as told:
        graph_of(game(name), remedy="take a smaller board")
    (line,) = str(told.value).splitlines()
    assert line.startswith(f"{name} has more than 1,000,000 positions: 1,0")
    assert line.endswith(" plies; take a smaller board")
