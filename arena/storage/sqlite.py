"""Imports from sqlite-utils, without the half second that its import of pandas takes."""

from __future__ import annotations

import sys

hidden = "pandas" not in sys.modules
if hidden:
    sys.modules["pandas"] = None  # type: ignore[assignment] # makes its import fail
try:
    from sqlite_utils import Database, Migrations
finally:
    if hidden:
        del sys.modules["pandas"]

__all__ = ["Database", "Migrations"]
