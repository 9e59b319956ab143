"""Classes that no worker can import: typed at a prompt, in a notebook's cells or in a script.

They travel as source: the class, and what it names of the place it was written in. Their source stands for
them in digests, too, and so is the same everywhere.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import hashlib
import importlib
import linecache
import sys
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType, ModuleType
from typing import Any

from arena.api.component import author_of
from arena.api.spec import Spec
from arena.errors import ArenaError

PREFIX = "arena_written_"  # of the modules that workers make of sources
PIECES = "__pieces__"  # what such a module was made of, by name


@dataclass(frozen=True)
class Piece:
    """A definition: what it defines, its text, and where it was written, by which errors tell it."""

    name: str
    file: str
    line: int
    text: str

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
    `module` or `module:attribute`. constants: by name, as Python writes them. future: whether annotations
    stay texts (PEP 563).
    """

    name: str
    pieces: tuple[Piece, ...]
    imports: tuple[tuple[str, str], ...]
    constants: tuple[tuple[str, str], ...]
    future: bool

    @cached_property
    def text(self) -> str:
        """All of it, whatever it lay in."""
        named = [f"{name} = {what}" for name, what in (*self.imports, *self.constants)]
        return "\n".join([self.name, *named, *(piece.text for piece in self.pieces)])

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def load(self) -> Any:
        """The class, made in this process if it is not there yet."""
        name = PREFIX + self.digest
        if name not in sys.modules:
            sys.modules[name] = self.module(name)
        return getattr(sys.modules[name], self.name)

    def module(self, name: str) -> ModuleType:
        module = ModuleType(name, "Written elsewhere, and sent here as source.")
        sys.modules[name] = module  # where classes look for what their annotations name
        try:
            space = vars(module)
            space[PIECES] = {piece.name: piece for piece in self.pieces}
            for own, target in self.imports:
                space[own] = imported(target)
            for own, text in self.constants:
                space[own] = constant(text)
            flags = __future__.annotations.compiler_flag if self.future else 0
            for piece in self.pieces:
                piece.show()
            for piece in self.pieces:
                tree = ast.increment_lineno(ast.parse(piece.text), piece.line - 1)
                exec(compile(tree, piece.file, "exec", flags, dont_inherit=True), space)
        except BaseException:
            del sys.modules[name]
            raise
        return module


@dataclass(frozen=True)
class WrittenSpec(Spec):
    """A spec whose class travels as source."""

    source: Source

    @cached_property
    def cls(self) -> Any:
        return self.source.load()

    def __reduce__(self) -> Any:
        return WrittenSpec, (self.text, self.target, self.values, self.source)


def is_written(cls: Any) -> bool:
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
        self.space = vars(sys.modules[self.home])
        self.pieces: dict[str, Piece] = {}
        self.imports: dict[str, str] = {}
        self.constants: dict[str, str] = {}

    def source(self) -> Source:
        name = self.cls.__qualname__
        if self.space.get(name) is not self.cls:
            raise self.cannot(name, "is not at the top of what it was written in; define it there")
        self.gather(name)
        future = self.space.get("annotations") is __future__.annotations
        return Source(
            name,
            tuple(self.pieces.values()),
            tuple(sorted(self.imports.items())),
            tuple(sorted(self.constants.items())),
            future,
        )

    def gather(self, name: str) -> None:
        """Take in what a name means, and before it what its making takes."""
        if name in self.pieces or name in self.imports or name in self.constants:
            return
        thing = self.space[name]
        if isinstance(thing, ModuleType):
            self.imports[name] = thing.__name__
        elif isinstance(thing, type | FunctionType) and thing.__module__ == self.home:
            piece = self.space.get(PIECES, {}).get(name) or piece_of(name, thing)
            if piece is None:
                raise self.cannot(name, "has no source here; put it into a file of its own and import that")
            self.pieces[name] = piece  # here already, for those that name each other
            for other in named_in(piece.text):
                if other in self.space and other != name:
                    self.gather(other)
            self.pieces[name] = self.pieces.pop(name)  # after those
        elif target := target_of(thing):
            self.imports[name] = target
        elif (text := text_of(thing)) is not None:
            self.constants[name] = text
        elif not hasattr(builtins, name):
            kind = type(thing).__name__
            raise self.cannot(name, f"is a {kind}, and cannot travel to worker processes; make it an option")

    def cannot(self, name: str, why: str) -> ArenaError:
        of = "" if name == self.cls.__qualname__ else f", which {self.cls.__name__} names,"
        return ArenaError(f"{name!r}{of} {why}, or play with executor='serial'")


def named_in(text: str) -> list[str]:
    """The names that a definition looks up, each once."""
    found = (node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name))
    return list(dict.fromkeys(found))


def piece_of(name: str, thing: Any) -> Piece | None:
    """A class's or a function's definition at the top of a file or cell, as it was written last."""
    for file in files_of(thing):
        lines = linecache.getlines(file)
        try:
            tree = ast.parse("".join(lines))
        except SyntaxError:  # a cell with magics
            continue
        for node in reversed(tree.body):
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                return Piece(
                    name, file, first, "".join(lines[first - 1 : node.end_lineno]).rstrip("\n") + "\n"
                )
    return None


def files_of(thing: Any) -> list[str]:
    """The files or cells that a class or function may be of, the likeliest first."""
    if isinstance(thing, FunctionType):
        return [author_of(thing).__code__.co_filename]
    found = [
        author_of(value).__code__.co_filename
        for value in map(unwrapped, vars(thing).values())
        if isinstance(author_of(value), FunctionType)
    ]
    own = [file for file in found if file in linecache.cache or linecache.getlines(file)]
    main = getattr(sys.modules.get(thing.__module__), "__file__", None)
    # a class without methods may be of any cell; the last that has one of its name made it
    cells = [file for file in reversed(linecache.cache) if not file.endswith(".py") or file == main]
    return list(dict.fromkeys([*own, *([main] if main else []), *cells]))


def unwrapped(value: Any) -> Any:
    """The function of a property, static method or class method."""
    value = getattr(value, "fget", value)
    return getattr(value, "__func__", value)


def target_of(thing: Any) -> str:
    """`module:attribute` by which another process can import a thing, nothing if there is none."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__":
        return ""
    target = f"{module}:{name}"
    try:
        return target if imported(target) is thing else ""
    except (ImportError, AttributeError):
        return ""


def imported(target: str) -> Any:
    module, _, name = target.partition(":")
    thing: Any = importlib.import_module(module)
    for part in name.split(".") if name else ():
        thing = getattr(thing, part)
    return thing


def text_of(thing: Any) -> str | None:
    """A constant as Python writes it, or None if that does not give the same again."""
    if type(thing).__name__ == "ndarray" and thing.dtype.kind in "biuf":
        return f"array {thing.dtype.str} {thing.tolist()!r}"
    try:
        return repr(thing) if ast.literal_eval(repr(thing)) == thing else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def constant(text: str) -> Any:
    if not text.startswith("array "):
        return ast.literal_eval(text)
    import numpy as np

    _, kind, items = text.split(" ", 2)
    return np.array(ast.literal_eval(items), np.dtype(kind))


def text_of_class(cls: type) -> str:
    """What a class that travels is made of, for digests; its name if its source cannot be had."""
    try:
        return source_of(cls).text
    except ArenaError:
        return cls.__qualname__
