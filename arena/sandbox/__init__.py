"""Processes in which code of strangers runs, and that can do no harm: see `docs/explanation/isolation.md`."""

from arena.sandbox.confine import confined, missing
from arena.sandbox.process import Sandboxed

__all__ = ["Sandboxed", "confined", "missing"]
