"""What Python users call: results as the command line has them, and errors."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
import sys
from functools import partial

import numpy as np
import pytest

import arena
from arena import Agent, ArenaError, calls, option
from arena import commands as folders
from arena.calls.arguments import agent_spec, known_with
from arena.registry.plugins import registry
from commands import arena as command
from tiers import tiers

CALLS = [
    module.name
    for package in (calls, folders)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith(".command")
]
LONG = (".call", ".export", ".metadata")  # these play matches
SHORT = [name for name in CALLS if not name.endswith(LONG)]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))
    monkeypatch.delenv("ARENA_DB", raising=False)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # of other tests: this is no notebook


class Last(Agent):
    """Plays the last move, or the one before it."""

    back: int = option(0, "how many from the end", low=0)

    def choose(self, state, moves, rng):
        return moves[max(len(moves) - 1 - self.back, 0)]


# --- the same as the command line ------------------------------------------------------------------------


@pytest.mark.parametrize("module", tiers(CALLS, quick=SHORT))
def test_examples_in_docstrings_are_true(module):
    failures, _ = doctest.testmod(importlib.import_module(module))
    assert failures == 0


def test_every_call_has_an_example_or_needs_files():
    called = {"match", "tournament", "exact", "train", "explain", "leaderboard", "position", "perft", "games"}
    for name in called:
        assert f"arena.{name}(" in getattr(arena, name).__doc__, name


@pytest.mark.slow
def test_a_match_is_the_commands(tmp_path):
    said = ("match", "random", "greedy", "--matches", "30", "--seed", "5")
    asked = {"matches": 30, "seed": 5}
    found = arena.match("random", "greedy", **asked)
    assert found.to_dict() == json.loads(command(tmp_path, *said, "--json").stdout)
    assert str(found) + "\n" == command(tmp_path, *said).stdout
    assert found.finished
    assert [row["first"] for row in found.to_dicts()] == ["random", "greedy"]
    row = found.pairings[0]
    assert (row.matches, row.score) == (15, (row.wins + row.draws / 2) / 15)


@pytest.mark.slow
def test_a_tournament_is_the_commands(tmp_path):
    found = arena.tournament(["random", "first"], rounds=4, seed=2)
    entries = ("--entry", "random", "--entry", "first")
    shown = command(tmp_path, "tournament", *entries, "--rounds", "4", "--seed", "2")
    assert str(found).splitlines()[1:] == shown.stdout.splitlines()[1:]
    (board,) = arena.leaderboard(tournament=1)
    assert board.to_dicts() == found.to_dicts()
    assert [t.id for t in arena.tournaments.list()] == [1, 2]
    recorded = arena.tournaments.show(2)
    assert str(recorded) + "\n" == command(tmp_path, "tournaments", "show", "2").stdout
    assert recorded.to_dict() == json.loads(command(tmp_path, "tournaments", "show", "2", "--json").stdout)
    assert arena.tournaments.remove(2) == 8
    assert [t.id for t in arena.tournaments.list()] == [1]


@pytest.mark.slow
def test_a_file_gives_what_is_not_said(tmp_path):
    (tmp_path / "t.toml").write_text('game = "tic-tac-toe"\nentries = ["random", "first"]\nrounds = 50\n')
    found = arena.tournament(file="t.toml", rounds=3, seed=1)
    assert (found.planned, found.settings["entries"]) == (6, ["random", "first"])


def test_what_is_stopped_is_kept_and_resumed():
    stop = StopAfter(4)
    found = arena.tournament(
        ["random", "greedy", "minimax"], rounds=3000, seed=3, executor="serial", workers=1, stop=stop
    )
    assert not found.finished
    assert 0 < found.played < found.planned == 18_000
    again = arena.resume(executor="serial", workers=1, stop=StopAfter(4))
    assert again.number == found.number
    assert again.played > found.played


class StopAfter:
    """An event that is set when it has been looked at so often."""

    def __init__(self, looks):
        self.left = 3 * looks

    def is_set(self):
        self.left -= 1
        return self.left < 0

    def wait(self, seconds):
        return self.is_set()


@pytest.mark.slow
def test_training_that_is_stopped_says_how_to_go_on():
    with pytest.raises(arena.Stopped, match="what was learned is saved"):
        arena.train("q-table:episodes=3000", executor="serial", stop=StopAfter(1))
    assert arena.train("q-table:episodes=3000", executor="serial").about.finished


@pytest.mark.slow
def test_an_exact_match_is_the_commands(tmp_path):
    found = arena.exact("random", "first", game="tic-tac-toe")
    said = command(tmp_path, "match", "random", "first", "--exact", "--json").stdout
    assert found.to_dict() == json.loads(said)


def test_positions_draw_themselves():
    found = arena.position("tic-tac-toe", "X.O......")
    assert found._repr_svg_().startswith("<svg")
    assert repr(found).startswith("X . O")
    assert arena.perft("tic-tac-toe", 2) == [9, 72]


@pytest.mark.slow
def test_results_show_as_html_with_all_they_hold():
    found = arena.match("random", "first", matches=2, seed=1)
    html = found._repr_html_()
    assert html.count(">random<") == 2
    assert html.count(">100.0 %") + html.count(">0.0 %") == 2
    assert "<script" not in arena.match(Last, "first", matches=2, seed=1)._repr_html_()


def test_what_is_installed_is_listed(tmp_path):
    for name in ("games", "agents", "plugins"):
        found = getattr(arena, name)().to_dicts()
        assert json.loads(json.dumps(found)) == json.loads(command(tmp_path, name, "--json").stdout)


# --- classes of one's own --------------------------------------------------------------------------------


def test_a_class_of_a_module_plays_in_processes_under_its_own_name():
    found = arena.match(Last, partial(Last, back=1), game="tic-tac-toe", matches=4, seed=1)
    assert [row.first for row in found.pairings] == ["last", "last:back=1"]
    alone = arena.match(Last, partial(Last, back=1), game="tic-tac-toe", matches=4, seed=1, executor="serial")
    assert alone.to_dicts() == found.to_dicts()


def test_an_installed_class_is_known_by_its_registered_name():
    cls = registry().spec("agent", "minimax").cls
    spec = agent_spec(partial(cls, depth=2), known_with([cls]))
    assert spec == registry().spec("agent", "minimax:depth=2")


def test_a_class_of_anothers_name_is_refused():
    random = type("Random", (Last,), {"__module__": __name__})
    ours = rf"agent class Random of {re.escape(__file__)} would be called 'random'"
    theirs = r"agent 'random' of plugin arena_agents \(arena-tournament \S+\)"
    with pytest.raises(
        ArenaError, match=f"^{ours}, and so is {theirs}; rename the class, or uninstall the plugin$"
    ):
        arena.match(random, "first")


@pytest.mark.parametrize("entry", [3, Last.choose, object, [Last]], ids=["3", "method", "object", "list"])
def test_what_is_no_entry_is_told(entry):
    with pytest.raises(
        ArenaError, match=r"is not an entry; pass a text such as 'minimax:depth=3', or a class$"
    ):
        arena.match(entry, "first")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: arena.match("random", "first", matches="ten"), "matches takes a whole number, not 'ten'"),
        (lambda: arena.match("random", "first", openings=4), "openings takes a text, not 4"),
        (lambda: arena.match("random", "first", matches=0), "matches is 0, but must be from 1 to 1000000000"),
        (lambda: arena.match("random", "first", executor="cloud"), "no executor called 'cloud'; known: "),
        (lambda: arena.tournament("random"), "entries is the text 'random'; pass a list, "),
        (lambda: arena.tournament({"random"}), "entries is {'random'}; pass a list, in order"),
        (
            lambda: arena.match("random", "first", workers=0),
            "workers is 0, but must be a positive whole number",
        ),
        (lambda: arena.curve("q-table", "c.csv", seeds=0), "seeds is 0, but must be at least 1"),
        (lambda: arena.match(None, "first"), "None is not an entry; pass a text such as"),
        (lambda: arena.match(partial(Last, 1), "first"), "options of Last are given by name: partial(Last,"),
        (lambda: arena.tournament(["random"]), "a tournament needs at least two entries"),
        (lambda: arena.match("randon", "first"), "no agent called 'randon', did you mean 'random'?"),
        (lambda: arena.match(partial(Last, far=1), "first"), "last has no option 'far'"),
        (lambda: arena.train("random"), "'random' does not learn; train a learner such as 'q-table'"),
        (lambda: arena.leaderboard(), "there is no database arena.db; play a tournament first"),
        (lambda: arena.models.show("5f0c"), "no model '5f0c'"),
    ],
    ids=[str(i) for i in range(16)],
)
def test_a_callers_fault_is_one_line_that_names_it(call, said, tmp_path):
    with pytest.raises(ArenaError) as refused:
        call()
    assert str(refused.value).startswith(said)
    assert "\n" not in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("points", [[-1, 10], [1, 1.5], ["a"], "5", 2.5])
def test_points_of_a_curve_are_a_number_or_numbers_of_episodes(points):
    with pytest.raises(
        ArenaError, match=f"^points is {re.escape(repr(points))}; pass the number of points, or episodes"
    ):
        arena.curve("q-table", "c.csv", points=points)


def test_points_of_a_curve_come_in_any_order():
    with pytest.raises(ArenaError, match=r"^point 20 is beyond the 10 episodes of q-table:episodes=10; "):
        arena.curve("q-table:episodes=10", "c.csv", points=[20, 1])


def test_a_game_is_no_agent():
    cls = registry().spec("game", "tic-tac-toe").cls
    with pytest.raises(ArenaError, match=r"^TicTacToe does not subclass arena.Agent; pass a class that"):
        arena.match(cls, "first")


@pytest.mark.slow
def test_whole_numbers_may_be_numpys():
    found = arena.tournament(
        ["first", "random"],
        rounds=np.int64(2),
        seed=np.int32(3),
        workers=np.int64(1),
        stall_seconds=np.float32(9),
    )
    assert found.settings["seed"] == 3
    one, no = np.int64(1), np.int64(0)
    assert arena.tournaments.show(one).number == 1
    assert arena.replay(one, no).match == 0
    assert [*arena.tournaments.export(one)] == [*arena.tournaments.export(1)]
    assert arena.tournaments.facts_of(one) == arena.tournaments.facts_of(1)
    assert len(arena.leaderboard(tournament=one)) == 1
    points = np.array([0, 20])
    found = arena.curve("q-table", "c.csv", game="tic-tac-toe", seeds=one, points=points, matches=np.int64(2))
    assert len(found.to_dicts()) > 0
    assert arena.tournaments.remove(one) == 4


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: arena.merge("a.db", "b.db"), "files is 'a.db', not a list; pass ['a.db']"),
        (
            lambda: arena.exploit("first", guides="random"),
            "guides is 'random', not a list; pass ['random']",
        ),
        (lambda: arena.tournament(["first"], agents="a.py"), "agents is 'a.py', not a list; pass ['a.py']"),
        (lambda: arena.tournaments.show("1"), "tournament takes a whole number, not '1'"),
        (lambda: arena.replay(1, "0"), "match takes a whole number, not '0'"),
        (lambda: arena.replay(1, own=Last), "own is Last, not a list; pass [Last]"),
        (lambda: arena.tournament(["first"], until=-5), "until is -5, but must be from 1 to 1000"),
        (lambda: arena.position("connect-four", [4, 4]), "position is [4, 4], but must be a text"),
        (lambda: arena.perft("connect-four", "3"), "depth takes a whole number, not '3'"),
    ],
)
def test_what_is_given_in_another_form_is_told(call, said):
    arena.tournament(["first", "random"], game="tic-tac-toe", rounds=1, seed=1)
    with pytest.raises(ArenaError, match=f"^{re.escape(said)}$"):
        call()
