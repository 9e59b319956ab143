"""Whatever decides what is played next, it is the same for any workers, and after any interruption."""

from __future__ import annotations

import os
import random
import re
import signal
from contextlib import suppress

import pytest

from commands import arena as command
from records import check_sums, played, query, rows
from running import until, workers_of
from tiers import campaign, slow, tiers

PLUGIN = '''
from arena import Agent, hookimpl

class Crashing(Agent):
    """Fails in each of its matches."""

    def choose(self, state, moves, rng):
        raise RuntimeError("as ever")

@hookimpl
def register_agents(register): register("crashing", "crashing:Crashing")
'''
DEPTHS = [f"minimax:depth={depth},ties={ties}" for depth in range(1, 6) for ties in ("first", "random")]
SOME = ["random", "first", "greedy", *DEPTHS]


def words(entries, *options):
    args = [word for entry in SOME[:entries] for word in ("--entry", entry)]
    return ("tournament", "--game", "tic-tac-toe", "--seed", "3", *args, *options)


EVENTS = {  # formats and stopping rules, with how many entries
    "round-robin": words(5, "--rounds", "60"),
    "gauntlet": words(12, "--format", "gauntlet:first=2", "--rounds", "40"),
    "swiss": words(9, "--format", "swiss:meetings=40"),
    "precise": words(4, "--until", "±30"),
    "decided": words(3, "--until", "decided", "--indifference", "60", "--openings", "random:2"),
    "added": words(4, "--rounds", "60"),
    "sprt": (
        *("match", "random", "random", "--game", "tic-tac-toe", "--sprt", "0,15", "--seed", "5"),
        "--record",
    ),
}
ADDED = ("tournament", "--add", "minimax:depth=6", "--db", "arena.db")
ENDS = "SELECT planned, finished IS NOT NULL, settings FROM tournaments"


@pytest.mark.parametrize(
    "more",
    [
        pytest.param(("--until", "±40"), marks=pytest.mark.campaign),
        pytest.param(("--format", "swiss:meetings=10"), marks=pytest.mark.slow),
        pytest.param(("--rounds", "20"), marks=pytest.mark.campaign),
    ],
)
def test_who_goes_on_failing_is_withdrawn_and_the_others_play_on(tmp_path, plugin, more):
    env = plugin(crashing=PLUGIN)
    found = []
    for how in ("serial 1", "threads 2", "processes 1", "processes 3"):
        executor, workers = how.split()
        db = tmp_path / f"{executor}{workers}.db"
        options = ("--entry", "crashing", *more, "--executor", executor, "--workers", workers)
        said = command(tmp_path, *words(4, *options, "--db", str(db)), **env).stdout
        assert re.search("^crashing +withdrawn after 3 crashes ", said, re.M)
        check_sums(db)
        found.append(rows(db))
    assert all(one == found[0] for one in found)
    unplayed = "SELECT count(*) FROM results WHERE reason = 'withdrawn' AND 'crashing' NOT IN (first, second)"
    assert query(db, unplayed) == [(0,)]
    ((failed, others),) = query(
        db,
        "SELECT sum(reason = 'crash'), sum('crashing' NOT IN (first, second) AND number > 100) FROM results",
    )
    assert failed == 3
    assert others >= 50


def killed(tmp_path, launch, event, times, seed):
    """The database of an event whose process, or one of its workers, was killed so often."""
    rng, db = random.Random(seed), tmp_path / "arena.db"
    begun = launch(*EVENTS[event], "--db", db.name, ARENA_COMPILED="0")
    assert until(lambda: played(db) or begun.process.poll() is not None)
    for i in range(times):
        until(lambda: False, rng.uniform(0, 0.6))
        if i % 2 and (workers := workers_of(begun)):
            with suppress(ProcessLookupError):
                os.kill(rng.choice(workers), signal.SIGKILL)
            continue
        begun.send(signal.SIGKILL)
        begun.process.wait()
        check_sums(db)
        resume = ("tournament", "--resume", "1", "--db", db.name)
        begun = launch(*(ADDED if event == "added" and may_be_joined(db) else resume), ARENA_COMPILED="0")
    assert begun.ended().returncode == 0
    if event == "added" and may_be_joined(db):
        command(tmp_path, *ADDED)
    return db


def may_be_joined(db):
    """Whether it is over, and nobody was added yet."""
    sql = "SELECT count(*) FROM tournaments WHERE finished IS NOT NULL AND settings NOT LIKE '%added%'"
    return query(db, sql) == [(1,)]


def undisturbed(tmp_path, event):
    """The database of an event that nobody killed."""
    folder = tmp_path / "whole"
    folder.mkdir()
    command(folder, *EVENTS[event], "--db", "arena.db")
    if event == "added":
        command(folder, *ADDED)
    return folder / "arena.db"


@pytest.mark.parametrize("times", [*slow(6), *campaign(60)])
@pytest.mark.parametrize("event", tiers(EVENTS, slow=["round-robin", "swiss", "decided"]))
def test_killing_it_or_its_workers_at_any_time_changes_nothing(tmp_path, launch, event, times):
    whole = undisturbed(tmp_path, event)
    db = killed(tmp_path, launch, event, times, f"{event} {times}")
    assert rows(db) == rows(whole)
    assert query(db, ENDS) == query(whole, ENDS)
    check_sums(db)
