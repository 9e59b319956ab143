"""Loops over functions of `itertools`, such as `combinations`, `product` and `chain`."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import TypeGuard

from arena.compiler.function.comparisons import compared
from arena.compiler.function.dispatch import expression, int_argument
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.indexing import count_loop
from arena.compiler.function.items import item_of, length_of
from arena.compiler.function.iteration import is_lazy, iterate, range_bounds
from arena.compiler.function.lists import gather
from arena.compiler.function.registry import iterates
from arena.compiler.function.traversal import is_changed, iterate_value
from arena.compiler.source import definition
from arena.compiler.types import INT, UNKNOWN, Tuple, Value

MOST = 4  # maximum number of items of a combination; there is a nested loop for each
ENDLESS = (1 << 63) - 1
Loop = Callable[[Each], None]


def pool_of(em: Emitter, node: ast.expr) -> Value:
    """Return the items of an argument as they are before the loop."""
    if not isinstance(node, ast.GeneratorExp | ast.ListComp | ast.Call):
        value = em.materialize(expression(em, node))
        if isinstance(value.type, Tuple) and len(set(value.type.items)) == 1:
            return value
    return gather(em, node, lambda each: iterate(em, node, each, alone=True))


def size_of(em: Emitter, node: ast.Call, pool: Value, whole: bool) -> int:
    """Return the number of items of each combination.

    It is the second argument of a call, or if `whole`, that of the items of a short tuple without one.
    """
    if whole and len(node.args) == 1 and isinstance(pool.type, Tuple) and 1 <= len(pool.type.items) <= MOST:
        return len(pool.type.items)
    wanted = expression(em, node.args[1]) if len(node.args) == 2 else None
    if node.keywords or wanted is None or not wanted.known or not 1 <= wanted.const <= MOST:
        em.fail(
            node,
            f"{ast.unparse(node.func)} needs a sequence and a constant from 1 to {MOST} in compiled code",
        )
    return int(wanted.const)


def after_last(em: Emitter, places: list[Value]) -> Value:
    """Return the index after the last of the chosen indices; 0 if none is chosen yet."""
    return em.let_int(f"add nsw i64 {places[-1].op}, 1") if places else em.constant(0)


@iterates(itertools.combinations)
def iterate_combinations(em: Emitter, node: ast.Call, each: Each) -> None:
    nested(em, node, each, lambda places: after_last(em, places), apart=False)


@iterates(itertools.combinations_with_replacement)
def iterate_with_replacement(em: Emitter, node: ast.Call, each: Each) -> None:
    nested(em, node, each, lambda places: places[-1] if places else em.constant(0), apart=False)


@iterates(itertools.permutations)
def iterate_permutations(em: Emitter, node: ast.Call, each: Each) -> None:
    nested(em, node, each, lambda places: em.constant(0), apart=True)


def nested(
    em: Emitter, node: ast.Call, each: Each, first: Callable[[list[Value]], Value], apart: bool
) -> None:
    """Write nested loops over the indices of a sequence.

    Args:
        em: The emitter.
        node: The call of the function of `itertools`.
        each: Function that writes the body of the loop for a tuple of items.
        first: Function that returns the first index of a loop, given the indices of the enclosing loops.
        apart: Whether the indices must differ.
    """
    if not node.args:
        em.fail(node, f"{ast.unparse(node.func)} takes a sequence")
    pool = pool_of(em, node.args[0])
    if pool.type is UNKNOWN:
        each(Value(UNKNOWN))
        return
    size = size_of(em, node, pool, whole=apart)
    if getattr(pool.type, "item", INT) is UNKNOWN:
        each(Value(UNKNOWN))
        return
    n = length_of(em, pool, node)

    def loop(places: list[Value]) -> None:
        if len(places) == size:
            each(em.tuple_of([item_of(em, pool, [i], node) for i in places]))
        else:
            count_loop(em, first(places), n, lambda i: step(places, i))

    def step(places: list[Value], i: Value) -> None:
        skip = em.label("skip")
        for other in places if apart else ():
            go = em.label("apart")
            em.branch_on(compared(em, ast.Eq(), i, other, node), skip, go)
            em.start(go)
        loop([*places, i])
        em.start(skip)

    loop([])


@iterates(itertools.product)
def iterate_product(em: Emitter, node: ast.Call, each: Each) -> None:
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    repeat = expression(em, named.pop("repeat")) if "repeat" in named else em.constant(1)
    if named or not repeat.known or not 1 <= len(node.args) * repeat.const <= MOST:
        em.fail(node, f"itertools.product compiles only for up to {MOST} sequences, with repeat= a constant")
    loops = [loop_over(em, part) for part in node.args] * repeat.const

    def loop(items: list[Value]) -> None:
        if len(items) == len(loops):
            each(em.tuple_of(items))
        else:
            loops[len(items)](lambda item: loop([*items, em.materialize(item)]))

    loop([])


def is_range(node: ast.expr, em: Emitter) -> TypeGuard[ast.Call]:
    """Return whether an expression is a call of `range`."""
    name = node.func if isinstance(node, ast.Call) else None
    return isinstance(name, ast.Name) and name.id == "range" and em.key_of("range") is None


def loop_over(em: Emitter, node: ast.expr) -> Loop:
    """Return a function that writes a loop over the items that an argument had before the loop."""
    if is_range(node, em):
        start, stop, step = range_bounds(em, node)
        return lambda each: count_loop(em, start, stop, each, step)
    pool = pool_of(em, node)
    return lambda each: iterate_value(em, pool, each, None)


@iterates(itertools.chain)
def iterate_chain(em: Emitter, node: ast.Call, each: Each) -> None:
    if node.keywords:
        em.fail(node, "itertools.chain takes no keyword arguments")
    for loop in [chained(em, part, node, first=at == 0) for at, part in enumerate(node.args)]:
        loop(each)


def chained(em: Emitter, part: ast.expr, node: ast.Call, first: bool) -> Loop:
    """Return a function that writes the loop over an argument of `chain`, evaluated before all loops.

    The arguments of a generator are evaluated with its loop. It is refused if that could make a difference.
    """
    if is_range(part, em):
        start, stop, step = range_bounds(em, part)
        return lambda each: count_loop(em, start, stop, each, step)
    if not is_lazy(em, part):
        value = em.materialize(expression(em, part))
        return lambda each: iterate_value(em, value, each, part)
    tree = definition(em.instance.function)
    stored = {
        one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    inner = part.generators[0].iter if isinstance(part, ast.GeneratorExp) else part
    for one in [] if first else ast.walk(inner):
        calls = isinstance(one, ast.Call | ast.NamedExpr) and one is not part
        if calls or (isinstance(one, ast.Name) and one.id in stored):
            em.fail(node, f"write list({ast.unparse(part)}) in this call")
    return lambda each: iterate(em, part, each)


@iterates(itertools.pairwise)
def iterate_pairwise(em: Emitter, node: ast.Call, each: Each) -> None:
    if len(node.args) != 1 or node.keywords:
        em.fail(node, "itertools.pairwise needs a sequence")
    if is_changed(em, node.args[0]):
        em.fail(node, "compiled code cannot change a list while pairwise iterates over it; pass list(…)")
    pool = pool_of(em, node.args[0])
    if getattr(pool.type, "item", INT) is UNKNOWN:
        each(Value(UNKNOWN))
        return
    last = em.let_int(f"sub i64 {length_of(em, pool, node).op}, 1")

    def pair(i: Value) -> None:
        places = i, em.let_int(f"add nsw i64 {i.op}, 1")
        each(em.tuple_of([item_of(em, pool, [place], node) for place in places]))

    count_loop(em, em.constant(0), last, pair)


@iterates(itertools.count)
def iterate_count(em: Emitter, node: ast.Call, each: Each) -> None:
    if len(node.args) > 2 or node.keywords:
        em.fail(node, "in compiled code, itertools.count takes only a start and a step")
    start = int_argument(em, node.args[0]) if node.args else em.constant(0)
    step = int_argument(em, node.args[1]) if len(node.args) > 1 else em.constant(1)
    if not step.known or step.const <= 0:
        em.fail(node, "in compiled code, the step of itertools.count must be a constant above 0")
    count_loop(em, start, em.constant(ENDLESS), each, step.const)
