"""Whose turn it is in a worker process, kept where the process that looks after it can see; and what it says.

An agent may hang or take its process down. The mark, in memory that both share, says which match and
which seat it was, and until when it may go on; whoever is overdue is ended from outside, which also
reaches C code that never comes back. Compiled matches have no time to look at a clock: they count their
turns in the mark, and a count that stands still for too long is overdue.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, MutableSequence
from contextlib import contextmanager, suppress
from time import monotonic_ns

from arena.texts import on_one_line

RULES = 2  # the seat while the game's own code runs
NOBODY = -1

# deadline in ns of the monotonic clock, 0 = none, or negative: ns that a turn may take; match number; seat;
# how many turns there were; ns that were allowed until the deadline
Mark = MutableSequence[int]
DEADLINE, NUMBER, SEAT, TURNS, ALLOWED = range(5)
WORDS = 5
LONGEST_PAUSE = 120.0  # seconds
# a worker's mark lies this many words from the next one's: two cores that write to one cache line, or to two
# neighbours that are fetched together, wait for each other at every turn
APART = 32


class WorkerDied(Exception):
    """A worker process ended in the middle of a block.

    number, seat: the match and the seat whose turn it was, -1 if nobody's. stalled: it was ended for
    going on for longer than `seconds`, which it was allowed. stack: where it was then, as faulthandler tells.
    """

    def __init__(
        self, number: int, seat: int, stalled: bool, detail: str, seconds: float = 0.0, stack: str = ""
    ) -> None:
        super().__init__(number, seat, stalled, detail, seconds, stack)
        self.number, self.seat, self.stalled, self.detail = number, seat, stalled, detail
        self.seconds, self.stack = seconds, stack

    @property
    def fault(self) -> str:
        """What the game did, where it was its turn."""
        return f"ran for over {self.seconds:g} s" if self.stalled else self.detail


def to_standard_error(text: str) -> None:
    print(on_one_line(text), file=sys.stderr)


class Watch:
    """Does nothing: for agents that run in the process they were started from."""

    expendable = False  # whether this process may be ended for an agent's sake

    def __init__(self, tell: Callable[[str], None] = to_standard_error) -> None:
        self.mark: Mark = [0] * WORDS
        self.tell = tell
        self.said: set[str] = set()
        self.saying = threading.Lock()

    def say(self, text: str) -> None:
        """Tell whoever gave the command, on standard error, once for all its worker processes."""
        with self.saying:
            if text not in self.said:
                self.said.add(text)
                with suppress(OSError):  # nobody listens
                    self.tell(text)

    def is_users(self, error: BaseException) -> bool:
        """Whether it is the user's Ctrl-C, which only the main thread of no worker process gets."""
        main = threading.current_thread() is threading.main_thread()
        return isinstance(error, KeyboardInterrupt) and not self.expendable and main

    def turn(self, number: int, seat: int, seconds: float) -> None:
        """Seat's agent, or `RULES`, goes to work for at most so many seconds; 0 = as long as it likes."""

    def turns(self, seconds: float) -> None:
        """Compiled code goes to work, which marks its turns itself; each may take so many seconds."""

    def clear(self) -> None:
        """Nobody's turn."""

    @contextmanager
    def paused(self, seconds: float = LONGEST_PAUSE) -> Iterator[None]:
        """Meanwhile nobody is overdue, but by so many seconds: an agent's own code may be run there."""
        yield


class ProcessWatch(Watch):
    """Marks turns where the parent process reads them. tell: passes a text on to that process."""

    expendable = True

    def __init__(self, mark: Mark, tell: Callable[[str], None]) -> None:
        super().__init__(tell)
        self.mark = mark
        self.forked = False  # whether this process is a child that an agent forked off
        names = ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF")  # none on Windows
        self.timers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        self.clear()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.let_go)

    def turn(self, number: int, seat: int, seconds: float) -> None:
        if self.forked:  # it came back from its agent, and would play and fork on
            os._exit(1)
        if seat == RULES:
            for timer in self.timers:
                signal.setitimer(timer, 0)  # an agent's own alarm must not go off in another's turn
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
        """A child that an agent forked off marks nothing, speaks for itself, and plays no matches."""
        self.mark = [0, NOBODY, NOBODY, 0, 0]
        self.forked = True
        self.tell = to_standard_error
        self.saying = threading.Lock()  # which a thread that is not here may have held
