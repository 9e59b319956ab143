"""A database that goes away while a tournament is played into it loses no match."""

from __future__ import annotations

import shlex
import shutil
import signal

import pytest

from commands import arena
from records import check_sums, played, query, rows
from running import until

ENTRIES = ("--entry", "random", "--entry", "first", "--seed", "11", "--workers", "2")
ROUNDS = 6000
FOLDER = "results"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The rows of a tournament that nothing happens to."""
    folder = tmp_path_factory.mktemp("whole")
    arena(folder, "tournament", *ENTRIES, "--rounds", str(ROUNDS))
    return rows(folder / "arena.db")


def begin(tmp_path, launch, rounds=ROUNDS):
    """A tournament that has recorded something and goes on, and its database."""
    db = tmp_path / FOLDER / "arena.db"
    db.parent.mkdir()
    running = launch("tournament", *ENTRIES, "--rounds", str(rounds), "--db", f"{FOLDER}/arena.db")
    assert until(lambda: played(db))
    return running, db


def removed(db):
    for file in db.parent.iterdir():
        file.unlink()


def renamed(db):
    db.rename(db.with_name("old.db"))


def folder_removed(db):
    shutil.rmtree(db.parent)


def replaced(db):
    shutil.copy(db, db.with_name("other.db"))
    db.with_name("other.db").replace(db)


@pytest.mark.parametrize(
    "happens",
    [removed, *(pytest.param(way, marks=pytest.mark.slow) for way in (renamed, folder_removed, replaced))],
    ids=lambda way: way.__name__,
)
@pytest.mark.slow
@pytest.mark.slow
def test_all_matches_are_in_the_file_that_is_named(tmp_path, launch, whole, happens):
    running, db = begin(tmp_path, launch)
    happens(db)
    done = running.ended()
    assert done.returncode == 0
    copy = db.with_name("arena.rescued-1.db")
    (told,) = [line for line in done.stderr.splitlines() if line.startswith("Warning")]
    assert told.startswith(f"Warning: {FOLDER}/arena.db was ")
    assert told.endswith(f" while it was written to; all past and future results are in {copy}")
    assert rows(copy) == whole
    check_sums(copy)
    left = {file.name for file in db.parent.iterdir()} - {"old.db", "arena.db"}
    assert left - {"arena.db-1.lock"} == {copy.name}


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on_from_there(tmp_path, launch):
    running, db = begin(tmp_path, launch, 100 * ROUNDS)
    removed(db)
    copy = db.with_name("arena.rescued-1.db")
    assert until(lambda: played(copy))
    blocked = arena(tmp_path, "tournament", "--resume", "1", "--db", str(copy), status=1)
    assert blocked.stderr == f"Error: tournament 1 of {copy} is being played by another process\n"
    running.send(signal.SIGINT)
    done = running.ended()
    assert done.returncode == 130
    assert done.stderr.endswith(f"resume with: arena tournament --resume 1 --db {shlex.quote(str(copy))}\n")
    check_sums(copy)


@pytest.mark.slow
def test_who_removes_the_lock_is_not_let_in(tmp_path, launch):
    running, db = begin(tmp_path, launch, 100 * ROUNDS)
    lock = db.with_name("arena.db-1.lock")
    lock.unlink()
    assert until(lock.exists)
    blocked = arena(tmp_path, "tournament", "--resume", "1", "--db", str(db), status=1)
    assert blocked.stderr == f"Error: tournament 1 of {db} is being played by another process\n"
    running.send(signal.SIGINT)
    assert running.ended().returncode == 130
    assert [file.name for file in db.parent.iterdir()] == ["arena.db"]


@pytest.mark.slow
def test_two_tournaments_in_one_database_lose_nothing(tmp_path, launch):
    running, db = begin(tmp_path, launch, 4 * ROUNDS)
    other = launch("tournament", *ENTRIES, "--rounds", str(4 * ROUNDS), "--db", f"{FOLDER}/arena.db")
    assert until(lambda: played(db, 2))
    removed(db)
    assert running.ended().returncode == other.ended().returncode == 0
    copies = sorted(db.parent.glob("*.db"))
    assert [copy.name for copy in copies] == ["arena.rescued-1.db", "arena.rescued-2.db"]
    finished = [query(copy, "SELECT id FROM tournaments WHERE finished IS NOT NULL") for copy in copies]
    assert sorted(finished) == [[(1,)], [(2,)]]
    for copy in copies:
        check_sums(copy)


@pytest.mark.slow
def test_what_cannot_be_read_any_more_is_one_line_and_no_success(tmp_path, launch):
    more = str(10 * ROUNDS)  # than there is memory for
    arena(tmp_path, "tournament", *ENTRIES, "--rounds", more, "--db", "arena.db")
    db = tmp_path / "arena.db"
    running = launch("tournament", *ENTRIES, "--rounds", str(100 * ROUNDS), "--db", "arena.db")
    assert until(lambda: played(db, 2))
    db.write_bytes(b"")
    done = running.ended()
    assert done.returncode == 1
    (told,) = [line for line in done.stderr.splitlines() if line.startswith("Error")]
    assert told.startswith(
        "Error: arena.db was truncated while it was written to, and the part that can be read is"
    )
    assert "Traceback" not in done.stderr
