"""Behind walls agents can do nothing to each other, to arena, to files or to the machine."""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress
from itertools import permutations
from pathlib import Path

import pytest

from arena import ArenaError
from arena.api.format import Stage
from arena.api.limits import Limits
from arena.api.spec import Spec
from arena.matches.driver import play
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.results.records import Records
from arena.rng import Streams
from arena.sandbox import missing
from arena.workers.pools import Workers
from arena.workers.processes import Processes
from commands import arena, inside
from records import query
from saboteurs import HANGS, SABOTAGE, class_name, source

walled = pytest.mark.skipif(bool(missing()), reason="needs Landlock and seccomp")
GAME = Spec("tic-tac-toe", "arena_games.tic_tac_toe:TicTacToe", {})
INNOCENT = ("random", "greedy", "first")
LIMIT = 20.0  # seconds for a move
SEED = "0x" + 32 * "5"  # too long to guess, of which there is a warning


def played(names, isolated=True, workers=2):
    """Records by first and second name, innocents and each saboteur from both seats."""
    targets = {name: f"arena_agents.baselines.{name}:{name.title()}" for name in INNOCENT}
    targets |= {name: f"saboteurs_here:{class_name(name)}" for name in names}
    entries = tuple(Spec(name, target, {}) for name, target in targets.items())
    pairings = tuple(p for p in permutations(range(len(entries)), 2) if min(p) < (1 if max(p) > 2 else 3))
    walled_in = frozenset(range(len(entries))) if isolated else frozenset()
    plan = Plan(
        GAME, entries, Schedule.of(Stage(pairings)), Streams(1), Openings(), Limits(9, 0.0, LIMIT), walled_in
    )
    with Workers(Processes, workers).opened() as pool:
        blocks = list(play(plan, [range(plan.matches)], pool, Records))
    return {(entries[r.first].text, entries[r.second].text): r for block in blocks for r in block}


@pytest.fixture(scope="module")
def targets(tmp_path_factory):
    """What saboteurs are after: a database, a port, a secret, and where machine code is kept."""
    folder = tmp_path_factory.mktemp("target")
    (folder / "code").mkdir()
    (folder / "code" / "saboteurs_here.py").write_text(source())
    (folder / "cache" / "machine-code").mkdir(parents=True)
    arena(folder, "tournament", "--entry", "random", "--entry", "first", "--rounds", "2", "--db", "target.db")
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.MonkeyPatch.context() as patch:
        server.setblocking(False)
        patch.setenv("ARENA_TARGET", str(folder / "target.db"))
        patch.setenv("ARENA_PORT", str(server.getsockname()[1]))
        patch.setenv("ARENA_CACHE", str(folder / "cache"))
        patch.setenv("A_SECRET", "hush-hush")
        patch.syspath_prepend(str(folder / "code"))
        yield folder, server
        sys.modules.pop("saboteurs_here", None)


@pytest.fixture(scope="module")
def harmed(targets):
    return played([name for name in SABOTAGE if name not in HANGS])


@walled
@pytest.mark.slow
def test_innocents_play_as_they_do_alone(targets, harmed):
    alone = played([], isolated=False)
    for pair, record in alone.items():
        assert harmed[pair][4:11] == record[4:11]


@walled
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SABOTAGE if name not in HANGS])
def test_sabotage_comes_to_nothing_or_costs_the_match(harmed, name):
    """Whoever plays on plays the first move, as the innocent does who always does so."""
    for pair in ((name, "random"), ("random", name)):
        record = harmed[pair]
        if record.reason == "rules":
            plain = harmed[tuple("first" if one == name else one for one in pair)]
            assert len(record.moves.split()) >= 5
            seat = pair.index(name)
            board = set()
            for ply, move in enumerate(record.moves.split()):
                if ply % 2 == seat:
                    assert move == min({*"123456789"} - board)
                board.add(move)
            assert plain.reason == "rules"
        else:
            assert record.result == (-1 if pair[0] == name else 1)
            assert "found" not in (record.detail or "")


@walled
@pytest.mark.slow
def test_what_they_were_after_is_untouched(targets, harmed):
    folder, server = targets
    db = folder / "target.db"
    assert query(db, "SELECT count(*) FROM matches") == [(4,)]
    assert query(db, "SELECT name FROM sqlite_schema WHERE name = 'spoilt'") == []
    assert db.stat().st_mode & 0o777
    assert sorted(path.name for path in folder.iterdir() if path.suffix not in (".db-shm", ".db-wal")) == [
        "cache",
        "code",
        "target.db",
    ]
    assert not list((folder / "cache" / "machine-code").glob("planted*"))
    import arena as package

    assert not list(Path(package.__file__).parent.glob("planted*"))
    with pytest.raises(BlockingIOError):
        server.accept()
    assert os.getpriority(os.PRIO_PROCESS, 0) == 0


