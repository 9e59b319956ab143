"""Sandboxed processes for untrusted code: see `docs/explanation/isolation.md`."""

import sys

from arena.sandbox.confine import confined, missing

if sys.platform == "win32":
    from arena.sandbox.spawned import Spawned as Sandboxed
    from arena.sandbox.spawned import get_server_ready
else:
    from arena.sandbox.process import Sandboxed, get_server_ready

__all__ = ["Sandboxed", "confined", "get_server_ready", "missing"]
