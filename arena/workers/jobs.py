"""Tasks handed out to workers and their answers taken in: one loop for playing, training and asking.

A worker may die in the middle of a task: an agent crashed it, or it was ended for hanging, or somebody else
ended it. One rule says what follows, see `Deaths`.
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
from arena.wording import as_asked, typed
from arena.workers.watch import WorkerDied

TICK = 0.3  # seconds between looks at whether to stop

Result = TypeVar("Result")


@dataclass(eq=False)
class Task:
    """A function to be called by a worker, which is sent it with its arguments.

    pool: who has the worker. of: what it is a task of, as the work it belongs to knows that.
    """

    pool: Executor
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    of: Any


class Deaths:
    """The rule for workers that die: who had the turn is to blame for the second death at the same place.

    One may be an accident. Where it was the game's turn, or nobody's, it takes five, which end everything.
    To be ended for hanging is no accident.
    """

    AGENTS_TURN, OTHERWISE = 2, 5

    def __init__(self) -> None:
        self.times: Counter[Hashable] = Counter()

    def blame(self, place: Hashable, death: WorkerDied) -> bool:
        """Whether this death, at this place, is one too many."""
        self.times[place, death.seat] += 1
        enough = self.AGENTS_TURN if death.seat in (0, 1) else self.OTHERWISE
        return death.stalled or self.times[place, death.seat] >= enough


class Work(ABC, Generic[Result]):
    """What is to be done: it gives tasks, and makes results of their answers."""

    finishes = True  # what is being done when it is to stop; else that is of no use, and is ended

    def __init__(self) -> None:
        self.deaths = Deaths()

    @abstractmethod
    def next_task(self, stopping: bool) -> Task | None:
        """What is to be done next; None while there is nothing that can be.

        stopping: only what has to be done for nothing to be lost.
        """

    @property
    def waiting(self) -> bool:
        """Whether there may be tasks later, though there are none now and none is being done."""
        return False

    @abstractmethod
    def take(self, task: Task, answer: Any) -> Iterator[Result]:
        """What an answer comes to."""

    @abstractmethod
    def died(self, task: Task, death: WorkerDied) -> Iterator[Result]:
        """What the death of a task's worker comes to; what is not decided by it is to be done again."""

    def failed(self, task: Task, error: Exception) -> Iterator[Result]:
        """What it comes to that a task raised."""
        raise error


def work_off(work: Work[Result], most: int, stop: threading.Event) -> Iterator[Result]:
    """Have all tasks of a work done, at most so many at a time, and give its results as they come.

    Once `stop` is set what is being done is finished, or ended as the work says, and what has not begun is
    dropped. ArenaError if an executor breaks that does not tell whose fault it is.
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
            except KeyboardInterrupt:  # in this process, of a task that is not to be finished
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
    """Have a worker call a function; what that tells is told to whoever asks here, in their words."""
    return pool.submit(as_asked, typed.get(), function, *arguments)


def answered(work: Work[Result], task: Task, future: Future[object]) -> Iterator[Result]:
    """What a task that is over comes to."""
    try:
        answer = future.result()
    except WorkerDied as death:
        yield from work.died(task, death)
    except BrokenExecutor as error:
        broken = f"the executor broke: {one_line(error)}; 'processes' tells whose fault it is and goes on"
        yield from work.failed(task, ArenaError(broken))
    except Exception as error:
        yield from work.failed(task, error)
    else:
        yield from work.take(task, answer)
