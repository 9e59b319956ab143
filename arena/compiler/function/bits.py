"""Functions of bits."""

from __future__ import annotations

import ast

from arena.api import bits
from arena.compiler.function.arguments import int_arguments
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.types import BOOL, INT, Value


@lowers_method(INT, "bit_count", args=(0, 0))
@lowers_method(BOOL, "bit_count", args=(0, 0))
def int_bit_count(em: Emitter, owner: Value, node: ast.Call) -> Value:
    size = magnitude(em, em.convert(owner, INT, node).op)
    return em.let_int(f"call i64 @llvm.ctpop.i64(i64 {size})")


@lowers_method(INT, "bit_length", args=(0, 0))
@lowers_method(BOOL, "bit_length", args=(0, 0))
def int_bit_length(em: Emitter, owner: Value, node: ast.Call) -> Value:
    size = magnitude(em, em.convert(owner, INT, node).op)
    zeros = em.let(f"call i64 @llvm.ctlz.i64(i64 {size}, i1 false)")
    return em.let_int(f"sub i64 64, {zeros}")


def magnitude(em: Emitter, op: str) -> str:
    """The absolute value of an int."""
    return em.let(f"call i64 @llvm.abs.i64(i64 {op}, i1 false)")


@lowers(bits.popcount, args=(1, 1))
def lower_popcount(em: Emitter, node: ast.Call) -> Value:
    return em.let_int(f"call i64 @llvm.ctpop.i64(i64 {int_arguments(em, node)[0].op})")


@lowers(bits.lowest, args=(1, 1))
def lower_lowest(em: Emitter, node: ast.Call) -> Value:
    return em.let_int(f"call i64 @llvm.cttz.i64(i64 {int_arguments(em, node)[0].op}, i1 true)")
