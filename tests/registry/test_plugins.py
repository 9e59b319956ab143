"""Plugins that misbehave before a match begins."""

from __future__ import annotations

import json
import os

import pytest

from arena.registry.plugins import Registry
from arena.version import __version__
from commands import arena
from records import query
from tiers import slow

GAME = """
import sys
from arena import Game, hookimpl

print("hello from a module")

class Odd(Game):
    '''A game that goes wrong.'''

    def __init__(self, **options):
        super().__init__(**options)
        print("hello from a constructor")
        {init}

    def initial(self):
        return (0, 0)

    def moves(self, state):
        {moves}
        return [1] if state[0] < 3 else []

    def play(self, state, move):
        return (state[0] + 1, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return 0

@hookimpl
def register_games(register):
    register("odd", "odd:Odd"{help})
"""


def odd(plugin, init="pass", moves="pass", help=""):
    return plugin(odd=GAME.format(init=init, moves=moves, help=help))


@pytest.mark.parametrize("kind", ["1 / 0", *slow("sys.exit(3)")])
@pytest.mark.parametrize("place", ["init", *slow("moves")])
@pytest.mark.parametrize("command", ["position odd", *slow("match first first --game odd", "perft odd 3")])
def test_a_game_that_cannot_begin_is_told_in_one_line(tmp_path, plugin, place, kind, command):
    done = arena(tmp_path, *command.split(), status=1, **odd(plugin, **{place: kind}))
    told = done.stderr.splitlines()[-1]
    assert told.startswith("Error: game odd cannot be created: ")
    assert ("ZeroDivisionError: division by zero" if "/" in kind else "SystemExit: 3") in told
    assert "Traceback" not in done.stderr


def test_a_game_that_fails_in_its_opening_is_told_in_one_line(tmp_path, plugin):
    env = odd(plugin, moves="1 / (1 - state[0])")
    done = arena(
        tmp_path, *["match", "first", "first", "--game", "odd", "--openings", "random:2"], status=1, **env
    )
    assert done.stderr.splitlines()[-1].startswith("Error: game odd failed: ZeroDivision")


@pytest.mark.slow
def test_what_a_plugin_prints_is_not_among_the_results(tmp_path, plugin):
    said = arena(
        tmp_path, *["match", "random", "first", "--game", "odd", "--matches", "4", "--json"], **odd(plugin)
    )
    assert json.loads(said.stdout)["pairings"][0]["draws"] == 2
    assert "hello from a module" in said.stderr
    assert json.loads(arena(tmp_path, "plugins", "--json", **odd(plugin)).stdout)


def test_a_help_that_is_no_text_costs_the_offer_and_not_the_help_of_all(tmp_path, plugin):
    env = odd(plugin, help=", help=None")
    said = arena(tmp_path, "--help", **env)
    assert "tournament" in said.stdout
    assert "game 'odd': help None is not a text" in said.stderr


FIRST = """
from arena import hookimpl

@hookimpl
def register_agents(register):
    register("random", "aardvark:Random")
"""


def test_arenas_own_plugins_come_first_and_nobody_takes_a_name_from_them(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin(aardvark=FIRST)["PYTHONPATH"].partition(os.pathsep)[0])
    known = Registry()
    assert [found.name for found in known.plugins[:3]] == ["arena", "arena_agents", "arena_games"]
    assert {found.distribution for found in known.plugins[:3]} == {"arena-tournament"}
    assert known.offer("agent", "random").plugin.name == "arena_agents"
    (late,) = [found for found in known.plugins if found.name == "aardvark"]
    theirs = f"plugin arena_agents (arena-tournament {__version__})"
    said = f"agent 'random' is already offered by {theirs}; rename it, or uninstall one of the two"
    assert late.errors == [said]


PUPIL = """
from arena import Agent, hookimpl, option
from arena import Spec

class Pupil(Agent):
    '''Plays as its teacher does.'''

    teacher: Spec = option("greedy", "whom it asks", kind="agent")

    def prepare(self):
        self.asked = self.teacher.make(self.game)

    def choose(self, state, moves, rng):
        return self.asked.choose(state, moves, rng)

@hookimpl
def register_agents(register):
    register("pupil", "pupil:Pupil")

@hookimpl
def register_evaluations(register):
    register("even", "pupil:Even")
"""


@pytest.mark.slow
def test_an_agent_that_takes_an_agent_plays_as_that_one_does(tmp_path, plugin):
    env = plugin(pupil=PUPIL)
    moves = []
    for i, first in enumerate(["minimax:depth=1,ties=first", "pupil:teacher=(minimax:ties=first,depth=1)"]):
        db = tmp_path / f"{i}.db"
        args = ("--matches", "20", "--seed", "1", "--openings", "random:2", "--shared-openings")
        args += ("--record", "--db", db.name)
        arena(tmp_path, "match", first, "first", *args, **env)
        moves.append(query(db, "SELECT result, moves FROM matches ORDER BY number"))
    assert moves[0] == moves[1]
    ((text, options),) = query(db, "SELECT name, options FROM entries WHERE agent = 'pupil'")
    assert text == "pupil:teacher=(minimax:depth=1,ties=first)"
    assert json.loads(options) == {"teacher": "minimax:depth=1,ties=first"}


@pytest.mark.parametrize(
    ("teacher", "says"),
    [
        ("greddy", "option 'teacher' of pupil: no agent called 'greddy', did you mean 'greedy'?"),
        ("(minimax:depth=-1)", "option 'teacher' of pupil: option 'depth' of minimax takes a whole number"),
    ],
)
def test_a_wrong_text_within_an_entry_ends_the_tournament_before_it_begins(tmp_path, plugin, teacher, says):
    entry = f"pupil:teacher={teacher}"
    done = arena(
        tmp_path, "tournament", "--entry", entry, "--entry", "first", status=1, **plugin(pupil=PUPIL)
    )
    assert done.stderr.startswith("Error: ")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_an_agent_within_an_entry_needs_the_game_must_offer(tmp_path, plugin):
    env = plugin(odd=GAME.format(init="pass", moves="pass", help=""), pupil=PUPIL)
    told = "Error: greedy in pupil needs evaluation, which odd does not offer"
    assert told in arena(tmp_path, "match", "pupil", "first", "--game", "odd", status=1, **env).stderr
    arena(tmp_path, "match", "pupil:teacher=first", "first", "--game", "odd", "--matches", "2", **env)


@pytest.mark.slow
def test_a_tournament_is_among_those_who_can_play_its_game(tmp_path, plugin):
    env = plugin(odd=GAME.format(init="pass", moves="pass", help=""), pupil=PUPIL)
    arena(tmp_path, "tournament", "--rounds", "1", "--game", "odd", **env)
    assert not {("greedy",), ("pupil",)} & set(query(tmp_path / "arena.db", "SELECT name FROM entries"))


def test_evaluations_are_listed_like_the_rest(tmp_path, plugin):
    said = arena(tmp_path, "plugins", "--json", **plugin(pupil=PUPIL)).stdout
    assert json.loads(said)[-1]["offers"] == {"agent": ["pupil"], "evaluation": ["even"]}
    assert "    evaluation: even\n" in arena(tmp_path, "plugins", **plugin(pupil=PUPIL)).stdout


def test_the_sources_of_a_spec_are_its_plugin_and_those_of_what_it_takes(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin(pupil=PUPIL)["PYTHONPATH"].partition(os.pathsep)[0])
    known = Registry()
    spec = known.spec("agent", "pupil:teacher=(pupil:teacher=first)")
    assert [source.name for source in known.sources("agent", spec)] == ["pupil", "pupil", "arena_agents"]
