"""Classes that no worker can import: written in a notebook's cells or in a script.

They travel as source: the class, and what it names of the place it was written in. Their source stands for
them in digests, too, and so is the same everywhere.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import hashlib
import importlib
import inspect
import linecache
import math
import symtable
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, lru_cache, partial
from itertools import chain
from types import CodeType, FunctionType, ModuleType
from typing import Any

from arena.api.component import as_array, author_of
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.registry.imports import module_made
from arena.registry.written_types import import_of, is_type, statement_of

# the script's, which may be hidden for a moment later on
MAIN_FILE = getattr(sys.modules["__main__"], "__file__", None)
PREFIX = "arena_written_"  # of the modules that workers make of sources
PIECES = "__pieces__"  # what such a module was made of, by name
IMPORTED = "__imported__"  # from where it imports what, by name
SET_SINCE = "__set_since__"  # attributes that its classes were given
CHANGED = "is not what its source says: it was changed since, or defined twice, or the file was edited"
MISSING = object()
OF_CODE = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_flags")
# what a class has that its source does not say, or says elsewhere
OF_EVERY_CLASS = {
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__",
    "__dict__", "__doc__", "__firstlineno__", "__module__", "__orig_bases__", "__parameters__",
    "__slotnames__", "__static_attributes__", "__weakref__", "_abc_impl", "options",
}  # fmt: skip


@dataclass(frozen=True)
class Piece:
    """A definition: what it defines, its text, and where it was written, by which errors tell it.

    is_type: whether it is a statement that gives a type a name, such as `State = tuple[int, int]`.
    """

    name: str
    file: str
    line: int
    text: str
    is_type: bool = False

    def made(self, function: FunctionType) -> bool:
        """Whether a function is one that stands here, as it stands here now."""
        code = function.__code__
        if code.co_filename == "<string>":  # by a data class
            return True
        last = self.line + self.text.count("\n") - 1
        if code.co_filename != self.file or not self.line <= code.co_firstlineno <= last:
            return False
        try:
            codes = codes_of("".join(linecache.getlines(self.file)))
        except SyntaxError:  # a cell with magics
            return True
        where = code.co_qualname, code.co_firstlineno
        return any(
            same_code(code, other) for other in codes if (other.co_qualname, other.co_firstlineno) == where
        )

    def show(self) -> None:
        """Have errors and the compiler find the text by its file and line, where these do not give it."""
        own = self.text.splitlines(keepends=True)
        there = linecache.getlines(self.file)
        first, last = self.line - 1, self.line - 1 + len(own)
        if there[first:last] == own:
            return
        entry = linecache.cache.get(self.file)
        lines = list(there) if entry and len(entry) > 1 and entry[1] is None else []  # of other pieces
        lines += ["\n"] * (last - len(lines))
        lines[first:last] = own
        linecache.cache[self.file] = (sum(map(len, lines)), None, lines, self.file)


@dataclass(frozen=True)
class Source:
    """All that it takes to make a class in another process.

    name: of the class. pieces: definitions, each after those that it needs to be made. imports: by name,
    `module` or `module:attribute`. constants: by name, as Python writes them. attributes: likewise, by
    `Class.name`, what was set since the class was made. future: whether annotations stay texts (PEP 563).
    """

    name: str
    pieces: tuple[Piece, ...]
    imports: tuple[tuple[str, str], ...]
    constants: tuple[tuple[str, str], ...]
    future: bool
    attributes: tuple[tuple[str, str], ...] = ()

    @cached_property
    def text(self) -> str:
        """All of it, whatever it lay in."""
        named = [f"{name} = {what}" for name, what in (*self.imports, *self.constants, *self.attributes)]
        return "\n".join([self.name, *named, *(piece.text for piece in self.pieces)])

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def load(self, shown: bool = True) -> object:
        """The class, made in this process if it is not there yet.

        shown: whether errors and the compiler are to find its text, as they do where it was written.
        """
        module = ModuleType(PREFIX + self.digest, "Written elsewhere, and sent here as source.")
        return getattr(module_made(module.__name__, module, partial(self.run, shown)), self.name)

    def run(self, shown: bool, module: ModuleType) -> None:
        """Have the module be what the source says. May raise anything."""
        space = vars(module)
        space[PIECES] = {piece.name: piece for piece in self.pieces}
        space[IMPORTED] = dict(self.imports)
        space[SET_SINCE] = dict(self.attributes)
        for own, target in self.imports:
            space[own] = imported(target)
        for own, text in self.constants:
            space[own] = constant(text)
        flags = __future__.annotations.compiler_flag if self.future else 0
        for piece in self.pieces if shown else ():
            piece.show()
        for piece in self.pieces:
            tree = ast.increment_lineno(ast.parse(piece.text), piece.line - 1)
            exec(compile(tree, piece.file, "exec", flags, dont_inherit=True), space)
        for where, text in self.attributes:
            owner, _, attribute = where.partition(".")
            setattr(space[owner], attribute, constant(text))


@dataclass(frozen=True)
class WrittenSpec(Spec):
    """A spec whose class travels as source."""

    source: Source

    @cached_property
    def cls(self) -> object:
        return self.source.load()

    def __reduce__(self) -> Any:
        return WrittenSpec, (self.text, self.target, self.values, self.source)


@dataclass(frozen=True)
class StayingSpec(Spec):
    """A spec whose class cannot travel, and why: it plays in this process alone."""

    why: str

    def __reduce__(self) -> Any:
        raise ArenaError(self.why)


def is_written(cls: object) -> bool:
    """Whether a class is to travel as source."""
    module: str = cls.__module__
    return module == "__main__" or module.startswith(PREFIX)


def source_of(cls: type) -> Source:
    """A class's source, with that of all it names where it was written, or ArenaError if it cannot travel."""
    return Gatherer(cls).source()


