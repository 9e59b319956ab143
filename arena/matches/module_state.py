"""The state of an agent's modules, to detect and undo changes since the agent was created.

An agent may store data in a global variable or in an attribute of its class. This state would be carried over
from one match to the next, and results would depend on which matches a process has played before. Each match
therefore begins with the modules as they were when the agent was created.

The modules are that of the agent and those that it has imported, except installed ones. Their state consists
of their variables, the attributes of their classes, the defaults and closures of their functions, and the
containers, arrays and objects of user-defined classes that can be reached from these. Caches of
`functools.cache` are not included, since they do not change what a function returns.
"""

from __future__ import annotations

import random
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from operator import is_
from types import CellType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

from arena.matches.agent_state import is_array, own_modules, set_array, slots_of
from arena.rng import Rng

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ATOMS = frozenset({int, float, complex, bool, str, bytes, type(None), range})
CONTAINERS = (OrderedDict, dict, list, deque, bytearray, set)
CACHED = type(lru_cache(lambda: None))


T = TypeVar("T")
Held: TypeAlias = Sequence[object]
Restore: TypeAlias = Callable[[T, Held], object]


class Kept(NamedTuple, Generic[T]):
    """A mutable object and its initial content.

    Attributes:
        thing: The object.
        content: Function that returns the current content as a sequence.
        held: The initial content.
        restore: Function that restores the object, given the object and `held`; None if this is impossible.
    """

    thing: T
    content: Callable[[T], Held]
    held: Held
    restore: Restore[T] | None

    def is_changed(self) -> bool:
        """Return whether the content of the object has changed."""
        now = self.content(self.thing)
        return len(now) != len(self.held) or (not all(map(is_, now, self.held)) and not alike(now, self.held))

    def items(self) -> Mapping[Any, object] | None:
        """Return a view of the names and values of a dictionary or class; None for other objects."""
        thing: object = self.thing
        if isinstance(thing, type):
            return vars(thing)
        return thing if isinstance(thing, dict) and type(thing) is dict else None


class Items:
    """The initial items of dictionaries and classes.

    Comparing all of them at once is a fast check for the most common case, in which nothing has changed.

    Args:
        views: The dictionaries, and views of the attributes of classes.
    """

    def __init__(self, views: Sequence[Mapping[Any, object]]) -> None:
        self.views = views
        self.lengths = [*map(len, views)]
        self.names = [*chain.from_iterable(views)]
        self.values = [*chain.from_iterable(view.values() for view in views)]

    def are_same(self) -> bool:
        """Return whether all have their initial names and values, in the same order."""
        return (
            [*map(len, self.views)] == self.lengths
            and all(map(is_, chain.from_iterable([view.values() for view in self.views]), self.values))
            and all(map(is_, chain.from_iterable(self.views), self.names))
        )


def alike(some: Held, others: Held) -> bool:
    """Return whether two contents have the same objects, or equal numbers or strings of the same type."""
    return all(
        one is other or (type(one) is type(other) and type(one) in ATOMS and one == other)
        for one, other in zip(some, others, strict=True)
    )


class ModuleState:
    """The initial state of modules.

    Args:
        modules: The modules.

    Attributes:
        kept: The mutable objects.
        items: The items of those that are dictionaries or classes.
        others: The other mutable objects.
    """

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self.modules = [*modules]
        self.names = {module.__name__ for module in self.modules}
        self.loaded = len(sys.modules)
        self.kept: list[Kept[Any]] = []
        self.seen: dict[int, object] = {}
        left: list[object] = []
        for module in self.modules:
            left += self.keep(vars(module), variables_in, set_variables)
        while left:
            thing = left.pop()
            if type(thing) not in ATOMS and id(thing) not in self.seen:
                self.seen[id(thing)] = thing
                with suppress(Exception):  # the object's class may raise any exception
                    left += self.reached(thing)
        self.seen.clear()
        self.items = Items([view for kept in self.kept if (view := kept.items()) is not None])
        self.others = [kept for kept in self.kept if kept.items() is None]

    def is_changed(self) -> bool:
        """Return whether the state has changed, or the agent has imported further modules."""
        checked = self.others if self.items.are_same() else self.kept
        return any(kept.is_changed() for kept in checked) or bool(self.imported_since())

    def restore(self) -> bool:
        """Undo all changes, and return whether this was possible.

        Modules that the agent has imported since then are imported again when needed.
        """
        for kept in [kept for kept in self.kept if kept.is_changed()]:
            if kept.restore is None:
                return False
            kept.restore(kept.thing, kept.held)
        for name in self.imported_since():
            del sys.modules[name]
        self.loaded = len(sys.modules)
        return True

    def imported_since(self) -> list[str]:
        """Return the names of the agent's modules that were imported after the state was stored."""
        if len(sys.modules) == self.loaded:
            return []
        return [name for name in own_modules([*sys.modules][self.loaded :]) if name not in self.names]

    def keep(self, thing: T, content: Callable[[T], Held], restore: Restore[T] | None) -> Held:
        """Store the initial content of an object, and return the content."""
        self.kept.append(Kept(thing, content, content(thing), restore))
        return self.kept[-1].held

    def reached(self, thing: object) -> Held:
        """Store the initial content of an object if it is mutable; return the objects to which it refers."""
        found: list[object] = []
        if isinstance(thing, type):
            if thing.__module__ in self.names:
                found += self.keep(thing, class_attributes, set_class_attributes)
            return found
        if isinstance(thing, FunctionType):
            return self.reached_from_function(thing)
        if isinstance(thing, tuple | frozenset):
            found += thing
        elif isinstance(thing, dict):
            found += self.keep(thing, items_of, set_items)
        elif isinstance(thing, list | deque | bytearray):
            found += self.keep(thing, elements_of, set_elements)
        elif isinstance(thing, set):  # not restored, since the order of elements would not be restored
            found += self.keep(thing, elements_of, None)
        elif isinstance(thing, staticmethod | classmethod):
            found.append(thing.__func__)
        elif isinstance(thing, property):
            found += (thing.fget, thing.fset, thing.fdel)
        elif isinstance(thing, MethodType):
            found += (thing.__self__, thing.__func__)
        elif isinstance(thing, CACHED):
            found.append(thing.__wrapped__)
        elif isinstance(thing, CellType):
            found += self.keep(thing, cell_content, set_cell)
        elif isinstance(thing, Rng):
            found += self.keep(vars(thing), items_of, set_items)
        elif isinstance(thing, random.Random):  # not restored, since its seed may come from the system
            self.keep(thing, generator_state, None)
        elif is_array(thing):
            self.keep(thing, array_content, set_array)
        elif hasattr(type(thing), "__next__"):
            self.keep(thing, unknown_content, None)
        if type(thing).__module__ in self.names or isinstance(thing, SimpleNamespace):
            if isinstance(getattr(thing, "__dict__", None), dict):
                found += self.keep(vars(thing), items_of, set_items)
            if slots_of(thing):
                found += self.keep(thing, slot_values, set_slots)
        return found

    def reached_from_function(self, function: FunctionType) -> list[object]:
        """Return the objects to which a function refers, except the variables of its module."""
        if function.__module__ not in self.names:
            return []
        found: list[object] = [*(function.__defaults__ or ()), *(function.__closure__ or ())]
        found += (function.__kwdefaults__ or {}).values()
        found += self.keep(vars(function), items_of, set_items)
        return found


