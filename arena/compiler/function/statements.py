"""Statements, and returns from the function."""

from __future__ import annotations

import ast
from dataclasses import replace

from arena.compiler.errors import NO_RESULT
from arena.compiler.function.assignment import assign
from arena.compiler.function.conditions import condition, static
from arena.compiler.function.dispatch import block, expression
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Loop
from arena.compiler.function.generators import check_spare_room, clamped_length, yield_if
from arena.compiler.function.iteration import iterate, tuple_of_values, unstarred, yield_from
from arena.compiler.function.lists import copy_items
from arena.compiler.function.memory import end_region, holds_rows
from arena.compiler.function.names import hold, may_replace
from arena.compiler.function.positions import as_position, holds_text
from arena.compiler.function.registry import lowers_node
from arena.compiler.game_methods import GIVE_POSITIONS
from arena.compiler.named import is_frozen
from arena.compiler.types import (
    GAME,
    INT,
    NONE,
    NUMBERS,
    UNKNOWN,
    ListOf,
    NoJoin,
    ObjectOf,
    OptionalOf,
    TextOf,
    Tuple,
    TupleOf,
    Value,
    join,
)


@lowers_node(ast.Pass)
def lower_pass(em: Emitter, node: ast.Pass) -> None:
    pass


@lowers_node(ast.Expr)
def lower_expr(em: Emitter, node: ast.Expr) -> None:
    value = node.value
    if isinstance(value, ast.Constant):
        return
    if isinstance(value, ast.Yield):
        given = expression(em, value.value) if value.value else em.constant(None)
        if em.frame.each is None:
            em.fail(node, "yield does not compile here")
        em.frame.each(given)
    elif isinstance(value, ast.YieldFrom):
        yield_from(em, value)
    else:
        expression(em, value)


@lowers_node(ast.Return)
def lower_return(em: Emitter, node: ast.Return) -> None:
    if em.frame.each:
        if node.value is not None:
            em.fail(node, "return with a value does not compile in a generator")
        if em.frame.end:
            em.goto(em.frame.end)
        else:
            return_at_end(em, node)
        return
    parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] if node.value else []
    values = [last_value(em, part, parts) for part in parts]
    if isinstance(node.value, ast.Tuple):
        em.position = node.value if gives_position(em) else None
        values = [tuple_of_values(em, node.value, values)]
        em.position = None
    return_from(em, values[0] if values else em.constant(None), node)


def last_value(em: Emitter, part: ast.expr, parts: list[ast.expr]) -> Value:
    """Return the value of a returned expression; a list that only a local variable refers to is a new one."""
    value, given = expression(em, unstarred(part)), {arg.arg for arg in em.frame.node.args.args}
    times = sum(isinstance(one, ast.Name) and one.id == getattr(part, "id", "") for one in parts)
    return replace(value, fresh=True) if times == 1 and getattr(part, "id", "") not in given else value


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
        here: set[object] = set()
        if isinstance(value.type, ObjectOf) and isinstance(node.target, ast.Name):
            key = em.key_of(node.target.id)  # a different item in each iteration, perhaps of another class
            em.constants[key] = value
            em.assigned.add(key)
        else:
            em.targets = here
            assign(em, node.target, value)
            em.targets = None
        block(em, node.body)
        for key in here:  # after the loop, it may be the item of any iteration
            em.constants.pop(key, None)
        em.loops, em.assigned = outside, inside
        em.goto(loop.again)
        em.start(loop.again)

    hold_iterated(em, node)
    iterate(em, node.iter, each)
    em.assigned = set(before)
    em.start(after)
    block(em, node.orelse)
    ways = [*loop.breaks, *([] if em.dead else [em.assigned])]
    em.goto(end)
    em.assigned = set.intersection(*ways) if ways else before
    if ways:
        em.start(end)