class Gatherer:
    """Collects what a class names, and what that names."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.home = cls.__module__
        self.globals = vars(sys.modules[self.home])
        self.space = {**self.globals, cls.__qualname__: cls}  # where another may be called so since
        self.pieces: dict[str, Piece] = {}
        self.imports: dict[str, str] = {}
        self.constants: dict[str, str] = {}

    def source(self) -> Source:
        name = self.cls.__qualname__
        current = self.globals.get(name)
        if not isinstance(current, type):
            raise self.cannot(name, "is not at the top of what it was written in; define it there")
        if current is not self.cls and not functions_of(self.cls):
            raise self.cannot(name, "was defined anew, and no method of its own tells which is which")
        self.gather(name)
        future = self.space.get("annotations") is __future__.annotations
        plain = Source(
            name,
            tuple(self.pieces.values()),
            tuple(sorted(self.imports.items())),
            tuple(sorted(self.constants.items())),
            future,
        )
        set_since = {} if PIECES in self.space else dict(self.set_since(plain))
        set_since |= self.space.get(SET_SINCE, {})
        return replace(plain, attributes=tuple(sorted(set_since.items())))

    def set_since(self, source: Source) -> Iterator[tuple[str, str]]:
        """Attributes that classes were given since they were made.

        ArenaError if one cannot travel, or if what is in memory is not what its source makes.
        """
        made = vars(sys.modules[source.load(shown=False).__module__])
        for name, piece in self.pieces.items():
            here, there = self.space[name], made[name]
            if piece.is_type:  # which was compared when it was taken in
                continue
            if not isinstance(here, type):
                if not piece.made(author_of(inspect.unwrap(here))):
                    raise self.cannot(name, CHANGED)
                continue
            same = members_of(here).keys() if members_of(here) == members_of(there) else set()
            for attribute in (vars(here).keys() | vars(there).keys()) - OF_EVERY_CLASS - same:
                values = [vars(cls).get(attribute, MISSING) for cls in (here, there)]
                function, other = (author_of(unwrapped(value)) for value in values)
                if isinstance(function, FunctionType) and function.__globals__ is self.globals:
                    if piece.made(function):
                        continue
                elif alike(function, other):
                    continue
                text = text_of(values[0])
                if text is None:
                    raise self.cannot(f"{name}.{attribute}", CHANGED)
                yield f"{name}.{attribute}", text

    def gather(self, name: str) -> None:
        """Take in what a name means, and before it what its making takes."""
        if name in self.pieces or name in self.imports or name in self.constants:
            return
        thing = self.space[name]
        if isinstance(thing, ModuleType):
            self.imports[name] = thing.__name__
        elif (isinstance(thing, type | FunctionType) or wraps(thing)) and thing.__module__ == self.home:
            piece = self.space.get(PIECES, {}).get(name) or piece_of(name, thing) or self.named_type(name)
            if piece is None:
                raise self.cannot(name, "has no source here; put it into a file of its own and import that")
            self.take(piece)
        elif target := target_of(thing):
            self.imports[name] = target
        elif (text := text_of(thing)) is not None:
            self.constants[name] = text
        elif is_type(thing) and (piece := self.space.get(PIECES, {}).get(name) or self.named_type(name)):
            self.take(piece)
        elif is_type(thing) and (target := self.import_of_type(name)):
            self.imports[name] = target
        elif not hasattr(builtins, name):
            kind = type(thing).__name__
            raise self.cannot(
                name, f"is a {kind}, and cannot travel to worker processes; make it in the class"
            )

    def take(self, piece: Piece) -> None:
        """Take in a definition, and before it what its making takes."""
        self.pieces[piece.name] = piece  # here already, for those that name each other
        for other in named_in(piece.text):
            if other in self.space and other != piece.name:
                self.gather(other)
        self.pieces[piece.name] = self.pieces.pop(piece.name)  # after those

    def named_type(self, name: str) -> Piece | None:
        """The statement that gives a type this name, if there is one."""
        found = statement_of(name, self.space[name], self.files, self.space)
        return Piece(name, *found, is_type=True) if found else None

    def import_of_type(self, name: str) -> str:
        """The `module:attribute` from which a type is imported by this name, nothing if it is not."""
        known: str = self.space.get(IMPORTED, {}).get(name, "")
        return known or import_of(name, self.space[name], self.files)

    @cached_property
    def files(self) -> list[str]:
        """The files or cells that what the class names may be of, the likeliest first."""
        cells = [file for file in reversed(linecache.cache) if is_cell(file)]
        return list(dict.fromkeys([*files_of(self.cls), *cells]))

    def cannot(self, name: str, why: str) -> ArenaError:
        of = "" if name == self.cls.__qualname__ else f", which {self.cls.__name__} names,"
        return ArenaError(f"{name!r}{of} {why}, or play with executor='serial'")


def named_in(text: str) -> list[str]:
    """The names that a definition looks up where it stands, each once; not those of its own variables."""
    found = (node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name))
    looked_up = set(names_outside(symtable.symtable(text, "", "exec")))
    return [name for name in dict.fromkeys(found) if name in looked_up]


def names_outside(table: symtable.SymbolTable) -> Iterator[str]:
    """The names that are, or may be, of the module."""
    for symbol in table.get_symbols():
        of_either = table.get_type() == "class" and symbol.is_referenced() and symbol.is_assigned()
        if symbol.is_global() or of_either:  # as in `x = x`, in a class
            yield symbol.get_name()
    for inner in table.get_children():
        yield from names_outside(inner)


def piece_of(name: str, thing: object) -> Piece | None:
    """A class's or a function's definition in a file or cell: the one that its lines tell, else the last."""
    lines_of = {function.__code__.co_firstlineno for function in functions_of(thing)}
    for file in files_of(thing):
        lines = linecache.getlines(file)
        try:
            tree = ast.parse("".join(lines))
        except SyntaxError:  # a cell with magics
            continue
        found = [
            (min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.end_lineno or node.lineno)
            for node in at_top(tree)
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name
        ]
        own = [(first, last) for first, last in found if any(first <= line <= last for line in lines_of)]
        if found:
            first, last = (own or found)[-1]
            text = textwrap.dedent("".join(lines[first - 1 : last])).rstrip("\n")
            return Piece(name, file, first, text + "\n")
    return None


def at_top(tree: ast.AST) -> Iterator[ast.AST]:
    """The definitions of a module, those under an `if` or `try` too, in order."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from at_top(node)


