"""Nothing that was played is lost, and nothing is played twice, however a tournament is interrupted."""

from __future__ import annotations

import itertools
import json
import platform
import random
import resource
import signal
import sqlite3
import threading
import time
from pathlib import Path

import pytest
from filelock import FileLock

from arena import ArenaError, __version__
from arena.ledger.ledger import Ledger
from arena.ledger.recorder import Recorder
from arena.matches.block import play_block
from arena.matches.event import SolePlayer, sole_player
from arena.matches.event import begin as begin_plan
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.records import Records
from arena.results.settings import Settings
from arena.storage.database import Store
from commands import arena, inside
from records import check_sums, played, query, rows
from running import until

ENTRIES = ("--entry", "random", "--entry", "first", "--entry", "greedy", "--seed", "11", "--workers", "2")
ROUNDS = 3000

proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


def play(folder, rounds=ROUNDS, compiled="0"):
    """The rows of a tournament that is not interrupted."""
    args = ("--rounds", str(rounds), "--db", "arena.db")
    arena(folder, "tournament", *ENTRIES, *args, ARENA_COMPILED=compiled)
    return rows(folder / "arena.db")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return play(tmp_path_factory.mktemp("whole"))


def begin(launch, db, rounds=ROUNDS, compiled="0"):
    """A tournament that has recorded something and goes on."""
    args = ("--rounds", str(rounds), "--db", db.name)
    running = launch("tournament", *ENTRIES, *args, ARENA_COMPILED=compiled)
    assert until(lambda: played(db))
    return running


def kill(running):
    running.send(signal.SIGKILL)
    running.process.wait()


@pytest.mark.parametrize(
    ("times", "rounds", "compiled"),
    [
        pytest.param(2, 6000, "0", marks=pytest.mark.slow),
        pytest.param(20, 30_000, "0", marks=pytest.mark.campaign),
        pytest.param(6, 60_000, "1", marks=pytest.mark.campaign),
        pytest.param(20, 60_000, "1", marks=pytest.mark.campaign),
    ],
)
def test_killing_it_at_any_time_changes_nothing(tmp_path, launch, times, rounds, compiled):
    db = tmp_path / "arena.db"
    rng = random.Random(times)
    running = begin(launch, db, rounds, compiled)
    counts = []
    for _ in range(times):
        until(lambda: False, rng.uniform(0, min(1.2, rounds / 10_000)))  # so that there is some left
        kill(running)
        counts.append(played(db))
        check_sums(db)
        running = launch(
            "tournament", "--resume", "1", "--db", db.name, "--workers", "2", ARENA_COMPILED=compiled
        )
    assert running.ended(300).returncode == 0
    assert counts == sorted(counts)
    assert 0 < counts[0] < 6 * rounds
    whole = tmp_path / "whole"
    whole.mkdir()
    assert rows(db) == play(whole, rounds, compiled)
    assert query(db, "SELECT finished IS NOT NULL FROM tournaments") == [(1,)]
    check_sums(db)


@pytest.mark.parametrize(
    "times", [pytest.param(10, marks=pytest.mark.slow), pytest.param(30, marks=pytest.mark.campaign)]
)
def test_killing_it_before_it_has_begun_leaves_nothing_broken(tmp_path, launch, times):
    """At every moment from the start of the program to the first matches, with a database to be made."""
    db = tmp_path / "arena.db"
    for i in range(times):
        running = launch("tournament", *ENTRIES, "--rounds", "20", "--db", db.name)
        until(lambda: False, 1.2 * i / times)
        kill(running)
        assert running.nothing_left()
    arena(tmp_path, "tournament", *ENTRIES, "--rounds", "20", "--db", db.name)
    while query(db, "SELECT 1 FROM tournaments WHERE finished IS NULL"):
        arena(tmp_path, "tournament", "--resume", "--db", db.name)
    check_sums(db)
    assert set(
        query(db, "SELECT planned, count(*) FROM tournaments JOIN matches ON id = tournament GROUP BY id")
    ) == {(120, 120)}


