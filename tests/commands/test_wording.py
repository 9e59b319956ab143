"""Whoever calls Python is told of its arguments and calls, whoever types a command of its options."""

from __future__ import annotations

import ast
import os
import re
import sqlite3
from contextlib import closing
from functools import cache
from importlib import import_module
from pathlib import Path

import click
import pytest

import arena
from arena.cli.commands import cli
from arena.texts import argument, at_the_command_line, call, either
from arena.workers.loop import asked_of
from arena.workers.pools import Serial, Threads
from arena.workers.processes import Processes
from arguments import arguments_of
from commands import inside

GAME = "tic-tac-toe"
HOME = Path(arena.__file__).parent


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ARENA_DB", raising=False)


@pytest.mark.parametrize(
    ("told", "typed", "called"),
    [
        (lambda: argument("db"), "--db", "db="),
        (lambda: argument("keep_going", True), "--keep-going", "keep_going=True"),
        (lambda: argument("max_plies", 100), "--max-plies 100", "max_plies=100"),
        (lambda: argument("openings", "random:N"), "--openings random:N", 'openings="random:N"'),
        (lambda: argument("db", 'a "b".db'), "--db 'a \"b\".db'", "db='a \"b\".db'"),
        (lambda: call("tournament"), "arena tournament", "arena.tournament()"),
        (
            lambda: call("tournaments show", 3, db="my own.db"),
            "arena tournaments show 3 --db 'my own.db'",
            'arena.tournaments.show(3, db="my own.db")',
        ),
        (
            lambda: call("train", "psv:learner=(q-table)", game=GAME, retrain=None),
            f"arena train 'psv:learner=(q-table)' --game {GAME}",
            f'arena.train("psv:learner=(q-table)", game="{GAME}")',
        ),
        (lambda: either("--seed N", "seed=N"), "--seed N", "seed=N"),
    ],
)
def test_python_is_who_asks_but_at_the_command_line(told, typed, called):
    assert told() == called
    with at_the_command_line():
        assert told() == typed
    assert told() == called


@pytest.mark.parametrize("executor", [Serial, Threads, Processes])
def test_what_a_worker_tells_is_told_as_asked(executor):
    with executor(1) as pool:
        for _ in range(2):  # of one worker, which serves either
            assert asked_of(pool, argument, "db").result() == "db="
            with at_the_command_line():
                assert asked_of(pool, argument, "db").result() == "--db"


# --- what is told, by a call and by a command that come to the same -----------------------------------------


def played():
    arena.tournament(["random", "first"], game=GAME, rounds=1, seed=1, executor="serial")


def of_three():
    arena.tournament(["random", "first", "minimax"], game=GAME, rounds=1, seed=1, executor="serial")


def text_file():
    Path("text.db").write_text("no database " * 100)


def others_database():
    with closing(sqlite3.connect("theirs.db")) as db:
        db.execute("CREATE TABLE theirs (x)")


def cut_off():
    played()
    os.truncate("arena.db", 5000)


def toml():
    Path("t.toml").write_text(f'game = "{GAME}"\nshard = "1/2"\n')


def toml_of_matches():
    Path("t.toml").write_text(f'game = "{GAME}"\nmatches = 3\n')


def there():
    Path("there").mkdir()


def nothing():
    pass


def two(*args: str) -> tuple[str, ...]:
    return ("tournament", "--game", GAME, "--entry", "random", "--entry", "minimax", *args)


BOTH = ["random", "minimax"]
Q = f"arena train q-table:episodes=7 --game {GAME}"
Q_CALL = f'arena.train("q-table:episodes=7", game="{GAME}")'

