"""Agents and games from files: whose they are, what they are called, and what goes wrong with them."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
from pathlib import Path

import pytest

import arena
from arena.calls.arguments import known_with
from arena.errors import ArenaError
from arena.registry.file_offers import all_at, all_in, opened
from arena.registry.files import (
    File,
    Reference,
    from_folder,
    options_around,
    placed,
    references,
    without_paths,
)
from commands import arena as run
from commands import ended, inside
from page_data import page_text
from records import query, rows
from tiers import tiers

LAST = """
from arena import Agent

class Last(Agent):
    def choose(self, state, moves, rng):
        return moves[-1]
"""
TWO = (
    LAST
    + """
class Any(Agent):
    "Plays any move."

    def choose(self, state, moves, rng):
        return rng.choice(moves)
"""
)
OPTIONS = """
from typing import Literal
from arena import Agent, Spec, option

class Many(Agent):
    "Has options of all kinds."

    depth: int = option(2, "how deep", low=1, high=9)
    share: float = option(0.5, "how much")
    loud: bool = option(False, "whether it is loud")
    side: Literal["left", "right"] = option("left", "which side")
    words: tuple[str, ...] = option(("a", "b"), "some words")
    most: int | None = option(None, "how many at most")
    teacher: Spec = option("first", "who says what to play", kind="agent")

    def prepare(self):
        self.other = self.teacher.make(self.game)

    def choose(self, state, moves, rng):
        return self.other.choose(state, moves, rng)
"""
NIM = """
from arena import Agent, Game, option

class Nim(Game):
    "Take one to three of a heap; whoever takes the last wins."

    heap: int = option(21, "how much there is", low=1, high=1000)
    max_moves = 3
    alternating = True

    @property
    def max_plies(self):
        return self.heap

    def initial(self):
        return (self.heap, 0)

    def moves(self, state):
        for n in range(1, 4):
            if n <= state[0]:
                yield n

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1

class Expert(Agent):
    def choose(self, state, moves, rng):
        return state[0] % 4 or rng.choice(moves)
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes files into the current folder, which is the test's."""
    monkeypatch.chdir(tmp_path)

    def files(**sources: str) -> None:
        for name, source in sources.items():
            path = tmp_path / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(source)

    return files


@pytest.mark.parametrize(
    ("text", "found", "known"),
    [
        ("alice.py", [("alice.py", "")], "alice.py"),
        ("bots/alice.py:depth=3", [("bots/alice.py", "")], "alice.py:depth=3"),
        ("../a b/two.py::Bob:n=1", [("../a b/two.py", "Bob")], "two.py::Bob:n=1"),
        ("psv:learner=(x/l.py:n=2),n=1", [("x/l.py", "")], "psv:learner=(l.py:n=2),n=1"),
        ("/a/b.py,c/d.py", [("/a/b.py", ""), ("c/d.py", "")], "b.py,d.py"),
        ("minimax:depth=3", [], "minimax:depth=3"),
        ("copy.python", [], "copy.python"),
    ],
)
def test_files_in_the_text_of_an_entry(text, found, known):
    assert references(text) == [Reference(*one) for one in found]
    assert without_paths(text) == known


def test_paths_are_put_back_by_name_and_from_a_folder(tmp_path):
    assert placed("two.py::Bob:n=1", {"two.py": "bots/two.py"}) == "bots/two.py::Bob:n=1"
    assert placed("first", {"first.py": "x.py"}) == "first"
    (tmp_path / "here.py").touch()
    assert from_folder("here.py:n=1", tmp_path) == f"{tmp_path}/here.py:n=1"
    assert from_folder("elsewhere.py", tmp_path) == "elsewhere.py"


@pytest.mark.slow
def test_an_agent_from_a_file_plays_as_the_same_class_does_here(write):
    write(bots__last=LAST)
    namespace = {"__name__": "last"}
    exec(LAST, namespace)
    found = arena.match("bots/last.py", "random", matches=20, seed=3)
    expected = arena.match("bots/last.py", "random", matches=20, seed=3, isolate=False, executor="serial")
    assert [row.to_dict() for row in found.pairings] == [row.to_dict() for row in expected.pairings]
    assert {row.first for row in found.pairings} == {"last.py", "random"}
    assert sum(row.forfeits for row in found.pairings) == 0


