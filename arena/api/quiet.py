"""Standard output is for results: what plugins print goes to standard error."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Quiet:
    """Has standard output be standard error while anything of a plugin's runs, in whatever threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0  # how many are within it
        self.stdout: Any = None

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
