"""Arrays whose elements are Python numbers, so that plain Python and compiled code agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


class Array(np.ndarray[tuple[int, ...], np.dtype[np.generic]]):
    """An array whose elements are read as Python ints, floats and bools instead of numpy scalars."""

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        return found.item() if isinstance(found, np.generic) else found

    def __iter__(self) -> Iterator[Any]:
        return map(self.item, range(len(self))) if self.ndim == 1 else super().__iter__()
