"""Positions that are tuples of tuples: games, agents, tables and models do the same compiled."""

from __future__ import annotations

import numpy as np
import pytest

import nested_games
from arena import (
    Component,
    Game,
    Rng,
    States,
    Table,
    hash_state,
    pack_states,
    unpack_states,
)
from arena.analysis.graph import graph_of
from arena.compiler import plainly, reason
from arena.compiler.errors import CannotCompile
from arena.compiler.rules import rules_or_why
from arena_agents.search.alpha_beta import AlphaBeta
from arena_agents.search.minimax import Minimax
from arena_agents.tabular.q_table import QTable
from arena_games.tic_tac_toe import TicTacToe
from both_ways import Part, both, both_cases, claims, compiled, compiles, random_matches

GAMES = [
    cls
    for cls in vars(nested_games).values()
    if isinstance(cls, type) and issubclass(cls, Game) and cls not in (Game, nested_games.Uneven)
]
ROWS = nested_games.Rows()


@pytest.mark.parametrize("cls", GAMES, ids=lambda cls: cls.__name__)
def test_a_game_plays_the_same_compiled(cls):
    game = cls()
    assert game.flat
    names = ("moves", "play", "to_move", "value")
    plain = {name: getattr(game, name) for name in names}
    assert random_matches(game, rules_or_why(game).builtins, 40) == random_matches(game, plain, 40)


class Opening(Component):
    """Plays from the initial position, as a whole match does."""

    def __init__(self, game):
        self.game = game

    @compiled
    def play(self, move: int):
        first = self.game.play(self.game.initial(), move)
        second = self.game.play(first, self.game.moves(first)[0])
        return second, self.game.to_move(second)


@pytest.mark.parametrize("cls", GAMES, ids=lambda cls: cls.__name__)
def test_a_game_starts_the_same_compiled(cls):
    compiles(Opening(cls()), "play")
    for move in (cls().moves(cls().initial()))[:3]:
        both(lambda: Opening(cls()), "play", move)


class History(Component):
    """Would keep a row of the board beyond the call."""

    def __init__(self):
        self.game = ROWS
        self.rows = []

    @compiled
    def keep(self, i: int):
        state = self.game.initial()
        self.rows.append((state[0][:i], i))


def test_what_a_call_creates_is_not_kept_beyond_it():
    with pytest.raises(CannotCompile, match="beyond the call"):
        compiles(History(), "keep")


def test_a_game_whose_tuples_change_their_length_is_refused():
    game = nested_games.Uneven()
    assert not game.flat
    assert reason(game).endswith("which is nested otherwise than initial is")


class LateGrowth(nested_games.Heaps):
    """Only the hundredth position and those after it have another length."""

    max_plies = 300

    def initial(self):
        return (200, 0), 0

    def moves(self, state):
        return [1] if state[0][0] else []

    def play(self, state, move):
        heaps = (state[0][0] - 1, 0)
        return (heaps if state[0][0] > 90 else heaps + (0,)), 1 - state[1]


def test_a_game_whose_tuples_change_their_length_late_does_not_compile():
    assert LateGrowth().flat  # as far as random play shows
    assert reason(LateGrowth()) is not None


@pytest.mark.parametrize(
    ("made", "cls"),
    [
        (Minimax, nested_games.Rows),
        pytest.param(QTable, nested_games.Heaps, marks=pytest.mark.slow),
        pytest.param(AlphaBeta, nested_games.Rows, marks=pytest.mark.slow),
        pytest.param(QTable, nested_games.FourByRows, marks=pytest.mark.slow),
    ],
)
def test_an_agent_chooses_the_same_compiled(made, cls):
    plain, fast = made(cls()), made(cls())
    assert reason(fast) is None
    if made is QTable:
        for learner in (plain, fast):
            learner._begin_learning()
        fast._learn_episodes(0, 20, Rng(3))
        with plainly():
            plain._learn_episodes(0, 20, Rng(3))
        assert all((plain.model()[name] == array).all() for name, array in fast.model().items())
    for state, *of in random_matches(fast.game, rules_or_why(fast.game).builtins, 2):
        if len(of) == 2:
            with plainly():
                expected = plain.choose(state, list(of[0]), Rng(1))
            assert fast.choose(state, list(of[0]), Rng(1)) == expected


def test_the_graph_has_the_positions_of_tic_tac_toe():
    graph = graph_of(ROWS)
    assert len(graph) == len(graph_of(TicTacToe())) == 5478
    state = graph.position(700)
    assert [len(row) for row in state] == [3, 3, 3]
    assert graph.number_of(state) == 700
    assert [one[1] for one in graph.open_positions(range(3))] == [graph.position(i) for i in range(3)]


def test_positions_are_stored_as_numbers_and_come_back():
    board = ((1, 2, 0), (0, 1, 0), (0, 0, 2))
    packed = pack_states(ROWS, [board, ROWS.initial()])
    assert packed.tolist() == [[1, 2, 0, 0, 1, 0, 0, 0, 2], [0] * 9]
    assert unpack_states(packed, ROWS) == [board, ROWS.initial()]
    states = States(ROWS, 2)
    states[1] = board
    assert states[1] == board
    assert states.holds(1, board)
    assert not states.holds(0, board)
    assert hash_state(board) == hash_state(sum(board, ()))


