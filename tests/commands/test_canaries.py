"""No way to name a file has its code run outside a sandbox, by any command or call."""

from __future__ import annotations

import json
import sqlite3
from itertools import product

import click
import pytest

import arena
from arena.cli.commands import cli
from canaries import Canaries
from commands import ended
from dask_cluster import DaskCluster, skip_without_dask
from tiers import tiers

NO_FILE = "takes neither entries nor a database with some"
FEW = ("--game", "tic-tac-toe", "--seed", "1")
ONE = (*FEW, "--executor", "serial")
DB = ("--db", "a.db")
# by command: argument lists that name a file in every way that it takes
COMMANDS = {
    "tournament": [
        ("can.py", "--entry", "random", "--rounds", "1", *ONE),
        ("--entry", "can.py", "--entry", "random", "--rounds", "1", *ONE),
        ("bots/", "--entry", "random", "--rounds", "1", *ONE),
        ("learns.py", "--entry", "random", "--rounds", "1", *ONE),
        ("event.toml", "--executor", "serial", "--html", "event.html"),
        ("--entry", "can.py", "--entry", "random", "--exact", "--game", "tic-tac-toe"),
        ("--entry", "q-table:opponent=can.py,episodes=5", "--entry", "random", "--rounds", "1", *ONE),
        ("--resume", "2", *DB),
        ("--resume", "1", "--add", "can.py:depth=2", *DB),
        ("--add", "can.py:depth=3", *DB),
        ("--add", "learns.py", *DB),
    ],
    "match": [
        ("can.py", "random", "--matches", "2", *FEW),
        ("can.py", "random", "--exact", "--game", "tic-tac-toe"),
        ("random", "random:", "--control-variate", "can.py", "--matches", "4", *FEW),
        ("random", "minimax:depth=1", "--control-variate", "can.py", "--matches", "4", *FEW),
        ("can.py", "random", "--control-variate", "minimax:depth=1", "--matches", "4", *FEW),
        ("q-table:opponent=can.py,episodes=5", "random", "--matches", "2", *ONE),
        ("psv:learner=learns.py", "random", "--matches", "2", *ONE),
        ("learns.py", "random", "--matches", "2", *ONE),
        ("can.py", "random", "--sprt", "0", "100", "--matches", "4", *FEW),
    ],
    "play": [("can.py",), ("learns.py",)],
    "replay": [
        ("1", "0", *DB),
        ("1", "0", "--explain", "can.py", *DB),
        ("1", "0", "--svg", "m.svg", *DB),
    ],
    "watch": [("1", *DB)],
    "train": [
        ("learns.py", *ONE[:2]),
        ("q-table:opponent=can.py,episodes=5", *ONE[:2]),
        ("learns.py", "--curve", "c.csv", "--against", "can.py", "--seeds", "1", "--points", "1", *ONE[:2]),
    ],
    "models export": [("learns.py", "m.npz")],
    "models import": [("learns.py", "m.npz", "--game", "tic-tac-toe")],
    "models list": [()],
    "models remove": NO_FILE,
    "models show": [("learns.py",)],
    "leaderboard": [
        DB,
        ("--blunders", *DB),
        ("--html", "page.html", "--playable", *DB),
        ("--diagnostics", *DB),
        ("--worst-case", "1", *DB),
        ("--anchor", "can.py", "1500", *DB),
        ("--cost", *DB),
    ],
    "tournaments export": [("1", *DB), ("1", "--notation", *DB)],
    "tournaments list": [DB],
    "tournaments metadata": [DB],
    "tournaments remove": NO_FILE,
    "tournaments show": [("1", *DB), ("1", "--faults", *DB)],
    "merge": [("a.db", "b.db", "--output", "c.db")],
    "verify": [("a.db",), ("a.db", "can.py"), ("forged.db", "can.py")],
    "new": NO_FILE,
    "check": [("can.py", "--matches", "1"), ("learns.py", "--matches", "1")],
    "debug": [("1", "0", *DB)],
    "games": [("can.py",)],
    "agents": [("can.py",), ("learns.py",)],
    "evaluations": [("can.py",)],
    "formats": [("can.py",)],
    "plugins": NO_FILE,
    "position": [("can.py",)],
    "explain": [("can.py",), ("learns.py",), ("psv:learner=learns.py",)],
    "export": [("can.py", "--wasm", "page"), ("learns.py", "--wasm", "page")],
    "openings": [("tic-tac-toe", "--plies", "2", "--lines", "2", "--judge", "can.py")],
    "exploit": [
        ("can.py", "--budget", "5", *FEW),
        ("random", "--rollout-policy", "can.py", "--budget", "5", *FEW),
    ],
    "endings": NO_FILE,
    "solve": [("can.py",)],
    "coach": [
        ("can.py", *DB),
        ("can.py", "--sample", "3", "--seed", "1", *DB),
        ("random", "--judge", "can.py", "--nodes", "1", *DB),
    ],
    "season update": [("bots", "--matches", "4", "--db", "season.db", "--site", "site", *FEW)],
    "season status": [("--db", "season.db")],
    "season history": [("--db", "season.db")],
    "season rollback": NO_FILE,
    "season delete": NO_FILE,
    "season export": [("--db", "season.db")],
    "compare": [("learns.py", "can.py", "--seeds", "2", "--rounds", "1", *ONE)],
    "tune": [
        ("can.py", "--range", "depth=1..3", "--matches", "64", "--confirm-matches", "64", *FEW),
        (
            *("q-table:opponent=can.py,episodes=5", "--range", "alpha=.1|.5", "--against", "can.py"),
            *("--rounds", "1", "--trainings", "2", "--confirm-seeds", "2", *ONE),
        ),
    ],
    "perft": NO_FILE,
}
CASES = [(name, words) for name, given in COMMANDS.items() if given != NO_FILE for words in given]
QUICK = [
    ("agents", ("can.py",)),
    ("explain", ("can.py",)),
    ("match", ("can.py", "random", "--exact", "--game", "tic-tac-toe")),
    ("leaderboard", ("--html", "page.html", "--playable", *DB)),
]


