"""A connection to a Dask scheduler, shared by all executors of this process on that cluster."""

from __future__ import annotations

import logging
import os
import re
import threading
import warnings
from collections import Counter
from contextlib import suppress
from time import monotonic

from arena.errors import ArenaError, one_line
from arena_dask.parcel import Sender

ENVIRONMENT = "DASK_SCHEDULER_ADDRESS"
ADDRESS = re.compile(r"(?:[a-z]+://)?(?:[\w.-]+|\[[0-9a-fA-F:]+\]):([0-9]{1,5})", re.ASCII)
CONNECTING = 10.0  # maximum seconds for a scheduler to answer
LOOK = 0.5  # seconds between updates of the list of workers

opening = threading.RLock()
connections: dict[str, Connection] = {}


class Connection:
    """A client of a scheduler.

    workers: the number of threads of each worker, by address, at the last update, except refused workers.
    refused: the reason, by address of each refused worker. busy: the number of this process's tasks, and
    executors with one worker, that each worker has.
    """

    def __init__(self, address: str) -> None:
        from distributed import Client  # imported here, as it takes a second

        self.address, self.users = address, 0
        self.logger = logging.getLogger("distributed")  # silenced, since it logs tracebacks for lost workers
        self.level = self.logger.level
        self.logger.setLevel(logging.CRITICAL)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about different versions, which `parcel.facts` compares
                self.client = Client(address, timeout=CONNECTING, set_as_default=False)
        except Exception as error:
            self.logger.setLevel(self.level)
            raise ArenaError(
                f"no Dask scheduler answers at {address} ({one_line(error)[:100]}); "
                "start one with 'dask scheduler', or correct the address"
            ) from error
        warnings.filterwarnings("ignore", "Sending large graph")  # models may be large
        self.sender = Sender()
        self.lock = threading.RLock()
        self.workers: dict[str, int] = {}
        self.refused: dict[str, str] = {}
        self.busy: Counter[str] = Counter()
        self.looked = 0.0

    @classmethod
    def open(cls, address: str) -> Connection:
        """Return the connection to an address, created if necessary; each call requires a call of `close`."""
        address = checked(address)
        with opening:
            found = connections.get(address) or cls(address)
            connections[address] = found
            found.users += 1
            return found

    def close(self) -> None:
        with opening:
            self.users -= 1
            if self.users == 0:
                del connections[self.address]
                with suppress(Exception):  # the scheduler is lost
                    self.client.close(timeout=CONNECTING)
                self.logger.setLevel(self.level)

    def look(self) -> None:
        """Update the list of workers; raise ArenaError if the scheduler is lost."""
        with self.lock:
            if monotonic() - self.looked < LOOK:
                return
            try:
                if self.client.status != "running":
                    raise OSError(f"the connection is {self.client.status}")
                found = self.client.sync(self.client.scheduler.ncores, callback_timeout=CONNECTING)
            except Exception as error:
                raise ArenaError(
                    f"the scheduler at {self.address} is gone ({one_line(error)[:100]}); restart it, and "
                    "the same command continues from the recorded results"
                ) from error
            self.refused = {address: why for address, why in self.refused.items() if address in found}
            self.workers = {address: n for address, n in found.items() if address not in self.refused}
            self.looked = monotonic()

    def refuse(self, address: str, why: str) -> None:
        """Exclude a worker from now on."""
        with self.lock:
            self.refused[address] = why
            self.workers = {one: n for one, n in self.workers.items() if one != address}

    @property
    def threads(self) -> int:
        """The number of tasks that the cluster runs simultaneously."""
        return sum(self.workers.values())

    def idlest(self) -> str:
        """Return the worker with the fewest tasks of this process per thread; empty if there is none."""
        with self.lock:
            return min(self.workers, key=lambda one: self.busy[one] / self.workers[one], default="")


def checked(address: str) -> str:
    """Return a scheduler's address in the form that Dask accepts; if empty, from the environment."""
    given = address or os.environ.get(ENVIRONMENT, "")
    if not given:
        raise ArenaError(
            f"executor 'dask' needs a scheduler: dask://HOST:PORT, or {ENVIRONMENT}=tcp://HOST:PORT"
        )
    match = ADDRESS.fullmatch(given)
    if not match or not 0 < int(match[1]) < 1 << 16:
        where = f"dask://{given}" if address else f"{ENVIRONMENT}={given}"
        raise ArenaError(f"{where} is not the address of a scheduler; use HOST:PORT, such as localhost:8786")
    return given if "://" in given else f"tcp://{given}"
