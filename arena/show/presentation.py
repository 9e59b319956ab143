"""Base classes of results that can be shown: as text, as HTML in a notebook, or as dictionaries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple, TypeVar, overload

from arena.show.grid import Grid, folded
from arena.stream_encoding import signs
from arena.texts import on_lines, on_one_line

WIDTH = 79  # columns of folded lines if there is no terminal
INDENT = "    "


class Board(NamedTuple):
    """A position as drawn by its game, in lines."""

    drawn: str

    def text(self, styled: bool = False, width: int | None = None) -> str:
        return on_lines(self.drawn)

    def html(self) -> str:
        return f"<pre>{escape(on_lines(self.drawn))}</pre>"


class Line(NamedTuple):
    """A line of text that is folded at any width, also without a terminal."""

    said: str

    def text(self, styled: bool = False, width: int | None = None) -> str:
        return "\n".join(folded(self.said, width or WIDTH))

    def html(self) -> str:
        return f"<p>{escape(on_one_line(self.said))}</p>"


class Listing(NamedTuple):
    """Program text, indented by four; spaces are kept and long lines continue on the next."""

    said: str

    def text(self, styled: bool = False, width: int | None = None) -> str:
        room = (width or WIDTH) - len(INDENT)
        lines = on_lines(self.said.expandtabs()).rstrip("\n").split("\n")
        return "\n".join(
            INDENT + line[at : at + room] for line in lines for at in range(0, max(len(line), 1), room)
        )

    def html(self) -> str:
        return f"<pre>{escape(self.text())}</pre>"


Item = TypeVar("Item")
Part = str | Grid | Board | Line | Listing


class Shown(ABC):
    """A result that prints like the output of its command, and shows as HTML in a notebook."""

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Yield the lines, tables and boards, from top to bottom."""

    @abstractmethod
    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows, for `pandas.DataFrame` or `polars.DataFrame`."""

    def text(self, styled: bool = False, width: int | None = None) -> str:
        """Return the result as text, without a final newline.

        Characters that standard output cannot encode are replaced, for example − by -.

        Args:
            styled: Print headings in bold.
            width: Longest line. Default: no limit.
        """
        return signs("\n".join(text_of(part, styled, width) for part in self.parts()))

    def remarks(self) -> list[str]:
        """Return warnings: the command line prints them as such, elsewhere they stand below the result."""
        return []

    def hints(self) -> list[str]:
        """Return advice for the terminal: what the columns mean, and what to do next."""
        return []

    def __str__(self) -> str:
        warnings = (signs(f"Warning: {on_one_line(remark)}") for remark in self.remarks())
        return "\n".join([self.text(), *warnings])

    def __repr__(self) -> str:  # as shown at a Python prompt
        return str(self)

    def _repr_html_(self) -> str:
        parts = [*self.parts(), *(f"Warning: {remark}" for remark in self.remarks())]
        return "\n".join(
            f"<p>{escape(on_one_line(part))}</p>" if isinstance(part, str) else part.html() for part in parts
        )


class ShownSequence(Shown, Sequence[Item]):
    """A result that is a sequence of `items`."""

    items: Sequence[Item]

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, i: int) -> Item: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Item]: ...
    def __getitem__(self, i: int | slice) -> Item | Sequence[Item]:
        return self.items[i]


def text_of(part: Part, styled: bool = False, width: int | None = None) -> str:
    """Return a part as text, with headings in bold if `styled`; a line has its control characters escaped."""
    if not isinstance(part, str):
        return part.text(styled, width)
    return on_one_line(part) if width is None else "\n".join(folded(part, width))
