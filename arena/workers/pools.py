"""Executors, opened and closed."""

from __future__ import annotations

import os
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from arena.api.plugin_guard import noticing
from arena.errors import ArenaError, one_line
from arena.workers.last_resort import ending_at_once


class Surviving(Executor):
    """An executor that goes on when a worker dies: that one's task gets WorkerDied, another takes its place.

    What makes one has `survives`, too.
    """

    survives = True

    @abstractmethod
    def another(self, workers: int) -> Executor:
        """One more of the same kind, with workers of its own."""


@contextmanager
def working(executor: Callable[[int], Executor], workers: int) -> Iterator[Executor]:
    """An executor, which leaves nothing running behind."""
    try:
        with noticing() as pressed:
            pool = executor(workers)
    except ArenaError:
        raise
    except BaseException as error:
        if pressed.is_set():
            raise
        raise ArenaError(f"the executor cannot be made: {one_line(error)}") from error
    if not isinstance(pool, Executor):
        raise ArenaError(f"the executor is {pool!r}, not a concurrent.futures.Executor")
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


@dataclass(frozen=True)
class Pool:
    """Workers that are there, in an executor. count, stop: as of `Workers`."""

    executor: Executor
    count: int
    stop: threading.Event


@dataclass(frozen=True)
class Workers:
    """Who does work.

    executor: makes an executor of so many. count: how many. stop: once it is set, what is in hand is
    finished, and no more begun.
    """

    executor: Callable[[int], Executor]
    count: int
    stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def opened(self, count: int | None = None) -> Iterator[Pool]:
        """So many of them, or all; none is left running behind."""
        count = self.count if count is None else count
        here = ending_at_once() if getattr(self.executor, "local", False) else nullcontext()
        with here, working(self.executor, count) as executor:
            yield Pool(executor, count, self.stop)


def default_workers() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
