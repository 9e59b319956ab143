"""Names of the last release, which authors' classes may have for one release more."""

from __future__ import annotations

import warnings

from arena.errors import Renamed

OLD_NAMES = {  # old to new, by the class of arena's that has them
    "arena.api.game.Game": {"progress": "irreversible"},
    "arena.api.agent.Agent": {"unasked": "default_needs"},
    "arena.api.learner.Learner": {"foreign": "import_model"},
}


def take_old_names(cls: type) -> None:
    """Give a class under its new name what it defines under an old one alone, with a `Renamed` warning.

    Called by `__init_subclass__`, so that the warning is about the class statement. What a class inherits
    counts as well, from a mixin say: the name defined nearest to the class is the one meant.
    """
    for base in cls.__mro__[1:]:
        for old, new in OLD_NAMES.get(f"{base.__module__}.{base.__qualname__}", {}).items():
            by_old, by_new = (nearest(cls, name) for name in (old, new))
            if by_old < by_new:
                setattr(cls, new, vars(cls.__mro__[by_old])[old])
                warnings.warn(f"{cls.__qualname__}.{old} is called {new} now", Renamed, stacklevel=3)


def nearest(cls: type, name: str) -> int:
    """Where among a class and its bases a name is defined first; their number if nowhere."""
    bases = cls.__mro__
    return next((i for i, base in enumerate(bases) if name in vars(base)), len(bases))
