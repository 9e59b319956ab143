"""Programs by arena's protocol play in the sandbox, too, with whatever they start."""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path

import pytest

import arena
from arena.api.limits import UNLIMITED
from arena.api.spec import Spec
from arena.matches.remote_agent import Child, Remote
from arena.registry.plugins import registry
from arena.sandbox import missing
from arena.workers.worker import Watch

pytestmark = pytest.mark.skipif(bool(missing()), reason="this system lacks a part of the sandbox")

HEAD = """
import json, os, signal, socket, subprocess, sys, time

PATHS = []

def tried():
    done = []
    def attempt(name, act):
        try:
            act()
            done.append(name)
        except OSError:
            pass
    for path in PATHS:
        attempt("read " + path, lambda: open(path).read())
        attempt("write " + path, lambda: open(path, "a"))
    attempt("socket", socket.socket)
    attempt("environment", lambda: open("/proc/self/environ").read())
    attempt("processes", lambda: os.listdir("/proc"))
    attempt("kill", lambda: os.kill(int(os.environ.get("PARENT", "1")), 0))
    attempt("terminal", lambda: open("/dev/tty"))
    attempt("own session", lambda: None if os.setsid() is None and os.getsid(0) != os.getpid() else 1 / 0)
    return [name for name in done if name != "own session"]

def answer(question):
    return question["moves"][0]
"""
LOOP = """
for line in sys.stdin:
    question = json.loads(line)
    if question["type"] == "hello":
        print(json.dumps({"id": question["id"], "protocol": 1}), flush=True)
    if question["type"] == "move":
        print(json.dumps({"id": question["id"], "move": answer(question)}), flush=True)
"""
BURNS = """
def answer(question):
    if os.fork() == 0:
        while True:
            pass
    return question["moves"][0]
"""


@pytest.fixture
def program(tmp_path):
    """Writes a program, and gives the entry that plays it."""

    def write(body: str = "") -> str:
        path = tmp_path / "program.py"
        path.write_text(HEAD + body + LOOP)
        command = shlex.join([sys.executable, "-I", "-S", str(path)])
        return f"engine:command={command},deterministic=true"

    return write


@pytest.mark.slow
def test_it_plays_as_it_does_without(program):
    how = {"game": "tic-tac-toe", "matches": 4, "seed": 1, "progress": False}
    found = [arena.match(program(), "random", isolate=isolate, **how) for isolate in ([program()], False)]
    counts = [
        [(row["wins"], row["draws"], row["losses"]) for row in one.to_dict()["pairings"]] for one in found
    ]
    assert counts[0] == counts[1]
    assert sum(map(sum, counts[0])) == 4
    assert not found[0].forfeits


@pytest.mark.slow
def test_it_reads_and_reaches_nothing(program, tmp_path, monkeypatch):
    secret = tmp_path / "secret.txt"
    secret.write_text("mine")
    monkeypatch.setenv("A_SECRET", "hush")
    body = f"PATHS = [{str(secret)!r}, '/etc/passwd']\n"
    body += "def answer(question): return json.dumps([tried(), [n for n in os.environ if n[:2] == 'A_']])\n"
    how = {"game": "tic-tac-toe", "matches": 2, "seed": 1, "progress": False, "isolate": True}
    (said, *_) = arena.match(program(body), "random", **how).remarks()
    assert "by illegal move: '[[], []]'" in said
    assert secret.read_text() == "mine"


def test_what_it_starts_stands_still_between_questions_and_ends_with_it(program):
    spec, game = (
        registry().spec("agent", program(BURNS)),
        Spec("tic-tac-toe", "arena_games.tic_tac_toe:TicTacToe", {}),
    )
    child = Child(spec, game, UNLIMITED, True)
    try:
        remote, rules = Remote(child, Watch(), (0, 0), 0.0), game.make()
        remote.begin(0)
        state = rules.initial()
        remote.choose(state, rules.moves(state), arena.Rng(1))
        group = processes_of(child.process.pid)
        assert len(group) >= 3  # the agent, what keeps the program, the program, and what that has started
        while any(state_of(pid) not in "TZ" for pid in group):
            time.sleep(0.01)
        used = [processor_ticks(pid) for pid in group]
        time.sleep(0.3)
        assert [processor_ticks(pid) for pid in group] == used
    finally:
        child.close()
    until = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() and state_of(pid) != "Z" for pid in group):
        assert time.monotonic() < until
        time.sleep(0.02)


def fields(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def state_of(pid: int) -> str:
    try:
        return fields(pid)[0]
    except OSError:
        return "Z"


def processor_ticks(pid: int) -> tuple[str, ...]:
    return tuple(fields(pid)[11:13])


def processes_of(group: int) -> list[int]:
    """The processes of a group."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if os.getpgid(int(entry)) == group:
                    found.append(int(entry))
            except OSError:
                pass
    return found


@pytest.mark.slow
def test_a_file_does_not_get_at_what_a_program_may_read(tmp_path):
    """Neither by an option's default nor by one that a database's entry names."""
    secret = tmp_path / "secret.txt"
    secret.write_text("mine")
    reads = (
        "from arena import Agent, Spec, option\n\n"
        "class Reads(Agent):\n    helper: Spec = option({default!r}, 'helps', kind='agent')\n\n"
        "    def choose(self, state, moves, rng):\n"
        f"        return open({str(secret)!r}).read()\n"
    )
    named = f"engine:command=cat {secret}"
    (tmp_path / "default.py").write_text(reads.format(default=named))
    (tmp_path / "given.py").write_text(reads.format(default="first"))
    how = {"game": "tic-tac-toe", "matches": 2, "seed": 1, "progress": False}
    with pytest.raises(arena.ArenaError, match=r"option 'helper' of default\.py is engine:command="):
        arena.match(f"{tmp_path}/default.py", "first", **how)
    (said, *_) = arena.match(f"{tmp_path}/given.py:helper=({named})", "first", **how).remarks()
    assert "Permission" in said
