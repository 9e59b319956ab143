"""Set up the process from which workers are forked; this module is imported first in that process.

Garbage collection is disabled during the imports: there is no garbage yet, and searching for it takes a tenth
of the time. Workers enable it again. Warnings about renamed functions appear once, in the process that
started the workers. A worker whose task cannot be read, because the process that started it was killed, ends
silently.
"""

import gc
import sys
import warnings
from pickle import UnpicklingError
from traceback import walk_tb
from types import TracebackType

from arena.errors import Renamed

STARTS = {"multiprocessing.forkserver", "multiprocessing.spawn"}  # modules that start a worker


def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report an exception as `sys.__excepthook__` does, unless a worker's startup data was cut off."""
    within = {frame.f_globals.get("__name__") for frame, _ in walk_tb(trace)}
    if not (issubclass(kind, EOFError | UnpicklingError) and within <= STARTS):
        sys.__excepthook__(kind, error, trace)


gc.disable()
warnings.simplefilter("ignore", Renamed)
sys.excepthook = tell
