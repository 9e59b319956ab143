"""Set up the process from which workers are forked; that process imports this module first.

Garbage collection is disabled during the imports, since there is no garbage yet and collection would take a
tenth of the time; workers enable it again. Warnings about renamed functions are printed once, by the process
that started the workers. A worker that cannot read its task, because the process that started it was killed,
ends silently.
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
