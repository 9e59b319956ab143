"""Results shown: as text for a terminal, as HTML in a notebook, as dictionaries for tables elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

from arena.report.grid import Grid, folded
from arena.texts import on_lines, on_one_line


class Board(NamedTuple):
    """A position as its game draws it, in lines."""

    drawn: str

    def text(self, styled: bool = False, width: int | None = None) -> str:
        return on_lines(self.drawn)

    def html(self) -> str:
        return f"<pre>{escape(on_lines(self.drawn))}</pre>"


Part = str | Grid | Board


class Shown(ABC):
    """A result that prints as the command line does, and shows as HTML in a notebook."""

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Its lines, tables and boards, from the top."""

    @abstractmethod
    def to_dicts(self) -> list[dict[str, Any]]:
        """Its rows, for `pandas.DataFrame` or `polars.DataFrame`."""

    def text(self, styled: bool = False, width: int | None = None) -> str:
        """As text, without a newline at the end; heads are bold if `styled`, lines no longer than `width`."""
        return "\n".join(text_of(part, styled, width) for part in self.parts())

    def remarks(self) -> list[str]:
        """What else one should know: the command line warns of it, elsewhere it stands below."""
        return []

    def hints(self) -> list[str]:
        """What columns mean, and what to do next, for whoever sits at a terminal."""
        return []

    def __str__(self) -> str:
        return "\n".join([self.text(), *(f"Warning: {on_one_line(remark)}" for remark in self.remarks())])

    def __repr__(self) -> str:  # what a prompt shows
        return str(self)

    def _repr_html_(self) -> str:
        parts = [*self.parts(), *(f"Warning: {remark}" for remark in self.remarks())]
        return "\n".join(
            f"<p>{escape(on_one_line(part))}</p>" if isinstance(part, str) else part.html() for part in parts
        )


def text_of(part: Part, styled: bool = False, width: int | None = None) -> str:
    """A part as text, heads in bold if `styled`; a line with what cannot be seen escaped."""
    if not isinstance(part, str):
        return part.text(styled, width)
    return on_one_line(part) if width is None else "\n".join(folded(part, width))
