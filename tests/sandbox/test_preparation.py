"""Work that several sandboxed processes need is done once, by the server, if that is safe."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from pathlib import Path

import pytest

import heaps
import preparing
from arena.api.limits import UNLIMITED
from arena.errors import ArenaError
from arena.matches import remote_agent
from arena.matches.remote_agent import load_game
from arena.registry.file_offers import opened
from arena.registry.files import Reference, trusted
from arena.registry.plugins import registry
from arena.sandbox import Sandboxed, preparation
from arena.sandbox.preparation import USES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no server")


def sent(function, *args, work=(), **how):
    """Return what a function sends from a sandboxed process that is started with `work`."""
    made = Sandboxed(function, *args, targets=["preparing"], work=work, **how)
    with closing(made):
        message = made.channel.receive(60.0, 1 << 16)
        assert message is not None
        return json.loads(message)


def test_the_server_does_work_before_the_third_process():
    answers = [sent(preparing.tell, work=(preparing.note,)) for _ in range(USES + 2)]
    by = [by for by, _ in answers]
    assert by[: USES - 1] == [None] * (USES - 1)
    assert by[-1] == by[USES - 1] is not None
    assert by[-1] not in [own for _, own in answers]


@pytest.mark.parametrize(
    "function",
    [
        preparing.note_then_end,
        preparing.note_then_raise,
        preparing.note_then_start_thread,
        pytest.param(preparing.note_then_hang, marks=pytest.mark.slow),
    ],
)
def test_work_that_fails_or_leaves_threads_is_not_done(function):
    before, *_ = sent(preparing.tell)
    answers = [sent(preparing.tell, work=(function,)) for _ in range(USES + 1)]
    assert [by for by, _ in answers] == [before] * (USES + 1)


def test_work_runs_in_the_environment_of_its_processes_which_others_do_not_see():
    how = {"work": (preparing.note_environment,), "environment": {"ARENA_NOTED": "1"}}
    by, names = [sent(preparing.tell_environment, **how) for _ in range(USES)][-1]
    assert by == "1"
    assert "ARENA_NOTED" in names
    assert "ARENA_NOTED" not in sent(preparing.tell_environment)[1]


def test_a_module_that_has_changed_is_imported_again(tmp_path, monkeypatch):
    module = tmp_path / "prepared_value.py"
    module.write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    how = {"work": (preparing.load, module.stem), "files": [str(tmp_path)]}
    assert [sent(preparing.tell_value, module.stem, **how) for _ in range(USES)][-1] == [True, 1]
    module.write_text("VALUE = 1 + 1\n")
    assert sent(preparing.tell_value, module.stem, files=[str(tmp_path)]) == [False, 2]
    assert [sent(preparing.tell_value, module.stem, **how) for _ in range(USES)][-1] == [True, 2]


def test_a_module_counts_as_changed_by_its_time_and_by_its_size(tmp_path, monkeypatch):
    module = tmp_path / "stamped_value.py"
    module.write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    preparing.load(module.stem)
    (stamp,) = preparation.stamps([module.stem])
    assert preparation.stamps([module.stem]) == [stamp]
    os.utime(module, ns=(stamp.changed + 1, stamp.changed + 1))
    assert preparation.stamps([module.stem]) != [stamp]


@pytest.mark.skipif("ARENA_COMPILED" in os.environ, reason="nothing is compiled")
def test_a_game_and_its_compiled_rules_are_there():
    game = registry().spec("game", "checkers-4x4")
    how = {"work": (load_game, game)}
    name = game.target.partition(":")[0]
    assert [sent(preparing.tell_rules, name, **how) for _ in range(USES)][-1] == [True, True]


def test_only_installed_games_are_imported_in_advance(tmp_path, monkeypatch):
    asked = {}

    def recorded(*args, work, **how):
        asked[args[2].text] = work
        raise ArenaError("recorded")

    monkeypatch.setattr(remote_agent, "Sandboxed", recorded)
    (tmp_path / "own.py").write_text((Path(heaps.__file__)).read_text())
    offers = opened([("game", Reference(str(tmp_path / "own.py")))])
    known = registry().including([], offers)
    agent, own = known.spec("agent", "random"), trusted(known.spec("game", offers[0].name))
    for game in (own, known.spec("game", "tic-tac-toe")):
        with pytest.raises(ArenaError, match="recorded"):
            remote_agent.Child(agent, game, UNLIMITED, True)
    assert [bool(work) for work in asked.values()] == [False, True]
