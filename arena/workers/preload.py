"""Imported first in the process that workers are forked from: it collects no garbage while it imports.

There is none yet, and to look for it takes a tenth of the time. Workers collect theirs again. Old names are
warned about in the process that began them, and not in each worker.
"""

import gc
import warnings

from arena.errors import Renamed

gc.disable()
warnings.simplefilter("ignore", Renamed)
