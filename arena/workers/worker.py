"""The worker that a task is done by: who watches over it, and what its tasks leave for those after them."""

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
    """A process, a thread or this one, as its tasks see it.

    kept: what tasks have made, games and agents say, by what it is. spent: whether another is to take its
    place after this task, if that can be. threads: how many there were before any task.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.kept: dict[Hashable, Any] = {}
        self.spent = False
        self.threads = threading.active_count()  # before any task
        self.close: Callable[[], object] = int  # called before it ends, if that is in its hands

    def keep(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What is kept under a key, made if there is nothing yet."""
        if key not in self.kept:
            self.kept[key] = make()
        found: Kept = self.kept[key]
        return found


COMPARING = 10.0  # seconds that a comparison of compiled code with plain Python may take


class CompilerHost(Host):
    """Has the compiler say what it has to say once for all workers, and nobody be overdue while it works."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch

    def say(self, text: str) -> None:
        self.watch.say(text)

    def waiting(self) -> AbstractContextManager[None]:
        return self.watch.paused()

    def comparing(self) -> AbstractContextManager[None]:
        return self.watch.paused(COMPARING)


own_watch = Watch()  # over what is done in this process, if it is no worker
current: ContextVar[Worker] = ContextVar("worker")


def this_worker() -> Worker:
    """The worker that this is called in; each thread is one."""
    worker = current.get(None)
    if worker is None:
        worker = Worker(own_watch)
        current.set(worker)
    return worker
