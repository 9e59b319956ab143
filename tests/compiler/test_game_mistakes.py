"""Mistakes in games: each is told in one line, with the author's own file and line.

The docstring of each class here is what is told, and `# here` the line that it names.
"""

from __future__ import annotations

import pytest

from arena import Agent
from arena.compiler import reason
from both_ways import Ground
from mistakes import place


class LongerPosition(Ground):
    """play returns (0, 1, 5) after (1, 0), which is of 3 numbers, and not of 2 as initial is"""

    def initial(self):
        return (1, 0)

    def play(self, state, move):  # here
        return 0, 1, 5


class TextAsMove(Ground):
    """moves returns 'left' in (1, 0), which is not an int"""

    def initial(self):
        return (1, 0)

    def moves(self, state):  # here
        yield "left"


class FractionAsMove(Ground):
    """moves returns 0.5 in (1, 0), which is not an int"""

    def initial(self):
        return (1, 0)

    def moves(self, state):  # here
        yield 0.5


class ListAsPosition(Ground):
    """initial returns [1, 0], which is not a tuple of ints; one tuple of these 2 ints compiles, \
and plays about 100 times as fast"""

    def initial(self):  # here
        return [1, 0]


class FractionInPosition(Ground):
    """play returns (0.5, 1) after (2, 0), which is not a tuple of ints"""

    def initial(self):
        return (2, 0)

    def play(self, state, move):  # here
        return state[0] / 4, 1


class MoreMoves(Ground):
    """moves returns 3 moves in (3, 0), more than max_moves, which is 2"""

    max_moves = 2

    def initial(self):
        return (3, 0)

    def moves(self, state):  # here
        yield from range(state[0])


class GamePrinting(Ground):
    """print does not compile"""

    def initial(self):
        return (3, 0)

    def play(self, state, move):
        print("", end="")  # here
        return state[0] - 1, 1 - state[1]


class OtherValue(Ground):
    """value returns a float, not an int"""

    def initial(self):
        return (3, 0)

    def value(self, state):  # here
        return -1.0


class Changing(Ground):
    """an attribute of the game cannot be set; it is a constant"""

    def initial(self):
        return (3, 0)

    def to_move(self, state):
        self.last = state[1]  # here
        return state[1]


GAMES = [LongerPosition, TextAsMove, FractionAsMove, ListAsPosition, FractionInPosition, MoreMoves,
         GamePrinting, OtherValue, Changing]  # fmt: skip


class First(Agent):
    def choose(self, state, moves, rng):
        return moves[0]


@pytest.mark.parametrize("cls", GAMES, ids=lambda cls: cls.__name__)
def test_a_game_s_mistake_is_told_in_one_line(cls):
    assert reason(cls()) == f"{place(cls)}: {cls.__doc__}"


@pytest.mark.parametrize("cls", GAMES, ids=lambda cls: cls.__name__)
def test_agents_stay_plain_in_a_game_that_does(cls):
    assert reason(First(cls())) == f"{place(cls)}: {cls.__doc__}"
