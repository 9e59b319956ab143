"""On a cluster of Dask's, whose workers come, go and die, results are those of one thread."""

from __future__ import annotations

import random
import signal
import threading
from importlib.metadata import EntryPoint

import pytest

from arena import ArenaError, match
from arena.calls.execution import executor_named
from arena.matches.block import play_block
from arena.registry.plugins import Registry, spec_named
from arena.storage import model_file
from arena_dask.connection import checked
from arena_dask.executor import Dask, Errand
from arena_dask.parcel import Sender, Unlike, difference, facts, opened
from commands import arena, ended, in_a_new_worker
from dask_cluster import DaskCluster, skip_without_dask
from paths import ROOT
from records import check_sums, played, query, rows
from running import until

FAULTY = """
import time
from arena import Agent, hookimpl

class Slow(Agent):
    def choose(self, state, moves, rng):
        time.sleep(0.01)
        return moves[rng.below(len(moves))]

class Crashes(Agent):
    def choose(self, state, moves, rng):
        if rng.below(40) == 0:
            raise ValueError("on purpose")
        return moves[0]

class Hangs(Agent):
    def choose(self, state, moves, rng):
        while rng.below(40) == 0:
            time.sleep(9)
        return moves[-1]

@hookimpl
def register_agents(register):
    for agent in ("Slow", "Crashes", "Hangs"):
        register(agent.lower(), f"faulty:{agent}")
"""
LEARNER = "q-table:episodes=3000"
FIELD = ("slow", "greedy", "crashes", LEARNER)


def tournament(*entries, rounds=6):
    named = [word for entry in entries for word in ("--entry", entry)]
    return ("tournament", *named, "--rounds", str(rounds), "--seed", "7", "--withdraw-after", "0")


@pytest.fixture
def cluster(tmp_path, plugin):
    """Makes a cluster of so many workers, with the agents above; at the end nothing of it is left."""
    skip_without_dask()
    made = []

    def make(workers):
        folder = tmp_path / "cluster"
        folder.mkdir()
        made.append(DaskCluster(folder, workers, **plugin(faulty=FAULTY)))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def env(tmp_path, plugin):
    """The environment of a command with these agents, by the name of its folder of models."""
    return lambda name: {**plugin(faulty=FAULTY), "ARENA_MODELS": str(tmp_path / name)}


def learned(folder):
    """What models hold, and of how many episodes, by the names of their files."""
    return {
        path.name: (model.about.sha256, model.about.episodes, model.about.wins)
        for path in folder.glob("*.npz")
        for model in [model_file.read(path)]
    }


def troubled(tmp_path, cluster, launch, env, seed, kills, rounds=6):
    """A tournament while workers are killed and added at random moments; and that of one thread."""
    expected = tmp_path / "expected.db"
    words = tournament(*FIELD, rounds=rounds)
    arena(tmp_path, *words, "--executor", "serial", "--db", str(expected), **env("serial"))
    on = cluster(3)
    where = ("--executor", f"dask://{on.address}", "--workers", "3", "--db", "dask.db")
    running = launch(*words, *where, **env("sent"))
    rng = random.Random(seed)
    left, pause, alive = list(range(3)), threading.Event(), []
    assert until(lambda: on.playing())
    for _ in range(kills):
        pause.wait(rng.random())
        alive.append(running.process.poll() is None)
        on.kill(left.pop(rng.randrange(len(left))))
        pause.wait(rng.random() * 2)
        left.append(len(on.workers))
        on.add()
    done = running.ended(240)
    assert done.returncode == 0, done.stderr
    assert alive[0]  # or it was over before anything had happened
    return on, expected


def check_same(tmp_path, on, expected):
    """Nothing is lost, nothing occurs twice, and all is as it was expected."""
    check_sums(tmp_path / "dask.db")
    assert rows(tmp_path / "dask.db") == rows(expected)
    assert query(tmp_path / "dask.db", "SELECT count(*) FROM elo")[0][0] > 0
    assert learned(tmp_path / "sent") == learned(tmp_path / "serial") != {}
    assert not (on.folder / "unused").exists()
    assert until(lambda: not on.playing(), 10)


@pytest.mark.slow
def test_a_worker_that_dies_and_one_that_comes_change_nothing(tmp_path, cluster, launch, env):
    on, expected = troubled(tmp_path, cluster, launch, env, seed=1, kills=1, rounds=4)
    check_same(tmp_path, on, expected)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(10))
def test_workers_that_die_and_come_at_any_moment_change_nothing(tmp_path, cluster, launch, env, seed):
    on, expected = troubled(tmp_path, cluster, launch, env, seed, kills=2)
    check_same(tmp_path, on, expected)


@pytest.mark.slow
def test_ctrl_c_and_a_kill_leave_nothing_running_on_the_cluster(tmp_path, cluster, launch, env):
    on = cluster(2)
    where = ("--executor", f"dask://{on.address}", "--workers", "2", "--db")
    for name, number in (("stopped.db", signal.SIGINT), ("killed.db", signal.SIGKILL)):
        running = launch(*tournament("slow", "first", rounds=10_000), *where, name, **env("sent"))
        assert until(lambda name=name: played(tmp_path / name) and on.playing())
        running.send(number)
        running.ended()
        assert until(lambda: not on.playing(), 20)
    assert until(lambda: not list(on.folder.glob("arena-models-*")), 10)


@pytest.mark.campaign
def test_who_hangs_on_the_cluster_is_stopped_behind_walls_too(tmp_path, cluster, env):
    words = ("match", "hangs", "first", "--matches", "20", "--seed", "3", "--stall-seconds", "2", "--json")
    expected = arena(tmp_path, *words, **env("sent")).stdout
    on = cluster(2)
    for isolate in ("--isolate", "--no-isolate"):
        done = arena(tmp_path, *words, isolate, "--executor", f"dask://{on.address}", **env("sent"))
        assert "no move within 2 s" in done.stderr
        assert done.stdout == expected


