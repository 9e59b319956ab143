"""Calls of functions decorated with numba's `njit` from compiled code.

numba is used only if the author's module has imported it. A function that uses only numbers and elements of
arrays is compiled from its source, with the same results. For other functions, compiled code calls numba's
machine code through a wrapper with C types: it takes numbers, and arrays as addresses and shapes, and returns
whether there was an exception.
"""

from __future__ import annotations

import ast
import ctypes
import importlib
import os
import sys
from collections.abc import Callable, MutableSequence
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np

from arena.compiler.errors import CannotCompile
from arena.compiler.source import definition
from arena.errors import one_line

if TYPE_CHECKING:
    from llvmlite import ir
    from numpy.typing import NDArray

T = TypeVar("T")
Words: TypeAlias = MutableSequence[int]
Floats: TypeAlias = MutableSequence[float]
Read: TypeAlias = Callable[[Words, Floats], T]  # reads arguments
Store: TypeAlias = Callable[[T, Words, Floats], None]  # stores results

DEFAULTS = {"nopython", "cache", "nogil", "inline", "boundscheck"}  # options that do not change results
SIMPLE = (
    ast.arguments, ast.arg, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.BinOp, ast.BoolOp, ast.Break,
    ast.Call, ast.Compare, ast.Constant, ast.Continue, ast.Expr, ast.For, ast.FunctionDef, ast.If, ast.IfExp,
    ast.Name, ast.Pass, ast.Return, ast.Subscript, ast.Tuple, ast.UnaryOp, ast.While, ast.expr_context,
    ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
)  # fmt: skip
CALLED = {"range", "len", "abs", "int", "float", "bool"}


@dataclass(frozen=True)
class Native:
    """A function compiled by numba for certain argument types.

    Attributes:
        address: Address of the wrapper with C types.
        results: Types of the numbers that it returns: `int64`, `float64` or `bool`; for an array, its dtype.
        ndim: Number of dimensions of the array that it returns; 0 for numbers.
    """

    address: int
    results: tuple[str, ...]
    ndim: int


class Dispatcher(Protocol):
    """The attributes and methods used here of numba's class for compiled functions."""

    py_func: FunctionType
    targetoptions: dict[str, object]
    overloads: dict[tuple[object, ...], Any]

    def compile(self, sig: tuple[object, ...]) -> object: ...

    def __call__(self, *args: object) -> Any: ...


natives: dict[str, Native] = {}
kept: list[object] = []  # keeps numba's objects alive, since they own the machine code


def is_jitted(thing: object) -> TypeGuard[Dispatcher]:
    """Return whether an object is a function decorated with numba's `jit` or `njit`."""
    if not hasattr(thing, "py_func") or sys.modules.get("numba") is None:
        return False
    return isinstance(thing, importlib.import_module("numba.core.dispatcher").Dispatcher)


def is_translatable(dispatcher: Dispatcher) -> bool:
    """Return whether a function of numba can be compiled from its source with the same results.

    Other functions may have other results: numba adds floats in a different order from numpy, and has its own
    numeric functions.
    """
    if set(dispatcher.targetoptions) - DEFAULTS or not isinstance(dispatcher.py_func, FunctionType):
        return False
    function = dispatcher.py_func
    try:
        parts = [part for statement in definition(function).body for part in ast.walk(statement)]
    except CannotCompile:
        return False
    return all(map(is_simple, parts)) and all(
        is_known(function, part) for part in parts if isinstance(part, ast.Call)
    )


def is_simple(node: ast.AST) -> bool:
    return isinstance(node, SIMPLE) and not isinstance(node, ast.Pow | ast.MatMult)


def is_known(function: FunctionType, call: ast.Call) -> bool:
    """Return whether a call is of a known builtin, or of a numba function compiled from its source."""
    if not isinstance(call.func, ast.Name) or call.keywords:
        return False
    thing = function.__globals__.get(call.func.id)
    if thing is None:
        return call.func.id in CALLED
    return is_jitted(thing) and (thing.py_func is function or is_translatable(thing))


def native(dispatcher: Dispatcher, kinds: tuple[str, ...]) -> tuple[str, Native]:
    """Return the name of a numba function for certain argument types, and the compiled function.

    Args:
        dispatcher: The function.
        kinds: Types of the arguments: `int64`, `float64`, `bool`, or for an array its dtype and number of
            dimensions, such as `float64 2`, and ` fixed` if it is read-only.

    Raises:
        CannotCompile: If numba cannot compile it for these types.
    """
    function = dispatcher.py_func
    key = f"numba {function.__module__}:{function.__qualname__}({', '.join(kinds)})"
    if (found := f"{key} {id(dispatcher)}") not in natives:
        natives[found] = compiled(dispatcher, kinds)
    made = natives[found]
    name = f"{key} -> {', '.join(made.results)} {made.ndim}"
    natives[name] = made
    return name, made


