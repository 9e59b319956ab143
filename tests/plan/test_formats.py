"""Who meets whom by each format, and that what a format does wrong costs nothing that was played."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

import arena
from arena.api.format import Standing
from arena.errors import ArenaError
from arena.plan.schedule import Gauntlet, RoundRobin
from arena.plan.swiss import Swiss
from commands import arena as command
from records import check_sums, query, rows
from tiers import slow

QUIET = {"game": "tic-tac-toe", "seed": 1, "progress": False}
FIVE = ["random", "first", "greedy", "minimax:depth=1", "minimax:depth=2"]


def standing_of(entries, results=(), **facts):
    """After matches, (first, second, result) each, of as many stages as said."""
    wins, played = np.zeros((entries, entries, 3), np.int64), np.zeros((entries, entries), np.int64)
    for first, second, result in results:
        wins[first, second, 1 - result] += 1
        played[first, second] += 1
    pairs = np.zeros((entries, entries, 5), np.int64)
    stated = {"rounds": 1, "seed": 1, "limit": 10**6, "stages": 0, "matches": len(results)}
    return Standing(entries=entries, results=wins, played=played, fresh=played, pairs=pairs, **stated | facts)


@pytest.mark.parametrize("entries", [2, 3, 8])
@pytest.mark.parametrize("first", [1, 2])
def test_in_a_gauntlet_the_first_meet_all_others_and_nobody_else_meets(entries, first):
    if first >= entries:
        with pytest.raises(ArenaError, match="leave some as opponents"):
            Gauntlet(first=first).check_entries(entries)
        return
    pairings, rounds = Gauntlet(first=first).stage(entries, 7)
    met = {frozenset(pair) for pair in pairings}
    assert met == {frozenset((a, b)) for a in range(first) for b in range(first, entries)}
    assert {(b, a) for a, b in pairings} == {*pairings}
    assert len({*pairings}) == len(pairings)
    assert rounds == 7


@pytest.mark.parametrize("format", [RoundRobin(), Gauntlet(), Gauntlet(first=2)])
def test_with_one_more_a_fixed_format_has_the_same_pairings_and_others(format):
    for entries in range(3, 12):
        assert {*format.stage(entries, 1).pairings} < {*format.stage(entries + 1, 1).pairings}


# FIDE's Dutch system, C.04.3, worked by hand: eight players, by their numbers from 0
@pytest.mark.parametrize(
    ("won", "expected"),
    [
        ((), {(0, 4), (1, 5), (2, 6), (3, 7)}),  # the upper half meets the lower
        # those with a point likewise; but 0 and 2 were both first, 1 and 3 second, and are to change seats
        (((0, 4), (1, 5), (2, 6), (3, 7)), {(0, 3), (1, 2), (4, 7), (5, 6)}),
    ],
)
def test_swiss_pairs_as_the_dutch_system_does(won, expected):
    results = [match for a, b in won for match in ((a, b, 1), (b, a, -1))]
    found = Swiss(meetings=1).next_stage(standing_of(8, results, rounds=3, stages=bool(won)))
    assert {tuple(sorted(pair)) for pair in found.pairings} == expected
    assert {(b, a) for a, b in found.pairings} == {*found.pairings}


@pytest.mark.slow
@pytest.mark.parametrize("entries", [7, 8])
def test_in_a_swiss_event_nobody_meets_twice(tmp_path, entries):
    some = ["random", "first", "greedy", *(f"minimax:depth={depth}" for depth in range(1, 6))][:entries]
    db = tmp_path / "arena.db"
    found = arena.tournament(some, format="swiss:meetings=3", rounds=4, db=db, **QUIET)
    assert found.finished
    assert found.played == found.planned == 4 * (entries // 2) * 2 * 3
    pairs = query(db, "SELECT first, second, count(*) FROM results GROUP BY 1, 2")
    assert {times for *_, times in pairs} == {3}
    assert len(pairs) == 4 * (entries // 2) * 2
    check_sums(db)


@pytest.mark.slow
def test_a_swiss_event_ends_when_nobody_is_left_to_be_met(tmp_path):
    db = tmp_path / "arena.db"
    found = arena.tournament(FIVE, format="swiss:meetings=3", rounds=4, db=db, **QUIET)
    assert found.finished
    assert found.played == found.planned == 36
    assert "can be paired" in found.notes[0]
    assert arena.resume(1, db=db, progress=False).played == 36


@pytest.mark.parametrize(
    ("entries", "how", "why"),
    [
        (["random", "first"], {}, "2 entries can meet only once"),
        (FIVE, {"rounds": 6}, "5 entries have at most 5"),
        (FIVE, {"exact": True}, "depends on results, but exact plays no matches"),
    ],
)
def test_what_a_swiss_event_cannot_be(tmp_path, entries, how, why):
    with pytest.raises(ArenaError, match=why):
        arena.tournament(entries, format="swiss", db=tmp_path / "arena.db", **how, **QUIET)


def test_formats_are_listed_like_the_rest(tmp_path):
    assert [format.name for format in arena.formats()] == [
        row["name"] for row in json.loads(command(tmp_path, "formats", "--json").stdout)
    ]
    said = command(tmp_path, "formats", "gauntlet").stdout
    assert "first=1  number of entries" in said
    with pytest.raises(ArenaError, match=r"swis.*did you mean 'swiss'"):
        arena.tournament(FIVE, format="swis", db=tmp_path / "arena.db", **QUIET)


PLUGIN = '''
from arena import Format, Stage, hookimpl, option

class Seeking(Format):
    """Plays on with the pairing that is closest, until all have met often."""
    stages: int = option(5, "how many")
    fault: str = option("", "what it does wrong in its third stage")

    def next_stage(self, standing):
        if standing.stages == 2:
            if self.fault == "raises": raise RuntimeError("who meets whom?")
            if self.fault == "leaves": import sys; sys.exit(3)
            if self.fault == "twice": return Stage([(0, 1), (0, 1)])
            if self.fault == "self": return Stage([(0, 0)])
            if self.fault == "beyond": return Stage([(0, 9)])
            if self.fault == "nothing": return Stage([])
            if self.fault == "no stage": return 5
        if standing.stages == self.stages: return None
        n = standing.entries
        met = [(abs(int(standing.results[a, b, 0] - standing.results[a, b, 2])), a, b)
               for a in range(n) for b in range(n) if a != b]
        _, a, b = min(met)
        if self.fault == "writes": standing.results[:] = 10**6
        return Stage([(a, b), (b, a)], 10 + standing.stages)

    def progress(self, standing): return f"{standing.stages} stages"
    def notes(self, standing): return [f"It took {standing.matches} matches."]

@hookimpl
def register_formats(register): register("seeking", "seeking:Seeking")
'''


@pytest.fixture
def seeking(plugin):
    return plugin(seeking=PLUGIN)


ENTRIES = [word for entry in FIVE for word in ("--entry", entry)]
WORDS = ("tournament", *ENTRIES, "--game", "tic-tac-toe", "--seed", "1")


@pytest.mark.slow
def test_a_plugins_format_plays_the_same_matches_for_any_workers(tmp_path, seeking):
    found = []
    for i, how in enumerate(("serial 1", "processes 3")):
        executor, workers = how.split()
        db = tmp_path / f"{i}.db"
        more = ("--executor", executor, "--workers", workers, "--db", str(db), "--format", "seeking")
        said = command(tmp_path, *WORDS, *more, **seeking).stdout
        assert "It took 120 matches." in said
        check_sums(db)
        found.append(rows(db))
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("raises", "who meets whom?"),
        ("self", "the pairing 0, 0 is not valid"),
        *slow(
            ("leaves", "SystemExit"),
            ("twice", "has a pairing twice"),
            ("beyond", "the pairing 0, 9 is not valid: there are 5 entries"),
            ("nothing", "a stage has no matches"),
            ("no stage", "5 is not a stage"),
        ),
    ],
)
def test_what_a_format_does_wrong_is_one_line_and_what_was_played_is_kept(tmp_path, seeking, fault, why):
    done = command(tmp_path, *WORDS, "--format", f"seeking:fault={fault}", status=1, **seeking)
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("Error")]
    assert why in line
    assert "failed after 42 matches" in line
    assert query(tmp_path / "arena.db", "SELECT count(*) FROM matches") == [(42,)]


@pytest.mark.slow
def test_a_format_cannot_change_what_was_played(tmp_path, seeking):
    command(tmp_path, *WORDS, "--format", "seeking:fault=writes", "--db", "a.db", **seeking)
    command(tmp_path, *WORDS, "--format", "seeking", "--db", "b.db", **seeking)
    assert rows(tmp_path / "a.db") == rows(tmp_path / "b.db")


def test_swiss_players_all_pairs_of_combinations_exist():
    """Rounds up to the most there can be are paired for four."""
    results = []
    for stages in range(3):
        found = Swiss(meetings=1).next_stage(standing_of(4, results, rounds=3, stages=stages))
        results += [(a, b, 0) for a, b in found.pairings]
    assert {tuple(sorted(match[:2])) for match in results} == {*combinations(range(4), 2)}
