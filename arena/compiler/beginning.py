"""Attributes that an agent's `begin` or class sets rather than `prepare`."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

from arena.api.component import author_of
from arena.compiler.compare import HUGE, LINES, Enough, bounded, copy_of, size_of
from arena.compiler.layout import stored_by_methods
from arena.compiler.source import stored_attributes
from arena.compiler.switch import plainly

OUTSIDE = {"input", "open", "print"}  # a method that calls these does not compile anyway


def complete(thing: Any) -> None:
    """Set those attributes of an agent that its methods set but that do not exist before its first match.

    Numbers are taken from class attributes. Other values are taken from a copy of the agent after `begin`;
    nothing reads them before a match.
    """
    cls = type(thing)
    for name in sorted(stored_by_methods(cls) - vars(thing).keys()):
        value = next((vars(base)[name] for base in own_classes(cls) if name in vars(base)), None)
        if isinstance(value, int | float):
            vars(thing)[name] = value
    begin = author_of(getattr(cls, "begin", None))
    if begin is None or (begin.__module__ or "").startswith("arena.api."):
        return
    missing = stored_attributes(begin.__code__) - vars(thing).keys()
    missing = {name for name in missing if not hasattr(cls, name)}
    if not missing or OUTSIDE & {*begin.__code__.co_names} or size_of(thing, set()) > HUGE:
        return
    with suppress(Exception, Enough), plainly():
        other = copy_of(thing)
        bounded(lambda: begin(other, 0), [LINES])
        for name in sorted(missing & vars(other).keys()):
            object.__setattr__(thing, name, copy.copy(vars(other)[name]))


def own_classes(cls: type) -> list[type]:
    """Return a class and its bases, without those of arena and Python."""
    return [base for base in cls.__mro__ if not base.__module__.startswith(("arena.api.", "builtins"))]
