"""Ctrl-C, and requests to end: the first finishes what is in hand, the second ends the command at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ASKED = b"Stopping as soon as what is in hand is safe; once more to end at once.\n"


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C or a request to end sets; a second one ends the command at once."""
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.is_set():  # at once: what is recorded is safe, and workers end with their parent
            cursor = b"\x1b[?25h\n" if sys.stderr.isatty() else b""  # the live bar had it hidden
            os.write(2, cursor + b"Error: interrupted\n")
            os._exit(130)
        stop.set()
        os.write(2, ASKED)  # a signal's own way

    with handled(ask):
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
