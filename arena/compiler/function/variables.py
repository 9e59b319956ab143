"""Variables of a function, and of what is laid into it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arena.compiler.function.frame import Frame
from arena.compiler.function.text import Text
from arena.compiler.source import times_set
from arena.compiler.types import NONE, UNKNOWN, Known, ListOf, NoJoin, Type, Value, join, same


class Variables(Text):
    """Where variables lie, and what is in them. Each has a key, by which frames tell theirs apart."""

    def key_of(self, name: str) -> Any:
        """The variable of this name, None if there is none."""
        frame: Frame | None = self.frame
        while frame:
            if name in frame.names:
                return (*frame.key, name)
            frame = frame.outer
        return None

    def slots_of(self, key: Any, kind: Type) -> tuple[str, ...]:
        if (key, kind) not in self.slots:
            self.slots[key, kind] = tuple(self.room(ir) for ir in kind.irs)
        return self.slots[key, kind]

    def put(self, key: Any, value: Value, node: Any, what: str) -> None:
        """Set a variable."""
        before = self.instance.variables.get(key, UNKNOWN)
        try:
            kind = join(
                before, value.type if not isinstance(value.const, tuple) else self.spelled(value).type
            )
        except NoJoin:
            self.fail(node, f"{what} is {before}, and cannot be {value.type} as well")
        if kind != before:
            self.instance.variables[key] = kind
            self.unit.changed = True
        value = self.convert(value, kind, node, what)
        for ir, op, slot in zip(kind.irs, value.ops, self.slots_of(key, kind), strict=True):
            self.emit(f"store {ir} {op}, ptr {slot}")
        self.assigned.add(key)
        if key in self.flags:
            self.emit(f"store i1 true, ptr {self.flags[key]}")

    def get(self, key: Any) -> Value:
        kind = self.instance.variables.get(key, UNKNOWN)
        if isinstance(kind, Known) or kind is NONE:
            return Value(kind, (), kind.thing if isinstance(kind, Known) else None)
        slots = self.slots_of(key, kind)
        return Value(
            kind, tuple(self.let(f"load {ir}, ptr {slot}") for ir, slot in zip(kind.irs, slots, strict=True))
        )

    def set_name(self, name: str, value: Value, node: Any) -> None:
        key = self.key_of(name)
        if isinstance(value.type, ListOf) and not value.fresh:
            self.fail(node, f"a list cannot get a second name; write {name} = list(…) for a copy")
        if isinstance(self.frame.node, ast.FunctionDef) and times_set(self.frame.node).get(name) == 1:
            self.set_constant(key, value)
        self.put(key, value, node, name)

    def set_constant(self, key: Any, value: Value) -> None:
        """Know the value of a variable set in one place, if it is the same in all copies of that place."""
        if self.targets is not None:
            self.targets.add(key)
        elif (
            key in self.given
            and self.given[key] is not value.const
            and not same(self.given[key], value.const)
            and key not in self.instance.varying
        ):
            self.instance.varying.add(key)
            self.unit.changed = True
        self.given[key] = value.const
        if value.known and (self.targets is not None or key not in self.instance.varying):
            self.constants[key] = value
        else:
            self.constants.pop(key, None)

    def read_name(self, name: str, node: Any) -> Value | None:
        """A variable's value, None if there is none of this name."""
        key = self.key_of(name)
        if key is None:
            return None
        if key not in self.assigned:
            if key not in self.instance.flagged:
                self.instance.flagged.add(key)
                self.unit.changed = True
            flag = self.flags.get(key) or self.flag(key)
            unset = self.let(f"xor i1 {self.let(f'load i1, ptr {flag}')}, true")
            text = f"cannot access local variable {name!r} where it is not associated with a value"
            self.check(unset, UnboundLocalError, text, node)
        if key in self.constants:
            return self.constants[key]
        return self.get(key)

    def flag(self, key: Any) -> str:
        """What says whether a variable has been set."""
        self.flags[key] = flag = self.room("i1")
        self.entry.append(f"  store i1 false, ptr {flag}")
        return flag

    @contextmanager
    def within(self, frame: Frame) -> Iterator[None]:
        """Names mean what they do in another frame, for a while."""
        before, self.frame = self.frame, frame
        try:
            yield
        finally:
            self.frame = before
