"""The loop that assigns tasks to workers and collects results, used for matches, training and checks.

A worker may die during a task, since an agent crashes it, since it hangs and is killed, or since it is ended
from outside. `Deaths` decides about the consequences.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from arena.errors import ArenaError, one_line
from arena.texts import as_asked, typed
from arena.workers.worker import WorkerDied

TICK = 0.3  # seconds between checks whether to stop

Result = TypeVar("Result")


@dataclass(eq=False)
class Task:
    """A function call that a worker executes.

    Attributes:
        pool: The executor that runs it.
        function: The function. It is pickled if the executor is another process.
        arguments: Its positional arguments.
        of: The part of the work that the task does, in a form that the `Work` chooses.
    """

    pool: Executor
    function: Callable[..., Any]
    arguments: tuple[object, ...]
    of: Any


class Deaths:
    """Decides when a worker's death is blamed on an agent or on the game.

    A first death may be an accident: an agent is blamed for the second death at the same place. If the game's
    own code or no plugin code was running, the fifth death at a place ends the whole run. A stall is never an
    accident.
    """

    AGENTS_TURN, OTHERWISE = 2, 5

    def __init__(self) -> None:
        self.times: Counter[Hashable] = Counter()

    def blame(self, place: Hashable, death: WorkerDied) -> bool:
        """Count a death at a place, and return whether it is blamed on the code that was running."""
        self.times[place, death.seat] += 1
        enough = self.AGENTS_TURN if death.seat in (0, 1) else self.OTHERWISE
        return death.stalled or self.times[place, death.seat] >= enough


class Work(ABC, Generic[Result]):
    """A kind of work, which creates tasks and turns their return values into results.

    Attributes:
        finishes: Whether running tasks are finished when the work is stopped; otherwise they are dropped.
    """

    finishes = True

    def __init__(self) -> None:
        self.deaths = Deaths()

    @abstractmethod
    def next_task(self, stopping: bool) -> Task | None:
        """Return the next task, or None if no task is currently available.

        Args:
            stopping: Whether to return only tasks that are needed to avoid losing results.
        """

    @property
    def waiting(self) -> bool:
        """Whether further tasks may become available although none is available or running now."""
        return False

    @abstractmethod
    def take(self, task: Task, answer: Any) -> Iterator[Result]:
        """Yield the results that follow from the return value of a task."""

    @abstractmethod
    def died(self, task: Task, death: WorkerDied) -> Iterator[Result]:
        """Yield the results that follow from the death of a task's worker, and reschedule unfinished work."""

    def failed(self, task: Task, error: Exception) -> Iterator[Result]:
        """Yield the results that follow from an exception in a task. By default, raise it."""
        raise error


def work_off(work: Work[Result], most: int, stop: threading.Event) -> Iterator[Result]:
    """Run all tasks of a `Work`, and yield the results as they arrive.

    Once `stop` is set, queued tasks are dropped, and only necessary tasks begin (see `Work.next_task`).
    Running tasks are finished, or dropped if `work.finishes` is False.

    Args:
        work: The work.
        most: Maximum number of submitted tasks that have not finished.
        stop: Event that ends the loop early.

    Raises:
        ArenaError: If an executor breaks without reporting which task broke it.
    """
    running: dict[Future[object], Task] = {}
    while True:
        if stop.is_set():
            if not work.finishes:
                for pool in {task.pool for task in running.values()}:
                    pool.shutdown(wait=False, cancel_futures=True)
                return
            running = {future: task for future, task in running.items() if not future.cancel()}
        while len(running) < most and (task := work.next_task(stop.is_set())):
            try:
                running[asked_of(task.pool, task.function, *task.arguments)] = task
            except KeyboardInterrupt:  # raised while a task ran in this process
                if not stop.is_set():
                    raise
                break
        if not running:
            if stop.is_set() or not work.waiting:
                return
            stop.wait(TICK)
        done, _ = wait(running, TICK, FIRST_COMPLETED)
        for future in [future for future in running if future in done]:
            yield from answered(work, running.pop(future), future)


def asked_of(pool: Executor, function: Callable[..., Result], *arguments: object) -> Future[Result]:
    """Submit a function call to an executor; its messages are worded for the caller, CLI or Python."""
    return pool.submit(as_asked, typed.get(), function, *arguments)


def answered(work: Work[Result], task: Task, future: Future[Any]) -> Iterator[Result]:
    """Yield the results that follow from a finished task."""
    try:
        answer = future.result()
    except WorkerDied as death:
        yield from work.died(task, death)
    except BrokenExecutor as error:
        broken = f"the executor broke: {one_line(error)}; 'processes' identifies the cause and continues"
        yield from work.failed(task, ArenaError(broken))
    except Exception as error:
        yield from work.failed(task, error)
    else:
        yield from work.take(task, answer)
