"""The examples of plugins: as their authors test them, and as users install, play and remove them."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from arena import Game, Rng
from arena.api.packing import unpack_states
from arena.compiler import is_compiled
from arena.registry.plugins import registry
from arena.storage.model_file import content_digest, read_about
from arena.testing import check_agent
from arena.testing.matches import random_match
from arena_games.tic_tac_toe import TicTacToe
from commands import arena
from paths import ROOT
from running import until

CORNERS = ROOT / "examples" / "arena-corners"
MONTE_CARLO = ROOT / "examples" / "arena-monte-carlo"
OTHELLO = ROOT / "examples" / "arena-othello"


@pytest.fixture
def corners(monkeypatch):
    """The example's class, imported from its folder."""
    monkeypatch.syspath_prepend(CORNERS)
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


def test_the_examples_are_no_part_of_arena():
    assert not {"corners", "monte-carlo"} & set(registry().offers["agent"])


# --- the learner ------------------------------------------------------------------------------------------


class Line(Game):
    """One step each, five in all; whoever makes the last one has won."""

    max_plies = 5

    def initial(self):
        return 0

    def moves(self, state):
        return ["step"] if state < 5 else []

    def play(self, state, move):
        return state + 1

    def to_move(self, state):
        return state % 2

    def value(self, state):
        return -1


@pytest.fixture
def monte_carlo(monkeypatch):
    monkeypatch.syspath_prepend(MONTE_CARLO)
    from arena_monte_carlo import MonteCarlo

    return MonteCarlo


@pytest.mark.parametrize("game", [TicTacToe, Line])
@pytest.mark.parametrize("opponent", ["random", "minimax:depth=1"])
@pytest.mark.slow
def test_the_example_learner_conforms(monte_carlo, game, opponent):
    check_agent(monte_carlo, game(), options={"opponent": opponent})


def test_the_example_learner_moves_values_towards_results(monte_carlo):
    learner = monte_carlo(Line(), alpha=0.25)
    learner.learn_many(range(3), tally := [0, 0, 0])
    assert tally == [1, 0, 2]  # from the first seat, the second, and the first
    # twice the first player came to 1, 3 and 5 and won: 1/4, then 1/4 + 3/4 * 1/4
    assert [learner.values[state] for state in range(6)] == [0, 7 / 16, -1 / 4, 7 / 16, -1 / 4, 7 / 16]


class Values(dict):
    """A dictionary in place of a table."""

    def __missing__(self, state):
        return 0.0


@pytest.mark.slow
def test_with_a_dictionary_the_example_learner_runs_in_plain_python_and_comes_to_the_same(monte_carlo):
    class Plain(monte_carlo):
        def prepare(self):
            self.values = Values()

    learner, plain = monte_carlo(TicTacToe()), Plain(TicTacToe())
    for pupil in (learner, plain):
        pupil.learn_many(range(300), [0, 0, 0])
    assert not is_compiled(plain)
    known = learner.model()
    assert unpack_states(known["states"]) == list(plain.values)
    assert known["values"].ravel().tolist() == list(plain.values.values())
    for state in random_match(plain.game, 1):
        if moves := plain.game.moves(state):
            assert plain.choose(state, moves, Rng()) == learner.choose(state, moves, Rng())


@pytest.mark.slow
def test_the_example_learner_is_interrupted_and_comes_to_the_same(monte_carlo, tmp_path, launch, plugin):
    models = tmp_path / "models"
    env = {"ARENA_MODELS": str(models)}
    env |= plugin(arena_monte_carlo=(MONTE_CARLO / "arena_monte_carlo.py").read_text())
    command = ("train", "monte-carlo:episodes=30000", "--game", "tic-tac-toe", "--json")
    running = launch(*command, **env)
    assert until(lambda: list(models.glob("*.lock")))
    until(lambda: False, 1)
    running.send(signal.SIGINT)
    assert running.ended().returncode == 130
    (path,) = models.glob("*.npz")
    assert 0 < read_about(path).episodes < 30_000
    said = json.loads(arena(tmp_path, *command, **env).stdout)
    learner = monte_carlo(TicTacToe())
    learner.learn_many(range(30_000), tally := [0, 0, 0])
    assert [said["losses"], said["draws"], said["wins"]] == tally
    assert said["sha256"] == content_digest(learner.model())


