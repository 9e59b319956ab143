"""The same seed gives the same results wherever they are played, and nothing is left running."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from arena.ledger.ledger import Ledger
from arena.matches.event import begin, run_recorded
from arena.plan.completion import complete
from arena.ratings.leaderboard import leaderboard
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.registry.plugins import registry
from arena.results.settings import Settings
from arena.storage.database import Store
from arena.workers.pools import Serial, Threads, Workers
from arena.workers.processes import Processes
from arena.workers.worker import WorkerDied, this_worker
from commands import arena
from records import check_sums, played, query, rows
from running import until, workers_of
from tiers import slow, tiers

FIELD = ["random", "greedy", "minimax:depth=2", "first"]
EXECUTORS = [(Serial, 1), (Threads, 2), (Processes, 1), (Processes, 2), (Processes, 4)]

proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


def play(db, entries=FIELD, executor=Processes, workers=2, **settings):
    """Play a tournament into a database and return its rows."""
    settings = {"game": "tic-tac-toe", "entries": list(entries), "seed": 7, **settings}
    settings, plan = complete(Settings(**settings), registry())
    store = Store(db, write=True)
    number = begin(store, settings, plan, registry())
    for _ in run_recorded(store, number, Ledger(plan), Workers(executor, workers)):
        pass
    store.close()
    check_sums(db)
    return rows(db)


@pytest.fixture(scope="module", params=["none", *slow("random:3")])
def expected(request, tmp_path_factory):
    """Settings, and the rows of a tournament with them."""
    settings = {"rounds": 20, "openings": request.param}
    return settings, play(tmp_path_factory.mktemp("expected") / "arena.db", executor=Serial, **settings)


@pytest.mark.parametrize(("executor", "workers"), tiers(EXECUTORS, quick=["Serial"]))
def test_results_do_not_depend_on_who_plays_them(tmp_path, expected, executor, workers):
    settings, found = expected
    assert len(found["matches"]) == 240
    assert play(tmp_path / "arena.db", executor=executor, workers=workers, **settings) == found


@pytest.mark.slow
def test_a_recorded_match_is_the_same_with_any_workers(tmp_path):
    found = []
    for executor, workers in (("serial", 1), ("processes", 1), ("processes", 3)):
        db = tmp_path / f"{executor}{workers}.db"
        args = ("--matches", "61", "--seed", "7", "--openings", "random:2", "--record", "--db", str(db))
        where = ("--executor", executor, "--workers", str(workers))
        done = arena(tmp_path, "match", "random", "minimax:depth=2", *args, *where, "--json")
        found.append((rows(db), json.loads(done.stdout)["pairings"]))
        check_sums(db)
    assert found[0] == found[1] == found[2]
    assert len(found[0][0]["matches"]) == 61


@pytest.mark.slow
def test_the_folder_one_stands_in_does_not_matter(tmp_path):
    """A file called like a module of Python's is not taken for it, there where people write `random.py`."""
    for name in ("random", "queue", "tempfile"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not me')")
    as_script = (
        "import sys; del sys.path[0]; from arena.cli import main; main(['tournament', '--rounds', '1'])"
    )
    command = [sys.executable, "-c", as_script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "not me" not in done.stderr


def test_elo_is_that_of_the_matches_in_schedule_order(tmp_path):
    db = tmp_path / "arena.db"
    play(db, rounds=30, openings="random:1", workers=4)
    ratings = dict.fromkeys((id for (id,) in query(db, "SELECT id FROM entries")), 1500.0)
    course = {}
    seen = set()
    sql = "SELECT round, first, second, result, moves, chance, reason FROM matches ORDER BY number"
    for round, first, second, result, moves, chance, reason in query(db, sql):
        if not chance and reason in ("rules", "max plies"):
            if (first, second, moves) in seen:
                continue
            seen.add((first, second, moves))
        expected = 1 / (1 + 10 ** ((ratings[second] - ratings[first]) / 400))
        gain = 16 * ((result + 1) / 2 - expected)
        ratings[first] += gain
        ratings[second] -= gain
        course |= {(round + 1, entry): rating for entry, rating in ratings.items()}
    found = {(rounds, entry): rating for rounds, entry, rating in rows(db)["elo"]}
    assert found == pytest.approx(course, abs=1e-9)
    assert seen


def kinds(db):
    return dict(query(db, "SELECT kind, sum(wins + draws + losses) FROM pairings GROUP BY kind"))


def board(db):
    """What counts on the leaderboard: matches and forfeits by entry."""
    store = Store(db)
    rated = leaderboard(store, "tic-tac-toe", store.tournaments(), MaximumLikelihood())
    store.close()
    return {row.entry: (row.matches, row.forfeits) for row in rated.rows}


DETERMINISTIC = ["first", "minimax:ties=first"]


def test_replays_of_deterministic_entries_count_once(tmp_path):
    db = tmp_path / "arena.db"
    play(db, DETERMINISTIC, rounds=25)
    assert kinds(db) == {"fixed": 2, "copy": 48}
    assert board(db) == dict.fromkeys(DETERMINISTIC, (2, 0))


def test_replays_count_once_with_openings_too(tmp_path):
    db = tmp_path / "arena.db"
    play(db, DETERMINISTIC, rounds=60, openings="random:1")
    assert len(set(query(db, "SELECT first, moves FROM matches"))) == 18  # nine cells, from either seat
    assert kinds(db) == {"fixed": 18, "copy": 102}
    assert board(db) == dict.fromkeys(DETERMINISTIC, (18, 0))


AGENTS = """
import os, re, signal, subprocess, time
from arena import Agent, hookimpl

@hookimpl
def register_agents(register):
    for name in ("fails", "dozes", "hangs", "spins", "starts"):
        register(name, f"faulty:{name.title()}")

class Fails(Agent):
    def choose(self, state, moves, rng): return None

class Dozes(Agent):
    "Plays the first move after a while."
    def choose(self, state, moves, rng):
        time.sleep(0.02)
        return moves[0]

class Hangs(Agent):
    def choose(self, state, moves, rng):
        open("hanging", "w").close()
        time.sleep(10**6)

class Spins(Agent):
    "Never gives back the interpreter's lock."
    def choose(self, state, moves, rng): re.match("(a+)+$", "a" * 64 + "b")

class Starts(Agent):
    "Has a program of its own think."
    def choose(self, state, moves, rng): subprocess.run(["sleep", "1000"])
"""


@pytest.fixture(scope="module")
def faulty(plugin):
    return plugin(faulty=AGENTS)


def tournament(folder, *args, entries, status=0, **env):
    """The rows of a tournament that the command line plays."""
    named = [word for entry in entries for word in ("--entry", entry)]
    arena(folder, "tournament", *named, "--seed", "7", *args, "--db", "arena.db", status=status, **env)
    return rows(folder / "arena.db")


@pytest.mark.slow
def test_forfeits_all_count(tmp_path, faulty):
    db = tmp_path / "arena.db"
    tournament(tmp_path, "--rounds", "10", entries=["first", "fails"], status=1, **faulty)
    assert kinds(db) == {"chance": 20}
    check_sums(db)
    assert board(db) == {"first": (20, 0), "fails": (20, 20)}


# What workers say


def speak(text: str, folder: Path, workers: int) -> int:
    """Say it, in as many workers as there are, and wait for somebody to have heard it."""
    this_worker().watch.say(text)
    (folder / f"{os.getpid()} {threading.get_ident()}").touch()
    heard = until(lambda: len(list(folder.iterdir())) == workers and folder.with_name("heard").exists())
    this_worker().watch.say(text)
    return heard


def speak_and_die(text: str) -> None:
    this_worker().watch.say(text)
    os.kill(os.getpid(), signal.SIGKILL)


def speak_from_a_child(text: str) -> int:
    """The status of a child that says it while another thread of its parent is at saying something."""
    with this_worker().watch.saying:
        child = os.fork()
        if not child:
            this_worker().watch.say(text)
            os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(("executor", "workers"), tiers(EXECUTORS[1:], quick=["Threads"]))
def test_what_workers_say_is_told_once_and_at_once(tmp_path, capsys, executor, workers):
    text = f"Said by {workers} {executor.__name__}"
    folder = tmp_path / "spoken"
    folder.mkdir()
    told = ""

    def hears() -> bool:
        nonlocal told
        told += capsys.readouterr().err
        return text in told

    with executor(workers) as pool:
        futures = [pool.submit(speak, text, folder, workers) for _ in range(workers)]
        assert until(hears)
        (tmp_path / "heard").touch()
        assert [future.result() for future in futures] == [True] * workers
    assert told + capsys.readouterr().err == f"{text}\n"


def test_the_last_words_of_a_worker_are_told(capsys):
    with Processes(1) as pool, pytest.raises(WorkerDied):
        pool.submit(speak_and_die, "Its last words").result()
    assert capsys.readouterr().err == "Its last words\n"


def sleep_on(allowed: float, seconds: float) -> str:
    this_worker().watch.turn(0, 0, allowed)
    time.sleep(seconds)
    this_worker().watch.clear()
    return "awake"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "seconds", "stalls"), [(0.9, 1.5, False), *slow((0.0, 1.5, True), (1.0, 4.0, True))]
)
def test_what_waits_for_a_processor_is_not_overdue_up_to_as_long_again(monkeypatch, share, seconds, stalls):
    monkeypatch.setattr("arena.workers.processes.waited_ns", lambda pid: int(share * time.monotonic_ns()))
    with Processes(1) as pool:
        asleep = pool.submit(sleep_on, 1.0, seconds)
        with pytest.raises(WorkerDied) if stalls else nullcontext():
            assert asleep.result(timeout=20) == "awake"


