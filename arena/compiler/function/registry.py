"""What compiles: functions, methods, nodes of Python's syntax trees, and builtins that loops go over.

Each has a *lowering*, a function that takes the emitter first and writes LLVM's text. Modules of this package
register theirs by the decorators below, so a function compiles once its module is imported by `function.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

MANY = 99  # arguments: as many as one likes
Lowering = TypeVar("Lowering", bound=Callable[..., Any])


@dataclass(frozen=True)
class Lowered:
    """A lowering of calls, and the arguments that these may have.

    Attributes:
        write: Takes the emitter, of a method the object, and the call's node; returns the result.
        least: The number of arguments, at least.
        most: The same, at most.
        keywords: Whether there may be arguments by name, which the lowering then checks.
    """

    write: Callable[..., Any]
    least: int
    most: int
    keywords: bool


functions: dict[object, Lowered] = {}
methods: dict[tuple[object, str], Lowered] = {}  # by type, or class of types, and name
nodes: dict[type[ast.AST], Callable[..., object]] = {}
iterators: dict[object, Callable[..., None]] = {}


def lowers(
    *things: object, args: tuple[int, int] = (0, MANY), keywords: bool = False
) -> Callable[[Lowering], Lowering]:
    """Register a lowering of calls of functions or builtin classes: `write(em, node)`.

    Args:
        things: The functions.
        args: The least and the greatest number of arguments.
        keywords: Whether there may be arguments by name.
    """

    def register(write: Lowering) -> Lowering:
        functions.update(dict.fromkeys(things, Lowered(write, *args, keywords)))
        return write

    return register


def lowers_method(
    kind: object, name: str, args: tuple[int, int] = (0, MANY), keywords: bool = False
) -> Callable[[Lowering], Lowering]:
    """Register a lowering of calls of a method: `write(em, owner, node)`.

    Args:
        kind: The type that has the method, such as `INT`, or a class of types, such as `ListOf`.
        name: The method's name.
        args: The least and the greatest number of arguments.
        keywords: Whether there may be arguments by name.
    """

    def register(write: Lowering) -> Lowering:
        methods[kind, name] = Lowered(write, *args, keywords)
        return write

    return register


def lowers_node(*kinds: type[ast.AST]) -> Callable[[Lowering], Lowering]:
    """Register a lowering of nodes: `write(em, node)`, which returns the value of an expression."""

    def register(write: Lowering) -> Lowering:
        nodes.update(dict.fromkeys(kinds, write))
        return write

    return register


def iterates(thing: object) -> Callable[[Lowering], Lowering]:
    """Register a lowering of loops over what a call gives.

    Args:
        thing: A builtin, whose lowering is `write(em, node, each)`, or the function of a component's method,
            whose lowering is `write(em, owner, node, each)`.
    """

    def register(write: Lowering) -> Lowering:
        iterators[thing] = write
        return write

    return register


def method_lowering(kind: object, name: str) -> Lowered | None:
    """Return how a method of a type is compiled; None if it is not."""
    return methods.get((kind, name)) or methods.get((type(kind), name))


def function_lowering(thing: object) -> Lowered | None:
    """Return how calls of a thing are compiled; None if they are not."""
    hashable = isinstance(thing, type) or (callable(thing) and thing.__hash__)
    return functions.get(thing) if hashable else None