TOLD = {
    "no folder": (
        nothing, lambda: arena.tournament(BOTH, game=GAME, db="none/x.db"), two("--db", "none/x.db"),
        "there is no folder none; create it, or use {}", "--db", "db=",
    ),
    "no database": (
        nothing, lambda: arena.leaderboard(), ("leaderboard",),
        "there is no database arena.db; play a tournament first, or use {}", "--db", "db=",
    ),
    "a folder": (
        there, lambda: arena.leaderboard(db="there"), two("--db", ""),
        "a folder, not a database; name a file with {}|", "--db", "db=",
    ),
    "in memory": (
        nothing, lambda: arena.tournament(BOTH, game=GAME, db=":memory:"), two("--db", ":memory:"),
        "results would be lost; name a file with {}", "--db", "db=",
    ),
    "no database's file": (
        text_file, lambda: arena.leaderboard(db="text.db"), ("leaderboard", "--db", "text.db"),
        "text.db is not a database; use {} for another file", "--db", "db=",
    ),
    "another's database": (
        others_database, lambda: arena.leaderboard(db="theirs.db"), ("leaderboard", "--db", "theirs.db"),
        "but not arena's; use {} for another file", "--db", "db=",
    ),
    "a damaged database": (
        cut_off, lambda: arena.tournaments.list(), ("tournaments", "list"),
        "restore it from a backup, or use {} for another", "--db", "db=",
    ),
    "one entry": (
        nothing, lambda: arena.tournament(["random"], game=GAME), ("tournament", "--entry", "random"),
        "there is only 'random'; {}", "add --entry NAME", "name another",
    ),
    "sprt": (
        nothing, lambda: arena.tournament(BOTH, game=GAME, format="sprt"), two("--format", "sprt"),
        "sprt is a test between two entries; play {}",
        "'arena match A B --sprt LOW,HIGH'", "arena.match(A, B, sprt=(LOW, HIGH))",
    ),
    "swiss": (
        nothing, lambda: arena.tournament(BOTH, game=GAME, format="swiss"), two("--format", "swiss"),
        "swiss: 2 entries can meet only once; use {}", "--format round-robin", 'format="round-robin"',
    ),
    "a shard": (
        nothing, lambda: arena.tournament(BOTH, game=GAME, shard="1/2"), two("--shard", "1/2"),
        "the same on all machines; add {}", "--seed N", "seed=N",
    ),
    "a file's shard": (
        toml, lambda: arena.tournament(file="t.toml"), ("tournament", "t.toml"),
        "'shard' differs from machine to machine; set it with {}", "--shard", "shard=",
    ),
    "a file's matches": (
        toml_of_matches, lambda: arena.tournament(file="t.toml"), ("tournament", "t.toml"),
        "'matches' is for '{}'; a tournament has 'rounds'", "arena match", "arena.match",
    ),
    "a game for a file": (
        nothing, lambda: arena.tournament(file=GAME), ("tournament", GAME),
        "is a game, not a file; write {}", f"--game {GAME}", f'game="{GAME}"',
    ),
    "an agent for a file": (
        nothing, lambda: arena.tournament(file="minimax"), ("tournament", "minimax"),
        "is an agent, not a file; write {}", "--entry minimax", 'entries=["minimax"]',
    ),
    "a point beyond": (
        nothing, lambda: arena.curve("q-table:episodes=9", "c.csv", game=GAME, points=[10]),
        ("train", "q-table:episodes=9", "--game", GAME, "--curve", "c.csv", "--points", "10,"),
        "set episodes=10, or add {}", "--fresh-per-point", "fresh_per_point=True",
    ),
    "too many points": (
        nothing, lambda: arena.curve("q-table:episodes=9", "c.csv", game=GAME, points=500),
        ("train", "q-table:episodes=9", "--game", GAME, "--curve", "c.csv", "--points", "500"),
        "for a single point after 500 episodes pass {}", "--points '500,' or points=[500]", "points=[500]",
    ),
    "a scaffold": (
        there, lambda: arena.new("agent", "bird", folder="there"),
        ("new", "agent", "bird", "--folder", "there"),
        "there already exists; use another {}, or remove it", "--folder", "folder=",
    ),
    "somebody asked": (
        nothing, lambda: arena.match("human", "random", game=GAME, executor="threads"),
        ("match", "human", "random", "--game", GAME, "--executor", "threads"),
        "which only the executor 'serial' allows; leave {} out", "--executor", "executor=",
    ),
    "somebody checked": (
        nothing, lambda: arena.check("human", game=GAME), ("check", "human", "--game", GAME),
        "play against it: {}", "arena match", "arena.match",
    ),
    "exact": (
        nothing, lambda: arena.exact("random", "first", game="checkers"),
        ("match", "random", "first", "--game", "checkers", "--exact"),
        "without a capture, which depend on more than the position; {}|draws by repetition, which depend on "
        "more than the position; {}", "leave --exact out, and play matches", "play matches instead",
    ),
    "no endings": (
        nothing, lambda: arena.match("random", "first", game="checkers", adjudicate=3),
        ("match", "random", "first", "--game", "checkers", "--adjudicate", "3"),
        "of checkers; create them: {}", "arena endings checkers --pieces 3",
        'arena.endings("checkers", pieces=3)',
    ),
    "none at all": (
        nothing, lambda: arena.match("random", "first", game="checkers", adjudicate=True),
        ("match", "random", "first", "--game", "checkers", "--adjudicate"),
        "of checkers; create them: {}", "arena endings checkers --pieces N",
        'arena.endings("checkers", pieces=N)',
    ),
    "untaught in a sandbox": (
        nothing, lambda: arena.match("q-table:episodes=7", "random", game=GAME, isolate=True),
        ("match", "q-table:episodes=7", "random", "--game", GAME, "--isolate"),
        "only learners from files can learn in the sandbox; train it first: {}", Q, Q_CALL,
    ),
    "no tournament": (
        played, lambda: arena.tournaments.show(9), ("tournaments", "show", "9"),
        "has no tournament 9 (see '{}')", "arena tournaments list", "arena.tournaments.list()",
    ),
    "no model": (
        nothing, lambda: arena.models.show("zzzz"), ("models", "show", "zzzz"),
        "no model 'zzzz' (see '{}')", "arena models list", "arena.models.list()",
    ),
    "two of flesh": (
        nothing, lambda: arena.play("human", game=GAME), ("play", "human", "--game", GAME),
        "for two people at the terminal, use '{}'", "arena match human human",
        'arena.match("human", "human")',
    ),
}  # fmt: skip


