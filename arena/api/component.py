"""The base class of agents, evaluations and tables, whose methods can run compiled."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from difflib import get_close_matches
from itertools import islice
from typing import Any, ClassVar, TypeVar

from arena.api.deprecated import Formerly, take_old_names
from arena.api.spec import runners_of

Method = TypeVar("Method", bound=Callable[..., Any])
ORDERED = Sequence, Iterator
within_plainly: ContextVar[bool] = ContextVar("within_plainly", default=False)  # see `compiler.plainly`
LONGEST = 1_000_000  # maximum number of items in a list made from a generator


class Component:
    """An object with methods that can run compiled; the base of agents, evaluations and tables.

    Compiled code reads and sets its attributes by name. A numpy array that is assigned to an attribute is
    replaced by an `Array`, whose elements are Python numbers.

    Methods named in `compiled_methods`, and those marked `@compiled`, run compiled when Python calls them, if
    the game and the method can be compiled; see `docs/compiling.md`.

    Attributes:
        game: The game for which the methods are compiled.
    """

    compiled_methods: ClassVar[tuple[str, ...]] = ()  # methods that run compiled if possible
    _is_part: ClassVar[bool] = True  # whether it grows together with the object that contains it
    game: Any

    def __init_subclass__(cls, **kwargs: object) -> None:
        take_old_names(cls)
        super().__init_subclass__(**kwargs)
        make_arrays(cls)
        for name, value in list(vars(cls).items()):
            named = name in cls.compiled_methods or getattr(value, "is_entry", False)
            if named and inspect.isfunction(value):
                setattr(cls, name, entry(value))

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, as_array(value))

    def _components(self) -> Iterator[Component]:
        """Yield the components among the attributes, such as tables, except agents."""
        for value in vars(self).values():
            if isinstance(value, Component) and value._is_part:
                yield value

    def full(self) -> bool:
        """Return whether a table among the attributes has no room for another episode."""
        for part in self._components():
            if part.full():
                return True
        return False

    def grow(self) -> None:
        """Make room in the tables that are full, or raise ArenaError."""
        for part in self._components():
            if part.full():
                part.grow()

    components, is_part = Formerly("_components"), Formerly("_is_part")
    entries = Formerly("compiled_methods")


def compiled(method: Method) -> Method:
    """Decorator for a method of a component that runs compiled when it is called from Python.

    Args:
        method: The method; its parameters must be annotated.
    """
    method.is_entry = True  # type: ignore[attr-defined] # functions can have any attribute
    return method


def unchecked(method: Method) -> Method:
    """Decorator for a method in which all indices are in range and all ints fit their arrays.

    Compiled code then omits these checks: an index out of range reads or writes other data, and an int that
    does not fit is truncated to its lowest bits. Set ARENA_CHECKED=1 to enable the checks nevertheless.

    Args:
        method: The method.
    """
    method.unchecked = True  # type: ignore[attr-defined] # functions can have any attribute
    return method


def entry(method: Callable[..., object]) -> Any:
    """Return a method that runs compiled if possible; its attribute `plain` is the original method."""
    name = method.__name__

    @functools.wraps(method)
    def run(self: Component, *args: object, **kwargs: object) -> Any:
        if within_plainly.get():
            return method(self, *args, **kwargs)
        runners = self.__dict__.get("_runners")
        if runners is None:
            runners = runners_of(self)
        if name in runners and not kwargs:
            return runners[name].call(method, *args)
        return method(self, *args, **kwargs)

    run.plain = method  # type: ignore[attr-defined] # functions can have any attribute
    return run


def as_array(value: Any) -> Any:
    """Return a numpy array as an `Array`, and anything else unchanged."""
    if type(value).__name__ == "ndarray":
        from arena.api.array import Array

        value = value.view(Array)
    return value


def make_arrays(cls: type) -> None:
    """Replace the numpy arrays of a class by `Array`s, whose elements are Python numbers."""
    for name, value in list(vars(cls).items()):
        if type(value).__name__ == "ndarray":
            setattr(cls, name, as_array(value))


def make_lists(cls: type, names: tuple[str, ...] = ()) -> None:
    """Make the generators of a class, and the methods with these names, return lists in plain Python."""
    for name, value in list(vars(cls).items()):
        if inspect.isgeneratorfunction(value) or (name in names and inspect.isfunction(value)):
            setattr(cls, name, as_list(value))


def as_list(method: Callable[..., Any]) -> object:
    """Return a method that returns the items of a generator or sequence as a list.

    The attribute `generator` of the new method is the original.

    Raises:
        TypeError: When called, if the result is not ordered, such as a set.
        ValueError: When called, if the generator does not end.
    """

    yields = inspect.isgeneratorfunction(method)

    @functools.wraps(method)
    def run(*args: object, **kwargs: object) -> list[object]:
        found = method(*args, **kwargs)
        if isinstance(found, list):
            return found
        if yields or isinstance(found, ORDERED):
            listed = list(islice(found, LONGEST))
            if len(listed) == LONGEST:
                raise ValueError(f"{method.__name__} returns more than {LONGEST:,} items")
            return listed
        raise TypeError(f"{method.__name__} returns {of_kind(found)}, not a list")

    run.generator = method  # type: ignore[attr-defined] # functions can have any attribute
    return run


def of_kind(thing: object) -> str:
    """Return a description of a value's type: `a set`, `an int`, `None`."""
    name = type(thing).__name__
    return "None" if thing is None else f"{'an' if name[0] in 'aeiou' or name == 'ndarray' else 'a'} {name}"


def author_of(function: object) -> Any:
    """Return the original function inside a wrapper of this module."""
    function = getattr(function, "plain", function)
    return getattr(function, "generator", function)


def lack_of(cls: type, name: str) -> str:
    """Return a message such as `has no 'moves'; rename 'move'` for a method that a class lacks."""
    known = {key for base in cls.__mro__[1:] for key in vars(base)}
    own = [key for key in vars(cls) if key not in known and key != name]
    (near, *_) = (*get_close_matches(name, own, 1), "")
    return f"has no {name!r}; " + (f"rename {near!r}" if near else "write it")
