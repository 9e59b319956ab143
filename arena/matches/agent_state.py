"""The attributes of an agent: detecting and undoing changes since the agent was created.

An agent may count, or remember positions, in its attributes. This state would be carried over from one match
to the next, and results would depend on which matches an instance has played before. Each match therefore
begins with the agent's attributes as they were after `prepare`.

Containers are copied, since compiled code uses only lists and dictionaries to which nothing else refers.
"""

from __future__ import annotations

import marshal
import random
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterator, MutableSet, Sized
from contextlib import suppress
from functools import partial
from types import FunctionType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeGuard, TypeVar

from arena.api.agent import Agent
from arena.api.component import Component
from arena.api.game import Game
from arena.matches.module_state import OWN, is_array, own_modules, set_array, slots_of
from arena.rng import Rng

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GIVEN = {*Agent.__annotations__, "_runners"}  # attributes that arena sets
GIVEN_TO_PARTS = {"game", "name", "_runners"}
PYTHONS = {"builtins", "typing", "abc"}
LARGE = object()  # replaces the content of a large array or container
LARGE_ARRAY, LARGE_CONTAINER = 1 << 20, 1 << 12  # bytes and items; comparing these takes some 100 µs
EXACT = 2  # version of marshal in which equal data gives equal bytes
CHANGING: tuple[type, ...] = (list, dict, OrderedDict, Counter, defaultdict, deque, bytearray, set)
STOOD_FOR = (defaultdict, dict, list)  # base types of those in `arena.compiler.native`
ATOMS = (int, float, complex, str, bytes, type(None), range)
IMMUTABLE = (*ATOMS, tuple, frozenset)

T = TypeVar("T")
Items: TypeAlias = "list[tuple[str, object]]"


class Same:
    """An object that is compared by identity."""

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.thing is other.thing

    __hash__ = None  # type: ignore[assignment] # it is only compared


class Held(NamedTuple):
    """The value of an attribute in a form that can be compared.

    Attributes:
        kind: The type.
        content: Plain data as bytes; for another object, the object itself and its content.
    """

    kind: type
    content: object


class Kept(NamedTuple):
    """The initial value of an attribute.

    Attributes:
        held: The value in a form that can be compared.
        value: The object itself; None for a container of plain data, to which nothing else may refer.
        renew: Returns the initial value, given the current one; None if that is not possible.
    """

    held: Held
    value: object
    renew: Callable[[Any], object] | None

    @property
    def is_large(self) -> bool:
        """Whether the value is so large that it is assumed to be a table that matches do not change."""
        return self.held.content is LARGE

    def is_alike(self, value: object) -> bool:
        """Return whether the attribute's value is unchanged."""
        if self.is_large:
            return kind_of(value) is self.held.kind
        if value is self.value and isinstance(value, ATOMS):
            return True
        if isinstance(self.held.content, bytes):
            return kind_of(value) is self.held.kind and content_of(value) == self.held.content
        return held(value) == self.held


class AgentState:
    """The values of an agent's attributes, including those of the author's objects among them.

    Args:
        agent: The newly created agent.
    """

    def __init__(self, agent: Agent) -> None:
        self.packages = {package_of(cls) for cls in type(agent).__mro__} - {*OWN} - PYTHONS
        self.objects: list[tuple[object, dict[str, Kept]]] = []
        if not self.packages:  # arena's own agents reset their state in `begin`
            return
        with suppress(Exception):  # attributes that `begin` sets must exist before compiled code runs
            from arena.compiler.beginning import complete

            complete(agent)
        with suppress(Exception):  # the author's classes may do anything
            self.keep_all([agent])

    def keep_all(self, left: list[object]) -> None:
        """Store the values of objects, and of the author's objects within them."""
        seen: set[int] = set()
        while left:
            thing = left.pop()
            if id(thing) not in seen:
                seen.add(id(thing))
                attributes = self.attributes(thing)
                self.objects.append((thing, {name: kept(value) for name, value in attributes}))
                with suppress(RecursionError):  # a container may contain itself
                    left += [part for _, value in attributes for part in self.parts(value)]

    def restore(self) -> bool:
        """Undo all changes, and return whether this was possible."""
        try:
            return all(self.restore_object(thing, before) for thing, before in self.objects)
        except Exception:  # see above
            return False

    def can_change(self) -> bool:
        """Return whether there is anything besides numbers that compiled code can change."""
        values = (one for _, before in self.objects for one in before.values() if not one.is_large)
        return any(is_writeable(one.value) or one.held.kind in CHANGING for one in values)

    def has_changed(self, numbers: Collection[tuple[int, str]]) -> bool:
        """Return whether anything has changed.

        Args:
            numbers: Attributes to ignore, as ids of objects and names.
        """
        try:
            return any(self.differs(thing, before, numbers) for thing, before in self.objects)
        except Exception:  # see above
            return True

    def differs(self, thing: object, before: dict[str, Kept], numbers: Collection[tuple[int, str]]) -> bool:
        """Return whether an object's attributes have changed."""
        now = dict(self.attributes(thing))
        if now.keys() != before.keys():
            return True
        return any(
            (id(thing), name) not in numbers and not one.is_alike(now[name]) for name, one in before.items()
        )

    def restore_object(self, thing: object, before: dict[str, Kept]) -> bool:
        """Restore an object's attributes, and return whether this was possible."""
        now = dict(self.attributes(thing))
        for name in now.keys() - before.keys():
            object.__delattr__(thing, name)
        for name, one in before.items():
            if name in now and one.is_alike(now[name]):
                continue
            if one.renew is None:
                return False
            object.__setattr__(thing, name, one.renew(now.get(name)))
        return True

    def attributes(self, thing: object) -> Items:
        """Return the names and values of an object's attributes, except those that are not reset."""
        slots = [name for name in slots_of(thing) if hasattr(thing, name)]
        found = [*getattr(thing, "__dict__", {}).items(), *((name, getattr(thing, name)) for name in slots)]
        given = left_alone(type(thing))
        return [(name, value) for name, value in found if name not in given]

    def parts(self, value: object) -> Iterator[object]:
        """Yield the author's objects and the tables that an attribute is or contains."""
        if self.is_own(type(value)):
            yield value
        elif isinstance(value, dict | list | tuple | deque) and not isinstance(held(value).content, bytes):
            for part in value.values() if isinstance(value, dict) else value:
                yield from self.parts(part)

    def is_own(self, cls: type) -> bool:
        """Return whether a class is the author's or that of a table."""
        package = package_of(cls)
        if package in OWN:
            return cls is Rng or (issubclass(cls, Component) and cls.__module__ == "arena.api.table")
        if issubclass(cls, (*CHANGING, *IMMUTABLE, Game, FunctionType, ModuleType, type)):
            return False
        return cls is SimpleNamespace or package in self.packages or bool(own_modules([cls.__module__]))


