"""Measure how long the leaderboards of many entries and their pages take.

Writes tournaments drawn from the model that ratings are fitted to, then times the commands from outside.

    python benchmarks/entries.py [--quick] [--only NAME ...] [FOLDER]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arena.api.game import Game
from arena.registry.plugins import registry
from arena.results.record import Record
from arena.results.records import Records
from arena.results.settings import Settings
from arena.results.tally import Counts
from arena.storage.database import NewTournament, Store
from arena.storage.sums import add_counts

BATCH = 50_000  # matches that are written at once
APART = 8.0  # log odds from the weakest entry to the strongest
DRAWS = -1.0  # how common they are, in log odds


class Case(NamedTuple):
    """A tournament: its entries, who meets whom, in how many seats, and how often."""

    entries: int
    format: str
    seats: int = 2
    rounds: int = 1

    def pairings(self) -> Iterator[tuple[int, int]]:
        """Yield the first and the second entry of each match."""
        opponents = 1 if self.format == "gauntlet" else self.entries
        for _ in range(self.rounds):
            for one in range(opponents):
                for other in range(one + 1, self.entries):
                    yield one, other
                    if self.seats == 2:
                        yield other, one


CASES = {
    "150": Case(150, "round-robin", rounds=2),
    "gauntlet": Case(200, "gauntlet"),
    "1000": Case(1000, "round-robin", seats=1),
}
QUICK = {"10": Case(10, "round-robin"), "gauntlet": Case(20, "gauntlet")}


def main(folder: Path, cases: dict[str, Case]) -> None:
    print("| entries | format | matches | table | memory | page | memory | size |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, case in cases.items():
        database, page = folder / f"{name}.db", folder / f"{name}.html"
        if not database.exists():
            write(database, case)
        table = measured("leaderboard", "--db", str(database))
        drawn = measured("leaderboard", "--db", str(database), "--html", str(page))
        matches = len([*case.pairings()])
        cells = f"{case.entries:,} | {case.format} | {matches:,} | {table} | {drawn}"
        print(f"| {cells} | {page.stat().st_size / 1e6:.2f} MB |", flush=True)


def measured(*args: str) -> str:
    """Run a command and return its seconds and its memory, as cells of a table."""
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "arena", *args], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"arena {' '.join(args)} failed")
    return f"{time.perf_counter() - begun:.2f} s | {usage.ru_maxrss / 1e3:,.0f} MB"


def write(database: Path, case: Case) -> None:
    """Write a tournament of tic-tac-toe whose results are drawn from the model."""
    rng = np.random.default_rng(1)
    names = [f"player-{i:04}" for i in range(case.entries)]
    pairings = np.array([*case.pairings()])
    x = (pairings[:, 1] - pairings[:, 0]) * (APART / case.entries)  # the first entry is the strongest
    weights = np.exp([x / 2, np.full(len(x), DRAWS), -x / 2])
    ends = np.cumsum(weights / weights.sum(axis=0), axis=0)
    results = 1 - (rng.random(len(x)) > ends[:2]).sum(axis=0)
    played = matches_of(registry().spec("game", "tic-tac-toe").make(), rng)
    settings = Settings(
        game="tic-tac-toe",
        entries=names,
        format=case.format,
        rounds=case.rounds,
        seed=1,
        streams=2,
        max_plies=9,
    )
    agents: list[tuple[str, str, dict[str, object]]] = [(name, "random", {}) for name in names]
    with closing(Store(database, write=True)) as store:
        new = NewTournament(
            game="tic-tac-toe",
            settings=settings,
            entries=agents,
            versions={},
            rules="rules",
            planned=len(x),
            code="code",
            codes=dict.fromkeys(names, "code"),
        )
        number = store.add_tournament(new)
        known = store.entry_ids("tic-tac-toe")
        ids = [known[name] for name in names]
        for begin in range(0, len(x), BATCH):
            some = range(begin, min(begin + BATCH, len(x)))
            records = [
                record(
                    i,
                    i * case.rounds // len(x),
                    int(pairings[i, 0]),
                    int(pairings[i, 1]),
                    int(results[i]),
                    played,
                )
                for i in some
            ]
            with store.transaction():
                store.add_matches(number, ids, Records.of(records))
                add_counts(store, number, ids, counted(records))
        with store.transaction():
            store.add_elo(number, ids, 1, [1500.0] * case.entries)
            store.finish(number)


def record(
    number: int, round: int, first: int, second: int, result: int, played: dict[int, list[str]]
) -> Record:
    """Return the record of a match with this result, with the moves of a random match that has it."""
    moves = played[result][number % len(played[result])]
    plies = len(moves.split())
    return Record(number, round, first, second, result, "rules", None, plies, 0, moves, 1, 0.0, 0.0)


def counted(records: list[Record]) -> dict[tuple[int, int, str], Counts]:
    """Return the sums of matches by pairing."""
    sums: dict[tuple[int, int, str], Counts] = {}
    for one in records:
        sums.setdefault((one.first, one.second, "chance"), Counts()).add(one.result)
    return sums


def matches_of(game: Game, rng: np.random.Generator, many: int = 200) -> dict[int, list[str]]:
    """Return the moves of random matches, by the result from the first player's side."""
    found: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for _ in range(many):
        state, moves = game.initial(), []
        while legal := game.moves(state):
            move = legal[int(rng.integers(len(legal)))]
            moves.append(game.move_text(move))
            state = game.play(state, move)
        value = game.value(state)
        found[value if game.to_move(state) == 0 else -value].append(" ".join(moves))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="keeps the databases, for another run")
    parser.add_argument("--quick", action="store_true", help="small tournaments, for a look")
    parser.add_argument("--only", nargs="+", choices=CASES, help="some of the tournaments")
    options = parser.parse_args()
    chosen = QUICK if options.quick else {name: CASES[name] for name in options.only or CASES}
    with tempfile.TemporaryDirectory() as name:
        place = options.folder or Path(name)
        place.mkdir(parents=True, exist_ok=True)
        main(place, chosen)
