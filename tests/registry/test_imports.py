"""Each file's imports are its own, whatever the helpers of others are called."""

from __future__ import annotations

import json
import pickle
import random
import sys
from textwrap import indent

import pytest

import arena
from arena.api.game import Game
from arena.calls.arguments import known_with
from arena.compiler import is_compiled, with_compiled_rules
from arena.registry import gate
from arena.registry.digests import code_digest, code_of, rules_digest
from arena.registry.file import File
from commands import inside

STDLIB = ("queue", "statistics", "colorsys", "random", "click", "numpy")  # all of them are taken
# how a file imports a number N that its helper has: the import, the number, the texts of helpers by path
FORMS = {
    "module": ("import {a}", "{a}.N", {"{a}.py": "N = {n}"}),
    "name": ("from {a} import N", "N", {"{a}.py": "N = {n}"}),
    "renamed": ("import {a} as other", "other.N", {"{a}.py": "N = {n}"}),
    "star": ("from {a} import *", "N", {"{a}.py": "N = {n}"}),
    "package": ("import {a}.{b}", "{a}.{b}.N", {"{a}/__init__.py": "", "{a}/{b}.py": "N = {n}"}),
    "inner": ("from {a} import {b}", "{b}.N", {"{a}/__init__.py": "", "{a}/{b}.py": "N = {n}"}),
    "inner renamed": ("import {a}.{b} as other", "other.N", {"{a}/__init__.py": "", "{a}/{b}.py": "N = {n}"}),
    "relative": ("import {a}", "{a}.N", {"{a}/__init__.py": "from .{b} import N", "{a}/{b}.py": "N = {n}"}),
    "deep": (
        "from {a}.sub.deep import N",
        "N",
        {
            "{a}/__init__.py": "",
            "{a}/sub/__init__.py": "",
            "{a}/sub/deep.py": "from ..{b} import N",
            "{a}/{b}.py": "N = {n}",
        },
    ),
    "siblings": (
        "from {a} import x",
        "x.N()",
        {
            "{a}/__init__.py": "",
            "{a}/x.py": "def N():\n    from . import {b}\n    return {b}.N",
            "{a}/{b}.py": "N = {n}",
        },
    ),
    "chain": ("import {a}", "{a}.N", {"{a}.py": "from {b} import N", "{b}.py": "N = {n}"}),
    "chain at play": (
        "import {a}",
        "{a}.N()",
        {"{a}.py": "def N():\n    import {b}\n    return {b}.N", "{b}.py": "N = {n}"},
    ),
    "circle": (
        "import {a}",
        "{a}.get()",
        {
            "{a}.py": "import {b}\nN = {n}\ndef get(): return {b}.get()",
            "{b}.py": "import {a}\ndef get(): return {a}.N",
        },
    ),
    "from a package": (
        "from {a}.x import N",
        "N",
        {"{a}/__init__.py": "", "{a}/x.py": "from {b} import N", "{b}.py": "N = {n}"},
    ),
    "folder": ("from {a}folder.x import N", "N", {"{a}folder/x.py": "N = {n}"}),
    "import_module": ("import importlib", "importlib.import_module('{a}').N", {"{a}.py": "N = {n}"}),
    "import_module alone": (
        "from importlib import import_module",
        "import_module('{a}.{b}').N",
        {"{a}/__init__.py": "", "{a}/{b}.py": "N = {n}"},
    ),
    "relative import_module": (
        "import importlib",
        "importlib.import_module('.{b}', '{a}').N",
        {"{a}/__init__.py": "", "{a}/{b}.py": "N = {n}"},
    ),
    "computed": (
        "import importlib",
        "importlib.import_module(''.join(['{a}'])).N",
        {"{a}.py": "N = {n}"},
    ),
    "__import__": ("", "__import__('{a}').N", {"{a}.py": "N = {n}"}),
    "exec": ("", "exec('import {a}', globals()) or {a}.N", {"{a}.py": "N = {n}"}),
    "class": ("import {a}", "{a}.Inner().n", {"{a}.py": "class Inner:\n    n = {n}"}),
    "dataclass": (
        "from {a} import Inner",
        "Inner().n",
        {"{a}.py": "from dataclasses import dataclass\n@dataclass\nclass Inner:\n    n: int = {n}"},
    ),
    "pickled": (
        "import {a}, pickle",
        "pickle.loads(pickle.dumps({a}.Inner({n}))).n + 0 * {a}.N",
        {"{a}.py": "class Inner:\n    def __init__(self, n): self.n = n\nN = 1"},
    ),
    "unpickled by its plain name": (
        "import pickle",
        "pickle.loads(b'c{a}x\\nN\\n.')",
        {"{a}x.py": "N = {n}"},
    ),
    "path": (
        "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), 'lib'))\nimport {a}",
        "{a}.N",
        {"lib/{a}.py": "N = {n}"},
    ),
    "path at play": (
        "import os, sys\nsys.path.append(os.path.dirname(__file__) + '/lib')",
        "__import__('{a}lib').N",
        {"lib/{a}lib.py": "N = {n}"},
    ),
}  # fmt: skip
BOTS = {
    "agent": "class Bot(arena.Agent):\n    def choose(self, state, moves, rng):\n{body}",
    "game": "class Nim(arena.Game):\n    moves = play = lambda *_: []\n    def initial(self):\n{body}",
}


