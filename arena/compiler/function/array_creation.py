"""Creation of arrays in compiled code: zeros, ranges, arrays from lists, copies."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from arena.compiler.function.array_values import as_array, as_kind, cast, flat, np_name, put_element
from arena.compiler.function.arrays import size_of_array
from arena.compiler.function.dispatch import call_arguments, expression, int_argument
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.lists import gather
from arena.compiler.function.new_arrays import extent_of, new_array
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.function.traversal import iterate_value
from arena.compiler.types import DTYPES, INT, NUMBERS, UNKNOWN, ArrayOf, Tuple, Value


def options(em: Emitter, node: ast.Call, *names: str) -> dict[str, ast.expr]:
    """Return the nodes of a call's arguments by name; `names` are the names of positional parameters."""
    args, named = call_arguments(em, node)
    given = dict(zip(names, args, strict=False)) | named
    if odd := given.keys() - {*names}:
        em.fail(node, f"{ast.unparse(node.func)} takes no {min(odd)}= in compiled code")
    if len(args) + len(named) > len(given):
        em.fail(node, f"{ast.unparse(node.func)} has two values for {' or '.join(names)}")
    return given


def dtype_of(em: Emitter, node: ast.expr | None, default: str = "float64") -> str:
    """Return numpy's name for the dtype that an argument specifies."""
    if node is None:
        return default
    value = expression(em, node)
    if not value.known or value.const is None:
        em.fail(node, "in compiled code, a dtype must be a constant such as int, float or np.int64")
    try:
        name = str(np.dtype(value.const).name)
    except TypeError as error:
        em.fail(node, str(error))
    if name not in DTYPES:
        em.fail(node, f"compiled code cannot create arrays of {name}, only of int64, float64 and bool")
    return name


def shape_of(em: Emitter, node: ast.expr) -> list[Value]:
    """Compile an argument that is a shape, an int or a tuple of ints, and return the extents."""
    value = em.materialize(expression(em, node))
    items = em.items_of(value) if isinstance(value.type, Tuple) else [value]
    for item in items:
        if item.type not in (INT, UNKNOWN):
            em.fail(node, f"a shape must be an int or a tuple of ints, not {item.type}")
    return [em.convert(item, INT, node) for item in items]


def filled(em: Emitter, dtype: str, shape: list[Value], value: Value, node: object) -> Value:
    """Return a new array with equal elements."""
    made = new_array(em, dtype, shape, node)
    if value.known and not value.const and str(value.const) != "-0.0":
        size = em.let(f"mul i64 {size_of_array(em, made)}, {DTYPES[dtype][1]}")
        em.emit(f"call void @llvm.memset.p0.i64(ptr {made.ops[0]}, i8 0, i64 {size}, i1 false)")
        return made
    value = as_kind(em, value, DTYPES[dtype][2], node)
    row = flat(em, made)
    count_loop(em, em.constant(0), row.length, lambda i: put_element(em, row, i, value, node))
    return made


@lowers(np.zeros, np.ones, args=(1, 2), keywords=True)
def lower_zeros(em: Emitter, node: ast.Call) -> Value:
    given = options(em, node, "shape", "dtype")
    value = em.constant(int(expression(em, node.func).const is np.ones))
    return filled(em, dtype_of(em, given.get("dtype")), shape_of(em, given["shape"]), value, node)


@lowers(np.empty, np.empty_like)
def lower_empty(em: Emitter, node: ast.Call) -> Value:
    return em.fail(node, "np.empty does not compile, since its elements are undefined; use np.zeros")


@lowers(np.zeros_like, np.ones_like, args=(1, 2), keywords=True)
def lower_zeros_like(em: Emitter, node: ast.Call) -> Value:
    given = options(em, node, "a", "dtype")
    array = expression(em, given["a"])
    if not isinstance(array.type, ArrayOf):
        return array if array.type is UNKNOWN else em.fail(node, f"{array.type} has no shape")
    value = em.constant(int(expression(em, node.func).const is np.ones_like))
    shape = [extent_of(em, op) for op in array.ops[1:]]
    return filled(em, dtype_of(em, given.get("dtype"), array.array.dtype), shape, value, node)


@lowers(np.full, args=(1, 3), keywords=True)
def lower_full(em: Emitter, node: ast.Call) -> Value:
    given = options(em, node, "shape", "fill_value", "dtype")
    shape, value = shape_of(em, given["shape"]), expression(em, given["fill_value"])
    if value.type not in NUMBERS:
        return (
            value
            if value.type is UNKNOWN
            else em.fail(node, f"np.full compiles only for a number, not {value.type}")
        )
    return filled(em, dtype_of(em, given.get("dtype"), np_name(value.type)), shape, value, node)