def hold_iterated(em: Emitter, node: ast.For) -> None:
    """Note that a loop over an attribute, or over its `items()` or the like, uses it while the body runs."""
    base = node.iter
    if isinstance(base, ast.Call) and isinstance(base.func, ast.Attribute) and not base.args:
        base = base.func.value
    if isinstance(base, ast.Attribute | ast.Subscript) and may_replace(node.body):
        with em.undone():
            value = expression(em, base)
        hold(em, value, node.body, node)


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
    if node.exc is None and em.caught:
        em.return_error(em.caught[-1])
        return
    call = node.exc
    thing = call.func if isinstance(call, ast.Call) else call
    cls = expression(em, thing).const if thing is not None else None
    args = call.args if isinstance(call, ast.Call) else []
    if not (isinstance(cls, type) and issubclass(cls, BaseException)) or len(args) > 1:
        em.fail(node, "compiled code can raise only an exception with one string as its argument")
    em.raise_error(cls, text_of(args[0] if args else None), node)


def text_of(node: ast.expr | None) -> str:
    """Return the message of an exception, with `…` for parts that are unknown at compile time."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    return "" if node is None else str(node.value) if isinstance(node, ast.Constant) else "…"


def return_at_end(em: Emitter, node: object) -> None:
    if em.instance.generator:
        n = em.let(f"load i64, ptr {em.filled}")
        return_value(em, Value(INT, (clamped_length(em, n),)))
    elif em.instance.is_int or em.instance.result in (NONE, UNKNOWN):
        return_from(em, em.constant(None), node)
    else:
        em.fail(node, f"{em.instance.function.__name__} returns {em.instance.result}, but nothing at its end")


def return_value(em: Emitter, value: Value) -> None:
    em.returned, kind = True, em.instance.returned()
    ops = list(zip(value.type.irs, value.ops, strict=True))
    end_region(em)
    if kind == "void":
        em.emit("ret void")
    elif kind == "i32":
        em.emit("ret i32 0")
    elif not kind.startswith("{"):
        em.emit(f"ret {kind} {value.op}")
    else:
        made = "undef"
        if em.instance.may_raise:
            ops.insert(0, ("i32", "0"))
        for i, (ir, op) in enumerate(ops):
            made = em.let(f"insertvalue {kind} {made}, {ir} {op}, {i}")
        em.emit(f"ret {kind} {made}")
    em.dead = True


def gives_position(em: Emitter) -> bool:
    """Return whether the function's result is a position of the game."""
    return em.instance.owner is GAME and em.instance.function.__name__ in GIVE_POSITIONS


def return_from(em: Emitter, value: Value, node: object) -> None:
    """Write the `return` of a value from the function."""
    instance, returned, em.returned = em.instance, em.returned, True
    if isinstance(value.const, tuple) or is_frozen(type(value.const)):
        value = em.materialize(value)
    if instance.annotated and value.type in NUMBERS:
        value = em.convert(value, join(value.type, instance.annotated), node)
    varies = isinstance(value.type, TupleOf) or (isinstance(value.type, Tuple) and holds_rows(value.type))
    begins = instance.owner is GAME and instance.function.__name__ == "initial"
    if (varies and gives_position(em)) or (holds_text(em.unit.state) and (begins or gives_position(em))):
        value = as_position(em, value, em.unit.state, node)
    if instance.is_int and isinstance(value.type, OptionalOf):
        value = em.required(value, node, NO_RESULT)
    if instance.is_int and value.type is NONE:
        em.returned = returned
        em.raise_error(TypeError, NO_RESULT, node)
        return
    try:
        kind = join(UNKNOWN if instance.is_int and instance.result is NONE else instance.result, value.type)
    except NoJoin:
        em.fail(
            node, f"{instance.function.__name__} returns {value.type} here, but {instance.result} elsewhere"
        )
    if kind != instance.result:
        em.unit.changed |= returned or instance.result is not UNKNOWN
        fills, instance.result = instance.fills, kind
        em.unit.changed |= instance.fills != fills
    value = em.convert(value, kind, node)
    if isinstance(kind, ListOf) and not kind.row:
        if not value.fresh and not isinstance(kind, TextOf):
            em.fail(node, "a list that was passed in cannot be returned; return a copy, list(…)")
        copy_items(em, value, em.out)
        value = value.length
    if kind is not UNKNOWN:
        return_value(em, value)
    else:
        em.emit("unreachable")
        em.dead = True
