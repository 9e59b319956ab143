"""Commands of all kinds, several at once on one database, killed at any moment and gone on with.

At the end all is as if nobody had done anything to them: nothing is lost, nothing occurs twice.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import arena as package
from commands import arena
from records import check_sums, query
from running import Running, until, workers_of

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

FAULTY = """
import os, time
from arena import Agent, hookimpl

class Crashes(Agent):
    def choose(self, state, moves, rng):
        if rng.below(9) == 0:
            raise ValueError("on purpose")
        return moves[0]

class Exits(Agent):
    def choose(self, state, moves, rng):
        if rng.below(60) == 0:
            os._exit(3)
        return moves[0]

class Hangs(Agent):
    def choose(self, state, moves, rng):
        while rng.below(200) == 0:
            time.sleep(9)
        return moves[-1]

@hookimpl
def register_agents(register):
    for agent in ("Crashes", "Exits", "Hangs"):
        register(agent.lower(), f"faulty:{agent}")
"""


IN_FUNCTION = re.compile(rf'File "{re.escape(str(Path(package.__file__).parent))}.*, in (?!<module>)')


def entries(*names):
    return tuple(word for name in names for word in ("--entry", name))


@dataclass(frozen=True)
class Kind:
    """A command that leaves a tournament. workers: whether its workers are killed too.

    Where an agent may end its own process nobody can tell that from a kill.
    """

    words: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    workers: bool = True


TOURNAMENT = ("tournament", "--workers", "2", *entries("random", "first"))
KINDS = {
    "plain": Kind((*TOURNAMENT, *entries("greedy"), "--rounds", "1500")),
    "compiled": Kind((*TOURNAMENT, *entries("greedy"), "--rounds", "20000"), {"ARENA_COMPILED": "1"}),
    "checkers": Kind((*TOURNAMENT, "--game", "checkers", "--openings", "random:4", "--rounds", "12")),
    "faulty": Kind((*TOURNAMENT, *entries("crashes", "exits"), "--rounds", "20"), workers=False),
    "hanging": Kind(
        (*TOURNAMENT, *entries("hangs"), "--stall-seconds", "3", "--rounds", "15"), workers=False
    ),
    "isolated": Kind((*TOURNAMENT, "--isolate", "--rounds", "25")),
    "learning": Kind((*TOURNAMENT, *entries("q-table:episodes=400,seed={seed}"), "--rounds", "300")),
    "exact": Kind((*TOURNAMENT, *entries("greedy"), "--exact")),
    "match": Kind(("match", "random", "greedy", "--record", "--matches", "3000", "--workers", "2")),
}


def recorded(db, seed):
    """All that is recorded of the tournament with this seed but its times, by names; None: no such."""
    if not db.exists() or not query(db, "SELECT 1 FROM sqlite_schema WHERE name = 'tournaments'"):
        return None
    numbers = query(db, "SELECT id FROM tournaments WHERE seed = ?", seed)
    assert len(numbers) < 2
    if not numbers:
        return None
    names = dict(query(db, "SELECT id, name FROM entries"))
    asked = {
        "matches": "first, second, number, round, result, reason, detail, plies, opening, moves, chance",
        "pairings": "first, second, kind, wins, draws, losses, first_forfeits, second_forfeits",
        "elo": "entry, rounds, rating",
        "exact": "first, second, win, draw, loss, first_forfeit, second_forfeit, plies",
        "against_perfect": "entry, as_first, as_second",
        "codes": "entry, code",
    }
    found = {}
    for table, columns in asked.items():
        rows = query(db, f"SELECT {columns} FROM {table} WHERE tournament = ?", *numbers[0])
        named = 2 if columns.startswith("first") else 1
        found[table] = sorted((*(names.get(id) for id in row[:named]), *row[named:]) for row in rows)
    return found


def ended_well(db, seed):
    """Whether that tournament is finished; its number."""
    rows = query(db, "SELECT id, finished IS NOT NULL FROM tournaments WHERE seed = ?", seed)
    return rows[0] if rows else (None, False)


def beyond_withdrawal(gone, matches):
    """Of matches that were played ahead those which one of the two does not play any more."""
    failed = [
        (first if result < 0 else second, number)
        for first, second, number, _, result, reason, *_ in matches
        if reason in ("crash", "stall")
    ]
    return {
        match
        for match in gone
        if any(sum(entry == one and n < match[2] for one, n in failed) >= 3 for entry in match[:2])
    }


class Campaign:
    """Kills until there are enough; several threads play on one database."""

    def __init__(self, folder, env, kills):
        self.folder, self.env, self.kills = folder, env, kills
        self.db = folder / "arena.db"
        self.done = Counter()
        self.lock = threading.Lock()

    def count(self, what):
        with self.lock:
            self.done[what] += 1

    @property
    def enough(self):
        with self.lock:
            return sum(n for what, n in self.done.items() if what.startswith("kill ")) >= self.kills

    def play(self, thread, threads):
        """Events one after another, every one with a seed of its own."""
        rng = random.Random(f"{thread} of {threads}")
        seed = thread
        while not self.enough:
            for name in rng.sample([*KINDS, "removal", "curve"], len(KINDS) + 2):
                seed += threads
                if not self.enough:
                    {"removal": self.removal, "curve": self.curve}.get(name, self.tournament)(rng, seed, name)
                    self.count(f"event {name}")

    def words(self, kind, seed):
        return (*(word.format(seed=seed) for word in kind.words), "--seed", str(seed))

    def tournament(self, rng, seed, name):
        kind = KINDS[name]
        env = {**self.env, **kind.env}
        began = time.monotonic()
        arena(self.folder / "whole", *self.words(kind, seed), "--db", f"{seed}.db", **env)
        whole = time.monotonic() - began
        models = self.folder / f"models-{seed}"  # with nothing learned yet
        env["ARENA_MODELS"] = str(models)
        before = None
        for _ in range(rng.randrange(2, 9)):
            number, finished = ended_well(self.db, seed) if before else (None, False)
            if finished:
                break
            words = self.words(kind, seed)
            if number:
                words = ("tournament", "--resume", str(number), "--workers", rng.choice("123"))
            self.killed(rng, words, env, whole, kind.workers)
            now = recorded(self.db, seed)
            if before:
                gone = set(before["matches"]) - set(now["matches"])
                assert gone <= beyond_withdrawal(gone, now["matches"]), f"{name}: matches are gone"
            before = now
        number, finished = ended_well(self.db, seed) if before else (None, False)
        if not finished:
            words = ("tournament", "--resume", str(number)) if number else self.words(kind, seed)
            arena(self.folder, *words, **env)
        assert recorded(self.db, seed) == recorded(self.folder / "whole" / f"{seed}.db", seed), (name, seed)
        (self.folder / "whole" / f"{seed}.db").unlink()

    def killed(self, rng, words, env, whole, workers):
        """Run a command, at a random moment of which something is killed; it, all its processes, a worker."""
        running = Running(self.folder, *words, **env)
        try:
            until(lambda: running.process.poll() is not None, rng.uniform(0, 0.9) * whole)
            kind = rng.choice(("KILL", "KILL all", "TERM", "INT all", *["KILL worker"] * workers))
            if running.process.poll() is not None:
                self.count("came late")
            elif kind == "KILL worker":
                self.kill_worker(rng, running)
            else:
                number = signal.Signals[f"SIG{kind.split()[0]}"]
                with suppress(ProcessLookupError):
                    running.send(number, group=kind.endswith("all"))
                    self.count(f"kill {kind}")
            done = running.ended(120)
            assert running.nothing_left(30), "processes are left"
            began = IN_FUNCTION.search(done.stderr)  # before that Ctrl-C is Python's own
            early = kind == "INT all" and not began
            assert "Traceback" not in done.stderr or early, done.stderr
            allowed = {0, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, *[1] * early}
            assert done.returncode in ({0} if kind == "KILL worker" else allowed), (words, kind, done)
        finally:
            for pid in running.running():
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

    def kill_worker(self, rng, running):
        if workers := workers_of(running):
            with suppress(ProcessLookupError):
                os.kill(rng.choice(workers), signal.SIGKILL)
                self.count("kill KILL worker")

    def removal(self, rng, seed, name):
        """A tournament that is removed is there as a whole, or not at all."""
        words = (*TOURNAMENT, "--rounds", "1000", "--seed", str(seed))
        arena(self.folder, *words, **self.env)
        whole = recorded(self.db, seed)
        for _ in range(6):
            number, _ = ended_well(self.db, seed)
            self.killed(rng, ("tournaments", "remove", str(number), "--yes"), self.env, 1.0, False)
            left = recorded(self.db, seed)
            assert left in (None, whole)
            if left is None:
                assert query(self.db, "SELECT count(*) FROM matches WHERE tournament = ?", number) == [(0,)]
                return
        arena(self.folder, "tournaments", "remove", str(number), "--yes", **self.env)

    def curve(self, rng, seed, name):
        """A curve's file is gone on with."""
        curve = ("--points", "4", "--seeds", "2", "--matches", "50", "--workers", "2", "--json")
        words = ("train", f"q-table:episodes=600,seed={seed}", "--curve", f"{seed}.csv", *curve)
        began = time.monotonic()
        arena(self.folder / "whole", *words, **self.env)
        whole = time.monotonic() - began
        for _ in range(rng.randrange(2, 6)):
            self.killed(rng, words, self.env, whole, True)
        arena(self.folder, *words, **self.env)
        paths = [folder / f"{seed}.csv" for folder in (self.folder, self.folder / "whole")]
        assert paths[0].read_text() == paths[1].read_text()
        for path in paths:
            path.unlink()


@pytest.mark.parametrize(
    "kills", [pytest.param(5, marks=pytest.mark.slow), pytest.param(1000, marks=pytest.mark.campaign)]
)
def test_kills_at_random_moments_change_nothing(tmp_path, plugin, kills):
    threads = 3
    (tmp_path / "whole").mkdir()
    campaign, began = Campaign(tmp_path, plugin(faulty=FAULTY), kills), time.monotonic()
    with ThreadPoolExecutor(threads) as pool:
        playing = [pool.submit(campaign.play, thread, threads) for thread in range(threads)]
        for one in playing:
            one.add_done_callback(lambda one: one.exception() and setattr(campaign, "kills", 0))
    for one in playing:
        one.result()
    seconds = time.monotonic() - began
    print(f"\n{seconds:.0f} s: {json.dumps(dict(sorted(campaign.done.items())), indent=1)}")
    assert query(campaign.db, "PRAGMA integrity_check") == [("ok",)]
    check_sums(campaign.db)
    assert not query(campaign.db, "SELECT id FROM tournaments WHERE finished IS NULL")
    arena(tmp_path, "tournaments", "list", **campaign.env)
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith("arena.db-")]
