"""The registry of what compiles: functions, methods, syntax nodes, operators, and calls in loops.

Each has a *lowering*, a function that writes LLVM assembly and whose first parameter is the emitter. Modules
of this package register their lowerings with the decorators below; `function.py` imports all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

MANY = 99  # maximum number of arguments of calls without a limit
Lowering = TypeVar("Lowering", bound=Callable[..., Any])


@dataclass(frozen=True)
class Lowered:
    """A lowering of calls, and the arguments that it accepts.

    Attributes:
        write: The lowering. Its arguments are the emitter, for a method the object, and the node of the call.
        least: Minimum number of arguments.
        most: Maximum number of arguments.
        keywords: Whether keyword arguments are allowed; then the lowering checks them.
    """

    write: Callable[..., Any]
    least: int
    most: int
    keywords: bool


functions: dict[object, Lowered] = {}
methods: dict[tuple[object, str], Lowered] = {}  # by type or class of types, and name of the method
nodes: dict[type[ast.AST], Callable[..., object]] = {}
iterators: dict[object, Callable[..., None]] = {}
operators: dict[type, Callable[..., Any]] = {}  # by class of types


def lowers(
    *things: object, args: tuple[int, int] = (0, MANY), keywords: bool = False
) -> Callable[[Lowering], Lowering]:
    """Register a lowering of calls of functions or builtin classes: `write(em, node)`.

    Args:
        things: The functions.
        args: Minimum and maximum number of arguments.
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
        args: Minimum and maximum number of arguments.
        keywords: Whether keyword arguments are allowed.
    """

    def register(write: Lowering) -> Lowering:
        methods[kind, name] = Lowered(write, *args, keywords)
        return write

    return register


def lowers_node(*kinds: type[ast.AST]) -> Callable[[Lowering], Lowering]:
    """Register a lowering of nodes: `write(em, node)`, which for an expression returns its value."""

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
    """Return the lowering of operators for the first of these types that has one; None if none has."""
    return next((operators[type(kind)] for kind in kinds if type(kind) in operators), None)


def method_lowering(kind: object, name: str) -> Lowered | None:
    """Return the lowering of a method of a type; None if there is none."""
    return methods.get((kind, name)) or methods.get((type(kind), name))


def function_lowering(thing: object) -> Lowered | None:
    """Return the lowering of calls of an object; None if there is none."""
    hashable = isinstance(thing, type) or (callable(thing) and thing.__hash__)
    return functions.get(thing) if hashable else None