@proc
def test_a_forked_child_speaks_for_itself():
    with Processes(1) as pool:
        assert pool.submit(speak_from_a_child, "Said by a child").result(timeout=20) == 7
        assert pool.submit(os.getpid).result(timeout=20) != os.getpid()


def test_a_worker_process_has_the_environment_of_now(monkeypatch):
    """And not that of the server which forks it, or of what started before."""
    monkeypatch.setenv("ARENA_KEPT", "as it was")
    for value in ("once", "again"):
        monkeypatch.setenv("ARENA_TOLD", value)
        with Processes(1) as pool:
            assert pool.submit(os.getenv, "ARENA_TOLD").result() == value
            assert pool.submit(os.getenv, "ARENA_KEPT").result() == "as it was"
            assert pool.submit(os.getenv, "PYTHONSAFEPATH").result() == os.getenv("PYTHONSAFEPATH")
    monkeypatch.delenv("ARENA_KEPT")
    with Processes(1) as pool:
        assert pool.submit(os.getenv, "ARENA_KEPT").result() is None


# Processes


def kill_workers(running, seed: int, db: Path) -> int:
    """Kill one worker after another at random, by accident: how many.

    At most five, for a match at which a worker has died is played apart, and five deaths there are none.
    Something is recorded between two of them.
    """
    rng = random.Random(seed)
    killed, before = 0, 0
    while killed < 5 and running.process.poll() is None:
        until(lambda last=before: running.process.poll() is not None or played(db) > last)
        before = played(db)
        until(lambda: False, rng.uniform(0.2, 0.6))
        if workers := workers_of(running):
            try:
                os.kill(rng.choice(workers), signal.SIGKILL)
                killed += 1
            except OSError:
                continue
    return killed