@lowers(np.arange, args=(1, 4), keywords=True)
def lower_arange(em: Emitter, node: ast.Call) -> Value:
    given = options(em, node, "start", "stop", "step", "dtype")
    dtype = dtype_of(em, given.pop("dtype", None), "int64")
    bounds = [int_argument(em, given[name]) for name in ("start", "stop", "step") if name in given]
    start, stop = (em.constant(0), bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = bounds[2] if len(bounds) > 2 else em.constant(1)
    if not step.known or step.const == 0:
        em.fail(node, "in compiled code, the step of np.arange must be a constant other than 0")
    span = em.let(f"sub i64 {stop.op}, {start.op}")
    size, sign = abs(step.const), 1 if step.const > 0 else -1
    span = span if sign > 0 else em.let(f"sub i64 0, {span}")
    up = em.let(f"sdiv i64 {em.let(f'add i64 {span}, {size - 1}')}, {size}")
    made = new_array(em, dtype, [em.let_int(f"call i64 @llvm.smax.i64(i64 {up}, i64 0)")], node)

    def put(i: Value) -> None:
        far = em.let(f"mul i64 {i.op}, {step.const}")
        put_element(em, made, i, em.let_int(f"add i64 {start.op}, {far}"), node)

    count_loop(em, em.constant(0), made.length, put)
    return made


@lowers(np.array, np.asarray, args=(1, 2), keywords=True)
def lower_array(em: Emitter, node: ast.Call) -> Value:
    given = options(em, node, "object", "dtype")
    inner = given["object"]
    if isinstance(inner, ast.List) and inner.elts:  # a list that nothing else refers to
        inner = ast.copy_location(ast.Tuple(list(inner.elts), ast.Load()), inner)
        inner.elts = [
            ast.copy_location(ast.Tuple(part.elts, ast.Load()), part) if isinstance(part, ast.List) else part
            for part in inner.elts
        ]
    dtype = dtype_of(em, given.get("dtype"), "")
    if isinstance(inner, ast.List):
        return filled(em, dtype or "float64", [em.constant(0)], em.constant(0), node)
    value = expression(em, inner)
    if isinstance(value.type, ArrayOf) and expression(em, node.func).const is np.asarray:
        return cast(em, value, dtype or value.type.dtype, node)
    return value if value.type is UNKNOWN else as_array(em, value, node, dtype)


@lowers(np.int64, np.float64, np.bool_, args=(1, 1))
def lower_number(em: Emitter, node: ast.Call) -> Value:
    value, dtype = expression(em, node.args[0]), dtype_of(em, node.func)
    if value.type not in NUMBERS:
        return value if value.type is UNKNOWN else em.fail(node, f"np.{dtype} compiles only for a number")
    return as_kind(em, value, DTYPES[dtype][2], node)


@lowers(np.copy, args=(1, 1))
def lower_copy(em: Emitter, node: ast.Call) -> Value:
    value = expression(em, node.args[0])
    return value if value.type is UNKNOWN else as_array(em, value, node)


@lowers_method(ArrayOf, "copy", args=(0, 0))
def array_copy(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return cast(em, owner, owner.array.dtype, node, copy=True)


@lowers_method(ArrayOf, "astype", args=(1, 1))
def array_astype(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return cast(em, owner, dtype_of(em, node.args[0]), node, copy=True)


@lowers_method(ArrayOf, "ravel", args=(0, 0))
def array_ravel(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return flat(em, owner)


@lowers_method(ArrayOf, "flatten", args=(0, 0))
def array_flatten(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return flat(em, array_copy(em, owner, node))


@lowers_method(ArrayOf, "reshape")
def array_reshape(em: Emitter, owner: Value, node: ast.Call) -> Value:
    shape = [part for arg in node.args for part in shape_of(em, arg)]
    return reshaped(em, owner, shape, node)


@lowers(np.reshape, args=(2, 2))
def lower_reshape(em: Emitter, node: ast.Call) -> Value:
    owner = expression(em, node.args[0])
    if not isinstance(owner.type, ArrayOf):
        return owner if owner.type is UNKNOWN else em.fail(node, f"{owner.type} cannot be reshaped")
    return reshaped(em, owner, shape_of(em, node.args[1]), node)


def reshaped(em: Emitter, array: Value, shape: list[Value], node: Any) -> Value:
    """Return an array with the same elements in another shape; an extent of -1 is inferred."""
    unknown = [i for i, extent in enumerate(shape) if extent.known and extent.const == -1]
    if not shape or len(unknown) > 1:
        em.fail(node, "reshape takes the new extents; only one of them may be -1")
    whole, n = size_of_array(em, array), "1"
    for i, extent in enumerate(shape):
        if i not in unknown:
            n = extent.op if n == "1" else em.let(f"mul i64 {n}, {extent.op}")
    ops = [extent.op for extent in shape]
    text = "cannot reshape an array into a shape of another size"
    if unknown:
        none = em.let(f"icmp eq i64 {n}, 0")
        em.check(none, ValueError, text, node)
        ops[unknown[0]] = em.let(f"sdiv i64 {whole}, {n}")
        n = em.let(f"mul i64 {n}, {ops[unknown[0]]}")
    em.check(em.let(f"icmp ne i64 {n}, {whole}"), ValueError, text, node)
    kind = ArrayOf(array.array.dtype, len(shape), array.array.fixed)
    return Value(kind, (array.ops[0], *ops))


@lowers_method(ArrayOf, "tolist", args=(0, 0))
def array_tolist(em: Emitter, owner: Value, node: ast.Call) -> Value:
    if owner.array.ndim > 1:
        em.fail(node, "tolist compiles only for arrays of one dimension")
    return gather(em, node, lambda each: iterate_value(em, owner, each, node))
