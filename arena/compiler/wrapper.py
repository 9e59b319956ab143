"""Entry points of compiled functions: with the C calling convention, and as builtin functions of Python.

With the C convention, the parameters of an entry are the operands of its arguments and the address where it
stores the result; it returns 0 or the number of an exception. As a builtin function, it takes Python objects
by vectorcall, converts them, and returns an object.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.compiler.errors import NO_ROOM, NO_STACK
from arena.compiler.heap import REGION
from arena.compiler.stack import FRAME
from arena.compiler.types import (
    BOOL,
    FLOAT,
    GAME,
    INT,
    NONE,
    RNG,
    SPARE,
    ListOf,
    ObjectOf,
    OptionalOf,
    Text,
    Tuple,
    Type,
)
from arena.rng import Rng

if TYPE_CHECKING:
    from arena.compiler.instance import Entry, Instance
    from arena.compiler.unit import Unit

C_API = {
    "PyLong_AsLongLong": "i64 (ptr)",
    "PyLong_AsUnsignedLongLongMask": "i64 (ptr)",
    "PyLong_FromLongLong": "ptr (i64)",
    "PyLong_FromUnsignedLongLong": "ptr (i64)",
    "PyFloat_AsDouble": "double (ptr)",
    "PyFloat_FromDouble": "ptr (double)",
    "PyObject_IsTrue": "i32 (ptr)",
    "PyBool_FromLong": "ptr (i64)",
    "PyTuple_GetItem": "ptr (ptr, i64)",
    "PyTuple_Size": "i64 (ptr)",
    "PyTuple_New": "ptr (i64)",
    "PyTuple_SetItem": "i32 (ptr, i64, ptr)",
    "PyList_GetItem": "ptr (ptr, i64)",
    "PyList_Size": "i64 (ptr)",
    "PyList_New": "ptr (i64)",
    "PyList_SetItem": "i32 (ptr, i64, ptr)",
    "PyUnicode_GetLength": "i64 (ptr)",
    "PyUnicode_AsUCS4": "ptr (ptr, ptr, i64, i32)",
    "PyUnicode_FromKindAndData": "ptr (i32, ptr, i64)",
    "PyBytes_Size": "i64 (ptr)",
    "PyBytes_AsString": "ptr (ptr)",
    "PyBytes_FromStringAndSize": "ptr (ptr, i64)",
    "PyObject_Type": "ptr (ptr)",
    "PyObject_GetAttr": "ptr (ptr, ptr)",
    "Py_IncRef": "void (ptr)",
    "Py_DecRef": "void (ptr)",
    "PyErr_Occurred": "ptr ()",
    "PyErr_SetObject": "void (ptr, ptr)",
    "PyErr_SetNone": "void (ptr)",
    "PyErr_Clear": "void ()",
    "PyObject_Vectorcall": "ptr (ptr, ptr, i64, ptr)",
    "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyThread_tss_get": "ptr (ptr)",
}
CODES: dict[type, str] = {str: "i32", bytes: "i8"}  # LLVM types of characters and bytes in Python's objects
OBJECTS = None, Rng, "stream"  # the Python objects in the table `objects`


def outside(unit: Unit, entry: Entry, instance: Instance) -> str:
    """Return an entry point with the C calling convention, in LLVM assembly."""
    fixed = unit.entries[entry.name][2]
    parameters, given, types, at = [], [], list(instance.types), 0
    for i, kind in enumerate(types):
        if i in fixed:
            given += [f"{ir} {op}" for ir, op in zip(kind.irs, fixed[i].ops, strict=True)]
            continue
        for ir in kind.irs:
            parameters.append(f"{ir} %a{at}")
            given.append(f"{ir} %a{at}")
            at += 1
    if instance.fills:
        given += ["ptr %out", f"i64 {unit.cap}"]
    returned = instance.returned()
    lines = stack_checked(unit, instance)
    if instance.limited:
        given.append("i64 %left")
    if instance.allocates:
        lines[:0] = [f"%heap = alloca {REGION}", f"store {REGION} zeroinitializer, ptr %heap"]
        given.append("ptr %heap")
    call = f"call fastcc {returned} @{instance.symbol}({', '.join(given)})"
    status = "0"
    irs = ("i64",) if instance.fills else instance.result.irs
    ops: list[str] = []
    if returned == "void":
        lines.append(call)
    else:
        lines.append(f"%made = {call}")
        if returned == "i32" and instance.may_raise and not irs:
            status = "%made"
        elif returned.startswith("{"):
            first = int(instance.may_raise)
            if first:
                lines.append(f"%status = extractvalue {returned} %made, 0")
                status = "%status"
            for i in range(len(irs)):
                lines.append(f"%o{i} = extractvalue {returned} %made, {first + i}")
                ops.append(f"%o{i}")
        else:
            ops.append("%made")
    if instance.allocates:
        lines.append("call void @arena.release(ptr %heap, ptr null, i64 0)")
    for i, (ir, op) in enumerate(zip(irs, ops, strict=True)):
        lines.append(f"%p{i} = getelementptr i64, ptr %result, i64 {i}")
        if ir == "i1":
            lines.append(f"%w{i} = zext i1 {op} to i64")
            ir, op = "i64", f"%w{i}"
        lines.append(f"store {ir} {op}, ptr %p{i}")
    if instance.fills:
        most = unit.most if instance.owner is GAME else unit.cap
        site = unit.site(IndexError, f"{NO_ROOM} {most} items, the game's max_moves", *instance.place)
        lines.append(f"%over = icmp sgt i64 {ops[0]}, {most}")
        lines.append(f"%fits = select i1 %over, i32 {site}, i32 {status}")
        status = "%fits"
    lines.append(f"ret i32 {status}")
    if instance.fills:
        parameters.append("ptr %out")
    body = "\n  ".join(lines)
    takes = ", ".join([*parameters, "ptr %result"])
    return f"define i32 @{entry.name}({takes}) nounwind {{\n  {body}\n}}\n"


def stack_checked(unit: Unit, instance: Instance) -> list[str]:
    """Return LLVM lines that exit with RecursionError if the stack is too small for a compiled function.

    There are no lines for a function that needs no check. For a recursive function, the lines define `%left`,
    the number of further calls for which there is room.
    """
    if instance.limited:
        unit.need_helper("calls")
        most = max(one.bytes for one in (instance, *instance.callees()) if one.recursive) + FRAME
        lines = [f"%left = call i64 @arena.calls(i64 {most})", "%full = icmp slt i64 %left, 0"]
    elif instance.large:
        unit.need_helper("full")
        lines = [f"%full = call i1 @arena.full(i64 {instance.bytes})"]
    else:
        return []
    site = unit.site(RecursionError, NO_STACK, *instance.place)
    branch = "br i1 %full, label %over, label %room, !prof !0"
    return [*lines, branch, "over:", f"ret i32 {site}", "room:"]


class Writer:
    """Writes the entry point that Python calls, in LLVM assembly."""

    def __init__(self, unit: Unit, entry: Entry) -> None:
        self.unit, self.entry = unit, entry
        self.lines: list[str] = []
        self.count = 0
        # list arguments: object, address of the copied items, number of items
        self.lists: list[tuple[str, str, str]] = []
        # random number arguments: object, address of the two copied words, and their original values
        self.streams: list[tuple[str, str, list[str]]] = []

    def let(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %x{self.count} = {text}")
        return f"%x{self.count}"

    def emit(self, text: str) -> None:
        self.lines.append("  " + text)

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def call(self, name: str, *given: str) -> str:
        result, _, kinds = C_API[name].partition(" ")
        self.unit.declared[name] = f"declare {result} @{name}{kinds}"
        text = f"call {result} @{name}({', '.join(given)})"
        if result == "void":
            self.emit(text)
            return ""
        return self.let(text)

    def fail_if(self, condition: str) -> None:
        """Exit from the function if a condition is true, since an argument is of the wrong type."""
        self.count += 1
        good = f"good{self.count}"
        self.emit(f"br i1 {condition}, label %failed, label %{good}, !prof !0")
        self.start(good)

    def taken(self, kind: Type, thing: str) -> list[str]:
        """Convert an argument, given as a pointer to the object, and return its operands."""
        if kind is RNG:
            return [self.taken_stream(thing)]
        if kind is INT or isinstance(kind, ObjectOf):
            word = self.call("PyLong_AsLongLong", f"ptr {thing}")
            self.count += 1
            maybe, fine = f"maybe{self.count}", f"fine{self.count}"
            self.emit(f"br i1 {self.let(f'icmp eq i64 {word}, -1')}, label %{maybe}, label %{fine}, !prof !0")
            self.start(maybe)
            error = self.call("PyErr_Occurred")
            self.emit(f"br i1 {self.let(f'icmp ne ptr {error}, null')}, label %failed, label %{fine}")
            self.start(fine)
            return [word if kind is INT else self.let(f"inttoptr i64 {word} to ptr")]
        if kind is FLOAT:
            word = self.call("PyFloat_AsDouble", f"ptr {thing}")
            error = self.call("PyErr_Occurred")
            self.fail_if(self.let(f"icmp ne ptr {error}, null"))
            return [word]
        if kind is BOOL:
            truth = self.call("PyObject_IsTrue", f"ptr {thing}")
            self.fail_if(self.let(f"icmp slt i32 {truth}, 0"))
            return [self.let(f"icmp ne i32 {truth}, 0")]
        if isinstance(kind, Tuple):
            size = self.call("PyTuple_Size", f"ptr {thing}")
            self.fail_if(self.let(f"icmp slt i64 {size}, 0"))
            wrong = self.let(f"icmp ne i64 {size}, {len(kind.items)}")
            self.emit(f"br i1 {wrong}, label %misfit, label %fit{self.count}, !prof !0")
            self.start(f"fit{self.count}")
            ops = []
            for i, item in enumerate(kind.items):
                ops += self.taken(item, self.call("PyTuple_GetItem", f"ptr {thing}", f"i64 {i}"))
            return ops
        if isinstance(kind, Text):
            return self.taken_text(kind, thing)
        if isinstance(kind, ListOf):
            return self.taken_list(thing)
        if kind is GAME:
            return []
        raise AssertionError(kind)

    def taken_text(self, kind: Text, thing: str) -> list[str]:
        """Return the codes of the characters of a text, or the items of bytes."""
        is_str = kind.cls is str
        size = self.call("PyUnicode_GetLength" if is_str else "PyBytes_Size", f"ptr {thing}")
        self.fail_if(self.let(f"icmp slt i64 {size}, 0"))
        wrong = self.let(f"icmp ne i64 {size}, {kind.length}")
        self.emit(f"br i1 {wrong}, label %misfit, label %fit{self.count}, !prof !0")
        self.start(f"fit{self.count}")
        if is_str:
            data = self.text_room(kind)
            copied = f"ptr {data}", f"i64 {kind.length}", "i32 0"
            none = self.call("PyUnicode_AsUCS4", f"ptr {thing}", *copied)
            self.fail_if(self.let(f"icmp eq ptr {none}, null"))
        else:
            data = self.call("PyBytes_AsString", f"ptr {thing}")
        ir, ops = CODES[kind.cls], []
        for i in range(kind.length):
            code = self.let(f"load {ir}, ptr {self.let(f'getelementptr {ir}, ptr {data}, i64 {i}')}")
            ops.append(self.let(f"zext {ir} {code} to i64"))
        return ops

    def text_room(self, kind: Text) -> str:
        """Allocate memory for the codes of a text in the frame, and return its address."""
        self.count += 1
        self.rooms.append(f"  %t{self.count} = alloca {CODES[kind.cls]}, i64 {max(1, kind.length)}, align 8")
        return f"%t{self.count}"

    def given_text(self, kind: Text, words: list[str]) -> str:
        """Return a new reference to a text, or to bytes; see `given`."""
        data, ir = self.text_room(kind), CODES[kind.cls]
        for i in range(kind.length):
            code = self.let(f"trunc i64 {words.pop(0)} to {ir}")
            self.emit(f"store {ir} {code}, ptr {self.let(f'getelementptr {ir}, ptr {data}, i64 {i}')}")
        given = f"ptr {data}", f"i64 {kind.length}"
        if kind.cls is bytes:
            return self.call("PyBytes_FromStringAndSize", *given)
        return self.call("PyUnicode_FromKindAndData", "i32 4", *given)

    def taken_list(self, thing: str) -> list[str]:
        """Copy a list of ints to the frame, and return its operands."""
        size = self.call("PyList_Size", f"ptr {thing}")
        self.fail_if(self.let(f"icmp slt i64 {size}, 0"))
        over = self.let(f"icmp ugt i64 {size}, {self.unit.cap}")
        self.emit(f"br i1 {over}, label %misfit, label %fit{self.count}, !prof !0")
        self.start(f"fit{self.count}")
        data = f"%l{self.count}"
        self.rooms.append(f"  {data} = alloca i64, i64 {self.unit.cap + SPARE}")
        with self.each(size) as i:
            (word,) = self.taken(INT, self.call("PyList_GetItem", f"ptr {thing}", f"i64 {i}"))
            self.emit(f"store i64 {word}, ptr {self.let(f'getelementptr i64, ptr {data}, i64 {i}')}")
        self.lists.append((thing, data, size))
        return [data, size]

    def object(self, thing: object) -> str:
        """Load the pointer to one of `OBJECTS`."""
        return self.let(f"load ptr, ptr getelementptr (ptr, ptr @objects, i64 {OBJECTS.index(thing)})")

    def taken_stream(self, thing: str) -> str:
        """Copy the stream of an `Rng` to the frame, and return its address."""
        cls = self.call("PyObject_Type", f"ptr {thing}")
        self.call("Py_DecRef", f"ptr {cls}")  # the object keeps its class alive
        wrong = self.let(f"icmp ne ptr {cls}, {self.object(Rng)}")
        self.emit(f"br i1 {wrong}, label %misfit, label %fit{self.count}, !prof !0")
        self.start(f"fit{self.count}")
        stream = self.call("PyObject_GetAttr", f"ptr {thing}", f"ptr {self.object('stream')}")
        self.fail_if(self.let(f"icmp eq ptr {stream}, null"))
        words = []
        for i in range(2):
            item = self.call("PyList_GetItem", f"ptr {stream}", f"i64 {i}")
            words.append(self.call("PyLong_AsUnsignedLongLongMask", f"ptr {item}"))
        self.call("Py_DecRef", f"ptr {stream}")
        self.fail_if(self.let(f"icmp ne ptr {self.call('PyErr_Occurred')}, null"))
        data = f"%s{self.count}"
        self.rooms.append(f"  {data} = alloca [2 x i64]")
        for i, word in enumerate(words):
            self.emit(f"store i64 {word}, ptr {self.let(f'getelementptr i64, ptr {data}, i64 {i}')}")
        self.streams.append((thing, data, words))
        return data

    def give_back_stream(self, thing: str, data: str, before: list[str]) -> None:
        """Copy those words of a stream that have changed from the frame back to the `Rng`."""
        for i, word in enumerate(before):
            now = self.let(f"load i64, ptr {self.let(f'getelementptr i64, ptr {data}, i64 {i}')}")
            n = self.count
            self.emit(f"br i1 {self.let(f'icmp eq i64 {now}, {word}')}, label %kept{n}, label %drawn{n}")
            self.start(f"drawn{n}")
            stream = self.call("PyObject_GetAttr", f"ptr {thing}", f"ptr {self.object('stream')}")
            item = self.call("PyLong_FromUnsignedLongLong", f"i64 {now}")
            self.call("PyList_SetItem", f"ptr {stream}", f"i64 {i}", f"ptr {item}")
            self.call("Py_DecRef", f"ptr {stream}")
            self.emit(f"br label %kept{n}")
            self.start(f"kept{n}")

    def give_back(self, thing: str, data: str, size: str) -> None:
        """Copy the items of a list argument from the frame back to the list."""
        with self.each(size) as i:
            word = self.let(f"load i64, ptr {self.let(f'getelementptr i64, ptr {data}, i64 {i}')}")
            item = self.call("PyLong_FromLongLong", f"i64 {word}")
            self.call("PyList_SetItem", f"ptr {thing}", f"i64 {i}", f"ptr {item}")

    @contextmanager
    def each(self, size: str) -> Iterator[str]:
        """Write a loop over `range(size)`, whose body is what is written within the context."""
        n = self.count = self.count + 1
        self.rooms.append(f"  %i{n} = alloca i64")
        self.emit(f"store i64 0, ptr %i{n}")
        self.emit(f"br label %head{n}")
        self.start(f"head{n}")
        i = self.let(f"load i64, ptr %i{n}")
        self.emit(f"br i1 {self.let(f'icmp slt i64 {i}, {size}')}, label %more{n}, label %all{n}")
        self.start(f"more{n}")
        yield i
        self.emit(f"store i64 {self.let(f'add i64 {i}, 1')}, ptr %i{n}")
        self.emit(f"br label %head{n}")
        self.start(f"all{n}")

    rooms: list[str]

    def given(self, kind: Type, words: list[str]) -> str:
        """Return a new reference to a Python object for a value, whose operands are removed from `words`.

        The operand of a bool is an i64.
        """
        if isinstance(kind, Tuple):
            made = self.call("PyTuple_New", f"i64 {len(kind.items)}")
            for i, item in enumerate(kind.items):
                self.call("PyTuple_SetItem", f"ptr {made}", f"i64 {i}", f"ptr {self.given(item, words)}")
            return made
        if isinstance(kind, Text):
            return self.given_text(kind, words)
        if isinstance(kind, OptionalOf):
            return self.given_optional(kind, words)
        if kind is NONE:
            none = self.object(None)
            self.call("Py_IncRef", f"ptr {none}")
            return none
        if kind is FLOAT:
            return self.call("PyFloat_FromDouble", f"double {words.pop(0)}")
        return self.call("PyBool_FromLong" if kind is BOOL else "PyLong_FromLongLong", f"i64 {words.pop(0)}")

    def given_optional(self, kind: OptionalOf, words: list[str]) -> str:
        """Return a new reference to a Python object for a value that may be None; see `given`."""
        inner = [words.pop(0) for _ in kind.of.irs]
        n = self.count = self.count + 1
        self.rooms.append(f"  %o{n} = alloca ptr")
        there = self.let(f"icmp ne i64 {words.pop(0)}, 0")
        self.emit(f"br i1 {there}, label %some{n}, label %none{n}")
        for label, of in (("some", kind.of), ("none", NONE)):
            self.start(f"{label}{n}")
            self.emit(f"store ptr {self.given(of, inner)}, ptr %o{n}")
            self.emit(f"br label %end{n}")
        self.start(f"end{n}")
        return self.let(f"load ptr, ptr %o{n}")

    def given_result(self, kind: Type) -> str:
        if isinstance(kind, ListOf):
            return self.given_list(kind)
        words = []
        for i, ir in enumerate(kind.irs):
            place = self.let(f"getelementptr i64, ptr %result, i64 {i}")
            words.append(self.let(f"load {'double' if ir == 'double' else 'i64'}, ptr {place}"))
        return self.given(kind, words)

    def given_list(self, kind: ListOf) -> str:
        size = self.let("load i64, ptr %result")
        made = self.call("PyList_New", f"i64 {size}")
        with self.each(size) as i:
            words, irs = [], kind.item.irs
            for j, ir in enumerate(irs):
                path = f"{slot_of(irs)}, ptr %list, i64 {i}" + (f", i32 {j}" if len(irs) > 1 else "")
                word = self.let(f"load {ir}, ptr {self.let(f'getelementptr {path}')}")
                words.append(self.let(f"zext i1 {word} to i64") if ir == "i1" else word)
            part = self.given(kind.item, words)
            self.call("PyList_SetItem", f"ptr {made}", f"i64 {i}", f"ptr {part}")
        return made


def slot_of(irs: tuple[str, ...]) -> str:
    """Return LLVM's type of an item of a list."""
    return irs[0] if len(irs) == 1 else f"{{ {', '.join(irs) or 'i64'} }}"