def leaves_of(command, context, words=()):
    """Yield the names of all commands that do something."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            yield from leaves_of(inner, click.Context(inner, parent=context), (*words, name))
    else:
        yield " ".join(words)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The bytes of a database in which such files have played, one event unfinished, and of a forged one."""
    with pytest.MonkeyPatch.context() as patch:
        canaries = Canaries(tmp_path_factory.mktemp("recorded"))
        patch.chdir(canaries.folder)
        patch.setenv("ARENA_TRUSTED", str(canaries.folder / "trusted"))
        how = {"game": "tic-tac-toe", "rounds": 1, "progress": False, "executor": "serial", "db": "a.db"}
        arena.tournament(["can.py", "random"], seed=1, **how)
        arena.tournament(["can.py", "first"], seed=2, **how)
        assert canaries.left() == []
        with sqlite3.connect("a.db") as db:
            db.execute("DELETE FROM matches WHERE tournament = 2")
            db.execute("UPDATE tournaments SET finished = NULL WHERE id = 2")
        sound = (canaries.folder / "a.db").read_bytes()
        with sqlite3.connect("a.db") as db:  # says of itself that nothing was sandboxed
            for number, text in db.execute("SELECT id, settings FROM tournaments").fetchall():
                settings = json.dumps({**json.loads(text), "isolate": False})
                db.execute("UPDATE tournaments SET settings = ? WHERE id = ?", (settings, number))
        return sound, (canaries.folder / "a.db").read_bytes()


@pytest.fixture
def canaries(tmp_path, monkeypatch, recorded):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_TRUSTED", str(tmp_path / "trusted"))
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))
    for name, content in zip(("a.db", "b.db", "forged.db"), (recorded[0], *recorded), strict=True):
        (tmp_path / name).write_bytes(content)
    return Canaries(tmp_path)


