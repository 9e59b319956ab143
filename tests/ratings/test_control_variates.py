"""Luck taken out of scores: without bias, as exact evaluation has them, and to a narrower interval."""

from __future__ import annotations

import json
import os
import threading

import numpy as np
import pytest

import arena
from arena import ArenaError
from arena.errors import Stopped
from arena.ratings.control_variates import Controlled, Estimate, luck, pair_scores
from arena.results.decisions import Decisions
from commands import arena as command
from tiers import campaign, tiers

TRUTHS = [  # game, entries, who says what moves are worth, and how many plies matches begin with
    ("tic-tac-toe", "random", "greedy", "minimax", 1),
    ("checkers-4x4", "random", "alpha-beta:depth=1", "alpha-beta:depth=3", 0),
]

STOP = threading.Event()


class Fractions(arena.Agent):
    """Draws a fraction, of which not all values can be tried."""

    def choose(self, state, moves, rng):
        return moves[int(rng.random() * len(moves))]


class Torn(arena.Agent):
    """Fails when asked."""

    def choose(self, state, moves, rng):
        return moves[0]

    def explain(self, state, moves):
        raise RuntimeError("torn")


class Deadly(Torn):
    """Takes its process down when asked."""

    def explain(self, state, moves):
        os._exit(3)


class Hanging(Torn):
    """Does not answer."""

    def explain(self, state, moves):
        while True:
            pass


class Stopping(Torn):
    """Ends everything when asked."""

    def explain(self, state, moves):
        STOP.set()
        return [arena.View({"score": 0.0}) for _ in moves]


def played(first, second, control, **options):
    found = arena.match(first, second, control=control, progress=False, executor="serial", **options)
    return found.controlled


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "matches"), [(8, 60), *campaign((200, 60))])
@pytest.mark.parametrize(
    ("game", "first", "second", "control", "plies"),
    tiers(TRUTHS, quick=["tic-tac-toe"]),
    ids=lambda x: str(x),
)
def test_the_score_is_that_of_exact_evaluation(game, first, second, control, plies, runs, matches):
    options = {"game": game, "openings": f"random:{plies}" if plies else "none"}
    ahead, back = arena.exact(first, second, progress=False, **options).pairings
    truth = (ahead.score + 1 - back.score) / 2
    found = [played(first, second, control, matches=matches, seed=seed, **options) for seed in range(runs)]
    scores = np.array([one.controlled.score for one in found])
    assert abs(scores.mean() - truth) < 4 * scores.std(ddof=1) / runs**0.5
    inside = sum(one.controlled.low <= truth <= one.controlled.high for one in found) / runs
    assert inside > 0.95 - 4 * (0.05 * 0.95 / runs) ** 0.5
    if runs > 100:  # it spreads less, and as much as it says
        assert scores.var() < np.var([one.plain.score for one in found])
        said = np.mean([one.controlled.variance for one in found])
        assert scores.var(ddof=1) == pytest.approx(said, rel=0.3)


def coins(matches, flips, rng):
    """Matches of so many fair coins by turns, who has more heads wins: who flips is left to chance.

    A decision's score is what the first player is ahead after each side of the coin.
    """
    ups = rng.integers(0, 2, (matches, flips))
    signs = np.where(np.arange(flips) % 2 == 0, 1, -1)
    lead = np.cumsum((2 * ups - 1) * signs, axis=1)
    before = lead - (2 * ups - 1) * signs
    after = np.stack([before - signs, before + signs], axis=2)
    size = matches * flips
    decisions = Decisions(
        match=np.repeat(np.arange(matches), flips),
        seat=np.tile(np.arange(flips) % 2, matches),
        ply=np.tile(np.arange(flips), matches),
        first=np.arange(0, 2 * size + 1, 2),
        chosen=np.arange(0, 2 * size, 2) + ups.ravel(),
        probability=np.full(2 * size, 0.5),
        score=after.astype(float).ravel(),
    )
    return decisions, (1 + np.sign(lead[:, -1])) / 2


