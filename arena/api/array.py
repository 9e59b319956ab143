"""Arrays whose elements are Python's own numbers, so that plain Python computes as compiled code does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


class Array(np.ndarray[tuple[int, ...], np.dtype[np.generic]]):
    """An array that gives ints, floats and bools in place of numpy's scalars."""

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        return found.item() if isinstance(found, np.generic) else found

    def __iter__(self) -> Iterator[Any]:
        return map(self.item, range(len(self))) if self.ndim == 1 else super().__iter__()
