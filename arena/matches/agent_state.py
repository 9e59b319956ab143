"""The attributes of an agent: detecting and undoing changes since the agent was created.

An agent may count, or remember positions, in its attributes. This state would be carried over from one match
to the next, and results would depend on which matches an instance has played before. Each match therefore
begins with the agent's attributes as they were after `prepare`.

Containers are copied, since compiled code uses only lists and dictionaries to which nothing else refers.
"""

from __future__ import annotations

import marshal
import random
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, MutableSet, Sequence, Sized
from contextlib import suppress
from functools import lru_cache, partial
from sysconfig import get_paths
from types import FunctionType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard, TypeVar

from arena.api.agent import Agent
from arena.api.component import Component
from arena.api.endings import Endings
from arena.api.game import Game
from arena.api.solver import Solver
from arena.module_files import INSTALLED
from arena.registry.imports import PREFIX
from arena.rng import Rng

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from arena.compiler.native import Native

GIVEN = frozenset({*Agent.__annotations__, "_runners"})  # attributes of agents that arena sets
GIVEN_TO_PARTS = frozenset({"game", "name", "_runners"})
SHARED = {"arena", "builtins", "typing", "abc"}  # packages whose base classes are not the author's
LIBRARY = (get_paths()["stdlib"], get_paths()["platstdlib"])
CLASSES = 1 << 10  # number of classes whose attribute names are cached
LARGE = object()  # placeholder for the content of a large array or container
LARGE_ARRAY, LARGE_CONTAINER = 1 << 20, 1 << 12  # limits in bytes and items; a comparison takes 100 µs
EXACT = 2  # version of the marshal format in which equal data has equal bytes
CHANGING: tuple[type, ...] = (list, dict, OrderedDict, Counter, defaultdict, deque, bytearray, set)
STOOD_FOR = (defaultdict, dict, list)  # types that those of `arena.compiler.native` replace
ATOMS = (int, float, complex, str, bytes, type(None), range)
IMMUTABLE = (*ATOMS, tuple, frozenset)
NOT_OWN = (*CHANGING, *IMMUTABLE, Game, Solver, Endings, FunctionType, ModuleType, type)

T = TypeVar("T")


class Same:
    """Wraps an object for comparison by identity."""

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.thing is other.thing

    __hash__ = None  # type: ignore[assignment] # never hashed


class Held(NamedTuple):
    """The value of an attribute in a form that can be compared.

    Attributes:
        kind: Type of the value.
        content: The bytes of plain data; for other objects, the object itself and its content.
    """

    kind: type
    content: object


class Kept(NamedTuple):
    """The initial value of an attribute.

    Attributes:
        held: The value in a form that can be compared.
        value: The object itself; None for a container of plain data, which must have no other references.
        renew: Function that returns the initial value, given the current value; None if that is impossible.
    """

    held: Held
    value: object
    renew: Callable[[Any], object] | None

    @property
    def is_large(self) -> bool:
        """Whether the value is so large that it is considered a table, which matches do not change."""
        return self.held.content is LARGE

    def is_alike(self, value: object) -> bool:
        """Return whether a value equals the initial value."""
        if isinstance(self.held.content, Same) or (value is self.value and isinstance(value, ATOMS)):
            return value is self.value
        if self.is_large:
            return kind_of(value) is self.held.kind
        if isinstance(self.held.content, bytes):
            return kind_of(value) is self.held.kind and content_of(value) == self.held.content
        return held(value) == self.held


