"""Methods and operators of lists."""

from __future__ import annotations

import ast
from functools import partial

from arena.compiler.function.arrays import element
from arena.compiler.function.comparisons import compared, negated
from arena.compiler.function.dispatch import expression, int_arguments
from arena.compiler.function.emitter import Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.indexing import checked_index, count_loop
from arena.compiler.function.lists import (
    as_item,
    check_room,
    copy_of,
    gather,
    item_place,
    load_item,
    size_of,
    store_behind,
    swap_items,
)
from arena.compiler.function.memory import holds_rows, needs_links
from arena.compiler.function.registry import combines, lowers_method
from arena.compiler.function.traversal import iterate_value
from arena.compiler.function.vectors import as_list
from arena.compiler.types import (
    FLOAT,
    INT,
    NUMBERS,
    UNKNOWN,
    ArrayOf,
    BytearrayOf,
    DequeOf,
    ListOf,
    NoJoin,
    ObjectOf,
    OptionalOf,
    Tuple,
    TupleOf,
    Type,
    Value,
    VectorOf,
    join,
    text_class,
    unsettled,
)

SEVERAL = 8  # number of items compared at once; less than the spare room behind the last item


def repeated(em: Emitter, items: Value, times: Value, node: object) -> Value:
    """Return `items * times`, a list repeated a number of times."""
    times = em.convert(times, INT, node)

    def run(each: Each) -> None:
        count_loop(em, em.constant(0), times, lambda _: iterate_value(em, items, each, node))

    return gather(em, node, run)


def joined_kind(left: Value, right: Value) -> type[ListOf] | None:
    """Return the type of the sum of two values, a list or a tuple of any length; None if it is neither."""
    kinds = [value.type for value in (left, right)]
    if any(isinstance(kind, DequeOf) for kind in kinds):
        return None
    if any(isinstance(kind, BytearrayOf) or text_class(kind) for kind in kinds):
        return None
    if all(isinstance(kind, VectorOf | ListOf) and not isinstance(kind, TupleOf) for kind in kinds):
        return ListOf
    tuples = [
        isinstance(kind, Tuple | TupleOf) or isinstance(value.const, tuple)
        for kind, value in zip(kinds, (left, right), strict=True)
    ]
    return TupleOf if all(tuples) and any(isinstance(kind, TupleOf) for kind in kinds) else None


def joined(em: Emitter, left: Value, right: Value, kind: type[ListOf], node: object) -> Value:
    """Return the concatenation of two lists or tuples."""

    def run(each: Each) -> None:
        iterate_value(em, left, each, None)
        iterate_value(em, right, each, None)

    made = gather(em, node, run)
    return Value(kind(made.item), made.ops, fresh=True)


@combines(TupleOf)
def tuple_operator(em: Emitter, op: ast.AST, left: Value, right: Value | None, node: object) -> Value:
    """Return the result of an operator if an operand is a tuple of any length."""
    optional = isinstance(left.type, OptionalOf) or (right and isinstance(right.type, OptionalOf))
    if right is not None and isinstance(left.type, TupleOf) and isinstance(op, ast.Mult):
        made = repeated(em, left, right, node)
        return Value(TupleOf(made.item), made.ops, fresh=True)
    if right is not None and not optional:
        kind = joined_kind(left, right)
        if isinstance(op, ast.Add) and kind:
            return joined(em, left, right, kind, node)
        if isinstance(op, ast.Eq | ast.NotEq) and kind:
            same = equal_tuples(em, left, right, node)
            return same if isinstance(op, ast.Eq) else negated(em, same)
        if isinstance(op, ast.Eq | ast.NotEq):
            return em.constant(isinstance(op, ast.NotEq))
    if right is None:
        em.fail(node, f"{left.type} does not support this operator in compiled code")
    said = "compared" if isinstance(op, ast.cmpop) else "combined by this operator"
    return em.fail(node, f"{left.type} and {right.type} cannot be {said} in compiled code")


