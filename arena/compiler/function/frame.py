"""The names that count where a function is being compiled, and the loops around."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from arena.compiler.types import Value

Each = Callable[[Value], None]  # writes what is to be done with an item


@dataclass
class Frame:
    """Whose names count: a function's, or those of a generator, lambda or comprehension inlined into one.

    Attributes:
        function: The function.
        node: Its node, or that of the lambda or comprehension.
        key: Tells its variables from those of others.
        names: The variables that are its own; others are `outer`'s, where there is one.
        owner: What its `self` is.
        outer: The frame that it lies in.
        each: What is to be done with what it yields, if it is a generator.
        end: The label where an inlined generator ends; others fill a list.
        inlined: An inlined generator, and those that it is inlined into.
    """

    function: FunctionType
    node: Any
    key: tuple[int, ...]
    names: frozenset[str]
    owner: Value | None = None
    outer: Frame | None = None
    each: Each | None = None
    end: str = ""
    inlined: tuple[FunctionType, ...] = ()

    @property
    def file(self) -> str:
        return self.function.__code__.co_filename

    @property
    def fills_list(self) -> bool:
        """Whether what it yields goes to the list that the function fills."""
        return self.each is not None and not self.end

    def within(self, node: object, names: Iterable[str]) -> Frame:
        """Return the frame of a lambda or comprehension in this one, with these variables of its own."""
        key = (*self.key, id(node))
        return replace(self, node=node, key=key, names=frozenset(names), outer=self, each=None)

    def functions(self) -> Iterator[FunctionType]:
        """The functions it lies in, the innermost first."""
        frame: Frame | None = self
        while frame:
            yield frame.function
            frame = frame.outer


@dataclass
class Loop:
    """Where `break` and `continue` go, and what was set at each break."""

    end: str
    again: str
    breaks: list[set[Any]] = field(default_factory=list)
