"""What arena takes from sqlite-utils, which would import pandas, half a second, if there is one."""

from __future__ import annotations

import sys

hidden = "pandas" not in sys.modules
if hidden:
    sys.modules["pandas"] = None  # type: ignore[assignment] # which makes its import fail
try:
    from sqlite_utils import Database, Migrations
finally:
    if hidden:
        del sys.modules["pandas"]

__all__ = ["Database", "Migrations"]
