"""The code that Dask workers run: it passes tasks to worker processes and returns their answers.

As on the local machine, worker processes that hang are ended, and those that crash are replaced. The
processes and the models sent to them exist as long as their executor's lease: a Dask task without a result,
which Dask forgets once the client that requested it releases it or is gone.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing import current_process, util
from pathlib import Path
from pickle import dumps
from time import monotonic
from typing import Any

from arena.workers.processes import Processes
from arena_dask.parcel import Parcel, Unlike, difference, digest_of, opened

TICK = 1.0  # seconds between checks of whether pools are still needed
ARRIVING = 20.0  # maximum seconds between the first task and its lease

NOTHING = (0, 0)  # result of `Pool.stat` for a file that does not exist

DONE, RAISED, MISSING, REFUSED = range(4)


@dataclass(frozen=True)
class Order:
    """A request to a Dask worker.

    executor: the id of the executor whose worker processes are used. facts: see `parcel.facts`. models:
    contents of files by name.
    """

    executor: str
    facts: Mapping[str, str]
    parcel: Parcel
    models: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """The answer: a pickled result or error, the names of missing models, or the reason for doing nothing.

    models: contents of files that were written, by name. said: messages for the user.
    """

    kind: int
    content: Any
    models: Mapping[str, bytes] = field(default_factory=dict)
    said: tuple[str, ...] = ()


class Pool:
    """The worker processes of one executor, with a folder of the models that they need."""

    def __init__(self, workers: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="arena-models-"))
        self.said: list[str] = []
        self.processes = Processes(workers, self.said.append)
        self.digests: dict[str, str] = {}
        self.stats: dict[str, tuple[int, int]] = {}
        self.begun = monotonic()

    def lay(self, wanted: Mapping[str, str], sent: Mapping[str, bytes]) -> list[str]:
        """Store the models that were sent; return the names of wanted models that are missing or outdated."""
        for name, content in sent.items():
            draft = self.folder / f"{name}.{threading.get_ident()}.sent"
            draft.write_bytes(content)
            draft.replace(self.folder / name)
            self.digests[name], self.stats[name] = digest_of(content), self.stat(name)
        for name, digest in wanted.items():
            if not digest and self.digests.pop(name, ""):
                self.stats.pop(name)
                (self.folder / name).unlink(missing_ok=True)
        return [name for name, digest in wanted.items() if self.digests.get(name, "") != digest]

    def written(self, wanted: Mapping[str, str]) -> dict[str, bytes]:
        """Return those of the wanted models that a task has written."""
        found = {}
        for name in wanted:
            if (stat := self.stat(name)) != self.stats.get(name, NOTHING):
                found[name] = (self.folder / name).read_bytes()
                self.digests[name], self.stats[name] = digest_of(found[name]), stat
        return found

    def stat(self, name: str) -> tuple[int, int]:
        """Return a model's inode and modification time, which change when it is written."""
        try:
            about = (self.folder / name).stat()
        except FileNotFoundError:
            return NOTHING
        return about.st_ino, about.st_mtime_ns

    def close(self) -> None:
        self.processes.shutdown(cancel_futures=True)
        shutil.rmtree(self.folder, ignore_errors=True)


class Pools:
    """The pools of this process, by Dask worker and executor."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.pools: dict[tuple[str, str], Pool] = {}
        self.workers: dict[str, Any] = {}
        self.seen: set[str] = set()  # leases that have been held
        self.sweeper: threading.Thread | None = None

    def get(self, worker: Any, executor: str) -> Pool:
        """Return the pool of an executor in this Dask worker, created if necessary."""
        with self.lock:
            if self.sweeper is None:
                self.prepare()
            key = (worker.address, executor)
            if key not in self.pools:
                self.workers[worker.address] = worker
                self.pools[key] = Pool(worker.state.nthreads)
            return self.pools[key]

    def prepare(self) -> None:
        """Allow this process to have child processes, and end them before it waits for them on exit."""
        current_process()._config["daemon"] = False  # type: ignore[attr-defined] # as a nanny's child it may not
        util.Finalize(None, self.close, exitpriority=100)
        self.sweeper = threading.Thread(target=self.sweep, name="arena-pools", daemon=True)
        self.sweeper.start()

    def close(self, unwanted: bool = False) -> None:
        """End all worker processes, or only those that are no longer needed."""
        with self.lock:
            for key in [key for key in self.pools if not unwanted or not self.is_wanted(*key)]:
                self.pools.pop(key).close()

    def is_wanted(self, address: str, executor: str) -> bool:
        """Return whether a pool has a lease, or may receive it soon."""
        young = monotonic() - self.pools[address, executor].begun < ARRIVING
        key = lease(executor, address)
        return key in self.workers[address].state.tasks or (young and key not in self.seen)

    def sweep(self) -> None:
        pause = threading.Event()
        while not pause.wait(TICK):
            self.close(unwanted=True)


pools = Pools()


def lease(executor: str, address: str) -> str:
    """Return the key of the Dask task that is the lease of an executor on a worker."""
    return f"arena-lease-{executor}-{address}"


def hold(executor: str) -> None:
    """Record that an executor has a lease on this worker."""
    from distributed import get_worker  # imported here, so that the module can be imported without it

    pools.seen.add(lease(executor, get_worker().address))


def do(order: Order) -> Answer:
    """Execute a task of arena, as a Dask task."""
    from distributed import get_worker  # imported here, as above

    if other := difference(order.facts):
        return Answer(REFUSED, other)
    pool = pools.get(get_worker(), order.executor)
    wanted = order.parcel.models
    with pools.lock:
        if missing := pool.lay(wanted, order.models):
            return Answer(MISSING, missing)
    try:
        kind, content = DONE, pool.processes.submit(opened, order.parcel, str(pool.folder)).result()
    except Unlike as error:
        return Answer(REFUSED, str(error))
    except Exception as error:
        kind, content = RAISED, dumps(error)
    with pools.lock:
        models = pool.written(wanted)
        said, pool.said[:] = tuple(pool.said), []
    return Answer(kind, content, models, said)
