"""Games solved: against theory, and against solvers that are written otherwise."""

from __future__ import annotations

from collections import Counter
from functools import cache, reduce
from operator import xor

import numpy as np
import pytest

from arena.analysis.graph import graph_of
from arena.analysis.solution import solve
from arena.registry.plugins import registry
from fixpoint import Again, Nim, fixpoint
from tiers import slow


def game(text):
    return registry().spec("game", text).make()


def solved(one):
    """By position: its value, and the plies left; and of its moves what each gives away, and its chance."""
    graph = graph_of(one)
    solution = solve(graph)
    ends, moves = {}, {}
    for i in range(len(graph)):
        state, edges = graph.position(i), slice(graph.first[i], graph.first[i + 1])
        ends[state] = int(solution.values[i]), int(solution.plies[i])
        pairs = zip(solution.given_away[edges].tolist(), solution.probabilities[edges].tolist(), strict=True)
        moves[state] = dict(zip(graph.moves_of(i), pairs, strict=True))
    return ends, moves


def check_moves(one, ends, moves):
    """What moves give away, and their chances, are as they are to be if the positions' values are right."""
    for state, made in moves.items():
        value, plies = ends[state]
        kept = []
        for move, (given_away, _) in made.items():
            after = one.play(state, move)
            gain = ends[after][0] * (1 if one.to_move(after) == one.to_move(state) else -1)
            assert given_away == value - gain
            assert 0 <= given_away <= 2
            if gain == value and plies in (-1, ends[after][1] + 1):
                kept.append(move)
        if made:
            assert kept
            assert {move: chance for move, (_, chance) in made.items() if chance} == {
                move: 1 / len(kept) for move in kept
            }
            assert sum(chance for _, chance in made.values()) == pytest.approx(1, abs=1e-15)


# --- tic-tac-toe, by minimax -------------------------------------------------------------------------------


def test_tic_tac_toe_is_worth_what_minimax_says():
    one = game("tic-tac-toe")

    @cache
    def minimax(state):
        """Value and plies; of what is worth the same, the winner's least and the loser's most plies."""
        ends = [minimax(one.play(state, move)) for move in one.moves(state)]
        if not ends:
            return one.value(state), 0 if one.value(state) else -1
        value = max(-worth for worth, _ in ends)
        plies = [plies + 1 for worth, plies in ends if -worth == value]
        return value, -1 if value == 0 else min(plies) if value == 1 else max(plies)

    ends, moves = solved(one)
    assert ends == {state: minimax(state) for state in ends}
    # drawn, won by X and won by O, by full enumeration elsewhere
    for_x = Counter(value * (1 - 2 * one.to_move(state)) for state, (value, _) in ends.items())
    assert for_x == {0: 1068, 1: 2936, -1: 1474}
    assert ends[one.initial()] == (0, -1)
    assert set(moves[one.initial()].values()) == {(0, 1 / 9)}
    check_moves(one, ends, moves)


def test_moves_drawn_by_hand():
    one = game("tic-tac-toe")
    board = ("X.X",
             "OO.",
             "...")  # fmt: skip
    ends, moves = solved(one)
    state = one.read_position("".join(board))
    assert ends[state] == (1, 1)
    # X wins at once with 2; 6 stops O and leaves X two threats, 2 and 9; after any other O wins with 6
    assert {one.move_text(move): made for move, made in moves[state].items()} == {
        "2": (0, 1),
        "6": (0, 0),
        "7": (2, 0),
        "8": (2, 0),
        "9": (2, 0),
    }
    assert ends[one.play(state, 5)] == (-1, 2)
    assert ends[one.play(state, 8)] == (1, 1)


# --- checkers on 4 x 4, which need not end, by sets that grow -----------------------------------------------


@pytest.mark.parametrize(
    ("name", "undecided"), [("checkers-4x4", 2678), ("checkers-4x4:capture_to_win=true", None)]
)
def test_checkers_on_4_x_4_is_worth_what_sets_that_grow_say(name, undecided):
    one = game(name)
    ends, moves = solved(one)
    assert ends == fixpoint(one, list(ends))
    if undecided:
        assert sum(value == 0 for value, _ in ends.values()) == undecided
    assert ends[one.initial()] == (0, -1)
    assert max(plies for _, plies in ends.values()) > 9
    check_moves(one, ends, moves)