def has(text: str, told: str, words: str) -> bool:
    return any(part and part.format(words) in text for part in told.split("|"))


@pytest.mark.parametrize("which", TOLD)
def test_errors_are_in_the_words_of_who_asks(tmp_path, which):
    prepared, asked, typed, told, by_command, by_call = TOLD[which]
    prepared()
    with pytest.raises(arena.ArenaError) as refused:
        asked()
    assert has(str(refused.value), told, by_call)
    assert "--" not in str(refused.value)
    assert has(inside(tmp_path, *typed, status=1).stderr, told, by_command)


def test_results_are_told_in_the_words_of_who_asks(tmp_path):
    of_three()
    seats = "Scores in percent over both seats; {} shows each seat separately."
    found = arena.tournaments.show(1)
    assert seats.format("seats=True") in str(found)
    assert found.hints() == ["'arena.leaderboard(tournament=1)' shows its table."]
    with at_the_command_line():
        assert found.hints() == ["'arena leaderboard --tournament 1' shows its table."]
    assert seats.format("--seats") in inside(tmp_path, "tournaments", "show", "1").stdout


def test_copies_are_told_in_the_words_of_who_asks(tmp_path):
    copies = "Copies repeat others move for move; {} makes them differ."
    found = arena.match("first", "first", game=GAME, matches=4, seed=1, executor="serial")
    assert copies.format('openings="random:N"') in str(found)
    line = ("match", "first", "first", "--game", GAME, "--matches", "4", "--executor", "serial")
    assert copies.format("--openings random:N") in inside(tmp_path, *line).stdout


# --- no message names an option but by `arena.texts` ------------------------------------------------------

OPTION = re.compile(r"(?<![\w-])--[a-z]|'arena [a-z]+")  # an option, or a command that is to be typed
LITERAL = {  # where else texts have one, and why
    "storage/migrations.py": "a comment in SQL, which stays with the schema",
    "commands/openings/call.py": "the first line of a book's file: the command that wrote it",
    "commands/openings/played.py": "likewise",
    "commands/new/call.py": "what to do in a shell, where the package is installed",
    "commands/tune/log.py": "only that command writes and reads these files",
    "faults/tracebacks.py": "recorded with a match, and read by others than who played it",
    "faults/captured_output.py": "likewise",
}


