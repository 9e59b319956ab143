"""`arena verify`: what was forged is found as often as stated, and what was not is not accused."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import stat
import threading
from contextlib import closing, suppress
from hashlib import sha256

import pytest
import scipy

import arena
from arena import ArenaError, Stopped
from arena.commands.verify.sample import drawn
from commands import arena as command
from commands import ended
from forging import made_anew
from records import query
from tiers import slow

ENTRIES = ["first", "minimax:ties=first", "random", "greedy"]
BOTS = """
from arena import Agent

class Bot(Agent):
    '''Moves at random, but for its favourite.'''
    def choose(self, state, moves, rng):
        return {favourite} if {favourite} in moves else rng.choice(moves)
"""
FAULTY = """
from arena import Agent

class Raises(Agent):
    def choose(self, state, moves, rng):
        if rng.below(3) == 0:
            raise ValueError("no")
        return moves[0]

class Cheats(Agent):
    def choose(self, state, moves, rng): return rng.choice([*moves, 99])

class Hangs(Agent):
    def choose(self, state, moves, rng):
        while rng.below(8) == 0:
            pass
        while len(moves) == 1: pass
        return moves[0]
"""

SLOW = """
import time
from arena import Agent

class Slow(Agent):
    def choose(self, state, moves, rng):
        time.sleep(1)
        return moves[0]
