"""Statements."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena.compiler.function.expressions import Expressions
from arena.compiler.function.frame import Loop
from arena.compiler.types import ANNOTATED, NONE, NUMBERS, UNKNOWN, ListOf, ObjectOf, Tuple, Value


class Statements(Expressions):
    """What does something: `do_…` by the name of the node."""

    def block(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if self.dead:
                return
            name = type(node).__name__
            visit = getattr(self, "do_" + name, None)
            if visit is None:
                self.fail(node, REFUSED.get(name, f"{name.lower()} does not compile"))
            visit(node)

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        value = node.value
        if isinstance(value, ast.Constant):
            return
        if isinstance(value, ast.Yield):
            self.yields(self.expression(value.value) if value.value else Value(NONE, (), None), node)
        elif isinstance(value, ast.YieldFrom):
            self.yield_from(value)
        else:
            self.expression(value)

    def do_Return(self, node: ast.Return) -> None:
        if self.frame.each:
            if node.value is not None:
                self.fail(node, "a generator's return gives nothing")
            if self.frame.end:
                self.goto(self.frame.end)
            else:
                self.leave_end(node)
            return
        value = self.expression(node.value) if node.value else Value(NONE, (), None)
        if isinstance(node.value, ast.Name) and node.value.id not in {
            arg.arg for arg in self.frame.node.args.args
        }:
            value = replace(value, fresh=True)
        self.returns(value, node)

    # --- setting ----------------------------------------------------------------------------------------

    def do_Assign(self, node: ast.Assign) -> None:
        pairs = [target for target in node.targets if isinstance(target, ast.Tuple)]
        if len(node.targets) == 1 and pairs and isinstance(node.value, ast.Tuple):
            targets, values = pairs[0].elts, node.value.elts
            if len(targets) == len(values):
                given = [self.expression(value) for value in values]
                for target, value in zip(targets, given, strict=True):
                    self.assign(target, self.moved(target, value, node.value))
                return
        value = self.expression(node.value)
        if isinstance(value.type, ListOf) and len(node.targets) > 1:
            self.fail(node, "a list cannot get two names; make one for each")
        for target in node.targets:
            self.assign(target, self.moved(target, value, node.value))

    def moved(self, target: ast.expr, value: Value, node: ast.expr) -> Value:
        """A list that was made of the one that its name had before, out of the way of the next one."""
        if not (isinstance(value.type, ListOf) and value.fresh and isinstance(target, ast.Name)):
            return value
        if not any(isinstance(part, ast.Name) and part.id == target.id for part in ast.walk(node)):
            return value
        return self.copy_of(value, node)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            return
        value, kind = self.expression(node.value), ANNOTATED.get(ast.unparse(node.annotation))
        if kind and value.type in NUMBERS and value.type.rank < kind.rank:
            value = self.convert(value, kind, node)
        self.assign(node.target, self.moved(node.target, value, node.value))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            before = self.expression(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            self.assign(target, self.binary(node.op, before, self.expression(node.value), node))
        elif isinstance(target, ast.Attribute):
            owner = self.expression(target.value)
            before = self.attribute(owner, target.attr, target)
            made = self.binary(node.op, before, self.expression(node.value), node)
            self.set_attribute(owner, target.attr, made, target)
        elif isinstance(target, ast.Subscript):
            owner, at = self.expression(target.value), self.subscript(target.slice)
            before = self.item(owner, at, target)
            self.set_item(owner, at, self.binary(node.op, before, self.expression(node.value), node), target)

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.set_name(target.id, value, target)
        elif isinstance(target, ast.Attribute):
            self.set_attribute(self.expression(target.value), target.attr, value, target)
        elif isinstance(target, ast.Subscript):
            self.set_item(self.expression(target.value), self.subscript(target.slice), value, target)
        elif isinstance(target, ast.Tuple | ast.List):
            self.unpack(target, value)
        else:
            self.fail(target, "this cannot be assigned to in compiled code")

    def unpack(self, target: ast.Tuple | ast.List, value: Value) -> None:
        value = self.spelled(value)
        if value.type is UNKNOWN:
            for part in target.elts:
                self.assign(part, value)
            return
        if not isinstance(value.type, Tuple):
            self.fail(target, f"{value.type} cannot be unpacked")
        items = self.items_of(value)
        if len(items) != len(target.elts):
            self.fail(target, f"{value.type} cannot be unpacked into {len(target.elts)}")
        for part, item in zip(target.elts, items, strict=True):
            self.assign(part, item)

    # --- ways -------------------------------------------------------------------------------------------

    def do_If(self, node: ast.If) -> None:
        known = self.static(node.test)
        if known is not None:
            self.block(node.body if known else node.orelse)
            return
        if self.fill_if(node):
            return
        yes, no, end = self.label("then"), self.label("else"), self.label("fi")
        self.condition(node.test, yes, no)
        before, ways = set(self.assigned), []
        for label, body in ((yes, node.body), (no, node.orelse)):
            self.assigned = set(before)
            self.dead = True
            self.start(label)
            self.block(body)
            if not self.dead:
                ways.append(self.assigned)
                self.goto(end)
        self.assigned = set.intersection(*ways) if ways else before
        if ways:
            self.start(end)

    def do_While(self, node: ast.While) -> None:
        known = self.static(node.test)
        if known is False:
            self.block(node.orelse)
            return
        head, body, no, end = (self.label(hint) for hint in ("while", "do", "no", "done"))
        self.start(head)
        if known is None:
            self.condition(node.test, body, no)
            self.dead = True
            self.start(body)
        before = set(self.assigned)
        loop = Loop(end, head)
        self.loops.append(loop)
        self.guard(node)
        self.block(node.body)
        self.loops.pop()
        self.goto(head)
        ways = loop.breaks
        if known is None:
            self.start(no)
            self.assigned = set(before)
            self.block(node.orelse)
            if not self.dead:
                ways = [*ways, self.assigned]
                self.goto(end)
        self.assigned = set.intersection(*ways) if ways else before
        if ways:
            self.start(end)

    def do_For(self, node: ast.For) -> None:
        end, after = self.label("done"), self.label("else")
        before = set(self.assigned)
        loop = Loop(end, "")
        depth = len(self.loops)

        def each(value: Value) -> None:
            inside, self.assigned = self.assigned, set(self.assigned)
            loop.again = self.label("next")
            outside, self.loops = self.loops, [*self.loops[:depth], loop]
            self.guard(node)
            here: set[Any] = set()
            if isinstance(value.type, ObjectOf) and isinstance(node.target, ast.Name):
                key = self.key_of(node.target.id)  # each time another, perhaps of another class
                self.constants[key] = value
                self.assigned.add(key)
            else:
                self.targets = here
                self.assign(node.target, value)
                self.targets = None
            self.block(node.body)
            for key in here:  # behind the loop it may be that of any round
                self.constants.pop(key, None)
            self.loops, self.assigned = outside, inside
            self.goto(loop.again)
            self.start(loop.again)

        self.iterate(node.iter, each)
        self.assigned = set(before)
        self.start(after)
        self.block(node.orelse)
        ways = [*loop.breaks, *([] if self.dead else [self.assigned])]
        self.goto(end)
        self.assigned = set.intersection(*ways) if ways else before
        if ways:
            self.start(end)

    def do_Break(self, node: ast.Break) -> None:
        self.loops[-1].breaks.append(set(self.assigned))
        self.goto(self.loops[-1].end)

    def do_Continue(self, node: ast.Continue) -> None:
        self.goto(self.loops[-1].again)

    # --- errors -----------------------------------------------------------------------------------------

    def do_Assert(self, node: ast.Assert) -> None:
        if self.static(node.test) is True:
            return
        bad, good = self.label("bad"), self.label("good")
        self.condition(node.test, good, bad)
        self.dead = True
        self.start(bad)
        self.raise_error(AssertionError, text_of(node.msg), node)
        self.start(good)

    def do_Raise(self, node: ast.Raise) -> None:
        call = node.exc
        thing = call.func if isinstance(call, ast.Call) else call
        cls = self.expression(thing).const if thing is not None else None
        args = call.args if isinstance(call, ast.Call) else []
        if not (isinstance(cls, type) and issubclass(cls, BaseException)) or len(args) > 1:
            self.fail(node, "only an exception with one text can be raised in compiled code")
        self.raise_error(cls, text_of(args[0] if args else None), node)


def text_of(node: ast.expr | None) -> str:
    """What an error says, `…` in place of what is known only when it is raised."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    return "" if node is None else str(node.value) if isinstance(node, ast.Constant) else "…"


REFUSED = {
    "Try": "try and except do not compile",
    "TryStar": "try and except do not compile",
    "With": "with does not compile",
    "FunctionDef": "functions within functions do not compile; make it a method",
    "ClassDef": "classes within functions do not compile",
    "Import": "imports within functions do not compile",
    "ImportFrom": "imports within functions do not compile",
    "Global": "global does not compile; make it an attribute",
    "Nonlocal": "nonlocal does not compile",
    "Delete": "del does not compile",
    "Match": "match does not compile",
    "AsyncFor": "async does not compile",
    "AsyncWith": "async does not compile",
}
