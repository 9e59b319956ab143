"""Machine code that is kept: what is used again, what is made anew, and what is never trusted."""

from __future__ import annotations

import ast
import importlib
import linecache
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from arena import Agent, Rng
from arena.compiler import Host, host, machine, plainly, program, reason
from both_ways import GROUND

HELP = """
from typing import NamedTuple
import numpy as np

FACTOR = 2
TABLE = (1, 2, 3)
WEIGHTS = np.array([1, 2, 3])

class Both(NamedTuple):
    one: int = 4
    two: int = 5

def helped(x, more=1):
    return x * FACTOR + more

class Base:
    step = 10

    def stepped(self, x):
        return x + self.step
"""
MINE = """
import helping
from arena import Agent, option
from both_ways import GROUND, Ground
from helping import Base, Both, TABLE, WEIGHTS

class Mine(Base, Agent):
    weight: int = option(3, "a weight")

    def choose(self, state, moves, rng):
        both = Both(two=7)
        return self.stepped(helping.helped(self.weight)) + TABLE[1] + WEIGHTS[2] + both.one + self.own()

    def own(self):
        return 1000
"""
STATE, MOVES = (3, 0), [0, 1, 2]
EXPECTED = 10 + 3 * 2 + 1 + 2 + 3 + 4 + 1000


class Saying(Host):
    def __init__(self):
        self.said = []

    def say(self, text):
        self.said.append(text)


class Bench:
    """Writes modules, imports them anew as another process would, and counts what is compiled."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        self.compiled = 0
        self.host = Saying()
        self.texts = {"helping": HELP, "mine": MINE}
        was = machine.object_code

        def counted(text):
            self.compiled += 1
            return was(text)

        monkeypatch.setattr(machine, "object_code", counted)
        self.before = host.set(self.host)
        monkeypatch.setenv("ARENA_CACHE", str(folder / "cache"))
        monkeypatch.syspath_prepend(folder)

    def edit(self, name, old, new):
        assert old in self.texts[name]
        self.texts[name] = self.texts[name].replace(old, new)

    def agent(self):
        """The agent, its modules imported anew."""
        for name, text in self.texts.items():
            (self.folder / f"{name}.py").write_text(text)
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        linecache.clearcache()
        module = importlib.import_module("mine")
        return module.Mine(module.GROUND)

    def run(self, agent=None):
        """What it chooses, and how many units were compiled for that."""
        agent, before = agent or self.agent(), self.compiled
        result = agent.choose(STATE, MOVES, Rng(1))
        with plainly():
            assert agent.choose(STATE, MOVES, Rng(1)) == result
        return result, self.compiled - before

    @property
    def kept(self):
        return sorted((self.folder / "cache" / "machine-code").iterdir())


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made = Bench(tmp_path, monkeypatch)
    made.run()
    yield made
    host.reset(made.before)
    for name in made.texts:
        sys.modules.pop(name, None)


def test_what_was_compiled_is_not_compiled_again(bench):
    assert bench.run() == (EXPECTED, 0)


def test_what_is_edited_elsewhere_does_not_matter(bench):
    bench.texts["other"] = "x = 1"
    assert bench.run() == (EXPECTED, 0)
    bench.texts["other"] = "x = 2"
    assert bench.run() == (EXPECTED, 0)


EDITS = {
    "a method": ("mine", "return 1000", "return 2000", 1000),
    "a constant of another module": ("helping", "FACTOR = 2", "FACTOR = 3", 3),
    "a function of another module": ("helping", "+ more", "- more", -2),
    "the default of a parameter": ("helping", "more=1", "more=2", 1),
    "a tuple": ("helping", "(1, 2, 3)\nWEIGHTS", "(1, 5, 3)\nWEIGHTS", 3),
    "an array": ("helping", "np.array([1, 2, 3])", "np.array([1, 2, 4])", 1),
    "an attribute of a class": ("helping", "step = 10", "step = 20", 10),
    "an inherited method": ("helping", "x + self.step", "x - self.step", -20),
    "the default of a named tuple": ("helping", "one: int = 4", "one: int = 6", 2),
    "an option's default": ("mine", "option(3,", "option(4,", 2),
    "a method that hides an inherited one": (
        "mine", "    def own", "    def stepped(self, x):\n        return x\n\n    def own", -10,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "more"), EDITS.values(), ids=EDITS)
def test_what_is_edited_is_compiled_anew(bench, name, old, new, more):
    bench.edit(name, old, new)
    assert bench.run() == (EXPECTED + more, 1)
    assert bench.run() == (EXPECTED + more, 0)
    bench.edit(name, new, old)
    assert bench.run()[0] == EXPECTED


JITTED = """
import numba
import numpy as np