def equal_tuples(em: Emitter, left: Value, right: Value, node: object) -> Value:
    """Compare two tuples or lists for equality; the length of at least one is not known at compile time."""
    if unsettled(left.type) or unsettled(right.type):
        return Value(UNKNOWN)
    one, other = (left, right) if isinstance(left.type, ListOf) else (right, left)
    items = None if isinstance(other.type, ListOf) else em.items_of(other)
    n = other.ops[1] if items is None else str(len(items))
    place, end, alike = em.room("i1"), em.label("end"), em.label("alike")
    em.store("i1", "false", place)
    em.branch(em.let(f"icmp eq i64 {one.ops[1]}, {n}"), alike, end)
    em.start(alike)

    def compare(item: Value, with_item: Value) -> None:
        following = em.label("same")
        em.branch_on(compared(em, ast.Eq(), item, with_item, node), following, end)
        em.start(following)

    if items is None:
        one_at, other_at = (partial(load_item, em, value) for value in (one, other))
        count_loop(em, em.constant(0), one.length, lambda i: compare(one_at(i.op), other_at(i.op)))
    else:
        for j, item in enumerate(items):
            compare(load_item(em, one, str(j)), item)
    em.store("i1", "true", place)
    em.start(end)
    return em.let_bool(f"load i1, ptr {place}")


def equal_lists(em: Emitter, left: Value, right: Value, node: object) -> Value:
    """Compare two lists for equality; one whose items have no type yet is empty."""
    left, right = as_list(em, left), as_list(em, right)
    if UNKNOWN in (left.item, right.item):
        return em.let_bool(f"icmp eq i64 {left.ops[1]}, {right.ops[1]}")
    return equal_tuples(em, left, right, node)


def position(em: Emitter, items: Value, wanted: Value, node: object) -> str:
    """Return the first position of an item, or -1 if there is none.

    Items of a float32 array are compared as float32, as in numpy.
    """
    if isinstance(items.type, ArrayOf) and items.type.dtype == "float32" and wanted.type in NUMBERS:
        narrow = em.let(f"fptrunc double {em.convert(wanted, FLOAT, node).op} to float")
        wanted = em.let_float(f"fpext float {narrow} to double")
    place, end, found = em.room("i64"), em.label("end"), em.label("found")
    em.store("i64", "-1", place)

    def look(i: Value) -> None:
        is_array = isinstance(items.type, ArrayOf)
        item = element(em, items, [i], node) if is_array else load_item(em, items, i.op)
        same = compared(em, ast.Eq(), item, wanted, node)
        other, hit = em.label("other"), em.label("hit")
        em.branch_on(same, hit, other)
        em.start(hit)
        em.store("i64", i.op, place)
        em.goto(end)
        em.start(other)

    count_loop(em, em.constant(0), items.length, look)
    em.start(found)
    em.start(end)
    return em.load("i64", place)


def variable_of(em: Emitter, node: ast.Call) -> object:
    """Return the key of the list variable whose length a method call changes, or raise CannotCompile."""
    assert isinstance(node.func, ast.Attribute)
    base = node.func.value
    key = em.key_of(base.id) if isinstance(base, ast.Name) else None
    if not isinstance(base, ast.Name) or key is None:
        em.fail(node, "compiled code can change the length of a list only in the function that created it")
    kind = em.instance.variables.get(key)
    if isinstance(kind, ListOf) and kind.row:
        em.fail(node, f"compiled code cannot change the length of {kind}")
    if key in {(arg.arg,) for arg in em.instance.node.args.args}:
        text = "compiled code cannot change the length of a list that was passed in"
        em.fail(node, f"{text}; copy it, own = list({base.id})")
    return key


def set_length(em: Emitter, key: object, n: str) -> None:
    """Set the length of the list in a variable."""
    em.store("i64", n, em.slots_of(key, em.instance.variables[key])[1])


