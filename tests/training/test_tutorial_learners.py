"""The learners of the tutorial: what the theory of each promises, compiled and plain alike."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import defaultdict
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from arena.compiler import methods, plainly, with_compiled_rules
from arena.storage.model_file import content_digest
from arena_games.tic_tac_toe import TicTacToe
from commands import arena_compiled
from paths import ROOT
from tiers import tiers

PAGE = (ROOT / "docs" / "tutorial-learners.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`(\w+)\.py`:\n\n```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
TABLES = ["q_learning", "sarsa", "monte_carlo", "n_step", "dictionary"]
ALL = [*TABLES, "td_features"]


@pytest.fixture
def learner(tmp_path):
    """Makes a learner of the page, for tic-tac-toe with compiled rules."""

    def made(name, **options):
        path = tmp_path / f"{name}.py"
        path.write_text(FILES[name])
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        (cls,) = (thing for thing in vars(module).values() if getattr(thing, "__module__", "") == name)
        return cls(with_compiled_rules(TicTacToe()), **options)

    return made


def digest(learner):
    return content_digest(learner._packed_model())


def test_the_page_has_these_learners_in_some_twenty_lines_each():
    assert sorted(FILES) == sorted(ALL)
    for name in ALL:
        body = FILES[name].split('"""')[2]
        code = [line for line in body.splitlines() if line.strip()]
        assert len(code) <= 32, name
    assert len([line for line in FILES["q_learning"].split('"""')[2].splitlines() if line.strip()]) <= 20


@pytest.mark.parametrize("name", tiers(ALL, quick=["q_learning"]))
def test_it_compiles_and_learns_the_same_to_the_bit_in_plain_python(learner, name, monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", "1")
    pupil, plain = learner(name, episodes=300), learner(name, episodes=300)
    pupil.learn_many(range(300), [0, 0, 0])
    assert methods(pupil) == {"choose": None, "learn": None}
    with plainly():
        plain.learn_many(range(300), [0, 0, 0])
    assert digest(pupil) == digest(plain)


@pytest.mark.campaign
@pytest.mark.parametrize("name", ALL)
def test_it_learns_the_same_from_all_episodes_in_plain_python(learner, name, monkeypatch):
    monkeypatch.setenv("ARENA_COMPILED", "1")
    pupil, plain = learner(name), learner(name)
    pupil.learn_many(range(pupil.episodes), [0, 0, 0])
    with plainly():
        plain.learn_many(range(plain.episodes), [0, 0, 0])
    assert digest(pupil) == digest(plain)


@pytest.mark.slow
def test_tables_lose_nothing_against_perfect_play_by_exact_evaluation(tmp_path):
    for name in TABLES:
        (tmp_path / f"{name}.py").write_text(FILES[name])
    entries = [word for name in TABLES for word in ("--entry", f"{name}.py")]
    args = ("tournament", "--exact", *entries, "--game", "tic-tac-toe", "--json")
    told = json.loads(arena_compiled(tmp_path, *args, ARENA_MODELS=str(tmp_path / "models")).stdout)
    losses = {row["entry"]: row["expected_loss"] for row in told["leaderboard"]}
    assert losses == pytest.approx({f"{name}.py": 0 for name in TABLES}, abs=1e-12)


@pytest.mark.campaign
@pytest.mark.parametrize("name", TABLES)
def test_of_five_seeds_four_or_more_never_lose_whatever_the_opponent_does(learner, name, monkeypatch):
    """After so many episodes a seed may still have learned nothing of a reply that is rare in self-play."""
    monkeypatch.setenv("ARENA_COMPILED", "1")

    def worst(seed):
        pupil = learner(name, seed=seed)
        pupil.learn_many(range(pupil.episodes), [0, 0, 0])
        game = pupil.game

        @cache
        def least(state, seat):
            """The worst result for the learner, over all that the other may do."""
            moves = game.moves(state)
            if not moves:
                return game.value(state) if game.to_move(state) == seat else -game.value(state)
            if game.to_move(state) == seat:
                moves = [pupil.choose(state, moves, None)]
            return min(least(game.play(state, move), seat) for move in moves)

        return [least(game.initial(), seat) for seat in (0, 1)]

    assert sum(worst(seed) == [0, 0] for seed in range(5)) >= 4  # perfect play draws


@pytest.mark.slow
def test_td_converges_to_its_fixed_point(learner, monkeypatch):
    """A w = b over the positions of random play (Sutton & Barto 2018, eq. 9.12), enumerated exactly."""
    monkeypatch.setenv("ARENA_COMPILED", "1")
    game = TicTacToe()
    chances = {game.initial(): Fraction(1)}
    a, b = np.zeros((5, 5)), np.zeros(5)
    while chances:
        coming = defaultdict(Fraction)
        for state, chance in chances.items():
            moves = game.moves(state)
            x = np.array([*game.features(state)])
            for move in moves:
                after, weight = game.play(state, move), chance / len(moves)
                over = not game.moves(after)
                later = np.zeros(5) if over else -np.array([*game.features(after)])  # the other's view
                a += float(weight) * np.outer(x, x - later)
                b += float(weight) * x * (-game.value(after) if over else 0)
                if not over:
                    coming[after] += weight
        chances = coming
    known = [i for i in range(5) if a[i].any()]  # three in a row is always the end
    fixed = np.linalg.solve(a[np.ix_(known, known)], b[known])
    assert known == [0, 1, 2, 3]
    found = []
    for seed in range(5):
        pupil = learner("td_features", seed=seed)
        pupil.learn_many(range(pupil.episodes), [0, 0, 0])
        found.append(np.array(pupil.weights)[known])
    assert np.abs(np.array(found) - fixed).max() < 0.02
    assert np.abs(np.mean(found, axis=0) - fixed).max() < 0.008
    assert fixed.max() > 0.2  # so that weights of 0 would be found out
