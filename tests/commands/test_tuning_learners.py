"""`arena.tune` for learners: candidates, halving over training seeds, confirmation, and going on."""

from __future__ import annotations

import json
import threading
import xml.etree.ElementTree as xml
from functools import partial
from statistics import fmean

import pytest
from test_comparing import Higher, Rises, Steady

import arena
from arena import Agent, ArenaError
from arena.commands.tune.halving import Halving
from commands import arena as command


class Highest(Agent):
    """Names 29."""

    def choose(self, state, moves, rng):
        return 29


VALUES = [2.0, 5.0, 8.0, 14.0]


@pytest.fixture(autouse=True, scope="module")
def _plain():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_COMPILED", "0")
        yield


def tune(over=None, entry=Rises, **how):
    asked = {"game": Higher, "against": Steady, "rounds": 10, "executor": "serial", "progress": False}
    return arena.tune(entry, {"talent": VALUES} if over is None else over, **{**asked, **how})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    file = tmp_path_factory.mktemp("tuned") / "tune.jsonl"
    return tune(to=file, confirm_seeds=5), file


def test_the_best_value_is_found_and_confirmed_on_fresh_seeds(whole):
    found, file = whole
    assert found.values == {"talent": 14.0}
    assert found.tuned == "rises:talent=14"
    assert found.better
    assert "Better: rises:talent=14 scores +" in str(found)
    lines = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    search = {line["seed"] for line in lines if line["candidates"] != [-1, -2]}
    fresh = {line["seed"] for line in lines if line["candidates"] == [-1, -2]}
    assert len(fresh) == 5
    assert not search & fresh


def test_the_budget_is_kept_and_episodes_are_counted(whole):
    found, _ = whole
    assert found.trainings == len(found.to_dicts()) <= 16
    assert found.episodes == 4 * found.trainings
    assert [one.candidates for one in found.rounds] == [4, 2]
    assert sorted(found.dropped) == [0, 1, 1, 2]


def test_scores_are_shares_of_points_over_both_seats_and_all_opponents():
    """From 17 on a learner beats all that `Steady` names, and never what `Highest` names, 29."""
    found = tune("talent=18|18.5", against=[Steady, Highest], rounds=3, trainings=4, confirm_seeds=2)
    assert all(score == 0.5 for scores in found.scores for score in scores)
    assert "against steady, highest" in str(found)


def test_what_is_kept_is_not_played_again(whole):
    found, file = whole
    before = file.read_bytes()
    assert tune(to=file, confirm_seeds=5).to_dict() == found.to_dict()
    assert file.read_bytes() == before


@pytest.mark.parametrize("kept", [1, 3, 6])
def test_killed_it_goes_on_from_any_line_even_one_cut_off_and_ends_the_same(whole, tmp_path, kept):
    found, file = whole
    lines = file.read_bytes().splitlines(keepends=True)
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"".join(lines[:kept]) + lines[kept][:20])
    assert tune(to=part, confirm_seeds=5).to_dict() == found.to_dict()
    assert part.read_bytes() == file.read_bytes()


def test_stopped_it_keeps_what_was_played(whole, tmp_path, monkeypatch):
    found, _ = whole
    stop, part, counted = threading.Event(), tmp_path / "part.jsonl", Halving.counted

    def stopping(self, *args):
        stop.set()
        return counted(self, *args)

    monkeypatch.setattr(Halving, "counted", stopping)
    stopped = tune(to=part, confirm_seeds=5, stop=stop)
    assert stopped.stopped
    assert stopped.trainings == 4
    assert "has not been compared" in str(stopped)
    monkeypatch.setattr(Halving, "counted", counted)
    assert tune(to=part, confirm_seeds=5).to_dict() == found.to_dict()


def test_a_range_is_spread_evenly_or_by_ratio_if_it_is_wide():
    found = tune("talent=2..10", candidates=5, trainings=12, rounds=1, confirm_seeds=2)
    assert [choice["talent"] for choice in found.choices] == [2, 4, 6, 8, 10]
    found = tune("talent=0.1..10,episodes=1..3", candidates=3, trainings=5, rounds=1, confirm_seeds=2)
    assert [choice["talent"] for choice in found.choices] == [0.1, 1, 10]
    assert sorted(choice["episodes"] for choice in found.choices) == [1, 2, 3]


