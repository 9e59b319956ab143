"""What a worker of Dask's does: it hands tasks to worker processes of its own machine, and answers for them.

These are ended for hanging, and replaced where they crash, as they are at home. They and the models that they
were sent are gone when whoever asked says so, or is not heard of any more.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Mapping
from concurrent.futures import Future, TimeoutError
from dataclasses import dataclass, field
from multiprocessing import current_process, util
from pathlib import Path
from pickle import dumps
from time import monotonic
from typing import Any

from distributed import get_worker

from arena.cluster.parcel import Parcel, Unlike, difference, digest_of, opened
from arena.workers.processes import Processes

TICK = 0.5  # seconds between looks at whether somebody still waits
IDLE = 60.0  # seconds after which worker processes without tasks are ended

NOTHING = (0, 0)  # what `Pool.stat` says of no file

DONE, RAISED, MISSING, REFUSED = range(4)


@dataclass(frozen=True)
class Order:
    """What a worker of Dask's is asked.

    executor: whose worker processes do it. facts: see `parcel.facts`. models: files by name.
    """

    executor: str
    facts: Mapping[str, str]
    parcel: Parcel
    models: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What it says: a pickled result or error, the names of models it lacks, or why it does nothing.

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
        self.busy, self.used = 0, monotonic()

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
        """The models among these that a task has written."""
        found = {}
        for name in wanted:
            if (stat := self.stat(name)) != self.stats.get(name, NOTHING):
                found[name] = (self.folder / name).read_bytes()
                self.digests[name], self.stats[name] = digest_of(found[name]), stat
        return found

    def stat(self, name: str) -> tuple[int, int]:
        """A model's inode and when it was written, by which a new one is told."""
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
        self.sweeper: threading.Thread | None = None

    def begin(self, worker: str, executor: str, workers: int) -> Pool:
        """The pool of an executor, which has one task more."""
        with self.lock:
            if self.sweeper is None:
                self.prepare()
            pool = self.pools.get((worker, executor))
            if pool is None:
                pool = self.pools[worker, executor] = Pool(workers)
            pool.busy += 1
            return pool

    def end(self, pool: Pool) -> None:
        with self.lock:
            pool.busy -= 1
            pool.used = monotonic()

    def prepare(self) -> None:
        """Let this process have children, and end them before it waits for them at its end."""
        current_process()._config["daemon"] = False  # type: ignore[attr-defined] # as a nanny's child it may not
        util.Finalize(None, self.close, exitpriority=100)
        self.sweeper = threading.Thread(target=self.sweep, name="arena-pools", daemon=True)
        self.sweeper.start()

    def close(self, *executors: str) -> None:
        """End the worker processes of these executors; of all if none is named."""
        with self.lock:
            found = [key for key in self.pools if not executors or key[1] in executors]
            for key in found:
                self.pools.pop(key).close()

    def sweep(self) -> None:
        """End, for ever, what has had nothing to do for long."""
        pause = threading.Event()
        while not pause.wait(IDLE / 4):
            with self.lock:
                idle = {
                    executor
                    for (_, executor), pool in self.pools.items()
                    if not pool.busy and monotonic() - pool.used > IDLE
                }
                if idle:
                    self.close(*idle)


pools = Pools()


def close(executor: str) -> None:
    """End what this process has of an executor."""
    pools.close(executor)


def do(order: Order) -> Answer:
    """Have a task done, in a task of Dask's."""
    if other := difference(order.facts):
        return Answer(REFUSED, other)
    worker = get_worker()
    key = worker.get_current_task()
    pool = pools.begin(worker.address, order.executor, worker.state.nthreads)
    try:
        wanted = order.parcel.models
        with pools.lock:
            if missing := pool.lay(wanted, order.models):
                return Answer(MISSING, missing)
        future = pool.processes.submit(opened, order.parcel, str(pool.folder))
        while not is_over(future):
            if is_unwanted(worker, key):
                pools.close(order.executor)
        try:
            kind, content = DONE, future.result()
        except Unlike as error:
            return Answer(REFUSED, str(error))
        except Exception as error:
            kind, content = RAISED, dumps(error)
        with pools.lock:
            models = pool.written(wanted)
        said, pool.said[:] = tuple(pool.said), []
        return Answer(kind, content, models, said)
    finally:
        pools.end(pool)


def is_over(future: Future[bytes]) -> bool:
    """Whether a task is over, after waiting a little."""
    try:
        future.exception(TICK)
    except TimeoutError:
        return False
    return True


def is_unwanted(worker: Any, key: Any) -> bool:
    """Whether nobody waits for a task of Dask's any more: whoever asked is gone, or has cancelled it."""
    state = worker.state.tasks.get(key)
    return state is None or state.state == "cancelled"
