"""The search that does for any game, against retrograde analysis, other programs and what is known of Nim."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import arena
from arena import Game
from arena.analysis.endings import kept, probe
from arena.analysis.graph import graph_of
from arena.analysis.search import LONGEST, ByEvaluation, Search
from arena.analysis.solution import solve
from arena.analysis.solvers import made_of
from arena.analysis.solving import Searched, Worth
from arena.compiler import plainly, with_compiled_rules
from arena.registry.plugins import registry
from arena_games.checkers.game_4x4 import Checkers4x4
from arena_games.connect_four import ConnectFour
from arena_games.tic_tac_toe import TicTacToe
from tiers import slow


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.fixture(scope="module")
def endings(tmp_path_factory):
    """Folders of endings of checkers with up to two and three pieces."""
    folder = tmp_path_factory.mktemp("endings")
    arena.endings("checkers", pieces=3, to=folder, progress=False)
    return folder


def checkers():
    return registry().spec("game", "checkers").make()


def drawn(game, endings, count):
    """Positions with three pieces at random, and what endings say that they are worth."""
    known, rng = kept(game, endings, registry()), np.random.default_rng(1)
    last = len(known.slices) - 1
    for _ in range(count):
        i = int(rng.integers(last - 10, last + 1))
        state = known.endings.position(i, int(rng.integers(known.slices[i].size)))
        yield state, known.worth(state)


@pytest.mark.slow
@pytest.mark.parametrize("distance", [False, *slow(True)])
def test_what_is_found_by_way_of_endings_is_so(endings, distance):
    """Three pieces of checkers, searched up to endings of two, against endings of three."""
    game = with_compiled_rules(checkers())
    codes, solved, more = probe(game, 2, endings), 0, 0
    solver = made_of(Search, game, 1 << 20, codes, distance)
    search = Searched(solver, distance, nodes=5000, known=codes)
    alone = Searched(Search.of(game, 1 << 20), distance, nodes=5000)
    for state, worth in drawn(game, endings, 100):
        found = search.worth(state)
        if found.value is not None and game.moves(state):
            assert found.value == worth.value
            assert found.plies == worth.plies or not distance
            solved += 1
            more += alone.worth(state).value is None
    assert solved > 50
    assert more > 10


@pytest.mark.slow
def test_a_line_ends_in_endings_the_same_in_plain_python(endings):
    game = checkers()
    for distances in (True, False):
        both = [made_of(Search, game, 1 << 14, probe(game, 2, endings), distances) for _ in range(2)]
        for state, _ in drawn(game, endings, 5):
            for least in (1, 0):
                found = both[0].attempt(state, least, 300)
                with plainly():
                    assert both[1].attempt(state, least, 300) == found
        assert both[0].visited == both[1].visited
        assert np.array_equal(both[0].table, both[1].table)


@pytest.mark.slow
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


@pytest.mark.slow
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
