"""Numeric functions: builtins, `math`, and methods of ints."""

from __future__ import annotations

import ast
import math

from arena.compiler.errors import BEYOND
from arena.compiler.function.arithmetic import binary, is_odd, libm
from arena.compiler.function.comparisons import ZERO, negated, truth_of
from arena.compiler.function.dispatch import expression, float_arguments
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.numerals import digit_of
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.types import BOOL, FLOAT, INT, NUMBERS, UNKNOWN, Scalar, Text, Value, literal

DIGITS = Scalar("the binary digits of an int", ("i64",))


@lowers(math.exp, math.expm1, math.log, math.log2, math.log10, math.log1p, args=(1, 1))
@lowers(math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, args=(1, 1))
@lowers(math.sinh, math.cosh, math.tanh, args=(1, 1))
@lowers(math.atan2, math.pow, args=(2, 2))
def lower_libm(em: Emitter, node: ast.Call) -> Value:
    return libm(em, expression(em, node.func).const.__name__, float_arguments(em, node), node)


@lowers(math.nextafter, args=(2, 2))
def lower_nextafter(em: Emitter, node: ast.Call) -> Value:
    x, y = float_arguments(em, node)
    em.unit.need_libm("nextafter", 2)
    return em.let_float(f"call double @nextafter(double {x.op}, double {y.op}) nobuiltin")


@lowers(math.floor, args=(1, 1))
def lower_floor(em: Emitter, node: ast.Call) -> Value:
    return rounded(em, node, "floor")


@lowers(math.ceil, args=(1, 1))
def lower_ceil(em: Emitter, node: ast.Call) -> Value:
    return rounded(em, node, "ceil")


@lowers(round, args=(1, 1))
def lower_round(em: Emitter, node: ast.Call) -> Value:
    return rounded(em, node, "roundeven")


def rounded(em: Emitter, node: ast.Call, name: str) -> Value:
    """Return a call's argument as an int, rounded by an LLVM intrinsic."""
    value = expression(em, node.args[0])
    if value.type is FLOAT:
        return to_int(em, em.let(f"call double @llvm.{name}.f64(double {value.op})"), node)
    return em.convert(value, INT, node)


def to_int(em: Emitter, op: str, node: object) -> Value:
    """Convert a float to an int, rounded towards 0."""
    nan = em.let(f"fcmp uno double {op}, {op}")
    em.check(nan, ValueError, "cannot convert float NaN to integer", node)
    size = em.intrinsic("fabs.f64", op)
    beyond = em.let(f"fcmp oge double {size}, 0x43E0000000000000")
    em.check(beyond, OverflowError, "a float is beyond the 64 bits of an int", node)
    return em.let_int(f"fptosi double {op} to i64")


@lowers(int, math.trunc, args=(1, 1))
def lower_int(em: Emitter, node: ast.Call) -> Value:
    value = em.required(expression(em, node.args[0]), node)
    if value.type is FLOAT:
        return to_int(em, value.op, node)
    if isinstance(value.const, str | bytes) or isinstance(value.type, Text):
        return digits(em, value, node)
    if value.type not in (*NUMBERS, UNKNOWN):
        em.fail(node, f"int of {value.type} does not compile")
    return em.convert(value, INT, node)


def digits(em: Emitter, text: Value, node: ast.Call) -> Value:
    """Return a text as an int, which compiles for constants and for a single character."""
    if text.known:
        try:
            return em.constant(int(text.const), node)
        except ValueError as error:
            em.fail(node, str(error))
    if text.type != Text(1) or ast.unparse(node.func) != "int":
        em.fail(node, f"int of {text.type} does not compile, only of a single character")
    return digit_of(em, text, node)


@lowers(float, args=(1, 1))
def lower_float(em: Emitter, node: ast.Call) -> Value:
    if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
        return em.constant(float(node.args[0].value))
    return float_arguments(em, node)[0]


@lowers(bool, args=(1, 1))
def lower_bool(em: Emitter, node: ast.Call) -> Value:
    return truth_of(em, expression(em, node.args[0]), node)


@lowers(math.sqrt, args=(1, 1))
def lower_sqrt(em: Emitter, node: ast.Call) -> Value:
    (x,) = float_arguments(em, node)
    em.check(em.let(f"fcmp olt double {x.op}, {ZERO}"), ValueError, "math domain error", node)
    return em.let_float(f"call double @llvm.sqrt.f64(double {x.op})")


@lowers(math.fabs, args=(1, 1))
def lower_fabs(em: Emitter, node: ast.Call) -> Value:
    (x,) = float_arguments(em, node)
    return em.let_float(f"call double @llvm.fabs.f64(double {x.op})")