def written(folder, form, role, lazily, names, number):
    """A file of an agent or a game that imports in some form, with its helpers, in a folder."""
    folder.mkdir(parents=True)
    statement, value, helpers = FORMS[form]
    words = {"a": names[0], "b": names[1], "n": number}
    statement, value = statement.format(**words), value.format(**words)
    lazily = lazily and "*" not in statement
    body = indent((f"{statement}\n" if lazily else "") + f"return {value}", " " * 8)
    text = "import arena\n" + ("" if lazily else f"{statement}\n") + BOTS[role].format(body=body)
    for name, helper in helpers.items():
        path = folder / name.format(**words)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(helper.format(**words))
    path = folder / f"{role}.py"
    path.write_text(text)
    return str(path)


def read(path):
    """A file that the user trusts, so that it runs in this process."""
    file = File.read(path)
    gate.admit(file.module)
    return file


def made(path):
    """What a file's class answers: the number that its helper has."""
    (cls,) = read(path).classes().values()
    return lambda: cls().initial() if issubclass(cls, Game) else cls.__new__(cls).choose(None, [], None)


@pytest.fixture(autouse=True)
def _same_path(monkeypatch):
    """What files add to `sys.path` while they play is taken off again."""
    monkeypatch.setattr(sys, "path", [*sys.path])


def check_pair(folder, seed):
    """Two files with helpers of one name in two folders, loaded in some order, give each its own numbers."""
    rng = random.Random(seed)
    names = [rng.choice(STDLIB) if rng.random() < 0.3 else "prefs", "deeper"]
    asked = []
    for i, number in enumerate(rng.sample(range(1000), 2)):
        form = rng.choice([*FORMS])
        role = rng.choice([*BOTS])
        path = written(folder / str(seed) / str(i), form, role, rng.random() < 0.5, names, number)
        asked.append((form, made(path), number))
    for _ in range(2):
        rng.shuffle(asked)
        for form, ask, number in asked:
            assert ask() == number, (seed, form)
    assert "deeper" not in sys.modules


@pytest.mark.parametrize("form", FORMS)
def test_a_helper_of_each_form_is_the_own_one_of_each_file(tmp_path, form):
    for lazily in (False, True):
        place = tmp_path / str(lazily)
        files = [
            written(place / str(n), form, role, lazily, ["prefs", "deeper"], n)
            for n, role in enumerate(("agent", "game", "agent"))
        ]
        asked = [made(path) for path in files]
        assert [ask() for ask in asked] == [0, 1, 2]
        assert [ask() for ask in asked[::-1]] == [2, 1, 0]


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(10, 200, 10))])
def test_two_folders_of_all_kinds_have_their_own(tmp_path, first):
    for seed in range(first, first + 10):
        check_pair(tmp_path, seed)


# --- matches: who plays what is known by construction ---------------------------------------------------