def functions_of(thing: Any) -> list[FunctionType]:
    """A function itself, or those that a class defines."""
    values = map(unwrapped, vars(thing).values()) if isinstance(thing, type) else [inspect.unwrap(thing)]
    return [found for found in map(author_of, values) if isinstance(found, FunctionType)]


def files_of(thing: object) -> list[str]:
    """The files or cells that a class or function may be of, the likeliest first."""
    found = [function.__code__.co_filename for function in functions_of(thing)]
    if not isinstance(thing, type):
        return found
    own = [file for file in found if file in linecache.cache or linecache.getlines(file)]
    main = MAIN_FILE if thing.__module__ == "__main__" else None
    # a class without methods may be of any cell; the last that has one of its name made it
    cells = [file for file in reversed(linecache.cache) if is_cell(file) or file == main]
    return list(dict.fromkeys([*own, *([main] if main else []), *cells]))


def is_cell(file: str) -> bool:
    """Whether the lines that are kept of a file are a cell's, which Jupyter calls as files are called.

    Those of a file have the time of its last change with them.
    """
    kept = linecache.cache[file]
    return not file.endswith(".py") or (len(kept) > 1 and kept[1] is None)


def wraps(thing: object) -> bool:
    """Whether it is a function within a decorator, such as `functools.cache`."""
    return isinstance(getattr(thing, "__wrapped__", None), FunctionType)


def unwrapped(value: object) -> object:
    """The function of a property, static method or class method."""
    value = getattr(value, "fget", value)
    return getattr(value, "__func__", value)


