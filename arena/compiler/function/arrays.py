"""numpy arrays: elements, rows and slices."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from arena.compiler.function.comparisons import truth_of
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.indexing import checked_index, count_loop, slice_bounds
from arena.compiler.function.registry import lowers_method
from arena.compiler.types import BOOL, DTYPES, FLOAT, INT, NUMBERS, UNKNOWN, ArrayOf, Tuple, Value


def element_place(em: Emitter, owner: Value, at: list[Any], node: object) -> tuple[str, Value]:
    """Return the address of an element or row of an array, and the row as an array."""
    kind = owner.type
    assert isinstance(kind, ArrayOf)
    if len(at) > kind.ndim or any(isinstance(x, tuple) for x in at):
        em.fail(node, f"{kind} cannot be indexed in this way in compiled code")
    ir = DTYPES[kind.dtype][0]
    data, shape = owner.ops[0], owner.ops[1:]
    place = "0"
    for i, extent in zip(at, shape, strict=False):
        here = checked_index(em, i, extent, node, "array")
        if place == "0":
            place = here
        else:
            place = em.let(f"add nsw i64 {em.let(f'mul nsw i64 {place}, {extent}')}, {here}")
    for extent in shape[len(at) :]:
        place = em.let(f"mul nsw i64 {place}, {extent}")
    where = em.let(f"getelementptr inbounds {ir}, ptr {data}, i64 {place}")
    return where, Value(replace(kind, ndim=kind.ndim - len(at)), (where, *shape[len(at) :]))


def element(em: Emitter, owner: Value, at: list[object], node: object) -> Value:
    """Return an element or a row of an array."""
    where, row = element_place(em, owner, at, node)
    if row.array.ndim:
        return row
    return load_element(em, owner.array.dtype, where)


def flat_element(em: Emitter, array: Value, i: str) -> Value:
    """Return the element of an array at a flat index, which is not checked."""
    ir = DTYPES[array.array.dtype][0]
    where = em.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {i}")
    return load_element(em, array.array.dtype, where)


def load_element(em: Emitter, dtype: str, where: str) -> Value:
    ir, _, kind, how = DTYPES[dtype]
    em.unit.uses_numpy = True
    loaded = em.let(f"load {ir}, ptr {where}, !tbaa !12")
    if how == "bool":
        return em.let_bool(f"icmp ne i8 {loaded}, 0")
    return Value(kind, (em.let(f"{how} {ir} {loaded} to {kind.irs[0]}") if how else loaded,))


def store_element(em: Emitter, dtype: str, where: str, value: Value, node: object) -> None:
    if value.type is not UNKNOWN:
        op = as_element(em, dtype, value, node)
        em.emit(f"store {DTYPES[dtype][0]} {op}, ptr {where}, !tbaa !12")


def as_element(em: Emitter, dtype: str, value: Value, node: object) -> str:
    """Convert a number to an element of an array of `dtype`.

    Compiled code raises OverflowError for an int that does not fit, as numpy does.
    """
    ir, size, kind, how = DTYPES[dtype]
    value = em.required(value, node)
    if value.type not in NUMBERS or (value.type is FLOAT and kind is not FLOAT):
        em.fail(node, f"an array of {dtype} cannot contain {value.type}")
    if kind is BOOL and value.type is not BOOL:
        value = truth_of(em, value, node)
    op = em.convert(value, kind, node).op
    if how == "bool":
        return em.let(f"zext i1 {op} to i8")
    if how == "fpext":
        return em.let(f"fptrunc double {op} to float")
    if not how:
        return op
    least = -(1 << 8 * size - 1) if how == "sext" else 0
    fits = value.known and least <= value.const < least + (1 << 8 * size)
    if em.bounded and not fits and value.type is INT:
        beyond = em.let(f"icmp uge i64 {em.let(f'sub i64 {op}, {least}')}, {1 << 8 * size}")
        em.check(beyond, OverflowError, f"an int is out of bounds for {dtype}", node)
    return em.let(f"trunc i64 {op} to {ir}")


def array_slice(em: Emitter, array: Value, at: list[Any], node: object) -> Value:
    """Return a slice of an array, which shares the elements of the array."""
    kind = array.type
    assert isinstance(kind, ArrayOf)
    if len(at) != 1:
        em.fail(node, "a slice compiles only as the only index")
    low, n = slice_bounds(em, at[0], array.ops[1], node)
    for extent in array.ops[2:]:
        low = em.let(f"mul i64 {low}, {extent}")
    ir = DTYPES[kind.dtype][0]
    where = em.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {low}")
    return Value(kind, (where, n, *array.ops[2:]))


def fill_array(em: Emitter, array: Value, value: Value, node: object) -> None:
    """Set all elements of an array to a number, or to the elements of a tuple or array of the same shape."""
    kind = array.type
    assert isinstance(kind, ArrayOf)
    check_writable(em, array, node)
    ir, size, _, _ = DTYPES[kind.dtype]
    if isinstance(value.type, ArrayOf):
        if replace(value.type, fixed=False) != kind:
            em.fail(node, f"{kind} cannot be set to {value.type}")
        for one, other in zip(array.ops[1:], value.ops[1:], strict=True):
            same_length(em, one, other, node)
        n = em.let(f"mul i64 {size_of_array(em, array)}, {size}")
        places = f"ptr {array.ops[0]}, ptr {value.ops[0]}"
        em.emit(f"call void @llvm.memmove.p0.p0.i64({places}, i64 {n}, i1 false)")
        return
    value = em.materialize(value)
    if isinstance(value.type, Tuple) and kind.ndim == 1 and len(value.type.items) == 1:
        (value,) = em.items_of(value)
    if isinstance(value.type, Tuple) and kind.ndim == 1:
        same_length(em, array.ops[1], str(len(value.type.items)), node)
        for i, item in enumerate(em.items_of(value)):
            where = em.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {i}")
            store_element(em, kind.dtype, where, item, node)
        return
    if value.type is UNKNOWN:
        return
    op = as_element(em, kind.dtype, value, node)

    def put(i: Value) -> None:
        where = em.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {i.op}")
        em.emit(f"store {ir} {op}, ptr {where}, !tbaa !12")

    count_loop(em, em.constant(0), Value(INT, (size_of_array(em, array),)), put)


def array_attribute(em: Emitter, array: Value, name: str, node: object) -> Value:
    """Return an attribute of an array, such as its shape."""
    shape = [em.constant(int(op)) if op.isdigit() else Value(INT, (op,)) for op in array.ops[1:]]
    if name == "shape":
        return em.tuple_of(shape)
    if name == "size":
        return shape[0] if len(shape) == 1 else Value(INT, (size_of_array(em, array),))
    if name == "ndim":
        return em.constant(array.array.ndim)
    return em.fail(node, f"{array.type} has no {name} in compiled code")


@lowers_method(ArrayOf, "fill", args=(1, 1))
def array_fill(em: Emitter, owner: Value, node: ast.Call) -> Value:
    fill_array(em, owner, expression(em, node.args[0]), node)
    return em.constant(None)


def check_writable(em: Emitter, array: Value, node: object) -> None:
    if array.array.fixed:
        em.fail(node, "an array that is read-only, or belongs to a module or the game, cannot be changed")


def same_length(em: Emitter, one: str, other: str, node: object) -> None:
    if em.bounded:
        em.check(em.let(f"icmp ne i64 {one}, {other}"), ValueError, "arrays of different lengths", node)


def size_of_array(em: Emitter, array: Value) -> str:
    """Return the number of elements of an array."""
    n = array.ops[1]
    for extent in array.ops[2:]:
        n = em.let(f"mul i64 {n}, {extent}")
    return n