@proc
@pytest.mark.parametrize(("compiled", "rounds"), [("0", "9000"), ("1", "90000")])
@pytest.mark.slow
def test_killing_workers_changes_nothing(tmp_path, launch, compiled, rounds):
    """One that somebody else kills is nobody's fault: what it was at is played again."""
    args = ("--rounds", rounds)
    expected = tournament(tmp_path, *args, entries=["random", "first"])
    (tmp_path / "arena.db").rename(tmp_path / "expected.db")
    named = ("--entry", "random", "--entry", "first", "--seed", "7", "--workers", "3", "--db", "arena.db")
    running = launch("tournament", *named, *args, ARENA_COMPILED=compiled)
    assert kill_workers(running, 1, tmp_path / "arena.db") > 1
    assert running.ended().returncode == 0
    assert rows(tmp_path / "arena.db") == expected


@proc
@pytest.mark.slow
def test_killing_workers_whose_agents_think_changes_nothing(tmp_path, launch, faulty):
    args = ("--rounds", "15")
    expected = tournament(tmp_path, *args, "--workers", "4", entries=["random", "dozes"], **faulty)
    (tmp_path / "arena.db").rename(tmp_path / "expected.db")
    named = ("--entry", "random", "--entry", "dozes", "--seed", "7", "--workers", "3", "--db", "arena.db")
    running = launch("tournament", *named, *args, **faulty)
    for _ in range(3):
        assert until(lambda: len(workers_of(running)) >= 3)  # and those that look at what went wrong
        until(lambda: False, 0.1)
        os.kill(min(workers_of(running)), signal.SIGKILL)  # the one that has been there longest
    assert running.ended().returncode == 0
    assert rows(tmp_path / "arena.db") == expected


