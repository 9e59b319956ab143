"""Operators on numbers, and `+` and `*` on tuples and lists."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from arena.compiler.errors import BEYOND, told
from arena.compiler.function.comparisons import PYTHON, ZERO, negated, truth_of
from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.list_methods import joined, joined_kind, repeated
from arena.compiler.function.registry import lowers_node, operator_lowering
from arena.compiler.types import (
    BOOL,
    FLOAT,
    INT,
    NUMBERS,
    UNKNOWN,
    BytearrayOf,
    Known,
    ListOf,
    Tuple,
    Value,
    literal,
    text_class,
)

BY_ZERO = {
    (kind, cls): told(PYTHON[kind], cls(), cls())
    for kind in (ast.Div, ast.FloorDiv, ast.Mod)
    for cls in (int, float)
}
MOST_ITEMS = 64  # of a tuple that is repeated
SIGNED: dict[type[ast.unaryop], Callable[[Any], object]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip
RING = ast.Add, ast.Sub, ast.Mult, ast.LShift, ast.BitXor, ast.BitOr  # low bits depend only on low bits
BITS = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
WHOLE = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
FRACTIONS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul"}


@lowers_node(ast.BinOp)
def lower_bin_op(em: Emitter, node: ast.BinOp) -> Value:
    if modular := masks(em, node):
        left = operand(em, node.left, modular)
        right = operand(em, node.right, modular and not isinstance(node.op, ast.LShift))
        with em.wrapping(type(node.op) in RING):
            return binary(em, node.op, left, right, node)
    return binary(em, node.op, expression(em, node.left), expression(em, node.right), node)


def masks(em: Emitter, node: ast.BinOp) -> bool:
    """Return whether higher bits of an operation's operands are irrelevant, as in `(a * b + c) & MASK`."""
    return em.wraps if type(node.op) in RING else isinstance(node.op, ast.BitAnd)


def operand(em: Emitter, node: ast.expr, modular: bool) -> Value:
    """Compile an operand; if `modular` is set, its higher bits are irrelevant."""
    with em.wrapping(modular and isinstance(node, ast.BinOp) and type(node.op) in RING):
        return expression(em, node)


def binary(em: Emitter, op: ast.operator, left: Value, right: Value, node: object) -> Value:
    """Return the result of an operator on two values."""
    if UNKNOWN in (left.type, right.type):
        return Value(UNKNOWN)
    if combined := operator_lowering(left.type, right.type):
        made: Value = combined(em, op, left, right, node)
        return made
    if left.known and right.known and not isinstance(op, ast.MatMult):
        if too_large(op, left.const, right.const):
            em.fail(node, "a constant this large does not compile")
        try:
            const = PYTHON[type(op)](left.const, right.const)
            if isinstance(const, int) and not -(2**63) <= const < 2**63:  # may become smaller later
                return Value(Known(const), (), const)
            return em.constant(const, node)
        except (TypeError, ValueError) as error:
            em.fail(node, str(error))
        except (ArithmeticError, MemoryError):
            pass
    if isinstance(op, ast.Add) and all(
        isinstance(x.type, Tuple | Known) and not text_class(x.type) for x in (left, right)
    ):
        return em.tuple_of([*em.items_of(left), *em.items_of(right)])
    if isinstance(op, ast.Add) and (kind := joined_kind(left, right)):
        return joined(em, left, right, kind, node)
    if isinstance(op, ast.Mult) and (copies := copied_tuple(em, left, right, node)):
        return copies
    if isinstance(op, ast.Mult) and isinstance(left.type, ListOf) and not isinstance(left.type, BytearrayOf):
        return repeated(em, left, right, node)
    for value in (left, right):
        if isinstance(value.type, Known) and isinstance(value.const, int):
            em.fail(node, f"{value.const} is too large: an int has 64 bits")
    left, right = em.required(left, node), em.required(right, node)
    if left.type not in NUMBERS or right.type not in NUMBERS:
        em.fail(node, f"{left.type} and {right.type} cannot be combined by this operator in compiled code")
    if type(op) in BITS and left.type is BOOL and right.type is BOOL:
        return em.let_bool(f"{BITS[type(op)]} i1 {left.op}, {right.op}")
    kinds = left.type, right.type
    if FLOAT in kinds or isinstance(op, ast.Div):
        return float_operation(
            em, op, em.convert(left, FLOAT, node), em.convert(right, FLOAT, node), node, kinds
        )
    return int_operation(em, op, em.convert(left, INT, node), em.convert(right, INT, node), node)


