"""The example programs, in C and JavaScript, play rated matches; at fault they pay for themselves alone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections import Counter

import pytest

from commands import arena
from paths import ROOT
from records import check_sums, query, rows
from running import until

FOLDER = ROOT / "examples" / "engines"
C, JS = "engine:command=./bot", "engine:command=node bot.js,deterministic=true"

compiler = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler, cc")
node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


@pytest.fixture
def folder(tmp_path):
    """A folder with the examples, as their README has them built."""
    (build,) = [
        line for line in (FOLDER / "README.md").read_text().splitlines() if line.startswith("    cc ")
    ]
    for name in ("bot.c", "bot.js"):
        shutil.copy(FOLDER / name, tmp_path)
    if shutil.which("cc"):
        subprocess.run([*build.split(), "-Wall", "-Wextra", "-Werror"], cwd=tmp_path, check=True)
    return tmp_path


@compiler
@node
@pytest.mark.slow
def test_the_examples_play_rated_matches(folder):
    names = [word for entry in (C, JS, "random") for word in ("--entry", entry)]
    arena(folder, "tournament", *names, "--rounds", "5", "--seed", "1")
    table = json.loads(arena(folder, "leaderboard", "--json").stdout)
    assert {row["entry"]: row["forfeits"] for row in table} == {C: 0, JS: 0, "random": 0}
    assert all(row["low"] < row["rating"] < row["high"] for row in table)
    before = rows(folder / "arena.db")
    again = ("--rounds", "5", "--seed", "1", "--workers", "1", "--db", "again.db")
    arena(folder, "tournament", *names, *again)
    assert rows(folder / "again.db") == before


@compiler
@node
@pytest.mark.parametrize("game", ["connect-four", "checkers", "checkers-4x4"])
@pytest.mark.slow
def test_the_examples_play_any_game(folder, game):
    done = arena(folder, "match", C, JS, "--game", game, "--matches", "6", "--seed", "1", "--json")
    assert [row["forfeits"] for row in json.loads(done.stdout)["pairings"]] == [0, 0]


def ask(folder, command, *questions):
    """What a program answers."""
    lines = "".join(json.dumps(question, separators=(",", ":")) + "\n" for question in questions)
    done = subprocess.run(command, cwd=folder, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@compiler
def test_the_program_in_c_plays_each_move_as_often_and_reads_any_json(folder):
    """Of 3000 numbers drawn a third is 1000, give or take 130 at five standard errors."""
    odd = {"x": {"moves": ['"', "]"], "y": [[1, {}], -5e3, None, True]}, "a\\": 'b"c'}
    moves = ['a"b\\', "[{,]}", "plain"]
    questions = [
        {"id": i, **odd, "type": "move", "position": '{"moves":["z"]}', "moves": moves, "seed": i}
        for i in range(3000)
    ]
    answers = ask(folder, "./bot", {"type": "begin", "seat": 0}, {"id": -7, "type": "odd"}, *questions)
    assert [answer["id"] for answer in answers] == list(range(3000))
    count = Counter(answer["move"] for answer in answers)
    assert count.keys() == set(moves)
    assert all(870 < n < 1130 for n in count.values())


@node
def test_the_program_in_javascript_plays_the_move_of_the_greatest_hash(folder):
    """FNV-1a of 'foobar' is 0xbf9cf968, by its authors' tables."""
    question = {"id": 3, "type": "move", "position": "fo", "moves": ["o bar", "x"]}
    (answer,) = ask(folder, ["node", "bot.js"], question)
    assert answer["scores"].keys() == set(question["moves"])
    assert answer["move"] == max(answer["scores"], key=answer["scores"].get)
    (answer,) = ask(
        folder, ["node", "bot.js"], {"id": 4, "type": "move", "position": "foo", "moves": ["bar"]}
    )
    assert answer == {"id": 4, "move": "bar", "scores": {"bar": pytest.approx(fnv("foo bar") / 2**32)}}
    assert fnv("foobar") == 0xBF9CF968


def fnv(text):
    found = 0x811C9DC5
    for byte in text.encode():
        found = (found ^ byte) * 0x01000193 % 2**32
    return found


# starts the program that is named, and passes lines on, but for what it is to do wrong
BETWEEN = """#!/usr/bin/env python3
import os, subprocess, sys, time
inner = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    if '"played":["' in line:
        if sys.argv[1] == "kill": inner.kill()
        if sys.argv[1] == "hang": time.sleep(10**6)
    try:
        print(line, end="", file=inner.stdin, flush=True)
    except BrokenPipeError:
        sys.exit("the inner one is gone")
    if '"id"' in line:
        said = inner.stdout.readline() or sys.exit("the inner one is gone")
        if sys.argv[1] == "lie" and '"played":["' in line: said = said.replace('"move":"', '"move":"z')
        print(said, end="", flush=True)
"""


@compiler
@node
@pytest.mark.parametrize(
    ("how", "reason", "detail"),
    [
        ("lie", "illegal move", "'z"),
        pytest.param(
            *("kill", "crash", "./between kill ./bot ended with status 1 after"), marks=pytest.mark.slow
        ),
        pytest.param("hang", "stall", "no move within 2 s: ./between hang ./bot has", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_only_the_matches_of_a_program_at_fault_pay(folder, how, reason, detail):
    (folder / "between").write_text(BETWEEN)
    (folder / "between").chmod(0o755)
    entries = (f"engine:command=./between {how} ./bot", JS, "random")
    found = []
    for db in ("bad.db", "good.db"):
        if db == "good.db":
            (folder / "between").write_text(BETWEEN.replace("sys.argv[1] == ", "None == "))
        names = [word for entry in entries for word in ("--entry", entry)]
        stall = "2" if how == "hang" else "60"
        limits = ("--stall-seconds", stall, "--withdraw-after", "0")
        arena(folder, "tournament", *names, "--rounds", "2", "--seed", "3", *limits, "--db", db)
        check_sums(folder / db)
        sql = "SELECT number, first, second, result, reason, detail, moves FROM results"
        found.append({row[0]: row[1:] for row in query(folder / db, sql)})
    bad, good = found
    for number, (first, second, *played) in good.items():
        if entries[0] not in (first, second):
            assert bad[number] == (first, second, *played)
        else:
            result, why, more, _ = bad[number][2:]
            assert (result, why) == (-1 if first == entries[0] else 1, reason)
            assert more.startswith(detail)
            assert played[1] == "rules"


@compiler
@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="needs /proc")
@pytest.mark.slow
def test_programs_that_are_killed_in_the_middle_change_nothing(folder, launch):
    """By somebody else, so that it does not happen again when their matches are looked at once more."""
    names = ("--entry", C, "--entry", "random", "--rounds", "400", "--seed", "4", "--workers", "2")
    command = launch("tournament", *names)
    killed = 0
    for _ in range(4):
        programs = [pid for pid in command.running() if is_bot(pid)]
        if until(lambda: any(map(is_bot, command.running())), 10):
            programs = [pid for pid in command.running() if is_bot(pid)]
            for pid in programs[:1]:
                os.kill(pid, signal.SIGKILL)
                killed += 1
    done = command.ended()
    assert done.returncode == 0, done.stderr
    assert killed
    arena(folder, "tournament", *names, "--db", "whole.db")
    assert rows(folder / "arena.db")["matches"] == rows(folder / "whole.db")["matches"]


def is_bot(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read() == b"./bot\0"
    except OSError:
        return False
