"""Plugins that are broken, or mean harm, cost themselves alone."""

from __future__ import annotations

import json
import os
import signal

import pytest

from commands import arena
from running import until
from tiers import slow, tiers

GOOD = """
from arena import Agent, hookimpl

class Good(Agent):
    '''Plays the first move.'''

    def choose(self, state, moves, rng):
        return moves[0]

@hookimpl
def register_agents(register):
    register("good", "good:Good", "plays")
"""

RAISED = ("KeyboardInterrupt", "SystemExit(0)", "GeneratorExit", "Own('no')", "Mute()", "RecursionError")
CLASSES = """
from arena import Agent, Game, hookimpl

class Own(BaseException):
    pass

class Mute(BaseException):
    def __str__(self):
        raise Own("not even this")
"""
AT_IMPORT = CLASSES + "raise {}\n"
IN_HOOK = CLASSES + "@hookimpl\ndef register_agents(register):\n    raise {}\n"
LOADED = (
    CLASSES + "@hookimpl\ndef register_agents(register):\n    register('bad', 'faulty:Bad')\n"
    "def __getattr__(name):\n    if name == 'Bad':\n        raise {}\n    raise AttributeError(name)\n"
)


def found_by(folder, plugin, **sources):
    """What `arena plugins` says, by name, with these modules installed."""
    env = plugin(good=GOOD, **sources)
    done = arena(folder, "plugins", "--json", **env)
    assert "Traceback" not in done.stderr
    return {one["name"]: one for one in json.loads(done.stdout)}, done.stderr.splitlines(), env


@pytest.mark.parametrize("raised", tiers(RAISED, quick=["KeyboardInterrupt"]))
@pytest.mark.parametrize("source", [AT_IMPORT, IN_HOOK], ids=["import", "hook"])
def test_a_plugin_that_raises_whatever_costs_itself_alone(tmp_path, plugin, source, raised):
    found, told, env = found_by(tmp_path, plugin, faulty=source.format(raised))
    assert found["good"]["offers"] == {"agent": ["good"]}
    (fault,) = found["faulty"]["errors"]
    assert raised.partition("(")[0] in fault
    (line,) = told
    assert line.startswith("Warning: plugin faulty (faulty 1.0): ")
    assert "tournament" in arena(tmp_path, "--help", **env).stdout


@pytest.mark.parametrize(
    "raised", tiers(RAISED, quick=["KeyboardInterrupt"], slow=["SystemExit(0)", "Own('no')"])
)
def test_a_class_whose_loading_raises_whatever_is_told_in_one_line(tmp_path, plugin, raised):
    env = plugin(good=GOOD, faulty=LOADED.format(raised))
    done = arena(tmp_path, "match", "bad", "good", "--matches", "2", status=1, **env)
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: agent 'bad' of plugin faulty cannot be loaded: ")
    arena(tmp_path, "match", "good", "first", "--matches", "2", **env)
    listed = json.loads(arena(tmp_path, "agents", "--json", **env).stdout)
    assert [one["name"] for one in listed if "error" in one] == ["bad"]


BROKEN = {
    "no equals": (b"[arena]\nthis is no line of its kind\n", ["this is no line of its kind"]),
    "no module": (b"[arena]\nodd = \nodder = 1 + 1 !\n", ["odd", "odder"]),
    "no name": (b"[arena]\n = good\n", ["= good"]),
    "twice": (b"[arena]\nsame = json\nsame = json\n", ["same", "same"]),
    "not a text": (b"[arena]\nodd = \xff\xfe\n", ["broken"]),
    "nothing there": (b"[arena]\nodd = nowhere:nothing\n", ["odd"]),
}


@pytest.mark.parametrize("text", tiers(BROKEN, quick=["no equals", "twice"]), ids=list(BROKEN))
def test_entry_points_that_are_none_cost_themselves_alone(tmp_path, plugin, text):
    content, named = BROKEN[text]
    env = plugin(good=GOOD)
    folder = tmp_path / "site"
    info = folder / "broken-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 2.0\n")
    (info / "entry_points.txt").write_bytes(content)
    env = {"PYTHONPATH": os.pathsep.join([str(folder), env["PYTHONPATH"]])}
    done = arena(tmp_path, "plugins", "--json", **env)
    found = [one for one in json.loads(done.stdout) if one["distribution"] == "broken" and one["errors"]]
    assert [one["name"] for one in found] == named
    assert len(done.stderr.splitlines()) == len(named)
    arena(tmp_path, "match", "good", "first", "--matches", "2", **env)


@pytest.mark.parametrize(
    "metadata",
    [None, *slow(b"", b"Name: \n", b"\xff\xfe\x00", b"Metadata-Version: 2.1\nName: broken\n")],
    ids=["missing", "empty", "no name", "bytes", "no version"],
)
def test_a_distribution_without_a_name_or_version_offers_what_it_has(tmp_path, metadata):
    folder = tmp_path / "site"
    info = folder / "broken-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text("[arena]\ngood = good\n")
    if metadata is not None:
        (info / "METADATA").write_bytes(metadata)
    (folder / "good.py").write_text(GOOD)
    args = ("match", "good", "first", "--matches", "2", "--record")
    arena(tmp_path, *args, PYTHONPATH=str(folder))
    done = arena(tmp_path, "plugins", "--json", PYTHONPATH=str(folder))
    (found,) = [one for one in json.loads(done.stdout) if one["name"] == "good"]
    assert (found["offers"], found["errors"]) == ({"agent": ["good"]}, [])


SLOW = """
import pathlib, time
pathlib.Path("importing").touch()
for _ in range(600):
    try:
        time.sleep(0.1)
    except BaseException as error:
        raise RuntimeError("what Ctrl-C?") from error
"""
SLOW_HOOK = "from arena import hookimpl\n@hookimpl\ndef register_agents(register):\n" + "".join(
    f"    {line}\n" for line in SLOW.strip().splitlines()
)


@pytest.mark.parametrize("source", [SLOW, SLOW_HOOK], ids=["import", "hook"])
def test_the_users_own_ctrl_c_while_a_plugin_is_loaded_ends_the_command(tmp_path, plugin, launch, source):
    running = launch("plugins", **plugin(slow=source))
    assert until((tmp_path / "importing").exists)
    running.send(signal.SIGINT)
    done = running.ended()
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Error: interrupted\n"


OTHERS = (
    CLASSES
    + """
from arena import RatingSystem

class Odd(RatingSystem):
    def rate(self, results):
        raise {}

def executor(workers):
    raise {}

@hookimpl
def register_ratings(register):
    register("odd", "others:Odd")

@hookimpl
def register_executors(register):
    register("odd", "others:executor")
"""
)


@pytest.mark.parametrize(
    "raised", tiers(RAISED, quick=["KeyboardInterrupt"], slow=["SystemExit(0)", "Own('no')"])
)
def test_a_rating_system_or_an_executor_that_raises_whatever_is_told_in_one_line(tmp_path, plugin, raised):
    env = plugin(others=OTHERS.format(raised, raised))
    play = ("match", "random", "first", "--matches", "2")
    done = arena(tmp_path, *play, "--executor", "odd", status=1, **env)
    assert done.stderr.splitlines()[-1].startswith("Error: the executor cannot be created: ")
    arena(tmp_path, *play, "--record", **env)
    done = arena(tmp_path, "leaderboard", "--rating", "odd", status=1, **env)
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: rating system odd failed: ")
