"""Executors that run tasks in this process: in threads, or in the calling thread."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from arena.api.quiet import quiet
from arena.workers.worker import Worker, current, own_watch


class Threads(ThreadPoolExecutor):
    """Threads of this process, for agents that release the interpreter's lock.

    What they print goes to standard error.
    """

    local = True  # tasks stay in this process

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.stdout, sys.stdout = sys.stdout, sys.stderr

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait, cancel_futures=cancel_futures)
        sys.stdout = self.stdout


class Serial(Executor):
    """The calling thread, which runs each task at once: for debuggers and profilers.

    Cached games and agents are dropped at shutdown.
    """

    local = True

    def __init__(self, workers: int) -> None:
        self.context, self.worker = copy_context(), Worker(own_watch)
        self.context.run(current.set, self.worker)

    def submit(self, fn: Callable[..., object], /, *args: object, **kwargs: Any) -> Future[Any]:
        future: Future[object] = Future()
        try:
            with quiet():
                future.set_result(self.context.run(fn, *args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.worker.close()
        self.worker.kept.clear()
