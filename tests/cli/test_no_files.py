"""Pipes, devices, sockets and folders in place of files: one line, and nobody waits for what has no end."""

from __future__ import annotations

import os
import socket

import pytest

from commands import ended
from tiers import slow

MATCH = ("match", "random", "first", "--game", "tic-tac-toe", "--matches", "2", "--executor", "serial")
COMMANDS = {
    "openings": (*MATCH, "--openings", "{0}"),
    "openings with plies": (*MATCH, "--openings", "{0}:4"),
    "tournament": ("tournament", "{0}", "--executor", "serial"),
    "agent": ("match", "{0}", "random", "--executor", "serial"),
    "agent of an option": ("match", "q-table:opponent={0}", "random", "--executor", "serial"),
    "game": ("match", "random", "first", "--game", "{0}", "--executor", "serial"),
    "described agent": ("agents", "{0}"),
    "checked agent": ("check", "{0}"),
    "database": ("leaderboard", "--db", "{0}"),
    "database to record to": (*MATCH, "--record", "--db", "{0}"),
    "verified database": ("verify", "{0}"),
    "merged database": ("merge", "{0}", "--output", "new.db"),
    "curve": ("leaderboard", "--curve", "{0}", "--html", "page.html"),
    "saved match": ("play", "first", "--from", "{0}"),
    "table": ("solve", "connect-four", "--table", "{0}"),
    "imported model": ("models", "import", "{0}"),
    "imported table": ("models", "import", "q-backprop", "{0}"),
    "log of tuning": ("tune", "alpha-beta", "--range", "depth=2..6", "--game", "checkers", "--log", "{0}"),
}
ENDS = {"tournament": ".toml", "agent": ".py", "agent of an option": ".py", "game": ".py"}
ENDS |= {"described agent": ".py", "checked agent": ".py"}


def pipe(path):
    os.mkfifo(path)


def a_socket(path):
    with socket.socket(socket.AF_UNIX) as one, pytest.MonkeyPatch.context() as patch:
        patch.chdir(path.parent)  # since the name of a socket is short
        one.bind(path.name)


def folder(path):
    path.mkdir()


def device(path):
    path.symlink_to("/dev/zero")


def itself(path):
    path.symlink_to(path.name)


@pytest.mark.parametrize("make", [pipe, *slow(a_socket, folder, device, itself)])
@pytest.mark.parametrize("what", COMMANDS)
def test_what_is_no_file_is_refused_in_a_line(tmp_path, what, make, monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", "0")
    name = f"odd{ENDS.get(what, '.x')}"
    make(tmp_path / name)
    done = ended(tmp_path, *(word.format(name) for word in COMMANDS[what]))
    assert done.returncode in (1, 2)
    told = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(told) == 1, done.stderr
    assert "odd" in told[0]
