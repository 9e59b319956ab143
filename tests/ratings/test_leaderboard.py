"""Pooling: everything counts once."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

from arena.errors import ArenaError
from arena.ledger.ledger import Ledger
from arena.matches.event import begin, run_recorded
from arena.plan.completion import complete
from arena.ratings.elo import Elo
from arena.ratings.leaderboard import leaderboard
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.ratings.pool import pooled_results, totals_of
from arena.registry.plugins import registry
from arena.results.settings import Settings
from arena.show.page import page
from arena.show.page.event import Event
from arena.show.page.standings import WIDTH, Standings
from arena.show.table import comma_separated, markdown, table
from arena.storage.database import Store
from arena.workers.pools import Serial, Workers


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "arena.db", write=True)
    yield opened
    opened.close()


def play(store, entries, **settings):
    settings = {"game": "tic-tac-toe", "entries": list(entries), "rounds": 5, "seed": 1, **settings}
    settings, plan = complete(Settings(**settings), registry())
    number = begin(store, settings, plan, registry())
    for _ in run_recorded(store, number, Ledger(plan), Workers(Serial, 1)):
        pass
    return number


def counted(store):
    parts = pooled_results(store, store.tournaments())
    return {pair: counts.matches for pair, counts in totals_of(parts.results).items()}


def test_tournaments_under_different_seeds_add_up(store):
    play(store, ["random", "greedy"], seed=1)
    play(store, ["random", "greedy"], seed=2, rounds=7)
    assert counted(store) == {("random", "greedy"): 12, ("greedy", "random"): 12}


def test_of_tournaments_under_one_seed_the_longer_counts(store):
    play(store, ["random", "greedy"], rounds=7)
    play(store, ["random", "greedy", "first"], rounds=5)
    assert counted(store)["random", "greedy"] == 7
    assert counted(store)["random", "first"] == 5


def test_one_seed_under_other_terms_is_something_else(store):
    play(store, ["random", "greedy"])
    play(store, ["random", "greedy"], openings="random:2")
    play(store, ["random", "greedy"], max_plies=7)
    assert counted(store)["random", "greedy"] == 15


def test_matches_without_chance_count_once_whatever_the_seed(store):
    for seed in (1, 2, 3):
        play(store, ["first", "minimax:ties=first"], seed=seed)
    assert counted(store) == {("first", "minimax:ties=first"): 1, ("minimax:ties=first", "first"): 1}
    board = leaderboard(store, "tic-tac-toe", store.tournaments(), MaximumLikelihood())
    assert [row.matches for row in board.rows] == [2, 2]
    assert board.notes[0].startswith("28 of 30 matches repeat others")


def test_time_limits_are_told(store):
    play(store, ["random", "first"], move_seconds=10.0)
    board = leaderboard(store, "tic-tac-toe", store.tournaments(), MaximumLikelihood())
    assert "Played with time limits, so another run may give different results." in board.notes


def test_each_entrys_line_is_its_own_matches_from_both_seats(store):
    play(store, ["random", "greedy", "first"], rounds=20)
    board = leaderboard(store, "tic-tac-toe", store.tournaments(), Elo())
    rows = store.rows(
        "SELECT name, count(*), sum(CASE WHEN first = id THEN result = 1 ELSE result = -1 END)"
        " FROM entries JOIN matches ON id IN (first, second) GROUP BY name ORDER BY name"
    )
    assert sorted((row.entry, row.matches, row.wins) for row in board.rows) == rows
    assert sum(row.wins for row in board.rows) == sum(row.losses for row in board.rows)


def test_an_entry_against_itself_is_in_no_ones_score(store):
    play(store, ["random", "random"], format="match", matches=6)
    play(store, ["random", "first"])
    board = leaderboard(store, "tic-tac-toe", store.tournaments(), MaximumLikelihood())
    assert {row.entry: row.matches for row in board.rows} == {"random": 10, "first": 10}


def test_a_sequence_holds_what_is_counted_and_no_more(store):
    entries = ["random", "first", "minimax:ties=first"]
    play(store, entries, rounds=6)
    alone = leaderboard(store, "tic-tac-toe", store.tournaments(), Elo())
    assert {row.entry: row.rating for row in alone.rows} == store.last_elo(1)  # both leave copies out
    play(store, entries, rounds=6)
    again = leaderboard(store, "tic-tac-toe", store.tournaments(), Elo())
    assert [row.rating for row in again.rows] == [row.rating for row in alone.rows]


def test_other_versions_under_one_seed_are_other_results(store):
    play(store, ["random", "first"])
    play(store, ["random", "first"])
    assert counted(store)["random", "first"] == 5
    store.db.execute("UPDATE tournaments SET versions = json_set(versions, '$.arena', '9.9') WHERE id = 2")
    store.db.conn.commit()
    assert counted(store)["random", "first"] == 10
    board = leaderboard(store, "tic-tac-toe", store.tournaments(), MaximumLikelihood())
    assert any(note.startswith("Played with several versions of arena: ") for note in board.notes)


def test_groups_that_never_met_are_told(store):
    play(store, ["random", "first"])
    assert not leaderboard(store, "tic-tac-toe", store.tournaments(), Elo()).notes
    play(store, ["greedy", "minimax"], seed=2)
    notes = leaderboard(store, "tic-tac-toe", store.tournaments(), Elo()).notes
    assert notes == [
        "These groups never met, so their relative ranking is unknown: first, random; greedy, minimax."
    ]
    play(store, ["greedy", "first"], seed=3)
    assert not leaderboard(store, "tic-tac-toe", store.tournaments(), Elo()).notes


def test_a_rating_system_that_fails_is_named(store):
    class Broken(Elo):
        """Divides by zero."""

        name = "broken"

        def rate(self, results):
            return [1 / 0]

    class Short(Broken):
        """Leaves one out."""

        def rate(self, results):
            return super(Broken, self).rate(results)[1:]

    play(store, ["random", "first"])
    for system, told in ((Broken(), "ZeroDivisionError"), (Short(), "1 ratings for 2 entries")):
        with pytest.raises(ArenaError, match=f"rating system broken failed: .*{told}"):
            leaderboard(store, "tic-tac-toe", store.tournaments(), system)


def test_an_open_interval_is_open_in_every_form(store):
    play(store, ["random", "first"])
    board = leaderboard(store, "tic-tac-toe", store.tournaments(), MaximumLikelihood())
    won, lost = (
        replace(row, rating=rating, low=low, high=high)
        for row, rating, low, high in zip(
            board.rows, (1900.0, 1100.0), (1812.0, None), (None, 1188.0), strict=True
        )
    )
    board = replace(board, rows=[won, lost])
    assert [line[3] for line in table(board)[1]] == ["≥ 1812", "≤ 1188"]
    assert "| ≥ 1812 |" in markdown(board)
    head, first, second = csv.reader(comma_separated([board]).splitlines())
    ends = [dict(zip(head, line, strict=True)) for line in (first, second)]
    assert [(row["low"], row["high"]) for row in ends] == [("1812.0", ""), ("", "1188.0")]
    above, below = (bar for _, bar in Standings(Event(board)).rows)
    assert (above.open_low, above.open_high, below.open_low, below.open_high) == (False, True, True, False)
    assert below.low < below.at < below.high < above.low < above.at < above.high < WIDTH
    shown = page([Event(board)])
    assert 'aria-label="1900 ≥ 1812"' in shown
    assert shown.count("<path d=") == 2


def test_names_are_quoted_in_every_form(store):
    play(store, ["random", "minimax:depth=1,ties=first"])
    board = leaderboard(store, "tic-tac-toe", store.tournaments(), MaximumLikelihood())
    assert '"minimax:depth=1,ties=first"' in comma_separated([board])
    object.__setattr__(board.rows[0], "entry", "<b>|")
    assert "&lt;b&gt;|" in page([Event(board)])
    assert r"| \<b\>\| |" in markdown(board)