@cache
def modules() -> dict[str, ast.Module]:
    """The source of all but the command line that may have such texts, by path."""
    options = {"rating_options.py", "schedule_options.py", "learner_options.py", "looking.py"}
    typed = {"cli", "templates", "command.py", "conversation.py", *options}
    paths = [path for path in HOME.rglob("*.py") if not typed & {*path.parts}]
    sources = {path.relative_to(HOME).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return {
        path: ast.parse(source)
        for path, source in sources.items()
        if OPTION.search(source) or "arena.texts" in source
    }


def calls_of(tree: ast.Module, name: str) -> list[ast.Call]:
    """Where a module calls one of `arena.texts`."""
    imports = [one for one in tree.body if isinstance(one, ast.ImportFrom) and one.module == "arena.texts"]
    if name not in {each.name for one in imports for each in one.names}:
        return []
    called = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    return [one for one in called if one.func.id == name]


def texts_of(tree: ast.AST) -> list[str]:
    found = [one.value for one in ast.walk(tree) if isinstance(one, ast.Constant)]
    return [value for value in found if isinstance(value, str)]


def texts_outside(tree: ast.Module) -> list[str]:
    """The texts of a module that are neither docstrings nor for `either` to choose from."""
    apart: list[str] = [text for found in calls_of(tree, "either") for text in texts_of(found)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            apart += [ast.get_docstring(node, clean=False) or ""]
    left = texts_of(tree)
    for text in apart:
        if text in left:
            left.remove(text)
    return left


@pytest.mark.slow
def test_no_message_names_an_option_or_a_command_but_by_the_words_of_who_asks():
    found = {path for path, tree in modules().items() if any(map(OPTION.search, texts_outside(tree)))}
    assert found == LITERAL.keys()


def test_a_text_that_names_an_option_is_found():
    named = ast.parse('"""Of --this."""\nx = f"use --db {y}"\nz = "see \'arena plugins\'"\n')
    found = [text for text in texts_outside(named) if OPTION.search(text)]
    assert sorted(found) == ["see 'arena plugins'", "use --db "]
    chosen = ast.parse('from arena.texts import either\nx = either("--db", "db=")')
    assert not any(map(OPTION.search, texts_outside(chosen)))


def callables() -> dict[str, set[str]]:
    """The arguments of what Python users call, `tournaments.show` say, by name."""
    found = {}
    for name in arena.HOMES:
        if arena.HOMES[name].startswith("commands."):
            found[name] = arguments_of(getattr(arena, name))
    for name, module in arena.MODULES.items():
        for inner in import_module(module).__all__:
            found[f"{name}.{inner}"] = arguments_of(getattr(import_module(module), inner))
    return found


def commands(group: click.Group = cli, before: str = "") -> dict[str, set[str]]:
    """The options of each command, `tournaments show` say."""
    found: dict[str, set[str]] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found |= commands(command, f"{before}{name} ")
            if default := getattr(command, "default", None):
                found[before + name] = found[f"{before}{name} {default}"]
        else:
            found[before + name] = {option for one in command.params for option in one.opts}
    return found


def test_arguments_that_are_named_are_those_of_calls_and_options_of_commands():
    known, typed = callables(), commands()
    named = {one.args[0].value for tree in modules().values() for one in calls_of(tree, "argument")}
    assert {"db", "keep_going", "openings"} <= named
    assert named <= {name for one in known.values() for name in one}
    assert {"--" + name.replace("_", "-") for name in named} <= {one for own in typed.values() for one in own}


def test_calls_that_are_named_are_there_in_python_and_at_the_command_line():
    """Where `either` chooses between two, in one of these."""
    known, typed = callables(), commands()
    for tree in modules().values():
        chosen = {id(one) for both in calls_of(tree, "either") for one in ast.walk(both)}
        for one in calls_of(tree, "call"):
            name, given = one.args[0].value, {each.arg for each in one.keywords if each.arg}
            dotted, options = name.replace(" ", "."), {"--" + each.replace("_", "-") for each in given}
            in_python = dotted in known and given <= known[dotted]
            at_the_prompt = name in typed and options <= typed[name]
            assert in_python + at_the_prompt >= (1 if id(one) in chosen else 2), name
