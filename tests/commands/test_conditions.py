"""Conditions of matches: given together, or one by one."""

from __future__ import annotations

import dataclasses

import pytest

import arena
from arena import ArenaError, Conditions
from arena.calls.arguments import ConditionKeywords

QUICK = {"game": "tic-tac-toe", "seed": 1, "progress": False}


def test_keywords_have_the_names_and_types_of_the_fields():
    fields = {field.name: field.type for field in dataclasses.fields(Conditions)}
    assert fields == {name: one.__forward_arg__ for name, one in ConditionKeywords.__annotations__.items()}
    assert [*fields] == [*ConditionKeywords.__annotations__]


@pytest.mark.slow
def test_together_they_mean_what_they_mean_one_by_one():
    under = Conditions(openings="random:2", max_plies=7)
    together = arena.match("random", "first", matches=20, conditions=under, **QUICK)
    one_by_one = arena.match("random", "first", matches=20, openings="random:2", max_plies=7, **QUICK)
    assert together == one_by_one
    assert together != arena.match("random", "first", matches=20, **QUICK)


def test_a_keyword_takes_precedence(tmp_path):
    found = arena.tournament(
        ["random", "first"], rounds=2, db=tmp_path / "arena.db", max_plies=8,
        conditions=Conditions(max_plies=6, openings="random:1"), **QUICK,
    )  # fmt: skip
    assert (found.settings["max_plies"], found.settings["openings"]) == (8, "random:1")


def test_a_tournaments_file_says_what_they_leave_out(tmp_path):
    file = tmp_path / "one.toml"
    file.write_text('entries = ["random", "first"]\nrounds = 1\nmax_plies = 5\nopenings = "random:1"\n')
    found = arena.tournament(
        file=file, db=tmp_path / "arena.db", conditions=Conditions(openings="random:2"), **QUICK
    )
    assert (found.settings["max_plies"], found.settings["openings"]) == (5, "random:2")


def test_they_do_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Conditions().max_plies = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    "call",
    [
        lambda **more: arena.match("random", "first", **more),
        lambda **more: arena.tournament(["random", "first"], **more),
        lambda **more: arena.exact("random", "first", **more),
        lambda **more: arena.tune("minimax", "depth=1..3", **more),
        lambda **more: arena.exploit("first", **more),
        lambda **more: arena.curve("q-table", "never.csv", **more),
    ],
)
def test_a_misspelt_one_is_told_with_the_right_one(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError, match="unexpected keyword argument 'stall_second', did you mean 'stall_s"):
        call(stall_second=3)


def test_one_that_means_nothing_is_told():
    with pytest.raises(ArenaError, match=r"^clock does not apply here; exact takes openings, max_plies, sta"):
        arena.exact("random", "first", game="tic-tac-toe", clock="60")