@pytest.mark.slow
def test_options_of_a_file_are_read_and_told_as_any(write):
    write(many=OPTIONS)
    given = "many.py:depth=3,share=.25,loud=yes,side=right,words=x,y,most=7,teacher=(minimax:depth=1)"
    (offer,) = opened([("agent", Reference("many.py"))])
    assert offer.help == "Has options of all kinds."
    assert {name: one.describe() for name, one in offer.load().options.items()} == {
        "depth": "a whole number from 1 to 9",
        "share": "a number",
        "loud": "true | false",
        "side": "left | right",
        "words": "a list, each text",
        "most": "a whole number or none",
        "teacher": "an agent",
    }
    found = arena.match(given, "many.py", matches=2, seed=1)
    text = "many.py:depth=3,share=0.25,loud=true,side=right,words=x,y,most=7,teacher=(minimax:depth=1)"
    assert {row.first for row in found.pairings} == {text, "many.py"}
    for wrong, said in [
        ("depth=10", "option 'depth' of many.py takes a whole number from 1 to 9, not '10'"),
        ("side=up", "option 'side' of many.py takes left | right, not 'up'"),
        ("deep=1", "many.py has no option 'deep', did you mean 'depth'?"),
        ("teacher=nobody", "option 'teacher' of many.py: no agent called 'nobody'"),
    ]:
        with pytest.raises(ArenaError) as error:
            arena.match(f"many.py:{wrong}", "random")
        assert str(error.value).startswith(said)


@pytest.mark.slow
def test_a_file_is_not_run_in_the_process_of_whoever_names_it(write):
    mark = "from arena.sandbox import confined\nassert confined(), 'outside a sandbox'\n"
    write(apart=mark + LAST)
    found = arena.tournament(["apart.py", "random"], rounds=1, seed=1)
    assert found.played == 2
    assert found.forfeits == []


