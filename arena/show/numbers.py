"""Numbers as tables and sentences show them."""

from __future__ import annotations

import math


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share as `58.5 %`, or an empty text for None."""
    return "" if share is None else f"{100 * share:.{digits}f} %"


def three_digits(number: float) -> str:
    """Return a number with three significant digits: `1,230`, `4.56`, `0.00123`."""
    places = max(0, 2 - math.floor(math.log10(number))) if number > 0 else 0
    return f"{number:,.{min(places, 9)}f}"