def recorded_with(folder, versions):
    """A tournament that was begun with these, a dictionary, and has played nothing yet."""
    store = Store(folder / "arena.db", write=True)
    settings, plan = complete(Settings(game="tic-tac-toe", entries=["random", "first"], seed=1), registry())
    begin_plan(store, settings, plan, registry())
    store.db.execute("UPDATE tournaments SET versions = ?", [json.dumps(versions)])
    store.db.conn.commit()
    store.close()


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ({"python": "3.11.7", "arena": "0.1.0"}, f"with arena 0.1.0, not {__version__};"),
        ({"arena": "0.1.0", "arena-old": "3"}, f"with arena 0.1.0, not {__version__};"),
        ({"arena-old": "3"}, "without arena, which now provides some of its entries;"),
    ],
)
def test_what_was_begun_with_another_version_is_read_and_not_resumed(tmp_path, versions, said):
    recorded_with(tmp_path, versions)
    refused = inside(tmp_path, "tournament", "--resume", status=1)
    (line,) = refused.stderr.splitlines()
    assert line.startswith(f"Error: tournament 1 was begun {said} ")
    assert "tic-tac-toe" in inside(tmp_path, "tournaments", "list").stdout
    told = ", ".join(f"{name} {version}" for name, version in versions.items())
    assert f"  versions: {told}; rules " in inside(tmp_path, "tournaments", "show", "1").stdout


def test_arena_is_recorded_by_its_own_name(tmp_path):
    """Not by that of its distribution, which databases of version 0.1.0 do not know."""
    arena(tmp_path, "tournament", "--entry", "random", "--entry", "first", "--rounds", "1")
    ((versions,),) = query(tmp_path / "arena.db", "SELECT versions FROM tournaments")
    assert json.loads(versions) == {"python": platform.python_version(), "arena": __version__}


@proc
@pytest.mark.slow
def test_asked_to_stop_it_records_what_is_in_play(tmp_path, launch, whole):
    db = tmp_path / "arena.db"
    running = begin(launch, db)
    running.send(signal.SIGINT)
    done = running.ended()
    assert done.returncode == 130
    assert "resume with: arena tournament --resume 1\n" in done.stderr
    assert f"Stopped after {played(db):,} of {6 * ROUNDS:,} matches" in done.stderr
    assert f" {played(db):,} matches, seed 11" in done.stdout
    assert running.nothing_left()
    assert set(rows(db)["matches"]) < set(whole["matches"])
    check_sums(db)
    arena(tmp_path, "tournament", "--resume", "--db", db.name)
    assert rows(db) == whole
    assert {path.name for path in tmp_path.iterdir()} == {"arena.db"}


@pytest.mark.slow
def test_a_match_can_be_resumed_too(tmp_path, launch):
    db = tmp_path / "arena.db"
    args = ("match", "random", "first", "--matches", "10001", "--seed", "1", "--record", "--workers", "2")
    running = launch(*args, "--db", db.name)
    assert until(lambda: played(db))
    running.send(signal.SIGTERM)
    assert running.ended().returncode == 130
    arena(tmp_path, "tournament", "--resume", "--db", db.name)
    other = tmp_path / "other.db"
    arena(tmp_path, *args, "--db", other.name)
    assert rows(db) == rows(other)
    assert played(db) == 10001


@pytest.mark.slow
def test_to_resume_what_is_finished_shows_it(tmp_path):
    first = arena(tmp_path, "tournament", *ENTRIES, "--rounds", "2", "--json", "--db", "arena.db")
    before = (tmp_path / "arena.db").read_bytes()
    again = arena(tmp_path, "tournament", "--resume", "1", "--json", "--db", "arena.db")
    assert json.loads(again.stdout) == json.loads(first.stdout)
    assert (tmp_path / "arena.db").read_bytes() == before


@pytest.mark.slow
def test_to_resume_with_other_settings_is_refused(tmp_path):
    arena(tmp_path, "tournament", *ENTRIES, "--rounds", "2", "--db", "arena.db")
    for setting in ("--entry random", "some.toml"):
        done = arena(tmp_path, "tournament", "--resume", "1", *setting.split(), "--db", "arena.db", status=2)
        assert done.stderr.startswith(
            f"Error: --resume keeps the tournament's settings; remove {setting.split()[0]}"
        )
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_two_cannot_play_one_tournament(tmp_path, launch):
    db = tmp_path / "arena.db"
    running = begin(launch, db, 100 * ROUNDS)
    for resume in (("--resume", "1"), ("--resume",)):
        done = arena(tmp_path, "tournament", *resume, "--db", db.name, status=1)
        assert done.stderr == "Error: tournament 1 of arena.db is being played by another process\n"
        assert done.stdout == ""
    running.send(signal.SIGINT)
    assert running.ended().returncode == 130
    check_sums(db)


@pytest.mark.slow
def test_of_several_who_resume_one_plays(tmp_path, launch, whole):
    db = tmp_path / "arena.db"
    running = begin(launch, db)
    kill(running)
    several = [launch("tournament", "--resume", "1", "--db", db.name, "--workers", "1") for _ in range(4)]
    ends = [running.ended() for running in several]
    for end in ends:
        if end.returncode:
            assert end.stderr.splitlines()[-1].endswith("is being played by another process")
    assert 0 in [end.returncode for end in ends]
    assert rows(db) == whole
    check_sums(db)