FAULTS = {
    "no agent here": ("import arena\n", "{}.py has no agent: no finished subclass of arena.Agent"),
    "a mere base": (
        "from arena import Agent\nclass Base(Agent): pass\n",
        "{}.py has no agent: Base has no 'choose'; write it",
    ),
    "its own class": (
        "class Mine:\n    def choose(self, state, moves, rng): return moves[0]\n",
        "{}.py has no agent: no finished subclass of arena.Agent; Mine is not a subclass of arena.Agent",
    ),
    "a game": (
        "from arena import Game\nclass Nim(Game):\n    initial = moves = play = lambda self, *given: ()\n",
        "{}.py has no agent: no finished subclass of arena.Agent; Nim is one of arena.Game",
    ),
    "no such module": ("\nimport nothing_there\n", "{}.py:2: ModuleNotFoundError: No module named"),
    "no Python": ("x = 1\ndef f(:\n", "{}.py:2: SyntaxError: invalid syntax"),
    "raises": ("def f():\n    return 1 / 0\n\nf()\n", "{}.py:2: ZeroDivisionError: division by zero"),
    "ends": (
        "import os\nos._exit(7)\n",
        "{}.py: the process ended itself with status 7 while being imported",
    ),
    "exits": ("import sys\nsys.exit('enough')\n", "{}.py:2: SystemExit: enough"),
    "crashes": (
        "import ctypes\nctypes.string_at(0)\n",
        "{}.py: the process was ended by SIGSEGV while being imported",
    ),
    "sends a lot": (
        "print('x' * 10**7)\nraise ValueError('y' * 10**6 + '\\x1b[31m')\n",
        "{}.py:2: ValueError: yyy",
    ),
    "wrong option": (
        "from arena import Agent, option\nclass A(Agent):\n    n = option(1, 'x')\n"
        "    def choose(self, s, m, r): return m[0]\n",
        "{}.py:2: TypeError: option 'n' of A needs an annotation",
    ),
    "an option of a type that there is not": (
        "from arena import Agent, option\nclass A(Agent):\n    n: list = option([1], 'x')\n",
        "{}.py:2: TypeError: option 'n' of A is of type list; write tuple[int, ...]",
    ),
    "choices": (
        "from arena import Agent, option\nclass A(Agent):\n    n: str = option('a', 'x', choices='ab')\n",
        "{}.py:3: TypeError: option() takes no choices='ab'; write them as the annotation, "
        'such as Literal["a", "b"]',
    ),
    "a program": (
        "import sys\nfor line in sys.stdin: print(line)\n",
        "{0}.py:2: it reads its standard input, as programs do; "
        "enter a program as 'engine:command=python3 {0}.py'",
    ),
    "a program that asks": (
        "print(input())\n",
        "{0}.py:1: it reads its standard input, as programs do; "
        "enter a program as 'engine:command=python3 {0}.py'",
    ),
    "choose misspelt": (
        "from arena import Agent\nclass Mine(Agent):\n    def chose(self, s, m, r): return m[0]\n",
        "{}.py has no agent: Mine has no 'choose'; rename 'chose'",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_with_a_file_is_told_with_its_line(write, name):
    source, said = FAULTS[name]
    write(faulty=source)
    with pytest.raises(ArenaError) as error:
        arena.match("faulty.py", "random")
    assert str(error.value).startswith(said.format("faulty"))
    assert len(str(error.value)) < 600
    assert "\x1b" not in str(error.value)


def test_a_file_that_is_no_file_of_agents(write, tmp_path):
    for text, said in [
        ("none.py", "there is no file none.py; pass its path, or set ARENA_PLUGINS to its folder"),
        ("latin.py", "latin.py is not UTF-8 text; pass a Python file"),
        ("folder.py", "cannot read folder.py: it is a folder"),
        ("two.py", "two.py has several agents, Last, Any; choose one: two.py::Last"),
        ("two.py::An", "two.py has no agent 'An', did you mean 'Any'?"),
        ("base.py::Base", "base.py has no agent: Base has no 'choose'; write it"),
        ("last.py::", "'last.py::': ':' is not of the form key=value"),
    ]:
        (tmp_path / "latin.py").write_bytes(b"x = '\xe9'")
        (tmp_path / "folder.py").mkdir(exist_ok=True)
        write(two=TWO, last=LAST, base=LAST + "class Base(Agent): pass\n")
        with pytest.raises(ArenaError) as error:
            arena.match(text, "random")
        assert str(error.value).startswith(said), text


def test_two_files_of_one_name_are_refused(write):
    write(a__bot=LAST, b__bot=LAST)
    with pytest.raises(ArenaError, match=r"would both be called bot\.py; rename one"):
        arena.match("a/bot.py", "b/bot.py")


@pytest.mark.slow
def test_all_agents_of_files_are_entered_and_what_cannot_be_is_left_out(write, tmp_path):
    write(bots__last=LAST, bots__two=TWO, bots__cut="def f(:\n", bots__none="x = 1\n")
    done = inside(
        tmp_path, "tournament", "bots/last.py", "bots/two.py", "bots/cut.py", "bots/none.py",
        "--entry", "random", "--rounds", "1", "--seed", "1",
    )  # fmt: skip
    names = [name for (name,) in query(tmp_path / "arena.db", "SELECT name FROM entries ORDER BY name")]
    assert names == ["last.py", "random", "two.py::Any", "two.py::Last"]
    left_out = [line for line in done.stderr.splitlines() if "left out" in line]
    assert left_out == [
        "Warning: cut.py is left out: bots/cut.py:1: SyntaxError: invalid syntax",
        "Warning: none.py is left out: bots/none.py has no agent: no finished subclass of arena.Agent",
    ]
    shown = inside(tmp_path, "tournaments", "show", "1").stdout
    assert "  files: last.py (bots/last.py), two.py (bots/two.py)\n" in shown
    assert "  isolate: last.py, two.py::Last, two.py::Any\n" in shown
    assert "  stall_seconds: 10.0\n" in shown


@pytest.mark.slow
def test_agents_and_files_are_entered_by_name(write, tmp_path):
    write(two=TWO, last=LAST)
    inside(tmp_path, "tournament", "two.py::Any", "L=last.py", "random", "--entry", "first", "--rounds", "1")
    names = [name for (name,) in query(tmp_path / "arena.db", "SELECT name FROM entries ORDER BY name")]
    assert names == ["first", "last.py", "random", "two.py::Any"]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["two.py", "randm"], "no agent called 'randm', did you mean 'random'?"),
        (
            ["two.py", "bots/x"],
            "'bots/x' is not a name with options, such as 'minimax:ties=first', nor a file",
        ),
        (["a.toml", "two.py", "b.toml"], "takes one tournament file, not a.toml and b.toml"),
        (["none.py"], "there is no file none.py; pass its path, or set ARENA_PLUGINS to its folder"),
        (["two.py", "--resume"], "--resume keeps the tournament's settings; remove two.py"),
    ],
)
def test_what_is_no_file_of_agents_is_one_line(write, tmp_path, files, said):
    write(two=TWO)
    done = ended(tmp_path, "tournament", *files)
    assert done.returncode in (1, 2)
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {said}")
    assert not (tmp_path / "arena.db").exists()


