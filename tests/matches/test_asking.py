"""Agents that ask the terminal, and moves that are none: faults say what was done, as people see it."""

from __future__ import annotations

import io
import sys

import pytest

import arena
from arena import Agent, Game
from arena.api.rulings import given_move
from arena.errors import AsksTerminal
from arena.faults.captured_output import listening
from arena.registry.plugins import registry

ASKS = r"^it {}; an agent cannot use the terminal: choose must return a move$"


def calls_input():
    return input("which? ")


def reads_a_line():
    return sys.stdin.readline()


def reads_all():
    return sys.stdin.read()


def reads_line_by_line():
    return [*sys.stdin]


def reads_bytes():
    return sys.stdin.buffer.read()


@pytest.mark.parametrize(
    ("asks", "told"),
    [
        (calls_input, r"calls input\(\)"),
        (reads_a_line, "reads sys.stdin"),
        (reads_all, "reads sys.stdin"),
        (reads_line_by_line, "reads sys.stdin"),
        (reads_bytes, "reads sys.stdin"),
    ],
)
def test_what_asks_the_terminal_is_told_as_that(asks, told):
    with listening(aloud=False), pytest.raises(AsksTerminal, match=ASKS.format(told)):
        asks()


class Asks(Agent):
    """Asks which move to make."""

    def choose(self, state, moves, rng):
        return moves[int(input("which? "))]


class Four(Agent):
    """Plays the middle, 4, whether or not it is free."""

    def choose(self, state, moves, rng):
        return 4


class Far(Agent):
    """Plays beside the board."""

    def choose(self, state, moves, rng):
        return 99


class Named(Agent):
    """Gives a move by its name."""

    def choose(self, state, moves, rng):
        return "middle"


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (
            Asks,
            "by crash: it calls input(); an agent cannot use the terminal: choose must return a move, at ",
        ),
        (Four, "by illegal move: 5 in "),
        (Far, "by illegal move: 99 in "),
        (Named, "by illegal move: 'middle' in "),
    ],
)
def test_a_fault_is_told_as_people_see_it(monkeypatch, agent, told):
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    how = {"matches": 2, "seed": 1, "progress": False, "executor": "serial"}
    found = arena.match(agent, "first", game="tic-tac-toe", **how)
    assert told in "\n".join(found.remarks())


class Steps(Game):
    """Go on by steps that have names, and are tuples."""

    def initial(self):
        return (0, 0)

    def moves(self, state):
        return [(state[0], step) for step in (1, 2)] if state[0] < 4 else []

    def play(self, state, move):
        return (state[0] + move[1], 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1

    def move_text(self, move):
        return f"{move[0]}+{move[1]}"


@pytest.mark.parametrize(
    ("given", "line", "told"),
    [
        ((0, 2), [], "0+2"),  # legal there
        ((0, 2), [(0, 1)], "0+2"),  # legal before
        ((3, 1), [(0, 1)], "(3, 1)"),  # not yet
        (None, [(0, 1)], "None"),
        ("0+2", [], "'0+2'"),
    ],
)
def test_what_was_legal_on_the_way_has_a_text_and_anything_else_is_as_python_writes_it(given, line, told):
    assert given_move(Steps(), given, line) == told


def test_faults_of_games_name_moves_by_their_texts():
    game = registry().spec("game", "tic-tac-toe").make()
    assert given_move(game, 4, [4]) == "5"
    with pytest.raises(arena.ArenaError, match=r"after the moves 0\+1 1\+2: ZeroDivisionError"):
        arena.match("first", "random", game=Breaks, matches=2, seed=1, progress=False, executor="serial")


class Breaks(Steps):
    """Fails at three."""

    def moves(self, state):
        if state[0] == 3:
            return [1 // 0]
        return [(0, 1)] if state[0] == 0 else [(1, 2)]