def test_every_command_has_a_case():
    assert sorted([*COMMANDS, "help"]) == sorted(leaves_of(cli, click.Context(cli)))


@pytest.mark.slow
def test_a_canary_that_is_trusted_leaves_something(canaries):
    ended(canaries.folder, "match", "can.py", "random", "--matches", "2", "--no-isolate", *ONE)
    assert any(name.startswith("choose") for name in canaries.left())


@pytest.mark.parametrize(("name", "words"), tiers(CASES, quick=QUICK))
def test_no_command_runs_a_file_outside(canaries, name, words):
    done = ended(canaries.folder, *name.split(), *words)
    assert done.returncode in (0, 1, 2), done.stderr
    assert canaries.left() == []


OF_A_DATABASE = [
    "tournament --resume 2",
    "tournament --add can.py:depth=2",
    "tournament --add minimax",
    "leaderboard --blunders",
    "leaderboard --html page.html --playable",
    "leaderboard --html page.html --title Cup --coach can.py",
    "replay 1 0",
    "debug 1 0",
    "tournaments export 1 --notation",
]


@pytest.mark.parametrize("words", tiers(OF_A_DATABASE, quick=["leaderboard --blunders"]))
def test_no_database_says_that_a_file_runs_outside(canaries, words):
    ended(canaries.folder, *words.split(), "--db", "forged.db")
    assert canaries.left() == []


FORMATS = ["round-robin", "gauntlet", "swiss", "decided:indifference=1000", "precise:points=1000"]
EXECUTORS = ["serial", "threads", "processes"]
CROSSED = [*product(FORMATS, EXECUTORS)]


@pytest.mark.slow
@pytest.mark.parametrize(("format", "executor"), CROSSED)
def test_no_format_runs_a_file_outside_in_any_executor(canaries, format, executor):
    entries = ["can.py", "random", "first", "bots/other.py"]
    given = {} if ":" in format else {"rounds": 2}
    found = arena.tournament(
        entries,
        game="tic-tac-toe",
        format=format,
        seed=1,
        executor=executor,
        db="c.db",
        progress=False,
        **given,
    )
    assert found.played
    if format == "round-robin":
        arena.resume(1, add=["can.py:depth=2"], executor=executor, db="c.db", progress=False)
    assert canaries.left() == []


CALLS = {
    "match": lambda: arena.match("can.py", "random", matches=2, game="tic-tac-toe", progress=False),
    "exact": lambda: arena.exact("can.py", "random", game="tic-tac-toe", progress=False),
    "train": lambda: arena.train("learns.py", game="tic-tac-toe", progress=False),
    "explain": lambda: arena.explain("can.py", game="tic-tac-toe"),
    "check": lambda: arena.check("can.py", game="tic-tac-toe", matches=1),
    "agents": lambda: arena.agents("can.py"),
    "openings": lambda: arena.openings("tic-tac-toe", plies=2, lines=2, judge="can.py"),
    "exploit": lambda: arena.exploit("can.py", game="tic-tac-toe", budget=5, progress=False),
    "play": lambda: arena.play("can.py", game="tic-tac-toe", side="second").reply(),
}


@pytest.mark.parametrize("name", tiers(CALLS, quick=["openings"]))
def test_no_call_runs_a_file_outside(canaries, name):
    CALLS[name]()
    assert canaries.left() == []


@pytest.mark.slow
def test_no_worker_of_dask_runs_a_file_outside(canaries, tmp_path):
    skip_without_dask()
    (tmp_path / "cluster").mkdir()
    cluster = DaskCluster(tmp_path / "cluster", 1)
    try:
        for entry in ("can.py", "learns.py"):
            how = {"matches": 2, "game": "tic-tac-toe", "progress": False}
            arena.match(entry, "random", executor=f"dask://{cluster.address}", **how)
    finally:
        cluster.close()
    assert canaries.left() == []
