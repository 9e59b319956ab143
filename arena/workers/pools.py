"""Open and close executors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from arena.api.plugin_guard import noticing, quiet
from arena.compiler import wanted
from arena.errors import ArenaError, Stopped, one_line
from arena.texts import typed
from arena.workers.worker import Worker, current, own_watch


class Surviving(Executor):
    """An executor that replaces dead workers: only the task of the dead worker fails, with WorkerDied.

    The function that creates such an executor also has the attribute `survives`.
    """

    survives = True

    @abstractmethod
    def another(self, workers: int) -> Executor:
        """Return a new executor of the same kind, with its own workers."""


@contextmanager
def working(executor: Callable[[int], Executor], workers: int) -> Iterator[Executor]:
    """Open an executor, and shut it down at the end without leaving anything running.

    Args:
        executor: Function that takes the number of workers and returns a `concurrent.futures.Executor`.
        workers: The number of workers.

    Raises:
        ArenaError: If the executor cannot be created, or is not an `Executor`.
    """
    try:
        with noticing() as pressed:
            pool = executor(workers)
    except ArenaError:
        raise
    except BaseException as error:
        if pressed.is_set():
            raise
        raise ArenaError(f"the executor cannot be created: {one_line(error)}") from error
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
    """An open executor.

    Attributes:
        executor: The executor that runs the tasks.
        count: The number of workers.
        stop: Event; once it is set, running tasks are finished and no more are started.
    """

    executor: Executor
    count: int
    stop: threading.Event


@dataclass(frozen=True)
class Workers:
    """A description of workers, which `opened` starts.

    Attributes:
        executor: Function that takes the number of workers and returns a `concurrent.futures.Executor`.
        count: The number of workers.
        stop: Event; once it is set, running tasks are finished and no more are started.
    """

    executor: Callable[[int], Executor]
    count: int
    stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def opened(self, count: int | None = None) -> Iterator[Pool]:
        """Start `count` workers, by default all, and shut them down at the end."""
        count = self.count if count is None else count
        here = ending_at_second_signal() if getattr(self.executor, "local", False) else nullcontext()
        with here, working(self.executor, count) as executor:
            yield Pool(executor, count, self.stop)


def default_workers() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Threads(ThreadPoolExecutor):
    """Threads of this process, for agents that release the GIL.

    Their printed output goes to standard error.
    """

    local = True  # tasks stay in this process

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.stdout, sys.stdout = sys.stdout, sys.stderr

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        super().shutdown(wait, cancel_futures=cancel_futures)
        sys.stdout = self.stdout


class Serial(Executor):
    """An executor that runs each task immediately in the calling thread, for debuggers and profilers.

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


SIGNALS = signal.SIGINT, signal.SIGTERM


@contextmanager
def ending_at_once(stop: threading.Event | None, message: str) -> Iterator[None]:
    """Raise Stopped at the first Ctrl-C or termination request, instead of only setting `stop`.

    The handlers of the command line are then restored, so that a second signal ends the process.

    Args:
        stop: Event that the command line's handlers set. If it is None or already set, nothing is changed.
        message: Message of Stopped.
    """
    before = {number: signal.getsignal(number) for number in SIGNALS}
    own = {number for number, handler in before.items() if handles(handler)}
    if stop is None or stop.is_set() or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        for one in own:
            signal.signal(one, before[one])
        stop.set()  # so that a second signal ends the process
        raise Stopped(message)

    for number in own:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in own:
            if signal.getsignal(number) is end:
                signal.signal(number, before[number])


def handles(handler: object) -> bool:
    """Return whether a signal handler is the program's own instead of one of Python's defaults."""
    return callable(handler) and handler is not signal.default_int_handler


PATIENCE = 0.3  # seconds for this process to end normally
WATCHER = """
import os, sys, time
parent, patience, *numbers = int(sys.argv[1]), float(sys.argv[2]), *map(int, sys.argv[3:])
asked = 0
while asked < 2 and (said := os.read(0, 1)):
    asked += said[0] in numbers
time.sleep(patience)
if asked > 1 and os.getppid() == parent:
    if os.isatty(2):
        os.write(2, b"\\r\\x1b[2K\\x1b[?25h")
    os.write(2, b"Error: interrupted\\n")
    os.kill(parent, 9)
"""


@contextmanager
def ending_at_second_signal() -> Iterator[None]:
    """End the command at a second Ctrl-C or SIGTERM, even while compiled code is running."""
    main = threading.current_thread() is threading.main_thread()
    if not (typed.get() and wanted() and main and os.name == "posix"):
        yield
        return
    numbers = [str(int(number)) for number in SIGNALS]
    watcher = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", WATCHER, str(os.getpid()), str(PATIENCE), *numbers],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # not affected by Ctrl-C in the terminal
    )
    assert watcher.stdin is not None
    os.set_blocking(watcher.stdin.fileno(), False)
    before = signal.set_wakeup_fd(watcher.stdin.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        watcher.kill()
        with suppress(OSError):
            watcher.stdin.close()
        watcher.wait()
