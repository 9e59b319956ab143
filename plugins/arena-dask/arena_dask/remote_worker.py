"""The code that Dask's workers run: it hands tasks to worker processes and returns their answers.

These are ended for hanging, and replaced where they crash, as they are at home. They are there, with the
models that they were sent, as long as there is their executor's lease: a task of Dask's of which nothing
comes, and that Dask forgets once whoever asked for it lets go of it, or is not there any more.
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

TICK = 1.0  # seconds between looks at whether they are still wanted
ARRIVING = 20.0  # seconds that a lease may come later than the first task

NOTHING = (0, 0)  # what `Pool.stat` says of no file

DONE, RAISED, MISSING, REFUSED = range(4)


@dataclass(frozen=True)
class Order:
    """A request to a Dask worker.

    executor: whose worker processes do it. facts: see `parcel.facts`. models: files by name.
    """

    executor: str
    facts: Mapping[str, str]
    parcel: Parcel
    models: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """The answer: a pickled result or error, the names of missing models, or the reason for doing nothing.

    models: files that were written. said: texts for the user.
    """

    kind: int
    content: Any
    models: Mapping[str, bytes] = field(default_factory=dict)
    said: tuple[str, ...] = ()


class Pool:
    """Worker processes for one executor, with a folder of the models that they need."""

    def __init__(self, workers: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="arena-models-"))
        self.said: list[str] = []
        self.processes = Processes(workers, self.said.append)
        self.digests: dict[str, str] = {}
        self.stats: dict[str, tuple[int, int]] = {}
        self.begun = monotonic()

    def lay(self, wanted: Mapping[str, str], sent: Mapping[str, bytes]) -> list[str]:
        """Have the folder hold these models by their digests; the names of those that were not sent."""
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
        """Return the models among these that a task has written."""
        found = {}
        for name in wanted:
            if (stat := self.stat(name)) != self.stats.get(name, NOTHING):
                found[name] = (self.folder / name).read_bytes()
                self.digests[name], self.stats[name] = digest_of(found[name]), stat
        return found

    def stat(self, name: str) -> tuple[int, int]:
        """Return a model's inode and time of writing, by which a new one is told from an old one."""
        try:
            about = (self.folder / name).stat()
        except FileNotFoundError:
            return NOTHING
        return about.st_ino, about.st_mtime_ns

    def close(self) -> None:
        self.processes.shutdown(cancel_futures=True)
        shutil.rmtree(self.folder, ignore_errors=True)


class Pools:
    """Those of this process, by worker of Dask's and executor."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.pools: dict[tuple[str, str], Pool] = {}
        self.workers: dict[str, Any] = {}
        self.seen: set[str] = set()  # leases
        self.sweeper: threading.Thread | None = None

    def get(self, worker: Any, executor: str) -> Pool:
        """Return the pool of an executor in this worker of Dask's, made if there is none."""
        with self.lock:
            if self.sweeper is None:
                self.prepare()
            key = (worker.address, executor)
            if key not in self.pools:
                self.workers[worker.address] = worker
                self.pools[key] = Pool(worker.state.nthreads)
            return self.pools[key]

    def prepare(self) -> None:
        """Let this process have children, and end them before it waits for them at its end."""
        current_process()._config["daemon"] = False  # type: ignore[attr-defined] # as a nanny's child it may not
        util.Finalize(None, self.close, exitpriority=100)
        self.sweeper = threading.Thread(target=self.sweep, name="arena-pools", daemon=True)
        self.sweeper.start()

    def close(self, unwanted: bool = False) -> None:
        """End all worker processes, or those alone that are not wanted any more."""
        with self.lock:
            for key in [key for key in self.pools if not unwanted or not self.is_wanted(*key)]:
                self.pools.pop(key).close()

    def is_wanted(self, address: str, executor: str) -> bool:
        """Return whether there is a lease, or may be soon."""
        young = monotonic() - self.pools[address, executor].begun < ARRIVING
        key = lease(executor, address)
        return key in self.workers[address].state.tasks or (young and key not in self.seen)

    def sweep(self) -> None:
        pause = threading.Event()
        while not pause.wait(TICK):
            self.close(unwanted=True)


pools = Pools()


def lease(executor: str, address: str) -> str:
    """Return the key, among tasks of Dask's, of the lease of an executor in a worker."""
    return f"arena-lease-{executor}-{address}"


def hold(executor: str) -> None:
    """Record that an executor has a lease on this worker."""
    from distributed import get_worker  # without which this module is only looked at

    pools.seen.add(lease(executor, get_worker().address))


def do(order: Order) -> Answer:
    """Have a task done, in a task of Dask's."""
    from distributed import get_worker  # likewise

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
