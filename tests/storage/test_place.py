"""A database whose file goes away while it is written loses nothing that it can still read."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from arena.errors import ArenaError
from arena.results.record import Record
from arena.results.records import Records
from arena.results.settings import Settings
from arena.storage.database import NewTournament, Store
from records import query

SETTINGS = Settings(format="round-robin", seed=1, entries=["a", "b"], rounds=1, max_plies=100)
DAMAGED = r"^\S*arena.db was {} while .*, and the part that can be read is damaged: "
ENTRIES = [("a", "a", {}), ("b", "b", {})]
PILE = NewTournament(
    game="pile",
    settings=SETTINGS,
    entries=ENTRIES,
    versions={},
    rules="rules",
    planned=99,
    code="game",
    codes={"a": "one", "b": "two"},
)


def opened(db):
    """A store with a tournament of which one match is recorded."""
    store = Store(db, write=True)
    store.add_tournament(PILE)
    write(store, 0)
    return store


def write(store, *numbers):
    with store.transaction():
        store.add_matches(1, [1, 2], Records.of(match(number) for number in numbers))


def match(number):
    return Record(number, 0, 0, 1, 1, "rules", None, 3, 0, "1 2 3", 0, 0.0, 0.0)


def matches(db):
    return [number for (number,) in query(db, "SELECT number FROM matches ORDER BY number")]


def removed(db):
    db.unlink()


def removed_with_side_files(db):
    for file in db.parent.iterdir():
        file.unlink()


def renamed(db):
    db.rename(db.with_name("old.db"))


def renamed_with_side_files(db):
    for file in list(db.parent.iterdir()):
        file.rename(file.with_name(file.name.replace("arena", "old")))


def folder_removed(db):
    shutil.rmtree(db.parent)


def folder_renamed(db):
    db.parent.rename(db.parent.with_name("elsewhere"))


def log_removed(db):
    db.with_name("arena.db-wal").unlink()


FATES = {
    removed: "was removed or renamed",
    removed_with_side_files: "was removed or renamed",
    renamed: "was removed or renamed",
    renamed_with_side_files: "was removed or renamed",
    folder_removed: "was removed or renamed",
    folder_renamed: "was removed or renamed",
    log_removed: "lost arena.db-wal, which holds its latest results,",
}


@pytest.fixture
def db(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    return folder / "arena.db"


@pytest.mark.parametrize("happens", FATES, ids=lambda happens: happens.__name__)
def test_what_was_written_and_what_follows_is_in_another_file(db, capsys, happens):
    store = opened(db)
    happens(db)
    write(store, 1, 2)
    write(store, 3)
    store.close()
    copy = db.with_name("arena.rescued-1.db")
    happened = f"{db} {FATES[happens]} while it was written to"
    assert capsys.readouterr().err == f"Warning: {happened}; all past and future results are in {copy}\n"
    assert store.path == str(copy)
    assert matches(copy) == [0, 1, 2, 3]
    assert query(copy, "PRAGMA integrity_check") == [("ok",)]
    assert not {"arena.rescued-1.db-wal", "arena.rescued-1.db-shm"} & set(os.listdir(db.parent))


def test_a_database_put_in_its_place_is_left_as_it_is(db, tmp_path, capsys):
    other = tmp_path / "other.db"
    opened(other).close()
    before = other.read_bytes()
    store = opened(db)
    write(store, 5)
    os.replace(other, db)
    write(store, 6)
    store.close()
    assert "was replaced by another file" in capsys.readouterr().err
    assert set(os.listdir(db.parent)) == {"arena.db", "arena.rescued-1.db"}
    assert db.read_bytes() == before
    assert matches(db) == [0]
    assert matches(db.with_name("arena.rescued-1.db")) == [0, 5, 6]


def test_what_goes_away_after_the_last_results_is_kept_when_it_is_closed(db, capsys):
    store = opened(db)
    db.unlink()
    store.close()
    assert matches(db.with_name("arena.rescued-1.db")) == [0]
    assert "arena.rescued-1.db" in capsys.readouterr().err


def test_it_may_go_away_again(db):
    store = opened(db)
    for number in (1, 2):
        removed_with_side_files(db)
        write(store, number)
    store.close()
    assert matches(db.with_name("arena.rescued-1.db")) == [0, 1, 2]


def test_two_who_write_lose_nothing_of_each_other(db):
    first, second = opened(db), Store(db, write=True)
    second.add_tournament(PILE)
    db.unlink()
    write(first, 1)
    with second.transaction():
        second.add_matches(2, [1, 2], Records.of([match(0)]))
    write(first, 2)
    first.close()
    second.close()
    found = [
        query(db.with_name(f"arena.rescued-{n}.db"), "SELECT tournament, number FROM matches") for n in (1, 2)
    ]
    assert found == [[(1, 0), (1, 1), (1, 2)], [(1, 0), (1, 1), (2, 0)]]


def test_who_keeps_it_locked_is_told_off(db):
    store = Store(db, write=True, patience=0.1)
    with closing(store), closing(sqlite3.connect(db)) as other:
        other.execute("BEGIN IMMEDIATE")
        told = "arena.db: another program has been writing to it for over 0.1 s; end that, or use db="
        with pytest.raises(ArenaError, match=told):
            store.add_tournament(PILE)


def test_where_its_folder_cannot_be_made_again_it_goes_to_the_current_one(db, tmp_path, monkeypatch):
    store = opened(db)
    shutil.rmtree(db.parent)
    db.parent.write_text("in the way")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    write(store, 1)
    store.close()
    assert matches(here / "arena.rescued-1.db") == [0, 1]


def test_where_it_cannot_be_saved_that_is_an_error(db, tmp_path, monkeypatch):
    store = opened(db)
    shutil.rmtree(db.parent)
    db.parent.write_text("in the way")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("arena.storage.file.new_file", full)
    with pytest.raises(ArenaError) as told:
        write(store, 1)
    assert str(told.value) == (
        f"{db} was removed or renamed while it was written to, and it cannot be saved elsewhere: "
        "File exists, No space left on device"
    )


def full(folder, path):
    raise OSError(28, "No space left on device")


def test_a_file_that_is_cut_off_is_made_whole_from_its_log(db):
    store = opened(db)
    store.checkpoint()
    os.truncate(db, 0)
    write(store, 1)
    store.close()
    assert matches(db.with_name("arena.rescued-1.db")) == [0, 1]


def test_a_file_that_is_cut_off_and_has_no_log_is_an_error(db):
    store = opened(db)
    write(store, *range(1, 5000))
    store.close()
    store = Store(db, write=True)
    store.checkpoint()
    os.truncate(db, 40960)
    with pytest.raises(ArenaError, match=DAMAGED.format("truncated")), closing(store):
        write(store, 5000)
    assert "arena.rescued-1.db" not in os.listdir(db.parent)


def test_a_file_that_is_written_over_is_an_error(db, tmp_path):
    other = tmp_path / "other.db"
    store = opened(other)
    write(store, *range(1, 20000))
    store.close()
    store = opened(db)
    write(store, *range(1, 5000))
    store.close()
    store = Store(db, write=True)
    store.db.execute("PRAGMA cache_size = 10")  # or it would all be in memory still
    write(store, 5000)
    shutil.copyfile(other, db)
    with pytest.raises(ArenaError, match=DAMAGED.format("written over")), closing(store):
        write(store, 5001)


def test_a_database_that_another_program_makes_smaller_is_none_that_was_cut_off(db):
    store = opened(db)
    write(store, *range(1, 5000))
    store.remove(1)
    store.checkpoint()
    size = db.stat().st_size
    connection = sqlite3.connect(db)
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
    connection.close()
    assert db.stat().st_size < size
    assert store.add_tournament(PILE)
    store.close()
    assert os.listdir(db.parent) == ["arena.db"]


SHARED_FIRST, SHARED_SIZE = 2**30 + 2, 510  # bytes that SQLite has locked while a database is in use


@pytest.mark.skipif(os.name != "posix", reason="closing a file gives up no locks")
def test_another_look_at_a_database_leaves_its_locks_alone(tmp_path):
    """Without them another process may take the log away, and all that is in it."""
    path = tmp_path / "arena.db"
    with closing(Store(path, write=True)) as store:
        store.rows("SELECT count(*) FROM tournaments")
        for _ in range(2):
            Store(path).close()
        locking = (
            "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB, "
            f"{SHARED_SIZE}, {SHARED_FIRST})"
        )
        done = subprocess.run([sys.executable, "-c", locking, str(path)], capture_output=True, text=True)
        assert "BlockingIOError" in done.stderr
