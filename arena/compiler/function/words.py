"""Storage of values on the heap as words, with 8 bytes for each operand."""

from __future__ import annotations

from arena.compiler.function.emitter import Emitter
from arena.compiler.function.memory import allocate
from arena.compiler.types import Type, Value, value_of

HEAP = "!tbaa !15"
LIST = 4  # number of words in the header of a list; the last word is the address of its region


def word_place(em: Emitter, place: str, i: int | str) -> str:
    """Return the address of word `i` from an address on."""
    return em.let(f"getelementptr i64, ptr {place}, i64 {i}")


def load_words(em: Emitter, place: str, at: int, kind: Type) -> Value:
    """Load a value of a type from the words that begin at word `at`."""
    ops = []
    for j, ir in enumerate(kind.irs):
        word = word_place(em, place, at + j)
        if ir == "i1":
            ops.append(em.let(f"trunc i64 {em.let(f'load i64, ptr {word}, {HEAP}')} to i1"))
        else:
            ops.append(em.let(f"load {ir}, ptr {word}, {HEAP}"))
    return value_of(kind, tuple(ops))


def store_words(em: Emitter, place: str, at: int, value: Value) -> None:
    """Store a value in the words that begin at word `at`."""
    for j, (ir, op) in enumerate(zip(value.type.irs, value.ops, strict=True)):
        word = word_place(em, place, at + j)
        if ir == "i1":
            ir, op = "i64", em.let(f"zext i1 {op} to i64")
        em.emit(f"store {ir} {op}, ptr {word}, {HEAP}")


def empty_list(em: Emitter, node: object) -> str:
    """Return the address of a new empty list on the heap; see `vectors.py`."""
    place = zeroed(em, LIST, node)
    em.emit(f"store ptr %heap, ptr {word_place(em, place, LIST - 1)}, {HEAP}")
    return place


def zeroed(em: Emitter, words: int, node: object) -> str:
    """Allocate a number of words in the region of the call, set them to 0, and return their address."""
    em.unit.need_helper("tables")
    place = allocate(em, str(8 * words), node)
    em.emit(f"call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {8 * words}, i1 false)")
    return place
