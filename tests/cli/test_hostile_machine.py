"""Machines that refuse what a command needs: one line that says so, and nothing lost that was recorded."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

from commands import arena, inside
from records import check_sums, query
from tiers import campaign, slow

LONG = "f" * 300
QUICK = ("match", "random", "first", "--matches", "4", "--seed", "1")
TWO = ("--entry", "random", "--entry", "first", "--seed", "1")


@pytest.fixture
def played(tmp_path):
    """A folder with a database of one small tournament."""
    inside(tmp_path, "tournament", *TWO, "--rounds", "2", "--executor", "serial")
    return tmp_path


NAMES = (
    f"tournament --db {LONG}",
    f"tournament --db {LONG}/{LONG}",
    f"tournaments list --db {LONG}",
    f"leaderboard --db {LONG}",
    f"match random first --record --db {LONG}",
    f"tournament {LONG}.toml",
    f"leaderboard --html {LONG}",
    f"leaderboard --html p.html --curve {LONG}",
    f"train q-table --curve {LONG}",
    f"models import {LONG}",
    f"models show {LONG}.npz",
    f"position tic-tac-toe ......... --svg {LONG}",
    f"replay --svg {LONG}",
)


@pytest.mark.parametrize("command", NAMES, ids=[name.replace(LONG, "LONG") for name in NAMES])
def test_a_name_that_is_too_long_is_told_in_one_line(played, command):
    done = inside(played, *command.split(), status=1)
    assert done.stderr.count("\n") == 1
    assert "File name too long" in done.stderr


NUMBERS = {
    "tournaments show {}": "has no tournament",
    "tournaments remove {}": "has no tournament",
    "tournament --resume {}": "takes a tournament number",
    "leaderboard --tournament {}": "has no tournament",
    "match random first --openings random:{}": "write 'random:N'",
    "match random first --matches {}": "matches is",
}


@pytest.mark.parametrize("digits", [20, 5000])
@pytest.mark.parametrize("command", NUMBERS)
def test_a_number_that_is_too_long_is_told_in_one_line(played, command, digits):
    args = command.format("9" * digits).split()
    status = 2 if "--resume" in args or (digits == 5000 and "--openings" not in args) else 1
    done = inside(played, *args, status=status)
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert NUMBERS[command] in done.stderr or "is not a valid integer" in done.stderr


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What the command says where nothing is wrong."""
    return arena(tmp_path_factory.mktemp("whole"), *QUICK).stdout


def folder(tmp_path, kind):
    """A place that is none to write to: a file, a folder below a file, one of the kernel's, a long name."""
    (tmp_path / "file").touch()
    places = {"file": tmp_path / "file", "below": tmp_path / "file" / "x", "long": tmp_path / LONG}
    return str(places.get(kind, "/proc/nowhere"))


PLACES = (
    "file",
    "below",
    "long",
    pytest.param("proc", marks=pytest.mark.skipif(not os.path.isdir("/proc"), reason="")),
)