@lowers_method(ListOf, "copy", args=(0, 0))
def list_copy(em: Emitter, owner: Value, node: ast.Call) -> Value:
    check_room(em, owner.ops[1], node)
    return copy_of(em, owner)


@lowers_method(ListOf, "append", args=(1, 1))
def list_append(em: Emitter, owner: Value, node: ast.Call) -> Value:
    key = variable_of(em, node)
    append_item(em, key, expression(em, node.args[0]), node)
    return em.constant(None)


def append_item(em: Emitter, key: object, value: Value, node: ast.Call) -> None:
    """Append a value to the list in a variable."""
    value = as_item(em, value, node)
    if isinstance(value.type, ArrayOf | ObjectOf):
        em.fail(node, f"{value.type} cannot be stored in a list in compiled code")
    if holds_rows(value.type):
        needs_links(em)
    now = ListOf(value.type)
    before = em.instance.variables.get(key, UNKNOWN)
    if isinstance(before, ListOf) and unsettled(before) and value.type is not UNKNOWN:
        widen(em, key, before, now, node)
        return
    kind = before.item if isinstance(before, ListOf) else UNKNOWN
    owner = em.get_variable(key)
    if value.type != kind and kind is INT and value.type is FLOAT:
        em.fail(node, "the list contains ints and cannot contain a float")
    value = em.convert(value, kind, node, "an item of the list")
    n = owner.ops[1] if len(owner.ops) > 1 else "0"
    store_behind(em, kind, owner.ops[0] if owner.ops else "undef", n, str(em.unit.cap), value, node)
    set_length(em, key, em.let(f"add nsw i64 {n}, 1"))


def widen(em: Emitter, key: object, before: Type, now: Type, node: object) -> None:
    """Widen the type of a list variable to include an appended item."""
    try:
        kind = join(before, now)
    except NoJoin:
        em.fail(node, f"{now} cannot be appended to {before}")
    if kind != before:
        em.instance.variables[key] = kind
        em.unit.changed = True


@lowers_method(ListOf, "clear", args=(0, 0))
def list_clear(em: Emitter, owner: Value, node: ast.Call) -> Value:
    set_length(em, variable_of(em, node), "0")
    return em.constant(None)


@lowers_method(ListOf, "pop", args=(0, 1))
def list_pop(em: Emitter, owner: Value, node: ast.Call) -> Value:
    key = variable_of(em, node)
    n = owner.ops[1]
    em.check(em.let(f"icmp eq i64 {n}, 0"), IndexError, "pop from empty list", node)
    left = em.let(f"sub i64 {n}, 1")
    if not node.args:
        set_length(em, key, left)
        return load_item(em, owner, left)
    i = checked_index(em, int_arguments(em, node)[0], n, node, "pop", check=True)
    value = load_item(em, owner, i)
    place = item_place(em, owner.item, owner.ops[0], i)
    behind = item_place(em, owner.item, place, "1")
    size = em.let(f"mul i64 {em.let(f'sub i64 {left}, {i}')}, {size_of(owner.item)}")
    em.emit(f"call void @llvm.memmove.p0.p0.i64(ptr {place}, ptr {behind}, i64 {size}, i1 false)")
    set_length(em, key, left)
    return value


@lowers_method(ListOf, "index", args=(1, 1))
def list_index(em: Emitter, owner: Value, node: ast.Call) -> Value:
    i = position(em, owner, expression(em, node.args[0]), node)
    em.check(em.let(f"icmp slt i64 {i}, 0"), ValueError, "the item is not in the list", node)
    return Value(INT, (i,))


