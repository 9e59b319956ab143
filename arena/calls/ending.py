"""Interruption of work that leaves nothing to save."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from arena.errors import Stopped

SIGNALS = signal.SIGINT, signal.SIGTERM


@contextmanager
def ending_at_once(stop: threading.Event | None, message: str) -> Iterator[None]:
    """Raise Stopped at the first Ctrl-C or termination request, instead of only setting `stop`.

    The handlers of the command line are then restored, so that a second one ends the process.

    Args:
        stop: Event that these handlers set. If it is None or already set, nothing is changed.
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
        stop.set()  # a second one then ends the process
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
    """Return whether a signal handler is the program's own, rather than one of Python's defaults."""
    return callable(handler) and handler is not signal.default_int_handler