@numba.njit
def helped(x):
    return np.abs(x) + 5 + other(x)

@numba.njit
def other(x):
    return 7
"""
CALLING = """
from arena import Agent
from both_ways import GROUND, Ground
from jitted import helped

class Mine(Agent):
    def choose(self, state, moves, rng):
        return int(helped(3))
"""


@pytest.mark.slow
def test_what_numba_compiles_is_compiled_anew_when_it_is_edited(bench):
    pytest.importorskip("numba", exc_type=ImportError)
    bench.texts |= {"mine": CALLING, "jitted": JITTED}
    assert bench.run() == (15, 1)
    assert bench.run() == (15, 0)
    bench.edit("jitted", "+ 5", "+ 6")
    assert bench.run() == (16, 1)
    bench.edit("jitted", "+ 6", "+ 5")
    assert bench.run()[0] == 15
    bench.edit("jitted", "return 7", "return 7.5")  # another type
    assert bench.run()[0] == 15


def test_another_copy_of_a_module_has_code_of_its_own(bench, monkeypatch):
    """As two checkouts of a plugin have, each as its author left it."""
    first, bench.folder = bench.folder, bench.folder / "copy"
    bench.folder.mkdir()
    bench.edit("mine", "return 1000", "return 3000")
    monkeypatch.syspath_prepend(bench.folder)
    assert bench.run()[0] == EXPECTED + 2000
    bench.folder = first
    monkeypatch.setattr(sys, "path", [str(first), *sys.path])
    bench.edit("mine", "return 3000", "return 1000")
    assert bench.run()[0] == EXPECTED


CELL = """
from arena import Agent

class Mine(Agent):
    def choose(self, state, moves, rng):
        return {}