@lowers(abs, args=(1, 1))
def lower_abs(em: Emitter, node: ast.Call) -> Value:
    value = em.required(expression(em, node.args[0]), node)
    if value.type is FLOAT:
        return em.let_float(f"call double @llvm.fabs.f64(double {value.op})")
    if value.type is UNKNOWN:
        return value
    if value.type not in NUMBERS:
        em.fail(node, f"{value.type} has no abs in compiled code")
    op = em.convert(value, INT, node).op
    em.note_overflow("sub", "0", op, node)
    if em.unit.checked:
        least = em.let(f"icmp eq i64 {op}, {-(2**63)}")
        em.check(least, OverflowError, BEYOND, node)
    return Value(INT, (magnitude(em, op),))


@lowers(math.degrees, args=(1, 1))
def lower_degrees(em: Emitter, node: ast.Call) -> Value:
    (x,) = float_arguments(em, node)
    return em.let_float(f"fmul double {x.op}, {literal(180 / math.pi)}")


@lowers(math.radians, args=(1, 1))
def lower_radians(em: Emitter, node: ast.Call) -> Value:
    (x,) = float_arguments(em, node)
    return em.let_float(f"fmul double {x.op}, {literal(math.pi / 180)}")


@lowers(math.isnan, args=(1, 1))
def lower_isnan(em: Emitter, node: ast.Call) -> Value:
    (x,) = float_arguments(em, node)
    return em.let_bool(f"fcmp uno double {x.op}, {x.op}")


@lowers(math.isinf, args=(1, 1))
def lower_isinf(em: Emitter, node: ast.Call) -> Value:
    (x,) = float_arguments(em, node)
    size = em.intrinsic("fabs.f64", x.op)
    return em.let_bool(f"fcmp oeq double {size}, 0x7FF0000000000000")


@lowers(math.isfinite, args=(1, 1))
def lower_isfinite(em: Emitter, node: ast.Call) -> Value:
    (x,) = float_arguments(em, node)
    return negated(em, Value(BOOL, (is_odd(em, x.op),)))


@lowers(math.copysign, args=(2, 2))
def lower_copysign(em: Emitter, node: ast.Call) -> Value:
    x, y = float_arguments(em, node)
    return em.let_float(f"call double @llvm.copysign.f64(double {x.op}, double {y.op})")


@lowers(divmod, args=(2, 2))
def lower_divmod(em: Emitter, node: ast.Call) -> Value:
    left, right = (expression(em, part) for part in node.args)
    return em.tuple_of([binary(em, op, left, right, node) for op in (ast.FloorDiv(), ast.Mod())])


@lowers(pow, args=(2, 2))
def lower_pow(em: Emitter, node: ast.Call) -> Value:
    left, right = (expression(em, part) for part in node.args)
    return binary(em, ast.Pow(), left, right, node)


@lowers_method(INT, "bit_count", args=(0, 0))
@lowers_method(BOOL, "bit_count", args=(0, 0))
def int_bit_count(em: Emitter, owner: Value, node: ast.Call) -> Value:
    size = magnitude(em, em.convert(owner, INT, node).op)
    return em.let_int(f"call i64 @llvm.ctpop.i64(i64 {size})")


@lowers(bin, args=(1, 1))
def lower_bin(em: Emitter, node: ast.Call) -> Value:
    value = em.required(expression(em, node.args[0]), node)
    if value.type is UNKNOWN:
        return value
    if value.type not in (INT, BOOL):
        em.fail(node, f"bin of {value.type} does not compile")
    return Value(DIGITS, em.convert(value, INT, node).ops)


@lowers_method(DIGITS, "count", args=(1, 1))
def digits_count(em: Emitter, owner: Value, node: ast.Call) -> Value:
    if expression(em, node.args[0]).const != "1":
        em.fail(node, "bin(…) compiles only with .count('1')")
    return em.let_int(f"call i64 @llvm.ctpop.i64(i64 {magnitude(em, owner.op)})")


@lowers_method(INT, "bit_length", args=(0, 0))
@lowers_method(BOOL, "bit_length", args=(0, 0))
def int_bit_length(em: Emitter, owner: Value, node: ast.Call) -> Value:
    size = magnitude(em, em.convert(owner, INT, node).op)
    zeros = em.let(f"call i64 @llvm.ctlz.i64(i64 {size}, i1 false)")
    return em.let_int(f"sub i64 64, {zeros}")


def magnitude(em: Emitter, op: str) -> str:
    """Return the absolute value of an int."""
    return em.let(f"call i64 @llvm.abs.i64(i64 {op}, i1 false)")
