"""Entries that say they cannot play a game: refused, or left out, before anything is trained."""

import pytest

import arena
from arena.commands.tournament import call as tournaments
from arena.training import jobs
from commands import inside

QUIET = {"rounds": 1, "seed": 1, "executor": "serial", "progress": False}
LEARNER = "q-table:episodes=5"
FULL = "value-iteration:limit=10"  # of the 5,478 positions of tic-tac-toe
WHY = "tic-tac-toe has more than 10 positions"


class Refuses(arena.Agent):
    """Plays no game."""

    def prepare(self):
        raise arena.ArenaError("it plays bridge alone")


ENDLESS = '''
from arena import Game

class Endless(Game):
    """A walk that may never end."""

    sides = ("L", "R")
    max_plies = 10

    def initial(self):
        return (50_000_000, 0)

    def to_move(self, state):
        return state[1]

    def moves(self, state):
        return [] if state[0] in (0, 100_000_000) else [1, -1, 0]

    def play(self, state, move):
        return (state[0] + move, 1 - state[1])

    def value(self, state):
        return -1
'''


@pytest.fixture
def models(tmp_path, monkeypatch):
    """An empty folder of models, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("ARENA_COMPILED", "0")
    return tmp_path / "models"


def learned(models):
    return [*models.glob("*/*"), *models.glob("*.*")] if models.exists() else []


@pytest.mark.parametrize(
    "how", [{}, {"exact": True}, {"format": "swiss", "rounds": 1}, {"format": "gauntlet"}]
)
@pytest.mark.parametrize(
    ("entry", "why"), [(FULL, WHY), (Refuses, "it plays bridge alone")], ids=["full", "own"]
)
def test_who_is_named_is_refused_before_anything_is_trained(models, entry, why, how):
    with pytest.raises(arena.ArenaError, match=f"cannot play: {why}"):
        arena.tournament([LEARNER, "random", entry], **{**QUIET, **how})
    assert learned(models) == []


@pytest.mark.parametrize("entry", [FULL, Refuses], ids=["full", "own"])
def test_so_it_is_in_a_match(models, entry):
    with pytest.raises(arena.ArenaError, match="cannot play: "):
        arena.match(LEARNER, entry, matches=2, seed=1, executor="serial", progress=False)
    assert learned(models) == []


def test_with_keep_going_it_is_left_out(models):
    names = {"A": "first", "B": "random", "C": FULL, "D": Refuses}
    found = arena.tournament(names, keep_going=True, **QUIET)
    assert found.settings["entries"] == ["first", "random"]
    assert found.settings["names"] == {"first": "A", "random": "B"}
    assert found.played == 2
    full, own = found.remarks()
    assert full.startswith(f"{FULL} is left out: {WHY}")
    assert own == "refuses is left out: it plays bridge alone"


def test_a_tournament_of_fewer_than_two_is_refused(models):
    with pytest.raises(arena.ArenaError, match="fewer than two entries can play: refuses is left out: it"):
        arena.tournament(["random", Refuses], keep_going=True, **QUIET)


def test_a_file_that_says_so_is_left_out(models, tmp_path):
    (tmp_path / "bot.py").write_text(
        "from arena import Agent, ArenaError\n\nclass Bot(Agent):\n    'Refuses.'\n"
        "    def prepare(self):\n        raise ArenaError('it plays bridge alone')\n"
        "    def choose(self, state, moves, rng):\n        return moves[0]\n"
    )
    found = arena.tournament(["random", "first"], agents=["bot.py"], isolate=False, **QUIET)
    assert found.settings["entries"] == ["random", "first"]
    assert found.remarks() == ["bot.py is left out: it plays bridge alone"]


def test_the_command_says_so_before_it_plays(models, tmp_path):
    words = [
        "--entry",
        "random",
        "--entry",
        "first",
        "--entry",
        FULL,
        "--rounds",
        "1",
        "--executor",
        "serial",
    ]
    refused = inside(tmp_path, "tournament", *words, status=1)
    assert refused.stderr.startswith(f"Error: {FULL} cannot play: {WHY}")
    lines = inside(tmp_path, "tournament", *words, "--keep-going").stderr.splitlines()
    assert lines[0].startswith(f"Warning: {FULL} is left out: {WHY}")
    assert sum("left out" in line for line in lines) == 1


@pytest.mark.slow
def test_agents_that_nobody_named_are_left_out_where_they_cannot_play(models, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "SEEN_SECONDS", 0.0)
    monkeypatch.setattr(tournaments, "PATIENCE", 0.01)
    (tmp_path / "endless.py").write_text(ENDLESS)
    found = arena.tournament(game="endless.py", **QUIET)
    said = found.settings["left_out"]
    assert said["perfect"].startswith("endless.py has no solver, and a search may not end")
    assert said["value-iteration"].startswith("needs enumeration")
    assert said["transition-q"].startswith("needs abstract")
    assert {"random", "first", "minimax", "alpha-beta"} <= {*found.settings["entries"]}
    assert found.forfeits == []


def test_who_joins_is_refused_before_anything_is_trained(models):
    arena.tournament(["random", "first"], **QUIET)
    with pytest.raises(arena.ArenaError, match="cannot play: tic-tac-toe has more than 10 positions"):
        arena.resume(add=[LEARNER, FULL], executor="serial", progress=False)
    assert learned(models) == []
    assert arena.tournaments.show(1).settings["entries"] == ["random", "first"]
