"""Calls of user-defined functions and methods."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from random import Random
from types import FunctionType
from typing import Any

from arena.api.component import author_of
from arena.compiler.errors import NO_STACK, meant
from arena.compiler.function.caching import cache_of, cached_call
from arena.compiler.function.closures import Inner, addresses, captures
from arena.compiler.function.dispatch import call_arguments, expression, lower_with
from arena.compiler.function.emitter import UNLIKELY, Emitter
from arena.compiler.function.jitted import call_jitted
from arena.compiler.function.memory import needs_links, needs_region
from arena.compiler.function.names import constant_from, global_value, hold, read_name
from arena.compiler.function.positions import parts_of
from arena.compiler.function.records import (
    is_record_class,
    kept_list,
    kept_parameters,
    names_of,
    new_record,
    not_none,
)
from arena.compiler.function.registry import (
    function_lowering,
    functions,
    lowers_method,
    lowers_node,
    method_lowering,
)
from arena.compiler.function.vectors import as_list
from arena.compiler.instance import Instance
from arena.compiler.jit import is_jitted, is_translatable
from arena.compiler.named import defaults_of, fields_of, is_frozen, is_named
from arena.compiler.source import NOT_THERE, definition, yields
from arena.compiler.types import (
    BOOL,
    FLOAT,
    GAME,
    INT,
    NONE,
    UNKNOWN,
    ArrayOf,
    BytearrayOf,
    DequeOf,
    Known,
    ListOf,
    ObjectOf,
    RecordOf,
    Tuple,
    TupleOf,
    Value,
    VectorOf,
    unsettled,
    value_of,
)

WHOLE_LIST = "index", "count", "sort", "reverse", "copy"  # methods of lists that do not change the length


@lowers_node(ast.Call)
def lower_call(em: Emitter, node: ast.Call) -> Value:
    if found := callee(em, node):
        return call_function(em, found[0], [found[1]] if found[1] else [], {}, node, node)
    if isinstance(node.func, ast.Attribute):
        owner = expression(em, node.func.value)
        if owner.type in (UNKNOWN, NONE):  # the type may later become that of an object
            return Value(UNKNOWN)
        if isinstance(owner.const, dict) and (value := known_values(em, owner.const, node.func.attr, node)):
            return value
        if isinstance(owner.const, dict | set | frozenset):
            owner = em.materialize(owner)
        owner = em.as_text(owner)
        hold(em, owner, node.args, node)
        if not may_own(node.func.value) and (found := find_method(em, owner, node.func.attr, node)):
            return call_function(em, found[0], [found[1]] if found[1] else [], {}, node, node)
        if not isinstance(owner.type, Known):
            lowered = method_lowering(owner.type, node.func.attr)
            if lowered is None and isinstance(owner.type, VectorOf):
                is_deque, items = (
                    isinstance(owner.type, DequeOf),
                    as_list(em, owner),
                )  # as a row, since memory behind the last item must not be read
                owner = Value(ListOf(items.item, row=True), items.ops)
                reads = node.func.attr in (("index", "count") if is_deque else WHOLE_LIST)
                lowered = method_lowering(owner.type, node.func.attr) if reads else None
            if lowered is None:
                em.fail(node, f"{owner.type} has no {node.func.attr} in compiled code")
            em.unit.uses_numpy |= isinstance(owner.type, ArrayOf)
            return lower_with(em, lowered, node, owner)
    thing = expression(em, node.func).const
    if is_named(thing):
        return named_tuple(em, thing, node)
    if isinstance(thing, type) and is_record_class(thing):
        return made_record(em, thing, node)
    if lowered := function_lowering(thing):
        em.unit.uses_numpy |= is_of_numpy(thing)
        return lower_with(em, lowered, node)
    if is_jitted(thing):
        return call_jitted(em, thing, node)
    if getattr(thing, "__module__", None) == "random" or isinstance(getattr(thing, "__self__", None), Random):
        em.fail(node, f"{ast.unparse(node.func)} does not compile; use rng, so that matches are reproducible")
    if type(thing).__module__.startswith("numba."):  # an object of @vectorize, @cfunc or @jitclass
        em.fail(node, f"{ast.unparse(node.func)} does not compile; of numba's decorators, only @njit does")
    return em.fail(node, f"{ast.unparse(node.func)} does not compile")


def known_values(em: Emitter, of: dict[Any, Any], method: str, node: ast.Call) -> Value | None:
    """Return the result of `get` or `values` of a constant dictionary with strings as keys, else None."""
    if not any(isinstance(key, str) for key in of):
        return None
    given = [expression(em, part) for part in call_arguments(em, node)[0]]
    if method == "values" and not given:
        return constant_from(em, list(of.values()), node, "the values")
    if method == "get" and 1 <= len(given) <= 2 and given[0].known:
        otherwise = given[1] if len(given) == 2 else em.constant(None)
        return constant_from(em, of[given[0].const], node, "an item") if given[0].const in of else otherwise
    return None


def made_record(em: Emitter, cls: type, node: ast.Call) -> Value:
    """Create an object of a user-defined class, call its `__init__`, and return it."""
    made, init = new_record(em, cls, node), vars(cls)["__init__"]
    kept = kept_parameters(cls)
    if not kept:
        call_function(em, init, [made], {}, node, node)
        return made
    values = bind_arguments(em, init, made, *call_arguments(em, node), node)
    for i, arg in enumerate(definition(init).args.args):
        kind = values[i].type
        if arg.arg in kept and isinstance(kind, ListOf) and not kind.row:
            values[i] = kept_list(em, cls, kept[arg.arg], values[i], node)
    call_function(em, init, values[1:], {}, node, owner=made)
    return made


def is_of_numpy(thing: Any) -> bool:
    """Return whether an object is a function of numpy."""
    return str(getattr(thing, "__module__", None) or type(thing).__module__).partition(".")[0] == "numpy"


def callee(em: Emitter, node: ast.Call) -> tuple[FunctionType, Value | None] | None:
    """Return the user-defined function that is called, with its `self`; None if it is not user-defined."""
    func = node.func
    if isinstance(func, ast.Name):
        value = read_name(em, func.id, node) or global_value(em, func.id, node)
        if isinstance(value.const, Inner):
            return value.const.function, None
        function = author_of(source_of(em, value.const))
        return (function, None) if is_authored(function) else None
    if not isinstance(func, ast.Attribute):
        return None
    return method_called(em, func, node)


def source_of(em: Emitter, thing: Any) -> Any:
    """Return the Python function of a numba function that is compiled from its source; else the object."""
    if not is_jitted(thing) or thing.py_func in em.unit.native or not is_translatable(thing):
        return thing
    em.unit.jitted[thing.py_func] = thing
    return thing.py_func


def method_called(
    em: Emitter, func: ast.Attribute, node: ast.Call
) -> tuple[FunctionType, Value | None] | None:
    """Return the user-defined method that is called, with its `self`; None if it is not user-defined."""
    base = func.value
    if isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super":
        return super_method(em, func.attr, node)
    if not may_own(base):
        return None
    owner = expression(em, base)
    if isinstance(owner.type, Known):
        thing = getattr(owner.const, func.attr, NOT_THERE)
        function = author_of(source_of(em, thing))
        if not is_authored(function):
            return None
        em.unit.facts.member(owner.const, func.attr, thing)
        return function, None
    return find_method(em, owner, func.attr, node)


def is_own_method(cls: type, name: str) -> bool:
    """Return whether a class of named tuples has a user-defined method of this name."""
    found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    function = getattr(found, "__func__", found)
    return isinstance(function, FunctionType) and not name.startswith("_")


def find_method(em: Emitter, owner: Value, name: str, node: Any) -> tuple[FunctionType, Value | None] | None:
    """Return a method of a component or of the game, with its `self`; None for other values."""
    if isinstance(owner.type, ObjectOf):
        cls: Any = owner.type.layout.cls
        hidden = name in owner.type.layout.names
    elif isinstance(owner.type, RecordOf):
        cls, hidden = owner.type.cls, name in names_of(owner.type.cls)
        not_none(em, owner, name, node)
    elif isinstance(owner.type, Tuple) and owner.type.cls and is_own_method(owner.type.cls, name):
        cls, hidden = owner.type.cls, False
        em.unit.facts.named_tuple(cls)
    elif owner.type is GAME:
        cls, own = type(em.unit.game), vars(em.unit.game)
        hidden = name in own and name not in own.get("_bound", ())
    else:
        return None
    if hidden:
        em.fail(node, f"{name} is set on the object; compiled code can call only methods of its class")
    for base in cls.__mro__:
        if name in vars(base):
            thing = vars(base)[name]
            em.unit.facts.member(cls, name, thing)
            if isinstance(thing, staticmethod):
                return author_of(thing.__func__), None
            if isinstance(owner.type, ObjectOf) and name in owner.type.layout.cached:
                return thing.__wrapped__, owner
            function = author_of(thing)
            if isinstance(function, FunctionType):
                return function, owner
            return em.fail(node, f"{name} is a {type(thing).__name__}, which does not compile")
    return em.fail(
        node,
        f"{cls.__name__} has no method {name}"
        + meant(name, [known for known in dir(cls) if callable(getattr(cls, known))]),
    )


def super_method(em: Emitter, name: str, node: Any) -> tuple[FunctionType, Value | None]:
    """Return the method to which `super().name` refers, with its `self`."""
    owner = em.frame.owner
    if owner is None:
        em.fail(node, "super() compiles only in methods")
    if isinstance(owner.type, RecordOf):
        cls = owner.type.cls
    else:
        cls = owner.type.layout.cls if isinstance(owner.type, ObjectOf) else type(em.unit.game)
    order = cls.__mro__
    home = next(
        (i for i, base in enumerate(order) if em.frame.function in map(author_of, vars(base).values())), -1
    )
    for base in order[home + 1 :]:
        if name in vars(base):
            em.unit.facts.member(base, name, vars(base)[name])
            return author_of(vars(base)[name]), owner
    return em.fail(node, f"super() has no method {name}")


def call_method(
    em: Emitter, owner: Value, name: str, args: Sequence[Value], named: Mapping[str, Value], node: Any
) -> Value:
    """Call a method of a component or of the game."""
    found = find_method(em, owner, name, node)
    assert found
    return call_function(em, found[0], [*([found[1]] if found[1] else []), *args], named, node)


def bind_arguments(
    em: Emitter,
    function: FunctionType,
    owner: Value | None,
    args: Sequence[Any],
    named: Mapping[str, Any],
    node: Any,
) -> list[Value]:
    """Return a call's arguments, as nodes or values, in the order of the function's parameters."""
    tree = definition(function)
    names = [arg.arg for arg in tree.args.args]
    given: dict[str, Any] = {}
    positional = [*([owner] if owner else []), *args]
    if len(positional) > len(names):
        em.fail(node, too_many(function.__name__, names[bool(owner) :], len(args)))
    given = dict(zip(names, positional, strict=False))
    for name, value in named.items():
        if name in given:
            em.fail(node, f"{function.__name__} has two values for {name}")
        if name not in names:
            em.fail(node, f"{function.__name__} has no parameter {name}" + meant(name, names))
        given[name] = value
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    for name, value in given.items():  # in the order of the call
        given[name] = value if isinstance(value, Value) else expression(em, value)
    values = []
    for arg in tree.args.args:
        name = arg.arg
        if name in given:
            value = given[name]
        elif name in defaults:
            value = constant_from(em, defaults[name], node, name)
            em.unit.facts.default(function, name, defaults[name])
        else:
            em.fail(node, f"{function.__name__} is called without {name}")
        if (
            arg.annotation is not None
            and ast.unparse(arg.annotation) == "float"
            and value.type in (INT, BOOL)
        ):
            value = em.convert(value, FLOAT, node)
        values.append(value)
    return values


def call_function(
    em: Emitter,
    function: Any,
    args: Sequence[Any],
    named: Mapping[str, object],
    node: object,
    call: ast.Call | None = None,
    owner: Value | None = None,
) -> Value:
    """Write the call of a user-defined function, and return its result.

    Args:
        em: The emitter.
        function: The function.
        args: Positional arguments; if `call` is passed, only the `self` of a method.
        named: Keyword arguments; ignored if `call` is passed.
        node: The node, for errors.
        call: The node of a call whose arguments are passed to the function.
        owner: The `self` of a method; ignored if `call` is passed.
    """
    function = author_of(function)
    if function in functions and call is not None:
        return lower_with(em, functions[function], call)
    tree, given = definition(function), args
    if call is not None:
        given, named = call_arguments(em, call)
        owner = args[0] if args and tree.args.args else None
    values = bind_arguments(em, function, owner, given, named, node)
    values = [em.materialize(v) if isinstance(v.const, tuple) and len(v.const) < 9 else v for v in values]
    if any(unsettled(value.type) for value in values):
        return Value(UNKNOWN)
    if yields(tree) and not (owner and owner.type is GAME):
        em.fail(node, f"{function.__name__} is a generator, which compiles only in a loop; write list(…)")
    em.unit.facts.function(function)
    if found := cache_of(em, function, owner):
        return cached_call(
            em, *found, values[1:], lambda: call_function(em, function, values, {}, node), node
        )
    shared = captures(em, function, node)
    if shared is None:
        return Value(UNKNOWN)
    called = em.unit.instance(function, owner, [v.type for v in values], em.instance, shared)
    if called.fills:
        return filled_list(em, function, owner, values, node)
    return value_of(called.result, call_instance(em, called, values, node))


def call_instance(
    em: Emitter, called: Instance, args: Sequence[Value], node: object, out: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Write the call of an instance, and return the operands of the result.

    Args:
        em: The emitter.
        called: The instance.
        args: The arguments.
        node: The node of the call.
        out: Address and capacity of the list that it fills. The result is then the number of items.
    """
    if called.large and not called.recursive:
        em.unit.need_helper("full")
        full = em.let(f"call i1 @arena.full(i64 {called.bytes})")
        em.check(full, RecursionError, NO_STACK, node)
    given = [f"{ir} {op}" for value in args for ir, op in zip(value.type.irs, value.ops, strict=True)]
    given += addresses(em, called)
    given += [f"{ir} {op}" for ir, op in zip(("ptr", "i64"), out, strict=False)]
    if called.limited:
        given.append(f"i64 {em.left}")
    if called.links:
        needs_links(em)
    if called.allocates:
        needs_region(em)
        given.append("ptr %heap")
    kind = called.returned()
    text = f"call fastcc {kind} @{called.symbol}({', '.join(given)})"
    if kind == "void":
        em.emit(text)
        return ()
    made = em.let(text)
    if kind != "i32" and not kind.startswith("{"):
        return (made,)
    if called.may_raise:
        propagate(em, made if kind == "i32" else em.let(f"extractvalue {kind} {made}, 0"))
    n, first = 1 if out else len(called.result.irs), int(called.may_raise)
    return tuple(em.let(f"extractvalue {kind} {made}, {first + i}") for i in range(n))


