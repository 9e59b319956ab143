"""An executor that uses the workers of a Dask cluster, which may come, go and die.

This module decides which worker executes a task. If a worker is lost, another one repeats the task. This is
safe because an answer depends only on the task, and is used only once.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pickle import loads
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any
from uuid import uuid4

from arena.errors import ArenaError, one_line
from arena.file_io import draft_of
from arena.storage import model_file
from arena.workers.pools import Surviving
from arena.workers.worker import NOBODY, WorkerDied, own_watch
from arena_dask import remote_worker
from arena_dask.connection import Connection
from arena_dask.parcel import Parcel, digest_of, facts

TICK = 0.2  # seconds between checks for lost workers
PATIENCE = 5.0  # seconds without any worker before the user is told
COMING = 300.0  # maximum seconds for transferring an answer, for example with a model
DEATHS = 4  # number of lost workers after which a task fails


class Errand(Future[Any]):
    """A submitted task; it can be cancelled until it is sent to a worker.

    place: the worker that has it. sent: Dask's future for it. deaths: number of workers lost during it.
    """

    def __init__(self, parcel: Parcel) -> None:
        super().__init__()
        self.parcel = parcel
        self.place = ""
        self.sent: Any = None
        self.deaths = 0
        self.moving = threading.Lock()

    def cancel(self) -> bool:
        with self.moving:
            return not self.place and super().cancel()

    def put(self, place: str) -> bool:
        """Assign the task to a worker, or to none if `place` is empty; return False if it was cancelled."""
        with self.moving:
            self.place = place
            return not self.cancelled()


class Cluster(Surviving):
    """An executor that uses a number of workers of a cluster, or fewer if the cluster has fewer.

    An executor with one worker keeps this worker as long as it lives, because tasks may cache objects there.
    """

    def __init__(self, workers: int, address: str = "") -> None:
        self.size, self.address = workers, address
        self.connection = Connection.open(address)
        self.id = uuid4().hex
        self.home = ""  # the worker of an executor with one worker
        self.queue: deque[Errand] = deque()
        self.away: list[Errand] = []
        self.leases: dict[str, Any] = {}  # leases by worker, see `arena_dask.remote_worker`
        self.events: SimpleQueue[Any] = SimpleQueue()  # Dask's futures that are done; None: check the state
        self.ending = self.leaving = False
        self.lonely = 0.0  # time since which there has been no worker
        self.manager = threading.Thread(target=self.manage, name="arena-cluster", daemon=True)
        self.manager.start()

    def another(self, workers: int) -> Cluster:
        return Cluster(workers, self.address)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.ending:
            raise RuntimeError("cannot submit to an executor that was shut down")
        errand = Errand(self.connection.sender.parcel(fn, args, kwargs))
        self.queue.append(errand)
        self.events.put(None)
        return errand

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if not self.ending or cancel_futures:
            self.leaving |= cancel_futures
            self.ending = True
            self.events.put(None)
        if wait:
            self.manager.join()

    def manage(self) -> None:
        """Send tasks and receive answers until all tasks are done."""
        try:
            while not self.leaving and (self.queue or self.away or not self.ending):
                try:
                    self.look_around()
                    self.hand_out()
                    self.take_in_next()
                except Exception as error:
                    self.fail(error if isinstance(error, ArenaError) else ArenaError(one_line(error)))
        finally:
            self.leave()

    def look_around(self) -> None:
        """Take back the tasks of lost workers; raise ArenaError if no worker can be used."""
        for errand in [errand for errand in self.queue.copy() if errand.cancelled()]:
            self.queue.remove(errand)
        if not self.queue and not self.away:
            return
        self.connection.look()
        for errand in [errand for errand in self.away if errand.place not in self.connection.workers]:
            errand.sent.cancel()
            self.take_back(errand)
            errand.deaths += 1
            if errand.deaths == DEATHS:
                self.queue.remove(errand)
                detail = f"{DEATHS} machines that ran it were lost"
                if errand.put("nowhere"):
                    errand.set_exception(WorkerDied(NOBODY, NOBODY, False, detail))
        if self.connection.workers:
            self.lonely = 0.0
            return
        if self.connection.refused:
            address, why = next(iter(self.connection.refused.items()))
            raise ArenaError(f"no worker at {self.connection.address} can be used; of {address}: {why}")
        self.lonely = self.lonely or monotonic()
        if monotonic() - self.lonely > PATIENCE:
            address = self.connection.address
            own_watch.say(f"Warning: no worker at {address}; waiting for one: dask worker {address}")

    def hand_out(self) -> None:
        """Send waiting tasks to free workers."""
        while self.queue and len(self.away) < min(self.size, self.connection.threads):
            if not (place := self.next_place()):
                return
            errand = self.queue.popleft()
            if errand.put(place):
                self.away.append(errand)
                self.send(errand)

    def next_place(self) -> str:
        if self.size > 1:
            return self.connection.idlest()
        if self.home not in self.connection.workers:
            with self.connection.lock:
                self.connection.busy[self.home] -= 1
                self.home = self.connection.idlest()
                self.connection.busy[self.home] += 1
        return self.home

    def send(self, errand: Errand, models: Sequence[str] = ()) -> None:
        """Send a task to its worker, with the current files of these models."""
        content = {}
        for name in models:
            with suppress(FileNotFoundError):
                content[name] = (model_file.folder() / name).read_bytes()
        known = {**errand.parcel.models, **dict.fromkeys(models, "")}
        known |= {name: digest_of(some) for name, some in content.items()}
        errand.parcel = replace(errand.parcel, models=known)
        order = remote_worker.Order(self.id, facts(), errand.parcel, content)
        submit = partial(self.connection.client.submit, workers=[errand.place], pure=False)
        if errand.place not in self.leases:
            self.leases[errand.place] = submit(
                remote_worker.hold, self.id, key=remote_worker.lease(self.id, errand.place)
            )
        with self.connection.lock:
            self.connection.busy[errand.place] += 1
        errand.sent = submit(remote_worker.do, order, key=f"arena-{uuid4().hex}")
        errand.sent.add_done_callback(self.events.put)

    def take_in_next(self) -> None:
        """Process the next future that is done, or return after a short time."""
        try:
            sent = self.events.get(timeout=TICK if self.away or self.queue or self.ending else None)
        except Empty:
            return
        errand = next((errand for errand in self.away if errand.sent is sent), None)
        if errand is None:
            return
        if sent.status in ("finished", "error"):
            try:
                answer: remote_worker.Answer = sent.result(timeout=COMING)
            except Exception as error:
                if sent.status == "finished":  # but the result is not available: its worker is lost
                    self.take_back(errand)
                else:
                    self.refuse(errand, one_line(error)[:300])
            else:
                self.take_in(errand, answer)
        else:  # the scheduler has lost it
            self.take_back(errand)

    def take_in(self, errand: Errand, answer: remote_worker.Answer) -> None:
        for text in answer.said:
            own_watch.say(text)
        if answer.kind == remote_worker.REFUSED:
            self.refuse(errand, f"{answer.content}; install the same version there")
            return
        if answer.kind == remote_worker.MISSING:
            self.count_off(errand)
            self.send(errand, answer.content)
            return
        for name, content in answer.models.items():
            write(name, content)
        content = loads(answer.content)
        self.count_off(errand)
        self.away.remove(errand)
        errand.set_result(content) if answer.kind == remote_worker.DONE else errand.set_exception(content)

    def take_back(self, errand: Errand) -> None:
        """Queue a task again."""
        self.count_off(errand)
        self.away.remove(errand)
        errand.sent = None
        errand.put("")
        self.queue.appendleft(errand)

    def count_off(self, errand: Errand) -> None:
        with self.connection.lock:
            self.connection.busy[errand.place] -= 1

    def refuse(self, errand: Errand, why: str) -> None:
        """Exclude the worker of a task, and queue the task again."""
        address = errand.place
        if address not in self.connection.refused:
            self.connection.refuse(address, why)
            if self.connection.workers:
                own_watch.say(f"Warning: worker {address} is left out: {why}")
        self.take_back(errand)

    def fail(self, error: ArenaError) -> None:
        """Fail all tasks with an error."""
        errands = [*self.away, *self.queue]
        self.away.clear()
        self.queue.clear()
        for errand in errands:
            if errand.sent is not None:
                errand.sent.release()
                self.count_off(errand)
            if errand.put("nowhere"):
                errand.set_exception(error)

    def leave(self) -> None:
        """Cancel all tasks and leases on the cluster."""
        connection = self.connection
        with suppress(Exception):  # the scheduler is lost, and all leases with it
            connection.client.cancel(
                [*self.leases.values(), *(errand.sent for errand in self.away)], force=True
            )
        for errand in [*self.away, *self.queue]:
            if errand.put("nowhere"):
                errand.set_exception(CancelledError())
        for errand in self.away:
            self.count_off(errand)
        with connection.lock:
            connection.busy[self.home] -= 1
        connection.close()


def write(name: str, content: bytes) -> None:
    """Store a model written by a worker in this machine's folder of models, or raise ArenaError."""
    path = model_file.folder() / name
    with draft_of(path, f"the model {path}", kept=True) as file:
        file.write(content)


@dataclass(frozen=True)
class Dask:
    """Worker processes on the machines of a Dask cluster; `dask://HOST:PORT` names the scheduler.

    address: HOST:PORT; empty to read it from the environment.
    """

    address: str = ""
    survives = True

    def __call__(self, workers: int) -> Cluster:
        return Cluster(workers, self.address)

    def at(self, address: str) -> Dask:
        return Dask(address)

    def count(self) -> int:
        """Return the current number of workers, or raise ArenaError."""
        connection = Connection.open(self.address)
        try:
            connection.look()
            return connection.threads or 1
        finally:
            connection.close()


dask = Dask()
