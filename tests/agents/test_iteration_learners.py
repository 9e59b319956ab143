"""Learners that iterate: as published, with their options, the same to the bit, and sound."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest
from test_value_iteration import BOTH, by_algebra, scores, worth

from arena import ArenaError, Rng
from arena.compiler import is_compiled, plainly
from arena.registry.plugins import registry
from arena.testing import check_agent
from arena_agents.planning.value_iteration import PolicyIteration, ValueIteration
from heaps import Heap
from learning import digest, learner, spec, taught
from paths import ROOT
from tiers import campaign, slow, tiers

STORED = ROOT / "tests" / "data" / "published_v_4x4.csv"

# --- as published -----------------------------------------------------------------------------------------


def won(game, state, seat):
    return float(worth(game, state, seat) > 0)


def chance_to_win(pupil):
    """As BLUE, RED moving at random; what goes on for ever is not won."""
    wins = by_algebra(pupil.game, 0, pupil.distribution, 1 - 1e-12, won)
    return wins[pupil.game.initial()]


@pytest.mark.slow
def test_as_published_it_never_converges_and_knows_little():
    pupil = taught("value-iteration:published=true,episodes=40", "checkers-4x4")
    found = pupil.findings()
    assert found["sweep"] == list(range(40))
    assert found["change"] == pytest.approx([10000 * 0.9**i for i in range(40)], rel=1e-12)
    model = pupil.model()
    blue = np.array([pupil.game.to_move(tuple(state)) == 0 for state in model["states"].tolist()])
    assert blue.sum() == 2216
    assert (model["best"][blue] == -1).sum() == 1815
    assert model["converged"].tolist() == [0]


def board_of(game, state):
    """Row by row from y = 0: `.` empty, `b` and `B` BLUE's man and king, `r` and `R` RED's."""
    standing = dict(zip(game.cells, (".brBR"[game.piece(state, cell)] for cell in range(8)), strict=True))
    return "".join(standing.get((x, y), ".") for y in range(4) for x in range(4))


@pytest.mark.slow
def test_as_published_its_values_are_those_that_the_program_has_stored():
    """Each of the 2,216 after 33 sweeps, most to the bit and the others to the last digit."""
    lines = [line for line in STORED.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    stored = {row["board"]: float(row["value"]) for row in csv.DictReader(lines)}
    assert len(stored) == 2216
    assert sum(value != 0 for value in stored.values()) == 401
    pupil = taught("value-iteration:published=true,episodes=33", "checkers-4x4")
    model = pupil.model()
    found = {
        board_of(pupil.game, tuple(state)): value
        for state, value in zip(model["states"].tolist(), model["own"].tolist(), strict=True)
        if pupil.game.to_move(tuple(state)) == 0
    }
    assert found.keys() == stored.keys()
    for board, value in stored.items():
        assert found[board] == pytest.approx(value, rel=1e-15, abs=0), board


@pytest.mark.slow
def test_as_published_it_plays_little_better_than_at_random_and_mended_it_always_wins():
    game = registry().spec("game", "checkers-4x4").make()
    assert chance_to_win(spec("random").make(game)) == pytest.approx(0.6304, abs=5e-5)
    published = taught("value-iteration:published=true,episodes=40", "checkers-4x4")
    assert chance_to_win(published) == pytest.approx(0.640568, abs=5e-7)
    assert chance_to_win(taught("value-iteration", "checkers-4x4")) == pytest.approx(1, abs=5e-5)


def test_what_cannot_be_as_published_is_told():
    with pytest.raises(ArenaError, match=r"published=true has its own opponent; leave out opponent=opt"):
        spec("value-iteration:published=true,opponent=optimal")
    with pytest.raises(ArenaError, match="tic-tac-toe has no null_move; leave"):
        learner("value-iteration:published=true")


# --- options ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_is_done_when_nothing_changes_by_more_than_the_threshold():
    for threshold in (100, 1, 1e-9, 0):
        pupil = taught(f"value-iteration:threshold={threshold}", "checkers-4x4")
        *earlier, last = pupil.findings()["change"]
        assert last <= threshold < min(earlier)
        assert pupil.model()["converged"].tolist() == [1]


@pytest.mark.slow
def test_policy_iteration_needs_a_discount_where_play_can_come_back():
    """The start of checkers on 4 x 4 is drawn; a first round would lose, and no one move mends that."""
    pupil = learner("policy-iteration:opponent=optimal,gamma=1", "checkers-4x4")
    for _ in range(2):
        with pytest.raises(
            ArenaError, match=r"gamma=1: at checkers-4x4 play can .*; take gamma below 1, or v"
        ):
            pupil.learn_many(range(9), [0, 0, 0])
    assert taught("value-iteration:opponent=optimal,gamma=1", "checkers-4x4").findings()["start"][-1] == 0


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.slow
def test_what_is_not_done_goes_on_and_what_is_done_stays(name):
    pupil = taught(f"{name}:episodes=2", "checkers-4x4")
    assert pupil.model()["converged"].tolist() == [0]
    assert len(pupil.findings()["start"]) == 2
    done = learner(f"{name}:episodes=900", "checkers-4x4")
    done.learn_many(range(300), [0, 0, 0])
    before, sweeps = digest(done), len(done.findings()["start"])
    assert sweeps < 300
    done.learn_many(range(300, 900), [0, 0, 0])
    assert digest(done) == before
    other = learner(f"{name}:episodes=900", "checkers-4x4")
    other.recall(done.model())
    assert other.findings() == done.findings()
    assert digest(other) == before


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.slow
def test_no_more_positions_are_taken_than_the_limit(name):
    taught(f"{name}:limit=5478,episodes=1")
    with pytest.raises(ArenaError) as told:
        taught(f"{name}:limit=5477,episodes=1")
    assert str(told.value) == (
        "tic-tac-toe has more than 5,477 positions: 5,478 are reached within 9 plies; "
        "raise limit, or use a learner that plays games, such as q-table"
    )


@pytest.mark.parametrize(
    ("opponent", "said"),
    [
        (
            "alpha-beta:seconds=0.1",
            "seconds=0.1 does not report the probabilities of its moves; name",
        ),
        ("q-table:episodes=9", "'q-table:episodes=9' has not learned tic-tac-toe yet; train it"),
    ],
)
@pytest.mark.slow
def test_an_opponent_that_does_not_say_how_it_moves_is_told_each_time(opponent, said):
    pupil = learner(f"value-iteration:opponent=({opponent})")
    for _ in range(2):
        with pytest.raises(ArenaError, match=re.escape(said)):
            pupil.learn_many(range(9), [0, 0, 0])


# --- the same to the bit, and sound -----------------------------------------------------------------------

SAME = [
    ("value-iteration:episodes=6", "tic-tac-toe"),
    ("value-iteration:episodes=6,opponent=optimal", "checkers-4x4"),
    ("value-iteration:episodes=6,published=true", "checkers-4x4"),
    ("policy-iteration:episodes=6,threshold=10", "checkers-4x4"),
    ("policy-iteration:episodes=6,opponent=(greedy)", "tic-tac-toe"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "game"),
    tiers(
        SAME,
        quick=["value-iteration:episodes=6"],
        slow=["value-iteration:episodes=6,opponent=optimal", "policy-iteration:episodes=6,threshold=10"],
    ),
)
def test_plain_and_compiled_come_to_the_same(text, game):
    compiled = taught(text, game)
    assert is_compiled(compiled)
    with plainly():
        assert digest(taught(text, game)) == digest(compiled)


@pytest.mark.parametrize(("text", "game"), [("value-iteration:win=9", "checkers-4x4"), *SAME])
@pytest.mark.slow
def test_iteration_cut_anywhere_comes_to_the_same(text, game):
    whole = taught(text, game)
    assert digest(whole) == digest(taught(text, game, cuts=(1, 2, 5)))
    assert digest(whole) != digest(taught(f"{text},gamma=.8", game))


@pytest.mark.parametrize("game", [*slow("tic-tac-toe", "plain"), *campaign("checkers-4x4")])
@pytest.mark.parametrize("cls", [ValueIteration, PolicyIteration])
def test_both_conform(cls, game):
    """A round has many sweeps, which take long in plain Python, unless the threshold is high."""
    options = {"threshold": 50} if game == "checkers-4x4" else {}
    check_agent(cls, Heap() if game == "plain" else registry().spec("game", game).make(), options=options)


@pytest.mark.slow
def test_where_play_cannot_come_to_nothing_is_known():
    pupil = taught("value-iteration:episodes=3", "checkers-4x4")
    game = pupil.game
    state = game.read_position("B:W1:B5,6,7,8")  # four of BLUE's, which had two
    moves = game.moves(state)
    assert len(moves) > 2
    assert {pupil.choose(state, list(moves), Rng(seed)) for seed in range(100)} == set(moves)
    assert pupil.distribution(state, moves) == [1 / len(moves)] * len(moves)
    assert set(scores(pupil, "B:W1:B5,6,7,8").values()) == {None}


@pytest.mark.parametrize("array", ["first", "best", "own", "other"])
def test_a_model_that_does_not_fit_is_told(array):
    pupil = taught("value-iteration:episodes=1")
    model = {**pupil.model()}
    model[array] = model[array][:-1]
    with pytest.raises(ArenaError, match=rf"its {array} are \[547\d\], for 5478 positions"):
        learner("value-iteration:episodes=1").recall(model)


def test_a_model_of_another_game_or_cut_short_is_told():
    model = taught("value-iteration:episodes=1").model()
    with pytest.raises(ArenaError, match=r"its states are int64\[5478, \d\], not those of checkers-4x4"):
        learner("value-iteration:episodes=1", "checkers-4x4").recall(model)
    with pytest.raises(ArenaError, match=r"its scores are \[\d+\], for 5478 positions"):
        learner("value-iteration:episodes=1").recall({**model, "scores": model["scores"][:-1]})
