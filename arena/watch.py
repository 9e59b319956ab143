"""Whose turn it is in a worker process, kept where the process that looks after it can see.

An agent may hang or take its process down. The mark, in memory that both share, says which match and
which seat it was, and until when it may go on; whoever is overdue is ended from outside, which also
reaches C code that never comes back.
"""

from __future__ import annotations

import os
import signal
from collections.abc import MutableSequence
from time import monotonic_ns

RULES = 2  # the seat while the game's own code runs
NOBODY = -1

Mark = MutableSequence[int]  # deadline in ns of the monotonic clock, 0 = none; match number; seat


class Watch:
    """Does nothing: for agents that run in the process they were started from."""

    expendable = False  # whether this process may be ended for an agent's sake

    def turn(self, number: int, seat: int, seconds: float) -> None:
        """Seat's agent, or `RULES`, goes to work for at most so many seconds; 0 = as long as it likes."""

    def clear(self) -> None:
        """Nobody's turn."""


class ProcessWatch(Watch):
    """Marks turns where the parent process reads them."""

    expendable = True

    def __init__(self, mark: Mark) -> None:
        self.mark = mark
        self.alarms = hasattr(signal, "setitimer")  # not on Windows
        self.clear()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.let_go)

    def turn(self, number: int, seat: int, seconds: float) -> None:
        if seat == RULES and self.alarms:
            signal.setitimer(signal.ITIMER_REAL, 0)  # an agent's own alarm must not go off in another's turn
        self.mark[:] = (monotonic_ns() + int(seconds * 1e9) if seconds else 0, number, seat)

    def clear(self) -> None:
        self.mark[:] = (0, NOBODY, NOBODY)

    def let_go(self) -> None:
        """A child that an agent forked off marks nothing."""
        self.mark = [0, NOBODY, NOBODY]
