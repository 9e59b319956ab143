"""Which matches count again: decided by what was played, and not by what sandboxed entries draw."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

import arena
from arena import Agent
from arena.calls.arguments import own_classes
from arena.ledger.ledger import Ledger
from arena.matches.event import begin, run_recorded
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.record import VARIED
from arena.results.records import FACTS
from arena.results.settings import Settings
from arena.results.varying_entries import Line, Varying
from arena.sandbox import missing
from arena.storage.database import Store
from arena.workers.pools import Serial, Workers
from arena.workers.processes import Processes
from records import query

ENTRIES = "random", "first", "minimax:depth=1,ties=first"
RANDOM, FIRST, MINIMAX = range(3)
# number 0 of each entry's matches is at tic-tac-toe, cells 1 to 9


def seen(varying, number, first, second, moves, start=None, opening=0):
    facts = np.zeros(1, FACTS)
    facts["number"], facts["first"], facts["second"] = number, first, second
    return bool(varying.see(facts, {number: Line(moves, start, opening)})[0])


def watching(entries=(0, 1), mover=0):
    return Varying(entries, ["a", "b", "c"], lambda start: mover)


# Who is seen to vary


def test_who_plays_another_move_after_the_same_history_varies():
    varying = watching()
    assert not seen(varying, 0, 0, 1, "1 2 3")
    assert not seen(varying, 1, 0, 1, "1 2 3")
    assert seen(varying, 2, 0, 1, "1 4 3")  # b answered 1 otherwise
    assert varying.since == {1: 2}


def test_another_history_or_seat_is_no_sign():
    varying = watching()
    for number, (first, second, moves) in enumerate(
        [(0, 2, "1 2 3"), (0, 2, "1 5 4"), (2, 0, "1 7"), (2, 0, "2 8"), (0, 2, "1 6 5")]
    ):
        assert not seen(varying, number, first, second, moves)
    assert varying.since == {}


def test_the_other_player_may_be_anybody():
    varying = watching()
    assert not seen(varying, 0, 0, 1, "1 2 3")
    assert seen(varying, 1, 0, 2, "4 2 3")
    assert varying.since == {0: 1}


def test_moves_of_an_opening_were_nobodys_choice():
    varying = watching()
    assert not seen(varying, 0, 0, 1, "1 2 3 4", opening=2)
    assert not seen(varying, 1, 0, 1, "2 1 5 6", opening=2)
    assert not seen(varying, 2, 0, 1, "5 2", start="position")
    assert seen(varying, 3, 0, 1, "1 2 4", opening=2)


def test_where_the_second_player_begins_moves_are_its_own():
    varying = watching(mover=1)
    assert not seen(varying, 0, 0, 2, "1 2 3")
    assert not seen(varying, 1, 0, 2, "4 5 6")
    assert seen(varying, 2, 0, 2, "1 3")


def test_two_of_one_text_vary_together():
    varying = Varying((0, 1), ["a", "a"], lambda start: 0)
    assert not seen(varying, 0, 0, 1, "1 2")
    assert seen(varying, 1, 0, 1, "3 2")
    assert varying.since == {0: 1, 1: 1}


def test_without_turns_everybody_varies():
    varying = watching(mover=None)
    assert seen(varying, 0, 0, 1, "1 2")


# What is recorded of it


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """Nobody plays compiled, as nobody does who is sandboxed."""
    monkeypatch.setenv("ARENA_COMPILED", "0")


def plan_of(untrusted, rounds=30, entries=ENTRIES, **settings):
    said = Settings(game="tic-tac-toe", entries=list(entries), rounds=rounds, seed=3, **settings)
    settings, plan = complete(said, registry())
    return settings, replace(plan, untrusted=frozenset(untrusted))


def play(db, untrusted, workers=1, stop_after=None, number=None, **how):
    """Play a tournament in this process, or go on with it; entries are not sandboxed, but counted so."""
    settings, plan = plan_of(untrusted, **how)
    pool = Workers(Serial if workers == 1 else Processes, workers)
    with closing(Store(str(db), write=True)) as store:
        number = number or begin(store, settings, plan, registry())
        for played, _ in run_recorded(store, number, Ledger(plan), pool):
            if stop_after is not None and played >= stop_after:
                break
    return number


def marks(db):
    """How often matches of two have which mark."""
    return Counter(
        query(
            db,
            "SELECT a.name, b.name, chance FROM matches"
            " JOIN entries a ON a.id = first JOIN entries b ON b.id = second",
        )
    )


def kinds(db):
    rows = query(db, "SELECT kind, sum(wins + draws + losses) FROM pairings GROUP BY kind")
    return dict(rows)


def content(db):
    return [query(db, f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4") for table in ("pairings", "elo")] + [
        query(db, "SELECT number, moves, chance FROM matches ORDER BY number")
    ]


def test_matches_of_those_that_vary_count_each_and_others_once(tmp_path):
    db = tmp_path / "a.db"
    play(db, {RANDOM, FIRST, MINIMAX})
    found = marks(db)
    first, minimax = ENTRIES[FIRST], ENTRIES[MINIMAX]
    assert found[first, minimax, 0] == found[minimax, first, 0] == 30
    assert {mark for (*seats, mark) in found if "random" in seats} == {VARIED}
    assert kinds(db) == {"chance": 120, "fixed": 2, "copy": 58}


def test_a_trusted_entrys_draws_count_as_ever(tmp_path):
    db = tmp_path / "a.db"
    play(db, {FIRST})
    assert {mark for (*seats, mark) in marks(db) if "random" in seats} == {1}
    assert kinds(db) == {"chance": 120, "fixed": 2, "copy": 58}


class Drawing(Agent):
    """Plays the first move, and draws a random number only where it wins."""

    def choose(self, state, moves, rng):
        after = self.game.play(state, moves[0])
        if not self.game.moves(after):
            rng.random()
        return moves[0]


def test_drawing_in_won_matches_makes_no_difference(tmp_path):
    """Found in a trial: the file's wins counted each, and its losses once."""
    found = {}
    for name, untrusted in (("trusted", ()), ("sandboxed", {0, 1})):
        known = registry().including(own_classes([Drawing]))
        said = Settings(game="tic-tac-toe", entries=["drawing", "first"], rounds=20, seed=3)
        settings, plan = complete(said, known)
        plan = replace(plan, untrusted=frozenset(untrusted))
        with closing(Store(str(tmp_path / f"{name}.db"), write=True)) as store:
            number = begin(store, settings, plan, known)
            [*run_recorded(store, number, Ledger(plan), Workers(Serial, 1))]
        found[name] = kinds(tmp_path / f"{name}.db")
    assert found["trusted"]["chance"] >= 20  # as it was
    assert found["sandboxed"] == {"fixed": 2, "copy": 38}