@pytest.mark.slow
@proc
@pytest.mark.parametrize("agent", ["hangs", *slow("spins", "starts")])
def test_nothing_outlives_a_command_that_was_killed(tmp_path, launch, faulty, agent):
    args = ("--entry", "random", "--entry", agent, "--stall-seconds", "0", "--workers", "2")
    running = launch("tournament", *args, **faulty)
    assert until(lambda: len(workers_of(running)) == 2)
    until(lambda: False, 0.5)  # they are at it
    running.send(signal.SIGKILL)
    running.process.wait()
    assert running.nothing_left()


@pytest.mark.slow
@proc
@pytest.mark.parametrize("number", [signal.SIGINT, *slow(signal.SIGTERM)])
def test_asked_twice_to_stop_a_command_leaves_what_hangs(tmp_path, launch, faulty, number):
    args = ("--entry", "random", "--entry", "hangs", "--stall-seconds", "0", "--workers", "2")
    running = launch("tournament", *args, **faulty)
    assert until((tmp_path / "hanging").exists)
    assert until(lambda: len(workers_of(running)) == 2)
    running.send(number)
    until(lambda: False, 0.3)
    assert running.process.poll() is None
    running.send(number)
    done = running.ended(10)
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "Error: interrupted"
    assert "Traceback" not in done.stderr
    assert running.nothing_left()


@pytest.mark.slow
@proc
@pytest.mark.parametrize("wait", [0.0, *slow(0.1, 0.5)])
def test_ctrl_c_in_a_terminal_reaches_nobody_but_the_command(tmp_path, launch, wait):
    """There it goes to the whole group of processes, be they still starting."""
    entries = ("--entry", "random", "--entry", "first")
    running = launch("tournament", *entries, "--rounds", "100000", "--workers", "2", "--db", "arena.db")
    assert until(lambda: (tmp_path / "arena.db-1.lock").exists())
    until(lambda: False, wait)
    running.send(signal.SIGINT, group=True)
    done = running.ended(20)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert running.nothing_left()
    check_sums(tmp_path / "arena.db")
    assert f"Stopped after {played(tmp_path / 'arena.db'):,} of 200,000 matches" in done.stderr


LEFT = """
import os
from multiprocessing import forkserver
from arena.workers.processes import Processes

with Processes(1) as pool:
    assert pool.submit(len, "x").result() == 1
ended, task = forkserver.connect_to_new_process([])
os.write(task, {told!r})
os.close(task)
assert forkserver.read_signed(ended) > 0
assert forkserver.read_signed(ended) == 1
"""


@proc
@pytest.mark.parametrize("told", [b"", b"\x80\x04\x95"])
def test_a_worker_whose_founder_ends_before_it_says_what_to_do_ends_in_silence(told):
    done = subprocess.run([sys.executable, "-c", LEFT.format(told=told)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