class AgentState:
    """The initial values of an agent's attributes, and of the attributes of the author's objects among them.

    Args:
        agent: The newly created agent.
    """

    def __init__(self, agent: Agent) -> None:
        self.packages = {package_of(cls) for cls in type(agent).__mro__} - SHARED
        self.objects: list[tuple[object, dict[str, Kept]]] = []
        self.images: dict[tuple[int, str], tuple[object, bytes]] = {}  # of attributes that were unchanged
        if not self.packages:  # a class of arena: the proxy of an agent in another process
            return
        with suppress(Exception):  # attributes that `begin` sets must exist before compiled code runs
            from arena.compiler.beginning import complete

            complete(agent)
        with suppress(Exception):  # the author's classes may do anything
            self.keep_all([agent])

    def keep_all(self, left: list[object]) -> None:
        """Store the attributes of objects, and of the author's objects within them."""
        seen: set[int] = set()
        while left:
            thing = left.pop()
            if id(thing) not in seen:
                seen.add(id(thing))
                attributes = self.attributes(thing)
                self.objects.append((thing, {name: kept(value) for name, value in attributes.items()}))
                with suppress(RecursionError):  # a container that contains itself
                    left += [part for value in attributes.values() for part in self.parts(value)]

    def restore(self) -> bool:
        """Undo all changes, and return whether this was possible."""
        try:
            return all(self.restore_object(thing, before) for thing, before in self.objects)
        except Exception:  # see above
            return False

    def can_change(self) -> bool:
        """Return whether compiled code can change anything besides numbers."""
        values = (one for _, before in self.objects for one in before.values() if not one.is_large)
        return any(is_writeable(one.value) or one.held.kind in CHANGING for one in values)

    def restores(self, thing: object, name: str) -> bool:
        """Return whether an object's attribute is reset before each match."""
        return any(one is thing and name in before for one, before in self.objects)

    def has_changed(self, numbers: Collection[tuple[int, str]]) -> bool:
        """Return whether any attribute has changed.

        Args:
            numbers: Attributes to ignore, as pairs of object id and name.
        """
        try:
            return any(self.differs(thing, before, numbers) for thing, before in self.objects)
        except Exception:  # see above
            return True

    def differs(self, thing: object, before: dict[str, Kept], numbers: Collection[tuple[int, str]]) -> bool:
        """Return whether an object's attributes differ from their initial values."""
        now = self.attributes(thing)
        if now.keys() != before.keys():
            return True
        return any(
            (id(thing), name) not in numbers and not self.is_alike((id(thing), name), one, now[name])
            for name, one in before.items()
        )

    def is_alike(self, place: tuple[int, str], before: Kept, value: object) -> bool:
        """Return whether an attribute has its initial value, by its bytes in compiled code if possible."""
        image = value.image() if is_native(value) else None
        known = self.images.get(place)
        if image and known and image[0] is known[0] and image[1] == known[1]:
            return True
        if not before.is_alike(value):
            return False
        if image:
            self.images[place] = image
        return True

    def restore_object(self, thing: object, before: dict[str, Kept]) -> bool:
        """Reset an object's attributes to their initial values, and return whether that was possible."""
        now = self.attributes(thing)
        for name in now.keys() - before.keys():
            object.__delattr__(thing, name)
        for name, one in before.items():
            if name in now and self.is_alike((id(thing), name), one, now[name]):
                continue
            if one.renew is None:
                return False
            object.__setattr__(thing, name, one.renew(now.get(name)))
        return True

    def attributes(self, thing: object) -> dict[str, object]:
        """Return an object's attributes by name, without those that are never reset."""
        cls: Any = type(thing)  # otherwise mypy considers classes unhashable
        given = left_alone(cls)
        found = {name: value for name, value in getattr(thing, "__dict__", {}).items() if name not in given}
        for name in slots_of(thing):
            if name not in given and hasattr(thing, name):
                found[name] = getattr(thing, name)
        return found

    def parts(self, value: object) -> Iterator[object]:
        """Yield the author's objects and tables that a value is or contains."""
        if self.is_own(type(value)):
            yield value
        elif isinstance(value, dict | list | tuple | deque) and not isinstance(held(value).content, bytes):
            for part in value.values() if isinstance(value, dict) else value:
                yield from self.parts(part)

    def is_own(self, cls: type) -> bool:
        """Return whether a class is user-defined, a part of an agent, or a table."""
        if cls in (Rng, SimpleNamespace):
            return True
        if issubclass(cls, NOT_OWN):
            return False
        package = package_of(cls)
        if package == "arena":
            return cls.__module__ == "arena.api.table"
        return issubclass(cls, Component) or package in self.packages or bool(own_modules([cls.__module__]))


@lru_cache(CLASSES)
def left_alone(cls: type) -> frozenset[str]:
    """Return the names of attributes that are never reset: those that arena sets, and `kept_attributes`."""
    if not issubclass(cls, Component):
        return frozenset()
    if issubclass(cls, Agent):
        return GIVEN.union(*(vars(base).get("kept_attributes", ()) for base in cls.__mro__))
    return GIVEN_TO_PARTS


def is_large(value: Any) -> bool:
    """Return whether comparing a value before each match would take too long."""
    if is_array(value):
        return bool(value.nbytes > LARGE_ARRAY)
    return isinstance(value, Sized) and isinstance(value, CHANGING) and len(value) > LARGE_CONTAINER


def kept(value: Any) -> Kept:
    """Return the `Kept` for the value of an attribute."""
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
    """Set the content of an object by calling `put`, and return the object."""
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
    if hasattr(kind, "__next__"):  # an iterator, whose state is unknown
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


def is_native(value: object) -> TypeGuard[Native]:
    """Return whether a value is a container of compiled code, without importing the compiler."""
    return type(value).__module__ == "arena.compiler.native"


def kind_of(value: object) -> type:
    """Return the type of a value; for a container of compiled code, the Python type that it replaces."""
    kind = type(value)
    if not is_native(value):
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
    """Return a container with this content: the current one if it has the type, otherwise a new one."""
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


def own_modules(names: Iterable[str]) -> list[str]:
    """Return the names of loaded modules without those of arena, Python and installed packages."""
    found = []
    for name in names:
        file = getattr(sys.modules.get(name), "__file__", None)
        if name.startswith(PREFIX) or (
            file
            and name.partition(".")[0] != "arena"
            and not file.startswith(LIBRARY)
            and not any(part in file for part in INSTALLED)
        ):
            found.append(name)
    return found


def is_array(thing: object) -> TypeGuard[NDArray[np.generic]]:
    """Return whether an object is a numpy array of numbers."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(thing, numpy.ndarray) and not thing.dtype.hasobject


def set_array(array: NDArray[np.generic], held: Sequence[object]) -> None:
    """Set the content of an array that still has its shape."""
    import numpy as np

    (content,) = held
    assert isinstance(content, bytes)
    array[...] = np.frombuffer(content, array.dtype).reshape(array.shape)


def slots_of(thing: object) -> list[str]:
    """Return the names of an object's slots."""
    cls: Any = type(thing)  # otherwise mypy considers classes unhashable
    return slots_of_class(cls)


@lru_cache(CLASSES)
def slots_of_class(cls: type) -> list[str]:
    """Return the names of the slots of a class and its base classes."""
    found = []
    for base in cls.__mro__:
        slots = vars(base).get("__slots__", ())
        names = (slots,) if isinstance(slots, str) else tuple(slots)
        found += [name for name in names if name not in ("__dict__", "__weakref__")]
    return found