def test_a_table_of_texts_from_before_such_games_compiled_is_taken_up():
    boards = [((1, 0, 0), (0, 0, 0), (0, 0, 0)), ((0, 1, 0), (0, 2, 0), (0, 0, 0))]
    table = Table(ROWS)
    table.recall({"states": np.array(list(map(repr, boards))), "values": np.array([[0.5], [-0.25]])})
    assert [table[board] for board in boards] == [0.5, -0.25]


def test_a_table_with_moves_knows_positions_of_two_items_from_pairs_of_position_and_move():
    table = Table(nested_games.Heaps(), keyed=True)
    table.grow()
    state = table.game.initial()
    table[state, 12] = 0.75
    moves = table.game.moves(state)
    assert table[state].tolist() == [0.75 if move == 12 else 0 for move in moves]


class Nested(Part):
    """Tuples of tuples."""

    @compiled
    def rows_by_number(self, a: int, b: int):
        board = ((a, b, 1), (b, a, 2), (3, 4, a))
        i, j = a % 3, b % 3
        return board[i][j], board[-1 - i][j], board[i], board[1][j], board[i][-1], board[i][j] + board[j][i]

    @compiled
    def rows_out_of_range(self, a: int, b: int):
        board = ((a, b), (b, a))
        return board[a][b]

    @compiled
    def a_variable_may_change_between_the_indices(self, a: int, b: int):
        board = ((a, b), (b, a))
        other = board[a & 1][(board := ((1, 2), (3, 4)))[b & 1][0] & 1]
        board = (board[1], (a, b))
        return other, board[a & 1][b & 1], board

    @compiled
    def an_inner_function_may_change_the_variable(self, a: int, b: int):
        board = ((a, b), (b, a))

        def turned():
            nonlocal board
            board = (board[1], (7, 8))
            return a & 1

        first = board[turned()][b & 1]
        return first, board[turned()], board[a & 1][b & 1]

    @compiled
    def with_a_player(self, a: int, b: int):
        state = (((a, b), (b, a)), a + b)
        board, player = state
        return state[0][a & 1][b & 1], state[1], board[b & 1][0], player, state[0][1]

    @compiled
    def replaced_by_slices(self, a: int, b: int):
        board = ((a, b, 1), (b, a, 2), (3, 4, a))
        row = board[a % 3][: b % 4] + (7,) + board[a % 3][b % 4 + 1 :]
        made = board[: a % 4] + (row,) + board[a % 4 + 1 :]
        return len(row), len(made), row[0], made[0][0], made[-1][-1], row == (7, b, 1), made == board

    @compiled
    def replaced_in_lists(self, a: int, b: int):
        rows = [list(row) for row in ((a, b), (b, a), (1, 2))]
        rows[a % 3][b & 1] = 9
        made = tuple(tuple(row) for row in rows)
        return made[0][0], made[a % 3][b & 1], len(made), sum(sum(row) for row in made), made[1] == (b, a)

    @compiled
    def columns(self, a: int, b: int):
        board, total = ((a, b, 1), (b, a, 2)), 0
        for i, (x, y) in enumerate(zip(*board)):  # noqa: B905
            total = total * 10 + x * i - y
        best = max(zip(*board, strict=True))
        return total, best, sum(min(column) for column in zip(*board, strict=True))

    @compiled
    def loops_over_many_rows(self, a: int, b: int):
        board, total = ((a, b, 1, 0, 5),) * 3 + ((b, a, 0, 0, 1),), 0
        for r, row in enumerate(board):
            for c, cell in enumerate(row):
                if cell == a:
                    total = total * 3 + r * c
            if row[a % 5] == b:
                break
        return total, r, sum(cell for row in board for cell in row), max(board), (b, a, 0, 0, 1) in board

    @compiled
    def lines_of_different_lengths(self, a: int, b: int):
        board = ((a, b, 1), (b, a, 2))
        lines = [*board, *zip(*board, strict=True), (a,)]
        return len(lines), sum(len(line) for line in lines), sum(line.count(a) for line in lines), lines[3][1]

    @compiled
    def counted_and_sought(self, a: int, b: int):
        row = (a, b, 1, a)
        return (
            row.count(a),
            row.index(b),
            (a, b).count(7),
            row[: b & 3].count(a),
            ((a, b), (b, a)).index((b, a)),
        )

    @compiled
    def sought_in_vain(self, a: int, b: int):
        return (a, b, 1).index(5) + (a, b, 3)[: b & 3].index(a)

    @compiled
    def compared_when_cut(self, a: int, b: int):
        row = (a, b, 1, 2)
        cut = row[a & 1 : 2 + (b & 1)]
        return (
            cut == (a, b),
            cut != (b, 1),
            cut == row[1:2],
            cut == row[a & 1 : 2 + (b & 1)],
            cut == 3,
            cut + (1,) == cut,
        )

    @compiled
    def keys(self, a: int, b: int):
        known = {((a, b), (1, 2)): 1}
        known[((b, a), (1, 2))] = 2
        return known.get(((a, b), (1, 2)), 0), ((1, 2), (1, 2)) in known, len(known)

    @compiled
    def kept_in_a_list(self, a: int, b: int):
        found, row = [], (a, b, 3)
        found.append(row[: b & 1])
        for i in range(a & 3):
            found.append(row[:i] + (i,))
        return (
            len(found),
            sum(len(one) for one in found),
            sum(map(sum, found)),
            sum(one == (a, 1) for one in found),
        )


@pytest.mark.parametrize(("cls", "name"), claims(Nested))
def test_compiled_code_does_what_plain_python_does(cls, name):
    both_cases(cls, name)
