"""Ctrl-C and termination requests, where work has nothing to save or compiled code runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from arena.compiler import wanted
from arena.errors import Stopped
from arena.texts import typed

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


PATIENCE = 0.3  # seconds for this process to end by itself
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
        start_new_session=True,  # out of reach of the terminal's Ctrl-C
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
