"""A game, an agent or another component with its options, from which any process can create it.

It names the class as `module:attribute`. Functions of packages in higher layers are named in the same way and
imported when they are first called. No other imports go up the layers, except for the tables of
`arena.registry.builtin`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import FunctionType
from typing import Any

from arena.api.plugin_guard import quiet

SANDBOXED = "arena.registry.sandboxed:sandboxed"  # makes an agent that asks one in a sandboxed process


@dataclass(frozen=True)
class Spec:
    """A game, agent, evaluation or rating system with its options, from which any process can make it.

    Attributes:
        text: The canonical name, under which results are stored, such as `minimax:ties=first`.
        target: The class, as `module:attribute`.
        values: All options; those with a `kind` are specs.
    """

    text: str
    target: str
    values: Mapping[str, Any]

    def __str__(self) -> str:
        return self.text

    @cached_property
    def cls(self) -> Any:
        """The class. For an agent from a file it may be a stand-in with the same options."""
        return load_target(self.target)

    def __reduce__(self) -> tuple[type[Spec], tuple[object, ...]]:
        return Spec, (self.text, self.target, self.values)  # its class each process imports for itself

    def changed(self, text: str, values: Mapping[str, Any]) -> Spec:
        """Return the spec with other options and another name."""
        made = replace(self, text=text, values=values)
        if "cls" in vars(self):
            vars(made)["cls"] = self.cls
        return made

    @property
    def is_confined(self) -> bool:
        """Return whether the class must not be instantiated in this process because it is not sandboxed."""
        return False

    def load(self) -> Any:
        """Return the class itself, never a stand-in."""
        return self.cls

    def make(self, *args: object) -> Any:
        """Return a new object, ready for use. What its constructor prints is not shown."""
        thing = self.build(*args)
        with quiet():
            make_ready(thing)
        return thing

    def build(self, *args: object) -> Any:
        """Return a new object without what it recalls: a learner that has learned nothing.

        If it, or a part of it, must run in a sandbox and this process is none, the object is an agent that
        passes questions on to a sandboxed process.
        """
        if any(part.is_confined for part in self.walk()):
            return load_target(SANDBOXED)(self, *args)
        with quiet():
            thing = self.load()(*args, **self.values)
            thing.name = self.text
        return thing

    def walk(self) -> Iterator[Spec]:
        """Yield the spec itself and those among its values, recursively."""
        yield self
        yield from self.nested()

    def nested(self) -> Iterator[Spec]:
        """Yield the specs among its values, recursively."""
        for value in self.values.values():
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, Spec):
                    yield from item.walk()


@dataclass(frozen=True)
class InstanceSpec(Spec):
    """A spec whose object exists already, in this process."""

    instance: object

    def make(self, *args: object) -> Any:
        """Return the object."""
        return self.instance


def make_ready(thing: object) -> None:
    """Call `ready`; an attribute of that name that is not a method is the author's own, and ignored."""
    for base in type(thing).__mro__:
        if isinstance(found := vars(base).get("ready"), FunctionType):
            found(thing)
            return


def load_target(target: str) -> Any:
    """Return what `module:attribute` names."""
    module, _, attribute = target.partition(":")
    with quiet():  # which is for results, whatever a module prints
        thing: object = importlib.import_module(module)
    for part in attribute.split("."):
        thing = getattr(thing, part)
    return thing


class Late:
    """A function that `module:attribute` names, imported when it is called first."""

    def __init__(self, target: str) -> None:
        self.target = target

    @cached_property
    def function(self) -> Any:
        return load_target(self.target)

    def __call__(self, *args: object) -> Any:
        return self.function(*args)


runners_of = Late("arena.compiler:runners_of")  # what runs a component's methods compiled
spec_named = Late("arena.registry.plugins:spec_named")  # the spec of a kind and a text
takes_text = Late("arena.registry.plugins:takes_text")  # whether an option of something takes any text
endings_probe = Late("arena.analysis.endings:probe")  # a game's endings in memory
endings_kept = Late("arena.analysis.endings:pieces_kept")  # up to how many pieces they are there
recall_model = Late("arena.storage.model_file:recall_model")  # loads the model of a learner
sandboxed_with = Late("arena.storage.folders:sandboxed_with")  # what sandboxed processes use of what is kept
