"""Ranges of ranks in the standings of a season."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from math import sqrt

import numpy as np
import pytest
from test_season_intervals import Term

import arena
from arena.commands.season.view import SeasonRow, with_ranks
from arena.storage.season import RatedVersion
from season_term import HEAD

HOW = {"progress": False, "executor": "serial"}
TOML = """game = "tic-tac-toe"
baselines = ["random"]
rounds = 4
seed = 5
openings = "random:1"
trust = true
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    (tmp_path / "bots").mkdir()
    (tmp_path / "season.toml").write_text(TOML)
    for name, place in (("anna", "0"), ("ben", "len(moves) // 2"), ("carl", "-1")):
        (tmp_path / "bots" / f"{name}.py").write_text(f"{HEAD}        return moves[{place}]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ranges(standings):
    return {row.player: (row.best_rank, row.worst_rank) for row in standings.rows}


def row_of(player, rating, best, worst):
    return SeasonRow(
        player=player, status="plays", why="", baseline=False, rank=None, best_rank=best, worst_rank=worst,
        version=1, rating=rating, low=None, high=None, matches=1, step=None, since="",
    )  # fmt: skip


def some_order(rng, n):
    """Return a relation as that of entries surely above others: transitive, and by falling ratings."""
    above = np.triu(np.array([[rng.random() < 0.4 for _ in range(n)] for _ in range(n)]), 1)
    for _ in range(n):
        above |= above.astype(int) @ above.astype(int) > 0
    return above


@pytest.mark.parametrize("seed", range(50))
def test_ranges_without_those_who_have_gone_contain_those_among_the_others(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 9)
    above = some_order(rng, n)
    best, worst = 1 + above.sum(axis=0), n - above.sum(axis=1)
    stay = [i for i in range(n) if rng.random() < 0.7]
    gone = [
        RatedVersion(1, i, 0.0, None, None, 1, int(best[i]), int(worst[i])) for i in range(n) if i not in stay
    ]
    rows = with_ranks([row_of(str(i), -float(i), int(best[i]), int(worst[i])) for i in stay], gone, [])
    among = above[np.ix_(stay, stay)]
    for rank, row in enumerate(rows, 1):
        exact = 1 + among[:, rank - 1].sum(), len(stay) - among[rank - 1].sum()
        assert 1 <= row.best_rank <= exact[0] <= row.rank == rank <= exact[1] <= row.worst_rank <= len(stay)
        if not gone:
            assert (row.best_rank, row.worst_rank) == exact


def test_who_was_not_rated_with_the_others_may_have_any_rank():
    rows = [row_of("a", 3.0, 1, 1), row_of("new", 2.0, 5, 6), row_of("b", 1.0, 2, 2)]
    found = with_ranks(rows, [], ["new"])
    assert [(row.player, row.ranks) for row in found] == [("a", "1–2"), ("new", "1–3"), ("b", "2–3")]


def test_a_season_shows_ranges_that_hold_together(home):
    first = arena.season(**HOW)
    assert {row.rank for row in first.rows} == {1, 2, 3, 4}
    for row in first.rows:
        assert 1 <= row.best_rank <= row.rank <= row.worst_rank <= 4
        for other in first.rows:
            if row.worst_rank < other.best_rank:  # then the ratings are apart as well
                assert row.rating > other.rating
    assert first.text().splitlines()[2].split()[0] == first.rows[0].ranks


def test_ranges_follow_when_players_go_come_back_or_are_deleted(home):
    before = ranges(arena.season(**HOW))
    text = (home / "bots" / "ben.py").read_text()
    (home / "bots" / "ben.py").unlink()
    without = arena.season(**HOW)
    assert ranges(without)["ben"] == (None, None)
    assert all(worst <= 3 for player, (_, worst) in ranges(without).items() if player != "ben")
    (home / "bots" / "ben.py").write_text(text)
    assert ranges(arena.season(**HOW)) == before
    arena.seasons.delete("ben")
    deleted = ranges(arena.seasons.status())
    assert deleted == {player: of for player, of in ranges(without).items() if player != "ben"}


def test_a_season_of_before_shows_single_ranks(home):
    arena.season(**HOW)
    with closing(sqlite3.connect("season.db")) as db, db:
        db.execute("UPDATE season_ratings SET best = NULL, worst = NULL")
    found = arena.seasons.status()
    assert [row.ranks for row in found.rows] == ["1", "2", "3", "4"]


@pytest.mark.slow
def test_in_simulated_terms_all_ranges_of_present_versions_are_right_at_once():
    held, terms = 0, 100
    for seed in range(terms):
        term = Term(np.random.default_rng(seed))
        for _ in range(4):
            term.update()
        rated = term.fit().ratings(1, set(term.current))
        true = np.array([term.strengths[one.version] for one in rated])
        held += all(
            one.best <= len(true) - (true < true[i]).sum() and 1 + (true > true[i]).sum() <= one.worst
            for i, one in enumerate(rated)
        )
    assert held / terms >= 0.93 - 3 * sqrt(0.93 * 0.07 / terms)
