"""Run the code of plugins: exceptions are reported, and printed text goes to standard error."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from arena.errors import Reported, one_line


class Quiet:
    """Redirects standard output to standard error while plugin code runs in any thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0  # number of active contexts
        self.stdout: object = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self.lock:
            if self.depth == 0:
                self.stdout, sys.stdout = sys.stdout, sys.stderr
            self.depth += 1
        try:
            yield
        finally:
            with self.lock:
                self.depth -= 1
                if self.depth == 0:
                    sys.stdout = self.stdout


quiet = Quiet()


class Failed(Exception):
    """Plugin code raised an exception; the message is that of the exception, on one line."""


class NotReady(Reported):
    """Plugin code took too long."""


@contextmanager
def foreign(*expected: type[BaseException]) -> Iterator[None]:
    """Run plugin code: its exceptions become Failed, and what it prints goes to standard error.

    expected: exceptions that are passed through unchanged. Ctrl-C raises KeyboardInterrupt, even if the code
    handles it.
    """
    with noticing() as pressed:
        try:
            with quiet():
                yield
        except expected:
            raise
        except BaseException as error:
            if pressed.is_set():
                raise KeyboardInterrupt from error
            raise Failed(one_line(error)) from error


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Make plugin code raise NotReady after this many seconds; 0 = never.

    Works only in the main thread, on systems with interval timers, and if the process does not use its timer
    otherwise.
    """
    able = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not (seconds and able) or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def expire(number: int, frame: FrameType | None) -> None:
        raise NotReady(f"it is not ready within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def noticing(pressed: threading.Event | None = None) -> Iterator[threading.Event]:
    """Yield an event that is set once Ctrl-C is pressed; the previous handler is called as well."""
    pressed = pressed or threading.Event()
    pressed.clear()
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield pressed  # SIGINT is not handled by Python, or this is not the main thread
        return

    def notice(number: int, frame: FrameType | None) -> None:
        pressed.set()
        before(number, frame)

    signal.signal(signal.SIGINT, notice)
    try:
        yield pressed
    finally:
        if signal.getsignal(signal.SIGINT) is notice:
            signal.signal(signal.SIGINT, before)
