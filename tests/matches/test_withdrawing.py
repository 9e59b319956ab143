"""Whoever goes on crashing or stalling is withdrawn: in schedule order, whoever played what when."""

from __future__ import annotations

import itertools
import json
import os
import random
import sqlite3
from collections import Counter
from dataclasses import replace

import pytest

import arena
from arena.errors import ArenaError
from arena.ledger.ledger import Ledger
from arena.ledger.recorder import Recorder
from arena.matches.block import play_block
from arena.matches.event import begin
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.fault_story import Story
from arena.results.records import Records
from arena.results.settings import Settings
from arena.storage.database import Store
from bad_agents import IMPORTS
from commands import arena as command
from records import check_sums, query, rows

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")

FAULTY = f"""{IMPORTS}
@hookimpl
def register_agents(register):
    for name in ("raises", "now-and-then", "hangs", "cheats"):
        register(name, "faulty:" + "".join(word.title() for word in name.split("-")))

class Raises(Agent):
    def choose(self, state, moves, rng): return 1 // 0

class NowAndThen(Agent):
    def choose(self, state, moves, rng):
        if rng.below(20) == 0: raise ValueError("no idea")
        return rng.choice(moves)

class Hangs(Agent):
    def choose(self, state, moves, rng):
        while len(moves) < 6: pass
        return moves[0]

class Cheats(Agent):
    def choose(self, state, moves, rng): return -7
"""


@pytest.fixture(scope="module")
def faulty(plugin):
    return plugin(faulty=FAULTY)


def in_schedule_order(records, after, once):
    """Who lost which match unplayed, by the rule as it is stated: results by number, 0 where both are out."""
    failed, expected = Counter(), {}
    for record in records:
        out = [entry for entry in (record.first, record.second) if failed[entry] >= after]
        if out:
            expected[record.number] = 0 if len(out) == 2 else -1 if out == [record.first] else 1
        elif record.reason in ("crash", "stall"):
            loser = record.first if record.result < 0 else record.second
            failed[loser] += after if record.reason == "stall" and loser in once else 1
    return expected


@pytest.mark.parametrize(
    ("after", "seed", "once"), [(1, 1, ()), (2, 2, ()), (3, 3, ()), (3, 4, (0, 2)), (9, 6, (1,)), (5, 5, ())]
)
def test_it_is_the_same_in_whatever_blocks_and_after_whatever_interruptions(tmp_path, after, seed, once):
    """All are played ahead, in blocks of any order, and taken in by recorders that begin anew or by one."""
    rng = random.Random(seed)
    entries = ["random", "first", "greedy", "minimax:depth=1"]
    stated = Settings(game="tic-tac-toe", entries=entries, seed=seed, rounds=20, withdraw_after=after)
    settings, plan = complete(stated, registry())
    plan = replace(plan, stall_once=frozenset(once))
    records = []
    for record in play_block(plan, range(plan.matches), Records)[0]:
        if rng.random() < 0.15:
            result, reason = rng.choice((-1, 1)), rng.choice(("crash", "stall", "illegal move"))
            told = Story(place=str(record.number))
            record = record._replace(result=result, reason=reason, detail="failed", story=told)
        records.append(record._replace(first_seconds=0.0, second_seconds=0.0))
    expected = in_schedule_order(records, after, once)
    assert 0 < len(expected) < plan.matches
    found = []
    for name in ("whole", "parts", "under way"):  # what was begun before somebody was withdrawn comes, too
        blocks = [records]
        if name != "whole":
            cuts = sorted({0, plan.matches, *(rng.randrange(plan.matches) for _ in range(25))})
            blocks = [records[a:b] for a, b in itertools.pairwise(cuts)]
            rng.shuffle(blocks)
        store = Store(tmp_path / name, write=True)
        number = begin(store, settings, plan, registry())
        recorder = Recorder(store, number, Ledger(plan))
        for block in blocks:
            if name != "under way":
                recorder = Recorder(store, number, Ledger(plan))
                for _ in recorder.take_up():
                    pass
                left = {number for gap in recorder.ledger.left() for number in gap}
                block = [record for record in block if record.number in left]
            recorder.write(recorder.ledger.add(Records.of(block)))
        assert store.tournament(number).finished
        store.close()
        check_sums(tmp_path / name)
        found.append(rows(tmp_path / name))
    assert found[0] == found[1] == found[2]
    unplayed = {row[0]: row[4] for row in found[0]["matches"] if row[5] == "withdrawn"}
    assert unplayed == expected
    faults = Counter()
    kept = []
    for record in records:
        if record.story and record.number not in expected:
            faults[record.loser] += 1
            kept += [str(record.number)] if faults[record.loser] <= 3 else []
    assert [row[3] for row in found[0]["faults"]] == kept