@pytest.mark.slow
def test_a_lock_that_is_held_for_a_moment_is_waited_for(tmp_path):
    """As another process holds it that looks whether it was left."""
    db = str(tmp_path / "arena.db")
    held = FileLock(f"{db}-2.lock", thread_local=False)
    held.acquire()
    threading.Timer(0.3, held.release).start()
    with sole_player(db, 2), pytest.raises(ArenaError, match="is being played by another process"):
        SolePlayer(db, 2)


@pytest.mark.parametrize(
    "times", [pytest.param(2, marks=pytest.mark.slow), pytest.param(20, marks=pytest.mark.campaign)]
)
def test_several_may_write_to_a_new_database(tmp_path, launch, times):
    for go in range(times):
        db = tmp_path / f"{go}.db"
        args = ("--entry", "random", "--entry", "first", "--rounds", "300", "--workers", "1", "--db", db.name)
        several = [launch("tournament", *args, "--seed", str(seed)) for seed in range(4)]
        for done in [running.ended() for running in several]:
            assert done.returncode == 0, done.stderr
        check_sums(db)
        sql = (
            "SELECT seed, count(*) FROM matches JOIN tournaments ON id = tournament GROUP BY id ORDER BY seed"
        )
        assert query(db, sql) == [(str(seed), 600) for seed in range(4)]
        assert query(db, "SELECT name FROM entries ORDER BY name") == [("first",), ("random",)]
    assert {path.suffix for path in tmp_path.iterdir()} == {".db"}


@pytest.mark.slow
def test_a_full_disk_loses_nothing_that_was_recorded(tmp_path, launch, whole):
    """Stood in for by a limit on how large a file may become."""
    db = tmp_path / "arena.db"
    running = begin(launch, db)
    running.send(signal.SIGINT)
    running.ended()
    before = set(rows(db)["matches"])
    size = db.stat().st_size + 100_000

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    done = launch("tournament", "--resume", "--db", db.name, before=limit).ended()
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("Error: cannot write arena.db: ")
    assert before <= set(rows(db)["matches"])
    check_sums(db)
    arena(tmp_path, "tournament", "--resume", "--db", db.name)
    assert {path.name for path in tmp_path.iterdir()} == {"arena.db"}
    assert rows(db) == whole


@pytest.mark.slow
def test_the_file_alone_can_be_copied_while_it_is_written(tmp_path, launch):
    """A copy of bytes taken in the very moment of a checkpoint may be torn, and is then taken again."""
    db = tmp_path / "arena.db"
    copy = tmp_path / "copy" / "copy.db"
    copy.parent.mkdir()

    def copied(sql):
        copy.write_bytes(db.read_bytes())
        try:
            whole = query(copy, "PRAGMA integrity_check") == [("ok",)]
            return query(copy, sql) if whole else []
        except sqlite3.DatabaseError:
            return []

    running = launch("tournament", *ENTRIES, "--rounds", str(100 * ROUNDS), "--db", db.name)
    assert until(lambda: db.exists() and copied("SELECT planned FROM tournaments") == [(600 * ROUNDS,)])
    assert played(db) < 20_000  # SQLite itself would wait for some 40,000
    assert until(lambda: copied("SELECT 1 FROM matches LIMIT 1"))
    early = played(copy)
    assert until(lambda: len(copied("SELECT 1 FROM matches")) > early)
    check_sums(copy)
    running.send(signal.SIGINT)
    assert running.ended().returncode == 130
    assert copied("SELECT count(*) FROM matches") == [(played(db),)]
    assert {path.name for path in tmp_path.iterdir()} == {"arena.db", "copy"}


# says when Python itself has started and our first function runs: what is before that is not ours
BEGINS = """
import signal
from arena.cli import main

def handle(*args):
    signal.signal = set_handler
    set_handler(*args)
    print("begun", flush=True)

set_handler, signal.signal = signal.signal, handle
main()
"""


