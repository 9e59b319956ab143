"""Results taken in the order of the schedule, in whatever blocks they come."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from arena.api.reasons import FAILURES, WITHDRAWN
from arena.ledger.ledger import Ledger
from arena.ledger.sums import Kept, Sums
from arena.matches.block import play_block
from arena.plan.completion import complete
from arena.ratings.elo import EloRatings
from arena.registry.plugins import registry
from arena.results.record import Record
from arena.results.records import Records
from arena.results.settings import Settings
from arena.results.tally import Replays, Summary, Tally

AFTER = 3  # failures


@cache
def played(entries, matches, faults, seed):
    """A plan of a match or a round robin, and all its matches as if nobody were withdrawn."""
    many = {"format": "match", "matches": matches} if len(entries) == 2 else {"rounds": matches}
    stated = Settings(game="tic-tac-toe", entries=[*entries], seed=seed, withdraw_after=AFTER, **many)
    plan = complete(stated, registry())[1]
    rng, records = random.Random(seed), []
    for record in play_block(plan, range(plan.matches), Records).played:
        if rng.random() < faults:
            reason = rng.choice(("crash", "stall", "illegal move"))
            record = record._replace(result=rng.choice((-1, 1)), reason=reason, detail="failed")
        records.append(record)
    return plan, records


def by_the_rule(records):
    """The matches that count, in order, by the rule as the documents state it."""
    failed, found = Counter(), []
    for record in records:
        out = [failed[entry] >= AFTER for entry in (record.first, record.second)]
        if any(out):
            result = out[1] - out[0]
            found.append(Record(*record[:4], result, WITHDRAWN, None, 0, 0, "", 0, 0.0, 0.0))
        else:
            found.append(record)
            failed[record.first if record.result < 0 else record.second] += record.reason in FAILURES
    return found


def in_blocks(records, seed):
    """The records in blocks of several sizes, in any order; each block may lack some."""
    rng, left, blocks = random.Random(seed), [*records], []
    while left:
        size = rng.choice((1, 2, 7, 40))
        block, left = left[:size], left[size:]
        late = [record for record in block if rng.random() < 0.1]
        blocks += [some for some in (late, [one for one in block if one not in late]) if some]
    rng.shuffle(blocks)
    return blocks


def sums_of(records):
    tally = Tally()
    tally.add(records)
    return {key: counts for key, counts in tally.counts.items() if counts.matches}


FOUR = ("random", "first", "greedy", "minimax:depth=1")
CASES = [(FOUR, 10, 0.0), (FOUR, 10, 0.1), (FOUR, 10, 0.4), (("random", "first"), 120, 0.05)]


@pytest.mark.parametrize(("entries", "matches", "faults"), CASES)
@pytest.mark.parametrize("seed", range(4))
def test_what_follows_does_not_depend_on_blocks(entries, matches, faults, seed):
    plan, records = played(entries, matches, faults, seed)
    expected = by_the_rule(records)
    ledger = Ledger(plan)
    kept, elo = Kept(ledger), []
    for block in in_blocks(records, seed):
        changes = ledger.add(Records.of(block))
        kept.write(changes)
        elo += changes.elo
    assert [*kept.records] == expected
    assert ledger.next == plan.matches
    assert ledger.left() == []
    replays, rated = Replays(), EloRatings(len(entries))
    for record in expected:
        if replays.kind(record) in ("chance", "fixed"):
            rated.play([(record.first, record.second, record.result)])
    assert ledger.elo.ratings == pytest.approx(rated.ratings)
    assert elo[-1][1] == ledger.elo.ratings
    assert [rounds for rounds, _ in elo] == sorted({rounds for rounds, _ in elo})


@pytest.mark.parametrize("faults", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("kind", [Records, Summary])
@pytest.mark.parametrize("seed", range(4))
def test_sums_of_a_match_that_nobody_records(faults, kind, seed):
    """What was played after a withdrawal does not count; a block of that is played again up to there."""
    plan, records = played(("random", "first"), 120, faults, seed)
    ledger, passed = Ledger(plan), []
    sums = Sums(ledger, passed.append)
    blocks = [[record.number for record in block] for block in in_blocks(records, seed)]
    while blocks:
        numbers = blocks.pop(0)
        block = kind.of([records[number] for number in numbers])
        if kind is Summary:
            block.covers = [range(number, number + 1) for number in numbers]
        again = sums.write(ledger.add(block))
        blocks += [[*part] for part in again]
    sums.close()
    tally = Tally()
    for summary in passed:
        tally.add_summary(summary)
    found = {key: counts for key, counts in tally.counts.items() if counts.matches}
    assert found == sums_of(by_the_rule(records))


def test_what_is_left_is_what_was_not_added():
    plan, records = played(FOUR, 10, 0.0, 1)
    ledger, rng, given = Ledger(plan), random.Random(1), set()
    for record in rng.sample(records, len(records)):
        ledger.add(Records.of([record]))
        given.add(record.number)
        left = {number for gap in ledger.left() for number in gap}
        assert left == {*range(plan.matches)} - given


def test_who_may_be_withdrawn_is_told_before_it_is_decided():
    """Matches after the third failure wait until those before are known."""
    plan, records = played(("random", "first"), 120, 0.0, 1)
    plan = replace(plan, stall_once=frozenset({0}))
    ledger = Ledger(plan)
    stalled = next(record for record in records if record.number > 50 and record.first == 0)
    changes = ledger.add(Records.of([stalled._replace(result=-1, reason="stall", detail="no move")]))
    assert (changes.withdrawn, changes.held) == ({}, {0: stalled.number})
    changes = ledger.add(Records.of(records[: stalled.number]))
    assert (changes.withdrawn, changes.held) == ({0: stalled.number}, {})
    assert [record.number for record in changes.forfeited] == [*range(stalled.number + 1, plan.matches)]