def test_any_workers_and_interruptions_come_to_the_same(tmp_path):
    everybody = {RANDOM, FIRST, MINIMAX}
    whole, parted = tmp_path / "whole.db", tmp_path / "parted.db"
    play(whole, everybody, rounds=8)
    number = play(parted, everybody, stop_after=1, rounds=8)
    play(parted, everybody, number=number, stop_after=20, rounds=8)
    play(parted, everybody, number=number, rounds=8)
    assert content(parted) == content(whole)


@pytest.mark.slow
def test_two_processes_come_to_the_same(tmp_path):
    everybody = {RANDOM, FIRST, MINIMAX}
    play(tmp_path / "one.db", everybody)
    play(tmp_path / "two.db", everybody, workers=2)
    assert content(tmp_path / "two.db") == content(tmp_path / "one.db")


def test_under_the_first_scheme_all_draws_count():
    said = {"game": "tic-tac-toe", "entries": ["random", "first"], "rounds": 2, "isolate": True}
    assert complete(Settings(**said), registry())[1].untrusted == {0, 1}
    assert complete(Settings(**said, streams=1), registry())[1].untrusted == frozenset()


FILE = """
from arena import Agent

class {name}(Agent):
    "As it says."

    def choose(self, state, moves, rng):
        return {choice}
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two files, one that plays at random and one that does not."""
    monkeypatch.chdir(tmp_path)
    for name, choice in (("Any", "rng.choice(moves)"), ("Last", "moves[-1]")):
        (tmp_path / f"{name.lower()}.py").write_text(FILE.format(name=name, choice=choice))
    return ["any.py", "last.py"]


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason="needs Landlock and seccomp")
def test_a_file_that_plays_at_random_keeps_its_score(files):
    """Repeated lines are likely where the other plays by rule: of 400 matches some 100 differ."""
    found = arena.match(*files, game="tic-tac-toe", matches=400, progress=False)
    assert sum(row.copies for row in found.pairings) == 0
    assert sum(row.wins + row.draws + row.losses for row in found.pairings) == 400


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason="needs Landlock and seccomp")
def test_verify_finds_who_is_said_to_vary_and_does_not(files, tmp_path):
    arena.tournament([*files, "first"], game="tic-tac-toe", rounds=10, db="a.db", progress=False)
    assert arena.verify("a.db", agents=files, progress=False).agrees
    with closing(sqlite3.connect("a.db")) as connection:
        ids = dict(connection.execute("SELECT name, id FROM entries"))
        for forged, honest, who in ((0, 2, "any.py"), (2, 0, "last.py")):
            both = f"{ids[who]} IN (first, second) AND {ids['first']} IN (first, second)"
            for now, before in ((forged, honest), (honest, forged)):
                sql = f"UPDATE matches SET chance = {now} WHERE {both} AND chance = {before}"
                assert connection.execute(sql).rowcount > 0
                connection.commit()
                found = arena.verify("a.db", sample=1, agents=files, progress=False)
                assert any("varies" in str(one) for one in found.differences) == (now == forged)


@pytest.mark.slow
@pytest.mark.skipif(bool(missing()), reason="needs Landlock and seccomp")
@pytest.mark.parametrize(("seed", "warned"), [("1", True), (str(2**64), False), (None, False)])
def test_a_short_seed_with_sandboxed_files_is_warned_of(files, capfd, seed, warned):
    arena.match(*files, game="tic-tac-toe", matches=2, seed=seed, progress=True)
    assert ("is short enough to guess" in capfd.readouterr().err) == warned
