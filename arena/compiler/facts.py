"""Facts that a compilation depends on; stored machine code is used only if all of them still hold."""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import Any

from arena.api.component import author_of
from arena.api.game import Game
from arena.compiler.generated import file_of
from arena.compiler.source import NOT_THERE, class_named, describe, file_digest


class Facts:
    """The facts that a compilation depends on.

    Attributes:
        files: Digests of files, by path.
        names: Meanings of names in modules.
        members: Attributes of classes, modules and the game, and defaults of parameters.
        kept: Whether other processes can look up all facts, so that the code may be stored.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.files: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.members: dict[str, str] = {}
        self.kept = True

    def function(self, function: FunctionType) -> None:
        file = file_of(function)
        if file not in self.files:
            self.files[file] = file_digest(file)
        if function.__module__ not in sys.modules:
            self.kept = False

    def name(self, function: FunctionType, name: str, thing: object) -> None:
        module = function.__module__
        if name in function.__code__.co_freevars or vars(sys.modules.get(module, object)).get(name) is not (
            function.__globals__.get(name, None)
        ):
            self.kept = False
        self.names[f"{module}:{name}"] = describe(thing)

    def member(self, owner: object, name: str, thing: object) -> None:
        if owner is self.game:
            where = "game"
        elif isinstance(owner, type):
            where = f"class {owner.__module__}:{owner.__qualname__}"
            if class_named(where.removeprefix("class ")) is not owner:
                self.kept = False
        elif isinstance(owner, ModuleType):
            where = f"module {owner.__name__}"
        else:
            return
        self.members[f"{where}:{name}"] = describe(thing)

    def default(self, function: FunctionType, name: str, thing: object) -> None:
        """Record the default of a function's parameter."""
        self.members[f"default {function.__module__}:{function.__qualname__}:{name}"] = describe(thing)

    def named_tuple(self, cls: type) -> None:
        """Record the file of a named tuple, for its fields and defaults."""
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if file:
            self.files[file] = file_digest(file)
        else:
            self.kept = False

    def record(self, cls: type) -> None:
        """Record the `__init__` of a class, and of its bases, whose objects compiled code creates."""
        for base in cls.__mro__[:-1]:
            self.function(vars(base)["__init__"])
            self.member(base, "__init__", vars(base)["__init__"])

    def said(self) -> dict[str, object]:
        return {"files": self.files, "names": self.names, "members": self.members}


def hold(said: dict[str, Any], game: Game, files: bool = True) -> bool:
    """Return whether all facts of a compilation still hold.

    Args:
        said: The facts.
        game: The game.
        files: Whether to compare files too; unnecessary for code compiled in this process.
    """
    for file, digest in said["files"].items():
        if files and file_digest(file) != digest:
            return False
    for where, text in said["names"].items():
        module, _, name = where.rpartition(":")
        probe = sys.modules.get(module)
        thing = look_up_in(probe, name)
        if thing is NOT_THERE or describe(thing) != text:
            return False
    for where, text in said["members"].items():
        owner_name, _, name = where.rpartition(":")
        owner = owner_of(owner_name, game)
        if owner_name.startswith("default "):
            thing = defaults_of(owner).get(name, NOT_THERE)
            if describe(thing) != text:
                return False
            continue
        thing = attribute(owner, name) if isinstance(owner, type) else getattr(owner, name, NOT_THERE)
        if describe(thing) != text:
            return False
    return True


def attribute(cls: type, name: str) -> object:
    """Return an attribute from a class or its nearest base that has it, without binding it."""
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return NOT_THERE


def owner_of(name: str, game: Game) -> object:
    if name == "game":
        return game
    kind, _, path = name.partition(" ")
    return sys.modules.get(path) if kind == "module" else class_named(path)


def defaults_of(function: object) -> dict[str, object]:
    """Return the defaults of a function's parameters, by name."""
    function = author_of(function)
    if not isinstance(function, FunctionType):
        return {}
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))


def look_up_in(module: object, name: str) -> object:
    import builtins

    if module is None:
        return NOT_THERE
    return vars(module).get(name, getattr(builtins, name, NOT_THERE))
