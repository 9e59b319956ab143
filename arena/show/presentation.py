"""Results shown: as text for a terminal, as HTML in a notebook, as dictionaries for tables elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple, TypeVar, overload

from arena.show.grid import Grid, folded
from arena.stream_encoding import signs
from arena.texts import on_lines, on_one_line

WIDTH = 79  # columns of lines that are folded where there is no terminal
INDENT = "    "


class Board(NamedTuple):
    """A position as its game draws it, in lines."""

    drawn: str

    def text(self, styled: bool = False, width: int | None = None) -> str:
        return on_lines(self.drawn)

    def html(self) -> str:
        return f"<pre>{escape(on_lines(self.drawn))}</pre>"


class Line(NamedTuple):
    """A line that is folded elsewhere than at a terminal, too."""

    said: str

    def text(self, styled: bool = False, width: int | None = None) -> str:
        return "\n".join(folded(self.said, width or WIDTH))

    def html(self) -> str:
        return f"<p>{escape(on_one_line(self.said))}</p>"


class Listing(NamedTuple):
    """Lines of a program, which keep their spaces and are indented by four; long ones go on in the next."""

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
    """A result that prints as the command line does, and shows as HTML in a notebook."""

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """Its lines, tables and boards, from the top."""

    @abstractmethod
    def to_dicts(self) -> list[dict[str, object]]:
        """Its rows, for `pandas.DataFrame` or `polars.DataFrame`."""

    def text(self, styled: bool = False, width: int | None = None) -> str:
        """As text, without a newline at the end; heads are bold if `styled`, lines no longer than `width`.

        What standard output cannot encode is replaced, so that it can be printed: − by -.
        """
        return signs("\n".join(text_of(part, styled, width) for part in self.parts()))

    def remarks(self) -> list[str]:
        """What else one should know: the command line warns of it, elsewhere it stands below."""
        return []

    def hints(self) -> list[str]:
        """What columns mean, and what to do next, for whoever sits at a terminal."""
        return []

    def __str__(self) -> str:
        warnings = (signs(f"Warning: {on_one_line(remark)}") for remark in self.remarks())
        return "\n".join([self.text(), *warnings])

    def __repr__(self) -> str:  # what a prompt shows
        return str(self)

    def _repr_html_(self) -> str:
        parts = [*self.parts(), *(f"Warning: {remark}" for remark in self.remarks())]
        return "\n".join(
            f"<p>{escape(on_one_line(part))}</p>" if isinstance(part, str) else part.html() for part in parts
        )


class ShownSequence(Shown, Sequence[Item]):
    """Several things of a kind, which are `items`."""

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
    """A part as text, heads in bold if `styled`; a line with what cannot be seen escaped."""
    if not isinstance(part, str):
        return part.text(styled, width)
    return on_one_line(part) if width is None else "\n".join(folded(part, width))
