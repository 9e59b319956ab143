"""Imported first in the process that workers are forked from: it collects no garbage while it imports.

There is none yet, and to look for it takes a tenth of the time. Workers collect theirs again. Old names are
warned about in the process that began them, and not in each worker. A worker that does not hear what it is to
do, since whoever began it was killed, ends in silence.
"""

import gc
import sys
import warnings
from pickle import UnpicklingError
from traceback import walk_tb
from types import TracebackType

from arena.errors import Renamed

STARTS = {"multiprocessing.forkserver", "multiprocessing.spawn"}  # the modules that start a worker


def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """As `sys.__excepthook__`, but for a task that could not be read to its end."""
    within = {frame.f_globals.get("__name__") for frame, _ in walk_tb(trace)}
    if not (issubclass(kind, EOFError | UnpicklingError) and within <= STARTS):
        sys.__excepthook__(kind, error, trace)


gc.disable()
warnings.simplefilter("ignore", Renamed)
sys.excepthook = tell
