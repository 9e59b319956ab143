"""The names in scope where a function is compiled, and the enclosing loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from arena.compiler.generated import file_of
from arena.compiler.types import Value

Each = Callable[[Value], None]  # writes the body of a loop for an item


@dataclass
class Frame:
    """The scope of a function, or of a generator, lambda or comprehension that is inlined.

    Attributes:
        function: The function.
        node: Its node, or that of the lambda or comprehension.
        key: Tuple that distinguishes its variables from those of other scopes.
        names: Its own variables; others are looked up in `outer`, if there is one.
        shared: Keys of variables of enclosing functions, by name.
        owner: The value of its `self`.
        outer: The enclosing scope.
        each: For a generator, the function that writes the handling of a yielded item.
        end: Label at the end of an inlined generator; empty for one that fills a list.
        inlined: For an inlined generator, its function and those of the enclosing inlined generators.
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
    shared: dict[str, Any] = field(default_factory=dict)

    @property
    def file(self) -> str:
        return file_of(self.function)

    @property
    def fills_list(self) -> bool:
        """Whether yielded items are appended to the list that the function fills."""
        return self.each is not None and not self.end

    def within(self, node: object, names: Iterable[str]) -> Frame:
        """Return the scope of a lambda or comprehension in this one, with its own variables."""
        key = (*self.key, id(node))
        return replace(self, node=node, key=key, names=frozenset(names), outer=self, each=None, shared={})

    def functions(self) -> Iterator[FunctionType]:
        """Yield the enclosing functions, innermost first."""
        frame: Frame | None = self
        while frame:
            yield frame.function
            frame = frame.outer


@dataclass
class Handler:
    """The handler of exceptions within a `try`.

    Attributes:
        label: Label of the `except` clauses.
        place: Address where the number of the exception is stored.
        used: Whether any exception can reach it.
    """

    label: str
    place: str
    used: bool = False


@dataclass
class Loop:
    """The labels for `break` and `continue`, and the variables that are set at each `break`."""

    end: str
    again: str
    breaks: list[set[Any]] = field(default_factory=list)
