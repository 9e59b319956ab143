"""The search that does for any game, against retrograde analysis, other programs and what is known of Nim."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from arena import Game
from arena.analysis.graph import graph_of
from arena.analysis.search import LONGEST, ByEvaluation, Search
from arena.analysis.solution import solve
from arena.analysis.solving import Searched, Worth
from arena_games.checkers.game_4x4 import Checkers4x4
from arena_games.connect_four import ConnectFour
from arena_games.tic_tac_toe import TicTacToe


class Nim(Game):
    """Three heaps, as text, so that it runs as plain Python; who takes the last one wins."""

    max_moves = 12
    max_plies = 12
    alternating = True

    def initial(self):
        return "1 2 3 first"

    def moves(self, state):
        heaps = state.split()[:3]
        return [f"{i} {n}" for i in range(3) for n in range(1, int(heaps[i]) + 1)]

    def play(self, state, move):
        *heaps, side = state.split()
        i, n = map(int, move.split())
        heaps[i] = str(int(heaps[i]) - n)
        return " ".join([*heaps, "second" if side == "first" else "first"])

    def to_move(self, state):
        return int(state.endswith("second"))

    def value(self, state):
        return -1


class Twice(Game):
    """Each player takes 1 to 3 of a heap, twice in a row; who takes the last one wins."""

    max_moves = 3
    max_plies = 12

    def initial(self):
        return (9, 0)

    def moves(self, state):
        return [n for n in (1, 2, 3) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, (state[1] + 1) % 4)

    def to_move(self, state):
        return state[1] // 2

    def value(self, state):
        return 1 if (state[1] - 1) % 4 // 2 == state[1] // 2 else -1


def searched(game, distance=True, **more):
    return Searched(Search.of(game, 1 << 20), distance, **more)


@pytest.mark.parametrize("game", [TicTacToe(), Twice()], ids=str)
def test_all_positions_are_worth_what_retrograde_analysis_says(game):
    graph = graph_of(game)
    solution, search = solve(graph), searched(game)
    for i in range(0, len(graph), 1 + len(graph) // 700):
        plies = int(solution.plies[i])
        assert search.worth(graph.position(i)) == Worth(int(solution.values[i]), None if plies < 0 else plies)


def test_play_that_comes_back_hides_no_win_and_makes_none():
    """Kings go to and fro: a draw is seldom proved there, but what is said holds."""
    graph = graph_of(Checkers4x4())
    solution, search = solve(graph), searched(Checkers4x4(), nodes=4000)
    chosen = np.random.default_rng(1).choice(len(graph), 400, replace=False)
    solved = 0
    for i in map(int, chosen):
        found = search.worth(graph.position(i))
        if found.value is not None:
            solved += 1
            plies = int(solution.plies[i])
            assert found == Worth(int(solution.values[i]), None if plies < 0 else plies)
        else:
            assert solution.values[i] == 0 or solution.plies[i] > 4
    assert solved > 200


@pytest.mark.parametrize(
    ("moves", "value"),
    [
        ("766111427771", 7),
        ("762222421243", 6),
        ("662774643354", -15),
        ("541324315747", 11),
    ],
)
def test_connect_four_without_its_solver(moves, value):
    """The values are BitBully 0.0.79's: 1 is a win with the last coin, 2 with the one before."""
    game = ConnectFour()
    state = game.read_position(moves)
    for kind in (Search, ByEvaluation):
        found = Searched(kind(game=game, places=1 << 18), True).worth(state)
        left = 42 - len(moves) - 2 * (abs(value) - 1) - int(value > 0)
        assert found == Worth(1 if value > 0 else -1, left)


def test_heaps_in_plain_python():
    """Nim is won unless the heaps' exclusive or is 0 (Bouton 1901)."""
    game, search = Nim(), searched(Nim(), distance=False)
    for heaps in ("1 2 3", "1 1 0", "2 2 1", "0 3 3", "1 2 2", "3 2 0"):
        a, b, c = map(int, heaps.split())
        assert search.worth(f"{heaps} first").value == (1 if a ^ b ^ c else -1)
    assert game.flat is False


def test_plain_python_looks_at_the_same_positions():
    state = (8, 0)
    compiled, plain = Search(game=Twice(), places=1 << 10), Search(game=Twice(), places=1 << 10)
    for least in (1, 0):
        assert compiled.attempt(state, least, 10_000) == Search.attempt.plain(plain, state, least, 10_000)
    assert compiled.visited == plain.visited
    assert np.array_equal(compiled.table, plain.table)


def test_a_budget_ends_it_and_it_goes_on_where_it_was():
    game = ConnectFour()
    state = game.read_position("762222421243")
    search = Searched(Search.of(game, 1 << 24), False, nodes=30_000)
    asked = 0
    while (found := search.worth(state)).value is None:
        asked += 1
        assert search.visited <= 30_000 * asked + 1000
    assert found.value == 1
    assert asked > 3


def test_threads_share_a_table():
    game = ConnectFour()
    state = game.read_position("762222421243")
    assert Searched(Search.of(game, 1 << 24), True, threads=3).worth(state) == Worth(1, 19)


def test_it_is_asked_whether_to_go_on():
    stop = threading.Event()

    def go_on(visited):
        stop.set()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Searched(Search.of(ConnectFour(), 1 << 20), False, go_on).worth((0, 0))
    assert stop.is_set()


def test_a_win_beyond_the_longest_line_is_no_win():
    """One coin a ply from a heap of so many: who takes the last one wins."""

    class Line(Game):
        alternating = True
        max_moves = 1

        def __init__(self, length):
            self.length = length

        def initial(self):
            return (self.length, 0)

        def moves(self, state):
            return [0] if state[0] else []

        def play(self, state, move):
            return (state[0] - 1, 1 - state[1])

        def to_move(self, state):
            return state[1]

        def value(self, state):
            return -1

    assert searched(Line(LONGEST - 1)).worth((LONGEST - 1, 0)) == Worth(1, LONGEST - 1)
    assert searched(Line(LONGEST + 1)).worth((LONGEST + 1, 0)) == Worth(0)
