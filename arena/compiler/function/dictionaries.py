"""Dictionaries and sets, see `hashing.py`."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from typing import Any

from arena.compiler.function.dispatch import expression
from arena.compiler.function.emitter import UNLIKELY, Emitter
from arena.compiler.function.frame import Each
from arena.compiler.function.memory import holds_rows
from arena.compiler.function.registry import lowers, lowers_method, lowers_node
from arena.compiler.function.vectors import vector_of
from arena.compiler.function.words import HEAP, empty_list, load_words, store_words, word_place, zeroed
from arena.compiler.hashing import COUNT, ENTRIES, HEADER, REGION, USED, functions, name_of
from arena.compiler.types import (
    BOOL,
    INT,
    NONE,
    UNKNOWN,
    ArrayOf,
    ContainerOf,
    Content,
    DictOf,
    ListOf,
    NoJoin,
    ObjectOf,
    SetOf,
    Text,
    Tuple,
    Type,
    Value,
    VectorOf,
    ViewOf,
    join,
    unsettled,
)

ZEROS: dict[Any, object] = {int: 0, float: 0.0, bool: False}
CHANGED = "{} changed size during iteration"


# --- content ------------------------------------------------------------------------------------------------


def content_of(value: Value) -> Content:
    """Return the content of a container, which has its item types."""
    assert isinstance(value.type, ContainerOf)
    return value.type.content.last()


def new_content(em: Emitter, node: object, what: str) -> Content:
    """Return the content for the container created at a node; the same object in each rewrite."""
    key = (*em.frame.key, id(node), what)
    return em.instance.contents.setdefault(key, Content(what)).last()


def new_container(em: Emitter, node: object, kind: type[ContainerOf], default: Any = None) -> Value:
    """Return a new empty dictionary or set in the region of the call."""
    content = new_content(em, node, "set" if kind is SetOf else "dictionary")
    content.default = default
    if kind is SetOf and content.value is UNKNOWN:
        content.value = NONE
    place = zeroed(em, HEADER, node)
    em.emit(f"store ptr %heap, ptr {word_place(em, place, REGION)}, {HEAP}")
    return Value(kind(content), (place,), fresh=True)


def changeable(em: Emitter, owner: Value, node: object) -> None:
    """Raise CannotCompile if the container is a constant."""
    content = content_of(owner)
    if content.constant:
        em.fail(
            node, f"{content.what} is a constant, which compiled code cannot change; make it an attribute"
        )


def widen(em: Emitter, owner: Value, key: Type, value: Type, node: object) -> None:
    """Widen the content of a container to include keys and values of these types."""
    content = content_of(owner)
    if content.owned and (key.in_region or value.in_region or holds_rows(value)):
        em.fail(node, f"{content.what} cannot keep {value} beyond the call; keep numbers and tuples")
    try:
        content.widen(key, value)
    except NoJoin:
        part, had, given = ("keys", content.key, key)
        try:
            join(content.key, key)
            part, had, given = ("values", content.value, value)
        except NoJoin:
            pass
        em.fail(node, f"{content.what} has {part} of different types: {had} and {given}")


def is_key(kind: Type) -> bool:
    """Return whether values of a type can be keys in compiled code."""
    if isinstance(kind, Tuple):
        return all(map(is_key, kind.items))
    return isinstance(kind, Text) or kind in (INT, BOOL, NONE, UNKNOWN)


def key_words(em: Emitter, owner: Value, key: Value, node: object) -> str | None:
    """Return a key as arguments of the functions of `hashing.py`; None if its type is not known yet."""
    key = em.as_texts(em.required(key, node))
    if key.type is UNKNOWN or unsettled(key.type):
        return None
    if not is_key(key.type):
        em.fail(
            node,
            f"in compiled code, a key must be an int, a text or a tuple of these, not {key.type}",
        )
    widen(em, owner, key.type, UNKNOWN, node)
    words = []
    converted = em.convert(key, content_of(owner).key, node)
    for ir, op in zip(converted.type.irs, converted.ops, strict=True):
        words.append(f"i64 {em.let(f'zext i1 {op} to i64') if ir == 'i1' else op}")
    return "".join(f", {word}" for word in words)


def call_table(em: Emitter, owner: Value, what: str, words: str) -> str:
    """Call `find` or `add`, and return the address of the entry; null if not found, or out of memory."""
    content = content_of(owner)
    sizes = len(content.key.irs), len(content.value.irs)
    em.unit.need_helper("tables")
    em.unit.declared[name_of("find", *sizes)] = functions(*sizes)
    return em.let(f"call ptr {name_of(what, *sizes)}(ptr {owner.op}{words})")


def find(em: Emitter, owner: Value, key: Value, node: object) -> str | None:
    """Return the address of the entry of a key, null if there is none; None if types are not known yet."""
    words = key_words(em, owner, key, node)
    if words is None or content_of(owner).value is UNKNOWN:
        return None
    return call_table(em, owner, "find", words)


def value_at(em: Emitter, owner: Value, entry: str) -> Value:
    """Return the value of an entry."""
    content = content_of(owner)
    return load_words(em, entry, 1 + len(content.key.irs), content.value)


def put(em: Emitter, owner: Value, key: Value, value: Value, node: object) -> None:
    """Write code that sets the value of a key."""
    changeable(em, owner, node)
    value = em.as_texts(value)
    words = key_words(em, owner, key, node)
    if is_new_list(em, value, node):
        value = new_list(em, owner, value, node)
    if words is None or value.type is UNKNOWN or unsettled(value.type):
        return
    if isinstance(value.type, ListOf | ArrayOf | ObjectOf) or holds_rows(value.type):
        em.fail(node, f"{value.type} cannot be stored in {owner.type} in compiled code")
    widen(em, owner, UNKNOWN, value.type, node)
    value = em.convert(value, content_of(owner).value, node)
    entry = call_table(em, owner, "add", words)
    em.check(em.let(f"icmp eq ptr {entry}, null"), MemoryError, "", node)
    store_words(em, entry, 1 + len(content_of(owner).key.irs), value)


def is_new_list(em: Emitter, value: Value, node: object) -> bool:
    """Return whether a value is a new list; raise CannotCompile if it is a list that has a name."""
    if type(value.type) is not ListOf or value.type.row:
        return False
    if not value.fresh:
        em.fail(node, "a list that has a name cannot be stored in a dictionary; write list(…) for a copy")
    return True


def list_content(em: Emitter, owner: Value, node: object) -> Content:
    """Return the content of a list at a node that becomes a value of a dictionary."""
    items = new_content(em, node, "list")
    items.is_list = True
    widen(em, owner, UNKNOWN, VectorOf(items), node)
    return items.last()


def new_list(em: Emitter, owner: Value, items: Value, node: object) -> Value:
    """Return a new list on the heap, as a value of a dictionary, with the items of another list."""
    return vector_of(em, items, list_content(em, owner, node), node)


def put_all(em: Emitter, owner: Value, given: Value, node: object) -> None:
    """Write code that sets the keys of a dictionary to the values that another has for them."""

    def each(item: Value) -> None:
        if item.type is not UNKNOWN:
            key, value = em.items_of(item)
            put(em, owner, key, value, node)

    iterate_table(em, given, "items", each, node)


def length(em: Emitter, owner: Value) -> Value:
    return em.let_int(f"load i64, ptr {word_place(em, owner.op, COUNT)}, {HEAP}")


def has_key(em: Emitter, owner: Value, key: Value, node: object) -> Value:
    """Return whether a dictionary or a set has a key."""
    entry = find(em, owner, key, node)
    return Value(UNKNOWN) if entry is None else em.let_bool(f"icmp ne ptr {entry}, null")


def dict_item(em: Emitter, owner: Value, key: Value, node: object) -> Value:
    """Return the value of a key; at run time, KeyError is raised if the key is missing."""
    default = content_of(owner).default
    if default is Counter:
        return counted(em, owner, key, node)
    if default is list:
        return set_default(em, owner, key, None, node)
    if default is not None:
        return set_default(em, owner, key, em.constant(ZEROS[default]), node)
    entry = find(em, owner, key, node)
    if entry is None:
        return Value(UNKNOWN)
    em.check(em.let(f"icmp eq ptr {entry}, null"), KeyError, "the key is missing", node)
    return value_at(em, owner, entry)


def counted(em: Emitter, owner: Value, key: Value, node: object) -> Value:
    """Return the count of a key in a Counter, 0 if it is missing."""
    entry = find(em, owner, key, node)
    return em.constant(0) if entry is None else one_or_other(em, owner, entry, em.constant(0), node)


def set_default(em: Emitter, owner: Value, key: Value, default: Value | None, node: object) -> Value:
    """Return the value of a key, after setting it to a default if there is none; None is an empty list."""
    changeable(em, owner, node)
    default = em.materialize(default) if default else None
    words = key_words(em, owner, key, node)
    is_list = default is not None and is_new_list(em, default, node)
    if is_list:
        list_content(em, owner, node)
    if words is None or (default and default.type is UNKNOWN):
        return Value(UNKNOWN)
    if default and not is_list:
        widen(em, owner, UNKNOWN, default.type, node)
    before = length(em, owner).op
    entry = call_table(em, owner, "add", words)
    em.check(em.let(f"icmp eq ptr {entry}, null"), MemoryError, "", node)
    new, known = em.label("new"), em.label("known")
    em.branch(em.let(f"icmp eq i64 {before}, {length(em, owner).op}"), known, new)
    em.start(new)
    if default and is_list:
        default = new_list(em, owner, default, node)
    kind = content_of(owner).value
    value = em.convert(default, kind, node) if default else Value(kind, (empty_list(em, node),))
    store_words(em, entry, 1 + len(content_of(owner).key.irs), value)
    em.start(known)
    return value_at(em, owner, entry)


def remove(em: Emitter, owner: Value, entry: str, node: object) -> None:
    """Write code that removes an existing entry."""
    changeable(em, owner, node)
    em.emit(f"store i64 0, ptr {entry}, {HEAP}")
    count = em.let(f"sub i64 {length(em, owner).op}, 1")
    em.emit(f"store i64 {count}, ptr {owner.op}, {HEAP}")


def delete_item(em: Emitter, owner: Value, key: Value, node: object) -> None:
    """Write code that removes a key, or raises KeyError."""
    entry = find(em, owner, key, node)
    if entry is not None:
        em.check(em.let(f"icmp eq ptr {entry}, null"), KeyError, "the key is missing", node)
        remove(em, owner, entry, node)


def clear(em: Emitter, owner: Value, node: object) -> None:
    changeable(em, owner, node)
    em.unit.need_helper("tables")
    em.emit(f"call void @arena.clear(ptr {owner.op})")


# --- loops --------------------------------------------------------------------------------------------------


def iterate_table(em: Emitter, owner: Value, what: str, each: Each, node: object) -> None:
    """Write a loop over the keys, values or items of a dictionary or set, in order of insertion."""
    content = content_of(owner)
    if content.key is UNKNOWN or content.value is UNKNOWN:
        each(Value(UNKNOWN))
        return
    key_size, size = len(content.key.irs), 1 + len(content.key.irs) + len(content.value.irs)
    place, before = em.room("i64"), length(em, owner).op
    head, look, live, after, end = (em.label(hint) for hint in ("loop", "look", "body", "next", "end"))
    em.store("i64", "0", place)
    em.start(head)
    other = em.let(f"icmp ne i64 {length(em, owner).op}, {before}")
    em.check(
        other, RuntimeError, CHANGED.format("Set" if isinstance(owner.type, SetOf) else "dictionary"), node
    )
    i = em.load("i64", place)
    used = em.let(f"load i64, ptr {word_place(em, owner.op, USED)}, {HEAP}")
    em.branch(em.let(f"icmp ult i64 {i}, {used}"), look, end)
    em.start(look)
    em.store("i64", em.let(f"add nuw i64 {i}, 1"), place)
    entries = em.let(f"load ptr, ptr {word_place(em, owner.op, ENTRIES)}, {HEAP}")
    entry = em.let(f"getelementptr [{size} x i64], ptr {entries}, i64 {i}")
    dead = em.let(f"icmp eq i64 {em.let(f'load i64, ptr {entry}, {HEAP}')}, 0")
    em.branch(dead, head, live, UNLIKELY)
    em.start(live)
    parts = []
    if what != "values":
        parts.append(load_words(em, entry, 1, content.key))
    if what != "keys":
        parts.append(load_words(em, entry, 1 + key_size, content.value))
    each(parts[0] if len(parts) == 1 else em.tuple_of(parts))
    em.start(after)
    em.goto(head)
    em.start(end)


# --- creation -----------------------------------------------------------------------------------------------


@lowers_node(ast.Dict)
def lower_dict_display(em: Emitter, node: ast.Dict) -> Value:
    if any(key is None for key in node.keys):
        em.fail(node, "** does not compile")
    owner = new_container(em, node, DictOf)
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        assert key_node
        key = expression(em, key_node)
        put(em, owner, key, expression(em, value_node), value_node)
    return owner


@lowers_node(ast.Set)
def lower_set_display(em: Emitter, node: ast.Set) -> Value:
    owner = new_container(em, node, SetOf)
    for part in node.elts:
        put(em, owner, expression(em, part), em.constant(None), part)
    return owner


@lowers(defaultdict, args=(0, 1))
def lower_defaultdict(em: Emitter, node: ast.Call) -> Value:
    default = expression(em, node.args[0]).const if node.args else None
    if default is not None and default is not list and default not in ZEROS:
        em.fail(node, "defaultdict compiles only with int, float, bool or list")
    owner = new_container(em, node, DictOf, default)
    if default is list:
        list_content(em, owner, node)
    return owner


# --- methods ------------------------------------------------------------------------------------------------


@lowers_method(DictOf, "get", args=(1, 2))
def dict_get(em: Emitter, owner: Value, node: ast.Call) -> Value:
    key = expression(em, node.args[0])
    default = em.materialize(expression(em, node.args[1]) if len(node.args) > 1 else em.constant(None))
    if is_new_list(em, default, node):
        default = new_list(em, owner, default, node)
    entry = find(em, owner, key, node)
    if entry is None:  # as far as known, nothing has been stored yet
        return default if default.type is not NONE else Value(UNKNOWN)
    return one_or_other(em, owner, entry, default, node)


def one_or_other(em: Emitter, owner: Value, entry: str, default: Value, node: Any) -> Value:
    """Return the value of an entry, or a default if the address of the entry is null."""
    made = (*em.frame.key, id(node), "got")
    has, none, end = em.label("has"), em.label("none"), em.label("got")
    before = set(em.assigned)
    em.branch(em.let(f"icmp eq ptr {entry}, null"), none, has)
    em.start(has)
    em.set_variable(made, value_at(em, owner, entry), node, "this")
    em.goto(end)
    em.start(none)
    em.set_variable(made, default, node, "this")
    em.start(end)
    em.assigned = before
    return em.get_variable(made)


@lowers_method(DictOf, "setdefault", args=(2, 2))
def dict_setdefault(em: Emitter, owner: Value, node: ast.Call) -> Value:
    key = expression(em, node.args[0])
    return set_default(em, owner, key, expression(em, node.args[1]), node)


@lowers_method(DictOf, "update", args=(1, 1))
def dict_update(em: Emitter, owner: Value, node: ast.Call) -> Value:
    given = em.materialize(expression(em, node.args[0]))
    if content_of(owner).default is Counter:
        em.fail(node, "update of a Counter does not compile")
    if isinstance(given.type, DictOf):
        put_all(em, owner, given, node)
    elif given.type is not UNKNOWN:
        em.fail(node, f"update compiles only with another dictionary, not {given.type}")
    return em.constant(None)


@lowers_method(DictOf, "copy", args=(0, 0))
def dict_copy(em: Emitter, owner: Value, node: ast.Call) -> Value:
    made = new_container(em, node, DictOf, content_of(owner).default)
    put_all(em, made, owner, node)
    return made


@lowers_method(DictOf, "pop", args=(1, 2))
def dict_pop(em: Emitter, owner: Value, node: ast.Call) -> Value:
    key = expression(em, node.args[0])
    default = em.materialize(expression(em, node.args[1])) if len(node.args) > 1 else None
    entry = find(em, owner, key, node)
    if entry is None:
        return Value(UNKNOWN)
    if default is None:
        em.check(em.let(f"icmp eq ptr {entry}, null"), KeyError, "the key is missing", node)
        value = value_at(em, owner, entry)
        remove(em, owner, entry, node)
        return value
    value = one_or_other(em, owner, entry, default, node)
    remove_if_there(em, owner, entry, node)
    return value


def remove_if_there(em: Emitter, owner: Value, entry: str, node: object) -> None:
    there, end = em.label("there"), em.label("gone")
    em.branch(em.let(f"icmp eq ptr {entry}, null"), end, there)
    em.start(there)
    remove(em, owner, entry, node)
    em.start(end)


@lowers_method(DictOf, "clear", args=(0, 0))
@lowers_method(SetOf, "clear", args=(0, 0))
def table_clear(em: Emitter, owner: Value, node: ast.Call) -> Value:
    clear(em, owner, node)
    return em.constant(None)


@lowers_method(DictOf, "keys", args=(0, 0))
def dict_keys(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return Value(ViewOf(owner.type, "keys"), owner.ops)


@lowers_method(DictOf, "values", args=(0, 0))
def dict_values(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return Value(ViewOf(owner.type, "values"), owner.ops)


@lowers_method(DictOf, "items", args=(0, 0))
def dict_items(em: Emitter, owner: Value, node: ast.Call) -> Value:
    return Value(ViewOf(owner.type, "items"), owner.ops)


@lowers_method(SetOf, "add", args=(1, 1))
def set_add(em: Emitter, owner: Value, node: ast.Call) -> Value:
    put(em, owner, expression(em, node.args[0]), em.constant(None), node)
    return em.constant(None)


@lowers_method(SetOf, "discard", args=(1, 1))
def set_discard(em: Emitter, owner: Value, node: ast.Call) -> Value:
    entry = find(em, owner, expression(em, node.args[0]), node)
    if entry is not None:
        remove_if_there(em, owner, entry, node)
    return em.constant(None)


@lowers_method(SetOf, "remove", args=(1, 1))
def set_remove(em: Emitter, owner: Value, node: ast.Call) -> Value:
    delete_item(em, owner, expression(em, node.args[0]), node)
    return em.constant(None)
