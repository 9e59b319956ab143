"""Inner functions, which share variables with the enclosing functions.

An inner function is a separate instance. Shared variables lie in the frame of the enclosing function, and
their addresses are passed to the inner function.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Frame
from arena.compiler.function.names import set_name
from arena.compiler.function.registry import lowers_node
from arena.compiler.instance import Capture, Instance
from arena.compiler.source import definition, yields
from arena.compiler.types import UNKNOWN, Known, Value


@dataclass(eq=False)
class Inner:
    """A function that is defined within another function.

    Attributes:
        function: The function, without the values of its free variables.
        instance: The instance in which it is defined.
        frame: The scope in which it is defined.
    """

    function: FunctionType
    instance: Instance
    frame: Frame


@lowers_node(ast.FunctionDef)
def lower_function_def(em: Emitter, node: ast.FunctionDef) -> None:
    inner = em.instance.inner.get(node)
    if inner is None:
        if yields(node):
            em.fail(node, "a generator defined within a function does not compile; define it as a method")
        if node.decorator_list:
            em.fail(node, f"{node.name} has a decorator, which does not compile")
        inner = em.instance.inner[node] = Inner(inner_function(em, node), em.instance, em.frame)
        em.unit.inner[inner.function] = inner
    set_name(em, node.name, Value(Known(inner), (), inner), node)


@lowers_node(ast.Nonlocal)
def lower_nonlocal(em: Emitter, node: ast.Nonlocal) -> None:
    pass


def inner_function(em: Emitter, node: ast.FunctionDef) -> FunctionType:
    """Return the function that a node defines, with free variables unset."""
    outer = em.frame.function
    code = next((one for one in codes(outer.__code__) if same_place(one, node)), None)
    if code is None:
        em.fail(node, f"the source of {node.name} has changed")
    cells = dict(zip(outer.__code__.co_freevars, outer.__closure__ or (), strict=True))
    closure = tuple(cells.get(name) or CellType() for name in code.co_freevars)
    try:
        defaults = tuple(ast.literal_eval(part) for part in node.args.defaults)
    except ValueError:
        em.fail(node, f"in compiled code, the defaults of {node.name} must be constants")
    made = FunctionType(code, outer.__globals__, node.name, defaults, closure)
    if definition(made) is not node:
        em.fail(node, f"{node.name} is defined twice on one line")
    return made


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code objects of all functions within a function."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from codes(part)


def same_place(code: CodeType, node: ast.FunctionDef) -> bool:
    return (code.co_name, code.co_firstlineno) == (node.name, node.lineno)


# --- shared variables ---------------------------------------------------------------------------------------


def captures(em: Emitter, function: FunctionType, node: Any) -> tuple[Capture, ...] | None:
    """Return the variables that a function shares with enclosing functions; None if a type is unknown.

    This includes the shared variables of the inner functions that it calls.
    """
    if function not in em.unit.inner:
        return ()
    found: dict[tuple[Instance, object], Capture] = {}
    waiting, seen = [em.unit.inner[function]], set()
    while waiting:
        inner = waiting.pop()
        if inner in seen:
            continue
        seen.add(inner)
        for name in inner.function.__code__.co_freevars:
            home, key = home_of(inner, name)
            if key is None:
                continue
            kind = home.variables.get(key, UNKNOWN)
            if kind is UNKNOWN:
                return None
            if isinstance(kind, Known) and isinstance(kind.thing, Inner):
                waiting.append(kind.thing)
            own = own_key(em, home, key)
            if own not in em.assigned:
                em.fail(node, f"{name} may not be set yet when {function.__name__} is called")
            found[home, key] = Capture(name, key, home, kind, inner.function is function)
    return tuple(found.values())


def home_of(inner: Inner, name: str) -> tuple[Instance, Any]:
    """Return the enclosing function that owns a free variable of an inner function, and the key there."""
    frame: Frame | None = inner.frame
    while frame:
        if name in frame.names:
            return inner.instance, (*frame.key, name)
        if name in frame.shared:
            capture = next(one for one in inner.instance.captures if one.own_key == frame.shared[name])
            return capture.home, capture.key
        frame = frame.outer
    return inner.instance, None


def own_key(em: Emitter, home: Instance, key: Any) -> Any:
    """Return the key in the current function of a variable of `home`, which may be shared."""
    if home is em.instance:
        return key
    return next((one.own_key for one in em.instance.captures if (one.home, one.key) == (home, key)), None)


def addresses(em: Emitter, called: Instance) -> list[str]:
    """Return the addresses of the variables that an inner function shares, as arguments for its call."""
    found: list[str] = []
    for capture in called.captures:
        found += em.slots_of(own_key(em, capture.home, capture.key), capture.kind)
    return [f"ptr {place}" for place in found]


def share_variables(em: Emitter) -> list[str]:
    """Register the shared variables of an inner function, and return the parameters for their addresses."""
    parameters = []
    for i, capture in enumerate(em.instance.captures):
        key, kind = capture.own_key, capture.kind
        em.instance.variables[key] = kind
        em.slots[key, kind] = tuple(f"%c{i}.{j}" for j in range(len(kind.irs)))
        em.assigned.add(key)
        if capture.named:
            em.frame.shared[capture.name] = key
        parameters += [f"ptr nonnull noundef {place}" for place in em.slots[key, kind]]
    return parameters


def give_types(em: Emitter) -> None:
    """Widen the types of the variables that an inner function has set in enclosing functions."""
    for capture in em.instance.captures:
        kind = em.instance.variables[capture.own_key]
        if kind != capture.kind and capture.home.variables.get(capture.key) == capture.kind:
            capture.home.variables[capture.key] = kind
            capture.home.text = ""
            em.unit.changed = True
