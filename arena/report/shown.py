"""Results shown: as text for a terminal, as HTML in a notebook, as dictionaries for tables elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Literal, NamedTuple

from arena.texts import on_lines, on_one_line

CELL = "padding:2px 8px;text-align:{}"


class Grid(NamedTuple):
    """A table: the first `left` columns are words, the others numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1

    def text(self, styled: bool = False) -> str:
        """Its lines, the head in bold if `styled`."""
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="bold" if styled else "", padding=(0, 2, 0, 0))
        for i, column in enumerate(self.columns):
            side: Literal["left", "right"] = "left" if i < self.left else "right"
            table.add_column(Text(on_one_line(column)), justify=side, no_wrap=True)
        for row in self.rows:
            table.add_row(*(Text(on_one_line(cell)) for cell in row))
        # a wide line wraps; a column cut off would be lost
        console = Console(highlight=False, width=1000, force_terminal=styled, force_jupyter=False)
        with console.capture() as captured:
            console.print(table)
        return "\n".join(line.rstrip() for line in captured.get().splitlines())

    def html(self) -> str:
        def cells(tag: str, texts: Sequence[str]) -> str:
            sides = ["left" if i < self.left else "right" for i in range(len(texts))]
            made = (
                f'<{tag} style="{CELL.format(side)}">{escape(on_one_line(text))}</{tag}>'
                for side, text in zip(sides, texts, strict=True)
            )
            return f"<tr>{''.join(made)}</tr>"

        body = "\n".join(cells("td", row) for row in self.rows)
        return f"<table>\n<thead>{cells('th', self.columns)}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


class Board(NamedTuple):
    """A position as its game draws it, in lines."""

    drawn: str

    def text(self, styled: bool = False) -> str:
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

    def text(self, styled: bool = False) -> str:
        """As text, without a newline at the end; heads are bold if `styled`."""
        return "\n".join(text_of(part, styled) for part in self.parts())

    def remarks(self) -> list[str]:
        """What else one should know: the command line warns of it, elsewhere it stands below."""
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


def text_of(part: Part, styled: bool = False) -> str:
    """A part as text, heads in bold if `styled`; a line with what cannot be seen escaped."""
    return on_one_line(part) if isinstance(part, str) else part.text(styled)
