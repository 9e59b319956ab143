"""Functions that are passed to others: the keys of `max`, the functions of `map` and `reduce`."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

from arena.compiler.function.assignment import assign
from arena.compiler.function.calls import call_function, callee
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.source import is_simple
from arena.compiler.types import Value

GETTERS: tuple[Any, ...] = operator.itemgetter, operator.attrgetter


def key_function(em: Emitter, named: Mapping[str, ast.expr], node: ast.Call) -> Callable[[Value], Value]:
    """Return a function that writes a call's `key=` for an item.

    Args:
        em: The emitter.
        named: The keyword arguments of the call; only `key` is allowed.
        node: The call.
    """
    if odd := [name for name in named if name != "key"]:
        em.fail(node, f"{odd[0]}= does not compile")
    key = named.get("key")
    if key is None or (isinstance(key, ast.Constant) and key.value is None):
        return lambda value: value
    return applied(em, key, node, "a key")


def before_items(em: Emitter, part: ast.expr, node: ast.Call, at: int = 0) -> Value:
    """Return the value of an argument that follows an iterable, evaluated before the items.

    It is refused where the items could change it.

    Args:
        em: The emitter.
        part: The argument.
        node: The call.
        at: The place of the iterable among the arguments.
    """
    value, items = expression(em, part), node.args[at]
    if not value.known:
        reads = any(isinstance(one, ast.Attribute | ast.Subscript) for one in ast.walk(part))
        sets = any(isinstance(one, ast.NamedExpr) for one in ast.walk(items))
        if not is_simple(part) or sets or (reads and not isinstance(items, ast.Name | ast.GeneratorExp)):
            em.fail(node, f"give {ast.unparse(part)} a name before this call")
    return value


def applied(
    em: Emitter, function: ast.expr, node: ast.Call, what: str, arity: int = 1
) -> Callable[..., Value]:
    """Return a function that writes the call of a lambda, a method or a function.

    Args:
        em: The emitter.
        function: What is called.
        node: The call that it is an argument of.
        what: Its role, for messages.
        arity: The number of its arguments.
    """
    if not isinstance(function, ast.Lambda):
        found = callee(em, ast.copy_location(ast.Call(function, [], []), function))
        if found:
            called, owner = found
            return lambda *values: call_function(em, called, [*([owner] if owner else []), *values], {}, node)
        if not isinstance(function, ast.Name | ast.Attribute | ast.Call):
            em.fail(node, f"{what} must be a lambda, a method or a function")
        getter = expression(em, function.func).const if isinstance(function, ast.Call) else None
        if isinstance(function, ast.Call) and getter not in GETTERS:
            em.fail(node, f"{what} must be a lambda, a method or a function")
        function = as_lambda(function, arity, getter)
    names = [arg.arg for arg in function.args.args]
    if len(names) != arity or ast.unparse(function.args) != ", ".join(names):
        em.fail(node, f"{what} must take {'one argument' if arity == 1 else f'{arity} arguments'}")
    given, inner = function, em.frame.within(function, names)

    def of(*values: Value) -> Value:
        with em.within(inner):
            for name, value in zip(names, values, strict=True):
                assign(em, ast.copy_location(ast.Name(name, ast.Store()), given), value)
            return expression(em, given.body)

    return of


@functools.cache
def as_lambda(function: ast.expr, arity: int, getter: object) -> ast.Lambda:
    """Return a lambda that does the same as a builtin, a method of a builtin type, or an `itemgetter`.

    It is the same object each time, since what is known of an expression is kept by its node.
    """
    names = [f"argument {i}" for i in range(arity)]  # no names of authors
    args: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    body: ast.expr
    if isinstance(function, ast.Call):
        parts = [got(args[0], part, getter) for part in function.args]
        body = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
    elif isinstance(function, ast.Attribute) and function.attr == "__getitem__":
        body = ast.Subscript(function.value, args[0], ast.Load())
    else:
        body = ast.Call(function, args, [])
    made = ast.Lambda(ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, []), body)
    return ast.fix_missing_locations(ast.copy_location(made, function))


def got(item: ast.expr, part: ast.expr, getter: object) -> ast.expr:
    """Return the item or attribute that an `itemgetter` or `attrgetter` takes."""
    if getter is operator.itemgetter:
        return ast.Subscript(item, part, ast.Load())
    for name in str(ast.literal_eval(part)).split("."):
        item = ast.Attribute(item, name, ast.Load())
    return item
