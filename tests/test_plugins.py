"""Plugins that misbehave before a match begins."""

from __future__ import annotations

import json

import pytest
from commands import arena

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


@pytest.mark.parametrize("kind", ["1 / 0", "sys.exit(3)"])
@pytest.mark.parametrize("place", ["init", "moves"])
@pytest.mark.parametrize("command", ["match first first --game odd", "position odd", "perft odd 3"])
def test_a_game_that_cannot_begin_is_told_in_one_line(tmp_path, plugin, place, kind, command):
    done = arena(tmp_path, *command.split(), status=1, **odd(plugin, **{place: kind}))
    told = done.stderr.splitlines()[-1]
    assert told.startswith("Error: game odd cannot be made: ")
    assert ("ZeroDivisionError: division by zero" if "/" in kind else "SystemExit: 3") in told
    assert "Traceback" not in done.stderr


def test_a_game_that_fails_in_its_opening_is_told_in_one_line(tmp_path, plugin):
    env = odd(plugin, moves="1 / (1 - state[0])")
    done = arena(
        tmp_path, *["match", "first", "first", "--game", "odd", "--openings", "random:2"], status=1, **env
    )
    assert done.stderr.splitlines()[-1].startswith("Error: game odd fails in a random opening: ZeroDivision")


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
