"""Work that the server does once for all later processes, such as importing a game.

A process that is forked afterwards finds the imported modules and the loaded machine code in its memory.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pickle import loads
from typing import NamedTuple

USES = 3  # number of the request before which work is done in advance
PATIENCE = 5.0  # seconds that a trial may take


class Stamp(NamedTuple):
    """A module imported in advance, and the time and size of its file at that time."""

    module: str
    file: str
    changed: int
    size: int


class Preparation:
    """The work that this process has done in advance.

    Work is first tried in a forked process, so that it can neither end this process, nor hang, nor leave
    threads behind, which processes forked later would lack.

    Attributes:
        uses: Number of requests with each work and environment.
        stamps: The imported modules.
    """

    def __init__(self) -> None:
        self.uses: Counter[tuple[str, ...]] = Counter()
        self.stamps: list[Stamp] = []

    def prepare(self, work: str, environment: Mapping[str, str], path: Sequence[str]) -> None:
        """Do the work of a request in advance, if several processes need it.

        Args:
            work: A function and its arguments, as a pickle in base64; empty for none.
            environment: Environment variables of the process.
            path: `sys.path` of the process.
        """
        self.forget_changed()
        if not work:
            return
        key = work, *sorted(f"{name}={value}" for name, value in environment.items())
        self.uses[key] += 1
        if self.uses[key] == USES and is_safe(work, environment, path):
            before, own = {*sys.modules}, {**os.environ}
            with suppress(BaseException):
                carry_out(work, environment, path)
            os.environ.clear()
            os.environ.update(own)
            self.stamps += stamps(name for name in sys.modules if name not in before)
            gc.freeze()

    def forget_changed(self) -> None:
        """Forget all imported modules if the file of one has changed, so that they are imported again."""
        if self.stamps != stamps(stamp.module for stamp in self.stamps):
            for stamp in self.stamps:
                sys.modules.pop(stamp.module, None)
            self.stamps.clear()
            self.uses.clear()


def stamps(names: Iterable[str]) -> list[Stamp]:
    """Return the stamps of those modules that have files."""
    found = []
    for name in names:
        file = str(getattr(sys.modules[name], "__file__", ""))
        with suppress(OSError):  # also for modules without a file
            about = os.stat(file)
            found.append(Stamp(name, file, about.st_mtime_ns, about.st_size))
    return found


def carry_out(work: str, environment: Mapping[str, str], path: Sequence[str]) -> None:
    """Do work in an environment, with modules from a path."""
    os.environ.update(environment)
    sys.path[:] = path
    function, *arguments = loads(b64decode(work))
    function(*arguments)


def is_safe(work: str, environment: Mapping[str, str], path: Sequence[str]) -> bool:
    """Try work in a forked process, and return whether it succeeds and leaves no threads behind."""
    pid = os.fork()
    if not pid:
        try:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)  # kills this process
            carry_out(work, environment, path)
            os._exit(threads() > 1)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def threads() -> int:
    """Return the number of threads of this process."""
    with suppress(OSError):
        return len(os.listdir("/proc/self/task"))
    return threading.active_count()
