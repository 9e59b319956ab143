"""Whose names count, where a function is being written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from arena.compiler.types import Value


@dataclass
class Frame:
    """Whose names count: a function's, or those of a generator, lambda or comprehension laid into one.

    key: tells its variables from those of others. names: the variables that are its own; others are
    `outer`'s, where there is one. owner: what its `self` is. each: what is to be done with what it yields,
    of a generator that is laid in, which ends at the label `end`. laid: it and the generators that it is
    laid into.
    """

    function: FunctionType
    node: Any
    key: tuple[int, ...]
    names: frozenset[str]
    owner: Value | None = None
    outer: Frame | None = None
    each: Callable[[Value], None] | None = None
    end: str = ""
    laid: tuple[FunctionType, ...] = ()

    @property
    def file(self) -> str:
        return self.function.__code__.co_filename

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
