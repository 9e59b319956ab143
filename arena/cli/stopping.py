"""Handling of Ctrl-C and SIGTERM: the first lets work in progress finish, the second exits at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from arena.show.display import display
from arena.show.progress import busy

ASKED = "Stopping once the work in progress is saved; press Ctrl-C again to stop at once."


@contextmanager
def stopping(what: str) -> Iterator[threading.Event]:
    """Provide an event that Ctrl-C or SIGTERM sets; a second one exits at once.

    what: text of the spinner that is shown until a progress bar replaces it.
    """
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        if stop.is_set():  # recorded results are safe, and workers end with their parent
            os.write(2, display.leave() + b"Error: interrupted\n")
            os._exit(130)
        stop.set()
        if not display.ask(ASKED):
            os.write(2, ASKED.encode() + b"\n")  # print is not safe in a signal handler

    with handled(ask), busy(what):
        yield stop


@contextmanager
def interrupted() -> Iterator[threading.Event]:
    """Provide an event that Ctrl-C or SIGTERM sets, for commands with nothing to save."""
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()

    with handled(ask):
        yield stop


@contextmanager
def handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Let a function handle Ctrl-C and SIGTERM within this context."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler_before in before.items():
            signal.signal(number, handler_before)
