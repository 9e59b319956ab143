"""Rules with chance, or with a memory of their own, are refused before anything is played."""

from __future__ import annotations

import itertools
import random
import sqlite3
import time
from collections import Counter
from dataclasses import dataclass

import pytest

import arena
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.faults.determinism import POSITIONS, NotDeterministic, ask_again, deterministic
from commands import ended
from heaps import Heap

QUIET = {"matches": 2, "seed": 1, "progress": False}


@pytest.fixture(autouse=True)
def _not_known():
    """Each game is looked at anew, and remembers nothing."""
    SEEN.clear()
    deterministic.clear()


class DiceInPlay(Heap):
    def play(self, state, move):
        return (max(0, state[0] - move - random.randrange(2)), 1 - state[1])


class DiceInMoves(Heap):
    def moves(self, state):
        moves = super().moves(state)
        return random.sample(moves, len(moves))


class DiceInValue(Heap):
    def value(self, state):
        return random.choice((-1, 1))


class DiceInToMove(Heap):
    def to_move(self, state):
        return random.randrange(2) if state[0] < 7 else 0


class Counts(Heap):
    """Every fourth move takes one more."""

    def ready(self):
        self.count = itertools.count()

    def play(self, state, move):
        return (max(0, state[0] - move - (next(self.count) % 4 == 3)), 1 - state[1])


class RemembersTheTurn(Heap):
    def initial(self):
        self.turn = 0
        return (7, 0)

    def play(self, state, move):
        self.turn = 1 - self.turn
        return (state[0] - move, 0)

    def to_move(self, state):
        return self.turn


SEEN = Counter[tuple[int, int]]()