# --- games with a theory -----------------------------------------------------------------------------------


def test_nim_is_lost_where_the_heaps_add_up_to_nothing():
    ends, moves = solved(Nim())
    for (heaps, side), (value, plies) in ends.items():
        nimber = reduce(xor, heaps)
        assert value == (1 if nimber else -1)
        assert plies % 2 == (value == 1)
        assert plies <= sum(heaps)
        # Bouton's moves, and no other, keep a win
        keep = {move for move, (given_away, _) in moves[heaps, side].items() if not given_away}
        bouton = {(i, n) for i, n in moves[heaps, side] if heaps[i] - n == nimber ^ heaps[i]}
        assert keep == (bouton if nimber else moves[heaps, side].keys())
    check_moves(Nim(), ends, moves)


class Subtraction(Nim):
    """One heap, of which a move takes up to so many coins; misère: who takes the last one loses."""

    most, misere = 3, False

    def initial(self):
        return 30, 0

    def moves(self, state):
        return [n for n in range(1, self.most + 1) if n <= state[0]]

    def play(self, state, move):
        return state[0] - move, 1 - state[1]

    def value(self, state):
        return 1 if self.misere else -1


@pytest.mark.parametrize("most", [2, *slow(1, 3, 5)])
@pytest.mark.parametrize("misere", [False, True])
def test_a_heap_is_lost_where_a_whole_number_of_turns_is_left(most, misere):
    one = Subtraction()
    one.most, one.misere = most, misere
    ends, moves = solved(one)
    for (coins, _), (value, plies) in ends.items():
        turns, left = divmod(coins - misere, most + 1)
        if turns < 0:  # misère, and no coin left
            assert (value, plies) == (1, 0)
        elif left:  # the winner leaves whole turns
            assert (value, plies) == (1, 2 * turns + 1 + misere)
        else:  # the loser can make each turn last two plies, and misère has to take the last coin
            assert (value, plies) == (-1, 2 * turns + misere)
    check_moves(one, ends, moves)


# --- where a player may move twice --------------------------------------------------------------------------


def test_a_player_who_moves_twice_in_a_row_is_solved():
    """Of one coin: it is taken, and who took it has lost. Of two: both are, and the other has lost.

    Of three: one, which leaves two for oneself, or two, which leaves one for the other. Of more: one after
    the other, down to three, for two would leave the other to win.
    """
    ends, moves = solved(Again())
    by_hand = {0: (-1, 0), 1: (-1, 1), 2: (1, 1), 3: (1, 2), 4: (1, 3), 5: (1, 4), 6: (1, 5), 7: (1, 6)}
    assert {coins: end for (coins, side), end in ends.items() if side == 0} == by_hand
    assert ends.keys() >= {(coins, 1) for coins in range(6)}
    assert all(ends[coins, 1] == by_hand[coins] for coins in range(6))
    assert moves[3, 0] == {1: (0, 0.5), 2: (0, 0.5)}
    assert moves[2, 0] == {1: (2, 0), 2: (0, 1)}
    assert moves[1, 1] == {1: (0, 1)}
    assert moves[4, 0] == {1: (0, 1), 2: (2, 0)}
    check_moves(Again(), ends, moves)


class Over(Nim):
    """Over before it began, and lost for who is to move."""

    def moves(self, state):
        return []


def test_a_game_of_one_position_is_solved():
    solution = solve(graph_of(Over()))
    assert (solution.values.tolist(), solution.plies.tolist()) == ([-1], [0])
    assert len(solution.probabilities) == len(solution.given_away) == 0


@pytest.mark.parametrize("name", ["tic-tac-toe", "checkers-4x4"])
def test_chances_of_perfect_play_sum_to_one(name):
    graph = graph_of(game(name))
    sums = np.zeros(len(graph))
    np.add.at(sums, graph.before, solve(graph).probabilities)
    assert sums[~graph.over] == pytest.approx(1, abs=1e-12)
