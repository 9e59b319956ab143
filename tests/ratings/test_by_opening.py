"""With openings, too, intervals hold the truth as often as they say; which results are of which opening."""

from __future__ import annotations

import sys
from itertools import groupby

import numpy as np
import pytest
from test_leaderboard import play

from arena.ratings.leaderboard import leaderboard
from arena.ratings.maximum_likelihood import SHARED, MaximumLikelihood
from arena.ratings.pool import counted_records, pooled_results
from arena.storage.database import Store
from paths import ROOT


@pytest.fixture(scope="module")
def script():
    """benchmarks/openings.py, which counts."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import openings

    yield openings
    sys.path.remove(str(ROOT / "benchmarks"))


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "arena.db", write=True)
    yield opened
    opened.close()


def within_errors(share, tournaments, low=0.93, high=0.97):
    """From 93 to 97 %, but for three standard errors of so many tournaments."""
    error = 3 * (0.95 * 0.05 / tournaments) ** 0.5
    return low - error < share < high + error


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("conditions", [(2, 20, 150, 75), (5, 6, 600, 300), (12, 20, 600, 300)])
def test_intervals_hold_the_truth(script, conditions, shared):
    found = script.covered(script.Regime(*conditions, shared=shared), 60)
    assert within_errors(found.held, 60, high=0.97 if conditions[1] >= 20 else 1)
    assert found.ranks > 0.88
    if conditions[1] >= 20:
        assert found.ranges < 1.3


@pytest.mark.slow
def test_intervals_hold_the_truth_where_one_result_is_rare(script):
    """Nearly all matches are won, so a few openings are all that differs."""
    found = script.covered(script.Regime(2, 20, apart=600), 200)
    assert found.held > 0.93 - 3 * (0.95 * 0.05 / 200) ** 0.5


@pytest.mark.campaign
@pytest.mark.parametrize("entries", [2, 5, 12, 30])
def test_intervals_hold_the_truth_in_every_regime(script, entries):
    for regime in script.REGIMES:
        if regime.entries == entries:
            found = script.covered(regime, 200)
            for share in (found.held, found.differences):
                assert share > 0.93 - 3 * (0.95 * 0.05 / 200) ** 0.5, (regime, found)
            assert found.ranks > 0.95 - 3 * (0.95 * 0.05 / 200) ** 0.5, (regime, found)
            assert regime.rounds < 20 or found.ranges < 1.3, (regime, found)


def test_what_is_true_has_the_points_and_draws_that_there_are_on_average(script):
    """The equations of maximum likelihood; where openings are worth nothing, it is what results come of."""
    regime = script.Regime(4, 50, 600, 300, 500, "common", True)
    probabilities = script.probabilities_of(regime, np.random.default_rng(1))
    truth = script.truth_of(regime, probabilities)
    first, second = script.pairings(4)
    strength = 10 ** (truth[:4] / 400)
    seat, tie = 10 ** (truth[4] / 400), 10 ** (truth[5] / 400)
    weights = np.stack(
        [strength[first] * seat**0.5, tie * (strength[first] * strength[second]) ** 0.5,
         strength[second] * seat**-0.5]
    )  # fmt: skip
    expected, there = weights / weights.sum(axis=0), probabilities.mean(axis=0).T
    for entry in range(4):
        for_entry = np.where(
            first == entry, [[1], [0.5], [0]], np.where(second == entry, [[0], [0.5], [1]], 0)
        )
        assert (for_entry * expected).sum() == pytest.approx((for_entry * there).sum(), abs=1e-6)
    assert expected.sum(axis=1) == pytest.approx(there.sum(axis=1), abs=1e-6)
    plain = script.Regime(4, 50, 0, 0, 500, "common", True)
    found = script.truth_of(plain, script.probabilities_of(plain, np.random.default_rng(1)))
    assert found == pytest.approx([250, 250 / 3, -250 / 3, -250, script.FIRST_MOVE, 300], abs=1e-3)


class Asked(MaximumLikelihood):
    """Keeps what it is asked to rate."""

    def rate(self, results):
        self.results = results
        return super().rate(results)


def rated(store, **options):
    system = Asked()
    board = leaderboard(store, "tic-tac-toe", store.tournaments(), system, **options)
    return system.results, board


def by_hand(store, results):
    """The same rows from the records of matches that are counted, one by one."""
    pool = pooled_results(store, store.tournaments())
    index = {name: i for i, name in enumerate(results.entries)}
    settings = {t.id: (t.seed, t.settings.openings) for t in pool.tournaments}
    found = []
    for t in pool.tournaments:
        if settings[t.id][1] != "none":
            one = type(pool)([t], pool.contestants, [r for r in pool.results if r.tournament == t.id], 0, [])
            for r in counted_records(store, "tic-tac-toe", one, index):
                result = [r.result == 1, r.result == 0, r.result == -1]
                pairing = () if t.settings.shared_openings else tuple(sorted((r.first, r.second)))
                found.append(((settings[t.id], pairing, r.round), r.first, r.second, *map(int, result)))
    return found


def grouped(rows):
    """Rows of each opening, whatever it is called."""
    ordered = sorted(rows, key=lambda row: row[0])
    return sorted(
        sorted(tuple(row[1:]) for row in group) for _, group in groupby(ordered, lambda row: row[0])
    )


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("openings", ["random:2", "random:1"])
def test_results_by_opening_are_those_that_are_counted(store, openings, shared):
    begun = {"openings": openings, "shared_openings": shared}
    play(store, ["random", "greedy", "first", "minimax:ties=first"], **begun, rounds=30)
    play(store, ["random", "greedy", "first"], **begun, rounds=40, seed=2)
    play(store, ["random", "first"], **begun, rounds=10, max_plies=8)  # the first one's openings
    play(store, ["random", "greedy"], rounds=10)
    results, board = rated(store)
    rows = results.openings().tolist()
    assert grouped(rows) == grouped(by_hand(store, results))
    if shared:
        assert len({row[0] for row in rows}) == 70
    assert SHARED in board.notes
    if openings == "random:1":  # of which there are nine
        assert "repeat others move for move" in board.notes[0]
    # what is left of the totals is of the tournament that has no openings
    sums = {}
    for _, first, second, *counts in rows:
        sums[first, second] = sums.get((first, second), np.zeros(3)) + counts
    left = {(a, b): np.array(counts) - sums[a, b] for a, b, *counts in results.totals}
    met = {*map(results.entries.index, ("random", "greedy"))}
    assert {pair: counts.sum() for pair, counts in left.items() if counts.any()} == {
        (a, b): 10 for a in met for b in met if a != b
    }


def test_a_line_of_a_book_is_one_opening_however_often_it_is_played(store, tmp_path):
    """By what was played, under two seeds and two names of the book."""
    lines = ["5 1", "1 5", "1 3", "2 5", "9 4"]
    for name, seed, rounds in (("one.txt", 1, 13), ("two.txt", 2, 7)):
        (tmp_path / name).write_text("\n".join(lines))
        play(store, ["random", "greedy"], openings=str(tmp_path / name), rounds=rounds, seed=seed)
    results, _ = rated(store)
    found = grouped(results.openings().tolist())
    played = store.rows("SELECT substr(moves, 1, 3), first, second, result FROM matches")
    names = {id: results.entries.index(name) for name, id in store.entry_ids("tic-tac-toe").items()}
    expected = [
        (line, names[a], names[b], int(result == 1), int(result == 0), int(result == -1))
        for line, a, b, result in played
    ]
    assert {line for line, *_ in expected} == {*lines}
    assert found == grouped(expected)


def test_matches_that_begin_at_the_start_are_independent(store):
    play(store, ["random", "greedy", "first"])
    results, board = rated(store)
    assert results.openings is None
    assert SHARED not in board.notes


def test_a_leaderboard_with_openings_has_the_intervals_of_its_results_by_opening(store):
    play(store, ["random", "greedy", "first"], openings="random:3", rounds=60)
    results, board = rated(store, doubts=True)
    results.openings = None
    independent = dict(zip(results.entries, MaximumLikelihood().rate(results), strict=True))
    for row in board.rows:
        rating = independent[row.entry]
        assert row.rating == rating.value
        assert (row.low, row.high) != (rating.low, rating.high)
        assert 0.4 < (row.high - row.low) / (rating.high - rating.low) < 2
