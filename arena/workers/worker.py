"""The worker that runs the current task: its watch, and its cache between tasks.

An agent may hang or crash its process. The watch therefore records whose turn it is in the *mark*, which is
memory shared with the parent process: the match, the seat that is playing, and its deadline. The parent kills
an overdue worker, which also stops C code that never returns. Compiled matches do not set deadlines, since
reading a clock would slow them down. They count turns in the mark, and the worker is overdue if the count
does not change for too long. The watch also passes on messages.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Hashable, Iterator, MutableSequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from time import monotonic_ns
from typing import Any, TypeVar

from arena.compiler import Host
from arena.texts import NOTE, no_notes, on_one_line

RULES = 2  # value of the seat in the mark while the game's own code runs
NOBODY = -1

# words of a mark: deadline in ns of the monotonic clock, 0 = none, or if negative, ns allowed for each turn;
# match number; seat; number of turns so far; ns allowed until the deadline
Mark = MutableSequence[int]
DEADLINE, NUMBER, SEAT, TURNS, ALLOWED = range(5)
WORDS = 5
LONGEST_PAUSE = 120.0  # seconds
# size of a mark in words: cores that write to the same cache line, or to adjacent lines, which are fetched
# together, would wait for each other at every turn
APART = 32


class WorkerDied(Exception):
    """Raised if a worker process ended during a task, such as a block of matches.

    Attributes:
        number: Number of the match that it was playing, -1 if none.
        seat: The seat whose turn it was, `RULES` for the game's own code, `NOBODY` for neither.
        stalled: Whether it was killed for running longer than allowed.
        detail: How the process ended.
        seconds: The time allowed for the turn, in seconds.
        stack: Its stack when it was killed, as faulthandler prints it.
    """

    def __init__(
        self, number: int, seat: int, stalled: bool, detail: str, seconds: float = 0.0, stack: str = ""
    ) -> None:
        super().__init__(number, seat, stalled, detail, seconds, stack)
        self.number, self.seat, self.stalled, self.detail = number, seat, stalled, detail
        self.seconds, self.stack = seconds, stack

    @property
    def fault(self) -> str:
        """The text of the fault if the game's own code was running."""
        return f"ran for over {self.seconds:g} s" if self.stalled else self.detail


def to_standard_error(text: str) -> None:
    """Print a text on one line on standard error."""
    print(on_one_line(text), file=sys.stderr)


class Watch:
    """A watch that records nothing, for agents in the main process.

    Attributes:
        expendable: Whether this process may be killed because of an agent.
    """

    expendable = False

    def __init__(self, tell: Callable[[str], None] = to_standard_error) -> None:
        self.mark: Mark = [0] * WORDS
        self.tell = tell
        self.said: set[str] = set()
        self.saying = threading.Lock()

    def say(self, text: str) -> None:
        """Print a text for the user on standard error, unless it was printed before."""
        with self.saying:
            if text not in self.said and not (text.startswith(NOTE) and no_notes.is_set()):
                self.said.add(text)
                with suppress(OSError):  # standard error is closed
                    self.tell(text)

    def is_users(self, error: BaseException) -> bool:
        """Return whether an exception is the user's Ctrl-C.

        Ctrl-C arrives in the main thread of a process that is not a worker.
        """
        main = threading.current_thread() is threading.main_thread()
        return isinstance(error, KeyboardInterrupt) and not self.expendable and main

    def turn(self, number: int, seat: int, seconds: float) -> None:
        """Record whose turn it is.

        Args:
            number: The match.
            seat: The seat whose agent runs, or `RULES` for the game's own code.
            seconds: Time limit, 0 = none.
        """

    def turns(self, seconds: float) -> None:
        """Record that compiled code runs, which counts its turns itself; each may take `seconds` seconds."""

    def clear(self) -> None:
        """Record that it is no agent's or game's turn."""

    @contextmanager
    def paused(self, seconds: float = LONGEST_PAUSE) -> Iterator[None]:
        """Replace the time limit by `seconds` in this context, in which an agent's code may run."""
        yield


class ProcessWatch(Watch):
    """A watch that marks turns in memory that the parent process reads.

    Attributes:
        forked: Whether this process is a child that an agent has forked.
    """

    expendable = True

    def __init__(self, mark: Mark, tell: Callable[[str], None]) -> None:
        super().__init__(tell)
        self.mark = mark
        self.forked = False
        names = ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF")  # none of them on Windows
        self.timers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        self.clear()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.let_go)

    def turn(self, number: int, seat: int, seconds: float) -> None:
        if self.forked:  # the child has returned from the agent's code, and must not continue to play
            os._exit(1)
        if seat == RULES and self.mark[SEAT] != RULES:
            for timer in self.timers:
                signal.setitimer(timer, 0)  # an agent's alarm must not go off during another agent's turn
        allowed = self.mark[ALLOWED] = int(seconds * 1e9)
        self.mark[:3] = (monotonic_ns() + allowed if allowed else 0, number, seat)

    def turns(self, seconds: float) -> None:
        self.mark[TURNS] += 1
        self.mark[ALLOWED] = int(seconds * 1e9)
        self.mark[DEADLINE] = -self.mark[ALLOWED]

    def clear(self) -> None:
        self.mark[:3] = (0, NOBODY, NOBODY)

    @contextmanager
    def paused(self, seconds: float = LONGEST_PAUSE) -> Iterator[None]:
        deadline, allowed, begun = self.mark[DEADLINE], self.mark[ALLOWED], monotonic_ns()
        self.mark[ALLOWED] = int(seconds * 1e9)
        self.mark[DEADLINE] = deadline and begun + self.mark[ALLOWED]
        try:
            yield
        finally:
            self.mark[ALLOWED] = allowed
            self.mark[DEADLINE] = deadline + monotonic_ns() - begun if deadline > 0 else deadline

    def let_go(self) -> None:
        """Detach a child that an agent has forked, so that it neither marks turns nor plays matches."""
        self.mark = [0, NOBODY, NOBODY, 0, 0]
        self.forked = True
        self.tell = to_standard_error
        self.saying = threading.Lock()  # the old lock may be held by a thread that the child lacks


Kept = TypeVar("Kept")


class Worker:
    """The process or thread that runs a task, as seen by the task.

    Attributes:
        watch: Records whose turn it is.
        kept: Cache for later tasks, with objects such as games and agents, by key.
        spent: Whether the worker should be replaced after the current task, if possible.
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
        """Return the object cached under a key, creating it if needed."""
        if key not in self.kept:
            self.kept[key] = make()
        found: Kept = self.kept[key]
        return found


COMPARING = 10.0  # seconds that a comparison of compiled code with plain Python may take


class CompilerHost(Host):
    """Passes on the compiler's messages, once for all workers, and suspends time limits meanwhile."""

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
