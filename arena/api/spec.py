"""Descriptions of games, agents and other components, from which any process can create them.

A spec names the class as `module:attribute`. Functions of packages in higher layers are named in the same way
and imported when they are first called. There are no other imports from higher layers, except for the tables
of `arena.registry.builtin`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import FunctionType
from typing import Any

from arena.api.plugin_guard import quiet

SANDBOXED = "arena.registry.sandboxed:sandboxed"  # creates a proxy of a sandboxed agent


@dataclass(frozen=True)
class Spec:
    """A game, agent, evaluation or rating system with its options, from which any process can create it.

    Attributes:
        text: The canonical name, under which results are stored, such as `minimax:ties=first`.
        target: The class, as `module:attribute`.
        values: The values of all options; for options with a `kind` these are specs.
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
        return Spec, (self.text, self.target, self.values)  # each process imports the class itself

    def changed(self, text: str, values: Mapping[str, Any]) -> Spec:
        """Return a copy of the spec with other options and another name."""
        made = replace(self, text=text, values=values)
        if "cls" in vars(self):
            vars(made)["cls"] = self.cls
        return made

    @property
    def is_confined(self) -> bool:
        """Return whether the class must not be instantiated here, because it must run in a sandbox."""
        return False

    def load(self) -> Any:
        """Return the class itself, never a stand-in."""
        return self.cls

    def make(self, *args: object) -> Any:
        """Create an object that is ready for use. The output of its constructor is hidden."""
        thing = self.build(*args)
        with quiet():
            make_ready(thing)
        return thing

    def build(self, *args: object) -> Any:
        """Create an object without loading its model, so that a learner is untrained.

        If the object, or a part of it, must run in a sandbox and this process is not sandboxed, the result is
        an agent that forwards calls to a sandboxed process.
        """
        if any(part.is_confined for part in self.walk()):
            return load_target(SANDBOXED)(self, *args)
        with quiet():
            thing = self.load()(*args, **self.values)
            thing.name = self.text
        return thing

    def walk(self) -> Iterator[Spec]:
        """Yield the spec itself and the specs among its values, recursively."""
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
    """A spec of an object that already exists in this process."""

    instance: object

    def make(self, *args: object) -> Any:
        """Return the object."""
        return self.instance


def make_ready(thing: object) -> None:
    """Call `ready` if it is a method; another attribute of that name belongs to the author and is ignored."""
    for base in type(thing).__mro__:
        if isinstance(found := vars(base).get("ready"), FunctionType):
            found(thing)
            return


def load_target(target: str) -> Any:
    """Return the object that `module:attribute` names."""
    module, _, attribute = target.partition(":")
    with quiet():  # standard output is reserved for results, so modules must not print to it
        thing: object = importlib.import_module(module)
    for part in attribute.split("."):
        thing = getattr(thing, part)
    return thing


class Late:
    """A function named by `module:attribute`, imported when it is first called."""

    def __init__(self, target: str) -> None:
        self.target = target

    @cached_property
    def function(self) -> Any:
        return load_target(self.target)

    def __call__(self, *args: object) -> Any:
        return self.function(*args)


runners_of = Late("arena.compiler:runners_of")  # runs the methods of a component compiled
spec_named = Late("arena.registry.plugins:spec_named")  # returns the spec for a kind and a text
takes_text = Late("arena.registry.plugins:takes_text")  # whether an option of a plugin accepts any text
endings_probe = Late("arena.analysis.endings:probe")  # loads the endgame database of a game
endings_kept = Late("arena.analysis.endings:pieces_kept")  # the largest number of pieces stored
recall_model = Late("arena.storage.model_file:recall_model")  # loads the model of a learner
sandboxed_with = Late("arena.storage.folders:sandboxed_with")  # stored data that sandboxed processes may use