NIM = """
from arena import Game
from prefs import legal

class Nim2(Game):
    "Take 1 to 3 of 11; who takes the last wins."
    def initial(self): return (11, 0)
    def moves(self, s): return legal(s[0])
    def play(self, s, m): return (s[0] - m, 1 - s[1])
    def to_move(self, s): return s[1]
    def value(self, s): return -1
"""
RULES = "PICK = 0\ndef legal(n): return [k for k in (1, 2, 3) if k <= n]\n"
PICK = """
from arena import Agent
import prefs

class Pick(Agent):
    "Plays the move of a number."
    def choose(self, state, moves, rng): return moves[prefs.PICK % len(moves)]
"""
LAZY = PICK.replace("import prefs\n", "").replace("rng):", "rng):\n        import prefs\n       ")


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A game with a helper `prefs`, and two agents with others: one plays the first move, one the last."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "g/nim2.py": NIM, "g/prefs.py": RULES, "p1/pick1.py": PICK, "p1/prefs.py": "PICK = 0\n",
        "p2/pick2.py": LAZY, "p2/prefs.py": "PICK = -1\n",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def moves(folder):
    """The moves of each match of the first tournament, by its first player."""
    lines = inside(folder, "tournaments", "export", "1").stdout.splitlines()
    return {row["first"]: [int(move) for move in row["moves"]] for row in map(json.loads, lines)}


EXECUTORS = [
    {"executor": "serial"},
    *(
        pytest.param(how, marks=pytest.mark.slow)
        for how in ({"executor": "threads"}, {"executor": "processes"}, {"isolate": True})
    ),
]


@pytest.mark.parametrize("how", EXECUTORS, ids=str)
def test_two_agents_with_helpers_of_one_name_play_as_each_was_written(folders, how):
    how = {"isolate": False, **how}
    arena.tournament(["p1/pick1.py", "p2/pick2.py"], rounds=1, seed=1, progress=False, **how)
    assert moves(folders) == {"pick1.py": [1, 9, 2, 8, 3], "pick2.py": [9, 1, 8, 2, 7]}
    said = inside(folders, "verify", "arena.db", "p1/pick1.py", "p2/pick2.py").stdout
    assert "2 of 2 matches replayed, none differs." in said


@pytest.mark.parametrize("how", EXECUTORS, ids=str)
def test_an_agent_does_not_play_by_the_helper_of_the_game(folders, how):
    """It takes three as long as there are three, and the other agent one."""
    how = {"isolate": False, **how}
    entries = ["p1/pick1.py", "p2/pick2.py"]
    arena.tournament(entries, game="g/nim2.py", rounds=1, seed=1, progress=False, **how)
    assert moves(folders) == {"pick1.py": [1, 3, 1, 3, 1, 2], "pick2.py": [3, 1, 3, 1, 3]}


@pytest.mark.slow
def test_an_edited_helper_plays_from_the_next_call_on(folders):
    def play():
        found = arena.match(
            "p2/pick2.py", "first", game="g/nim2.py", matches=2, seed=1, executor="serial", isolate=False,
            progress=False,
        )  # fmt: skip
        return {row.first: row.wins for row in found.pairings}

    assert play() == {"pick2.py": 1, "first": 0}  # 3 1 3 1 3, and 1 3 1 3 1 2
    code = code_of(known_with(["p2/pick2.py"]).spec("agent", "pick2.py"))
    (folders / "p2" / "prefs.py").write_text("PICK = 0\n")
    assert play() == {"pick2.py": 1, "first": 1}  # eleven times 1
    assert code != code_of(known_with(["p2/pick2.py"]).spec("agent", "pick2.py"))
    (folders / "p2" / "prefs.py").write_text("PICK = -1  # as it was\n")
    assert play() == {"pick2.py": 1, "first": 0}