def copied_tuple(em: Emitter, left: Value, right: Value, node: object) -> Value | None:
    """Return a tuple times a constant int; None for other operands."""
    if isinstance(right.type, Tuple):
        left, right = right, left
    if not isinstance(left.type, Tuple) or right.type is not INT or not right.known:
        return None
    items = em.items_of(left)
    if len(items) * right.const > MOST_ITEMS:
        em.fail(node, f"a tuple of {len(items) * right.const} items is too long for compiled code")
    return em.tuple_of(items * right.const)


@lowers_node(ast.UnaryOp)
def lower_unary_op(em: Emitter, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return negated(em, truth_of(em, expression(em, node.operand), node))
    negative = isinstance(node.op, ast.USub)
    if negative and isinstance(node.operand, ast.Constant) and node.operand.value == 1 << 63:
        return em.constant(-(1 << 63))
    value = em.required(expression(em, node.operand), node)
    if value.type is UNKNOWN:
        return value
    if combined := operator_lowering(value.type):
        made: Value = combined(em, node.op, value, None, node)
        return made
    if value.known and (value.type in NUMBERS or isinstance(value.const, int)):
        return em.constant(SIGNED[type(node.op)](value.const), node)
    if value.type not in NUMBERS or (isinstance(node.op, ast.Invert) and value.type is FLOAT):
        em.fail(node, f"{value.type} does not support this operator in compiled code")
    if value.type is FLOAT:
        return em.let_float(f"fneg double {value.op}") if negative else value
    value = em.convert(value, INT, node)
    if negative:
        return int_operation(em, ast.Sub(), em.constant(0), value, node)
    if isinstance(node.op, ast.Invert):
        return em.let_int(f"xor i64 {value.op}, -1")
    return value


def int_operation(em: Emitter, op: ast.operator, left: Value, right: Value, node: object) -> Value:
    """Return the result of an operator on two ints."""
    kind, a, b = type(op), left.op, right.op
    if kind in WHOLE:
        if not em.unit.checked or em.wraps:
            em.note_overflow(WHOLE[kind], a, b, node)
            return em.let_int(f"{WHOLE[kind]} i64 {a}, {b}")
        pair = em.let(f"call {{ i64, i1 }} @llvm.s{WHOLE[kind]}.with.overflow.i64(i64 {a}, i64 {b})")
        em.check(em.let(f"extractvalue {{ i64, i1 }} {pair}, 1"), OverflowError, BEYOND, node)
        return em.let_int(f"extractvalue {{ i64, i1 }} {pair}, 0")
    if kind in BITS:
        return em.let_int(f"{BITS[kind]} i64 {a}, {b}")
    if kind is ast.LShift and right.known and right.const > 63 and not em.unit.checked:
        em.note_overflow("shl", a, b, node)
        return em.constant(0)
    if kind is ast.LShift:
        return shifted_left(em, left, right, node)
    if kind is ast.RShift:
        if not (right.known and 0 <= right.const < 64):
            if em.bounded:
                em.check(em.let(f"icmp slt i64 {b}, 0"), ValueError, "negative shift count", node)
            b = em.intrinsic("umin.i64", b, "63")
        return em.let_int(f"ashr i64 {a}, {b}")
    if kind in (ast.FloorDiv, ast.Mod):
        return floor_division(em, kind is ast.Mod, left, right, node)
    if kind is ast.Pow:
        return power(em, left, right, node)
    return em.fail(node, "this operator does not compile")


def shifted_left(em: Emitter, left: Value, right: Value, node: Any) -> Value:
    a, b = left.op, right.op
    if not (right.known and 0 <= right.const < 64):
        if em.bounded:
            em.check(em.let(f"icmp slt i64 {b}, 0"), ValueError, "negative shift count", node)
        b = em.let(f"and i64 {b}, 63")
    made = em.let(f"shl i64 {a}, {b}")
    em.note_overflow("shl", a, right.op, node)
    if em.unit.checked:
        back = em.let(f"ashr i64 {made}, {b}")
        lost = "false" if em.wraps else em.let(f"icmp ne i64 {back}, {a}")
        if not right.known:
            far = em.let(f"icmp ugt i64 {right.op}, 63")
            some = em.let(f"icmp ne i64 {a}, 0")
            lost = em.let(f"or i1 {lost}, {em.let(f'and i1 {far}, {some}')}")
        em.check(lost, OverflowError, BEYOND, node)
    return Value(INT, (made,))


def floor_division(em: Emitter, rest: bool, left: Value, right: Value, node: Any) -> Value:
    """Return the quotient, rounded down as in Python, or, if `rest` is set, the remainder."""
    a, b = left.op, right.op
    if right.known and right.const > 0:
        if right.const & (right.const - 1) == 0:
            shift = right.const.bit_length() - 1
            return em.let_int(f"and i64 {a}, {right.const - 1}" if rest else f"ashr i64 {a}, {shift}")
    elif not right.known or right.const == 0:
        text = BY_ZERO[ast.Mod if rest else ast.FloorDiv, int]
        em.check(em.let(f"icmp eq i64 {b}, 0"), ZeroDivisionError, text, node)
    one = em.let(f"icmp eq i64 {b}, -1")  # the smallest int cannot be divided by -1
    safe = em.let(f"select i1 {one}, i64 1, i64 {b}")
    remainder = em.let(f"srem i64 {a}, {safe}")
    uneven = em.let(f"icmp ne i64 {remainder}, 0")
    differ = em.let(f"icmp slt i64 {em.let(f'xor i64 {remainder}, {safe}')}, 0")
    down = em.let(f"and i1 {uneven}, {differ}")
    if rest:
        up = em.let(f"add i64 {remainder}, {safe}")
        return em.let_int(f"select i1 {down}, i64 {up}, i64 {remainder}")
    quotient = em.let(f"sdiv i64 {a}, {safe}")
    lower = em.let(f"sub i64 {quotient}, {em.let(f'zext i1 {down} to i64')}")
    opposite = em.let(f"sub i64 0, {a}")
    em.note_overflow("sdiv", a, b, node)
    if em.unit.checked:
        least = em.let(f"icmp eq i64 {a}, {-(2**63)}")
        over = em.let(f"and i1 {least}, {one}")
        em.check(over, OverflowError, BEYOND, node)
    return em.let_int(f"select i1 {one}, i64 {opposite}, i64 {lower}")


def power(em: Emitter, left: Value, right: Value, node: Any) -> Value:
    """Return an int raised to an int power; constant powers are multiplied out."""
    if not right.known:
        return variable_power(em, left, right, node)
    if not 0 <= right.const <= 64:
        em.fail(node, "an int to a constant power compiles only for powers from 0 to 64")
    made, square, n = em.constant(1), left, right.const
    while n:
        if n & 1:
            made = binary(em, ast.Mult(), made, square, node)
        n >>= 1
        if n:
            square = binary(em, ast.Mult(), square, square, node)
    return made


def variable_power(em: Emitter, left: Value, right: Value, node: object) -> Value:
    """Return an int raised to a power that is unknown at compile time.

    For a negative power, Python returns a float, but compiled code raises ValueError.
    """
    text = "an int to a negative power is a float in plain Python"
    negative = em.let(f"icmp slt i64 {right.op}, 0")
    em.check(negative, ValueError, text, node)
    made, square, rest = em.room("i64"), em.room("i64"), em.room("i64")
    for place, op in ((made, "1"), (square, left.op), (rest, right.op)):
        em.store("i64", op, place)
    head, body, odd, even, more, end = (
        em.label(hint) for hint in ("power", "bit", "odd", "even", "more", "end")
    )
    em.start(head)
    em.branch(em.let(f"icmp eq i64 {em.load('i64', rest)}, 0"), end, body)
    em.start(body)
    n = em.load("i64", rest)
    em.branch(em.let(f"icmp eq i64 {em.let(f'and i64 {n}, 1')}, 0"), even, odd)
    em.start(odd)
    product = binary(
        em, ast.Mult(), em.let_int(f"load i64, ptr {made}"), em.let_int(f"load i64, ptr {square}"), node
    )
    em.store("i64", product.op, made)
    em.start(even)
    left_over = em.let(f"lshr i64 {n}, 1")
    em.store("i64", left_over, rest)
    em.branch(em.let(f"icmp eq i64 {left_over}, 0"), end, more)
    em.start(more)
    root = em.let_int(f"load i64, ptr {square}")
    em.store("i64", binary(em, ast.Mult(), root, root, node).op, square)
    em.goto(head)
    em.start(end)
    return em.let_int(f"load i64, ptr {made}")


def float_operation(em: Emitter, op: ast.operator, left: Value, right: Value, node: Any, kinds: Any) -> Value:
    """Return the result of an operator on two floats; `kinds` are their types before conversion."""
    kind, a, b = type(op), left.op, right.op
    if kind in FRACTIONS:
        return em.let_float(f"{FRACTIONS[kind]} double {a}, {b}")
    if kind in (ast.Div, ast.FloorDiv, ast.Mod):
        if not right.known or right.const == 0:
            text = BY_ZERO[kind, float if FLOAT in kinds else int]
            em.check(em.let(f"fcmp oeq double {b}, {ZERO}"), ZeroDivisionError, text, node)
        if kind is ast.Div:
            return em.let_float(f"fdiv double {a}, {b}")
        name = "mod" if kind is ast.Mod else "floordiv"
        em.unit.need_helper(name)
        return em.let_float(f"call double @arena.{name}(double {a}, double {b})")
    if kind is ast.Pow:
        return float_power(em, left, right, node)
    return em.fail(node, "this operator does not compile for floats")


def float_power(em: Emitter, left: Value, right: Value, node: object) -> Value:
    """Return a float raised to a power, as `**` does."""
    negative = em.let(f"fcmp olt double {right.op}, {ZERO}")
    finite = em.let(f"fcmp one double {right.op}, {literal(-math.inf)}")
    pole = em.let(f"and i1 {negative}, {finite}")
    pole = em.let(f"and i1 {pole}, {em.let(f'fcmp oeq double {left.op}, {ZERO}')}")
    em.check(pole, ZeroDivisionError, "0.0 cannot be raised to a negative power", node)
    return libm(em, "pow", [left, right], node, "a negative number to a fractional power is complex")


def libm(em: Emitter, name: str, args: list[Value], node: object, none: str = "math domain error") -> Value:
    """Call a function of C's library, and raise Python's exceptions for results that are not finite."""
    em.unit.need_libm(name, len(args))
    given = ", ".join(f"double {x.op}" for x in args)
    made = em.let(f"call double @{name}({given}) nobuiltin")
    new = em.let(f"fcmp uno double {made}, {made}")  # whether the result is NaN but no argument is
    odd = is_odd(em, made)  # whether the result is infinite but no argument is
    for x in args:
        new = em.let(f"and i1 {new}, {em.let(f'fcmp ord double {x.op}, {x.op}')}")
        odd = em.let(f"and i1 {odd}, {em.let(f'xor i1 {is_odd(em, x.op)}, true')}")
    em.check(new, ValueError, none, node)
    if name in ("log", "log2", "log10", "log1p"):
        em.check(odd, ValueError, "math domain error", node)
    else:
        if name == "pow":
            pole = em.let(f"fcmp oeq double {args[0].op}, {ZERO}")
            em.check(em.let(f"and i1 {odd}, {pole}"), ValueError, "math domain error", node)
        em.check(odd, OverflowError, "math range error", node)
    return Value(FLOAT, (made,))


def is_odd(em: Emitter, op: str) -> str:
    """Return whether a float is infinite or NaN."""
    size = em.intrinsic("fabs.f64", op)
    return em.let(f"fcmp ueq double {size}, 0x7FF0000000000000")


def too_large(op: ast.operator, left: object, right: object) -> bool:
    """Return whether the result of an operator on constants has too many bits or items."""
    most = 1 << 16
    if isinstance(op, ast.Pow):
        return isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > most
    if isinstance(op, ast.LShift):
        return isinstance(right, int) and right > most
    lengths = [len(x) for x in (left, right) if isinstance(x, str | bytes | tuple)]
    counts = [x for x in (left, right) if isinstance(x, int)]
    return isinstance(op, ast.Mult) and any(x * n > most for x in lengths for n in counts)
