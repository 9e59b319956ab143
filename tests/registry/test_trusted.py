"""Files of games and learners that a database names are run only where the user has named them before."""

from __future__ import annotations

import pytest

import arena
from arena.calls.arguments import known_with
from arena.errors import ArenaError
from arena.registry import trusted
from commands import arena as run
from page_data import page_text
from tiers import slow

GAME = """
from arena import Game
import pile
{more}

class Nim(Game):
    "Take one or two; who takes the last wins."

    def initial(self):
        return (pile.SIZE, 0)

    def to_move(self, state):
        return state[1]

    def moves(self, state):
        return [n for n in (1, 2) if n <= state[0]]

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def value(self, state):
        return -1
"""
# leaves a file beside its own, whatever folder it runs in; sandboxed, where its class is read, it cannot
RAN = """
try:
    open(__file__ + ".ran", "w").close()
except OSError:
    pass
"""
REFUSED = "is named only by a database, so it is not run; if you trust it, run: "
QUIET = {"rounds": 1, "seed": 1, "progress": False, "executor": "serial"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Here, with a game in a file that nobody has named yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_TRUSTED", str(tmp_path / "trusted"))
    monkeypatch.setattr(trusted, "here", set())
    written(tmp_path)
    return tmp_path


def written(folder, more="", size=5):
    (folder / "nim.py").write_text(GAME.format(more=more))
    (folder / "pile.py").write_text(f"SIZE = {size}\n")


def as_a_database_names_it():
    return known_with(game="nim.py", named=False)


def forgotten():
    """As in a process that begins."""
    trusted.here.clear()


def test_it_runs_once_it_is_named_and_as_long_as_it_is_the_same(folder):
    with pytest.raises(ArenaError, match=REFUSED):
        as_a_database_names_it()
    known_with(game="nim.py")
    forgotten()
    assert "nim.py" in as_a_database_names_it().offers["game"]
    written(folder, "\n# a remark\n")
    as_a_database_names_it()
    written(folder, "more = 1")
    with pytest.raises(ArenaError, match=REFUSED):
        as_a_database_names_it()


def test_a_file_that_is_named_runs(folder):
    written(folder, RAN)
    known_with(game="nim.py")
    assert (folder / "nim.py.ran").exists()


def test_what_it_imports_from_beside_it_counts(folder):
    known_with(game="nim.py")
    forgotten()
    written(folder, size=6)
    with pytest.raises(ArenaError, match=REFUSED):
        as_a_database_names_it()


def test_where_nothing_can_be_written_it_is_known_in_this_process(folder, monkeypatch):
    (folder / "a-file").touch()
    monkeypatch.setenv("ARENA_TRUSTED", str(folder / "a-file" / "trusted"))
    known_with(game="nim.py")
    as_a_database_names_it()
    forgotten()
    with pytest.raises(ArenaError, match=REFUSED):
        as_a_database_names_it()


def test_an_agent_that_plays_sandboxed_need_not_be_named(folder):
    (folder / "bot.py").write_text(
        "from arena import Agent\n\nclass Bot(Agent):\n    'Bot.'\n"
        "    def choose(self, state, moves, rng):\n        return moves[0]\n"
    )
    assert "bot.py" in known_with(["bot.py"], named=False).offers["agent"]


def test_a_learner_that_learns_sandboxed_need_not_be_named(folder):
    (folder / "mine.py").write_text(
        "from arena_agents.tabular.q_table import QTable\n\nclass Mine(QTable):\n    'Mine.'\n"
    )
    assert "mine.py" in known_with(["mine.py"], named=False).offers["agent"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["replay", "1", "0"],
        *slow(
            ["leaderboard", "--blunders"],
            ["leaderboard", "--worst-case", "1"],
            ["tournaments", "export", "1", "--notation"],
            ["tournament", "--resume", "1"],
            ["tournament", "--resume", "1", "--add", "minimax"],
        ),
    ],
    ids=" ".join,
)
def test_no_command_runs_what_came_with_a_database(folder, words):
    arena.tournament(["random", "first"], game="nim.py", **QUIET)
    written(folder, RAN)
    said = run(folder, *words, status=1).stderr
    assert said == f"Error: nim.py {REFUSED}arena check nim.py\n"
    assert not (folder / "nim.py.ran").exists()


@pytest.mark.slow
def test_a_page_has_no_boards_of_it(folder):
    arena.tournament(["random", "first"], game="nim.py", **QUIET)
    written(folder, RAN)
    run(folder, "leaderboard", "--html", "page.html")
    assert "the version of the game that was played is not installed" in page_text(
        (folder / "page.html").read_text()
    )
    assert not (folder / "nim.py.ran").exists()


@pytest.mark.slow
def test_after_a_check_it_is_replayed(folder):
    arena.tournament(["random", "first"], game="nim.py", **QUIET)
    forgotten()
    run(folder, "replay", "1", "0", ARENA_TRUSTED=str(folder / "other"), status=1)
    run(folder, "check", "nim.py", ARENA_TRUSTED=str(folder / "other"))
    run(folder, "replay", "1", "0", ARENA_TRUSTED=str(folder / "other"))