class RemembersInTheClass(Heap):
    def moves(self, state):
        SEEN[state] += 1
        return super().moves(state)[: 1 + SEEN[state] // 5] if state[0] < 7 else super().moves(state)


class GoesByTheClock(Heap):
    def play(self, state, move):
        return (max(0, state[0] - move - time.perf_counter_ns() // 100 % 2), 1 - state[1])


@dataclass(unsafe_hash=True)
class Pile:
    coins: int
    turn: int


class ChangesThePosition(Heap):
    def initial(self):
        return Pile(7, 0)

    def moves(self, state):
        return [n for n in (1, 2, 3) if n <= state.coins]

    def play(self, state, move):
        state.coins -= move
        state.turn = 1 - state.turn
        return state

    def to_move(self, state):
        return state.turn


UNSTEADY = {
    DiceInPlay: r"play of \d leads to \(\d, [01]\), but \(\d, [01]\) when (called again|first called)",
    DiceInMoves: r"moves returns \[.*\], but \[.*\] when (called again|first called)",
    DiceInValue: r"value is -?1, but -?1 when (called again|first called)",
    DiceInToMove: r"to_move is [01], but [01] when (called again|first called)",
    Counts: r"play of \d leads to \(\d, [01]\), but \(\d, [01]\) when (called again|first called)",
    RemembersTheTurn: r"to_move is [01], but [01] when (called again|first called)",
    RemembersInTheClass: r"moves returns \[.*\], but \[.*\] when (called again|first called)",
    GoesByTheClock: r"play of \d leads to \(\d, [01]\), but \(\d, [01]\) when (called again|first called)",
    ChangesThePosition: r"play of \d changes Pile\(coins=7, turn=0\) to Pile\(coins=\d, turn=1\); make play",
}
TOLD = r"game [a-z-]+ is not deterministic: (at the start|after the moves \d( \d)*): {}"


@pytest.mark.parametrize(
    "executor", ["serial", *(pytest.param(e, marks=pytest.mark.slow) for e in ("threads", "processes"))]
)
@pytest.mark.parametrize("game", UNSTEADY, ids=lambda game: game.__name__)
def test_rules_that_give_two_answers_are_refused_and_the_method_named(game, executor):
    with pytest.raises(ArenaError, match=TOLD.format(UNSTEADY[game])):
        arena.match("random", "first", game=game, executor=executor, **QUIET)


@pytest.mark.slow
def test_a_tournament_plays_nothing_then_and_keeps_what_it_has(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    how = {"rounds": 2, "seed": 1, "progress": False, "executor": "serial"}
    arena.tournament(["random", "first"], game=Heap, **how)
    with pytest.raises(ArenaError, match="is not deterministic:"):
        arena.tournament(["random", "first"], game=DiceInPlay, **how)
    with sqlite3.connect("arena.db") as db:
        assert [*db.execute("SELECT count(*) FROM matches")] == [(4,)]
        assert [*db.execute("SELECT count(*) FROM tournaments")] == [(1,)]
    db.close()


FILE = """
from arena import Game

class Words(Game):
    "Take a word's letters of eleven."
    def initial(self): return (11, 0)
    words = {"one", "two", "three", "four", "five", "six"}
    def moves(self, state): return [w for w in self.words if len(w) <= state[0]]
    def play(self, state, move): return (state[0] - len(move), 1 - state[1])
    def to_move(self, state): return state[1]
    def value(self, state): return -1
"""


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["serial", "threads", "processes"])
def test_an_order_that_is_another_in_each_process_is_refused(tmp_path, executor):
    (tmp_path / "words.py").write_text(FILE)
    how = ("--matches", "2", "--seed", "1", "--executor", executor)
    done = ended(tmp_path, "match", "random", "first", "--game", "words.py", *how)
    assert done.returncode == 1
    assert "is not deterministic: at the start: moves returns ['" in done.stderr
    assert "in another process; do not depend on hash(), id() or the order of a set" in done.stderr


class Position:
    """Equal to itself alone, as objects are."""

    def __init__(self, coins, turn):
        self.coins, self.turn = coins, turn


class ByIdentity(ChangesThePosition):
    def initial(self):
        return Position(7, 0)

    def play(self, state, move):
        return Position(state.coins - move, 1 - state.turn)


class Fresh(Heap):
    """Makes a new list at every call, keeps what it has found, and has positions with a NaN."""

    def ready(self):
        self.kept = {}

    def initial(self):
        return (7, 0, float("nan"))

    def moves(self, state):
        return self.kept.setdefault(state, super().moves(state))

    def play(self, state, move):
        return (state[0] - move, 1 - state[1], float("nan"))


@pytest.mark.slow
@pytest.mark.parametrize("game", [Heap, ByIdentity, Fresh, "tic-tac-toe", "connect-four", "checkers"])
def test_rules_that_answer_alike_are_played(game):
    found = arena.match("random", "first", game=game, executor="serial", **QUIET)
    assert sum(row.wins + row.draws + row.losses for row in found.pairings) == 2


def test_what_the_rules_print_meanwhile_is_not_seen(capsys):
    arena.match("random", "first", game=Prints, executor="serial", **QUIET)
    assert "here" not in capsys.readouterr().out


class Prints(Heap):
    def moves(self, state):
        print("here")
        return super().moves(state)


def rarely(probability, rng):
    """A game that takes one coin more with a small probability."""

    class Rarely(Heap):
        def play(self, state, move):
            return (max(0, state[0] - move - (rng.random() < probability)), 1 - state[1])

    return Rarely


@pytest.mark.slow
def test_chance_of_a_small_probability_is_found_as_often_as_the_page_says():
    """Some 800 moves are played three times: 1 - 0.999 ** 2400 is 0.91, were none of them at the end."""
    for probability, least in ((0.01, 0.99), (0.001, 0.6)):
        found = 0
        for seed in range(100):
            spec = Spec("rarely", "", {})
            vars(spec)["cls"] = rarely(probability, random.Random(seed))
            try:
                ask_again(spec, 0.0)
            except NotDeterministic:
                found += 1
        assert found >= 100 * least, (probability, found)
    assert POSITIONS == 1000
