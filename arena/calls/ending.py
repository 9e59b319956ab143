"""Work that may be broken off anywhere, since nothing in it would be lost."""

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
    """Have the first Ctrl-C, or request to end, raise Stopped, where else it would only set `stop`.

    Args:
        stop: The event that the command line's handlers set. Once it is set, these stay, and end the process.
        message: What Stopped says.
    """
    before = {number: signal.getsignal(number) for number in SIGNALS}
    own = {number for number, handler in before.items() if handles(handler)}
    if stop is None or stop.is_set() or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        for one in own:
            signal.signal(one, before[one])
        stop.set()  # so that a second one ends the process
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
    """Whether it is somebody's own handler, not one that raises KeyboardInterrupt or ends the process."""
    return callable(handler) and handler is not signal.default_int_handler
