"""`arena.solve`: by a game's solver, or by all its positions."""

from __future__ import annotations

import json
import threading

import pytest

import arena
from arena import ArenaError, Stopped
from commands import arena as command

NIM = '''
from arena import ArenaError, Game, Solver, hookimpl

class Nim(Game):
    """Take 1 to 3 of a heap; who takes the last wins."""

    alternating = True
    max_moves = 3

    def initial(self): return (3_000_001, 0)
    def moves(self, state): return [n for n in (1, 2, 3) if n <= state[0]]
    def play(self, state, move): return (state[0] - move, 1 - state[1])
    def to_move(self, state): return state[1]
    def value(self, state): return -1

class NimSolver(Solver):
    """Knows it, and gives up once before it says so."""

    def __init__(self, game): self.game = game

    @classmethod
    def of(cls, game, memory): return cls(game)

    def attempt(self, state, least, visits):
        self.visited += visits
        self.stopped = not self.stopped
        return 1 if state[0] % 4 else -1

    def most(self, state): return 1

    def plies(self, state, value): return (state[0] + 3) // 4 * 2 - (value > 0)

@hookimpl
def register_games(register): register("nim", "nim:Nim")

@hookimpl
def register_solvers(register): register("nim", "nim:NimSolver")
'''


def test_a_position_of_a_small_game_is_looked_up():
    found = arena.solve("tic-tac-toe", "XX.OO....", each=True)
    assert [(row["move"], row["value"], row["plies"]) for row in found.to_dicts()] == [
        ("3", 1, 1), ("6", 0, None), ("7", -1, 2), ("8", -1, 2), ("9", -1, 2),
    ]  # fmt: skip
    assert "XX.OO....: X to move; won in 1 ply" in str(found)


@pytest.mark.parametrize(("moves", "value"), [("", 0), ("1 2", 1), ("5 2", 1), ("1 5", 0), ("2 1", 0)])
def test_tic_tac_toe_is_worth_what_everybody_knows(moves, value):
    assert arena.solve("tic-tac-toe", moves=moves).value == value


@pytest.mark.slow
def test_a_position_of_connect_four_is_searched():
    """The first one's value is BitBully's."""
    found = arena.solve("connect-four", "634422434624", memory=16)
    assert (found.value, found.plies, found.moves) == (-1, None, [])
    found = arena.solve("connect-four", "112233", each=True, distance=True, memory=16)
    assert (found.value, found.plies) == (1, 1)
    assert {row["move"]: row["value"] for row in found.to_dicts()}["4"] == 1
    assert arena.solve("connect-four", "1122334", memory=16, distance=True).value == -1


@pytest.mark.slow
def test_a_move_is_worth_what_the_position_after_it_is_to_the_other():
    found = arena.solve("connect-four", "4444443332", each=True, distance=True, memory=16)
    for row in found.to_dicts():
        after = arena.solve("connect-four", "4444443332" + row["move"], distance=True, memory=16)
        assert row["value"] == -after.value
        assert row["plies"] == (None if after.plies is None else after.plies + 1)
    best = max(found.to_dicts(), key=lambda row: row["value"])
    assert found.value == best["value"]


@pytest.mark.parametrize(
    ("game", "position", "said"),
    [
        ("tic-tac-toe", "XX.......", "XX......."),
    ],
)
def test_what_cannot_be_solved_says_why(game, position, said):
    with pytest.raises(ArenaError, match=said):
        arena.solve(game, position)


def test_it_is_stopped_while_it_searches():
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped, match="before the position was solved"):
        arena.solve("checkers", stop=stop, memory=16)


@pytest.mark.slow
def test_threads_find_what_one_does():
    """BitBully says -2: the other wins with its last coin but one of 17. Takes 3.6 M visits."""
    for threads in (1, 2, 3):
        found = arena.solve("connect-four", "44443312", distance=True, memory=64, threads=threads)
        assert (found.value, found.plies) == (-1, 32)


def test_a_solver_that_fails_in_a_thread_is_named(plugin, tmp_path):
    """Its helper is asked because the first gives up once."""
    helper = "    def helper(self): return Broken(self.game)\n"
    broken = (
        "class Broken(NimSolver):\n    def attempt(self, state, least, visits): return 1 // 0\n\n@hookimpl"
    )
    text = NIM.replace("    def most(self", helper + "\n    def most(self").replace(
        "@hookimpl\ndef", broken + "\ndef", 1
    )
    text = text.replace("self.stopped = not self.stopped", "self.stopped = True")
    done = command(tmp_path, "solve", "nim", "--threads", "2", status=1, **plugin(nim=text))
    assert done.stderr == "Error: solver nim failed: ZeroDivisionError: integer division or modulo by zero\n"


def test_a_plugin_brings_a_solver(plugin, tmp_path):
    env = plugin(nim=NIM)
    done = command(tmp_path, "solve", "nim", "--all-moves", "--distance", "--json", **env)
    found = json.loads(done.stdout)
    assert (found["value"], found["plies"]) == (1, 1_500_001)
    assert [row["value"] for row in found["moves"]] == [1, -1, -1]


def test_a_solver_that_cannot_be_made_is_named(plugin, tmp_path):
    env = plugin(nim=NIM.replace("return cls(game)", "raise ValueError('no memory')"))
    done = command(tmp_path, "solve", "nim", status=1, **env)
    assert done.stderr == "Error: solver nim cannot be created: ValueError: no memory\n"


def test_a_solver_that_fails_is_named(plugin, tmp_path):
    env = plugin(nim=NIM.replace("return 1 if state[0] % 4 else -1", "return 1 // 0"))
    done = command(tmp_path, "solve", "nim", status=1, **env)
    assert done.stderr == "Error: solver nim failed: ZeroDivisionError: integer division or modulo by zero\n"


def test_the_command_shows_the_board_and_the_moves(tmp_path):
    done = command(tmp_path, "solve", "tic-tac-toe", "XX.OO....", "--all-moves")
    assert [line.rstrip() for line in done.stdout.splitlines()[:5]] == [
        "X X .", "O O .", ". . .", "XX.OO....: X to move; won in 1 ply", "move  worth",
    ]  # fmt: skip
