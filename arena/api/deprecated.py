"""Names from the last release, which plugin classes may use for one more release."""

from __future__ import annotations

import warnings

from arena.errors import Renamed

OLD_NAMES = {  # new names by old names, by class of arena
    "arena.api.game.Game": {"progress": "irreversible"},
    "arena.api.component.Component": {"entries": "compiled_methods"},
    "arena.api.agent.Agent": {"unasked": "default_needs"},
    "arena.api.learner.Learner": {"foreign": "import_model"},
}


class Formerly:
    """An attribute under its name from the last release; reading it emits a `Renamed` warning.

    Subclasses and instances may use that name for another attribute.

    Args:
        now: The current name of the attribute.
    """

    def __init__(self, now: str) -> None:
        self.now = now

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, thing: object, cls: type) -> object:
        if thing is None:
            return getattr(cls, self.now)
        text = f"{type(thing).__qualname__}.{self.name} is now called {self.now}, and is not part of the API"
        warnings.warn(text, Renamed, stacklevel=2)
        return getattr(thing, self.now)


def take_old_names(cls: type) -> None:
    """Copy attributes that a class defines only under an old name to the new name, and warn (`Renamed`).

    Called by `__init_subclass__`, so that the warning points at the class statement. Inherited attributes
    count as well, such as those of a mixin: the name defined nearest to the class in the MRO is used.
    """
    for base in cls.__mro__[1:]:
        for old, new in OLD_NAMES.get(f"{base.__module__}.{base.__qualname__}", {}).items():
            by_old, by_new = (nearest(cls, name) for name in (old, new))
            if by_old < by_new and is_meant(cls, old, value := vars(cls.__mro__[by_old])[old]):
                setattr(cls, new, value)
                warnings.warn(f"{cls.__qualname__}.{old} is now called {new}", Renamed, stacklevel=3)


def is_meant(cls: type, old: str, value: object) -> bool:
    """Return whether a class uses an old name in its old meaning, and not for an unrelated attribute."""
    if old != "entries":
        return True
    return isinstance(value, tuple) and all(
        isinstance(name, str) and callable(getattr(cls, name, None)) for name in value
    )


def nearest(cls: type, name: str) -> int:
    """Return the index of the first class in the MRO that defines a name, or the length of the MRO."""
    bases = cls.__mro__
    return next((i for i, base in enumerate(bases) if name in vars(base)), len(bases))