@pytest.mark.slow
def test_a_learner_among_many_files_learns_sandboxed_and_plays(write, tmp_path):
    """It learns in no process that may write a file beside its own."""
    mark = "try:\n    open(__file__ + '.ran', 'w').close()\nexcept OSError:\n    pass\n"
    mine = "from arena_agents.tabular.q_table import QTable\nclass Mine(QTable):\n    ''\n    episodes = 3\n"
    write(last=LAST, mine=mark + mine)
    args = ("last.py", "mine.py", "--entry", "random", "--rounds", "1", "--json")
    done = inside(tmp_path, "tournament", *args)
    assert "left out" not in done.stderr
    rows = json.loads(done.stdout)["leaderboard"]
    assert {row["entry"]: row["forfeits"] for row in rows} == {"last.py": 0, "mine.py": 0, "random": 0}
    assert not (tmp_path / "mine.py.ran").exists()


@pytest.mark.slow
def test_a_tournaments_file_names_files_from_where_it_lies(write, tmp_path):
    write(course__bots=TWO)
    (tmp_path / "course" / "t.toml").write_text(
        'entries = ["bots.py::Last", "random"]\nrounds = 1\nseed = 1\n'
    )
    inside(tmp_path, "tournament", "course/t.toml")
    assert ("bots.py::Last",) in query(tmp_path / "arena.db", "SELECT name FROM entries")