def left_alone(cls: type) -> frozenset[str]:
    """Return the names of attributes that are not reset: those set by arena and the `kept_attributes`."""
    if not issubclass(cls, Component):
        return frozenset()
    if issubclass(cls, Agent):
        return frozenset({*GIVEN, *cls.kept_attributes})
    return frozenset(GIVEN_TO_PARTS)


def is_large(value: Any) -> bool:
    """Return whether comparing an attribute before each match would take too long."""
    if is_array(value):
        return bool(value.nbytes > LARGE_ARRAY)
    return isinstance(value, Sized) and isinstance(value, CHANGING) and len(value) > LARGE_CONTAINER


def kept(value: Any) -> Kept:
    """Return the value of an attribute, with the way to restore it."""
    if is_large(value):
        return Kept(Held(kind_of(value), LARGE), value, lambda _: value)
    now = held(value)
    if is_writeable(value):
        data = [value.tobytes()]
        return Kept(now, value, lambda _: with_content(value, set_array, data))
    if isinstance(value, random.Random):
        seed = value.getstate()
        return Kept(now, value, lambda _: with_content(value, random.Random.setstate, seed))
    if isinstance(now.content, bytes) and now.kind in CHANGING:
        content, maker = now.content, maker_of(value)
        return Kept(now, None, lambda present: refilled(present, now.kind, content, maker))
    fixed = isinstance(now.content, Same | bytes)
    return Kept(now, value, (lambda _: value) if fixed else None)


def with_content(thing: T, put: Callable[[T, Any], object], content: object) -> T:
    """Set the content of an object with `put`, and return the object."""
    put(thing, content)
    return thing


def is_writeable(value: object) -> TypeGuard[NDArray[np.generic]]:
    """Return whether a value is a writeable array of numbers."""
    return is_array(value) and value.flags.writeable


def held(value: Any) -> Held:
    """Return the value of an attribute in a form that can be compared."""
    kind = kind_of(value)
    if is_writeable(value):
        return Held(kind, (Same(value), value.tobytes()))
    if isinstance(value, random.Random):
        return Held(kind, (Same(value), value.getstate()))
    if hasattr(kind, "__next__"):  # its state is unknown
        return Held(kind, object())
    if kind in CHANGING or isinstance(value, IMMUTABLE):
        content = content_of(value)
        with suppress(ValueError, TypeError):
            if content is not None and marshal.loads(content) == plain(value):
                return Held(kind, content)
    if isinstance(value, dict | list | tuple | deque | set | frozenset):
        items = [*value, *value.values()] if isinstance(value, dict) else [*value]
        with suppress(RecursionError):
            return Held(kind, (Same(value), [held(item) for item in items]))
        return Held(kind, object())
    return Held(kind, Same(value))


def content_of(value: object) -> bytes | None:
    """Return plain data as bytes; None for other values."""
    with suppress(ValueError, TypeError):
        return marshal.dumps(plain(value), EXACT)
    return None


def kind_of(value: object) -> type:
    """Return a value's type; for containers of compiled code, the Python type that they represent."""
    kind = type(value)
    if kind.__module__ != "arena.compiler.native":
        return kind
    return set if isinstance(value, MutableSet) else next(cls for cls in STOOD_FOR if issubclass(kind, cls))


def plain(value: Any) -> Any:
    """Return the content of a container as plain data."""
    if isinstance(value, dict):
        return [*value.items()]
    if isinstance(value, list | deque | bytearray):
        return [*value]
    if isinstance(value, set | MutableSet):
        return {*value}
    return tuple(value) if isinstance(value, tuple) else value


def maker_of(value: Any) -> Callable[[], Any]:
    """Return a function that creates an empty container like this one."""
    if isinstance(value, defaultdict):
        return partial(defaultdict, value.default_factory)
    return partial(deque, maxlen=value.maxlen) if isinstance(value, deque) else kind_of(value)


def refilled(present: Any, kind: type, content: bytes, maker: Callable[[], Any]) -> object:
    """Return a container with this content: the present one if it has the type, otherwise a new one."""
    container = present if kind_of(present) is kind else maker()
    container.clear()
    data = marshal.loads(content)
    if kind in (list, deque, bytearray):
        container.extend(data)
    else:
        container.update(dict(data) if issubclass(kind, dict) else data)
    return container


def package_of(cls: type) -> str:
    """Return the name of a class's package."""
    return str(cls.__module__).partition(".")[0]