@pytest.mark.parametrize("kind", PLACES)
def test_a_models_folder_that_cannot_be_written_is_told_in_one_line(tmp_path, kind):
    env = {"ARENA_MODELS": folder(tmp_path, kind)}
    train = ("train", "q-table:episodes=20", "--executor", "serial")
    for command in (train, ("tournament", "--entry", "q-table:episodes=20", *TWO, "--executor", "serial")):
        done = inside(tmp_path, *command, status=1, **env)
        (told,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
        assert "Traceback" not in done.stderr
        assert env["ARENA_MODELS"] in told


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("name", [*slow("ARENA_CACHE"), *campaign("TMPDIR", "HOME")])
def test_other_folders_that_cannot_be_written_do_not_matter(tmp_path, whole, kind, name):
    compiled = "1" if name == "ARENA_CACHE" else "0"
    assert arena(tmp_path, *QUICK, ARENA_COMPILED=compiled, **{name: folder(tmp_path, kind)}).stdout == whole


@pytest.mark.slow
def test_a_temporary_folder_whose_name_is_too_long_for_sockets_does_not_matter(tmp_path, whole):
    deep = tmp_path / ("t" * 110)
    deep.mkdir()
    assert arena(tmp_path, *QUICK, TMPDIR=str(deep)).stdout == whole
    arena(tmp_path, "train", "q-table:episodes=20", TMPDIR=str(deep))


@pytest.mark.slow
@pytest.mark.parametrize("place", ["arena.db-1.lock", "model"])
def test_a_folder_in_the_place_of_a_lock_is_told_in_one_line(played, place, monkeypatch):
    monkeypatch.setenv("ARENA_MODELS", str(played / "models"))
    train = ("train", "q-table:episodes=20", "--executor", "serial")
    resume = ("tournament", "--resume", "1")
    if place == "model":
        inside(played, *train)
        (model,) = (played / "models").glob("*.npz")
        model.unlink()
        place = f"models/{model.stem}.lock"
    (played / place).mkdir()
    done = inside(played, *(train if "models" in place else resume), status=1)
    assert done.stderr.splitlines()[-1].startswith("Error: cannot write ")
    assert f"{place}: Is a directory" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["012", *slow("0", "1", "2")])
def test_streams_that_are_closed_do_not_matter(tmp_path, closed):
    """Nor does a database take their place, into which others would then write."""
    args = [sys.executable, "-m", "arena", "tournament", *TWO, "--rounds", "2", "--workers", "1"]
    shell = f"{' '.join(args)} {' '.join(f'{number}>&-' for number in closed)}"
    done = subprocess.run(
        ["sh", "-c", shell],
        cwd=tmp_path,
        capture_output=True,
        timeout=600,
        env={**os.environ, "ARENA_COMPILED": "0"},
    )
    assert done.returncode == 0, done.stderr
    assert (b"random" in done.stdout) == ("1" not in closed)
    assert b"matches/s" not in done.stdout
    assert query(tmp_path / "arena.db", "SELECT count(*) FROM matches") == [(4,)]
    assert query(tmp_path / "arena.db", "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.slow
def test_a_folder_that_is_gone_is_told_in_one_line(tmp_path):
    gone = tmp_path / "gone"
    command = f"mkdir {gone} && cd {gone} && rmdir {gone} && {sys.executable} -P -m arena"
    for args in (QUICK, ("tournament", *TWO), ("leaderboard",)):
        done = subprocess.run(
            ["sh", "-c", f"{command} {' '.join(args)}"], capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 1
        assert done.stderr.startswith("Error: ")
        assert "No such file" not in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_files_that_may_not_grow_lose_nothing_that_was_recorded(tmp_path):
    """As on a full disk, but for the words."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (240_000, 240_000))

    done = subprocess.run(
        [sys.executable, "-m", "arena", "tournament", *TWO, "--rounds", "20000", "--workers", "1"],
        cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True, timeout=120,
        env={**os.environ, "ARENA_COMPILED": "0"},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    (told,) = [line for line in done.stderr.splitlines() if not line.startswith("Tournament 1: ")]
    assert told.startswith("Error: cannot write arena.db: ")
    assert told.endswith("; what was recorded before is kept")
    check_sums(tmp_path / "arena.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_COMPILED", "0")
        assert inside(tmp_path, "tournaments", "list").stdout.count("unfinished") == 1


def test_elo_of_a_database_with_exact_results_too_rates_what_was_played(played):
    inside(played, "tournament", *TWO, "--exact", "--executor", "serial")
    done = inside(played, "leaderboard", "--rating", "elo")
    assert "tic-tac-toe\n" in done.stdout
    assert "Rated by maximum likelihood: elo needs matches in sequence, and there are none." in done.stdout
    alone = inside(played, "leaderboard", "--tournament", "1", "--rating", "elo").stdout.splitlines()
    assert set(alone) <= set(done.stdout.splitlines())
    refused = inside(played, "leaderboard", "--tournament", "2", "--rating", "elo", status=1)
    assert refused.stderr == "Error: exact results have no sequence of matches to rate; leave --rating out\n"