@pytest.mark.parametrize("moments", [10, pytest.param(50, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("command", [("tournament", *ENTRIES), ("agents",)], ids=lambda args: args[0])
@pytest.mark.slow
def test_ctrl_c_at_any_moment_is_one_line(tmp_path, launch, command, moments):
    def begin():
        running = launch(*command, python=("-c", BEGINS))
        assert running.process.stdout.readline() == "begun\n"
        return running

    stopping = "Stopping once the work in progress is saved; press Ctrl-C again to stop at once."
    running, begun = begin(), time.monotonic()
    assert running.ended().returncode == 0
    whole, told = time.monotonic() - begun, 0
    for i in range(moments):
        running = begin()
        time.sleep(1.1 * whole * i / moments)
        running.send(signal.SIGINT, group=True)  # as a terminal does
        done = running.ended()
        said = [line for line in done.stderr.splitlines() if not line.startswith("Tournament ")]
        if "Exception ignored in" in done.stderr:  # Python swallows what is raised while it tidies up
            assert done.returncode in (0, 130)
        elif done.returncode == 130:
            rating = said and said[0].startswith(
                "Stopped before the table was complete; played matches are kept"
            )
            assert said[:1] == [stopping] or said == ["Error: interrupted"] or rating
            told += 1
        elif done.returncode == 0:  # it was through, but for the matches in play
            assert said in ([], [stopping])
        else:  # Python itself was ending
            assert (done.returncode, said) == (-signal.SIGINT, [])
    assert told


@pytest.mark.parametrize(
    "command",
    [
        ("tournament", "--resume", "1", "--workers", "2"),
        ("tournaments", "remove", "1", "--yes"),
        ("tournament", *ENTRIES, "--rounds", "1"),  # another one
    ],
)
@pytest.mark.slow
def test_what_a_killed_tournament_leaves_beside_the_database_goes_with_the_next_command(
    tmp_path, launch, command
):
    db = tmp_path / "arena.db"
    running = begin(launch, db)
    kill(running)
    assert tmp_path / "arena.db-1.lock" in tmp_path.iterdir()
    arena(tmp_path, *command, "--db", db.name)
    assert [path.name for path in tmp_path.iterdir()] == ["arena.db"]


@pytest.mark.parametrize(
    ("entries", "more"),
    [
        (["random", "first", "greedy"], {"rounds": 40}),
        (["first", "minimax:depth=1,ties=first", "random"], {"rounds": 60, "openings": "random:3"}),
        (["first", "minimax:depth=1,ties=first"], {"rounds": 3000}),  # Elo is not written down each round
        (["first", "first"], {"format": "match", "matches": 50, "openings": "random:2"}),
    ],
)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_taken_up_wherever_it_stopped_it_comes_to_the_same_to_the_bit(tmp_path, entries, more, seed):
    """Matches are recorded in blocks of any size and order, each by a recorder that has read the database."""
    settings, plan = complete(Settings(game="tic-tac-toe", entries=entries, seed=seed, **more), registry())
    records = [
        record._replace(first_seconds=0.0) for record in play_block(plan, range(plan.matches), Records)[0]
    ]
    rng = random.Random(seed)
    cuts = sorted({0, plan.matches, *(rng.randrange(plan.matches) for _ in range(12))})
    blocks = [records[a:b] for a, b in itertools.pairwise(cuts)]
    late = rng.sample(blocks[1:], 2)
    found = []
    for name, parts in (("whole", [records]), ("parts", [*(b for b in blocks if b not in late), *late])):
        store = Store(tmp_path / name, write=True)
        number = begin_plan(store, settings, plan, registry())
        for part in parts:
            recorder = Recorder(store, number, Ledger(plan))
            for _ in recorder.take_up():
                pass
            there = {
                record.number for gap in recorder.ledger.left() for record in records[gap.start : gap.stop]
            }
            assert {record.number for record in part} <= there
            assert plan.matches - recorder.played == len(there)
            recorder.write(recorder.ledger.add(Records.of(part)))
        store.close()
        if len(set(entries)) == len(entries):  # else seats tell apart what names do not
            check_sums(tmp_path / name)
        found.append(rows(tmp_path / name))
    assert found[0] == found[1]


def test_to_take_up_a_tournament_reads_only_what_was_played_since_elo_was_written_down(tmp_path):
    settings, plan = complete(
        Settings(game="tic-tac-toe", entries=["random", "first"], seed=1, rounds=500), registry()
    )
    store = Store(tmp_path / "arena.db", write=True)
    number = begin_plan(store, settings, plan, registry())
    recorder = Recorder(store, number, Ledger(plan))
    recorder.write(recorder.ledger.add(play_block(plan, range(901), Records)[0]))
    read = []
    matches = store.matches
    store.matches = lambda *args: (read.append(record) or record for record in matches(*args))
    recorder = Recorder(store, number, Ledger(plan))
    assert list(recorder.take_up()) == []
    assert [record.number for record in read] == [900]
    assert recorder.ledger.left() == [range(901, 1000)]
    store.close()
