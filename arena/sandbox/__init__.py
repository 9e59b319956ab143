"""Processes in which code of strangers runs, and that can do no harm: see `docs/explanation/isolation.md`."""

import sys

from arena.sandbox.confine import confined, missing

if sys.platform == "win32":
    from arena.sandbox.spawned import Spawned as Sandboxed
else:
    from arena.sandbox.process import Sandboxed

__all__ = ["Sandboxed", "confined", "missing"]
