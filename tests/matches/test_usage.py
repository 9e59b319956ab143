"""What an agent says that its moves took is recorded with them, wherever it plays, and within bounds."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest

import arena
from arena.matches.match import taken
from arena.storage.database import Store
from commands import arena as command
from records import query, rows
from tiers import slow

# counts what it looks at by hand: in tic-tac-toe with p plies played there are 9 - p moves
COUNTING = '''
"""Agents that count."""
from arena import Agent, hookimpl


class Counting(Agent):
    """The first move, with how many there are."""

    def choose(self, state, moves, rng):
        self.move_usage = {"nodes": len(moves), "tries": 1}
        return moves[0]


class Scoring(Counting):
    """The same, with what is not an amount."""

    def choose(self, state, moves, rng):
        move = super().choose(state, moves, rng)
        self.move_usage |= {"score": -3, "depth": 4, "clock": 1.5}
        return move


class Failing(Agent):
    """Fails at its second move, having counted."""

    def begin(self, seat):
        self.moves = 0

    def choose(self, state, moves, rng):
        self.moves += 1
        self.move_usage = {"nodes": 7}
        if self.moves == 2:
            raise ValueError("lost")
        return moves[0]


class Wrong(Failing):
    """The same with an illegal move."""

    def choose(self, state, moves, rng):
        try:
            return super().choose(state, moves, rng)
        except ValueError:
            return "nowhere"


class Hostile(Agent):
    """Says too much, under names of its own making, a megabyte of them."""

    def choose(self, state, moves, rng):
        self.move_usage = {f"n{len(moves)}-{i}": 2**53 for i in range(50_000)}
        return moves[0]


@hookimpl
def register_agents(register):
    for cls in (Counting, Scoring, Failing, Wrong, Hostile):
        register(cls.__name__.lower(), f"counting:{cls.__name__}")
'''

USAGE = (
    "SELECT number, ply, e.name, u.name, amount FROM usage u JOIN entries e ON id = entry ORDER BY 1, 2, 4"
)


@pytest.fixture(scope="module")
def counting(plugin):
    return plugin(counting=COUNTING)


def tournament(folder, env, *entries, args=(), status=0):
    named = [word for entry in entries for word in ("--entry", entry)]
    command(
        folder, "tournament", *named, "--game", "tic-tac-toe", "--seed", "1", "--rounds", "1", *args,
        status=status, **env,
    )  # fmt: skip
    return query(folder / "arena.db", USAGE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [[], *slow(["--workers", "3"], ["--isolate"], ["--executor", "serial"], ["--executor", "threads"])],
    ids=" ".join,
)
def test_what_moves_took_is_recorded_by_move(tmp_path, counting, args):
    """Against the first free cell a match is 1 to 7: four moves of the first player, three of the second."""
    found = tournament(tmp_path, counting, "counting", "first", args=args)
    assert found == [
        (number, ply, "counting", name, amount)
        for number, plies in enumerate([(1, 3, 5, 7), (2, 4, 6)])
        for ply in plies
        for name, amount in (("nodes", 10.0 - ply), ("tries", 1.0))
    ]


@pytest.mark.parametrize("args", [[], ["--isolate"]], ids=["", "isolated"])
@pytest.mark.parametrize("entry", ["failing", "wrong"])
@pytest.mark.slow
def test_a_move_that_fails_took_something_too(tmp_path, counting, entry, args):
    found = tournament(tmp_path, counting, entry, "first", args=args, status=1)
    assert [(number, ply, amount) for number, ply, _, _, amount in found] == [
        (0, 1, 7.0), (0, 3, 7.0), (1, 2, 7.0), (1, 4, 7.0),
    ]  # fmt: skip


@pytest.mark.slow
def test_compiled_rules_change_nothing(tmp_path, counting):
    plainly = tournament(tmp_path, counting, "counting", "first")
    (tmp_path / "compiled").mkdir()
    assert (
        tournament(tmp_path / "compiled", {**counting, "ARENA_COMPILED": "1"}, "counting", "first") == plainly
    )


@pytest.mark.slow
def test_it_is_shown_in_sum_and_by_move(tmp_path, counting):
    """By hand: 9 + 7 + 5 + 3 as first, 8 + 6 + 4 as second."""
    tournament(tmp_path, counting, "counting", "first")
    shown = command(tmp_path, "tournaments", "show", "1").stdout
    assert "\n  usage: counting nodes 42, tries 7, in 7 moves\n" in shown
    told = json.loads(command(tmp_path, "tournaments", "show", "1", "--json").stdout)
    assert told["usage"] == {"counting": {"moves": 7, "sums": {"nodes": 42, "tries": 7}}}
    moves = arena.tournaments.usage(1, tmp_path / "arena.db")
    assert len(moves) == 7
    assert moves.to_dicts()[0] == {
        "match": 0, "ply": 1, "entry": "counting", "amounts": {"nodes": 9, "tries": 1},
    }  # fmt: skip
    assert "counting  nodes 9, tries 1" in str(moves)
    by_move = command(tmp_path, "tournaments", "show", "1", "--usage").stdout
    assert by_move.split() == str(moves).split()
    by_move = json.loads(command(tmp_path, "tournaments", "show", "1", "--usage", "--json").stdout)
    assert by_move == moves.to_dicts()


@pytest.mark.slow
def test_readings_are_recorded_and_have_no_sums(tmp_path, counting):
    tournament(tmp_path, counting, "scoring", "first")
    shown = command(tmp_path, "tournaments", "show", "1").stdout
    assert "\n  usage: scoring nodes 42, tries 7, in 7 moves\n" in shown
    moves = arena.tournaments.usage(1, tmp_path / "arena.db").to_dicts()
    assert moves[0]["amounts"] == {"clock": 1.5, "depth": 4, "nodes": 9, "score": -3, "tries": 1}


@pytest.mark.slow
def test_it_goes_with_its_tournament(tmp_path, counting):
    tournament(tmp_path, counting, "counting", "first")
    command(tmp_path, "tournaments", "remove", "1", "--yes")
    assert query(tmp_path / "arena.db", "SELECT * FROM usage") == []


@pytest.mark.parametrize("args", [(), ("--isolate",)], ids=["", "isolated"])
@pytest.mark.slow
def test_who_says_too_much_is_heard_in_part(tmp_path, counting, args):
    found = tournament(tmp_path, counting, "hostile", "first", args=args)
    assert len(found) == 7 * 16
    assert "usage: hostile n" in command(tmp_path, "tournaments", "show", "1").stdout


@pytest.mark.slow
def test_who_says_nothing_leaves_nothing(tmp_path):
    found = tournament(tmp_path, {}, "random", "first")
    assert found == []
    assert "usage" not in command(tmp_path, "tournaments", "show", "1").stdout
    assert "usage" not in json.loads(command(tmp_path, "tournaments", "show", "1", "--json").stdout)


@pytest.mark.slow
def test_matches_that_are_dropped_take_theirs_along(tmp_path, counting):
    """Who is withdrawn has played others already, of which nothing stays."""
    tournament(tmp_path, counting, "failing", "first", "random", args=("--rounds", "9", "--workers", "3"))
    db = tmp_path / "arena.db"
    assert query(db, "SELECT count(*) FROM matches WHERE reason = 'withdrawn'")[0][0] > 0
    unplayed = "SELECT 1 FROM usage u JOIN matches m USING (tournament, number) WHERE reason = 'withdrawn'"
    assert query(db, unplayed) == []
    played = "SELECT number FROM results WHERE 'failing' IN (first, second) ORDER BY 1 LIMIT 3"
    assert query(db, "SELECT DISTINCT number FROM usage ORDER BY 1") == query(db, played)


class Said:
    def __init__(self, usage):
        self.move_usage = usage


class Odd:
    def __float__(self):
        raise SystemExit


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"nodes": 3, "depth": 2.5}, {"depth": 2.5, "nodes": 3}),
        ({"nodes": np.int64(3), "value": np.float32(0.5)}, {"nodes": 3, "value": 0.5}),
        ({"most": 2**53, "more": 2**53 + 2, "negative": -1, "nan": float("nan")}, {"most": 2**53}),
        ({"score": -35, "clock": -1}, {"score": -35}),
        ({"score": -(2**53)}, {"score": -(2**53)}),
        ({"score": -(2**53) - 2}, {}),
        ({"score": "-1"}, {}),
        ({"text": "5", "bytes": b"5", "none": None, "odd": Odd(), "huge": 10**400}, {}),
        ({"two words": 1, "": 1, "x" * 41: 1, 7: 1, "\x1b[2J": 1, "é": 1, "x" * 40: 1}, {"x" * 40: 1}),
        ({f"n{i:02}": i for i in range(99)}, {f"n{i:02}": i for i in range(16)}),
        ([("nodes", 3)], {}),
        ("nodes", {}),
        (None, {}),
    ],
)
def test_what_can_be_recorded_is_taken_once(said, expected):
    agent = Said(said)
    assert taken(agent) == expected
    assert taken(agent) == {}


def test_what_has_no_attributes_says_nothing():
    assert taken(object()) == {}


@pytest.mark.slow
def test_a_database_of_before_has_none(tmp_path):
    arena.tournament(["random", "first"], rounds=1, seed=1, db=tmp_path / "arena.db", progress=False)
    with sqlite3.connect(tmp_path / "arena.db") as db:
        db.execute("DROP TABLE usage")
        db.execute("DELETE FROM _sqlite_migrations WHERE name = '0005 usage'")
    db.close()
    assert arena.tournaments.show(1, tmp_path / "arena.db").usage == {}
    assert list(arena.tournaments.usage(1, tmp_path / "arena.db")) == []
    Store(tmp_path / "arena.db", write=True).close()
    assert rows(tmp_path / "arena.db")["usage"] == []