def test_a_helper_that_files_of_one_folder_share_is_one_module(tmp_path):
    """A game's states are those that an agent beside it knows."""
    (tmp_path / "common.py").write_text("class State:\n    pass\n")
    (tmp_path / "more.py").write_text("N = 1")
    (tmp_path / "a.py").write_text("from common import State\nimport more\n")
    (tmp_path / "b.py").write_text("from common import State\n")
    one, other = (read(str(tmp_path / name)).load() for name in ("a.py", "b.py"))
    assert one.State is other.State
    (tmp_path / "common.py").write_text("class State:\n    x = 1\n")
    assert read(str(tmp_path / "b.py")).load().State is not other.State


def test_a_file_of_an_agent_is_nobodys_module_of_python(tmp_path):
    """A player that is called `random`, beside others that import Python's."""
    text = "import arena, random\nassert random.choice\nclass Bot(arena.Agent):\n    choose = 1\n"
    for name in ("random.py", "other.py"):
        (tmp_path / name).write_text(text)
    for name in ("random.py", "other.py"):
        assert read(str(tmp_path / name)).load().random is random
    (tmp_path / "statistics.py").write_text("N = 3")
    (tmp_path / "third.py").write_text("import statistics\n")
    assert read(str(tmp_path / "third.py")).load().statistics.N == 3
    assert __import__("statistics").mean([1, 3]) == 2


def test_what_a_helper_lacks_is_told_by_its_plain_name(tmp_path):
    (tmp_path / "prefs").mkdir()
    (tmp_path / "prefs" / "__init__.py").write_text("")
    (tmp_path / "bot.py").write_text("import prefs.lost\n")
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'prefs\.lost'"):
        read(str(tmp_path / "bot.py")).load()


def test_states_of_a_helpers_class_are_unpickled_where_the_helper_is_not_loaded_yet(tmp_path, monkeypatch):
    (tmp_path / "late.py").write_text("class State:\n    n = 5\n")
    (tmp_path / "game.py").write_text("def play():\n    from late import State\n    return State()\n")
    file = read(str(tmp_path / "game.py"))
    pickled = pickle.dumps(file.load().play())
    from arena.registry.imports import units

    for name in [name for name, unit in units.items() if unit.name == "late.py"]:
        monkeypatch.delitem(units, name)
        monkeypatch.delitem(sys.modules, name)
    assert pickle.loads(pickled).n == 5


def test_a_helper_that_is_gone_meanwhile_is_as_it_was_read(tmp_path):
    (tmp_path / "prefs.py").write_text("N = 1")
    (tmp_path / "bot.py").write_text("def n():\n    import prefs\n    return prefs.N\n")
    file = pickle.loads(pickle.dumps(read(str(tmp_path / "bot.py"))))
    (tmp_path / "prefs.py").unlink()
    assert file.load().n() == 1


def test_rules_that_use_a_helper_run_compiled_each_by_its_own(tmp_path):
    found = {}
    for most in (2, 3):
        folder = tmp_path / str(most)
        folder.mkdir()
        (folder / "prefs.py").write_text(f"MOST = {most}\ndef legal(n: int):\n    return min(n, MOST)\n")
        text = NIM.replace("from prefs import legal", "import prefs").replace(
            "return legal(s[0])", "return list(range(1, prefs.legal(s[0]) + 1))"
        )
        (folder / "nim.py").write_text(text)
        (cls,) = read(str(folder / "nim.py")).classes().values()
        found[most] = cls
    for most, cls in found.items():
        game = with_compiled_rules(cls())
        assert is_compiled(game)
        assert len(game.moves(game.initial())) == most


def test_digests_of_rules_and_learners_follow_helpers(tmp_path):
    (tmp_path / "nim.py").write_text(NIM)
    learner = (
        "from arena_agents.tabular.q_table import QTable\nimport prefs\nclass Mine(QTable):\n    'Mine.'\n"
    )
    (tmp_path / "mine.py").write_text(learner)
    seen = set()
    for n in (1, 2, 2):
        (tmp_path / "prefs.py").write_text(RULES + f"N = {n}\n")
        (game,) = read(str(tmp_path / "nim.py")).classes().values()
        (cls,) = read(str(tmp_path / "mine.py")).classes().values()
        seen.add((rules_digest(game()), code_digest(cls, {})))
    assert len(seen) == len({one for one, _ in seen}) == len({other for _, other in seen}) == 2