def address_of(name: str) -> int | None:
    """Return the address of a function by its name from `native`; None if there is no such function."""
    path, _, kinds = name.removeprefix("numba ").partition("(")
    kinds = kinds.partition(")")[0]
    module, _, attributes = path.partition(":")
    thing: object = sys.modules.get(module)
    for part in attributes.split("."):
        thing = getattr(thing, part, None)
    if not is_jitted(thing):  # a function of a notebook, for example
        return natives[name].address if name in natives else None
    try:
        found, made = native(thing, tuple(filter(None, kinds.split(", "))))
    except CannotCompile:
        return None
    return made.address if found == name else None


def compiled(dispatcher: Dispatcher, kinds: tuple[str, ...]) -> Native:
    """Have numba compile a function, and a wrapper with C types that calls it."""
    numba = importlib.import_module("numba")
    name, code = dispatcher.py_func.__name__, dispatcher.py_func.__code__
    try:
        signature = tuple(numba_type(numba, kind) for kind in kinds)
        dispatcher.compile(signature)
        results, ndim = result_types(numba, dispatcher.overloads[signature].signature.return_type)
        words, numbers = (numba.types.CPointer(getattr(numba, kind)) for kind in ("int64", "float64"))
        wrapper = wrapper_of(dispatcher, kinds, results, ndim)
        made = numba.cfunc(numba.int32(words, numbers, words, numbers))(wrapper)
    except CannotCompile as error:
        raise CannotCompile(f"{name} {error.text}", code.co_filename, code.co_firstlineno) from None
    except Exception as error:
        said = one_line(error).partition(": ")[2] or one_line(error)
        text = f"numba does not compile {name}: {said}"[:300]
        raise CannotCompile(text, code.co_filename, code.co_firstlineno) from None
    kept.append(made)
    return Native(int(made.address), results, ndim)


def numba_type(numba: ModuleType, kind: str) -> object:
    name, *rest = kind.split()
    of = numba.boolean if name == "bool" else numba.from_dtype(np.dtype(name))
    return numba.types.Array(of, int(rest[0]), "C", readonly="fixed" in rest) if rest else of


def result_types(numba: ModuleType, found: object) -> tuple[tuple[str, ...], int]:
    """Return the types of a function's numeric results, and 0; or the dtype and dimensions of an array."""
    types = numba.types
    if isinstance(found, types.Array):
        dtype = str(found.dtype)
        if dtype not in ("int64", "float64") or found.layout != "C":
            raise CannotCompile(f"returns an array of {dtype}; compiled code takes int64 and float64")
        return (dtype,), int(found.ndim)
    parts = list(found) if isinstance(found, types.BaseTuple) else [] if found is types.none else [found]
    names = tuple(str(types.unliteral(part)).partition("(")[0] for part in parts)
    if odd := [name for name in names if name not in ("int64", "float64", "bool")]:
        raise CannotCompile(
            f"returns {odd[0]}; from numba, compiled code takes only numbers, tuples of numbers, and arrays"
        )
    return names, 0


# --- the wrapper with C types: arguments and results are words of 8 bytes ----------------------------------


def wrapper_of(
    dispatcher: Dispatcher, kinds: tuple[str, ...], results: tuple[str, ...], ndim: int
) -> Callable[..., int]:
    """Return the wrapper with C types; it returns 0, or 1 if there was an exception.

    Its arguments are the address of the results as ints and as floats, and that of the arguments as both.
    """
    arguments = reader_of_all(kinds)
    write = array_writer(ndim) if ndim else number_writer(results)

    def wrapper(outs: Words, float_outs: Floats, words: Words, floats: Floats) -> int:
        try:
            made = dispatcher(*arguments(words, floats))
        except Exception:
            return 1
        write(made, outs, float_outs)
        return 0

    return wrapper


def reader_of_all(kinds: tuple[str, ...], at: int = 0) -> Read[tuple[Any, ...]]:
    """Return a function that reads arguments of these types, from word `at` on, as a tuple."""
    numba = importlib.import_module("numba")
    found: Read[tuple[Any, ...]] = numba.njit(lambda words, floats: ())
    for kind in kinds:
        found = numba.njit(with_one_more(found, numba.njit(reader(numba, kind, at))))
        at += words_of(kind)
    return found


