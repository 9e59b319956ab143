"""Arrays: their elements, rows and slices, and positions that are kept in them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from arena.compiler.function.lists import Lists
from arena.compiler.types import BOOL, DTYPES, FLOAT, INT, NONE, NUMBERS, UNKNOWN, ArrayOf, Tuple, Value


class Arrays(Lists):
    """What reads and changes arrays of numpy's."""

    # --- elements ---------------------------------------------------------------------------------------

    def element_place(self, owner: Value, at: list[Any], node: Any) -> tuple[str, Any]:
        """Where an element of an array lies, or what a row of it is."""
        kind = owner.type
        assert isinstance(kind, ArrayOf)
        if len(at) > kind.ndim or any(isinstance(x, tuple) for x in at):
            self.fail(node, f"{kind} cannot be indexed so in compiled code")
        ir = DTYPES[kind.dtype][0]
        data, shape = owner.ops[0], owner.ops[1:]
        place = "0"
        for i, extent in zip(at, shape, strict=False):
            here = self.index(i, extent, node, "array")
            place = (
                here
                if place == "0"
                else self.let(f"add nsw i64 {self.let(f'mul nsw i64 {place}, {extent}')}, {here}")
            )
        for extent in shape[len(at) :]:
            place = self.let(f"mul nsw i64 {place}, {extent}")
        where = self.let(f"getelementptr inbounds {ir}, ptr {data}, i64 {place}")
        return where, Value(replace(kind, ndim=kind.ndim - len(at)), (where, *shape[len(at) :]))

    def element(self, owner: Value, at: list[Any], node: Any) -> Value:
        where, row = self.element_place(owner, at, node)
        if row.type.ndim:
            return row
        return self.load_element(owner.array.dtype, where)

    def load_element(self, dtype: str, where: str) -> Value:
        ir, _, kind, how = DTYPES[dtype]
        loaded = self.let(f"load {ir}, ptr {where}, !tbaa !12")
        if how == "bool":
            return Value(BOOL, (self.let(f"icmp ne i8 {loaded}, 0"),))
        return Value(kind, (self.let(f"{how} {ir} {loaded} to {kind.irs[0]}") if how else loaded,))

    def store_element(self, dtype: str, where: str, value: Value, node: Any) -> None:
        if value.type is not UNKNOWN:
            op = self.as_element(dtype, value, node)
            self.emit(f"store {DTYPES[dtype][0]} {op}, ptr {where}, !tbaa !12")

    def as_element(self, dtype: str, value: Value, node: Any) -> str:
        """A number as an array of `dtype` has it; OverflowError for an int that does not fit, as in numpy."""
        ir, size, kind, how = DTYPES[dtype]
        if value.type not in NUMBERS or (value.type is FLOAT and kind is not FLOAT):
            self.fail(node, f"an array of {dtype} cannot hold {value.type}")
        if kind is BOOL and value.type is not BOOL:
            value = self.truth(value, node)
        op = self.convert(value, kind, node).op
        if how == "bool":
            return self.let(f"zext i1 {op} to i8")
        if how == "fpext":
            return self.let(f"fptrunc double {op} to float")
        if not how:
            return op
        least = -(1 << 8 * size - 1) if how == "sext" else 0
        fits = value.known and least <= value.const < least + (1 << 8 * size)
        if self.bounded and not fits and value.type is INT:
            beyond = self.let(f"icmp uge i64 {self.let(f'sub i64 {op}, {least}')}, {1 << 8 * size}")
            self.check(beyond, OverflowError, f"an int is out of bounds for {dtype}", node)
        return self.let(f"trunc i64 {op} to {ir}")

    def index(self, at: Value, n: str, node: Any, what: str, check: bool = False) -> str:
        """The place that an index means, a negative one counted from the end."""
        if at.type is BOOL and what == "array":
            self.fail(node, "an index is an int, and not a bool; write int(…)")
        if at.type is BOOL:
            at = self.convert(at, INT, node)
        if at.type is UNKNOWN:
            return "0"
        if at.type is not INT:
            self.fail(node, f"an index is an int, and not {at.type}")
        if at.known:
            i = at.op if at.const >= 0 else self.let(f"add i64 {n}, {at.op}")
        else:
            negative = self.let(f"icmp slt i64 {at.op}, 0")
            from_end = self.let(f"add i64 {at.op}, {n}")
            i = self.let(f"select i1 {negative}, i64 {from_end}, i64 {at.op}")
        if self.bounded or check:
            self.check(self.let(f"icmp uge i64 {i}, {n}"), IndexError, f"{what} index out of range", node)
        return i

    # --- many at a time ---------------------------------------------------------------------------------

    def array_slice(self, array: Value, at: list[Any], node: Any) -> Value:
        kind = array.type
        assert isinstance(kind, ArrayOf)
        if len(at) != 1:
            self.fail(node, "a slice compiles as the only index")
        low, n = self.span(at[0], array.ops[1], node)
        for extent in array.ops[2:]:
            low = self.let(f"mul i64 {low}, {extent}")
        ir = DTYPES[kind.dtype][0]
        where = self.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {low}")
        return Value(kind, (where, n, *array.ops[2:]))

    def fill_array(self, array: Value, value: Value, node: Any) -> None:
        """Set all elements: to a number, or to those of another array of the shape, or to a tuple's."""
        kind = array.type
        assert isinstance(kind, ArrayOf)
        self.check_writable(array, node)
        ir, size, _, _ = DTYPES[kind.dtype]
        if isinstance(value.type, ArrayOf):
            if replace(value.type, fixed=False) != kind:
                self.fail(node, f"{kind} cannot be set to {value.type}")
            for one, other in zip(array.ops[1:], value.ops[1:], strict=True):
                self.same_length(one, other, node)
            n = self.elements(array)
            bytes_ = self.let(f"mul i64 {n}, {size}")
            self.emit(
                f"call void @llvm.memmove.p0.p0.i64(ptr {array.ops[0]}, ptr {value.ops[0]}, "
                f"i64 {bytes_}, i1 false)"
            )
            return
        value = self.spelled(value)
        if isinstance(value.type, Tuple) and kind.ndim == 1 and len(value.type.items) == 1:
            (value,) = self.items_of(value)
        if isinstance(value.type, Tuple) and kind.ndim == 1:
            self.same_length(array.ops[1], str(len(value.type.items)), node)
            for i, item in enumerate(self.items_of(value)):
                where = self.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {i}")
                self.store_element(kind.dtype, where, item, node)
            return

        if value.type is UNKNOWN:
            return
        op = self.as_element(kind.dtype, value, node)

        def put(i: Value) -> None:
            where = self.let(f"getelementptr inbounds {ir}, ptr {array.ops[0]}, i64 {i.op}")
            self.emit(f"store {ir} {op}, ptr {where}, !tbaa !12")

        self.count(self.constant(0), Value(INT, (self.elements(array),)), put)

    def array_fill(self, owner: Value, node: ast.Call) -> Value:
        self.fill_array(owner, self.expression(node.args[0]), node)
        return Value(NONE, (), None)

    def check_writable(self, array: Value, node: Any) -> None:
        if array.array.fixed:
            self.fail(node, "an array of a module or the game, or a read-only one, cannot be changed")

    def same_length(self, one: str, other: str, node: Any) -> None:
        if self.bounded:
            self.check(
                self.let(f"icmp ne i64 {one}, {other}"), ValueError, "arrays of different lengths", node
            )

    def elements(self, array: Value) -> str:
        n = array.ops[1]
        for extent in array.ops[2:]:
            n = self.let(f"mul i64 {n}, {extent}")
        return n

    # --- positions --------------------------------------------------------------------------------------

    def rows(self, node: ast.Call, at: int) -> tuple[Value, Value]:
        """The array of positions that a call has at this place, and the number of the row, which follows."""
        words, i = self.expression(node.args[at]), self.whole_number(node.args[at + 1])
        if not isinstance(words.type, ArrayOf) or words.type.dtype != "int64":
            self.fail(node, f"positions are kept in an array of int64, and not in {words.type}")
        return words, i

    def place_of(self, words: Value, i: Value, j: int, node: Any) -> str:
        if self.bounded and j == 0:
            self.check(
                self.let(f"icmp uge i64 {i.op}, {words.ops[1]}"),
                IndexError,
                "no such place for a position",
                node,
            )
        state = self.unit.state
        at = self.let(f"mul nsw i64 {i.op}, {len(state.items)}")
        return self.let(
            f"getelementptr inbounds i64, ptr {words.ops[0]}, i64 {self.let(f'add nsw i64 {at}, {j}')}"
        )

    def write_load(self, node: ast.Call) -> Value:
        words, i = self.rows(node, 1)
        kind = self.unit.state
        items = [Value(INT, (self.let(f"load i64, ptr {self.place_of(words, i, j, node)}, !tbaa !12"),))
                 for j in range(len(kind.items))]  # fmt: skip
        made = []
        for item, wanted in zip(items, kind.items, strict=True):
            made.append(self.truth(item, node) if wanted is BOOL else item)
        return self.tuple_of(made, kind.cls)

    def write_store(self, node: ast.Call) -> Value:
        words, i = self.rows(node, 0)
        self.check_writable(words, node)
        state = self.expression(node.args[2])
        if state.type is UNKNOWN:
            return Value(NONE, (), None)
        for j, item in enumerate(self.items_of(self.convert(state, self.unit.state, node, "a position"))):
            op = self.convert(item, INT, node).op
            self.emit(f"store i64 {op}, ptr {self.place_of(words, i, j, node)}, !tbaa !12")
        return Value(NONE, (), None)

    def write_is_at(self, node: ast.Call) -> Value:
        words, i = self.rows(node, 0)
        state = self.expression(node.args[2])
        if state.type is UNKNOWN:
            return state
        differ = "0"
        for j, item in enumerate(self.items_of(self.convert(state, self.unit.state, node, "a position"))):
            there = self.let(f"load i64, ptr {self.place_of(words, i, j, node)}, !tbaa !12")
            other = self.let(f"xor i64 {there}, {self.convert(item, INT, node).op}")
            differ = self.let(f"or i64 {differ}, {other}")
        return Value(BOOL, (self.let(f"icmp eq i64 {differ}, 0"),))
