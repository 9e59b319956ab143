"""Measure how many trivial matches a second are scheduled, played, recorded and rated, by number of workers.

Also measures the time of the parts alone: a match in this process, and a block into the database.

    python benchmarks/matches.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from arena.ledger.ledger import Ledger
from arena.ledger.recorder import Recorder
from arena.matches import block
from arena.matches.event import begin, run_recorded
from arena.plan.completion import complete
from arena.registry.plugins import registry
from arena.results.records import Records
from arena.results.settings import Settings
from arena.storage.database import Store
from arena.workers.pools import Workers, default_workers
from arena.workers.processes import Processes

MATCHES = 40_000


def main() -> None:
    settings = Settings(game="tic-tac-toe", entries=["random", "first"], rounds=MATCHES // 2, seed=1)
    settings, plan = complete(settings, registry())
    with tempfile.TemporaryDirectory() as folder:
        for workers in range(1, default_workers() + 1):
            store = Store(Path(folder, f"{workers}.db"), write=True)
            number = begin(store, settings, plan, registry())
            start = perf_counter()
            for _ in run_recorded(store, number, Ledger(plan), Workers(Processes, workers)):
                pass
            print(f"{workers} workers: {MATCHES / (perf_counter() - start):,.0f} matches/s, all told")
        start = perf_counter()
        records = block.play_block(plan, range(MATCHES // 4), Records).played
        print(f"played in this process: {len(records) / (perf_counter() - start):,.0f} matches/s")
        store = Store(Path(folder, "record.db"), write=True)
        recorder = Recorder(store, begin(store, settings, plan, registry()), Ledger(plan))
        start = perf_counter()
        for i in range(0, len(records), 2000):
            recorder.write(recorder.ledger.add(records[i : i + 2000]))
        print(f"recorded: {len(records) / (perf_counter() - start):,.0f} matches/s")


if __name__ == "__main__":
    main()