def is_given(name: str) -> bool:
    """Return whether Python itself sets a variable or attribute with this name."""
    return name.startswith("__") and name.endswith("__")


def by_name(held: Held) -> dict[str, object]:
    """Convert a sequence of names, each followed by its value, to a dictionary."""
    return {str(name): value for name, value in zip(held[::2], held[1::2], strict=True)}


def variables_in(variables: dict[str, object]) -> list[object]:
    """Return the names and values of a module's variables, sorted, except those that Python sets."""
    return [thing for name in sorted(variables) if not is_given(name) for thing in (name, variables[name])]


def set_variables(variables: dict[str, object], held: Held) -> None:
    """Set the variables of a module, and remove all other variables."""
    before = by_name(held)
    for name in [name for name in variables if not is_given(name) and name not in before]:
        del variables[name]
    variables.update(before)


def builtin_of(thing: object) -> Any:
    """Return the built-in class from which a container's class derives."""
    return next(cls for cls in CONTAINERS if isinstance(thing, cls))


def items_of(thing: dict[T, object]) -> list[object]:
    """Return a list of the keys of a dictionary, followed by its values."""
    cls = builtin_of(thing)
    return [*cls.keys(thing), *cls.values(thing)]


def set_items(thing: dict[T, object], held: Held) -> None:
    """Set the keys and values of a dictionary."""
    cls, half = builtin_of(thing), len(held) // 2
    cls.clear(thing)
    cls.update(thing, zip(held[:half], held[half:], strict=True))


def elements_of(thing: Iterable[object]) -> list[object]:
    """Return a list of the elements of a list, deque, set or bytearray."""
    return [*builtin_of(thing).__iter__(thing)]


def set_elements(thing: list[object] | deque[object] | bytearray, held: Held) -> None:
    """Set the elements of a list, deque or bytearray."""
    cls = builtin_of(thing)
    cls.clear(thing)
    cls.extend(thing, held)


def class_attributes(cls: type) -> list[object]:
    """Return the names and values of a class's own attributes, sorted, except those that Python sets."""
    return variables_in(dict(vars(cls)))


def set_class_attributes(cls: type, held: Held) -> None:
    """Set the own attributes of a class, and remove all other own attributes."""
    before = by_name(held)
    for name in [name for name in vars(cls) if not is_given(name) and name not in before]:
        delattr(cls, name)
    for name, value in before.items():
        if vars(cls).get(name) is not value:
            setattr(cls, name, value)


def cell_content(cell: CellType) -> list[object]:
    """Return the content of a closure variable as a list, which is empty if the variable is unset."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def set_cell(cell: CellType, held: Held) -> None:
    """Set the content of a closure variable."""
    for content in held:
        cell.cell_contents = content


def generator_state(generator: random.Random) -> list[object]:
    """Return the state of a random number generator."""
    version, words, gauss = random.Random.getstate(generator)
    return [version, *words, gauss]


def unknown_content(thing: object) -> list[object]:
    """Return a different content at each call, for iterators, whose state is not accessible."""
    return [object()]


def array_content(array: NDArray[np.generic]) -> list[object]:
    """Return the content of an array as bytes."""
    return [array.tobytes()]


def slot_values(thing: object) -> list[object]:
    """Return the names of those slots of an object that are set, each followed by its value."""
    return [item for name in slots_of(thing) if hasattr(thing, name) for item in (name, getattr(thing, name))]


def set_slots(thing: object, held: Held) -> None:
    """Set the slots of an object."""
    before = by_name(held)
    for name in slots_of(thing):
        if name in before:
            object.__setattr__(thing, name, before[name])
        elif hasattr(thing, name):
            object.__delattr__(thing, name)