def target_of(thing: object) -> str:
    """`module:attribute` by which another process can import a thing, nothing if there is none."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return ""
    target = f"{module}:{name}"
    try:
        return target if imported(target) is thing else ""
    except (ImportError, AttributeError):
        return ""


def imported(target: str) -> object:
    module, _, name = target.partition(":")
    thing: object = importlib.import_module(module)
    for part in name.split(".") if name else ():
        thing = getattr(thing, part)
    return thing


def members_of(cls: type) -> dict[str, str | None]:
    """The members of an enumeration, by name, as Python writes their values; none of another class."""
    members = cls.__members__ if issubclass(cls, Enum) else {}
    return {name: text_of(member.value) for name, member in members.items()}


def alike(one: Any, other: Any) -> bool:
    """Whether two values of a class are the same, as far as can be said."""
    if type(one) is not type(other):
        return False
    if isinstance(one, FunctionType):
        return same_code(one.__code__, other.__code__)
    return text_of(one) == text_of(other)


@lru_cache(maxsize=8)
def codes_of(text: str) -> tuple[CodeType, ...]:
    """The codes of all functions of a file or cell, or SyntaxError.

    As Python compiles a file, and as a notebook does: each statement by itself, by what was imported from
    `__future__` before. The same source comes to other bytecode there.
    """
    tree = ast.parse(text)
    alone = [ast.Module([statement], []) for statement in tree.body]
    flags = (0, __future__.annotations.compiler_flag)
    codes = [compile(part, "", "exec", flag, dont_inherit=True) for part in (tree, *alone) for flag in flags]
    return tuple(code for part in codes for code in codes_in(part))


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The functions' codes in a file's code, within others too."""
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from codes_in(const)


def same_code(one: CodeType, other: CodeType) -> bool:
    """Whether two functions do the same, wherever their text stands."""
    if any(getattr(one, name) != getattr(other, name) for name in OF_CODE):
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    return all(
        same_code(a, b)
        if isinstance(a, CodeType) and isinstance(b, CodeType)
        else (type(a), repr(a)) == (type(b), repr(b))
        for a, b in zip(one.co_consts, other.co_consts, strict=True)
    )


def text_of(thing: Any) -> str | None:
    """A constant as Python writes it, None if it is no number, text, array of numbers, or made of these."""
    kind = type(thing)
    if kind.__name__ in ("ndarray", "Array") or kind.__module__ == "numpy":
        if getattr(thing, "dtype", None) is None or thing.dtype.kind not in "biufc":
            return None
        return f"{kind.__name__}({thing.dtype.str!r}, {thing.shape!r}, {thing.tobytes().hex()!r})"
    if kind is float and not math.isfinite(thing):
        return f"float({str(thing)!r})"
    if thing is None or thing is Ellipsis or kind in (bool, int, float, complex, str, bytes, range):
        return repr(thing)
    if kind not in (tuple, list, set, frozenset, dict):
        return None
    items = [text_of(item) for item in (chain.from_iterable(thing.items()) if kind is dict else thing)]
    texts = [text for text in items if text is not None]
    if len(texts) < len(items):
        return None
    if kind is dict:
        pairs = zip(texts[::2], texts[1::2], strict=True)
        return f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"
    if kind in (set, frozenset):
        texts.sort()
    return f"{kind.__name__}([{', '.join(texts)}])"


def constant(text: str) -> object:
    """What `text_of` wrote, in the process that was sent it with the source."""
    return eval(text, Arrays())


class Arrays(dict[str, Any]):
    """What numpy's arrays and numbers are made by, under the names of their types."""

    def __missing__(self, name: str) -> object:
        if hasattr(builtins, name):
            raise KeyError(name)  # which Python looks for there

        def make(dtype: str, shape: tuple[int, ...], content: str) -> object:
            import numpy as np

            array = np.frombuffer(bytes.fromhex(content), dtype).reshape(shape).copy()
            if name == "Array":
                return as_array(array)
            return array if name == "ndarray" else array[()]

        return make


def text_of_class(cls: type) -> str:
    """What a class is made of, for digests: its source, or its code as compiled if it cannot travel."""
    try:
        return source_of(cls).text
    except ArenaError:
        return compiled_text(cls)


def compiled_text(cls: type) -> str:
    """What a class and all that it names where it was written do, as far as can be said without source."""
    space = vars(sys.modules[cls.__module__])
    left: list[object] = [cls]
    seen, found = list[Any](), {cls.__qualname__}
    while left:
        thing = left.pop()
        if any(thing is one for one in seen):
            continue
        seen.append(thing)
        if isinstance(thing, type):
            left += [base for base in thing.__bases__ if is_written(base)]
            found |= {f"{name} = {text_of(value)}" for name, value in vars(thing).items() if name[:2] != "__"}
        codes = [code for function in functions_of(thing) for code in every_code(function.__code__)]
        for code in codes:
            consts = [text_of(const) for const in code.co_consts]
            found.add(f"{code.co_qualname} {code.co_code.hex()} {code.co_names} {consts}")
            for name in {*code.co_names} & space.keys():
                other = space[name]
                if isinstance(other, type | FunctionType) and other.__module__ == cls.__module__:
                    left.append(other)
                else:
                    found.add(f"{name} = {text_of(other)}")
    return "\n".join(sorted(found))


def every_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    yield from codes_in(code)
