"""Names of the last release, which authors' classes may have for one release more."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from arena.errors import Renamed


def take_old_names(cls: type, names: Mapping[str, str]) -> None:
    """Give a class under its new name what it defines under an old one alone, with a `Renamed` warning.

    names: old to new. Called by `__init_subclass__`, so that the warning is about the class statement. What
    a class inherits counts as well, from a mixin say: the name defined nearest to the class is the one meant.
    """
    for old, new in names.items():
        by_old, by_new = (nearest(cls, name) for name in (old, new))
        if by_old < by_new:
            setattr(cls, new, vars(cls.__mro__[by_old])[old])
            warnings.warn(f"{cls.__qualname__}.{old} is called {new} now", Renamed, stacklevel=3)


def nearest(cls: type, name: str) -> int:
    """Where among a class and its bases a name is defined first; their number if nowhere."""
    bases = cls.__mro__
    return next((i for i, base in enumerate(bases) if name in vars(base)), len(bases))