def test_where_values_are_known_there_is_no_luck_left():
    """Fair coins make a half of every match, and their leads say all there is to know."""
    decisions, results = coins(2000, 9, np.random.default_rng(1))
    orders, rounds = np.arange(2000) % 2, np.arange(2000) // 2
    less = results - luck(decisions, results, orders, rounds)
    assert less.mean() == pytest.approx(0.5, abs=4 * less.std() / 2000**0.5)
    assert results.std() == pytest.approx(0.5, abs=0.01)
    assert less.var() < results.var() / 10


@pytest.mark.parametrize("scores", ["nothing", "noise", "none"])
def test_values_that_say_nothing_do_no_harm(scores):
    rng = np.random.default_rng(2)
    decisions, results = coins(2000, 9, rng)
    size = len(decisions.score)
    said = {"nothing": np.zeros(size), "noise": rng.normal(size=size), "none": np.full(size, np.nan)}[scores]
    orders, rounds = np.arange(2000) % 2, np.arange(2000) // 2
    less = results - luck(decisions._replace(score=said), results, orders, rounds)
    assert less.mean() == pytest.approx(0.5, abs=0.05)
    assert less.std() < 1.1 * results.std()


def test_luck_by_hand():
    """Two rounds: values for one come of the other, where a match has won with score 1, and lost with 0."""
    match, half = np.arange(4), np.full(8, 0.5)
    score, first = np.tile([0.0, 1.0], 4), np.arange(0, 9, 2)
    chosen = np.array([1, 2, 5, 6])  # 1, 0, 1 and 0
    decisions = Decisions(match, np.zeros(4, int), np.zeros(4, int), first, chosen, half, score)
    found = luck(decisions, np.array([1.0, 0, 1, 0]), np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]))
    # a score of 1 won once in the other round, and 0 lost: of whoever was first, then of this one as first,
    # each with 1 in 1 beside 40 of the prior
    above = [0.0]
    for _ in range(3):
        above.append((0.5 + 40 * above[-1]) / 41)
    assert found == pytest.approx(np.array([1, -1, 1, -1]) * (above[3] + above[1]) / 2)
    found = luck(decisions, np.array([1.0, 0, 1, 0]), np.zeros(4, int), np.array([0, 0, 1, 1]))
    assert found == pytest.approx(np.array([1, -1, 1, -1]) * above[3])


def test_scores_of_pairs():
    results = np.array([1.0, 0.5, 0, 1, 1])
    assert pair_scores(results, np.array([0, 1, 0, 1, 0]), np.array([0, 0, 1, 1, 2])).tolist() == [0.75, 0]
    estimate = Estimate.of(np.array([0.6, 0.4, 0.55, 0.45]))
    half = 3.182446305284263 * np.std([0.6, 0.4, 0.55, 0.45], ddof=1) / 2  # t of any table, 3 degrees
    assert (estimate.score, estimate.low, estimate.high) == pytest.approx((0.5, 0.5 - half, 0.5 + half))


@pytest.mark.slow
def test_it_is_the_same_for_any_number_of_workers():
    found = [
        arena.match(
            "random", "greedy", game="connect-four", control="alpha-beta:depth=2", openings="random:4",
            matches=60, seed=3, workers=workers, progress=False,
        ).controlled
        for workers in (1, 2)
    ]  # fmt: skip
    assert found[0].controlled == found[1].controlled
    assert found[0].decisions == found[1].decisions > 200


@pytest.mark.slow
def test_it_says_where_there_is_no_luck(tmp_path):
    entries = (
        "minimax:ties=first",
        "alpha-beta:depth=2,ties=first",
        "--matches",
        "4",
        "--openings",
        "random:2",
    )
    said = command(tmp_path, "match", *entries, "--control-variate", "minimax").stdout
    assert "minimax found no luck to remove: no move was random." in said
    assert played("first", "first", "minimax", matches=2) is None  # there is one pair