@pytest.mark.parametrize("name", ["bot,2.py", "bot (1).py", "b=2.py", "x/bot,2.py"])
def test_a_file_that_no_entry_can_name_is_told_whole(write, tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(LAST)
    for text in (name, f"{name}:depth=3", f"{name}::Last"):
        with pytest.raises(ArenaError, match=f"^{re.escape(repr(name))} has one of , = .* rename it$"):
            known_with([text])


def test_among_many_files_it_is_left_out(write):
    write(ok=LAST, **{"bot (1)": LAST, "b:2": LAST})
    offers, left_out = all_in([File.read(f"{name}.py") for name in ("ok", "bot (1)", "b:2")])
    assert [offer.name for offer in offers] == ["ok.py"]
    assert {name: why.partition(" has ")[0] for name, why in left_out.items()} == {
        "bot (1).py": "'bot (1).py'", "b:2.py": "'b:2.py'",
    }  # fmt: skip


def test_a_file_is_read_as_python_reads_it(write, tmp_path):
    for name, code, line in (
        ("cookie", "latin-1", "# -*- coding: latin-1 -*-"),
        ("mark", "utf-8-sig", "# a mark"),
    ):
        (tmp_path / f"{name}.py").write_bytes(f"{line}\r\n# Müller\r\n{LAST}".encode(code))
        assert File.read(f"{name}.py").text == f"{line}\n# Müller\n{LAST}"
    offers, left_out = all_at(["cookie.py", "mark.py"])
    assert ([offer.name for offer in offers], left_out) == (["cookie.py", "mark.py"], {})


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes there")
def test_what_cannot_be_read_is_left_out_of_many(write, tmp_path):
    write(ok=LAST)
    Path("dangling.py").symlink_to("nowhere.py")
    Path("latin.py").write_bytes(b"# M\xfcller\n")
    os.mkfifo("pipe.py")
    os.close(os.open(b"\xff.py", os.O_CREAT))
    names = ["dangling.py", "latin.py", "ok.py", "pipe.py", os.fsdecode(b"\xff.py")]
    offers, left_out = all_at(names)
    assert [offer.name for offer in offers] == ["ok.py"]
    assert left_out == {
        "dangling.py": "there is no file dangling.py; pass its path, or set ARENA_PLUGINS to its folder",
        "latin.py": "latin.py is not UTF-8 text; pass a Python file",
        "pipe.py": "cannot read pipe.py: it is a pipe, a socket or a device, not a file",
        r"\udcff.py": r"\udcff.py has a name that is not UTF-8 text; rename it",
    }
    found = arena.tournament(["random"], agents=names, game="tic-tac-toe", rounds=1, progress=False)
    assert {row.entry for row in found.leaderboard.rows} == {"random", "ok.py"}
    with pytest.raises(ArenaError, match=r"cannot read pipe\.py: it is a pipe"):
        all_at(["pipe.py"])


WITHOUT_END = """
import os
import time
for number in range(3, 64):
    try:
        os.write(number, bytes([0, 0, 16, 0, 120]))
    except OSError:
        pass
time.sleep(600)
"""


@pytest.mark.slow
def test_a_file_that_says_something_without_end_is_left_out(tmp_path, monkeypatch):
    """It writes where what it holds is told, as if 4,096 bytes followed.

    One that is done while it is listened to is in time.
    """
    monkeypatch.chdir(tmp_path)
    for name, text in (("ok", f"import time\ntime.sleep(3)\n{LAST}"), ("hang", WITHOUT_END)):
        (tmp_path / f"{name}.py").write_text(text)
    offers, left_out = all_in([File.read(f"{name}.py") for name in ("hang", "ok")])
    assert [offer.name for offer in offers] == ["ok.py"]
    assert "takes over 10 s to import" in str(left_out)


@pytest.mark.slow
def test_files_are_looked_for_in_the_folders_that_are_always_looked_in(write, tmp_path, monkeypatch):
    write(course__last=LAST)
    monkeypatch.setenv("ARENA_PLUGINS", f"{tmp_path}/nothing:{tmp_path}/course")
    assert File.read("last.py").path == f"{tmp_path}/course/last.py"
    assert arena.match("last.py", "first", matches=2, seed=1).played == 2


def stopped(tmp_path):
    """A tournament that lacks its last matches."""
    with sqlite3.connect(tmp_path / "arena.db") as db:
        db.execute("DELETE FROM matches WHERE number > 3")
        db.execute("DELETE FROM elo")
        db.execute("UPDATE pairings SET (wins, draws, losses) = (0, 0, 0)")
        for name, result in (("wins", 1), ("draws", 0), ("losses", -1)):
            db.execute(
                f"UPDATE pairings SET {name} = (SELECT count(*) FROM matches m WHERE m.first = pairings.first"
                f" AND result = {result})"
            )
        db.execute("UPDATE tournaments SET finished = NULL")
    db.close()


@pytest.mark.slow
def test_it_is_gone_on_with_where_it_was_and_other_code_is_refused(write, tmp_path):
    write(bots__any=TWO.replace("class Last", "class _Last"))
    inside(tmp_path, "tournament", "bots/any.py", "--entry", "random", "--rounds", "4", "--seed", "1")
    expected = rows(tmp_path / "arena.db")["matches"]
    stopped(tmp_path)
    path = tmp_path / "bots" / "any.py"
    text = path.read_text()
    path.write_text(text.replace("rng.choice(moves)", "rng.choice(moves[1:] or moves)"))
    refused = inside(tmp_path, "tournament", "--resume", status=1).stderr
    assert refused.startswith("Error: tournament 1 was begun with different code of 'any.py', ")
    path.rename(tmp_path / "any.py")
    refused = inside(tmp_path, "tournament", "--resume", status=1).stderr
    assert refused.startswith("Error: there is no file bots/any.py")
    path.write_text("# the same, with a comment\n" + text)
    inside(tmp_path, "tournament", "--resume")
    assert rows(tmp_path / "arena.db")["matches"] == expected


def code(kind, text):
    (offer,) = opened([(kind, Reference(text))])
    return offer.plugin.version


def test_the_code_of_a_file_is_its_own_and_that_beside_it(write, tmp_path):
    write(last="from helpers import nothing\nfrom folder.inner import x\n" + LAST, helpers="nothing = 0\n")
    write(folder__inner="from . import other\nx = 1\n", folder__other="y = 1\n", unrelated="z = 1\n")
    before = code("agent", "last.py")
    write(last="from helpers import nothing\nfrom folder.inner import x\n# more\n" + LAST)
    write(unrelated="z = 2\n")
    assert code("agent", "last.py") == before
    changed = {before}
    for name in ("helpers", "folder__inner", "folder__other"):
        write(**{name: "from . import other\nx = 2\n" if name == "folder__inner" else "nothing = y = 3\n"})
        changed.add(code("agent", "last.py"))
    assert len(changed) == 4


@pytest.mark.parametrize("compiled", ["0", pytest.param("1", marks=pytest.mark.slow)])
def test_a_game_from_a_file_is_played(write, tmp_path, compiled):
    write(nim=NIM)
    args = ("nim.py", "random", "--game", "nim.py:heap=9", "--matches", "40", "--seed", "1", "--json")
    done = json.loads(run(tmp_path, "match", *args, ARENA_COMPILED=compiled).stdout)
    assert done["game"] == "nim.py:heap=9"
    first = next(row for row in done["pairings"] if row["first"] == "nim.py")
    assert (first["wins"], first["losses"]) == (20, 0)  # nine is no multiple of four: first wins
    assert "1 3\n2 9\n" in inside(tmp_path, "perft", "nim.py", "2").stdout
    assert "runs compiled" in run(tmp_path, "games", "nim.py", ARENA_COMPILED="1").stdout


@pytest.mark.slow
def test_blunders_and_replies_are_known_in_a_game_from_a_file(write, tmp_path):
    """It is looked for where it was, and else where it is said to be."""
    write(nim=NIM)
    how = {"progress": False, "executor": "serial"}
    arena.tournament(["random", "first"], game="nim.py:heap=5", rounds=2, seed=1, **how)
    (found,) = arena.leaderboard(blunders=True, worst=1, progress=False)
    assert {row.entry: (row.expected_loss is None, row.worst_exact) for row in found.rows} == {
        "first": (False, True), "random": (False, True),
    }  # fmt: skip
    (tmp_path / "sub").mkdir()
    (tmp_path / "nim.py").rename(tmp_path / "sub" / "nim.py")
    with pytest.raises(ArenaError, match=r"there is no file nim\.py; pass its path"):
        arena.leaderboard(blunders=True, progress=False)
    (again,) = arena.leaderboard("sub/nim.py:heap=5", blunders=True, progress=False)
    assert [row.blunder_rate for row in again.rows] == [row.blunder_rate for row in found.rows]


@pytest.mark.slow
def test_a_page_of_a_leaderboard_draws_a_game_from_a_file_that_is_named_and_runs_no_other(write, tmp_path):
    write(nim=NIM)
    arena.tournament(
        ["random", "first"], game="nim.py:heap=5", rounds=1, seed=1, progress=False, executor="serial"
    )
    undrawn = "the version of the game that was played is not installed"

    def page(*words):
        run(tmp_path, "leaderboard", *words, "--html", "page.html")
        return page_text((tmp_path / "page.html").read_text())

    write(nim=f"{NIM}\ntry:\n    open(__file__ + '.ran', 'w').close()\nexcept OSError:\n    pass\n")
    assert undrawn in page()
    assert not (tmp_path / "nim.py.ran").exists()
    write(nim=NIM)
    assert undrawn not in page("nim.py:heap=5")
    (tmp_path / "sub").mkdir()
    (tmp_path / "nim.py").rename(tmp_path / "sub" / "nim.py")
    assert undrawn not in page("sub/nim.py:heap=5")


@pytest.mark.slow
def test_a_learner_from_a_file_learns_first(write, tmp_path):
    write(mine="from arena_agents.tabular.q_table import QTable\n\nclass Mine(QTable):\n    'Mine.'\n")
    models = {"ARENA_MODELS": str(tmp_path / "models")}
    done = inside(tmp_path, "match", "mine.py:episodes=20", "random", "--matches", "4", "--json", **models)
    assert [row["forfeits"] for row in json.loads(done.stdout)["pairings"]] == [0, 0]
    assert [*(tmp_path / "models").rglob("*.npz")]  # it was trained
    again = inside(tmp_path, "train", "mine.py:episodes=20", "--json", **models)
    assert json.loads(again.stdout)["episodes"] == 20


@pytest.mark.parametrize(
    ("before", "options"),
    [
        ("", []),
        ("engine:command=", [("engine", "command")]),
        ("engine:command=./bot --set a,", [("engine", "command")]),
        ("engine:restart=true,command=python3 ", [("engine", "command")]),
        ("engine:command=(./bot --set a=1,b=", [("engine", "command")]),
        ("psv:learner=(q-table:opponent=", [("q-table", "opponent"), ("psv", "learner")]),
        ("q-table:opponent=(engine:command=", [("engine", "command"), ("q-table", "opponent")]),
        ("x:a=(b:c=1,d=2),e=", [("x", "e")]),
        ("x:some-list=(a,", [("x", "some_list")]),
    ],
)
def test_it_is_known_in_which_options_a_text_stands(before, options):
    assert list(options_around(before)) == options


@pytest.mark.parametrize("piece", ["a", "a,", "a.py,", "a=b.py:", "((),", "a-", " ", "q-table:opponent=("])
def test_a_text_without_end_names_nothing(piece):
    """Its parts are not looked at, which would take minutes."""
    text = "minimax:" + piece * (80_000 // len(piece))
    for entries in ([text, "random"], ["random", f"bot={text}"], {"bot": text, "other": "random"}):
        with pytest.raises(ArenaError, match=r"has [78]\d,\d+ characters; a name may have up to 8,192$"):
            arena.tournament(entries, executor="serial", progress=False)
    with pytest.raises(ArenaError, match="characters; a name may"):
        arena.match("random", "first", game=text, executor="serial", progress=False)


def test_a_file_in_an_option_that_takes_any_text_is_no_agent():
    text = "q-table:opponent=(engine:command=python3 bots/bot.py,folder=a.py)"
    assert references(text) == []
    assert without_paths(text) == text
    assert without_paths("q-table:opponent=bots/bot.py") == "q-table:opponent=bot.py"


@pytest.mark.slow
def test_an_option_of_a_file_may_have_to_be_given(tmp_path):
    (tmp_path / "needy.py").write_text(
        "from arena import Agent, option\n"
        "class Needy(Agent):\n"
        "    depth: int = option(0, 'plies', required=True)\n"
        "    def choose(self, state, moves, rng): return moves[0]\n"
    )
    done = inside(tmp_path, "match", "needy.py", "random", status=1)
    assert done.stderr == "Error: needy.py needs the option 'depth', plies; write 'needy.py:depth=…'\n"
    inside(tmp_path, "match", "needy.py:depth=2", "random", "--matches", "2")


ODD_DEFAULTS = {
    "a program": (
        "opponent = 'engine:command=true'",
        "is engine:command=true by default, which is not possible in the sandbox",
    ),
    "a person": ("opponent = 'human'", "is human by default, which is not possible in the sandbox"),
    "a program within a learner": (
        "opponent = 'q-table:opponent=(uci:command=true)'",
        "by default, which is not possible in the sandbox",
    ),
    "a crowd": ("seeds = 40", "Mine enters several learners; name it: "),
    "somebody": ("interactive = True", "Mine plays at the terminal, which the sandbox does not have"),
}


@pytest.mark.parametrize("what", tiers(ODD_DEFAULTS, quick=["a program within a learner"]))
def test_what_a_file_has_by_default_starts_no_program_and_enters_no_crowd(write, what):
    body, said = ODD_DEFAULTS[what]
    head = "from arena_agents.tabular.q_table import QTable\nclass Mine(QTable):\n    ''\n    "
    write(bots__mine=head + body + "\n", bots__last=LAST)
    offers, left_out = all_at(["bots"])
    assert [offer.name for offer in offers] == ["last.py"]
    assert said in left_out["mine.py"]


def test_files_of_one_name_that_cannot_be_read_are_an_error(tmp_path):
    paths = [tmp_path / folder / "bot.py" for folder in ("a", "b")]
    with pytest.raises(ArenaError, match=r"bot\.py"):
        arena.tournament(agents=paths, game="tic-tac-toe", db=tmp_path / "arena.db")