def test_lists_of_values_are_combined():
    found = tune("talent=1|2,episodes=1|2", trainings=6, rounds=1, confirm_seeds=2)
    assert [tuple(choice.values()) for choice in found.choices] == [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_the_start_is_not_compared_with_itself():
    found = tune(entry=partial(Rises, talent=14.0), confirm_seeds=2)
    assert found.tuned == found.entry
    assert not found.better
    assert "No improvement was found" in str(found)


def test_the_figure_has_a_line_for_each_candidate(whole, tmp_path):
    found, file = whole
    plot = tmp_path / "tune.svg"
    tune(to=file, confirm_seeds=5, plot=plot)
    root = xml.parse(plot).getroot()
    lines = [line.get("points").split() for line in root.findall(".//{*}polyline")]
    assert [len(points) for points in lines] == [len(scores) for scores in found.scores]
    assert "talent=14" in "".join(root.itertext())


@pytest.mark.parametrize(
    ("over", "how", "why"),
    [
        ("talent=1", {}, "there are 1 candidates, but must be from 2"),
        ("talent=1|x", {}, "takes a number from 0 to 20"),
        ("talent=1|30", {}, "takes a number from 0 to 20"),
        ("talen=1|2", {}, "no option 'talen', did you mean 'talent'"),
        ("seed=1|2", {}, "determines the trainings"),
        ("talent=1|2", {"trainings": 1}, "2 candidates need at least 2"),
        ("talent=1|2", {"matches": 100}, "matches is not for learners"),
        ("talent=1|2", {"confirm": 100}, "confirm is not for learners"),
        ("talent=1|2", {"against": "nobody"}, "no agent called 'nobody'"),
        ({}, {}, "no range is given"),
    ],
)
def test_what_cannot_be_tuned_is_refused_in_one_line(over, how, why):
    with pytest.raises(ArenaError, match=r"^[^\n]*$") as error:
        tune(over, **how)
    assert why in str(error.value)


def test_what_is_for_learners_is_refused_for_others():
    with pytest.raises(ArenaError, match=r"trainings.* is for learners, and minimax does not learn"):
        tune("depth=1..2", entry="minimax", game="tic-tac-toe", against=None, rounds=None, trainings=9)


def test_a_file_of_another_question_or_kind_is_refused(whole, tmp_path):
    _, file = whole
    with pytest.raises(ArenaError, match="was begun with seed 0, not 1"):
        tune(to=file, confirm_seeds=5, seed=1)
    other = tmp_path / "other.jsonl"
    other.write_text(file.read_text().replace('"scores": [', '"scores": ["'))
    with pytest.raises(ArenaError, match=r"was changed since .*; name another"):
        tune(to=other, confirm_seeds=5)


def test_the_command_tunes_a_learner(tmp_path):
    line = "tune q-table:episodes=3 --range alpha=0.1|0.5 --rounds 1 --trainings 2 --confirm-seeds 2 --json"
    found = json.loads(command(tmp_path, *line.split(), "--game", "tic-tac-toe").stdout)
    assert found["trainings"] == 2
    assert found["episodes"] == 6


ALPHAS = [0.01, 0.03, 0.1, 0.3, 1.0]
EPISODES, GRID = 20_000, 16  # of a training; training seeds of a full grid


@pytest.mark.slow
def test_it_finds_the_best_alpha_of_q_table_with_a_quarter_of_the_full_grids_episodes(monkeypatch):
    """Which is the best is computed exactly, of learners with other seeds."""
    monkeypatch.delenv("ARENA_COMPILED")
    how = {"game": "tic-tac-toe", "progress": False}
    scores = {}
    for alpha in ALPHAS:
        exact = [
            arena.exact(f"q-table:episodes={EPISODES},alpha={alpha},seed={seed}", "random", **how).pairings
            for seed in (101, 102)
        ]
        scores[alpha] = fmean((first.score + 1 - second.score) / 2 for first, second in exact)
    best = max(ALPHAS, key=lambda alpha: scores[alpha])
    quarter = len(ALPHAS) * GRID // 4
    found = arena.tune(
        f"q-table:episodes={EPISODES},alpha=0.01", {"alpha": ALPHAS}, trainings=quarter, rounds=300, **how,
        confirm_seeds=2,
    )  # fmt: skip
    assert found.values == {"alpha": best}
    assert found.episodes <= len(ALPHAS) * GRID * EPISODES / 4