def tournament(folder, faulty, entries, *args, status=0, **env):
    named = [word for entry in entries for word in ("--entry", entry)]
    args = (*named, "--seed", "1", *args, "--json")
    return command(folder, "tournament", *args, status=status, **faulty, **env)


class Fails(arena.Agent):
    def choose(self, state, moves):  # the random numbers are missing
        return moves[0]


def test_matches_that_are_not_played_are_no_forfeits_of_a_match():
    found = arena.match(Fails, "random", matches=20, seed=1, executor="serial", progress=False)
    assert len(found.forfeits) == 3
    assert sum(row.forfeits for row in found.pairings) == 3
    assert sum(row.unplayed for row in found.pairings) == 17


ENTRIES = ["random", "raises", "now-and-then", "cheats"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory, faulty):
    folder = tmp_path_factory.mktemp("whole")
    done = tournament(folder, faulty, ENTRIES, "--rounds", "20", "--workers", "1")
    return folder / "arena.db", json.loads(done.stdout), done.stderr


@pytest.mark.slow
def test_a_tournament_goes_on_without_them(whole):
    db, said, _ = whole
    check_sums(db)
    crashes = query(db, "SELECT first, second, result FROM results WHERE reason = 'crash' ORDER BY number")
    losers = Counter(first if result < 0 else second for first, second, result in crashes)
    assert losers == {"raises": 3, "now-and-then": 3}
    illegal = query(db, "SELECT count(*) FROM results WHERE reason = 'illegal move'")
    assert illegal[0][0] > 30  # of 40 against random: it is no crash, and costs the match alone
    assert said["unrated"] == []  # only one would be left, so all are rated
    board = {row["entry"]: row for row in said["leaderboard"]}
    assert {name: row["unplayed"] > 0 for name, row in board.items()} == {
        "random": False, "raises": True, "now-and-then": True, "cheats": False,
    }  # fmt: skip
    assert board["raises"]["matches"] + board["raises"]["unplayed"] <= 120
    assert board["raises"]["forfeits"] == 3
    assert (
        "Withdrawn for repeated failures: now-and-then, raises; unplayed matches are not rated."
        in said["notes"]
    )


@pytest.mark.slow
def test_what_is_unplayed_is_told_apart_by_pairing(whole):
    db, said, _ = whole
    counted = query(
        db, "SELECT first, second, count(*) FROM results WHERE reason = 'withdrawn' GROUP BY 1, 2"
    )
    shown = {(row["first"], row["second"]): row.get("unplayed", 0) for row in said["pairings"]}
    assert {pair: n for pair, n in shown.items() if n} == {(a, b): n for a, b, n in counted}
    assert shown["random", "cheats"] == 0
    text = str(arena.tournaments.show(1, db, seats=True)).splitlines()
    assert any(line.split()[-2] == "unplayed" for line in text)


@pytest.mark.parametrize(
    ("workers", "more"),
    [pytest.param(*case, marks=pytest.mark.slow) for case in (("3", ()), ("2", ("--isolate",)))],
)
def test_it_is_the_same_with_any_number_of_workers(tmp_path, faulty, whole, workers, more):
    tournament(tmp_path, faulty, ENTRIES, "--rounds", "20", "--workers", workers, *more)
    found, expected = rows(tmp_path / "arena.db"), rows(whole[0])
    if more:  # who drew random numbers is not known of agents in a sandbox
        for tables in (found, expected):
            tables["matches"] = [row[:-1] for row in tables["matches"]]
    assert found == expected