def words_of(kind: str) -> int:
    """Return the number of words of an argument: 1 for a number; for an array, its address and its shape."""
    _, *rest = kind.split()
    return 1 + int(rest[0]) if rest else 1


def with_one_more(before: Read[tuple[T, ...]], one: Read[T]) -> Read[tuple[T, ...]]:
    return lambda words, floats: (*before(words, floats), one(words, floats))


def reader(numba: ModuleType, kind: str, at: int) -> Read[object]:
    """Return a function that reads the argument of this type that begins at word `at`."""
    name, *rest = kind.split()
    if not rest:
        readers: dict[str, Read[float]] = {
            "int64": lambda words, floats: words[at],
            "bool": lambda words, floats: words[at] != 0,
            "float64": lambda words, floats: floats[at],
        }
        return readers[name]
    pointer, carray, dtype = pointer_of(numba), numba.carray, np.dtype(name)
    shape = reader_of_all(("int64",) * int(rest[0]), at + 1)
    return lambda words, floats: carray(pointer(words[at]), shape(words, floats), dtype)


def pointer_of(numba: ModuleType) -> Callable[[int], object]:
    """Return a function for numba code that converts an address to a pointer."""

    @numba.extending.intrinsic  # type: ignore[untyped-decorator] # numba is not imported for its types
    def pointer(context: object, address: object) -> tuple[object, Callable[..., ir.Value]]:
        def write(context: Any, builder: ir.IRBuilder, signature: object, args: tuple[ir.Value]) -> ir.Value:
            return builder.inttoptr(args[0], context.get_value_type(numba.types.voidptr))

        return numba.types.voidptr(address), write

    found: Callable[[int], object] = pointer
    return found


def number_writer(results: tuple[str, ...]) -> Store[Any]:
    """Return a function that stores a number, or the numbers of a tuple."""
    numba = importlib.import_module("numba")
    if len(results) == 1:
        store: Store[Any] = numba.njit(storing_floats if results[0] == "float64" else storing_ints)
        return store
    found: Store[tuple[float, ...]] = numba.njit(lambda made, words, floats: None)
    for i, result in enumerate(results):
        found = numba.njit(also_storing(found, i, result == "float64"))
    return found


def storing_ints(made: int, words: Words, floats: Floats) -> None:
    words[0] = made


def storing_floats(made: float, words: Words, floats: Floats) -> None:
    floats[0] = made


def also_storing(before: Store[tuple[Any, ...]], i: int, is_float: bool) -> Store[tuple[Any, ...]]:
    def ints(made: tuple[int, ...], words: Words, floats: Floats) -> None:
        before(made, words, floats)
        words[i] = made[i]

    def numbers(made: tuple[float, ...], words: Words, floats: Floats) -> None:
        before(made, words, floats)
        floats[i] = made[i]

    return numbers if is_float else ints


def array_writer(ndim: int) -> Store[NDArray[np.generic]]:
    """Return a function that copies an array to memory from `malloc`, and stores its address and shape."""
    numba = importlib.import_module("numba")
    malloc, memcpy = libc("malloc", 1), libc("memcpy", 3)

    def write(made: NDArray[np.generic], words: Words, floats: Floats) -> None:
        size = made.size * made.itemsize
        place = malloc(size + 1)
        if place != 0:
            memcpy(place, made.ctypes.data, size)
        words[0] = place
        for i in range(ndim):
            words[i + 1] = made.shape[i]

    found: Store[NDArray[np.generic]] = numba.njit(write)
    return found


def libc(name: str, words: int) -> Callable[..., int]:
    """Return a function of the C library with `words` integer arguments, which may be addresses."""
    library = ctypes.CDLL(None) if os.name == "posix" else ctypes.cdll.msvcrt
    found = ctypes.CFUNCTYPE(ctypes.c_size_t, *[ctypes.c_size_t] * words)((name, library))
    kept.append(found)
    return found


def exceptions(dispatcher: Dispatcher) -> set[str]:
    """Return the names of the exceptions in a function's `raise` statements, or raised by its divisions."""
    try:
        parts = list(ast.walk(definition(dispatcher.py_func)))
    except CannotCompile:
        return {"Exception"}
    raised = [part.exc for part in parts if isinstance(part, ast.Raise)]
    found = {
        ast.unparse(one.func if isinstance(one, ast.Call) else one) if one else "Exception" for one in raised
    }
    return found | {
        "ZeroDivisionError" for part in parts if isinstance(part, ast.Div | ast.FloorDiv | ast.Mod)
    }
