"""A function compiled for arguments of certain types, and its entry point."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from arena.compiler.types import UNKNOWN, Content, ListOf, Type

APART = 1 << 10  # bytes of lists with room for max_moves from which on a recursive function has its own frame
LARGE = 1 << 14  # bytes of lists from which on the room in the stack is checked


@dataclass(frozen=True)
class Capture:
    """A variable that an inner function shares with a function around it.

    Attributes:
        name: Its name.
        key: Its key in the function around.
        home: That function.
        kind: Its type.
        named: Whether the inner function itself names it, rather than one that it calls.
    """

    name: str
    key: Any
    home: Instance
    kind: Type
    named: bool

    @property
    def own_key(self) -> Any:
        """The variable's key in the inner function."""
        return (self.home.symbol, *self.key)


@dataclass(eq=False)
class Instance:
    """A function compiled for arguments of certain types: its known properties, and its text.

    Attributes:
        function: The function.
        node: Its syntax tree.
        owner: Type of its `self`; None for a plain function.
        types: Types of the arguments.
        symbol: Name in LLVM assembly.
        generator: Whether it is a generator.
        result: Type of the result; for a function that fills a list, of the list.
        annotated: Type of the result by its annotation, if that is a number.
        may_raise: Whether it may raise an exception.
        bytes: Size of its lists on the stack.
        recursive: Whether it calls itself, directly or not.
        limited: Whether it is or calls a recursive function, and so takes the number of recursive calls left.
        apart: Whether its frame must not be merged into another.
        is_int: Whether Python expects an int of it, so that None is left to Python.
        allocates: Whether it, or one it calls, allocates memory and so takes the region of the call.
        links: Whether it, or one it calls, puts a list into another.
        variables: Types of its variables.
        flagged: Variables that may be read before they are set.
        captures: Variables that it shares with functions around it.
        inner: Functions that are defined in it, by node.
        contents: Contents of the containers that it creates, by location.
        varying: Variables set in one place that is duplicated, with a different constant in each copy.
        untold: An expression without a type, with file and line.
        called: The instances that it calls, each with its `look` at that time.
        text: LLVM assembly; empty if it must be written.
    """

    function: FunctionType
    node: Any
    owner: Type | None
    types: tuple[Type, ...]
    symbol: str
    generator: bool
    result: Type = UNKNOWN
    annotated: Type | None = None
    may_raise: bool = False
    bytes: int = 0
    recursive: bool = False
    limited: bool = False
    apart: bool = False
    is_int: bool = False
    allocates: bool = False
    links: bool = False
    variables: dict[Any, Type] = field(default_factory=dict)
    flagged: set[Any] = field(default_factory=set)
    varying: set[Any] = field(default_factory=set)
    captures: tuple[Capture, ...] = ()
    inner: dict[Any, Any] = field(default_factory=dict)
    contents: dict[Any, Content] = field(default_factory=dict)
    untold: tuple[str, str, int] | None = None
    called: dict[Instance, str] = field(default_factory=dict)  # `look` of callees when they were called
    text: str = ""

    @property
    def fills(self) -> bool:
        return self.generator or (isinstance(self.result, ListOf) and not self.result.row)

    @property
    def large(self) -> bool:
        return self.bytes >= LARGE

    @property
    def place(self) -> tuple[str, int]:
        """The function's file and first line."""
        code = self.function.__code__
        return code.co_filename, code.co_firstlineno

    def returned(self) -> str:
        """Return LLVM's type of the return value: the error number, if it may raise, and the result."""
        irs: tuple[str, ...] = ("i64",) if self.fills else self.result.irs
        if self.may_raise:
            return "i32" if not irs else f"{{ i32, {', '.join(irs)} }}"
        return "void" if not irs else irs[0] if len(irs) == 1 else f"{{ {', '.join(irs)} }}"

    @property
    def stale(self) -> bool:
        """Whether an instance that it calls has changed since it was written."""
        return any(other.look != look for other, look in self.called.items())

    @property
    def look(self) -> str:
        size = self.bytes if self.large else 0
        memory = f"{self.allocates} {self.links}"
        return f"{self.result!r} {self.may_raise} {self.limited} {memory} {size}"

    @property
    def attributes(self) -> str:
        """LLVM's attributes of the function."""
        return "noinline nounwind" if self.apart else "nounwind"

    def callees(self) -> set[Instance]:
        """Return the instances that it calls, directly or not."""
        found: set[Instance] = set()
        waiting = [*self.called]
        while waiting:
            instance = waiting.pop()
            if instance not in found:
                found.add(instance)
                waiting += instance.called
        return found


@dataclass
class Entry:
    """A function that is called from outside, as `name` with the C convention, and as `python` by Python.

    Attributes:
        name: Name of the entry.
        types: Types of the arguments.
        python: Whether Python calls it, too.
        releases: Whether it releases the interpreter lock while it runs.
        else_plain: Whether arguments that do not fit lead to a call of the plain function.
    """

    name: str
    types: tuple[Type, ...]
    python: bool = True
    releases: bool = False  # releases the interpreter lock while it runs
    else_plain: bool = False  # calls the plain function for arguments that do not fit