@pytest.mark.campaign
def test_a_cluster_that_cannot_be_used_any_more_is_told_in_one_line(tmp_path, cluster, launch, env):
    on = cluster(1)
    where = ("--executor", f"dask://{on.address}", "--workers", "2", "--db", "lost.db")
    running = launch(*tournament("slow", "first", rounds=10_000), *where, **env("sent"))
    assert until(lambda: played(tmp_path / "lost.db"))
    on.kill(0)
    threading.Event().wait(8)
    running.send(signal.SIGINT)
    done = running.ended(20)
    assert "Warning: no worker at tcp://" in done.stderr
    on.add()
    running = launch("tournament", "--resume", *where, **env("sent"))
    assert until(lambda: on.playing())
    on.scheduler.kill()
    done = running.ended()
    assert done.returncode == 1
    assert "Error: the scheduler at tcp://" in done.stderr.splitlines()[-1]
    assert until(lambda: not on.playing(), 20)


@pytest.mark.campaign
def test_workers_with_other_code_are_refused_in_one_line(cluster, monkeypatch):
    on = cluster(2)

    def play():
        return match("random", "first", matches=10, seed=1, executor=f"dask://{on.address}", workers=2)

    assert play().to_dict() == match("random", "first", matches=10, seed=1, executor="serial").to_dict()
    none = r"^no worker at \S+ can be used; of \S+: it has "
    with monkeypatch.context() as patch:
        patch.setattr("arena_dask.executor.facts", lambda: {**facts(), "arena": "0.0.9"})
        with pytest.raises(ArenaError, match=rf"{none}arena \S+, not 0.0.9; install the same version there$"):
            play()
    monkeypatch.setattr("arena_dask.parcel.code_here", lambda specs: "0" * 16)
    with pytest.raises(ArenaError, match=rf"{none}other code, files or endings of .*random, first; install"):
        play()


def test_an_address_that_is_none_is_told_in_one_line(tmp_path, monkeypatch):
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    for text in ("nowhere", "host:99999", "host:", ":8786", "a b:8786"):
        with pytest.raises(
            ArenaError,
            match=rf"^dask://{text} is not the address of a scheduler; use .* such as localhost:8786$",
        ):
            checked(text)
    with pytest.raises(ArenaError, match="needs a scheduler: dask://HOST:PORT, or DASK_SCHEDULER_ADDRESS="):
        checked("")
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tls://far.example:8786")
    assert checked("") == "tls://far.example:8786"
    assert checked("localhost:8786") == "tcp://localhost:8786"
    done = ended(tmp_path, "match", "random", "first", "--executor", "serial://here")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "executor 'serial' takes no address; leave '://here' out" in done.stderr


def test_an_address_is_the_executors():
    known = Registry([EntryPoint("arena_dask", "arena_dask", "arena")])
    assert executor_named("dask://far.example:8786", known) == Dask("far.example:8786")
    assert executor_named("dask", known) == Dask()


def test_a_plugin_that_is_missing_is_named_with_what_to_install():
    remedy = "pip install arena-dask, or in a clone ./plugins/arena-dask"
    for text in ("dask", "dask://localhost:8786"):
        with pytest.raises(ArenaError, match=rf"^executor 'dask' is in a plugin .*: {remedy}$"):
            executor_named(text, Registry([]))
    assert (ROOT / "plugins" / "arena-dask" / "pyproject.toml").exists()


def test_a_scheduler_that_is_not_there_is_told_in_one_line(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("arena_dask.connection.CONNECTING", 0.2)
    with pytest.raises(ArenaError, match=r"^no Dask scheduler answers at tcp://127.0.0.1:1 [^\n]*$"):
        Dask("127.0.0.1:1").count()


def test_other_versions_and_other_code_are_told(monkeypatch):
    monkeypatch.setenv("ARENA_MODELS", "/nowhere")
    here = facts()
    assert difference(here) == ""
    assert difference({**here, "arena": "0.0.9"}) == f"it has arena {here['arena']}, not 0.0.9"
    specs = [spec_named("game", "tic-tac-toe"), spec_named("agent", "greedy")]
    parcel = Sender().parcel(len, (specs,), {})
    assert in_a_new_worker(opened, parcel, "/nowhere") == opened(parcel, "/nowhere")
    other = type(parcel)(parcel.task, parcel.specs, "0" * 16, {}, {})
    with pytest.raises(Unlike, match="other code, files or endings of tic-tac-toe, greedy"):
        in_a_new_worker(opened, other, "/nowhere")


def test_a_parcel_names_the_models_that_its_task_may_need():
    other = "q-backprop:seed=4711"  # which no other test has learn
    game, learner = spec_named("game", "tic-tac-toe"), spec_named("agent", f"psv:learner=({other})")
    about = model_file.about_spec(spec_named("agent", other), game.make())
    sender = Sender()
    assert sender.parcel(play_block, (game, [learner]), {}).models == {model_file.path_of(about).name: ""}
    assert sender.parcel(play_block, (about,), {}).models == {model_file.path_of(about).name: ""}
    assert sender.parcel(play_block, (game,), {}).models == {}


def test_a_task_can_be_cancelled_until_a_worker_has_it():
    waits, runs = (Errand(Sender().parcel(len, ([],), {})) for _ in range(2))
    assert runs.put("tcp://worker")
    assert not runs.cancel()
    assert waits.cancel()
    assert not waits.put("tcp://worker")
