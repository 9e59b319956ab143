"""Tables of many entries: the same as they would be if each interval were found by itself."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import arena
from arena.api.rating import Results
from arena.errors import Stopped
from arena.ratings import maximum_likelihood, profile
from arena.ratings.leaderboard import groups_of
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.pool import counts_of_entries
from arena.ratings.statistics import POINTS
from arena.results.tally import Counts

CASES = {  # entries, matches, standard deviation of strengths in log odds, share of pairings that are played
    "round robin": (60, 2, 1.5, 1.0),
    "many matches": (50, 20, 1.5, 1.0),
    "far apart": (45, 1, 4.0, 1.0),
    "few pairings": (60, 1, 1.5, 0.2),
    "hardly any pairings": (80, 2, 1.0, 0.05),
    "with shut-outs": (50, 1, 4.0, 0.3),
    "gauntlet": (50, 1, 0.6, 0.0),
    "gauntlet of many matches": (50, 6, 1.5, 0.0),
}


def drawn(entries, matches, apart, share, seed=1):
    """Results drawn from the model; of a gauntlet of the first entry if the share is 0."""
    rng = np.random.default_rng(seed)
    strengths, totals = rng.normal(0, apart, entries), []
    for i in range(entries):
        for j in range(entries):
            if i != j and (rng.random() < share or (not share and 0 in (i, j))):
                x = strengths[i] - strengths[j] + 0.1
                weights = np.exp([x / 2, -1.0, -x / 2])
                totals.append((i, j, *rng.multinomial(matches, weights / weights.sum()).tolist()))
    return Results([str(i) for i in range(entries)], totals, lambda: iter(()))


def one_by_one(monkeypatch):
    """Have ends found with an information matrix for each."""
    for module in (profile, maximum_likelihood):
        monkeypatch.setattr(module, "MANY", 10**9)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_intervals_and_ranks_of_many_are_those_of_each_by_itself(monkeypatch, case):
    results = drawn(*CASES[case])
    together = MaximumLikelihood().fit(results)
    found = [*together.ratings, together.first_move, together.draw, together.difference(1, 2)]
    ranks = together.ranks()
    one_by_one(monkeypatch)
    alone = MaximumLikelihood().fit(results)
    expected = [*alone.ratings, alone.first_move, alone.draw, alone.difference(1, 2)]
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=1e-4)  # points, of which whole ones are shown
    assert ranks == alone.ranks()


def test_hardly_any_end_is_found_by_itself(monkeypatch):
    counted = []
    ends = profile.upper_ends

    def counting(likelihood, values, contrasts, drop):
        counted.append(len(contrasts))
        return ends(likelihood, values, contrasts, drop)

    monkeypatch.setattr(profile, "upper_ends", counting)
    for case in CASES.values():
        _ = MaximumLikelihood().fit(drawn(*case)).ratings
    assert sum(counted) < 0.05 * 2 * sum(entries for entries, *_ in CASES.values())


def test_what_is_added_by_all_matches_is_the_likelihood_itself():
    results = drawn(*CASES["few pairings"])
    fit = MaximumLikelihood().fit(results)
    near, (values, _) = fit.near, fit.maximum
    rng = np.random.default_rng(2)
    moved = rng.normal(0, 0.3, (4, 62))
    moved[:, :60] -= moved[:, :60].mean(axis=1, keepdims=True)
    at = fit.likelihood.at(values)
    there = fit.likelihood.at(values + moved)
    quadratic = moved @ at.gradient - ((moved @ at.information) * moved).sum(axis=1) / 2
    value, gradient = near.beyond_of_all(moved)
    assert value == pytest.approx(there.value - at.value - quadratic, abs=1e-9)
    assert near.value_of_all(moved) == pytest.approx(value, abs=1e-9)
    assert gradient == pytest.approx(there.gradient - at.gradient + moved @ at.information, abs=1e-9)


def test_third_derivatives_are_differences_of_the_likelihood():
    fit = MaximumLikelihood().fit(drawn(45, 3, 1.0, 1.0))
    rng = np.random.default_rng(3)
    moved = rng.normal(0, 1e-3, (3, 47))
    focus, shown = np.array([[0, 1]] * 3), np.array([[True, False], [True, True], [False, False]])
    found = fit.near.third_order(moved, focus, shown)

    # of all matches, less those in focus, the odd part beyond the linear one
    def beyond(at):
        return fit.near.beyond_of_all(at)[1] - fit.near.beyond(at, focus, shown).gradient

    assert found == pytest.approx((beyond(moved) + beyond(-moved)) / 2, rel=1e-3, abs=1e-9)


@pytest.mark.slow
def test_ratings_of_a_thousand_entries_are_those_of_an_independent_fit():
    """One parameter at a time takes Newton's step, over a list of matches, until none moves."""
    n = 1000
    rng = np.random.default_rng(5)
    strengths = rng.normal(0, 1.0, n)
    first, second = np.triu_indices(n, 1)
    won = rng.random(len(first)) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
    pairs = zip(first.tolist(), second.tolist(), won.tolist(), strict=True)
    totals = [(i, j, int(w), 0, int(not w)) for i, j, w in pairs]
    fit = MaximumLikelihood().fit(Results([str(i) for i in range(n)], totals, lambda: iter(())))

    r, h, d, tau = np.zeros(n), 0.0, 0.0, (POINTS / 1000) ** 2

    def chances():
        weights = np.exp(
            [(r[first] - r[second] + h) / 2, np.full(len(first), d), (r[second] - r[first] - h) / 2]
        )
        win, draw, _ = weights / weights.sum(axis=0)
        score = win + draw / 2
        return won - score, win + draw / 4 - score**2, draw

    for _ in range(200):
        surplus, curve, _ = chances()
        gradient = np.bincount(first, surplus, n) - np.bincount(second, surplus, n) - tau * r
        step = gradient / (np.bincount(first, curve, n) + np.bincount(second, curve, n) + tau)
        r += step
        surplus, curve, draw = chances()
        h += (surplus.sum() - tau * h) / (curve.sum() + tau)
        d += np.clip((-draw.sum() - tau * d) / ((draw * (1 - draw)).sum() + tau), -1, 1)
        if np.abs(step).max() < 1e-11:
            break
    assert fit.values[:n] == pytest.approx(
        fit.mean + POINTS * (r - r.mean()), abs=5e-6
    )  # what is left when a fit ends
    assert fit.values[n:] == pytest.approx([POINTS * h, POINTS * d], abs=5e-6)