@lowers_method(TupleOf, "index", args=(1, 1))
@lowers_method(Tuple, "index", args=(1, 1))
def tuple_index(em: Emitter, owner: Value, node: ast.Call) -> Value:
    wanted = expression(em, node.args[0])
    if wanted.type is UNKNOWN or unsettled(owner.type):
        return Value(UNKNOWN)
    if isinstance(owner.type, TupleOf):
        i = position(em, owner, wanted, node)
    else:
        i = "-1"
        for j, item in reversed([*enumerate(em.items_of(owner))]):
            same = compared(em, ast.Eq(), item, wanted, node)
            i = em.let(f"select i1 {same.op}, i64 {j}, i64 {i}")
    em.check(em.let(f"icmp slt i64 {i}, 0"), ValueError, "tuple.index(x): x not in tuple", node)
    return Value(INT, (i,))


@lowers_method(Tuple, "count", args=(1, 1))
def tuple_count(em: Emitter, owner: Value, node: ast.Call) -> Value:
    wanted, total = expression(em, node.args[0]), em.constant(0)
    if wanted.type is UNKNOWN or unsettled(owner.type):
        return Value(UNKNOWN)
    for item in em.items_of(owner):
        same = compared(em, ast.Eq(), item, wanted, node)
        total = em.let_int(f"add i64 {total.op}, {em.let(f'zext i1 {same.op} to i64')}")
    return total


@lowers_method(TupleOf, "count", args=(1, 1))
@lowers_method(ListOf, "count", args=(1, 1))
def list_count(em: Emitter, owner: Value, node: ast.Call) -> Value:
    wanted = expression(em, node.args[0])
    place = em.room("i64")
    em.store("i64", "0", place)

    def add(more: str) -> None:
        so_far = em.load("i64", place)
        em.store("i64", em.let(f"add i64 {so_far}, {more}"), place)

    def each(value: Value) -> None:
        add(em.let(f"zext i1 {compared(em, ast.Eq(), value, wanted, node).op} to i64"))

    def several(i: Value) -> None:  # items beyond the last are ignored
        row, truths = f"<{SEVERAL} x i64>", f"<{SEVERAL} x i1>"
        numbers = f"<{', '.join(f'i64 {j}' for j in range(SEVERAL))}>"
        items = em.let(f"getelementptr inbounds i64, ptr {owner.ops[0]}, i64 {i.op}")
        items = em.let(f"load {row}, ptr {items}, align 8, !tbaa !13")
        same = em.let(f"icmp eq {row} {items}, {all_alike(em, row, wanted.op)}")
        places = em.let(f"add {row} {all_alike(em, row, i.op)}, {numbers}")
        inside = em.let(f"icmp slt {row} {places}, {all_alike(em, row, owner.ops[1])}")
        both = em.let(f"select {truths} {inside}, {truths} {same}, {truths} zeroinitializer")
        bits = em.let(f"zext i{SEVERAL} {em.let(f'bitcast {truths} {both} to i{SEVERAL}')} to i64")
        add(em.intrinsic("ctpop.i64", bits))

    if owner.type == ListOf(INT) and wanted.type is INT:
        count_loop(em, em.constant(0), owner.length, several, SEVERAL, short=True)
    else:
        iterate_value(em, owner, each, node)
    return em.let_int(f"load i64, ptr {place}")


def all_alike(em: Emitter, row: str, op: str) -> str:
    """Return a vector of ints that are all equal to `op`."""
    first = em.let(f"insertelement {row} poison, i64 {op}, i64 0")
    zeros = f"<{SEVERAL} x i32> zeroinitializer"
    return em.let(f"shufflevector {row} {first}, {row} poison, {zeros}")


@lowers_method(ListOf, "reverse", args=(0, 0))
def list_reverse(em: Emitter, owner: Value, node: ast.Call) -> Value:
    em.unit.writes_moves = True
    half = em.let_int(f"ashr i64 {owner.ops[1]}, 1")
    last = em.let(f"sub i64 {owner.ops[1]}, 1")

    def swap(i: Value) -> None:
        swap_items(em, owner, i.op, em.let(f"sub i64 {last}, {i.op}"))

    count_loop(em, em.constant(0), half, swap)
    return em.constant(None)
