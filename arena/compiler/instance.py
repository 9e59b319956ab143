"""A function compiled for certain argument types, and its entry point."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from arena.compiler.types import UNKNOWN, Content, ListOf, Type

APART = 1 << 10  # bytes of lists of max_moves items from which a recursive function has its own frame
LARGE = 1 << 14  # bytes of lists from which the free space of the stack is checked


@dataclass(frozen=True)
class Capture:
    """A variable that an inner function shares with an enclosing function.

    Attributes:
        name: Name of the variable.
        key: Its key in the enclosing function.
        home: The enclosing function.
        kind: Type of the variable.
        named: Whether the inner function uses the variable itself, rather than only a function that it calls.
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
    """A function compiled for certain argument types: its LLVM assembly, and what is known about it.

    Attributes:
        function: The function.
        node: Its syntax tree.
        owner: Type of its `self`; None for a plain function.
        types: Types of the arguments.
        symbol: Name in LLVM assembly.
        generator: Whether it is a generator.
        result: Type of the result; for a function that fills a list, the type of the list.
        annotated: Type of the result according to its annotation, if it is a number.
        may_raise: Whether it may raise an exception.
        bytes: Size of its lists on the stack.
        recursive: Whether it calls itself, directly or indirectly.
        limited: Whether it is or calls a recursive function, so that it has a parameter for the number of
            recursive calls left.
        apart: Whether it must not be inlined, so that it has a frame of its own.
        is_int: Whether Python expects an int as its result, so that Python handles None.
        allocates: Whether it or a function that it calls allocates memory, so that it has a parameter for the
            region of the call.
        links: Whether it or a function that it calls stores a list in another list.
        variables: Types of its variables.
        flagged: Variables that may be read before they are set.
        captures: Variables that it shares with enclosing functions.
        inner: Functions that are defined in it, by node.
        contents: Contents of the containers that it creates, by location.
        varying: Variables assigned once in code that is compiled in several copies, such as an unrolled loop,
            with a different constant in each copy.
        untold: An expression whose type cannot be inferred, with file and line.
        called: The instances that it calls, each with its `look` when the call was written.
        text: LLVM assembly; empty if it must still be written.
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
    called: dict[Instance, str] = field(default_factory=dict)  # with `look` at the time
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
        """Whether an instance that it calls has changed since the call was written."""
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
        """Return the instances that it calls, directly or indirectly."""
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
    """A function that is called from outside: as `name` with the C calling convention, and by Python.

    Attributes:
        name: Name of the entry.
        types: Types of the arguments.
        python: Whether Python calls it, too.
        releases: Whether it releases the GIL while it runs.
        else_plain: Whether the plain function is called instead if the types of the arguments do not fit.
    """

    name: str
    types: tuple[Type, ...]
    python: bool = True
    releases: bool = False
    else_plain: bool = False
