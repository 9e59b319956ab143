"""Base classes of results that can be shown as text, HTML in notebooks, tables and data frames."""

from __future__ import annotations

from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar, overload

from arena.show.frame import Columns, frame_of, present
from arena.show.grid import Grid, folded
from arena.show.latex import latex
from arena.stream_encoding import signs
from arena.texts import in_markdown, on_lines, on_one_line

if TYPE_CHECKING:
    from pandas import DataFrame

WIDTH = 79  # width of wrapped lines without a terminal
INDENT = "    "


@dataclass(frozen=True)
class Marked:
    """A position of a game with a drawing, with two moves: the move that was played, and a right one.

    Attributes:
        pieces: The piece on each cell of the drawing; 0 for none.
        played: Cells that the played move changes.
        right: Cells that the right move changes; empty if none is known.
    """

    pieces: Sequence[int]
    played: Sequence[int]
    right: Sequence[int]


class Board(NamedTuple):
    """A position as drawn by its game.

    Attributes:
        drawn: The board as text.
        svg: Function that returns the board as an SVG document; None if there is only the text.
        marked: The position with marked moves, which a page draws; None if there is only the text.
    """

    drawn: str
    svg: Callable[[], str] | None = None
    marked: Marked | None = None

    def text(self, styled: bool = False, width: int | None = None) -> str:
        return on_lines(self.drawn)

    def html(self) -> str:
        if self.svg is None:
            return f"<pre>{escape(on_lines(self.drawn))}</pre>"
        return image(self.svg(), on_lines(self.drawn))


def image(svg: str, instead: str) -> str:
    """Return an SVG document as an `<img>` element, which is shown even in notebooks that are not trusted.

    Args:
        svg: The document.
        instead: Alternative text.
    """
    data = b64encode(svg.encode()).decode()
    return f'<img alt="{escape(instead)}" src="data:image/svg+xml;base64,{data}"/>'


class Line(NamedTuple):
    """A line of text that may be wrapped even without a terminal."""

    said: str

    def text(self, styled: bool = False, width: int | None = None) -> str:
        return "\n".join(folded(self.said, width or WIDTH))

    def html(self) -> str:
        return f"<p>{escape(on_one_line(self.said))}</p>"


class Listing(NamedTuple):
    """Preformatted text, such as a traceback, indented by four spaces; long lines continue on the next."""

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
    """A result that prints like the output of its command, and is shown as HTML in a notebook.

    Attributes:
        frame_columns: Columns of the data frame. The name of a column ends in its unit, if it has one.
    """

    frame_columns: ClassVar[Columns]  # required unless a class overrides `to_frame`

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
            width: Maximum line length. Default: no limit.
        """
        return signs("\n".join(text_of(part, styled, width) for part in self.parts()))

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return the rows of the data frame, as dictionaries whose keys are those of `frame_columns`."""
        return self.to_dicts()

    def to_frame(self) -> DataFrame:
        """Return the result as a data frame of pandas, with the columns that `frame_columns` describes.

        Raises:
            ArenaError: If pandas is not installed.
        """
        return frame_of(self.frame_columns, self.frame_rows())

    def tables(self) -> list[Grid]:
        """Return the tables that are printed, or the rows of the data frame if there are none."""
        if printed := [part for part in self.parts() if isinstance(part, Grid)]:
            return printed
        rows = self.frame_rows()
        columns = present(self.frame_columns, rows)
        words = sorted(columns, key=lambda name: columns[name].type is not str)  # text columns come first
        cells = [[cell_text(row.get(name)) for name in words] for row in rows]
        return [Grid(words, cells, left=sum(column.type is str for column in columns.values()))]

    def to_markdown(self) -> str:
        """Return the tables of the result in Markdown."""
        return "\n".join(map(markdown_table, self.tables()))

    def to_latex(self) -> str:
        r"""Return the tables of the result in LaTeX; the document needs `\usepackage{booktabs}`."""
        return "\n".join(map(latex, self.tables()))

    def remarks(self) -> list[str]:
        """Return warnings, which are printed on the command line, and elsewhere shown below the result."""
        return []

    def hints(self) -> list[str]:
        """Return hints for the terminal: explanations of columns, and suggestions for the next step."""
        return []

    def __str__(self) -> str:
        warnings = (signs(f"Warning: {on_one_line(remark)}") for remark in self.remarks())
        return "\n".join([self.text(), *warnings])

    def __repr__(self) -> str:  # as shown at a Python prompt
        return str(self)

    def _repr_html_(self) -> str:
        parts = [*self.parts(), *(f"Warning: {remark}" for remark in self.remarks())]
        return "\n".join(map(html_of, parts))


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


def cell_text(value: object) -> str:
    """Return a value of a data frame as text; "" for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def markdown_table(grid: Grid) -> str:
    """Return a table in Markdown."""
    sides = ["---" if i < grid.left else "---:" for i in range(len(grid.columns))]
    head, *rows = ([in_markdown(cell) for cell in cells] for cells in (grid.columns, *grid.rows))
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, sides, *rows))


def html_of(part: Part) -> str:
    """Return a part as HTML."""
    return f"<p>{escape(on_one_line(part))}</p>" if isinstance(part, str) else part.html()


def text_of(part: Part, styled: bool = False, width: int | None = None) -> str:
    """Return a part as text, with bold headings if `styled`; control characters in lines are escaped."""
    if not isinstance(part, str):
        return part.text(styled, width)
    return on_one_line(part) if width is None else "\n".join(folded(part, width))