def propagate(em: Emitter, status: str) -> None:
    """Return the error of a callee to the caller, or jump to the enclosing `except` clauses, if any."""
    bad, good = em.label("raised"), em.label("good")
    em.branch(em.let(f"icmp ne i32 {status}, 0"), bad, good, UNLIKELY)
    em.start(bad)
    em.return_error(status)
    em.start(good)


def filled_list(
    em: Emitter, function: FunctionType, owner: Value | None, values: list[Value], node: object
) -> Value:
    """Call a function that fills a list, and return the list; too many moves of the game are dropped."""
    if any(unsettled(value.type) for value in values):
        return Value(UNKNOWN)
    em.unit.facts.function(function)
    shared = captures(em, function, node)
    if shared is None:
        return Value(UNKNOWN)
    called = em.unit.instance(function, owner, [value.type for value in values], em.instance, shared)
    item = called.result.item if isinstance(called.result, ListOf) else UNKNOWN
    data = em.list_room(item)
    (n,) = call_instance(em, called, values, node, (data, str(em.unit.cap)))
    if owner is not None and owner.type is GAME:  # too many moves are reported when Python calls the game
        n = em.intrinsic("smin.i64", n, str(em.unit.most))
    else:
        over = em.let(f"icmp sgt i64 {n}, {em.unit.cap}")
        em.check(over, IndexError, em.unit.room_text, node)
    kind = type(called.result) if isinstance(called.result, TupleOf | BytearrayOf) else ListOf
    return Value(kind(item), (data, n), fresh=True)