def test_counts_of_entries_are_those_of_their_pairings():
    random.seed(1)
    names = "abcdef"
    totals = {(a, b): Counts(*(random.randrange(9) for _ in range(5))) for a in names for b in names}
    for name, found in counts_of_entries(totals).items():
        expected = Counts()
        for (first, second), counts in totals.items():
            if first != second and name in (first, second):
                expected += counts if first == name else counts.swapped()
        assert found == expected


def test_groups_are_parted_where_no_chain_of_matches_joins_them():
    pairs = [("a", "b"), ("c", "d"), ("e", "e"), ("d", "f"), ("b", "g")]
    assert groups_of(pairs) == [{"e"}, {"c", "d", "f"}, {"a", "b", "g"}]
    assert groups_of([]) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_rating_that_takes_long_at_once(tmp_path, number):
    code = """
import os, sys, time
import arena
from arena.cli.stopping import stopping
from arena.workers.pools import ending_at_once
from arena.errors import Stopped

with stopping("Rating") as stop:
    try:
        with ending_at_once(stop, "Stopped."):
            print("ready", flush=True)
            while True:
                time.sleep(0.01)
    except Stopped as stopped:
        print(stopped, stop.is_set(), flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, number)
    assert process.communicate(timeout=600)[0] == "Stopped. True\n"
    assert process.returncode == 0


@pytest.mark.parametrize("page", [None, "page.html"])
def test_a_leaderboard_that_is_asked_to_stop_before_it_begins_makes_no_table(tmp_path, page):
    db, stop = tmp_path / "arena.db", threading.Event()
    arena.tournament(["first", "random"], game="tic-tac-toe", rounds=1, db=db, progress=False)
    assert arena.leaderboard(db=db, stop=stop)
    stop.set()
    with pytest.raises(Stopped, match="before the table was complete"):
        arena.leaderboard(db=db, html=page and tmp_path / page, stop=stop)
    assert not (tmp_path / "page.html").exists()