@walled
@pytest.mark.slow
def test_those_that_hang_lose_by_it(targets, monkeypatch):
    monkeypatch.setattr(f"{__name__}.LIMIT", 2.0)
    found = played(sorted(HANGS), workers=4)
    for (first, second), record in found.items():
        if {first, second} & HANGS:
            assert record.reason in ("stall", "crash"), (first, second, record)
            assert record.result == (-1 if first in HANGS else 1)


@pytest.mark.slow
@walled
@pytest.mark.parametrize("name", ["writes", "kills-its-group", "calls-out", "answers-with-pickles"])
def test_walls_stand(targets, name):
    found = played([name])
    assert query(targets[0] / "target.db", "SELECT count(*) FROM matches") == [(4,)]
    alone = played([], isolated=False)
    assert all(found[pair][4:11] == record[4:11] for pair, record in alone.items())


def test_an_agent_with_an_evaluation_plays_sandboxed(tmp_path):
    done = inside(tmp_path, "match", "alpha-beta:depth=1", "random", "--isolate", "--matches", "2", "--json")
    assert [row["forfeits"] for row in json.loads(done.stdout)["pairings"]] == [0, 0]


@pytest.mark.slow
def test_isolated_entries_play_the_same(tmp_path):
    """From the command line, in a tournament's file by entry, and from Python."""
    named = [word for entry in ("random", "minimax:depth=2", "greedy") for word in ("--entry", entry)]
    args = ("--rounds", "2", "--seed", SEED, "--json")
    plain = arena(tmp_path, "tournament", *named, *args, "--db", "plain.db")
    walled = arena(tmp_path, "tournament", *named, *args, "--db", "walled.db", "--isolate")
    (tmp_path / "some.toml").write_text(
        'entries = ["random", "minimax:depth=2", "greedy"]\nrounds = 2\nisolate = ["greedy"]\n'
        f'seed = "{SEED}"\n'
    )
    some = arena(tmp_path, "tournament", "some.toml", "--json", "--db", "some.db")
    sql = "SELECT number, first, second, result, reason, detail, plies, moves FROM results ORDER BY number"
    rows = [query(tmp_path / f"{name}.db", sql) for name in ("plain", "walled", "some")]
    assert rows[0] == rows[1] == rows[2]
    assert (
        plain.stderr.count("Warning") == walled.stderr.count("Warning") == some.stderr.count("Warning") == 0
    )


def test_who_is_isolated_is_an_entry(tmp_path):
    (tmp_path / "odd.toml").write_text('entries = ["random", "first"]\nisolate = ["greedy"]\n')
    done = arena(tmp_path, "tournament", "odd.toml", status=1)
    assert done.stderr == "Error: isolate: 'greedy' is not among the entries\n"


@pytest.mark.slow
def test_an_installed_learner_does_not_learn_in_the_sandbox(tmp_path, monkeypatch):
    env = {"ARENA_MODELS": str(tmp_path / "models")}
    done = arena(tmp_path, "match", "random", "q-table:episodes=50", "--isolate", status=1, **env)
    assert done.stderr.splitlines()[-1] == (
        "Error: q-table:episodes=50 is untrained, and only learners from files can learn in the sandbox; "
        "train it first: arena train q-table:episodes=50 --game tic-tac-toe"
    )
    arena(tmp_path, "train", "q-table:episodes=50", **env)
    arena(tmp_path, "match", "random", "q-table:episodes=50", "--isolate", "--matches", "4", **env)


@pytest.mark.slow
def test_folders_of_isolated_agents_are_gone(tmp_path):
    env = {"TMPDIR": str(tmp_path)}
    arena(tmp_path, "match", "random", "first", "--isolate", "--matches", "4", **env)
    with suppress(FileNotFoundError):
        assert not [path for path in tmp_path.iterdir() if path.name.startswith("arena-")]


def test_nothing_is_evaluated_behind_walls():
    import arena as package

    with pytest.raises(ArenaError, match="isolate applies only to matches"):
        package.tournament(["random", "first"], exact=True, isolate=True, db=os.devnull + "x")