def named_tuple(em: Emitter, cls: Any, node: ast.Call) -> Value:
    """Return the named tuple that a call creates."""
    args, named = call_arguments(em, node)
    names, defaults = fields_of(cls), defaults_of(cls)
    given = dict(zip(names, args, strict=False))
    left = set(names) - set(given)
    if not set(named) <= left or not left <= {*named, *defaults} or len(args) > len(names):
        em.fail(node, f"{cls.__name__} takes {', '.join(names)}")
    values = {name: expression(em, part) for name, part in (given | named).items()}
    values = {name: constant_from(em, value, node, name) for name, value in defaults.items()} | values
    em.unit.facts.named_tuple(cls)
    parts = parts_of(em, [values[name] for name in names], node)
    return em.tuple_of([em.materialize(part) for part in parts], cls)


@lowers_method(Tuple, "_replace", keywords=True)
def tuple_replace(em: Emitter, owner: Value, node: ast.Call) -> Value:
    kind = owner.type
    if not (isinstance(kind, Tuple) and kind.cls) or is_frozen(kind.cls):
        em.fail(node, f"{kind} has no _replace in compiled code")
    items = dict(zip(kind.cls._fields, em.items_of(owner), strict=True))
    changed = {name: expression(em, value) for name, value in call_arguments(em, node)[1].items()}
    if node.args or not changed.keys() <= items.keys():
        em.fail(node, f"_replace takes only the keyword arguments {', '.join(items)}")
    parts = parts_of(em, list((items | changed).values()), node)
    return em.tuple_of([em.materialize(part) for part in parts], kind.cls)


def is_authored(thing: object) -> bool:
    """Return whether an object is a function to compile from its source.

    Functions of numpy, and functions with a lowering, are not.
    """
    if not isinstance(thing, FunctionType) or thing in functions:
        return False
    return thing.__module__.partition(".")[0] != "numpy"


def too_many(name: str, parameters: Sequence[str], given: int) -> str:
    """Return the message for a call with more arguments than there are parameters."""
    if not parameters:
        return f"{name} takes no arguments, but gets {given}"
    names = ", ".join(parameters[:-1]) + " and " * (len(parameters) > 1) + parameters[-1]
    plural = "s" * (len(parameters) > 1)
    return f"{name} takes {len(parameters)} argument{plural}, {names}, but gets {given}"


def may_own(node: ast.expr) -> bool:
    """Return whether the object of a method call can be compiled twice without a side effect."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
