"""`arena new`: what it writes, what it refuses, and that it installs, plays, passes its tests and goes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib

import pytest

import arena
from arena import ArenaError
from arena.registry.plugins import OWN
from commands import arena_compiled, inside
from tiers import tiers

KINDS = ["agent", "game", "learner"]
NAMES = ["bird", "coins", "pupil"]  # of one of each
LISTS = {"agent": "agents", "game": "games", "learner": "agents"}  # the commands that show them


def written(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


# --- what is written --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_is_written_and_named_throughout(tmp_path, kind):
    said = inside(tmp_path, "new", kind, "early-bird2")
    folder = tmp_path / "arena-early-bird2"
    files = ["README.md", "arena_early_bird2.py", "pyproject.toml", "tests/test_early_bird2.py"]
    assert written(folder) == files
    *named, _ = said.stdout.splitlines()
    assert named == [f"arena-early-bird2/{name}" for name in files]
    texts = {name: (folder / name).read_text() for name in files}
    assert "xample" not in "".join(texts.values())
    assert 'register("early-bird2", "arena_early_bird2:EarlyBird2")' in texts["arena_early_bird2.py"]
    project = tomllib.loads(texts["pyproject.toml"])["project"]
    assert project["name"] == "arena-early-bird2"
    assert project["entry-points"]["arena"] == {"arena_early_bird2": "arena_early_bird2"}
    release = ".".join(arena.__version__.split(".")[:2])
    assert project["dependencies"] == [f"{OWN}>={release}"]


def test_it_is_written_where_one_likes(tmp_path):
    told = json.loads(inside(tmp_path, "new", "agent", "bird", "--folder", "a/b", "--json").stdout)
    assert told["folder"] == "a/b"
    assert [tmp_path / name for name in told["files"]] == sorted(
        path for path in (tmp_path / "a" / "b").rglob("*") if path.is_file()
    )


@pytest.fixture(scope="module")
def installed_as_they_are(plugin, tmp_path_factory):
    """An agent and a game as they are written, found as plugins; their folder, and the environment."""
    folder = tmp_path_factory.mktemp("new")
    made = {
        name: arena.new(kind, name, folder=folder / name) for kind, name in zip(KINDS, NAMES, strict=True)
    }
    modules = {f"arena_{name}": folder / name / f"arena_{name}.py" for name in made}
    return folder, plugin(**{name: path.read_text() for name, path in modules.items()})


@pytest.mark.parametrize(("kind", "name"), tiers([*zip(KINDS, NAMES, strict=True)], quick=["agent"]))
def test_it_runs_compiled_and_keeps_its_promises(installed_as_they_are, kind, name):
    folder, env = installed_as_they_are
    (told,) = json.loads(arena_compiled(folder, LISTS[kind], name, "--json", **env).stdout)
    assert (told["compiled"], told["reason"]) == (True, None)
    assert json.loads(arena_compiled(folder, "check", name, "--json", **env).stdout)["kept"]


@pytest.mark.slow
@pytest.mark.parametrize("name", tiers(NAMES, quick=["bird"]))
def test_it_passes_the_tests_that_are_written_with_it(installed_as_they_are, name):
    folder, env = installed_as_they_are
    command = [sys.executable, "-m", "pytest", "-p", "arena.fixtures", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command, cwd=folder / name, env={**os.environ, **env}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


# --- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Bird", "is not a valid name; use words of a-z and 0-9 joined by hyphens, a letter first"),
        ("4x4", "is not a name"),
        ("bird_", "is not a name"),
        ("bird-", "is not a name"),
        ("../bird", "is not a name"),
        ("", "is not a name"),
        ("böse", "is not a name"),
        ("bird\n", "is not a name"),
        ("none", "cannot be used, since None is taken"),
        ("agent", "cannot be used, since Agent is taken"),
        ("random", "is the name of an agent already"),
        ("tic-tac-toe", "is the name of a game already"),
        ("tournament", "arena-tournament is installed already"),
        ("games", "arena-games is installed already"),
        ("a" * 300, "cannot write "),
        ("a" * 248, "cannot write "),  # a folder may be called so, the test in it not
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_will_not_do_is_refused_in_one_line(tmp_path, kind, name, said):
    (line,) = inside(tmp_path, "new", kind, "--", name, status=1).stderr.splitlines()
    assert line.startswith("Error: ")
    assert said in line
    assert written(tmp_path) == []


@pytest.mark.parametrize("make", ["mkdir", "touch"])
def test_what_exists_is_left_alone(tmp_path, make):
    getattr(tmp_path / "arena-bird", make)()
    (line,) = inside(tmp_path, "new", "agent", "bird", status=1).stderr.splitlines()
    assert line == "Error: arena-bird already exists; use another --folder, or remove it"
    assert written(tmp_path) == [name for name in ["arena-bird"] if make == "touch"]


def test_there_are_two_kinds(tmp_path):
    with pytest.raises(ArenaError, match="no scaffold of 'gama', did you mean 'game'"):
        arena.new("gama", "bird", folder=tmp_path / "bird")
    assert inside(tmp_path, "new", "gama", "bird", status=2).stderr.count("\n") == 1


# --- installed --------------------------------------------------------------------------------------------

BROKEN = '''
from arena import Agent

class Silent(Agent):
    """Says nothing."""

    def choose(self, state, moves, rng): return None

def test_silent(check_agent): check_agent(Silent)
'''


@pytest.mark.slow
def test_in_a_new_environment_it_installs_plays_passes_its_tests_and_goes_without_a_trace(installed):
    installed.run("python", "-m", "pip", "install", "--quiet", "pytest")

    def state():
        frozen = installed.run("python", "-m", "pip", "freeze", "--exclude-editable").stdout
        where = "import sysconfig; print(sysconfig.get_path('purelib'))"
        site = installed.run("python", "-c", where).stdout.strip()
        return frozen, sorted(os.listdir(site)), installed.agents(), installed.run("arena", "games").stdout

    before = state()
    for kind, name in zip(KINDS, NAMES, strict=True):
        installed.run("arena", "new", kind, name)
        installed.run("python", "-m", "pip", "install", "--quiet", "-e", f"arena-{name}[test]")
        installed.run("arena", "check", name)
        said = installed.run("python", "-m", "pytest", "-p", "no:cacheprovider", f"arena-{name}").stdout
        assert "2 passed" in said
    told = installed.told("match", "bird", "random", "--seed", "1")
    assert sum(row["wins"] for row in told["pairings"]) > 0
    installed.run("arena", "match", "bird", "minimax", "--game", "coins:coins=9", "--matches", "4")

    (installed.folder / "test_silent.py").write_text(BROKEN)
    said = installed.run(
        "python", "-m", "pytest", "-p", "no:cacheprovider", "test_silent.py", status=1
    ).stdout
    assert "plays None, which is not one of the moves" in said
    assert "\nassert" not in said

    for name in NAMES:
        installed.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", f"arena-{name}")
    assert state() == before
