"""The worker that runs the current task: its watch, and what it keeps between tasks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, TypeVar

from arena.compiler import Host
from arena.workers.watch import Watch

Kept = TypeVar("Kept")


class Worker:
    """The process or thread that runs a task, as the task sees it.

    Attributes:
        watch: Notes whose turn it is.
        kept: Cache for later tasks, such as games and agents, by key.
        spent: Whether another worker should take its place after this task, if possible.
        threads: The number of threads before the first task.
        close: Called before the worker ends, if it can still run code then.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.kept: dict[Hashable, Any] = {}
        self.spent = False
        self.threads = threading.active_count()
        self.close: Callable[[], object] = int  # by default does nothing

    def keep(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """Return what is cached under a key, making it if there is nothing yet."""
        if key not in self.kept:
            self.kept[key] = make()
        found: Kept = self.kept[key]
        return found


COMPARING = 10.0  # seconds that a comparison of compiled code with plain Python may take


class CompilerHost(Host):
    """Pass the compiler's messages on, once for all workers, and suspend time limits while it works."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch

    def say(self, text: str) -> None:
        self.watch.say(text)

    def waiting(self) -> AbstractContextManager[None]:
        return self.watch.paused()

    def comparing(self) -> AbstractContextManager[None]:
        return self.watch.paused(COMPARING)


own_watch = Watch()  # for tasks in this process, unless it is a worker process
current: ContextVar[Worker] = ContextVar("worker")


def this_worker() -> Worker:
    """Return the worker that runs this code; each thread has its own."""
    worker = current.get(None)
    if worker is None:
        worker = Worker(own_watch)
        current.set(worker)
    return worker
