"""A match that goes on until its test is decided ends at the same match, whoever plays, whatever happens."""

from __future__ import annotations

import random
import signal
from itertools import pairwise

import pytest

import arena
from arena.calls import results
from arena.errors import ArenaError
from arena.ledger.ledger import Ledger
from arena.plan.completion import complete
from arena.ratings.sprt import Sprt, log_likelihood_ratio
from arena.registry.plugins import registry
from arena.results.record import Record
from arena.results.records import Records
from arena.results.settings import Settings
from commands import arena as command
from records import check_sums, played, query, rows
from running import until
from tiers import slow

TEST = (0, 60)


def contest(matches=2000):
    """A match of two with a test, of which nothing is played yet."""
    found = complete(
        Settings(
            game="tic-tac-toe", entries=["random", "first"], format="match", matches=matches, seed=1,
            sprt=[0, 60, 0.05, 0.05],
        ),
        registry(),
    )[1]  # fmt: skip
    return Ledger(found)


def made(number, share=0.6):
    """A match of which the first entry wins so many."""
    won = 1 if random.Random(number).random() < share else -1
    first = number % 2
    return Record(
        number, number // 2, first, 1 - first, won * (1 - 2 * first), "rules", None, 5, 0, "", 1, 0.0, 0.0
    )


def looks(most):
    """After how many matches it is looked at, if nothing is ever decided."""
    its = contest(most)
    found = []
    while its.stages.go_on():
        found.append(its.plan.matches)
        for number in range(its.next, its.plan.matches):
            its.add(Records.of([made(number, 0.5 if number % 2 else 0.535)]))
        its.stages.pairs[0, 1] = 0  # as if nothing had been learned
    return found


@pytest.mark.parametrize("most", [2, 20, 30, 1000, *slow(20_000)])
def test_it_is_looked_at_after_whole_pairs_ever_more_seldom(most):
    found = looks(most)
    gaps = [b - a for a, b in pairwise(found)]
    assert found[-1] == most
    assert all(number % 2 == 0 for number in found)
    assert all(0 < gap <= max(8, a * 0.05) for a, gap in zip(found, gaps, strict=False))
    assert gaps[:-1] == sorted(gaps[:-1])


@pytest.mark.parametrize("seed", range(5))
def test_it_ends_at_the_first_look_at_which_the_ratio_is_beyond_a_bound(seed):
    its, rng = contest(), random.Random(seed)
    ends = []
    while its.stages.go_on():
        ends.append(its.plan.matches)
        numbers = [number for part in its.left() for number in part]
        rng.shuffle(numbers)
        while numbers:  # in blocks that come in any order
            its.add(Records.of(made(number) for number in sorted(numbers[:7])))
            del numbers[:7]
    counts, expected = [0] * 5, None
    for number in range(0, 2000, 2):
        first, second = made(number), made(number + 1)
        counts[2 + first.result - second.result] += 1
        if number + 2 in ends and abs(log_likelihood_ratio(counts, *TEST)) >= 2.94443897:
            expected = number + 2
            break
    assert its.next == expected == ends[-1]
    assert its.stages.pairs[0, 1].tolist() == counts
    assert results.Tested.of(its.stages).decision == "high"


HOW = [("serial", 1), ("threads", 2), ("processes", 1), ("processes", 2), ("processes", 3)]


@pytest.mark.slow
def test_it_is_the_same_for_any_workers(tmp_path):
    found = [
        arena.match(
            "greedy", "random", game="tic-tac-toe", sprt=TEST, seed=3, executor=executor, workers=workers
        )
        for executor, workers in HOW
    ]
    assert found[0].test.decision == "high"
    assert {str(one) for one in found} == {str(found[0])}
    db = tmp_path / "arena.db"
    recorded = arena.match("greedy", "random", game="tic-tac-toe", sprt=TEST, seed=3, db=db)
    assert recorded.test == found[0].test
    assert query(db, "SELECT planned, finished IS NOT NULL FROM tournaments") == [(found[0].played, 1)]
    check_sums(db)
    again = arena.resume(1, db=db)
    assert (again.finished, again.played) == (True, found[0].played)


def test_what_repeats_itself_ends_and_says_so():
    found = arena.match("first", "minimax:ties=first", game="tic-tac-toe", sprt=(0, 10), seed=1)
    assert found.test.repeats
    assert found.test.decision is None
    assert sum(found.test.pairs) == 1
    assert found.finished
    assert 'openings="random:N" makes them differ' in str(found)


def test_at_most_so_many_are_played():
    found = arena.match("random", "random", game="tic-tac-toe", sprt=(0, 5), matches=31, seed=1)
    assert (found.played, found.test.decision, found.finished) == (32, None, True)
    assert "open after 16 pairs" in str(found)


@pytest.mark.slow
def test_it_says_which_is_accepted_with_the_difference(tmp_path):
    said = command(
        tmp_path, *("match", "minimax", "random", "--game", "tic-tac-toe", "--sprt", "0,60", "--seed", "2")
    ).stdout
    assert "SPRT of 0 against 60 normalised Elo: 60 accepted after " in said
    assert "Points of a pair: 0 in 0, " in said
    assert "Normalised Elo +" in said


@pytest.mark.parametrize("bounds", [5, "0,5", (0,), (0, "x"), (0, 1, 2)])
def test_what_are_no_bounds(bounds):
    with pytest.raises(ArenaError, match=r"sprt is .*; pass two numbers"):
        arena.match("random", "first", sprt=bounds)


def test_it_is_for_two():
    with pytest.raises(ArenaError, match="sprt is a test between two"):
        complete(Settings(entries=["random", "first"], sprt=[0, 5, 0.05, 0.05]), registry())


@pytest.mark.parametrize(
    ("times", "bounds"),
    [pytest.param(10, "0,9", marks=pytest.mark.slow), pytest.param(30, "0,9", marks=pytest.mark.campaign)],
)
def test_killing_it_at_any_time_changes_nothing(tmp_path, launch, times, bounds):
    words = (
        "match",
        "random",
        "random",
        "--game",
        "tic-tac-toe",
        "--sprt",
        bounds,
        "--seed",
        "5",
        "--record",
    )
    (tmp_path / "whole").mkdir()
    command(tmp_path / "whole", *words, ARENA_COMPILED="0")
    db, rng = tmp_path / "arena.db", random.Random(times)
    running = launch(*words, "--db", db.name, ARENA_COMPILED="0")
    assert until(lambda: played(db))
    for _ in range(times):
        until(lambda: False, rng.uniform(0, 0.8))
        running.send(signal.SIGKILL)
        running.process.wait()
        check_sums(db)
        running = launch("tournament", "--resume", "1", "--db", db.name, ARENA_COMPILED="0")
    assert running.ended(300).returncode == 0
    assert rows(db) == rows(tmp_path / "whole" / "arena.db")
    ends = "SELECT planned, finished IS NOT NULL FROM tournaments"
    assert query(db, ends) == query(tmp_path / "whole" / "arena.db", ends)
    check_sums(db)


def test_a_test_is_what_it_was_read_as():
    assert contest().stages.format.test == Sprt(0, 60, 0.05, 0.05)
