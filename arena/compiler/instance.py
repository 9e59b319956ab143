"""A function as it is compiled for arguments of certain types, and how it is called from outside."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from arena.compiler.types import UNKNOWN, ListOf, Type

APART = 1 << 10  # bytes of lists, from which on a function within a recursion has a frame of its own
LARGE = 1 << 14  # bytes of lists, from which on it is checked whether the stack has room for them


@dataclass(eq=False)
class Instance:
    """A function for arguments of certain types: what is known of it so far, and its text.

    owner: the type of its `self`. result: what it gives; of a function that fills a list the list. variables:
    the types of its variables. flagged: those that may be read before they are set. varying: those set in one
    place that has copies, to other constants in each.
    bytes: of its lists, on the stack. recursive: it calls itself, perhaps by way of others. limited: it is
    recursive or leads to what is, and so takes how many recursive calls are left. apart: its frame is not to
    be part of another one.
    untold: an expression without a type, its file and line.
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
    variables: dict[Any, Type] = field(default_factory=dict)
    flagged: set[Any] = field(default_factory=set)
    varying: set[Any] = field(default_factory=set)
    untold: tuple[str, str, int] | None = None
    called: dict[Instance, str] = field(default_factory=dict)  # how others looked when they were called
    text: str = ""

    @property
    def fills(self) -> bool:
        return self.generator or isinstance(self.result, ListOf)

    @property
    def large(self) -> bool:
        return self.bytes >= LARGE

    @property
    def place(self) -> tuple[str, int]:
        """The function's file and first line."""
        code = self.function.__code__
        return code.co_filename, code.co_firstlineno

    def returned(self) -> str:
        """LLVM's type of what it returns: whether it has raised, if it may, and the result."""
        irs: tuple[str, ...] = ("i64",) if self.fills else self.result.irs
        if self.may_raise:
            return "i32" if not irs else f"{{ i32, {', '.join(irs)} }}"
        return "void" if not irs else irs[0] if len(irs) == 1 else f"{{ {', '.join(irs)} }}"

    @property
    def stale(self) -> bool:
        """Whether what it calls looks otherwise than when it was written."""
        return any(other.look != look for other, look in self.called.items())

    @property
    def look(self) -> str:
        return f"{self.result!r} {self.may_raise} {self.limited} {self.bytes if self.large else 0}"

    @property
    def attributes(self) -> str:
        """LLVM's of the function."""
        return "noinline nounwind" if self.apart else "nounwind"

    def callees(self) -> set[Instance]:
        """The instances that it calls, by way of others too."""
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
    """A function that is called from outside: as `name` by C's rules, as `python` by Python's.

    types: of its arguments.
    """

    name: str
    types: tuple[Type, ...]
    python: bool = True
    releases: bool = False  # the interpreter's lock, while it runs
    else_plain: bool = False  # with other arguments, or given by name, what it stands for is called
