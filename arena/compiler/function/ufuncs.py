"""Element-wise functions of numpy, whose inner loops are called by address.

So the results are identical to numpy's to the last bit, unlike those of the C library.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.compiler import foreign
from arena.compiler.function.array_values import as_operand, broadcast, cast, kind_of, np_name
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.new_arrays import like
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.types import DTYPES, FLOAT, INT, NUMBERS, UNKNOWN, ArrayOf, Value, join

Operand = tuple[str, int]  # address, and stride in bytes


def call_loop(
    em: Emitter, name: str, operands: Sequence[Operand], sizes: Sequence[str], more: Sequence[str] = ()
) -> None:
    """Write a call of an inner loop of a ufunc.

    Args:
        em: The emitter.
        name: The ufunc and its dtypes, as for `foreign.ufunc_loop`.
        operands: The operands, inputs first.
        sizes: Number of elements, and for `matmul` the extents of the matrices.
        more: For `matmul`, the strides of rows and columns.
    """
    at = 2 * em.unit.need_loop(name)
    steps = [*(str(step) for _, step in operands), *more]
    rooms = [
        words(em, "ptr", [op for op, _ in operands]),
        words(em, "i64", sizes),
        words(em, "i64", steps),
    ]
    parts = [em.let(f"load ptr, ptr getelementptr (i64, ptr @loops, i64 {at + i})") for i in range(2)]
    given = ", ".join(f"ptr {op}" for op in (*rooms, parts[1]))
    em.emit(f"call void {parts[0]}({given})")


def words(em: Emitter, ir: str, ops: Sequence[str]) -> str:
    """Store operands consecutively in the frame, and return the address of the first."""
    place = em.room(ir, len(ops))
    for i, op in enumerate(ops):
        em.store(ir, op, em.let(f"getelementptr {ir}, ptr {place}, i64 {i}"))
    return place


def need_loop(em: Emitter, name: str, node: object) -> None:
    """Raise CannotCompile if the installed numpy has no inner loop of this name."""
    if foreign.ufunc_loop(name) is None:
        em.fail(node, f"np.{name.split()[0]} of {', '.join(name.split()[1:-1])} does not compile")


UNARY: dict[Any, bool] = {  # ufuncs of one argument, and whether they convert ints to floats
    np.exp: True, np.exp2: True, np.expm1: True, np.log: True, np.log2: True, np.log10: True, np.log1p: True,
    np.sqrt: True, np.sin: True, np.cos: True, np.tan: True, np.arctan: True, np.sinh: True, np.cosh: True,
    np.tanh: True, np.absolute: False, np.sign: False, np.square: False, np.floor: False, np.ceil: False,
    np.rint: False,
}  # fmt: skip


@lowers(*UNARY, args=(1, 1))
def lower_unary(em: Emitter, node: ast.Call) -> Value:
    ufunc = expression(em, node.func).const
    value = as_operand(em, expression(em, node.args[0]), node.args[0])
    if value.type is UNKNOWN:
        return value
    kind = FLOAT if UNARY[ufunc] else max(INT, kind_of(em, value, node), key=lambda kind: kind.rank)
    return apply(em, ufunc.__name__, [value], kind, node)


@lowers(np.maximum, np.minimum, np.fmax, np.fmin, args=(2, 2))
def lower_extreme(em: Emitter, node: ast.Call) -> Value:
    name = expression(em, node.func).const.__name__
    values = [as_operand(em, expression(em, part), part) for part in node.args]
    if any(value.type is UNKNOWN for value in values):
        return Value(UNKNOWN)
    one, other = (kind_of(em, value, node) for value in values)
    return apply(em, name, values, join(join(one, other), INT), node)


def apply(em: Emitter, name: str, values: Sequence[Value], kind: Any, node: object) -> Value:
    """Return the result of a ufunc for arrays and numbers, after converting all to one type."""
    dtype = np_name(kind)
    loop = " ".join([name, *[dtype] * (len(values) + 1)])
    need_loop(em, loop, node)
    values = [cast(em, value, dtype, node) for value in values]
    arrays = [value for value in values if isinstance(value.type, ArrayOf)]
    if not arrays:
        return apply_to_numbers(em, loop, values, kind)
    values = broadcast(em, values, node)
    whole = next(value for value in values if isinstance(value.type, ArrayOf))
    made = like(em, whole, dtype, node)
    operands = [operand(em, value) for value in values]
    call_loop(em, loop, [*operands, (made.ops[0], DTYPES[dtype][1])], [size_of(em, whole)])
    return made


def apply_to_numbers(em: Emitter, loop: str, values: Sequence[Value], kind: Any) -> Value:
    place = em.room(kind.irs[0])
    call_loop(em, loop, [*(operand(em, value) for value in values), (place, 8)], ["1"])
    return Value(kind, (em.load(kind.irs[0], place),))


def operand(em: Emitter, value: Value) -> Operand:
    """Return an array, or a number that is stored in memory, as an operand of an inner loop."""
    if isinstance(value.type, ArrayOf):
        return value.ops[0], DTYPES[value.type.dtype][1]
    assert value.type in NUMBERS
    place = em.room(value.type.irs[0])
    em.store(value.type.irs[0], value.op, place)
    return place, 0


def size_of(em: Emitter, array: Value) -> str:
    """Return the number of elements of an array."""
    n = array.ops[1]
    for extent in array.ops[2:]:
        n = em.let(f"mul i64 {n}, {extent}")
    return n


@lowers(np.clip)
@lowers_method(ArrayOf, "clip")
def lower_clip(em: Emitter, *given: Any) -> Value:
    return em.fail(given[-1], "np.clip does not compile; use np.minimum(np.maximum(a, low), high)")
