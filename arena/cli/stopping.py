"""Ctrl-C, and requests to end: the first finishes what is in hand, the second ends the command at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from arena.show.display import display
from arena.show.progress import busy

ASKED = "Stopping after the work in progress is saved; press Ctrl-C again to stop at once."


@contextmanager
def stopping(what: str) -> Iterator[threading.Event]:
    """An event that Ctrl-C or a request to end sets; a second one ends the command at once.

    what: it does meanwhile, which is shown at a terminal until it is known better.
    """
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.is_set():  # at once: what is recorded is safe, and workers end with their parent
            os.write(2, display.leave() + b"Error: interrupted\n")
            os._exit(130)
        stop.set()
        if not display.ask(ASKED):
            os.write(2, ASKED.encode() + b"\n")  # a signal's own way

    with handled(ask), busy(what):
        yield stop


@contextmanager
def interrupted() -> Iterator[threading.Event]:
    """An event that Ctrl-C or a request to end sets, where nothing is in hand that would be lost."""
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()

    with handled(ask):
        yield stop


@contextmanager
def handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Ctrl-C and requests to end are given to a function meanwhile."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)
