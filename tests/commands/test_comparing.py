"""`arena.compare`: learners over training seeds."""

from __future__ import annotations

import json
import threading
from functools import partial
from statistics import fmean

import numpy as np
import pytest

import arena
from arena import Agent, ArenaError, Learner, Stopped, option
from arena.commands.compare import call
from commands import arena as command
from higher import Higher
from records import query


class Rises(Learner):
    """Learns from which number on it names one of the next ten."""

    talent: float = option(5.0, "the mean of what it learns", low=0, high=20)
    episodes: int = option(4, "how many episodes", low=1)

    def prepare(self):
        self.skill = np.zeros(1)

    def learn(self, episode, rng):
        self.skill[0] += (self.talent + 2 * rng.random() - 1) / self.episodes
        return 0

    def model(self):
        return {"skill": self.skill}

    def recall(self, model):
        self.skill[:] = model["skill"]

    def choose(self, state, moves, rng):
        return min(29, max(0, int(self.skill[0]) + rng.below(10)))


class Steady(Agent):
    """Names one of ten numbers."""

    def choose(self, state, moves, rng):
        return 5 + rng.below(10)


@pytest.fixture(autouse=True, scope="module")
def _plain():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_COMPILED", "0")
        yield


BETTER, WORSE = "rises:talent=12", "rises:talent=3"


def talented(talent):
    return partial(Rises, talent=talent)


def compare(tmp_path, *entries, **how):
    entries = entries or (talented(12.0), talented(3.0))
    asked = {"game": Higher, "seeds": 4, "rounds": 6, "executor": "serial", "progress": False}
    return arena.compare(*entries, db=tmp_path / "arena.db", **{"against": Steady, **asked, **how})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    return compare(folder), folder


@pytest.mark.slow
def test_the_better_learner_is_found(whole):
    found, _ = whole
    (one,) = found.differences
    assert found.methods == [BETTER, WORSE]
    assert one.decided
    assert one.difference > 0.2
    assert one.improvement.value == 1.0
    assert "rises:talent=12 is better than rises:talent=3" in str(found)