# --- installed --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_example_installs_plays_elsewhere_and_uninstalls(installed):
    installed.run("python", "-m", "pip", "install", "--quiet", str(CORNERS))
    assert "corners" in installed.agents()
    said = installed.told("agents", "corners")
    assert (said[0]["distribution"], said[0]["needs"]) == ("arena-corners", ["grid"])
    assert [stated["name"] for stated in said[0]["options"]] == ["middle"]

    entries = ["corners", "corners:middle=true", "random", "first"]
    words = [word for entry in entries for word in ("--entry", entry)]
    installed.run("arena", "tournament", *words, "--rounds", "20", "--seed", "7")
    board = installed.told("leaderboard")
    assert {row["entry"] for row in board} == set(entries)
    assert all(row["matches"] == 2 * 3 * 20 for row in board)
    assert board[-1]["entry"] in ("random", "first")  # it wins when it can, which these two do not

    installed.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "arena-corners")
    assert "corners" not in installed.agents()
    assert "random" in installed.agents()
    assert installed.told("leaderboard") == board
    refused = installed.run("arena", "match", "corners", "random", status=1)
    assert refused.stderr.startswith("Error: no agent called 'corners'")
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.slow
def test_entries_are_exported_elsewhere_with_the_scripts_that_play_them(installed):
    told = installed.told("export", "greedy", "--game", "connect-four", "--wasm", "page")
    assert [Path(file).name for file in told["files"]][1:] == ["arena.js", "arena.classic.js", "arena.d.ts"]
    assert all((installed.folder / file).stat().st_size > 1000 for file in told["files"])


@pytest.mark.slow
def test_the_example_learner_installs_learns_once_plays_and_uninstalls(installed):
    installed.run("python", "-m", "pip", "install", "--quiet", str(MONTE_CARLO))
    assert installed.told("agents", "monte-carlo")[0]["distribution"] == "arena-monte-carlo"
    entry = "monte-carlo:episodes=3000"
    said = installed.told("train", entry)
    assert said["episodes"] == said["wins"] + said["draws"] + said["losses"] == 3000
    kept = Path(said["path"]).read_bytes()
    again = installed.run("arena", "train", entry, "--json")
    assert "Training" not in again.stderr
    assert json.loads(again.stdout) == said  # the seconds it took, too

    words = [word for name in (entry, "random", "first") for word in ("--entry", name)]
    tournament = ("tournament", *words, "--rounds", "50", "--seed", "7", "--db", "learned.db")
    assert "Training" not in installed.run("arena", *tournament).stderr
    board = installed.told("leaderboard", "--db", "learned.db")
    assert board[0]["entry"] == entry
    assert board[0]["score"] > 0.75  # a random player's chances against another are about even
    assert Path(said["path"]).read_bytes() == kept

    anew = installed.told("train", entry, "--retrain")
    assert anew["sha256"] == said["sha256"]
    other = "monte-carlo:episodes=3000,alpha=0.2"
    assert "Training monte-carlo" in installed.run("arena", "match", other, "random", "--matches", "2").stderr

    installed.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "arena-monte-carlo")
    assert "monte-carlo" not in installed.agents()
    refused = installed.run("arena", "train", entry, status=1)
    assert refused.stderr.startswith("Error: no agent called 'monte-carlo'")


@pytest.mark.slow
def test_the_example_game_installs_is_checked_plays_and_uninstalls(installed):
    installed.run("python", "-m", "pip", "install", "--quiet", str(OTHELLO))
    assert "othello" in [game["name"] for game in installed.told("games")]
    assert installed.run("arena", "check", "othello:size=4").stdout.endswith("passes 22 checks\n")
    entries = ("--entry", "alpha-beta:depth=2", "--entry", "random")
    installed.run(
        "arena",
        "tournament",
        "--game",
        "othello",
        *entries,
        "--rounds",
        "10",
        "--seed",
        "7",
        "--db",
        "othello.db",
    )
    board = installed.told("leaderboard", "--db", "othello.db")
    assert [row["entry"] for row in board] == ["alpha-beta:depth=2", "random"]
    installed.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "arena-othello")
    assert "othello" not in [game["name"] for game in installed.told("games")]
    assert installed.told("leaderboard", "--db", "othello.db") == board
