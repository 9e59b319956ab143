"""Functions of numbers: Python's own, those of `math`, and of bits."""

from __future__ import annotations

import ast
import math
from typing import Any

from arena.compiler.function.arithmetic import Arithmetic
from arena.compiler.types import BOOL, FLOAT, INT, NUMBERS, UNKNOWN, Value

LIBM = ("exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
        "cosh", "tanh", "atan2", "pow")  # fmt: skip


class Mathematics(Arithmetic):
    """What functions make of numbers."""

    # --- arguments --------------------------------------------------------------------------------------

    def whole_number(self, node: ast.expr) -> Value:
        value = self.expression(node)
        if value.type is UNKNOWN:
            return Value(INT, ("undef",))
        if value.type not in NUMBERS or value.type is FLOAT:
            self.fail(node, f"an int is wanted here, and not {value.type}")
        return self.convert(value, INT, node)

    def whole_args(self, node: ast.Call, n: int) -> list[Value]:
        if len(node.args) != n or node.keywords:
            self.fail(
                node, f"{ast.unparse(node.func)} takes {n} argument{'s' if n != 1 else ''} in compiled code"
            )
        return [self.whole_number(part) for part in node.args]

    def fractions_of(self, node: ast.Call, n: int) -> list[Value]:
        if len(node.args) != n or node.keywords:
            self.fail(
                node, f"{ast.unparse(node.func)} takes {n} argument{'s' if n != 1 else ''} in compiled code"
            )
        values = [self.expression(part) for part in node.args]
        for value in values:
            if value.type is not UNKNOWN and value.type not in NUMBERS:
                self.fail(node, f"{value.type} is no number")
        return [self.convert(value, FLOAT, node) if value.type is not UNKNOWN else Value(FLOAT, ("undef",))
                for value in values]  # fmt: skip

    # --- bits -------------------------------------------------------------------------------------------

    def int_bit_count(self, owner: Value, node: ast.Call) -> Value:
        size = self.magnitude(self.convert(owner, INT, node).op)
        return Value(INT, (self.let(f"call i64 @llvm.ctpop.i64(i64 {size})"),))

    def int_bit_length(self, owner: Value, node: ast.Call) -> Value:
        zeros = self.let(
            f"call i64 @llvm.ctlz.i64(i64 {self.magnitude(self.convert(owner, INT, node).op)}, i1 false)"
        )
        return Value(INT, (self.let(f"sub i64 64, {zeros}"),))

    def magnitude(self, op: str) -> str:
        return self.let(f"call i64 @llvm.abs.i64(i64 {op}, i1 false)")

    def write_popcount(self, node: ast.Call) -> Value:
        return Value(INT, (self.let(f"call i64 @llvm.ctpop.i64(i64 {self.whole_args(node, 1)[0].op})"),))

    def write_lowest(self, node: ast.Call) -> Value:
        return Value(
            INT, (self.let(f"call i64 @llvm.cttz.i64(i64 {self.whole_args(node, 1)[0].op}, i1 true)"),)
        )

    # --- of C -------------------------------------------------------------------------------------------

    def write_libm(self, node: ast.Call) -> Value:
        function = self.expression(node.func).const
        args = self.fractions_of(node, 2 if function in (math.atan2, math.pow) else 1)
        return self.libm(function.__name__, args, node)

    def libm(self, name: str, args: list[Value], node: Any, none: str = "math domain error") -> Value:
        """Call a function of C's library, and raise what Python does where the result is no number."""
        self.unit.need_libm(name, len(args))
        given = ", ".join(f"double {x.op}" for x in args)
        made = self.let(f"call double @{name}({given}) nobuiltin")
        new = self.let(f"fcmp uno double {made}, {made}")  # it is no number, and none of those given was none
        odd = self.is_odd(made)  # it is infinite, and none of those given was
        for x in args:
            new = self.let(f"and i1 {new}, {self.let(f'fcmp ord double {x.op}, {x.op}')}")
            odd = self.let(f"and i1 {odd}, {self.let(f'xor i1 {self.is_odd(x.op)}, true')}")
        self.check(new, ValueError, none, node)
        if name in ("log", "log2", "log10", "log1p"):
            self.check(odd, ValueError, "math domain error", node)
        else:
            if name == "pow":
                pole = self.let(f"fcmp oeq double {args[0].op}, 0x0000000000000000")
                self.check(self.let(f"and i1 {odd}, {pole}"), ValueError, "math domain error", node)
            self.check(odd, OverflowError, "math range error", node)
        return Value(FLOAT, (made,))

    def is_odd(self, op: str) -> str:
        """Whether a float is infinite or no number."""
        size = self.let(f"call double @llvm.fabs.f64(double {op})")
        return self.let(f"fcmp ueq double {size}, 0x7FF0000000000000")

    def write_nextafter(self, node: ast.Call) -> Value:
        x, y = self.fractions_of(node, 2)
        self.unit.need_libm("nextafter", 2)
        return Value(FLOAT, (self.let(f"call double @nextafter(double {x.op}, double {y.op}) nobuiltin"),))

    # --- rounding ---------------------------------------------------------------------------------------

    def write_floor(self, node: ast.Call, name: str = "floor") -> Value:
        return self.rounded(node, name)

    def write_ceil(self, node: ast.Call) -> Value:
        return self.write_floor(node, "ceil")

    def write_round(self, node: ast.Call) -> Value:
        return self.rounded(node, "roundeven")

    def rounded(self, node: ast.Call, name: str) -> Value:
        """A number as an int, rounded by one of LLVM's functions."""
        value = self.expression(node.args[0])
        if value.type is UNKNOWN:
            return Value(INT, ("undef",))
        if value.type is FLOAT:
            return self.to_int(self.let(f"call double @llvm.{name}.f64(double {value.op})"), node)
        return self.convert(value, INT, node)

    def to_int(self, op: str, node: Any) -> Value:
        """A float as an int, towards 0."""
        nan = self.let(f"fcmp uno double {op}, {op}")
        self.check(nan, ValueError, "cannot convert float NaN to integer", node)
        size = self.let(f"call double @llvm.fabs.f64(double {op})")
        beyond = self.let(f"fcmp oge double {size}, 0x43E0000000000000")
        self.check(beyond, OverflowError, "a float is beyond the 64 bits of an int", node)
        return Value(INT, (self.let(f"fptosi double {op} to i64"),))

    def write_int(self, node: ast.Call) -> Value:
        value = (
            self.expression(node.args[0]) if len(node.args) == 1 else self.fail(node, "int takes one number")
        )
        if value.type is FLOAT:
            return self.to_int(value.op, node)
        if value.type is UNKNOWN:
            return Value(INT, ("undef",))
        if value.type not in NUMBERS:
            self.fail(node, f"int of {value.type} does not compile")
        return self.convert(value, INT, node)

    def write_float(self, node: ast.Call) -> Value:
        if (
            len(node.args) == 1
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            return self.constant(float(node.args[0].value))
        return self.fractions_of(node, 1)[0]

    # --- others -----------------------------------------------------------------------------------------

    def write_bool(self, node: ast.Call) -> Value:
        return self.truth(self.expression(node.args[0]), node)

    def write_sqrt(self, node: ast.Call) -> Value:
        (x,) = self.fractions_of(node, 1)
        self.check(
            self.let(f"fcmp olt double {x.op}, 0x0000000000000000"), ValueError, "math domain error", node
        )
        return Value(FLOAT, (self.let(f"call double @llvm.sqrt.f64(double {x.op})"),))

    def write_fabs(self, node: ast.Call) -> Value:
        return Value(
            FLOAT, (self.let(f"call double @llvm.fabs.f64(double {self.fractions_of(node, 1)[0].op})"),)
        )

    def write_abs(self, node: ast.Call) -> Value:
        value = self.expression(node.args[0])
        if value.type is FLOAT:
            return Value(FLOAT, (self.let(f"call double @llvm.fabs.f64(double {value.op})"),))
        if value.type is UNKNOWN:
            return value
        if value.type not in NUMBERS:
            self.fail(node, f"{value.type} has no abs in compiled code")
        op = self.convert(value, INT, node).op
        if self.unit.checked:
            least = self.let(f"icmp eq i64 {op}, {-(2**63)}")
            self.check(least, OverflowError, "a number is beyond the 64 bits of an int", node)
        return Value(INT, (self.magnitude(op),))

    def write_isnan(self, node: ast.Call) -> Value:
        (x,) = self.fractions_of(node, 1)
        return Value(BOOL, (self.let(f"fcmp uno double {x.op}, {x.op}"),))

    def write_isinf(self, node: ast.Call) -> Value:
        size = self.let(f"call double @llvm.fabs.f64(double {self.fractions_of(node, 1)[0].op})")
        return Value(BOOL, (self.let(f"fcmp oeq double {size}, 0x7FF0000000000000"),))

    def write_isfinite(self, node: ast.Call) -> Value:
        return self.negated(Value(BOOL, (self.is_odd(self.fractions_of(node, 1)[0].op),)))

    def write_copysign(self, node: ast.Call) -> Value:
        x, y = self.fractions_of(node, 2)
        return Value(FLOAT, (self.let(f"call double @llvm.copysign.f64(double {x.op}, double {y.op})"),))

    def write_divmod(self, node: ast.Call) -> Value:
        left, right = (self.expression(part) for part in node.args)
        parts = [self.binary(op, left, right, node) for op in (ast.FloorDiv(), ast.Mod())]
        return self.tuple_of(parts)

    def write_pow(self, node: ast.Call) -> Value:
        if len(node.args) != 2:
            self.fail(node, "pow compiles with two numbers")
        left, right = (self.expression(part) for part in node.args)
        return self.binary(ast.Pow(), left, right, node)