def python(unit: Unit, entry: Entry) -> str:
    """Return an entry point that Python calls as METH_FASTCALL | METH_KEYWORDS, in LLVM assembly."""
    w = Writer(unit, entry)
    w.rooms = []
    instance = unit.entries[entry.name][1]
    ops: list[str] = []
    other = w.let(f"icmp ne i64 %n, {len(entry.types)}")
    wrong = w.let(f"or i1 {other}, {w.let('icmp ne ptr %names, null')}")
    w.emit(f"br i1 {wrong}, label %misfit, label %enough, !prof !0")
    w.start("enough")
    for i, kind in enumerate(entry.types):
        place = w.let(f"getelementptr ptr, ptr %args, i64 {i}")
        thing = w.let(f"load ptr, ptr {place}")
        ops += [f"{ir} {op}" for ir, op in zip(kind.irs, w.taken(kind, thing), strict=True)]
    if instance.fills:
        item = instance.result.item if isinstance(instance.result, ListOf) else INT
        w.rooms.append(f"  %list = alloca {slot_of(item.irs)}, i64 {unit.cap + SPARE}, align 8")
        ops.append("ptr %list")
    if entry.releases:
        thread = w.call("PyEval_SaveThread")
    status = w.let(f"call i32 @{entry.name}({', '.join([*ops, 'ptr %result'])})")
    if entry.releases:
        w.call("PyEval_RestoreThread", f"ptr {thread}")
    for stream in w.streams:
        w.give_back_stream(*stream)
    if unit.writes_moves:
        for given in w.lists:
            w.give_back(*given)
    w.emit(f"br i1 {w.let(f'icmp ne i32 {status}, 0')}, label %raised, label %fine, !prof !0")
    w.start("fine")
    made = w.given_result(instance.result)
    w.emit(f"ret ptr {made}")
    w.start("raised")
    at = w.let(f"shl i64 {w.let(f'zext i32 {status} to i64')}, 1")
    place = w.let(f"getelementptr i64, ptr @sites, i64 {at}")
    error = w.let(f"load ptr, ptr {place}")
    text = w.let(f"load ptr, ptr {w.let(f'getelementptr i64, ptr {place}, i64 1')}")
    w.call("PyErr_SetObject", f"ptr {error}", f"ptr {text}")
    w.emit("ret ptr null")
    w.start("failed")
    w.emit("br label %misfit")
    w.start("misfit")
    if entry.else_plain:
        w.call("PyErr_Clear")
        made = w.call("PyObject_Vectorcall", "ptr %self", "ptr %args", "i64 %n", "ptr %names")
        w.emit(f"ret ptr {made}")
    else:
        error = w.let("load ptr, ptr @sites")
        text = w.let("load ptr, ptr getelementptr (i64, ptr @sites, i64 1)")
        w.call("PyErr_SetObject", f"ptr {error}", f"ptr {text}")
        w.emit("ret ptr null")
    size = max(1, len(instance.result.irs))
    head = "\n".join([f"  %result = alloca i64, i64 {size}", *w.rooms])
    body = "\n".join(w.lines)
    return (
        f"define ptr @python.{entry.name}(ptr %self, ptr %args, i64 %n, ptr %names) nounwind {{\n{head}\n"
        f"  br label %begin\nbegin:\n{body}\n}}\n"
    )
