"""Calls of machine code compiled by numba."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

from arena.compiler.errors import CannotCompile
from arena.compiler.function.dispatch import call_arguments, expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.memory import allocate
from arena.compiler.jit import Native, exceptions, native
from arena.compiler.types import BOOL, FLOAT, INT, NUMBERS, UNKNOWN, ArrayOf, Type, Value

KINDS: dict[Type, str] = {INT: "int64", FLOAT: "float64", BOOL: "bool"}
TYPES: dict[str, Type] = {name: kind for kind, name in KINDS.items()}
IRS = {"int64": "i64", "float64": "double", "bool": "i64"}


def call_jitted(em: Emitter, dispatcher: Any, node: ast.Call) -> Value:
    """Write a call of the machine code that numba has compiled for the types of the arguments."""
    args, named = call_arguments(em, node)
    if named:
        em.fail(node, f"{ast.unparse(node.func)} takes no keyword arguments in compiled code")
    values = [em.materialize(expression(em, part)) for part in args]
    if any(value.type is UNKNOWN for value in values):
        return Value(UNKNOWN)
    for value in values:
        if value.type not in NUMBERS and not isinstance(value.type, ArrayOf):
            em.fail(node, f"{value.type} cannot be passed to numba in compiled code, only numbers and arrays")
    em.unit.facts.function(dispatcher.py_func)
    try:
        name, made = native(dispatcher, tuple(kind_of(value.type) for value in values))
    except CannotCompile as error:
        em.fail(node, error.text)
    return call_native(em, name, made, values, dispatcher, node)


def kind_of(kind: Type) -> str:
    """Return the name of a type, as `jit.native` expects it."""
    if isinstance(kind, ArrayOf):
        return f"{kind.dtype} {kind.ndim}" + " fixed" * kind.fixed
    return KINDS[kind]


def call_native(
    em: Emitter, name: str, made: Native, values: Sequence[Value], dispatcher: Any, node: ast.Call
) -> Value:
    given, at = [part for value in values for part in words_of(em, value, node)], 2 * em.unit.need_loop(name)
    words = em.room("i64", max(1, len(given)))
    for i, (ir, op) in enumerate(given):
        em.store(ir, op, em.let(f"getelementptr i64, ptr {words}, i64 {i}"))
    out = em.room("i64", max(1, len(made.results) + made.ndim))
    function = em.let(f"load ptr, ptr getelementptr (i64, ptr @loops, i64 {at})")
    status = em.let(f"call i32 {function}(ptr {out}, ptr {out}, ptr {words}, ptr {words})")
    error, text = error_of(dispatcher)
    em.check(em.let(f"icmp ne i32 {status}, 0"), error, text, node)
    outs = [em.let(f"getelementptr i64, ptr {out}, i64 {i}") for i in range(len(made.results) + made.ndim)]
    if made.ndim:
        return taken_array(em, made, [em.load("i64", place) for place in outs], node)
    results = [taken(em, result, place) for result, place in zip(made.results, outs, strict=True)]
    if not results:
        return em.constant(None)
    return results[0] if len(results) == 1 else em.tuple_of(results)


def words_of(em: Emitter, value: Value, node: object) -> list[tuple[str, str]]:
    """Convert an argument to words of 8 bytes; return their operands, each with its LLVM type."""
    if value.type is BOOL:
        value = em.convert(value, INT, node)
    return list(zip(value.type.irs, value.ops, strict=True))


def taken(em: Emitter, result: str, out: str) -> Value:
    """Return a number that the numba function has stored as a result."""
    op = em.load(IRS[result], out)
    return em.let_bool(f"icmp ne i64 {op}, 0") if result == "bool" else Value(TYPES[result], (op,))


def taken_array(em: Emitter, made: Native, words: Sequence[str], node: object) -> Value:
    """Return a copy of the array that the numba function has returned, whose memory is then freed."""
    none = em.let(f"icmp eq i64 {words[0]}, 0")
    em.check(none, MemoryError, "no memory for an array", node)
    place = em.let(f"inttoptr i64 {words[0]} to ptr")
    size = em.let(f"mul i64 {words[1]}, 8")
    for extent in words[2:]:
        size = em.let(f"mul i64 {size}, {extent}")
    data = allocate(em, em.let(f"add i64 {size}, 1"), node)
    em.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {data}, ptr {place}, i64 {size}, i1 false)")
    em.emit(f"call void @free(ptr {place})")
    return Value(ArrayOf(made.results[0], made.ndim), (data, *words[1:]))


def error_of(dispatcher: Any) -> tuple[type[BaseException], str]:
    """Return class and message of the exception to raise if a numba function fails.

    The class is that of the exceptions in the function's source if there is only one, else a general one.
    """
    names = exceptions(dispatcher)
    found = getattr(builtins, names.pop(), None) if len(names) == 1 else None
    if isinstance(found, type) and issubclass(found, Exception):
        return found, f"raised in {dispatcher.py_func.__name__}, compiled by numba"
    return RuntimeError, f"an exception in {dispatcher.py_func.__name__}, compiled by numba"
