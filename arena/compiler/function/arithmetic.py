"""Operators on numbers."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from arena.compiler.errors import told
from arena.compiler.function.arrays import Arrays
from arena.compiler.types import BOOL, FLOAT, INT, NUMBERS, UNKNOWN, Known, ListOf, Tuple, Value, literal

PYTHON = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
BY_ZERO = {
    (kind, cls): told(PYTHON[kind], cls(), cls())
    for kind in (ast.Div, ast.FloorDiv, ast.Mod)
    for cls in (int, float)
}
SIGNED: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip
BITS = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
WHOLE = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
FRACTIONS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul"}
ZERO = "0x0000000000000000"


class Arithmetic(Arrays):
    """What Python's operators make of ints, floats and bools; of tuples and lists, `+` and `*`."""

    def on_BinOp(self, node: ast.BinOp) -> Value:
        return self.binary(node.op, self.expression(node.left), self.expression(node.right), node)

    def binary(self, op: ast.operator, left: Value, right: Value, node: Any) -> Value:
        if UNKNOWN in (left.type, right.type):
            return Value(UNKNOWN)
        if left.known and right.known and not isinstance(op, ast.MatMult):
            if too_large(op, left.const, right.const):
                self.fail(node, "a constant of this size does not compile")
            try:
                made = PYTHON[type(op)](left.const, right.const)
                if (
                    isinstance(made, int) and not -(2**63) <= made < 2**63
                ):  # until a smaller one is made of it
                    return Value(Known(made), (), made)
                return self.constant(made, node)
            except (TypeError, ValueError) as error:
                self.fail(node, str(error))
            except (ArithmeticError, MemoryError):
                pass
        if (
            isinstance(op, ast.Add)
            and isinstance(left.type, Tuple | Known)
            and isinstance(right.type, Tuple | Known)
        ):
            return self.tuple_of([*self.items_of(left), *self.items_of(right)])
        if isinstance(op, ast.Mult) and isinstance(left.type, ListOf):
            return self.repeated(left, right, node)
        for value in (left, right):
            if isinstance(value.type, Known) and isinstance(value.const, int):
                self.fail(node, f"{value.const} is too large: an int has 64 bits")
        if left.type not in NUMBERS or right.type not in NUMBERS:
            self.fail(node, f"{left.type} and {right.type} do not go together here in compiled code")
        if type(op) in BITS and left.type is BOOL and right.type is BOOL:
            return Value(BOOL, (self.let(f"{BITS[type(op)]} i1 {left.op}, {right.op}"),))
        fraction = FLOAT in (left.type, right.type) or isinstance(op, ast.Div)
        if fraction:
            given = left.type, right.type
            left, right = self.convert(left, FLOAT, node), self.convert(right, FLOAT, node)
            return self.fractions(op, left, right, node, given)
        return self.whole(op, self.convert(left, INT, node), self.convert(right, INT, node), node)

    def on_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            value = self.truth(self.expression(node.operand), node)
            if value.known:
                return self.constant(not value.const)
            return Value(BOOL, (self.let(f"xor i1 {value.op}, true"),))
        if (
            isinstance(node.op, ast.USub)
            and isinstance(node.operand, ast.Constant)
            and node.operand.value == 1 << 63
        ):
            return self.constant(-(1 << 63))
        value = self.expression(node.operand)
        if value.type is UNKNOWN:
            return value
        if value.known and (value.type in NUMBERS or isinstance(value.const, int)):
            return self.constant(SIGNED[type(node.op)](value.const), node)
        if value.type not in NUMBERS or (isinstance(node.op, ast.Invert) and value.type is FLOAT):
            self.fail(node, f"{value.type} does not go with this operator in compiled code")
        if value.type is FLOAT:
            return (
                Value(FLOAT, (self.let(f"fneg double {value.op}"),))
                if isinstance(node.op, ast.USub)
                else value
            )
        value = self.convert(value, INT, node)
        if isinstance(node.op, ast.USub):
            return self.whole(ast.Sub(), self.constant(0), value, node)
        if isinstance(node.op, ast.Invert):
            return Value(INT, (self.let(f"xor i64 {value.op}, -1"),))
        return value

    # --- ints -------------------------------------------------------------------------------------------

    def whole(self, op: ast.operator, left: Value, right: Value, node: Any) -> Value:
        kind, a, b = type(op), left.op, right.op
        if kind in WHOLE:
            if self.unit.checked:
                return self.checked_whole(WHOLE[kind], a, b, node)
            return Value(INT, (self.let(f"{WHOLE[kind]} i64 {a}, {b}"),))
        if kind in BITS:
            return Value(INT, (self.let(f"{BITS[kind]} i64 {a}, {b}"),))
        if kind is ast.LShift and right.known and right.const > 63 and not self.unit.checked:
            return self.constant(0)
        if kind is ast.LShift:
            return self.shifted_left(left, right, node)
        if kind is ast.RShift:
            if not (right.known and 0 <= right.const < 64):
                if self.bounded:
                    self.check(self.let(f"icmp slt i64 {b}, 0"), ValueError, "negative shift count", node)
                b = self.let(f"call i64 @llvm.umin.i64(i64 {b}, i64 63)")
            return Value(INT, (self.let(f"ashr i64 {a}, {b}"),))
        if kind in (ast.FloorDiv, ast.Mod):
            return self.divided(kind is ast.Mod, left, right, node)
        if kind is ast.Pow:
            return self.power(left, right, node)
        return self.fail(node, "this operator does not compile")

    def checked_whole(self, name: str, a: str, b: str, node: Any) -> Value:
        pair = self.let(f"call {{ i64, i1 }} @llvm.s{name}.with.overflow.i64(i64 {a}, i64 {b})")
        over = self.let(f"extractvalue {{ i64, i1 }} {pair}, 1")
        self.check(over, OverflowError, "a number is beyond the 64 bits of an int", node)
        return Value(INT, (self.let(f"extractvalue {{ i64, i1 }} {pair}, 0"),))

    def shifted_left(self, left: Value, right: Value, node: Any) -> Value:
        a, b = left.op, right.op
        if not (right.known and 0 <= right.const < 64):
            if self.bounded:
                self.check(self.let(f"icmp slt i64 {b}, 0"), ValueError, "negative shift count", node)
            b = self.let(f"and i64 {b}, 63")
        made = self.let(f"shl i64 {a}, {b}")
        if self.unit.checked:
            back = self.let(f"ashr i64 {made}, {b}")
            lost = self.let(f"icmp ne i64 {back}, {a}")
            if not right.known:
                far = self.let(f"icmp ugt i64 {right.op}, 63")
                some = self.let(f"icmp ne i64 {a}, 0")
                lost = self.let(f"or i1 {lost}, {self.let(f'and i1 {far}, {some}')}")
            self.check(lost, OverflowError, "a number is beyond the 64 bits of an int", node)
        return Value(INT, (made,))

    def divided(self, rest: bool, left: Value, right: Value, node: Any) -> Value:
        """Quotient or rest, rounded down as Python does."""
        a, b = left.op, right.op
        if right.known and right.const > 0:
            if right.const & (right.const - 1) == 0:
                shift = right.const.bit_length() - 1
                return Value(
                    INT, (self.let(f"and i64 {a}, {right.const - 1}" if rest else f"ashr i64 {a}, {shift}"),)
                )
        elif not right.known or right.const == 0:
            text = BY_ZERO[ast.Mod if rest else ast.FloorDiv, int]
            self.check(self.let(f"icmp eq i64 {b}, 0"), ZeroDivisionError, text, node)
        one = self.let(f"icmp eq i64 {b}, -1")  # by which the least number cannot be divided
        safe = self.let(f"select i1 {one}, i64 1, i64 {b}")
        remainder = self.let(f"srem i64 {a}, {safe}")
        uneven = self.let(f"icmp ne i64 {remainder}, 0")
        differ = self.let(f"icmp slt i64 {self.let(f'xor i64 {remainder}, {safe}')}, 0")
        down = self.let(f"and i1 {uneven}, {differ}")
        if rest:
            up = self.let(f"add i64 {remainder}, {safe}")
            return Value(INT, (self.let(f"select i1 {down}, i64 {up}, i64 {remainder}"),))
        quotient = self.let(f"sdiv i64 {a}, {safe}")
        lower = self.let(f"sub i64 {quotient}, {self.let(f'zext i1 {down} to i64')}")
        negated = self.let(f"sub i64 0, {a}")
        if self.unit.checked:
            least = self.let(f"icmp eq i64 {a}, {-(2**63)}")
            over = self.let(f"and i1 {least}, {one}")
            self.check(over, OverflowError, "a number is beyond the 64 bits of an int", node)
        return Value(INT, (self.let(f"select i1 {one}, i64 {negated}, i64 {lower}"),))

    def power(self, left: Value, right: Value, node: Any) -> Value:
        if not right.known or not 0 <= right.const <= 64:
            self.fail(node, "an int to a power compiles where the power is a constant from 0 to 64")
        made, square, n = self.constant(1), left, right.const
        while n:
            if n & 1:
                made = self.binary(ast.Mult(), made, square, node)
            n >>= 1
            if n:
                square = self.binary(ast.Mult(), square, square, node)
        return made

    # --- floats -----------------------------------------------------------------------------------------

    def fractions(self, op: ast.operator, left: Value, right: Value, node: Any, given: Any) -> Value:
        kind, a, b = type(op), left.op, right.op
        if kind in FRACTIONS:
            return Value(FLOAT, (self.let(f"{FRACTIONS[kind]} double {a}, {b}"),))
        if kind in (ast.Div, ast.FloorDiv, ast.Mod):
            if not right.known or right.const == 0:
                text = BY_ZERO[kind, float if FLOAT in given else int]
                self.check(self.let(f"fcmp oeq double {b}, {ZERO}"), ZeroDivisionError, text, node)
            if kind is ast.Div:
                return Value(FLOAT, (self.let(f"fdiv double {a}, {b}"),))
            name = "mod" if kind is ast.Mod else "floordiv"
            self.unit.need_helper(name)
            return Value(FLOAT, (self.let(f"call double @arena.{name}(double {a}, double {b})"),))
        if kind is ast.Pow:
            return self.float_power(left, right, node)
        return self.fail(node, "bits of floats cannot be had")

    def float_power(self, left: Value, right: Value, node: Any) -> Value:
        negative = self.let(f"fcmp olt double {right.op}, {ZERO}")
        finite = self.let(f"fcmp one double {right.op}, {literal(-math.inf)}")
        pole = self.let(f"and i1 {negative}, {finite}")
        pole = self.let(f"and i1 {pole}, {self.let(f'fcmp oeq double {left.op}, {ZERO}')}")
        self.check(pole, ZeroDivisionError, "0.0 cannot be raised to a negative power", node)
        return self.libm("pow", [left, right], node, "a negative number to a fraction is complex")


def too_large(op: ast.operator, left: Any, right: Any) -> bool:
    """Whether what two constants make is beyond what can be meant: more bits or items than this."""
    most = 1 << 16
    if isinstance(op, ast.Pow):
        return isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > most
    if isinstance(op, ast.LShift):
        return isinstance(right, int) and right > most
    lengths = [len(x) for x in (left, right) if isinstance(x, str | bytes | tuple)]
    counts = [x for x in (left, right) if isinstance(x, int)]
    return isinstance(op, ast.Mult) and any(x * n > most for x in lengths for n in counts)
