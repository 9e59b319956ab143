"""The registry of everything that compiles: functions, methods, syntax nodes, and builtins in loops.

Each has a *lowering*, a function that takes the emitter first and writes LLVM assembly. Modules of this
package register theirs with the decorators below, and are imported by `function.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

MANY = 99  # any number of arguments
Lowering = TypeVar("Lowering", bound=Callable[..., Any])


@dataclass(frozen=True)
class Lowered:
    """A lowering of calls, and the arguments that it accepts.

    Attributes:
        write: Function of the emitter, for a method the object, and the node of the call; returns the result.
        least: Smallest number of arguments.
        most: Largest number of arguments.
        keywords: Whether keyword arguments are allowed, which the lowering then checks.
    """

    write: Callable[..., Any]
    least: int
    most: int
    keywords: bool


functions: dict[object, Lowered] = {}
methods: dict[tuple[object, str], Lowered] = {}  # by type, or class of types, and name
nodes: dict[type[ast.AST], Callable[..., object]] = {}
iterators: dict[object, Callable[..., None]] = {}
operators: dict[type, Callable[..., Any]] = {}  # by class of types


def lowers(
    *things: object, args: tuple[int, int] = (0, MANY), keywords: bool = False
) -> Callable[[Lowering], Lowering]:
    """Register a lowering of calls of functions or builtin classes: `write(em, node)`.

    Args:
        things: The functions.
        args: Smallest and largest number of arguments.
        keywords: Whether keyword arguments are allowed.
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
        name: Name of the method.
        args: Smallest and largest number of arguments.
        keywords: Whether keyword arguments are allowed.
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
    """Register a lowering of loops over the result of a call.

    Args:
        thing: A builtin, whose lowering is `write(em, node, each)`, or the function of a component's method,
            whose lowering is `write(em, owner, node, each)`.
    """

    def register(write: Lowering) -> Lowering:
        iterators[thing] = write
        return write

    return register


def combines(kind: type) -> Callable[[Lowering], Lowering]:
    """Register a lowering of operators with an operand of a class of types.

    It is `write(em, op, left, right, node)`, where `op` is a node such as `ast.Add()` or `ast.Lt()`. For an
    operator on one value, `right` is None.
    """

    def register(write: Lowering) -> Lowering:
        operators[kind] = write
        return write

    return register


def operator_lowering(*kinds: object) -> Callable[..., Any] | None:
    """Return the lowering of operators for the first of some types that has one; None if none does."""
    return next((operators[type(kind)] for kind in kinds if type(kind) in operators), None)


def method_lowering(kind: object, name: str) -> Lowered | None:
    """Return the lowering of a method of a type; None if there is none."""
    return methods.get((kind, name)) or methods.get((type(kind), name))


def function_lowering(thing: object) -> Lowered | None:
    """Return the lowering of calls of an object; None if there is none."""
    hashable = isinstance(thing, type) or (callable(thing) and thing.__hash__)
    return functions.get(thing) if hashable else None