def test_scores_are_those_of_the_recorded_matches_and_pairs_are_of_one_seed(whole):
    found, folder = whole
    rows = query(folder / "arena.db", "SELECT first, second, round, result FROM results")
    scores = {}
    for first, second, round, result in rows:
        entry, points = (first, (1 + result) / 2) if first != "steady" else (second, (1 - result) / 2)
        scores.setdefault((entry, round // 6), []).append(points)
    assert len(scores) == 8  # each seed of a learner played in the rounds of one seed alone
    assert {len(points) for points in scores.values()} == {12}
    for method, mean in zip(found.methods, found.scores, strict=True):
        own = [fmean(points) for (entry, _), points in scores.items() if text(entry) == method]
        assert mean.mean.value == pytest.approx(fmean(own))
        by_seed = [row["score"] for row in found.to_dicts() if row["method"] == method]
        expected = {seed: fmean(points) for (entry, seed), points in scores.items() if text(entry) == method}
        assert by_seed == pytest.approx([expected[seed] for seed in range(4)])


def text(entry):
    """Return an entry without its seed."""
    name, _, options = entry.partition(":")
    kept = [one for one in options.split(",") if one and not one.startswith("seed=")]
    return f"{name}:{','.join(kept)}" if kept else name


def test_the_same_call_plays_nothing_twice(whole):
    found, folder = whole
    again = compare(folder)
    assert again.to_dict() == found.to_dict()
    assert query(folder / "arena.db", "SELECT count(*) FROM tournaments") == [(1,)]


def test_interrupted_it_goes_on_and_ends_the_same(whole, tmp_path, monkeypatch):
    found, _ = whole
    stop, run = threading.Event(), call.run_recorded

    def interrupted(*args):
        for done, all in run(*args):
            if done >= 20:
                stop.set()
            yield done, all

    monkeypatch.setattr(call, "run_recorded", interrupted)
    monkeypatch.setattr("arena.matches.driver.BLOCK_SECONDS", 1e-4)
    with pytest.raises(Stopped, match=r"^Stopped after \d+ of 96 matches at higher; "):
        compare(tmp_path, stop=stop)
    before = query(tmp_path / "arena.db", "SELECT count(*) FROM results")[0][0]
    assert 20 <= before < 96
    monkeypatch.undo()
    monkeypatch.setenv("ARENA_COMPILED", "0")
    again = compare(tmp_path)
    assert {**again.to_dict(), "db": ""} == {**found.to_dict(), "db": ""}


def test_three_methods_play_each_other_and_p_values_are_adjusted(tmp_path):
    found = compare(tmp_path, talented(12.0), talented(3.0), Steady, against=())
    assert [(one.first, one.second) for one in found.differences] == [
        (BETTER, WORSE), (BETTER, "steady"), (WORSE, "steady"),
    ]  # fmt: skip
    assert all(one.adjusted >= one.p_value for one in found.differences)
    assert sum(one.mean.value for one in found.scores) == pytest.approx(1.5)
    assert "adjusted" in str(found)


def test_two_games_are_two_tournaments_and_their_scores_are_pooled(tmp_path):
    class_of = {"game": ["tic-tac-toe", "connect-four"], "against": "random", "seeds": 2, "rounds": 1}
    found = compare(tmp_path, "q-table:episodes=3", "double-q:episodes=3", **class_of)
    assert [one.game for one in found.games] == ["tic-tac-toe", "connect-four"]
    assert len(found.to_dicts()) == 2 * 2 * 2
    first = found.methods[0]
    own = [row for row in found.to_dicts() if row["method"] == first]
    games = ("tic-tac-toe", "connect-four")
    by_game = [fmean(row["score"] for row in own if row["game"] == game) for game in games]
    assert found.scores[0].mean.value == pytest.approx(fmean(by_game))


@pytest.mark.parametrize(
    ("entries", "how", "why"),
    [
        (["q-table"], {}, "nothing to compare"),
        (["q-table", "q-table"], {}, "'q-table' is named twice"),
        (["minimax", "random"], {}, "learns, so there are no training seeds"),
        (["q-table:seeds=3", "minimax"], {}, "has seeds=3; leave it out"),
        (["q-table", "minimax"], {"seeds": 1}, "seeds is 1, but must be from 2"),
        (["q-table", "human"], {}, "plays at the terminal"),
        (["q-table", "minimax"], {"detect": 5}, "detect is 5"),
        (["q-table", "minimax"], {"game": ["tic-tac-toe"] * 2}, "named twice"),
        (["q-table", "minimax"], {"clock": "60"}, "clock does not apply here"),
    ],
)
def test_what_cannot_be_compared_is_refused(tmp_path, entries, how, why):
    with pytest.raises(ArenaError, match=r"^[^\n]*$") as error:
        compare(tmp_path, *entries, **{"game": "tic-tac-toe", "against": "random", **how})
    assert why in str(error.value)


@pytest.mark.slow
def test_any_number_of_workers_finds_the_same(tmp_path):
    options = {"game": "tic-tac-toe", "against": "random", "openings": "random:2", "executor": "processes"}
    found = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        one = compare(folder, "q-table:episodes=30", "double-q:episodes=30", workers=workers, **options)
        found.append({**one.to_dict(), "db": ""})
    assert found[0] == found[1]


def test_the_command_prints_json_and_a_table(tmp_path):
    line = "compare A=q-table:episodes=5 B=double-q:episodes=5 --against random --seeds 2 --rounds 2"
    line = [*line.split(), "--game", "tic-tac-toe", "--executor", "serial"]
    found = json.loads(command(tmp_path, *line, "--json").stdout)
    assert [one["name"] for one in found["methods"]] == ["A", "B"]
    assert len(found["scores"]) == 4
    shown = command(tmp_path, *line)
    assert "first  second  difference" in shown.stdout
    assert "with 2 seeds" in shown.stderr
