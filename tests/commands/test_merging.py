"""`arena.merge`: shards in any order are the tournament as one machine plays it."""

from __future__ import annotations

import itertools
import shutil
import signal
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

import arena
from arena import ArenaError, Stopped
from arena.api.format import Stage
from arena.plan.schedule import Schedule
from arena.plan.shards import Shard, part_of
from commands import arena as command
from forging import checksums_anew
from records import add_up, check_sums, query, rows

LEARNER = "q-table:episodes=60,seeds=2"
ENTRIES = ["random", "greedy", "minimax:ties=first", LEARNER]
FAULTY = """
from arena import Agent

class Raises(Agent):
    '''Raises now and then, and counts its moves.'''
    def choose(self, state, moves, rng):
        self.move_usage = {"moves": len(moves)}
        if rng.below(6) == 0:
            raise ValueError("no")
        return rng.choice(moves)
"""


def play(db, shard=None, entries=ENTRIES, **how):
    how = {"game": "tic-tac-toe", "rounds": 7, "seed": 5, "executor": "serial", "progress": False, **how}
    return arena.tournament(entries, db=db, shard=shard, **how)


def merge(files, to):
    return arena.merge(files, to, progress=False)


def tables(db):
    """What is shown of a database."""
    return [arena.leaderboard(db=db, rating=rating).csv() for rating in ("maximum-likelihood", "elo")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tournament as one machine plays it, `whole.db`, and in three shards, `1.db`, `2.db` and `3.db`."""
    folder = tmp_path_factory.mktemp("shards")
    play(folder / "whole.db", openings="random:2")
    for shard in (1, 2, 3):
        play(folder / f"{shard}.db", f"{shard}/3", openings="random:2")
    return folder


@pytest.mark.parametrize(("entries", "rounds", "stages"), [(2, 5, 1), (5, 3, 1), (4, 7, 2)])
@pytest.mark.parametrize("of", [1, 2, 3, 8])
def test_shards_have_each_match_of_the_schedule_once_in_its_round(entries, rounds, stages, of):
    pairings = [*itertools.permutations(range(entries), 2)]
    schedule = Schedule.of(*[Stage(pairings, rounds)] * stages)
    found = []
    for number in range(1, of + 1):
        numbers = Shard(number, of).numbers(schedule.matches)
        part = part_of(schedule, numbers)
        assert part.matches == part.stages[-1].stop == len(numbers)
        assert abs(len(numbers) - schedule.matches / of) < 1
        found += [part.fixture(at)[1:] for at in range(part.matches)]
    assert found == [schedule.fixture(number)[1:] for number in range(schedule.matches)]


@pytest.mark.parametrize("order", [*itertools.permutations("123")])
def test_merged_shards_are_what_one_machine_plays(tmp_path, folder, order):
    found = merge([folder / f"{shard}.db" for shard in order], tmp_path / "all.db")
    assert rows(tmp_path / "all.db") == rows(folder / "whole.db")
    assert tables(tmp_path / "all.db") == tables(folder / "whole.db")
    check_sums(tmp_path / "all.db")
    assert [(one.number, one.played, one.planned, one.missing) for one in found.tournaments] == [
        (1, 126, 126, [])
    ]
    assert arena.tournaments.show(1, tmp_path / "all.db").finished
    assert {path.name for path in tmp_path.iterdir()} == {"all.db"}


def test_the_same_matches_twice_count_once(tmp_path, folder):
    shutil.copy(folder / "1.db", tmp_path / "copy.db")
    files = [tmp_path / "copy.db", *(folder / f"{shard}.db" for shard in (3, 1, 2)), folder / "whole.db"]
    merge(files, tmp_path / "all.db")
    assert rows(tmp_path / "all.db") == rows(folder / "whole.db")


@pytest.mark.slow
def test_a_missing_shard_is_told_and_can_be_played_or_merged(tmp_path, folder):
    found = merge([folder / "3.db", folder / "1.db"], tmp_path / "two.db")
    assert found.tournaments[0].missing == ["2/3"]
    assert "lacks 42 matches, of shard 2/3" in found.remarks()[0]
    shutil.copy(tmp_path / "two.db", tmp_path / "resumed.db")
    arena.resume(db=tmp_path / "resumed.db", executor="serial", progress=False)
    assert rows(tmp_path / "resumed.db") == rows(folder / "whole.db")
    merge([folder / "2.db", tmp_path / "two.db"], tmp_path / "all.db")
    assert rows(tmp_path / "all.db") == rows(folder / "whole.db")
    assert tables(tmp_path / "all.db") == tables(folder / "whole.db") == tables(tmp_path / "resumed.db")


@pytest.mark.slow
def test_a_shard_that_was_stopped_goes_on_where_it_is_or_when_it_is_merged(tmp_path, folder):
    stop = threading.Event()
    stop.set()
    begun = play(tmp_path / "2.db", "2/3", openings="random:2", stop=stop)
    assert not begun.finished
    found = merge([folder / "1.db", folder / "3.db", tmp_path / "2.db"], tmp_path / "two.db")
    assert found.tournaments[0].missing == ["2/3"]
    arena.resume(db=tmp_path / "2.db", executor="serial", progress=False)
    merge([folder / "1.db", folder / "3.db", tmp_path / "2.db"], tmp_path / "all.db")
    assert rows(tmp_path / "all.db") == rows(folder / "whole.db")


@pytest.mark.slow
def test_who_fails_too_often_in_all_shards_together_is_withdrawn_as_on_one_machine(tmp_path):
    (tmp_path / "faulty.py").write_text(FAULTY)
    entries = [str(tmp_path / "faulty.py"), "random", "greedy"]
    how = {"entries": entries, "rounds": 8, "withdraw_after": 5, "stall_seconds": 60}
    play(tmp_path / "whole.db", **how)
    for shard in (1, 2, 3, 4):
        play(tmp_path / f"{shard}.db", f"{shard}/4", **how)
    expected = rows(tmp_path / "whole.db")
    assert "withdrawn" in {row[5] for row in expected["matches"]}
    assert expected["usage"]
    (tmp_path / "faulty.py").unlink()  # whoever merges need not have it
    merge([tmp_path / f"{shard}.db" for shard in (4, 2, 1, 3)], tmp_path / "all.db")
    assert rows(tmp_path / "all.db") == expected
    check_sums(tmp_path / "all.db")


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"seed": 6}, "seed 5 and 6"),
        ({"rounds": 8}, "rounds 7 and 8"),
        ({"openings": "none"}, "openings random:2 and none"),
        ({"entries": [*ENTRIES, "first"]}, "entries"),
        ({"entries": ["random", "greedy", "minimax:ties=first", "q-table:episodes=61,seeds=2"]}, "entries"),
        ({"game": "connect-four", "entries": ["random", "greedy"]}, "game tic-tac-toe and connect-four"),
    ],
)
def test_shards_of_other_tournaments_are_refused_by_what_differs(tmp_path, folder, other, named):
    play(tmp_path / "other.db", "2/3", **{"openings": "random:2", **other})
    with pytest.raises(ArenaError, match=named) as error:
        merge([folder / "1.db", tmp_path / "other.db"], tmp_path / "all.db")
    assert "shards of different tournaments" in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "all.db").exists()


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE tournaments SET code = '0123456789abcdef'", "code of the game .* and 0123456789abcdef"),
        ("UPDATE codes SET code = '0123456789abcdef' WHERE entry = 2", "code of greedy .* 0123456789abcdef"),
        ("UPDATE training SET model = '0123456789abcdef'", "model of q-table:episodes=60.* 0123456789abcdef"),
        ("UPDATE tournaments SET versions = json_set(versions, '$.arena', '9')", "version of arena .* and 9"),
        ("UPDATE tournaments SET settings = json_set(settings, '$.shard', '2/4')", "shard 1/3 and 2/4"),
    ],
)
def test_shards_of_other_code_or_models_are_refused(tmp_path, folder, sql, named):
    edited(shutil.copy(folder / "2.db", tmp_path / "2.db"), sql)
    with pytest.raises(ArenaError, match=named):
        merge([folder / "1.db", tmp_path / "2.db"], tmp_path / "all.db")


def test_a_match_that_went_two_ways_is_refused(tmp_path, folder):
    edited(shutil.copy(folder / "2.db", tmp_path / "2.db"), "UPDATE matches SET result = 1 - abs(result)")
    add_up(tmp_path / "2.db")
    with pytest.raises(ArenaError, match=r"match 42 differs between .*2\.db \(1\) and"):
        merge([folder / "2.db", tmp_path / "2.db"], tmp_path / "all.db")


def edited(db, sql):
    """Change a database by SQL, with its checksums."""
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(sql)
    checksums_anew(db)


@pytest.mark.slow
def test_independent_tournaments_get_new_numbers_by_when_they_were_begun(tmp_path, folder):
    play(tmp_path / "a.db", entries=["random", "first"], rounds=2, seed=1)
    play(tmp_path / "a.db", entries=["random", "first"], exact=True, rounds=None)
    play(tmp_path / "b.db", entries=["first", "greedy"], rounds=3, seed=1, game="connect-four")
    for number, (db, tournament) in enumerate([("b", 1), ("a", 2), ("a", 1)], 1):
        edited(
            tmp_path / f"{db}.db",
            f"UPDATE tournaments SET created = '2020-01-0{number}' WHERE id = {tournament}",
        )
    orders = [["a", "b"], ["b", "a"]]
    found = [merge([tmp_path / f"{db}.db" for db in order], tmp_path / f"{order[0]}2.db") for order in orders]
    for one in found:
        places = [source.rpartition("/")[2] for done in one.tournaments for source in done.sources]
        assert places == ["b.db (1)", "a.db (2)", "a.db (1)"]
        assert tables(one.db) == tables(found[0].db)
        assert [t.exact for t in arena.tournaments.list(one.db)] == [False, True, False]
    without_ids = [
        "SELECT round, result, moves, first_seconds FROM matches WHERE tournament = ? ORDER BY number",
        "SELECT wins, draws, losses FROM pairings WHERE tournament = ? ORDER BY wins, draws, losses",
        "SELECT rating FROM elo WHERE tournament = ? ORDER BY rating",
        "SELECT win FROM exact WHERE tournament = ? ORDER BY win",
    ]
    for sql in without_ids:
        for number, (db, before) in enumerate([("b", 1), ("a", 2), ("a", 1)], 1):
            assert query(tmp_path / "a2.db", sql, number) == query(tmp_path / f"{db}.db", sql, before)
    assert query(tmp_path / "a2.db", "PRAGMA foreign_key_check") == []


def test_a_copy_of_a_tournament_counts_once(tmp_path):
    play(tmp_path / "a.db", entries=["random", "first"], rounds=2)
    shutil.copy(tmp_path / "a.db", tmp_path / "b.db")
    play(tmp_path / "b.db", entries=["random", "greedy"], rounds=2)
    found = merge([tmp_path / "a.db", tmp_path / "b.db"], tmp_path / "all.db")
    assert [one.played for one in found.tournaments] == [4, 4]


@pytest.mark.parametrize("stop_it", ["stop", "fault"])
def test_a_merge_that_does_not_come_to_its_end_leaves_nothing(tmp_path, folder, stop_it, monkeypatch):
    stop = threading.Event()
    files = [folder / f"{shard}.db" for shard in (1, 2, 3)]
    if stop_it == "stop":
        monkeypatch.setattr("arena.commands.merge.call.PAUSE", 50)
        stop.set()
        with pytest.raises(Stopped):
            arena.merge(files, tmp_path / "all.db", progress=False, stop=stop)
    else:
        edited(
            shutil.copy(folder / "3.db", tmp_path / "3.db"), "UPDATE matches SET round = 1 WHERE number = 40"
        )
        with pytest.raises(ArenaError, match="its match 40 is not the one planned"):
            merge([*files[:2], tmp_path / "3.db"], tmp_path / "all.db")
        (tmp_path / "3.db").unlink()
    assert [*tmp_path.iterdir()] == []


@pytest.mark.slow
def test_a_merge_that_is_killed_leaves_no_half_file_and_the_next_is_whole(tmp_path, folder, launch):
    """Killed at whatever it is at, several times."""
    files = [str(folder / f"{shard}.db") for shard in (1, 2, 3)]
    for _ in range(3):
        running = launch("merge", *files, "--output", "all.db")
        draft = tmp_path / ".all.db.merging"
        while running.process.poll() is None and not draft.exists():
            pass
        running.process.send_signal(signal.SIGKILL)
        running.process.wait()
        if (tmp_path / "all.db").exists():  # it was quicker
            break
    if not (tmp_path / "all.db").exists():
        command(tmp_path, "merge", *files, "--output", "all.db")
    assert rows(tmp_path / "all.db") == rows(folder / "whole.db")
    assert not [path for path in tmp_path.iterdir() if "merging" in path.name]


@pytest.mark.slow
def test_shards_in_one_database_count_all_before_they_are_merged(tmp_path):
    how = {"entries": ["random", "greedy"], "rounds": 9}
    play(tmp_path / "whole.db", **how)
    for shard in (1, 2):
        play(tmp_path / "both.db", f"{shard}/2", **how)
    one, both = (arena.leaderboard(db=tmp_path / f"{name}.db")[0].rows for name in ("whole", "both"))
    assert [(row.entry, row.wins, row.draws, row.losses) for row in both] == [
        (row.entry, row.wins, row.draws, row.losses) for row in one
    ]
    merge([tmp_path / "both.db"], tmp_path / "merged.db")
    assert rows(tmp_path / "merged.db") == rows(tmp_path / "whole.db")


def test_merged_results_agree_when_they_are_verified(tmp_path, folder):
    merge([folder / "2.db", folder / "1.db"], tmp_path / "two.db")
    for db in (tmp_path / "two.db", folder / "3.db"):
        found = arena.verify(db, executor="serial", progress=False)
        assert found.agrees, str(found)
        assert found.repeated == found.matches


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({"shard": "4/3"}, "shard is '4/3', but must be NUMBER/SHARDS, such as 3/8"),
        ({"shard": "0/3"}, "shard is '0/3'"),
        ({"shard": "x"}, "shard is 'x'"),
        ({"shard": "1/3", "seed": None}, "shard requires a seed, the same on all machines"),
        ({"shard": "1/3", "rounds": None, "until": "decided", "entries": ENTRIES[:3]}, "depends on results"),
        ({"shard": "1/3", "exact": True, "rounds": None}, "exact plays no matches"),
        ({"shard": "1/900"}, "126 matches are too few for 900 shards"),
    ],
)
def test_shards_that_cannot_be_are_refused_in_one_line(tmp_path, how, error):
    with pytest.raises(ArenaError, match=error):
        play(tmp_path / "a.db", **how)


def test_nobody_is_added_to_a_shard(tmp_path, folder):
    shutil.copy(folder / "1.db", tmp_path / "1.db")
    with pytest.raises(ArenaError, match="merge all shards first"):
        arena.resume(add=["first"], db=tmp_path / "1.db", executor="serial", progress=False)


def test_the_command_says_what_it_did_and_what_is_missing(tmp_path, folder):
    files = [str(folder / f"{shard}.db") for shard in (1, 3)]
    done = command(tmp_path, "merge", *files, "--output", "two.db")
    assert "Tournament 1 of two.db: tic-tac-toe, 84 of 126 matches, from" in done.stdout
    assert "Warning: tournament 1 lacks 42 matches, of shard 2/3" in done.stderr
    again = command(tmp_path, "merge", *files, "--output", "two.db", status=1)
    assert "Error: two.db already exists" in again.stderr
    bad = Path(tmp_path, "bad.db")
    bad.write_bytes(Path(files[0]).read_bytes()[:20_000])
    assert "bad.db is damaged" in command(tmp_path, "merge", "bad.db", "--output", "x.db", status=1).stderr
