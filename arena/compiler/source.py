"""Syntax trees of user-defined functions, and the objects that names in them refer to."""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import hashlib
import linecache
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from arena.compiler.errors import CannotCompile
from arena.compiler.generated import generated_init, is_generated
from arena.compiler.named import is_frozen
from arena.module_files import parse

NOT_THERE: object = object()
SETS_ATTRIBUTE = dis.opmap["STORE_ATTR"], dis.opmap["DELETE_ATTR"]


@functools.lru_cache(256)
def definitions(file: str, text: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """Return the functions that a file defines, by name and first line; decorators count as lines of it."""
    found = {}
    for node in statements(parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
            found[node.name, first] = node
    return found


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements within a node, at any depth."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.stmt | ast.excepthandler | ast.match_case):
            yield part
            yield from statements(part)


def source(file: str) -> str:
    """Return the text of a file, or of a cell of a notebook."""
    linecache.checkcache(file)
    return "".join(linecache.getlines(file))


def definition(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function, the same object each time as long as its file is unchanged."""
    code = function.__code__
    if is_generated(function):
        cls = class_named(f"{function.__module__}:{function.__qualname__.rpartition('.')[0]}")
        if isinstance(cls, type) and "__dataclass_fields__" in vars(cls):
            return generated_init(cls)
    try:
        found = definitions(code.co_filename, source(code.co_filename))
        return found[function.__name__, code.co_firstlineno]
    except (SyntaxError, KeyError):
        said = f"the source of {function.__qualname__} is not available"
        if hasattr(function, "__wrapped__"):
            said = f"{function.__name__} has a decorator, which does not compile"
        raise CannotCompile(said, code.co_filename, code.co_firstlineno) from None


def look_up(function: FunctionType, name: str) -> object:
    """Return the value of a global or free variable of a function; NOT_THERE if it is not set."""
    if name in function.__code__.co_freevars:
        cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
        try:
            return cell.cell_contents
        except ValueError:  # a variable of an enclosing function that is not set yet
            return NOT_THERE
    if name in function.__globals__:
        return function.__globals__[name]
    return getattr(builtins, name, NOT_THERE)


@functools.cache
def local_names(node: ast.FunctionDef) -> frozenset[str]:
    """Return the names of a function's local variables, including parameters."""
    args = node.args
    given = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    stored = {name for part in walk(node) for name in stored_names(part)}
    inner = {part for one in inner_functions(node) for part in ast.walk(one)}
    named = [part for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]  # also in comprehensions
    stored |= {part.target.id for part in named if part not in inner}
    outer = {name for part in walk(node) if isinstance(part, ast.Nonlocal) for name in part.names}
    return frozenset({arg.arg for arg in given} | stored) - outer


def stored_names(node: ast.AST) -> list[str]:
    """Return a list of the name that a node assigns; empty if it assigns none."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    return [node.name] if isinstance(node, ast.FunctionDef) else []


def inner_functions(node: ast.AST) -> list[ast.AST]:
    """Return the definitions of functions within a function."""
    return [part for part in walk(node) if isinstance(part, ast.FunctionDef)]


@functools.cache
def times_set(node: ast.FunctionDef) -> dict[str, int]:
    """Return the number of assignments to each name in the source of a function."""
    times: dict[str, int] = dict.fromkeys((arg.arg for arg in node.args.args), 1)
    for part in walk(node):
        for name in stored_names(part):
            times[name] = times.get(name, 0) + 1
    for inner in inner_functions(node):
        for part in ast.walk(inner):
            if isinstance(part, ast.Nonlocal):
                times |= dict.fromkeys(part.names, 2)  # also assigned there, an unknown number of times
    return times


@functools.cache
def changing(node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of lists whose length changes in a loop over them, and of those reassigned in one."""
    longer, other = set(), set()
    for loop in ast.walk(node):
        if isinstance(loop, ast.For):
            over = {part.id for part in ast.walk(loop.iter) if isinstance(part, ast.Name)}
            for part in [part for statement in loop.body for part in ast.walk(statement)]:
                if isinstance(part, ast.Attribute) and part.attr in LENGTHS:
                    longer |= over & {getattr(part.value, "id", "")}
                elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    other |= over & {part.id}
    return frozenset(longer), frozenset(other)


LENGTHS = "append", "clear", "extend", "insert", "pop", "remove"  # methods of lists that change their length
INNER = ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp, ast.Lambda, ast.FunctionDef


def walk(node: ast.AST) -> list[ast.AST]:
    """Return the nodes within a function, except those in comprehensions, lambdas and inner functions."""
    found, waiting = [], list(ast.iter_child_nodes(node))
    while waiting:
        part = waiting.pop()
        found.append(part)
        if isinstance(part, INNER):
            continue
        waiting += ast.iter_child_nodes(part)
    return found


# builtins that read a list argument without keeping a reference to it or to a mutable item
READERS = (
    "all", "any", "enumerate", "filter", "len", "list", "map", "max", "min", "reversed", "set", "sorted",
    "sum", "tuple", "zip",
)  # fmt: skip
READING = "choice", "copy", "count", "index", "sample"  # methods, of lists and of random numbers


@functools.cache
def only_read(node: ast.FunctionDef, names: frozenset[str]) -> bool:
    """Return whether a function only reads the lists with these names, and does not pass them on."""
    if yields(node) or any(isinstance(part, ast.Nonlocal | ast.Global) for part in ast.walk(node)):
        return False
    return all(
        reads(parent, part)
        for parent in ast.walk(node)
        for part in ast.iter_child_nodes(parent)
        if isinstance(part, ast.Name) and part.id in names
    )


def reads(parent: ast.AST, name: ast.Name) -> bool:
    """Return whether the parent node of a list's name assigns the name or only reads the list."""
    match parent:
        case ast.Assign() | ast.Return() | ast.Starred():
            return True
        case ast.For(iter=part) | ast.comprehension(iter=part):
            return part is name or isinstance(name.ctx, ast.Store)
        case ast.If(test=part) | ast.While(test=part) | ast.IfExp(test=part):
            return part is name
        case ast.Subscript(value=part, ctx=ast.Load()):
            return part is name
        case ast.Compare(ops=ops):
            return not any(isinstance(op, ast.Is | ast.IsNot) for op in ops)
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Attribute(attr=attr):
            return attr in READING
        case ast.Call(func=ast.Name(id=called)):
            return called in READERS
        case ast.Call(func=ast.Attribute(attr=attr)):
            return attr in READING
    return False


Place = tuple[int, int]  # line and column


@functools.cache
def own_items(node: ast.FunctionDef) -> frozenset[Place] | None:
    """Return the positions of `moves[…]` in the source of a `choose` that returns only items of `moves`.

    The method may also return `rng.choice(moves)`. The result is None if it may return anything else.
    """
    names = [arg.arg for arg in node.args.args][2:4]
    parts = list(ast.walk(node))
    stored = {part.id for part in parts if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)}
    returns = [part.value for part in parts if isinstance(part, ast.Return)]
    if len(names) < 2 or stored & {*names} or not returns:
        return None
    moves, rng = names
    found = []
    while returns:
        match returns.pop():
            case ast.IfExp(body=one, orelse=other):
                returns += [one, other]
            case ast.Subscript(value=ast.Name(id=name)) as item if name == moves:
                found.append((item.lineno, item.col_offset))
            case ast.Call() as call if ast.unparse(call) == f"{rng}.choice({moves})":
                pass
            case _:
                return None
    return frozenset(found)


@functools.cache
def yields(node: ast.FunctionDef) -> int:
    """Return the number of `yield` and `yield from` expressions in the source of a function."""
    return sum(isinstance(part, ast.Yield | ast.YieldFrom) for part in walk(node))


def stored_attributes(code: CodeType) -> set[str]:
    """Return the names of attributes that the bytecode of a function sets or deletes on any object."""
    found, arg = set(), 0
    for op, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        arg = arg << 8 | low
        if op in SETS_ATTRIBUTE:
            found.add(code.co_names[arg])
        if op != dis.EXTENDED_ARG:
            arg = 0
    return found.union(*(stored_attributes(part) for part in code.co_consts if isinstance(part, CodeType)))


def str_of(node: Any) -> str:
    if node is None:
        return ""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


# --- descriptions of values that a compilation depends on -------------------------------------------------


def describe(value: Any) -> str:
    """Return a description of a value that changes if code that uses the value must be recompiled."""
    value = getattr(value, "plain", value)
    value = getattr(value, "generator", value)
    value = getattr(value, "py_func", value)
    if isinstance(value, FunctionType):
        code = value.__code__
        return f"function {value.__module__}.{value.__qualname__} {code.co_filename}:{code.co_firstlineno}"
    if isinstance(value, ModuleType | type):
        return f"{type(value).__name__} {getattr(value, '__module__', '')}.{value.__name__}"
    if isinstance(value, staticmethod | classmethod):
        return f"{type(value).__name__} {describe(value.__func__)}"
    if isinstance(value, property):
        return f"property {describe(value.fget)}"
    if hasattr(value, "tobytes") and hasattr(value, "dtype"):
        digest = hashlib.sha256(value.tobytes()).hexdigest()
        return f"array {value.dtype} {value.shape} {digest}"
    if value is None or isinstance(value, bool | int | float | str | tuple | list):
        return repr(value)
    if type(value) in (dict, set, frozenset):
        items = value.items() if isinstance(value, dict) else sorted(value, key=repr)
        return f"{type(value).__name__} {list(items)!r}"
    return repr(value) if is_frozen(type(value)) else type(value).__qualname__


@functools.lru_cache(256)
def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(file: str) -> str:
    return text_digest(source(file))


def class_named(name: str) -> object:
    """Return the class with a name of the form `module:qualname`; None if there is none."""
    module, _, path = name.partition(":")
    thing: object = sys.modules.get(module)
    for part in path.split("."):
        thing = getattr(thing, part, None)
    return thing


KNOWN_EARLY = ("len", "bool", "is_state_and_move")  # functions whose results may follow from types alone


def is_simple(node: ast.expr) -> bool:
    """Return whether an expression has no comprehension, lambda, `if` or call other than of `KNOWN_EARLY`."""
    return not any(
        isinstance(part, ast.ListComp | ast.GeneratorExp | ast.NamedExpr | ast.Lambda | ast.IfExp)
        or (
            isinstance(part, ast.Call)
            and not (isinstance(part.func, ast.Name) and part.func.id in KNOWN_EARLY)
        )
        for part in ast.walk(node)
    )
