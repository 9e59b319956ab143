"""Let a second Ctrl-C end the command while compiled code runs in this process.

Python notes a signal at once and handles it between two bytecode instructions. Compiled code has none, so the
handler never runs. But the C part of Python writes each signal to a pipe immediately. A small process at the
other end of that pipe kills this one if it is interrupted twice and does not end by itself.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from arena.compiler import wanted
from arena.wording import typed

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
def ending_at_once() -> Iterator[None]:
    """Make a second Ctrl-C or SIGTERM end the command even while compiled code is running."""
    main = threading.current_thread() is threading.main_thread()
    if not (typed.get() and wanted() and main and os.name == "posix"):
        yield
        return
    numbers = [str(int(number)) for number in (signal.SIGINT, signal.SIGTERM)]
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
