"""Evaluations are listed as agents are, a plugin's too, and capabilities say what they are for."""

import json
import re

import pytest

import arena
from arena.api.game import CAPABILITIES, CAPABILITY_USES
from arena.errors import ArenaError
from commands import arena as command

SOURCE = '''
from arena import Evaluation, hookimpl, option

class Bright(Evaluation):
    """Likes everything."""

    needs = ("grid",)
    light: int = option(3, "how much")

    def evaluate(self, state):
        return self.light

@hookimpl
def register_evaluations(register):
    register("bright", "faulty:Bright")
    register("broken", "faulty:Missing")
'''


def test_a_line_for_each_and_all_about_one(tmp_path, plugin):
    environment = plugin(faulty=SOURCE)
    said = command(tmp_path, "evaluations", **environment).stdout
    assert re.search(r"^bright +Likes everything\. +faulty 1\.0$", said, re.M)
    assert re.search(r"^broken +failed: ", said, re.M)
    assert re.search(r"^material +Checkers: ", said, re.M)
    one = command(tmp_path, "evaluations", "bright", **environment).stdout
    assert one.splitlines()[1:] == [
        "    Likes everything.",
        "    needs: grid",
        "    light=3  how much (a whole number)",
    ]
    (row,) = json.loads(command(tmp_path, "evaluations", "bright", "--json", **environment).stdout)
    assert (row["needs"], row["options"][0]["default"]) == (["grid"], 3)


def test_one_that_is_not_there():
    with pytest.raises(ArenaError, match="no evaluation called 'materiel', did you mean 'material'"):
        arena.evaluations("materiel")


def test_each_capability_of_a_game_says_what_it_is_for():
    assert {*CAPABILITY_USES} == {*CAPABILITIES}
    (checkers,) = arena.games("checkers")
    for capability in checkers.facts["capabilities"]:
        assert f"    {capability}: {CAPABILITY_USES[capability]}" in str(checkers).splitlines()
