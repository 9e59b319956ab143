"""The example of an agent plugin: as its author tests it, and as a user installs, plays and removes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from arena import Rng
from arena.plugins import registry
from arena.testing import check_agent
from arena_games.tic_tac_toe import TicTacToe

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "arena-corners"


@pytest.fixture
def corners(monkeypatch):
    """The example's class, imported from its folder."""
    monkeypatch.syspath_prepend(EXAMPLE)
    from arena_corners import Corners

    return Corners


@pytest.mark.parametrize("middle", [False, True])
def test_the_example_agent_conforms(corners, middle):
    check_agent(corners, TicTacToe(), options={"middle": middle})


@pytest.mark.parametrize(
    ("board", "middle", "cells"),
    [
        ("... ... ...", False, {0, 2, 6, 8}),
        ("... ... ...", True, {4}),
        ("X.X .O. ...", False, {6, 8}),  # O defends nothing
        ("XOX .OX ...", False, {7}),
        ("XX. OO. ...", True, {2}),
    ],
)
def test_the_example_agent_wins_if_it_can_and_else_plays_where_it_likes(corners, board, middle, cells):
    game = TicTacToe()
    agent = corners(game, middle=middle)
    state = game.read_position(board.replace(" ", ""))
    assert {agent.choose(state, game.moves(state), Rng(seed)) for seed in range(50)} == cells


def test_the_example_is_no_part_of_arena():
    assert "corners" not in registry().offers["agent"]


@pytest.mark.slow
def test_the_example_installs_plays_elsewhere_and_uninstalls(tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    scripts = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    clean = {name: value for name, value in os.environ.items() if name not in ("ARENA_DB", "PYTHONPATH")}

    def run(*words, status=0):
        command = [scripts / words[0], *words[1:]]
        done = subprocess.run(command, cwd=elsewhere, env=clean, capture_output=True, text=True, timeout=600)
        assert done.returncode == status, (words, done.stdout, done.stderr)
        return done

    def agents():
        return [agent["name"] for agent in json.loads(run("arena", "agents", "--json").stdout)]

    run("python", "-m", "pip", "install", "--quiet", str(ROOT), str(EXAMPLE))
    assert "corners" in agents()
    said = json.loads(run("arena", "agents", "corners", "--json").stdout)
    assert (said[0]["distribution"], said[0]["needs"]) == ("arena-corners", ["grid"])
    assert [stated["name"] for stated in said[0]["options"]] == ["middle"]

    entries = ["corners", "corners:middle=true", "random", "first"]
    words = [word for entry in entries for word in ("--entry", entry)]
    run("arena", "tournament", *words, "--rounds", "20", "--seed", "7")
    board = json.loads(run("arena", "leaderboard", "--json").stdout)
    assert {row["entry"] for row in board} == set(entries)
    assert all(row["matches"] == 2 * 3 * 20 for row in board)
    assert board[-1]["entry"] in ("random", "first")  # it wins when it can, which these two do not

    run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "arena-corners")
    assert "corners" not in agents()
    assert "random" in agents()
    assert json.loads(run("arena", "leaderboard", "--json").stdout) == board
    refused = run("arena", "match", "corners", "random", status=1)
    assert refused.stderr.startswith("Error: no agent called 'corners'")
    assert len(refused.stderr.splitlines()) == 1
