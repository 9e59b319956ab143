"""Statements."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from arena.compiler.function.arithmetic import binary
from arena.compiler.function.assignment import assign, unshared
from arena.compiler.function.attributes import attribute_of, set_attribute
from arena.compiler.function.conditions import condition, static
from arena.compiler.function.dispatch import block, expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Loop
from arena.compiler.function.generators import check_spare_room, yield_if, yield_value
from arena.compiler.function.items import item_of, set_item, subscript
from arena.compiler.function.iteration import iterate, yield_from
from arena.compiler.function.registry import lowers_node
from arena.compiler.function.returns import return_at_end, return_from
from arena.compiler.types import ANNOTATED, NUMBERS, ListOf, ObjectOf, Value


@lowers_node(ast.Pass)
def lower_pass(em: Emitter, node: ast.Pass) -> None:
    pass


@lowers_node(ast.Expr)
def lower_expr(em: Emitter, node: ast.Expr) -> None:
    value = node.value
    if isinstance(value, ast.Constant):
        return
    if isinstance(value, ast.Yield):
        yield_value(em, expression(em, value.value) if value.value else em.constant(None), node)
    elif isinstance(value, ast.YieldFrom):
        yield_from(em, value)
    else:
        expression(em, value)


@lowers_node(ast.Return)
def lower_return(em: Emitter, node: ast.Return) -> None:
    if em.frame.each:
        if node.value is not None:
            em.fail(node, "a generator's return gives nothing")
        if em.frame.end:
            em.goto(em.frame.end)
        else:
            return_at_end(em, node)
        return
    value = expression(em, node.value) if node.value else em.constant(None)
    if isinstance(node.value, ast.Name) and node.value.id not in {arg.arg for arg in em.frame.node.args.args}:
        value = replace(value, fresh=True)
    return_from(em, value, node)


@lowers_node(ast.Assign)
def lower_assign(em: Emitter, node: ast.Assign) -> None:
    pairs = [target for target in node.targets if isinstance(target, ast.Tuple)]
    if len(node.targets) == 1 and pairs and isinstance(node.value, ast.Tuple):
        targets, values = pairs[0].elts, node.value.elts
        if len(targets) == len(values):
            given = [expression(em, value) for value in values]
            for target, value in zip(targets, given, strict=True):
                assign(em, target, unshared(em, target, value, node.value))
            return
    value = expression(em, node.value)
    if isinstance(value.type, ListOf) and len(node.targets) > 1:
        em.fail(node, "a list cannot get two names; make one for each")
    for target in node.targets:
        assign(em, target, unshared(em, target, value, node.value))


@lowers_node(ast.AnnAssign)
def lower_ann_assign(em: Emitter, node: ast.AnnAssign) -> None:
    if node.value is None:
        return
    value, kind = expression(em, node.value), ANNOTATED.get(ast.unparse(node.annotation))
    if kind and value.type in NUMBERS and value.type.rank < kind.rank:
        value = em.convert(value, kind, node)
    assign(em, node.target, unshared(em, node.target, value, node.value))


@lowers_node(ast.AugAssign)
def lower_aug_assign(em: Emitter, node: ast.AugAssign) -> None:
    target = node.target
    if isinstance(target, ast.Name):
        before = expression(em, ast.copy_location(ast.Name(target.id, ast.Load()), target))
        assign(em, target, binary(em, node.op, before, expression(em, node.value), node))
    elif isinstance(target, ast.Attribute):
        owner = expression(em, target.value)
        before = attribute_of(em, owner, target.attr, target)
        made = binary(em, node.op, before, expression(em, node.value), node)
        set_attribute(em, owner, target.attr, made, target)
    elif isinstance(target, ast.Subscript):
        owner, at = expression(em, target.value), subscript(em, target.slice)
        before = item_of(em, owner, at, target)
        set_item(em, owner, at, binary(em, node.op, before, expression(em, node.value), node), target)


@lowers_node(ast.If)
def lower_if(em: Emitter, node: ast.If) -> None:
    known = static(em, node.test)
    if known is not None:
        block(em, node.body if known else node.orelse)
        return
    if yield_if(em, node):
        return
    yes, no, end = em.label("then"), em.label("else"), em.label("fi")
    condition(em, node.test, yes, no)
    before, ways = set(em.assigned), []
    for label, body in ((yes, node.body), (no, node.orelse)):
        em.assigned = set(before)
        em.start(label)
        block(em, body)
        if not em.dead:
            ways.append(em.assigned)
            em.goto(end)
    em.assigned = set.intersection(*ways) if ways else before
    if ways:
        em.start(end)


@lowers_node(ast.While)
def lower_while(em: Emitter, node: ast.While) -> None:
    known = static(em, node.test)
    if known is False:
        block(em, node.orelse)
        return
    head, body, no, end = (em.label(hint) for hint in ("while", "do", "no", "done"))
    em.start(head)
    if known is None:
        condition(em, node.test, body, no)
        em.start(body)
    before = set(em.assigned)
    loop = Loop(end, head)
    em.loops.append(loop)
    check_spare_room(em, node)
    block(em, node.body)
    em.loops.pop()
    em.goto(head)
    ways = loop.breaks
    if known is None:
        em.start(no)
        em.assigned = set(before)
        block(em, node.orelse)
        if not em.dead:
            ways = [*ways, em.assigned]
            em.goto(end)
    em.assigned = set.intersection(*ways) if ways else before
    if ways:
        em.start(end)


@lowers_node(ast.For)
def lower_for(em: Emitter, node: ast.For) -> None:
    end, after = em.label("done"), em.label("else")
    before = set(em.assigned)
    loop = Loop(end, "")
    depth = len(em.loops)

    def each(value: Value) -> None:
        inside, em.assigned = em.assigned, set(em.assigned)
        loop.again = em.label("next")
        outside, em.loops = em.loops, [*em.loops[:depth], loop]
        check_spare_room(em, node)
        here: set[Any] = set()
        if isinstance(value.type, ObjectOf) and isinstance(node.target, ast.Name):
            key = em.key_of(node.target.id)  # each time another, perhaps of another class
            em.constants[key] = value
            em.assigned.add(key)
        else:
            em.targets = here
            assign(em, node.target, value)
            em.targets = None
        block(em, node.body)
        for key in here:  # behind the loop it may be that of any round
            em.constants.pop(key, None)
        em.loops, em.assigned = outside, inside
        em.goto(loop.again)
        em.start(loop.again)

    iterate(em, node.iter, each)
    em.assigned = set(before)
    em.start(after)
    block(em, node.orelse)
    ways = [*loop.breaks, *([] if em.dead else [em.assigned])]
    em.goto(end)
    em.assigned = set.intersection(*ways) if ways else before
    if ways:
        em.start(end)


@lowers_node(ast.Break)
def lower_break(em: Emitter, node: ast.Break) -> None:
    em.loops[-1].breaks.append(set(em.assigned))
    em.goto(em.loops[-1].end)


@lowers_node(ast.Continue)
def lower_continue(em: Emitter, node: ast.Continue) -> None:
    em.goto(em.loops[-1].again)


@lowers_node(ast.Assert)
def lower_assert(em: Emitter, node: ast.Assert) -> None:
    if static(em, node.test) is True:
        return
    bad, good = em.label("bad"), em.label("good")
    condition(em, node.test, good, bad)
    em.start(bad)
    em.raise_error(AssertionError, text_of(node.msg), node)
    em.start(good)


@lowers_node(ast.Raise)
def lower_raise(em: Emitter, node: ast.Raise) -> None:
    call = node.exc
    thing = call.func if isinstance(call, ast.Call) else call
    cls = expression(em, thing).const if thing is not None else None
    args = call.args if isinstance(call, ast.Call) else []
    if not (isinstance(cls, type) and issubclass(cls, BaseException)) or len(args) > 1:
        em.fail(node, "only an exception with one text can be raised in compiled code")
    em.raise_error(cls, text_of(args[0] if args else None), node)


def text_of(node: ast.expr | None) -> str:
    """What an error says, `…` in place of what is known only when it is raised."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    return "" if node is None else str(node.value) if isinstance(node, ast.Constant) else "…"
