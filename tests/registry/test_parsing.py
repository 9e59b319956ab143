"""Source text is parsed safely by several threads at once."""

import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena import module_files


class Garbage:
    """An object that only the garbage collector finds, whose end lets another thread run."""

    def __init__(self):
        self.me = self

    def __del__(self):
        for _ in range(50):
            pass


@pytest.fixture
def hasty_threads():
    """Threads that change at every chance, and garbage that is collected often."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*thresholds)


@pytest.mark.slow
def test_threads_that_parse_at_once_get_their_trees(hasty_threads):
    text = Path(module_files.__file__).read_text() * 5

    def parsed(_):
        Garbage()
        return len(module_files.parse(text).body)

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(parsed, range(100)))) == 1
