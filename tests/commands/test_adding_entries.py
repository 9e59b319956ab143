"""An entry that joins a tournament plays its own matches, and all is as if it had been there at first."""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import replace

import pytest

import arena
from arena import Agent
from arena.errors import ArenaError
from arena.matches.event import add_entries, with_added
from arena.registry.plugins import registry
from arena.storage.database import Store
from commands import arena as command
from records import check_sums, query

QUIET = {"progress": False, "executor": "serial"}
SOME = ["random", "first", "greedy", *(f"minimax:depth={depth},ties=first" for depth in range(1, 4))]
MATCHES = "SELECT first, second, round, result, moves FROM results ORDER BY 1, 2, 3"


def both(tmp_path, entries, added, **how):
    """A tournament to which some were added, and one with all."""
    how = {"game": "tic-tac-toe", "seed": 4, "rounds": 3, **how, **QUIET}
    begun = arena.tournament(entries, db=tmp_path / "begun.db", **how)
    grown = begun
    for entry in added:
        grown = arena.resume(add=[entry], db=tmp_path / "begun.db", **QUIET)
    whole = arena.tournament([*entries, *added], db=tmp_path / "whole.db", **how)
    return begun, grown, whole


@pytest.mark.parametrize("how", [{}, {"openings": "random:2"}, {"format": "gauntlet:first=2"}])
def test_an_added_entry_plays_its_matches_alone(tmp_path, how):
    begun, grown, whole = both(tmp_path, SOME[:4], SOME[4:], **how)
    assert grown.number == begun.number
    assert (grown.played, grown.planned) == (whole.played, whole.planned)
    assert query(tmp_path / "begun.db", MATCHES) == query(tmp_path / "whole.db", MATCHES)
    for one, other in zip(grown.leaderboard.rows, whole.leaderboard.rows, strict=True):
        assert replace(one, elo=None) == replace(other, elo=None)  # but for Elo, match by match
    check_sums(tmp_path / "begun.db")
    without_new = "SELECT count(*) FROM results WHERE number >= ? AND ? NOT IN (first, second) AND ? NOT IN"
    found = query(tmp_path / "begun.db", f"{without_new} (first, second)", begun.played, *SOME[4:])
    assert found == [(0,)]


@pytest.mark.slow
def test_one_that_joins_seventeen_plays_34_pairings_a_round(tmp_path):
    ways = [f"depth={depth},ties={ties}" for depth in (1, 2, 3, 4) for ties in ("first", "random")]
    entries = ["random", *(f"{name}:{way}" for name in ("minimax", "alpha-beta") for way in ways)]
    assert len(entries) == 17
    begun, grown, whole = both(tmp_path, entries, ["minimax"], rounds=2)
    assert begun.played == 2 * 17 * 16
    assert grown.played - begun.played == 2 * 34
    assert [(row.entry, row.rating) for row in grown.leaderboard.rows] == [
        (row.entry, row.rating) for row in whole.leaderboard.rows
    ]


class Crash(Agent):
    """Fails at once."""

    def choose(self, state, moves, rng):
        raise ValueError("no")


@pytest.mark.parametrize("place", [0, 1, 2])
def test_who_was_withdrawn_forfeits_against_those_who_join(tmp_path, place):
    entries = ["random", "first"]
    entries.insert(place, Crash)
    how = {"game": "tic-tac-toe", "seed": 1, "rounds": 4, "withdraw_after": 1, "db": tmp_path / "arena.db"}
    arena.tournament(entries, **how, **QUIET)
    grown = arena.resume(add=["greedy"], own=[Crash], db=tmp_path / "arena.db", **QUIET)
    assert (grown.finished, grown.played, grown.planned) == (True, 48, 48)
    theirs = "SELECT count(*), sum(reason = 'withdrawn') FROM results WHERE 'greedy' IN (first, second)"
    found = query(tmp_path / "arena.db", f"{theirs} AND 'crash' IN (first, second)")
    assert found == [(8, 8)]
    rounds = "SELECT DISTINCT rounds FROM elo ORDER BY 1"
    assert query(tmp_path / "arena.db", rounds) == [(n,) for n in range(1, 9)]
    check_sums(tmp_path / "arena.db")


def test_two_who_add_at_once_do_not_lose_either(tmp_path):
    path = tmp_path / "arena.db"
    arena.tournament(["random", "first"], game="tic-tac-toe", rounds=2, db=path, **QUIET)
    with closing(Store(str(path), write=True)) as store:
        late = with_added(store, 1, ["minimax"], {}, registry())
        arena.resume(1, add=["greedy"], db=path, **QUIET)
        with pytest.raises(ArenaError, match="added to tournament 1 meanwhile; add 'minimax' again"):
            add_entries(store, 1, *late, registry())
    grown = arena.resume(1, add=["minimax"], db=path, **QUIET)
    assert (grown.played, [row.entry for row in grown.leaderboard.rows].count("minimax")) == (24, 1)
    check_sums(path)


def test_one_can_join_what_was_stopped(tmp_path):
    stop = threading.Event()
    stop.set()
    how = {"game": "tic-tac-toe", "seed": 4, "rounds": 3, **QUIET}
    stopped = arena.tournament(SOME[:3], db=tmp_path / "arena.db", stop=stop, **how)
    assert not stopped.finished
    grown = arena.resume(stopped.number, add={"Deep": "minimax"}, db=tmp_path / "arena.db", **QUIET)
    arena.tournament([*SOME[:3], "minimax"], db=tmp_path / "whole.db", **how)
    assert grown.finished
    assert query(tmp_path / "arena.db", MATCHES) == query(tmp_path / "whole.db", MATCHES)
    assert "Deep" in {row.name for row in grown.leaderboard.rows}


@pytest.mark.parametrize(
    ("how", "added", "why"),
    [
        ({}, "random", "'random' is named twice"),
        ({}, "nobody", "no agent called 'nobody'"),
        ({"format": "swiss", "rounds": 2}, "minimax", "of the format swiss"),
        ({"exact": True}, "minimax", "evaluated exactly"),
    ],
)
def test_who_cannot_join(tmp_path, how, added, why):
    db = tmp_path / "arena.db"
    arena.tournament(
        ["random", "first", "greedy"], game="tic-tac-toe", seed=1, db=db, **{"rounds": 2, **how}, **QUIET
    )
    before = query(db, "SELECT settings, planned, finished FROM tournaments")
    with pytest.raises(ArenaError, match=why):
        arena.resume(add=[added], db=db, **QUIET)
    assert query(db, "SELECT settings, planned, finished FROM tournaments") == before


@pytest.mark.slow
def test_the_command(tmp_path):
    command(tmp_path, "tournament", "--entry", "random", "--entry", "first", "--rounds", "2", "--seed", "1")
    said = command(tmp_path, "tournament", "--add", "G=greedy").stdout
    assert "Tournament 1: tic-tac-toe, 12 matches" in said
    said = command(tmp_path, "tournament", "--add", "minimax", "--rounds", "3", status=2).stderr
    assert "--add keeps the tournament's settings; remove --rounds" in said
