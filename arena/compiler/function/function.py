"""A function of an author's as LLVM's text."""

from __future__ import annotations

from typing import Any

from arena.compiler.function.statements import Statements
from arena.compiler.function.text import MOST_BYTES
from arena.compiler.source import times_set
from arena.compiler.types import (
    INT,
    MISSING,
    NONE,
    NUMBERS,
    UNKNOWN,
    ArrayOf,
    Known,
    ListOf,
    NoJoin,
    ObjectOf,
    Type,
    Value,
    join,
)


class Function(Statements):
    """Writes one instance of a function; run again until the types of variables and results settle."""

    def write(self) -> str:
        """The function as a definition of LLVM's."""
        instance, self.instance.untold = self.instance, None
        for key in instance.flagged:
            self.flag(key)
        parameters, at = [], 0
        args = instance.node.args
        if args.vararg or args.kwarg or args.kwonlyargs:
            self.fail(instance.node, "only ordinary parameters compile")
        for arg, kind in zip(instance.node.args.args, instance.types, strict=True):
            ops = tuple(f"%a{at + i}" for i in range(len(kind.irs)))
            parameters += [f"{ir} {attribute(kind, ir)}{op}" for ir, op in zip(kind.irs, ops, strict=True)]
            at += len(ops)
            const = kind.thing if isinstance(kind, Known) else None if kind is NONE else MISSING
            value = Value(kind, ops, const, fresh=True)
            self.put((arg.arg,), value, arg, arg.arg)
            if arg is instance.node.args.args[0] and instance.owner:
                self.frame.owner = value
            if (isinstance(kind, ObjectOf | Known) or not kind.irs) and times_set(instance.node)[
                arg.arg
            ] == 1:
                self.constants[(arg.arg,)] = value
        self.out, self.cap = "%out", "%cap"
        if instance.fills:
            parameters += ["ptr noalias nocapture %out", "i64 %cap"]
            self.filled = self.room("i64")
            self.emit(f"store i64 0, ptr {self.filled}")
        if instance.limited:
            parameters.append("i64 %left")
        if instance.recursive:
            self.count_recursion()
        if instance.generator:
            self.frame.each = self.fill
        self.block(instance.node.body)
        if not self.dead:
            self.leave_end(instance.node)
        instance.bytes = self.bytes
        if self.bytes > MOST_BYTES:
            self.fail(
                instance.node, f"lists of {self.unit.cap} items, the game's max_moves, take too much room"
            )
        if not self.returned and not instance.generator:
            instance.result = NONE  # it raises something, whatever it is given
        text = "\n".join([*self.entry, "  br label %begin", "begin:", *self.lines])
        returned, takes = instance.returned(), ", ".join(parameters)
        head = f"define internal fastcc {returned} @{instance.symbol}({takes}) {instance.attributes}"
        return f"{head} {{\n{text}\n}}\n"

    def count_recursion(self) -> None:
        """Raise RecursionError if no recursive call is left."""
        none = self.let("icmp slt i64 %left, 0")
        self.check(none, RecursionError, "maximum recursion depth exceeded", self.instance.node)
        self.left = self.let("sub nsw i64 %left, 1")

    # --- ways out ---------------------------------------------------------------------------------------

    def leave_end(self, node: Any) -> None:
        if self.instance.generator:
            n = self.let(f"load i64, ptr {self.filled}")
            self.leave(Value(INT, (self.most(n),)))
        elif self.instance.result in (NONE, UNKNOWN):
            self.returns(Value(NONE, (), None), node)
        else:
            self.fail(
                node,
                f"{self.instance.function.__name__} gives {self.instance.result}, and nothing at its end",
            )

    def leave(self, value: Value) -> None:
        kind = self.instance.returned()
        ops = list(zip(value.type.irs, value.ops, strict=True))
        if kind == "void":
            self.emit("ret void")
        elif kind == "i32":
            self.emit("ret i32 0")
        elif not kind.startswith("{"):
            self.emit(f"ret {kind} {value.op}")
        else:
            made = "undef"
            if self.instance.may_raise:
                ops.insert(0, ("i32", "0"))
            for i, (ir, op) in enumerate(ops):
                made = self.let(f"insertvalue {kind} {made}, {ir} {op}, {i}")
            self.emit(f"ret {kind} {made}")
        self.dead = True

    def returns(self, value: Value, node: Any) -> None:
        """`return` in the function itself."""
        instance, self.returned = self.instance, True
        if isinstance(value.const, tuple):
            value = self.spelled(value)
        if instance.annotated and value.type in NUMBERS:
            value = self.convert(value, join(value.type, instance.annotated), node)
        try:
            kind = join(instance.result, value.type)
        except NoJoin:
            self.fail(
                node,
                f"{instance.function.__name__} gives {value.type} here, and {instance.result} elsewhere",
            )
        if kind != instance.result:
            instance.result = kind
            self.unit.changed = True
        value = self.convert(value, kind, node)
        if isinstance(kind, ListOf):
            if not value.fresh:
                self.fail(node, "a list that was passed in cannot be returned; return list(…), a copy")
            value = Value(INT, (self.copied(value, self.out, self.cap, node),))
        if kind is not UNKNOWN:
            self.leave(value)
        else:
            self.emit("unreachable")
            self.dead = True


def attribute(kind: Type, ir: str) -> str:
    return "nonnull noundef " if ir == "ptr" and not isinstance(kind, ListOf | ArrayOf) else "noundef "