"""


def test_a_class_that_is_written_anew_in_a_notebook_is_compiled_anew(bench, monkeypatch):
    notebook = ModuleType("notebook")
    monkeypatch.setitem(sys.modules, "notebook", notebook)
    for cell, move in enumerate((1, 2, 1)):
        text, file = CELL.format(move), f"<cell {cell}>"
        monkeypatch.setitem(linecache.cache, file, (len(text), None, text.splitlines(True), file))
        exec(compile(text, file, "exec"), vars(notebook))
        agent = notebook.Mine(GROUND)
        assert reason(agent) is None
        assert agent.choose(STATE, MOVES, Rng(1)) == move


CHANGES = {
    "a constant": lambda modules: setattr(modules["helping"], "FACTOR", 5),
    "a function": lambda modules: setattr(modules["helping"], "helped", lambda x: x),
    "a class's attribute": lambda modules: setattr(modules["helping"].Base, "step", 99),
    "a method": lambda modules: setattr(modules["mine"].Mine, "own", lambda self: 1),
    "an array's element": lambda modules: modules["helping"].WEIGHTS.__setitem__(2, 77),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_set_in_a_running_process_counts_for_agents_made_after_it(bench, change):
    bench.run()
    cls = type(bench.agent())
    game = sys.modules["mine"].GROUND
    assert bench.run(cls(game)) == (EXPECTED, 0)
    change(sys.modules)
    result, _ = bench.run(cls(game))
    assert result != EXPECTED


# --- the folder ---------------------------------------------------------------------------------------------


def test_only_its_owner_can_get_into_the_folder(bench):
    (folder,) = {path.parent for path in bench.kept}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in bench.kept)


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_can_write_to_is_not_used(bench, mode):
    (folder,) = {path.parent for path in bench.kept}
    before = {path: path.read_bytes() for path in bench.kept}
    folder.chmod(mode)
    assert bench.run() == (EXPECTED, 1)
    assert bench.run() == (EXPECTED, 1)
    folder.chmod(0o700)
    assert {path: path.read_bytes() for path in bench.kept} == before
    assert len(bench.host.said) == 1
    assert "others can write to it; it is compiled again each time" in bench.host.said[0]
    assert "\n" not in bench.host.said[0]


def test_a_folder_of_somebody_else_is_not_used(bench, monkeypatch):
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    assert bench.run() == (EXPECTED, 1)
    assert len(bench.host.said) == 1


def test_a_folder_that_cannot_be_made_does_no_harm(bench, monkeypatch):
    (bench.folder / "file").write_text("")
    monkeypatch.setenv("ARENA_CACHE", str(bench.folder / "file"))
    assert bench.run() == (EXPECTED, 1)
    assert len(bench.host.said) == 1


# --- the files ----------------------------------------------------------------------------------------------

DAMAGES = {
    "a byte of the code is another": lambda whole: whole[:-50] + bytes([whole[-50] ^ 1]) + whole[-49:],
    "a byte of the facts is another": lambda whole: whole[:80] + bytes([whole[80] ^ 1]) + whole[81:],
    "it ends too early": lambda whole: whole[:-9],
    "there is more": lambda whole: whole + b"more",
    "it is empty": lambda whole: b"",
    "it is a pickle": lambda whole: b"cos\nsystem\n(S'touch pickled'\ntR.",
    "the digest is that of nothing": lambda whole: b"0" * 64 + whole[64:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_file_that_is_not_whole_is_made_anew(bench, damage, monkeypatch):
    monkeypatch.chdir(bench.folder)
    whole = {path: path.read_bytes() for path in bench.kept}
    for path, text in whole.items():
        path.write_bytes(damage(text))
    result, compiled = bench.run()
    assert (result, compiled >= 1) == (EXPECTED, True)
    assert not (bench.folder / "pickled").exists()
    assert not bench.host.said
    assert bench.run() == (EXPECTED, 0)


def test_a_file_that_cannot_be_read_is_made_anew(bench):
    for path in bench.kept:
        path.unlink()
        path.mkdir()
    assert bench.run()[0] == EXPECTED


def test_nothing_is_left_beside_what_is_kept(bench):
    assert all(len(path.name) == 32 and path.is_file() for path in bench.kept)


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        (machine, "processor", lambda: ("another", "")),
        (machine, "processor", lambda: (machine.llvm.get_host_cpu_name(), "-avx2")),
        (machine.llvmlite, "__version__", "0.0.1"),
        (sys, "version", "3.11.0 of another build"),
        (sys, "platform", "plan9"),
    ],
)
def test_another_machine_or_version_has_other_files(where, name, value, monkeypatch):
    before = machine.digest_of("key")
    monkeypatch.setattr(machine, "own_digest", machine.own_digest.__wrapped__)
    assert machine.digest_of("key") == before
    assert machine.digest_of("other key") != before
    monkeypatch.setattr(where, name, value)
    assert machine.digest_of("key") != before


def test_another_compiler_has_other_files(monkeypatch, tmp_path):
    shutil.copytree(Path(machine.__file__).parent, tmp_path / "compiler")
    monkeypatch.setattr(machine, "__file__", str(tmp_path / "compiler" / "machine.py"))
    own_digest = machine.own_digest.__wrapped__
    assert own_digest() == machine.own_digest()
    for name in ("types.py", "function/calls.py"):
        before = own_digest()
        with (tmp_path / "compiler" / name).open("a") as file:
            file.write("# edited\n")
        assert own_digest() != before


def test_the_compiler_has_nothing_that_runs_what_it_reads():
    for path in Path(machine.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = (
                [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            )
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            assert not {"pickle", "marshal", "shelve", "dill"} & {*names, getattr(node, "module", "")}, path
            assert called not in ("eval", "exec", "__import__"), path


# --- several at once ----------------------------------------------------------------------------------------

TWICE = """
import sys
from mine import GROUND, Mine
from arena import Rng
sys.stdin.readline()
print(Mine(GROUND).choose((3, 0), [0, 1, 2], Rng(1)))
"""


@pytest.mark.slow
def test_processes_that_compile_the_same_at_once_do_no_harm(bench, monkeypatch):
    bench.agent()
    monkeypatch.setenv("ARENA_CACHE", str(bench.folder / "other"))
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(bench.folder), str(Path(__file__).parent), *sys.path])
    )
    started = [
        subprocess.Popen([sys.executable, "-c", TWICE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]  # fmt: skip
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    for process in started:
        out, err = process.communicate(timeout=120)
        assert (out, err) == (f"{EXPECTED}\n", "")
    kept = list((bench.folder / "other" / "machine-code").iterdir())
    assert len(kept) == 2  # of the agent, and of the game
    assert all(len(path.name) == 32 for path in kept)


def test_whoever_waits_for_another_takes_what_that_has_made(bench, monkeypatch):
    """While one process holds the lock it puts the file in place; the one that waits loads it."""
    files = {path: path.read_bytes() for path in bench.kept}
    for path in files:
        path.unlink()

    class Lock:
        """As another process would have had it before."""

        def __init__(self, path, timeout):
            self.lock_file = str(path)

        def __enter__(self):
            for path, text in files.items():
                path.write_bytes(text)

        def __exit__(self, *error):
            pass

    monkeypatch.setattr("filelock.FileLock", Lock)
    assert bench.run() == (EXPECTED, 0)


def test_what_is_not_used_any_more_and_what_killed_processes_have_left_goes(bench):
    """Once a process, when it keeps something."""
    machine.remove_old.cache_clear()
    folder = bench.kept[0].parent
    for path in bench.kept:
        path.unlink()
    for age, name in (
        (7200, ".old.new"),
        (7200, "old.lock"),
        (60, ".draft.new"),
        (60, "held.lock"),
        (100 * machine.DAY, "unused"),
        (80 * machine.DAY, "kept"),
    ):
        (folder / name).touch()
        os.utime(folder / name, (time.time() - age,) * 2)
    assert bench.run()[0] == EXPECTED
    left = {path.name for path in folder.iterdir() if len(path.name) != 32}
    assert left == {".draft.new", "held.lock", "kept"}


def test_what_is_used_is_as_new_from_then_on(bench):
    for path in bench.kept:
        os.utime(path, (time.time() - 80 * machine.DAY,) * 2)
    assert bench.run() == (EXPECTED, 0)
    old = [path for path in bench.kept if time.time() - path.stat().st_mtime > 60]
    assert len(old) <= 1  # the rules of the game, if this process has compiled them: they are in memory
    assert len(old) < len(bench.kept)


def test_whoever_has_waited_too_long_compiles_for_itself(bench, monkeypatch):
    from filelock import FileLock

    names = [path.name for path in bench.kept]
    for path in bench.kept:
        path.unlink()
    monkeypatch.setattr(program, "PATIENCE", 0.05)
    (bench.folder / "cache" / "machine-code").mkdir(exist_ok=True)
    locks = [FileLock(bench.folder / "cache" / "machine-code" / f"{name}.lock") for name in names]
    for lock in locks:
        lock.acquire()
    result, compiled = bench.run()
    for lock in locks:
        lock.release()
    assert (result, compiled >= 1) == (EXPECTED, True)


def test_what_no_other_process_could_look_up_is_not_kept(bench):
    def made(step):
        class Local(Agent):
            def choose(self, state, moves, rng):
                return moves[0] + step

        return Local

    for step in (1, 2):
        agent = made(step)(GROUND)
        assert reason(agent) is None
        assert agent.choose(STATE, MOVES, Rng(1)) == step
    assert not any(__file__ in machine.read(path.name)[0]["facts"]["files"] for path in bench.kept)