"""


def verify(db, sample=10**6, **how):
    return arena.verify(db, sample=sample, **{"executor": "serial", "progress": False, **how})


def played(db, entries=ENTRIES, **how):
    how = {"game": "tic-tac-toe", "seed": 1, "executor": "serial", "progress": False, **how}
    return arena.tournament(entries, db=db, **how)


def altered(db, *statements):
    """A database changed by SQL."""
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        for sql, *values in statements:
            connection.execute(sql, values)


def unfolded(text):
    """Without the ends of its lines."""
    return " ".join(str(text).split())


def forge(db, number):
    """Have a match be won by who lost it, in sums and ratings, too, by moves that the rules allow."""
    result, chance = query(db, "SELECT result, chance FROM matches WHERE number = ?", number)[0]
    moves, plies = ("1 4 2 5 3", 5) if result == -1 else ("1 4 2 5 9 6", 6)
    forged = 1 if result == -1 else -1
    assert chance
    altered(
        db,
        (
            "UPDATE matches SET (moves, plies, result) = (?, ?, ?) WHERE number = ?",
            moves,
            plies,
            forged,
            number,
        ),
    )
    made_anew(db)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """10,000 matches."""
    db = tmp_path_factory.mktemp("large") / "large.db"
    found = played(db, ["random", "greedy", "first"], rounds=1667, executor="threads")
    assert found.played == 10_002
    altered(db, ("DELETE FROM matches WHERE number >= 10000",), ("UPDATE tournaments SET finished = NULL",))
    made_anew(db)
    return db


@pytest.mark.slow
def test_one_forged_result_among_ten_thousand_is_found_as_often_as_stated(tmp_path, large):
    """The share of sample seeds that find it is n / N, within an exact 99.9 % interval."""
    db, size = tmp_path / "forged.db", 500
    shutil.copy(large, db)
    number = query(db, "SELECT number FROM matches WHERE chance = 1 AND result <> 0 AND number > 4000")[0][0]
    forge(db, number)
    assert query(db, "SELECT count(*) FROM matches") == [(10_000,)]
    finds = [seed for seed in range(4000) if number in drawn(10_000, size, seed)]
    low, high = scipy.stats.binomtest(len(finds), 4000).proportion_ci(0.999, method="exact")
    assert low <= size / 10_000 <= high
    stated = verify(db, size, seed=finds[0])
    assert stated.found_with(1) == pytest.approx(size / 10_000)
    for seed in range(finds[0], finds[0] + 4):
        which = ["--sample", str(size), "--seed", str(seed), "--executor", "serial"]
        done = ended(tmp_path, "verify", "forged.db", *which)
        said = unfolded(done.stdout)
        assert done.returncode == int(seed in finds)
        assert (f"match {number} of tournament 1" in said) == (seed in finds)
        if seed not in finds:
            assert "500 of 10,000 matches replayed, none differs." in said
            assert (
                "one would have been found with probability 99.4 %; if one had, with probability 5.0 %."
                in said
            )


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    db = tmp_path_factory.mktemp("small") / "small.db"
    played(db, rounds=10)
    return db


@pytest.fixture
def theirs(tmp_path, small):
    return shutil.copy(small, tmp_path / "theirs.db")


def test_what_is_as_it_was_played_agrees(theirs):
    found = verify(theirs)
    assert found.agrees
    assert (found.matches, found.repeatable, found.repeated, found.most_wrong) == (120, 120, 120, 0)
    assert "120 of 120 matches replayed, none differs." in str(found)


@pytest.mark.parametrize("executor", ["processes", "threads"])
def test_workers_find_the_same(theirs, executor):
    altered(theirs, ("UPDATE matches SET result = -result WHERE number = 11",))
    found = verify(theirs, executor=executor, workers=2, seed=3)
    assert found.to_dict() == verify(theirs, seed=3).to_dict()
    assert not found.agrees


def test_an_edited_move_is_named_with_its_ply_and_what_was_played(theirs):
    number, moves = query(theirs, "SELECT number, moves FROM matches WHERE plies = 7 ORDER BY number")[3]
    words = moves.split()
    words[4] = next(square for square in "123456789" if square not in words)
    altered(theirs, ("UPDATE matches SET moves = ? WHERE number = ?", " ".join(words), number))
    found = [one for one in verify(theirs).differences if one.match == number]
    assert [(one.ply, one.recorded, one.instead) for one in found] == [(5, words[4], moves.split()[4])]
    assert f"ply 5 is recorded as {words[4]}, but the replay played {moves.split()[4]}" in found[0].what


def test_an_illegal_move_is_named_where_nothing_can_be_played_again(theirs):
    altered(
        theirs,
        ("UPDATE codes SET code = '0123456789abcdef'",),
        ("UPDATE matches SET moves = '1 1 2 3 4', plies = 5 WHERE number = 7",),
        ("UPDATE matches SET moves = '1 4 2 5 3 6', plies = 6 WHERE number = 8",),
        ("UPDATE matches SET moves = '1 4 2 5', plies = 4, result = 1 WHERE number = 9",),
    )
    found = verify(theirs)
    assert found.repeatable == 0
    assert found.sampled == 120
    what = {one.match: one.what for one in found.differences if one.match is not None}
    assert what == {
        7: "ply 2, 1, is not a legal move",
        8: "ply 6, 6, comes after the end of the match",
        9: "it is recorded as a win of the first player, but its moves do not end the match",
    }


def test_an_edited_result_is_named(theirs):
    number, result = query(theirs, "SELECT number, result FROM matches WHERE result <> 0 ORDER BY number")[5]
    altered(theirs, ("UPDATE matches SET result = ? WHERE number = ?", -result, number))
    found = [one for one in verify(theirs).differences if one.match == number]
    assert len(found) == 1
    winners = {1: "first", -1: "second"}
    assert found[0].recorded.startswith(f"a win of the {winners[-result]} player")
    assert found[0].instead.startswith(f"a win of the {winners[result]} player")


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE pairings SET wins = wins + 1 WHERE first = 1 AND second = 2", "the sums of first against"),
        ("UPDATE elo SET rating = rating + 1 WHERE entry = 2", "Elo of minimax:ties=first after"),
        ("DELETE FROM matches WHERE number = 119", "recorded as finished, and has no match 119"),
        ("UPDATE matches SET first = 2, second = 3 WHERE number = 0", "this pairing was not scheduled"),
        ("UPDATE matches SET reason = 'withdrawn', moves = '', plies = 0 WHERE number = 3", "not played"),
        ("UPDATE matches SET chance = 1 - chance WHERE number = 0", "random number"),
        ("UPDATE matches SET opening = 2 WHERE number = 5", "its opening is"),
        ("UPDATE matches SET reason = 'max plies', result = 0 WHERE number = 5", "is recorded as a draw by"),
        ("UPDATE tournaments SET planned = 240", "its settings result in 120"),
        ("UPDATE tournaments SET code = '0123456789abcdef'", "other rules of tic-tac-toe"),
        ("UPDATE codes SET code = '0123456789abcdef' WHERE entry = 4", "greedy of tournament 1: it played"),
        (
            "UPDATE tournaments SET settings = replace(settings, '\"seed\": 1', '\"seed\": 2')",
            "but the replay played",
        ),
    ],
)
def test_whatever_else_was_edited_is_named(theirs, sql, named):
    altered(theirs, (sql,))
    found = verify(theirs)
    assert not found.agrees
    assert named in unfolded(found), unfolded(found)


@pytest.mark.slow
def test_a_changed_source_is_named_and_its_matches_are_not_replayed(tmp_path):
    (tmp_path / "bot.py").write_text(BOTS.format(favourite=5))
    played(tmp_path / "theirs.db", [str(tmp_path / "bot.py"), "random", "first"], rounds=4)
    given = {"agents": [tmp_path / "bot.py"]}
    assert verify(tmp_path / "theirs.db", **given).repeated == 24
    (tmp_path / "bot.py").write_text(BOTS.format(favourite=1))
    found = verify(tmp_path / "theirs.db", **given)
    assert not found.agrees
    assert [(one.entry, one.other, one.matches) for one in found.unrepeated] == [("bot.py", True, 16)]
    assert (found.repeated, found.sampled) == (8, 24)
    assert "DIFFERS: bot.py of tournament 1: it played with code" in unfolded(found)


@pytest.mark.slow
def test_no_file_runs_that_is_not_given(tmp_path):
    (tmp_path / "bot.py").write_text(BOTS.format(favourite=5))
    played(tmp_path / "theirs.db", [str(tmp_path / "bot.py"), "random"], rounds=4)
    (tmp_path / "bot.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    found = verify(tmp_path / "theirs.db")
    assert found.agrees
    assert [one.why for one in found.unrepeated] == ["bot.py is not given"]
    assert not (tmp_path / "ran").exists()


def renamed(db, old, new):
    """Have another be entered."""
    altered(
        db,
        ("UPDATE entries SET name = ? WHERE name = ?", new, old),
        ("UPDATE tournaments SET settings = replace(settings, ?, ?)", json.dumps(old), json.dumps(new)),
        ("DELETE FROM codes",),
    )


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("engine:command=touch ran", "it is a program or service outside arena"),
        ("llm:command=touch ran", "it is a program or service outside arena"),
        ("q-table:opponent=(engine:command=touch ran)", "it is a program or service outside arena"),
        ("alpha-beta:seconds=0.5", "it depends on the clock"),
        ("human", "a person played at the terminal"),
        ("q-table:episodes=123457", "its model is not here: arena.train("),
        ("no-such-agent:depth=3", "no agent called 'no-such-agent'"),
        ("minimax:no-such-option=3", "no option"),
        ("\x1b[2J", "is not a name with options"),
    ],
)
def test_who_cannot_play_as_it_did_is_told_and_not_begun(tmp_path, theirs, entry, why, monkeypatch):
    monkeypatch.chdir(tmp_path)
    renamed(theirs, "greedy", entry)
    found = verify(theirs)
    (one,) = found.unrepeated
    assert why in one.why, one.why
    assert (one.entry, one.matches, found.repeatable, found.sampled) == (entry, 60, 60, 120)
    assert "\x1b" not in str(found)
    assert "60 others of the 120 matches checked only against the rules" in unfolded(found)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("$.openings", "/dev/zero", "but the lines of this book are not recorded"),
        *slow(("$.entries", [f"random:n={i}" for i in range(100_000)], "it has 100,000 entries")),
        ("$.game", "/dev/zero.py", "zero.py"),
        ("$.max_plies", 0, "max_plies is 0"),
    ],
)
def test_settings_have_no_file_read_and_make_no_end_of_work(theirs, path, value, named):
    sql = "UPDATE tournaments SET settings = json_set(settings, ?, json(?))"
    altered(theirs, (sql, path, json.dumps(value)))
    found = verify(theirs)
    assert named in unfolded(found), unfolded(found)
    assert found.sampled == 0


def test_nothing_is_written(tmp_path, theirs):
    before = sha256(theirs.read_bytes()).hexdigest()
    there = {path.name for path in tmp_path.iterdir()}
    for mode in (stat.S_IRUSR | stat.S_IXUSR, stat.S_IRWXU):
        tmp_path.chmod(mode)
        assert verify(theirs).agrees
    assert sha256(theirs.read_bytes()).hexdigest() == before
    assert {path.name for path in tmp_path.iterdir()} == there


def test_a_database_that_is_being_written_is_left_as_it_is(tmp_path, theirs):
    with closing(sqlite3.connect(theirs)) as writing:
        writing.execute("PRAGMA journal_mode = WAL")
        writing.execute("UPDATE matches SET result = -result WHERE number = 11")
        writing.commit()
        before = [(tmp_path / name).read_bytes() for name in ("theirs.db", "theirs.db-wal")]
        found = verify(theirs)
        assert 11 in [one.match for one in found.differences]
        assert before == [(tmp_path / name).read_bytes() for name in ("theirs.db", "theirs.db-wal")]


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9])
def test_a_damaged_file_is_one_line(tmp_path, theirs, share):
    data = bytearray(theirs.read_bytes())
    rng = random.Random(share)
    at = int(share * len(data))
    data[at : at + 600] = rng.randbytes(600)
    theirs.write_bytes(data)
    done = ended(tmp_path, "verify", "theirs.db", "--executor", "serial")
    if done.returncode:  # else nothing lay there
        assert done.stdout or len(done.stderr.splitlines()) == 1
        assert done.stdout or done.stderr.startswith("Error: theirs.db ")


def test_a_view_in_place_of_a_table_is_not_asked(theirs):
    altered(
        theirs,
        ("ALTER TABLE elo RENAME TO other",),
        ("CREATE VIEW elo AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
         " SELECT i AS tournament, i AS rounds, i AS entry, 0.5 AS rating FROM n",),
    )  # fmt: skip
    with pytest.raises(ArenaError, match="is damaged"):
        verify(theirs)


@pytest.mark.slow
def test_honest_tournaments_of_all_kinds_agree(tmp_path, monkeypatch):
    """Formats that look at results, failures, withdrawals, openings, who was added, learners, a test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faulty.py").write_text(FAULTY)
    faulty = [f"faulty.py::{name}" for name in ("Raises", "Cheats", "Hangs")]
    played("all.db", [*faulty, "random"], rounds=6, stall_seconds=1, withdraw_after=4, executor="processes")
    played("all.db", until=150)
    played("all.db", ["random", "first", "greedy"], until="decided")
    played("all.db", ["random", "q-table:episodes=50,seeds=2"], rounds=5, openings="random:2")
    played("all.db", ["random", "alpha-beta:depth=2"], rounds=3, game="checkers-4x4", max_plies=30)
    played("all.db", ["random", "first", "greedy"], rounds=3, format="gauntlet")
    arena.resume(add=["minimax"], db="all.db", executor="serial", progress=False)
    played("all.db", ["random", "first"], exact=True)
    match = {"game": "tic-tac-toe", "seed": 1, "db": "all.db", "executor": "serial", "progress": False}
    arena.match("random", "greedy", matches=7, **match)
    arena.match("random", "greedy", sprt=(0, 150), **match)
    human = arena.play("first", game="tic-tac-toe", start="5", progress=False)
    human.resign()
    human.record("all.db")
    human.close()
    found = verify("all.db", agents=["faulty.py"], executor="processes", stall_seconds=5.0)
    assert found.agrees, str(found)
    assert {one.why for one in found.unrepeated} <= {
        "recorded as lost by the clock, or by hanging",
        "a person played at the terminal",
    }
    assert [one.tournament for one in found.unread] == [7]
    assert found.repeated == found.repeatable > 200
    assert verify("all.db").agrees  # without the file that entries are of


