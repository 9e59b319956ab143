"""What agents, evaluations and tables have in common: plain classes whose methods can run compiled."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, ClassVar, TypeVar

from arena.api.deprecated import Formerly, take_old_names
from arena.api.lazy import runners_of

Method = TypeVar("Method", bound=Callable[..., Any])
ORDERED = Sequence, Iterator

LONGEST = 1_000_000  # things that a list may have which is made of what a method yields


class Component:
    """An object with methods that can run compiled, and attributes that compiled code reads and sets by name.

    An array that becomes an attribute is an `Array`, whose elements are Python's own numbers.

    Methods named in `compiled_methods`, and those marked `@compiled`, run compiled where Python calls them,
    if the object's game and their code can be compiled; see `docs/compiling.md`.

    Attributes:
        game: The game for which the methods are compiled.
    """

    compiled_methods: ClassVar[tuple[str, ...]] = ()  # names of methods that run compiled if they can
    _is_part: ClassVar[bool] = True  # of what has it as an attribute, which then sees to its room
    game: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        take_old_names(cls)
        super().__init_subclass__(**kwargs)
        make_arrays(cls)
        for name, value in list(vars(cls).items()):
            named = name in cls.compiled_methods or getattr(value, "is_entry", False)
            if named and inspect.isfunction(value):
                setattr(cls, name, entry(value))

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, as_array(value))

    def _components(self) -> Iterator[Component]:
        """The components among its attributes, such as tables, but for agents."""
        for value in vars(self).values():
            if isinstance(value, Component) and value._is_part:
                yield value

    def full(self) -> bool:
        """Whether a table of its own has no room for what one more episode may bring."""
        for part in self._components():
            if part.full():
                return True
        return False

    def grow(self) -> None:
        """Make room in the tables that are full, or ArenaError."""
        for part in self._components():
            if part.full():
                part.grow()

    components, is_part = Formerly("_components"), Formerly("_is_part")
    entries = Formerly("compiled_methods")


def compiled(method: Method) -> Method:
    """Mark a method of a component to run compiled where Python calls it; its parameters are annotated."""
    method.is_entry = True  # type: ignore[attr-defined] # functions may have any
    return method


def unchecked(method: Method) -> Method:
    """Mark a method whose indexes are in range and whose ints fit their arrays: compiled code does not check.

    A mistake there reads or writes other data, or stores an int's lowest bits. ARENA_CHECKED=1 checks all.
    """
    method.unchecked = True  # type: ignore[attr-defined] # functions may have any
    return method


def entry(method: Callable[..., Any]) -> Any:
    """A method that runs compiled if it can be, and else as it stands, which is its `plain`."""
    name = method.__name__

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        runners = self.__dict__.get("_runners")
        if runners is None:
            runners = runners_of(self)
        if name in runners and not kwargs:
            return runners[name](method, *args)
        return method(self, *args, **kwargs)

    run.plain = method  # type: ignore[attr-defined] # functions may have any
    return run


def as_array(value: Any) -> Any:
    """An `Array` in place of one of numpy's; others as they are."""
    if type(value).__name__ == "ndarray":
        from arena.api.array import Array

        value = value.view(Array)
    return value


def make_arrays(cls: type) -> None:
    """Have the arrays that a class has give Python's own numbers."""
    for name, value in list(vars(cls).items()):
        if type(value).__name__ == "ndarray":
            setattr(cls, name, as_array(value))


def make_lists(cls: type, names: tuple[str, ...] = ()) -> None:
    """Have the generator methods of a class, and those of these names, give lists where Python calls them."""
    for name, value in list(vars(cls).items()):
        if inspect.isgeneratorfunction(value) or (name in names and inspect.isfunction(value)):
            setattr(cls, name, as_list(value))


def as_list(method: Callable[..., Any]) -> Any:
    """A method that gives a list of what it yields, or gives in an order; itself it is its `generator`.

    TypeError where it gives what has no order, such as a set; ValueError where it does not come to an end.
    """

    yields = inspect.isgeneratorfunction(method)

    @functools.wraps(method)
    def run(*args: Any, **kwargs: Any) -> list[Any]:
        found = method(*args, **kwargs)
        if isinstance(found, list):
            return found
        if yields or isinstance(found, ORDERED):
            listed = list(islice(found, LONGEST))
            if len(listed) == LONGEST:
                raise ValueError(f"{method.__name__} gives {LONGEST:,} things, and still goes on")
            return listed
        raise TypeError(f"{method.__name__} gives {of_kind(found)}, not a list")

    run.generator = method  # type: ignore[attr-defined] # functions may have any
    return run


def of_kind(thing: Any) -> str:
    """`a set`, `an int`, `None`: what something is."""
    name = type(thing).__name__
    return "None" if thing is None else f"{'an' if name[0] in 'aeiou' or name == 'ndarray' else 'a'} {name}"


def author_of(function: Any) -> Any:
    """The function that an author wrote, of one that was wrapped here."""
    function = getattr(function, "plain", function)
    return getattr(function, "generator", function)


def lack_of(cls: type, name: str) -> str:
    """`has no 'moves'; rename 'move'`: a method that a class lacks, and what may be meant for it."""
    own = [key for key in vars(cls) if not key.startswith("__") and key != name]
    (near, *_) = (*get_close_matches(name, own, 1), "")
    return f"has no {name!r}; " + (f"rename {near!r}" if near else "write it")