def test_an_entry_that_does_not_say_how_likely_moves_are_is_named():
    found = played(Fractions, "random", "minimax", game="tic-tac-toe", matches=40, seed=1)
    assert found.decisions > 50
    assert any("does not say how likely each move is" in line for line in found.lines("A"))
    assert len(found.unsaid) == 1
    found = played(Fractions, Fractions, "minimax", game="tic-tac-toe", matches=40, seed=1)
    assert (found.decisions, found.times) == (0, 1)


@pytest.mark.slow
def test_the_command(tmp_path):
    args = ("match", "random", "greedy", "--control-variate", "minimax", "--matches", "60", "--seed", "1")
    done = command(tmp_path, *args)
    assert "With luck removed by the move scores of minimax, random scores" in done.stdout
    assert list(tmp_path.iterdir()) == []  # nothing is recorded
    said = json.loads(command(tmp_path, *args, "--json").stdout)
    plain, less = said["controlled"]["plain"], said["controlled"]["controlled"]
    assert less["high"] - less["low"] < plain["high"] - plain["low"]
    recorded = json.loads(command(tmp_path, *args, "--json", "--record").stdout)
    assert recorded["controlled"]["controlled"] == less
    assert recorded["tournament"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"control": "random"}, "random does not score moves; name another"),
        (
            {"control": "minimax", "sprt": (0, 20)},
            "a sequential test uses results only; leave control out",
        ),
        ({"control": "minimax", "isolate": True}, "plays in the sandbox, so its move probabilities"),
        ({"control": "nobody"}, "no agent called 'nobody'"),
    ],
)
def test_what_cannot_be(options, said):
    with pytest.raises(ArenaError, match=said):
        arena.match("random", "greedy", game="tic-tac-toe", matches=4, progress=False, **options)


def test_a_control_that_fails_is_to_blame():
    with pytest.raises(ArenaError, match="failed while scoring moves: RuntimeError: torn"):
        played("random", "greedy", Torn, game="tic-tac-toe", matches=4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("control", "options", "said"),
    [
        (Deadly, {}, "the process ended itself with status 3"),
        (Hanging, {"stall_seconds": 1}, "ran for over 1 s"),
    ],
)
def test_a_control_that_takes_its_worker_down_or_hangs_is_to_blame(control, options, said):
    with pytest.raises(ArenaError, match=f"{control.__name__.lower()} failed while scoring moves: .*{said}"):
        arena.match(
            "random",
            "greedy",
            control=control,
            game="tic-tac-toe",
            matches=4,
            progress=False,
            workers=1,
            **options,
        )


def test_it_can_be_stopped():
    STOP.clear()
    with pytest.raises(Stopped, match="before all moves were judged"):
        played("random", "greedy", Stopping, game="tic-tac-toe", matches=400, stop=STOP)


def test_words_for_what_it_gains():
    plain, less = Estimate(0.6, 0.5, 0.7, 0.01), Estimate(0.61, 0.58, 0.64, 0.001)
    lines = list(Controlled("judge", 9, 99, plain, less, [], 10.0, 10.0).lines("a"))
    assert lines == [
        "With luck removed by the move scores of judge, a scores 61.0 %, 95 % from 58.0 to 64.0, "
        "instead of 50.0 to 70.0.",
        "Equivalent to 10.0 times the matches, "
        "which would take 5.0 times as long. It took 10.0 s, the matches 10.0 s.",
    ]
    slow = list(Controlled("judge", 9, 99, plain, less, [], 1.0, 39.0).lines("a"))[-1]
    assert slow.startswith("Equivalent to 10.0 times the matches, which would be 4.0 times as fast.")
    worse = list(Controlled("judge", 9, 99, less, plain, [], 1.0, 1.0).lines("a"))[-1]
    assert worse.startswith("No gain: equivalent to 0.10 times the matches.")