def test_a_tournament_that_is_not_over_agrees(tmp_path):
    stop = threading.Event()
    stop.set()
    assert not played(tmp_path / "begun.db", rounds=400, stop=stop, executor="processes").finished
    assert verify(tmp_path / "begun.db").agrees


@pytest.mark.slow
def test_who_hangs_when_played_again_is_not_accused(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    played(tmp_path / "theirs.db", [str(tmp_path / "slow.py"), "first"], rounds=1)
    how = {"agents": [tmp_path / "slow.py"], "stall_seconds": 0.2, "executor": "processes"}
    found = verify(tmp_path / "theirs.db", **how)
    assert found.agrees, str(found)
    assert (found.repeatable, found.repeated) == (2, 0)
    assert "raise stall_seconds=" in unfolded(found)


def test_it_can_be_stopped(theirs):
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        verify(theirs, stop=stop)


@pytest.mark.slow
def test_json_says_all(tmp_path, theirs):
    altered(theirs, ("UPDATE matches SET result = -result WHERE number = 11",))
    done = command(tmp_path, "verify", "theirs.db", "--json", "--seed", "5", "--sample", "60", status=1)
    said = json.loads(done.stdout)
    assert (said["seed"], said["matches"], said["repeated"], said["agrees"]) == (5, 120, 60, False)
    assert said["one_forged_found"] == pytest.approx(0.5)


HOSTILE = (
    *(None, "", "{", "[]", "[" * 100_000, "\x1b[2J", -1, 0, 7, 2**62, -(2**63)),
    *(0.5, -1e300, float("inf")),
)


@pytest.mark.parametrize("times", [1, pytest.param(9, marks=pytest.mark.campaign)])
@pytest.mark.slow
def test_whatever_a_column_holds_is_told_in_words(tmp_path, small, times):
    """What differs is listed, or there is one line; values are drawn."""
    rng = random.Random(1)
    tables = [name for (name,) in query(small, "SELECT name FROM sqlite_schema WHERE type = 'table'")]
    columns = [(table, row[1]) for table in tables for row in query(small, f"PRAGMA table_info({table})")]
    tried = 0
    for table, column in columns:
        for value in rng.sample(HOSTILE, times):
            db = shutil.copy(small, tmp_path / "theirs.db")
            try:
                altered(
                    db,
                    ("PRAGMA ignore_check_constraints = ON",),
                    (f"UPDATE OR REPLACE {table} SET {column} = ?", value),
                )
            except (sqlite3.IntegrityError, sqlite3.OperationalError):
                continue
            tried += 1
            with suppress(ArenaError):  # which is one line by itself
                assert "\x1b" not in str(verify(db, sample=10, stall_seconds=5.0))
    assert tried > 40


@pytest.mark.slow
def test_adjudicated_matches_are_held_against_the_endings(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_ENDINGS", str(tmp_path / "endings"))
    arena.endings("checkers", pieces=2, progress=False)
    db = tmp_path / "theirs.db"
    arena.tournament(
        ["random", "greedy"], game="checkers", rounds=25, seed=1, db=db, adjudicate=2, progress=False
    )
    found = arena.verify(db, sample=50, seed=1, progress=False)
    assert found.agrees
    assert found.repeated == 50
    (number,), *_ = query(db, "SELECT number FROM matches WHERE reason = 'adjudication'")
    altered(db, ("UPDATE matches SET result = 1 - abs(result) WHERE number = ?", number))
    whats = [
        one.what for one in arena.verify(db, sample=50, progress=False).differences if one.match == number
    ]
    assert [what for what in whats if "by adjudication" in what and what.endswith("again")], whats
    monkeypatch.setenv("ARENA_ENDINGS", str(tmp_path / "nothing"))
    assert 'create them: arena.endings("checkers", pieces=2)' in unfolded(
        arena.verify(db, sample=50, progress=False)
    )