@pytest.mark.slow
def test_with_0_nobody_is(tmp_path, faulty):
    tournament(tmp_path, faulty, ["random", "raises"], "--rounds", "10", "--withdraw-after", "0", status=1)
    assert query(tmp_path / "arena.db", "SELECT DISTINCT reason FROM matches") == [("crash",)]


@posix
@pytest.mark.slow
def test_who_hangs_costs_a_few_stalls_and_not_one_each_match(tmp_path, faulty):
    """50 rounds of 2 matches would take 100 s."""
    args = ("--rounds", "50", "--stall-seconds", "1", "--workers", "1")
    tournament(tmp_path, faulty, ["random", "hangs"], *args, status=1)
    counted = dict(query(tmp_path / "arena.db", "SELECT reason, count(*) FROM matches GROUP BY reason"))
    assert counted["stall"] == 3
    assert sum(counted.values()) == 100
    assert counted["withdrawn"] > 90
    stall = query(tmp_path / "arena.db", "SELECT moves, plies FROM matches WHERE reason = 'stall'")
    assert all(len(moves.split()) == plies > 3 for moves, plies in stall)
    check_sums(tmp_path / "arena.db")


@posix
@pytest.mark.parametrize(("more", "stalls"), [((), 1), (("--withdraw-after", "2"), 2)])
@pytest.mark.slow
def test_one_stall_of_an_agent_from_a_file_is_enough_unless_told_otherwise(tmp_path, more, stalls):
    (tmp_path / "hangs.py").write_text(
        "import arena\nclass Hangs(arena.Agent):\n    def choose(self, state, moves, rng):\n"
        "        while True: pass\n"
    )
    args = ("--rounds", "4", "--seed", "1", "--stall-seconds", "1", *more)
    command(tmp_path, "tournament", "hangs.py", "--entry", "random", *args, status=1)
    counted = query(tmp_path / "arena.db", "SELECT reason, count(*) FROM matches GROUP BY reason")
    assert dict(counted) == {"stall": stalls, "withdrawn": 8 - stalls}


@pytest.mark.slow
def test_a_match_that_nobody_records_comes_to_the_same(tmp_path, faulty):
    named = ("match", "random", "now-and-then", "--matches", "400", "--seed", "3", "--json")
    said = [
        json.loads(command(tmp_path, *named, *more, **faulty).stdout)["pairings"]
        for more in (("--workers", "1"), ("--workers", "3"), ("--record",))
    ]
    assert said[0] == said[1] == said[2]
    assert sum(row["unplayed"] for row in said[0]) > 300
    assert sum(row["wins"] + row["draws"] + row["losses"] for row in said[0]) == 400


def test_it_stands_in_a_tournament_file(tmp_path):
    with pytest.raises(ArenaError, match=r"^withdraw_after is -1, but must be from 0 to 1000000000$"):
        complete(Settings(game="tic-tac-toe", entries=["random", "first"], withdraw_after=-1), registry())
    with pytest.raises(ArenaError, match="withdraw_after takes a whole number"):
        arena.tournament(["random", "first"], withdraw_after="often", db=tmp_path / "arena.db")


@pytest.mark.slow
def test_nobody_is_withdrawn_from_a_tournament_that_was_begun_before_that_could_be_said(tmp_path, faulty):
    db = tmp_path / "arena.db"
    arena.tournament(["random", "first"], game="tic-tac-toe", rounds=2, seed=1, db=db, progress=False)
    connection = sqlite3.connect(db)
    with connection:
        connection.execute("UPDATE tournaments SET settings = json_remove(settings, '$.withdraw_after')")
        connection.execute("UPDATE tournaments SET finished = NULL")
    connection.close()
    from arena.matches.event import reopen

    store = Store(db)
    assert reopen(store, 1, registry())[1].withdraw_after == 0
    store.close()
