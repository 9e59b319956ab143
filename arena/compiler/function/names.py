"""Names: variables, constants of the module, and builtins."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.compiler.errors import meant
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.memory import holds_rows, needs_links
from arena.compiler.function.registry import lowers_node
from arena.compiler.source import NOT_THERE, local_names, look_up, times_set
from arena.compiler.types import ContainerOf, Known, ListOf, TextOf, Tuple, Value, same


def set_name(em: Emitter, name: str, value: Value, node: Any) -> None:
    """Write an assignment of a value to the variable with this name."""
    key = em.key_of(name)
    if isinstance(value.type, ListOf) and not (value.fresh or value.type.row):
        em.fail(node, f"a list cannot have a second name; write {name} = list(…) for a copy")
    if isinstance(value.type, ContainerOf) and value.type.content.last().owned:
        em.unit.named.add(value.type.content.last())
        check_names(em, value, node)
    if any(capture.own_key == key for capture in em.instance.captures):
        set_outside(em, name, value, node)
    if isinstance(em.frame.node, ast.FunctionDef) and times_set(em.frame.node).get(name) == 1:
        set_constant(em, key, value)
    em.set_variable(key, value, node, name)
    kind = em.instance.variables.get(key, value.type)
    if isinstance(kind, ListOf) and not kind.row and key in {one.own_key for one in em.instance.captures}:
        em.fail(node, f"{name} is {kind}, which an inner function cannot assign to a variable outside of it")
    if isinstance(kind, Tuple) and any(isinstance(item, TextOf) and not item.row for item in kind.items):
        em.fail(node, f"{name} is {kind} with a text of any length in it; assign the items to several names")


def set_outside(em: Emitter, name: str, value: Value, node: Any) -> None:
    """Note what an assignment to a variable of an enclosing function requires, or raise CannotCompile."""
    if isinstance(value.type, ListOf) and not value.type.row:
        em.fail(
            node, f"an inner function cannot assign {value.type} to {name}, a variable outside; return it"
        )
    if holds_rows(value.type):
        needs_links(em)


def check_names(em: Emitter, owned: Value, node: Any) -> None:
    """Raise CannotCompile if a component's container is both referenced elsewhere and replaced."""
    assert isinstance(owned.type, ContainerOf)
    content = owned.type.content.last()
    if content in em.unit.named & em.unit.replaced:
        em.fail(node, f"{content.what} is also referenced elsewhere, so it cannot be replaced; use clear()")


def hold(em: Emitter, value: Value, meanwhile: Sequence[ast.AST], node: Any) -> None:
    """Note that a component's container is in use while other code runs, which must not replace it."""
    if isinstance(value.type, ContainerOf) and value.type.content.last().owned and may_replace(meanwhile):
        em.unit.named.add(value.type.content.last())
        check_names(em, value, node)


def may_replace(nodes: Sequence[ast.AST]) -> bool:
    """Return whether code may replace an attribute, since it sets one or calls a user-defined function."""
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                return True
            if isinstance(part, ast.Call):
                func = part.func
                own = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)
                if own or (isinstance(func, ast.Name) and not hasattr(builtins, func.id)):
                    return True
    return False


def set_constant(em: Emitter, key: Any, value: Value) -> None:
    """Record the constant of a variable assigned in one place, if all compiled copies of it agree."""
    if em.targets is not None:
        em.targets.add(key)
    elif (
        key in em.given
        and em.given[key] is not value.const
        and not same(em.given[key], value.const)
        and key not in em.instance.varying
    ):
        em.instance.varying.add(key)
        em.unit.changed = True
    em.given[key] = value.const
    if value.known and (em.targets is not None or key not in em.instance.varying):
        em.constants[key] = value
    else:
        em.constants.pop(key, None)


def read_name(em: Emitter, name: str, node: Any) -> Value | None:
    """Return the value of a variable; None if there is no variable of this name."""
    key = em.key_of(name)
    if key is None:
        return None
    if key not in em.assigned:
        if key not in em.instance.flagged:
            em.instance.flagged.add(key)
            em.unit.changed = True
        flag = em.flags.get(key) or em.flag(key)
        unset = em.let(f"xor i1 {em.load('i1', flag)}, true")
        text = f"cannot access local variable {name!r} where it is not associated with a value"
        em.check(unset, UnboundLocalError, text, node)
    if key in em.constants:
        return em.constants[key]
    return em.get_variable(key)


def global_value(em: Emitter, name: str, node: Any) -> Value:
    """Return the value of a global, builtin or free name."""
    for function in em.frame.functions():
        thing = look_up(function, name)
        if thing is not NOT_THERE:
            em.unit.facts.name(function, name, thing)
            return constant_from(em, thing, node, name)
    return em.fail(node, f"{name} is not defined" + meant(name, local_names(em.instance.node)))


def constant_from(em: Emitter, thing: Any, node: object, name: str) -> Value:
    """Return a Python object as a constant value; `name` is for messages."""
    if type(thing) in (dict, set, frozenset):
        return Value(Known(thing, name), (), thing)
    if type(thing) is list:
        thing = as_tuple(thing)
    if isinstance(thing, dict | set | list):
        em.fail(node, f"{name} is a {type(thing).__name__}, which compiled code does not support")
    if isinstance(thing, type):
        return em.constant(thing, node)
    if hasattr(thing, "dtype") and hasattr(thing, "tobytes") and thing.ndim:
        return em.unit.constant_array(thing)
    em.unit.uses_numpy |= has_numpy_float(thing)
    if hasattr(thing, "dtype") and hasattr(thing, "item"):
        thing = thing.item()
    if isinstance(thing, int) and not -(2**63) <= thing < 2**63:
        em.fail(node, f"{name} is {thing}, too large: an int has 64 bits")
    return em.constant(thing, node)


def has_numpy_float(thing: Any) -> bool:
    """Return whether a constant is a numpy float, or a tuple that contains one."""
    return any(map(has_numpy_float, thing)) if isinstance(thing, tuple) else isinstance(thing, np.number)


def as_tuple(thing: list[Any]) -> tuple[Any, ...]:
    """Return a constant list as a tuple, and lists in it as tuples, too."""
    return tuple(as_tuple(item) if type(item) is list else item for item in thing)


@lowers_node(ast.Name)
def lower_name(em: Emitter, node: ast.Name) -> Value:
    value = read_name(em, node.id, node)
    return global_value(em, node.id, node) if value is None else value


@lowers_node(ast.Constant)
def lower_constant(em: Emitter, node: ast.Constant) -> Value:
    if isinstance(node.value, complex) or node.value is ...:
        em.fail(node, f"a {type(node.value).__name__} does not compile")
    return em.constant(node.value, node)
