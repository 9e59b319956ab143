"""`Counter`, compiled as a dictionary in which a missing key has the count 0."""

from __future__ import annotations

import ast
from collections import Counter

from arena.compiler.function.arithmetic import binary
from arena.compiler.function.dictionaries import (
    content_of,
    dict_item,
    iterate_table,
    length,
    new_container,
    put,
)
from arena.compiler.function.dispatch import int_argument
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.iteration import iterate
from arena.compiler.function.lists import gather
from arena.compiler.function.reductions import sort
from arena.compiler.function.registry import lowers, lowers_method
from arena.compiler.types import UNKNOWN, DictOf, ListOf, Value


@lowers(Counter, args=(0, 1))
def lower_counter(em: Emitter, node: ast.Call) -> Value:
    made = new_container(em, node, DictOf, Counter)

    def count(key: Value) -> None:
        before = dict_item(em, made, key, node)
        put(em, made, key, binary(em, ast.Add(), before, em.constant(1), node), node)

    for part in node.args:
        iterate(em, part, count)
    return made


def refuse_others(em: Emitter, owner: Value, node: ast.Call, name: str) -> None:
    if content_of(owner).default is not Counter:
        em.fail(node, f"{owner.type} has no {name} in compiled code")


@lowers_method(DictOf, "most_common", args=(0, 1))
def most_common(em: Emitter, owner: Value, node: ast.Call) -> Value:
    """Return pairs of key and count, largest counts first; equal counts are in insertion order."""
    refuse_others(em, owner, node, "most_common")

    def run(each: Each) -> None:
        iterate_table(em, owner, "items", each, node)

    made = gather(em, node, run)
    if made.item is UNKNOWN:
        return made
    sort(em, made, lambda pair: em.items_of(pair)[1], True, ast.Call(node.func, [], []))
    if not node.args:
        return made
    wanted = int_argument(em, node.args[0])
    most = em.intrinsic("smax.i64", wanted.op, "0")
    n = em.intrinsic("smin.i64", most, length(em, owner).op)
    return Value(ListOf(made.item), (made.ops[0], n), fresh=True)


@lowers_method(DictOf, "total", args=(0, 0))
def total_count(em: Emitter, owner: Value, node: ast.Call) -> Value:
    refuse_others(em, owner, node, "total")
    key = (*em.frame.key, id(node), "total")
    em.set_variable(key, em.constant(0), node, "the total")

    def add(value: Value) -> None:
        made = binary(em, ast.Add(), em.get_variable(key), value, node)
        em.set_variable(key, made, node, "the total")

    before = set(em.assigned)
    iterate_table(em, owner, "values", add, node)
    em.assigned = before
    return em.get_variable(key)
