"""Tables of text that fit the available width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from arena.stream_encoding import MARK, signs
from arena.texts import either, on_one_line

CELL = "padding:2px 8px;text-align:{}"
GAP = 2  # spaces between columns
NAMES = ("entry", "first", "second", "opponent", "agent", "game")  # columns with long cells to shorten
FAIR, SHORTEST = (24, 18), 9  # length of names in one column, in several columns; minimum
LONG = ("what it is", "not rated")  # columns of sentences, which may be shortened
SENTENCE = 20  # minimum number of characters kept of a sentence
NOTHING = {"", "0", "0.0 %", "0.00 %", "0.0000 %", "0.0000"}


class Grid(NamedTuple):
    """A table of text.

    Attributes:
        columns: Headings.
        rows: Cells of each row.
        left: Number of text columns at the left; the other columns hold numbers.
        spare: Columns that may be left out, least important first, if they do not fit or contain only zeros.
        folds: Whether number columns that do not fit are moved to another table below, with the same text
            columns.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    spare: Sequence[str] = ()
    folds: bool = False

    def text(self, styled: bool = False, width: int | None = None) -> str:
        """Return the table as text.

        Args:
            styled: Print the headings in bold.
            width: Maximum line length. Lines below the table list the columns left out and the shortened
                names.
        """
        if width is None:
            return self.drawn(styled)
        tables: list[str] = []
        below: dict[str, None] = {}  # lines without duplicates, in order
        for part in self.parts(width):
            fitted, gone, short = part.fitted(width)
            tables.append(fitted.drawn(styled))
            below |= {f"{name}: {whole}": None for name, whole in short.items()}
            if gone:
                below[f"Not shown: {', '.join(gone)}; {either('--wide', 'text()')} shows all."] = None
        return "\n".join(["\n\n".join(tables), *(line for text in below for line in folded(text, width))])

    def brief(self, width: int, styled: bool = False) -> str:
        """Return the table as text that fits `width`, without lines that list the columns left out."""
        return self.fitted(width)[0].drawn(styled)

    def drawn(self, styled: bool) -> str:
        """Return the table as text of any width, with bold headings if styled."""
        from rich.cells import cell_len

        table = [[seen(cell) for cell in row] for row in (self.columns, *self.rows)]
        columns = [[cell_len(cell) for cell in column] for column in zip(*table, strict=True)]
        widest = [max(column) for column in columns]
        lines = []
        for row, widths in zip(table, zip(*columns, strict=True), strict=True):
            gaps = [" " * (most - width) for most, width in zip(widest, widths, strict=True)]
            cells = [
                cell + gap if i < self.left else gap + cell
                for i, (cell, gap) in enumerate(zip(row, gaps, strict=True))
            ]
            lines.append((" " * GAP).join(cells).rstrip(" "))
        if styled:
            lines[0] = f"\x1b[1m{lines[0]}\x1b[0m"
        return "\n".join(lines)

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

    # --- fitting a width ------------------------------------------------------------------------------

    def parts(self, width: int) -> Iterator[Grid]:
        """Yield the table itself, or several tables if it folds and is too wide.

        If there are several, each has all text columns and some of the number columns.
        """
        if not self.folds or self.width(self.fair) <= width:
            yield self
            return
        words, numbers = range(self.left), range(self.left, len(self.columns))
        kept = [*words]
        for i in numbers:
            if len(kept) > self.left and self.of([*kept, i]).width(self.fair) > width:
                yield self.of(kept)
                kept = [*words]
            kept.append(i)
        yield self.of(kept)

    def of(self, kept: Sequence[int]) -> Grid:
        """Return the table with only the columns at these indices."""
        rows = [[row[i] for i in kept] for row in self.rows]
        left = sum(i < self.left for i in kept)
        return Grid([self.columns[i] for i in kept], rows, left, self.spare)

    def fitted(self, width: int) -> tuple[Grid, list[str], dict[str, str]]:
        """Fit the table to a width.

        Columns of zeros are left out first; then long names are shortened; then columns are left out one by
        one.

        Returns:
            The table, the columns left out for lack of room, and the full name for each shortened one.
        """
        grid = self.without([name for name in self.spare if set(self.cells(name)) <= NOTHING])
        gone: list[str] = []
        for name in grid.spare:
            if grid.width(grid.fair) <= width:
                break
            gone.append(name)
            grid = grid.without([name])
        longest = max((len(cell) for name in NAMES for cell in grid.cells(name)), default=0)
        most = next((n for n in range(longest, SHORTEST, -1) if grid.width(n) <= width), SHORTEST)
        names = dict.fromkeys(cell for name in NAMES for cell in grid.cells(name))
        short = {whole: part for whole, part in shortened(names, most).items() if part != whole}
        return grid.with_names(short).cut_to(width), gone, {part: whole for whole, part in short.items()}

    @property
    def fair(self) -> int:
        """The length in characters to which names are shortened before a column is left out."""
        return FAIR[len(self.at(NAMES)) > 1]

    def cells(self, name: str) -> list[str]:
        """Return the cells of a column; empty if there is no such column."""
        return [row[at] for at in self.at([name]) for row in self.rows]

    def at(self, names: Iterable[str]) -> list[int]:
        """Return the indices of the columns with these headings."""
        return [i for i, column in enumerate(self.columns) if column in names]

    def without(self, names: Sequence[str]) -> Grid:
        """Return the table without some of its spare columns."""
        out = self.at(names)
        kept = self.of([i for i in range(len(self.columns)) if i not in out])
        return kept._replace(spare=[name for name in self.spare if name not in names])

    def with_names(self, short: Mapping[str, str]) -> Grid:
        """Return the table with full names replaced by short ones."""
        at = self.at(NAMES)

        def renamed(row: Sequence[str]) -> list[str]:
            return [short.get(cell, cell) if i in at else cell for i, cell in enumerate(row)]

        return self._replace(rows=[renamed(row) for row in self.rows])

    def cut_to(self, width: int) -> Grid:
        """Return the table with its sentences shortened to the available width."""
        at = self.at(LONG)
        room = max(SENTENCE, width - self.width(10**6) + SENTENCE)

        def cut(row: Sequence[str]) -> list[str]:
            return [middle_out(cell, room, 0) if i in at else cell for i, cell in enumerate(row)]

        return self._replace(rows=[cut(row) for row in self.rows]) if at else self

    def width(self, most: int) -> int:
        """Return the width of the lines if names have at most `most` characters and sentences are minimal."""
        from rich.cells import cell_len

        limits = {**dict.fromkeys(self.at(NAMES), most), **dict.fromkeys(self.at(LONG), SENTENCE)}
        columns = [[column, *(row[i] for row in self.rows)] for i, column in enumerate(self.columns)]
        longest = [max(cell_len(seen(cell)) for cell in column) for column in columns]
        return sum(min(n, limits.get(i, n)) for i, n in enumerate(longest)) + GAP * (len(columns) - 1)


def shortened(names: Iterable[str], most: int) -> dict[str, str]:
    """Shorten names by leaving out their middles, so that they still differ from each other.

    The part kept at the end is made longer until all names differ; if that does not suffice, they are
    numbered.

    Args:
        names: The full names.
        most: Maximum length of a shortened name.
    """
    names = list(names)
    for end in range(most // 2, most - len(signs(MARK))):
        found = {name: middle_out(name, most, end) for name in names}
        if len(set(found.values())) == len(names):
            return found
    digits = len(str(len(names)))
    return {
        name: name if len(name) <= most else f"{middle_out(name, most - digits - 1, 0)}#{i}"
        for i, name in enumerate(names, 1)
    }


def middle_out(name: str, most: int, end: int) -> str:
    """Shorten a name to at most `most` characters by leaving out text before its last `end` characters."""
    if len(name) <= most:
        return name
    mark = signs(MARK)
    return name[: max(0, most - len(mark) - end)] + mark + name[len(name) - end :]


def seen(cell: str) -> str:
    """Return a cell as a terminal shows it: on one line, in characters that it can encode."""
    return signs(on_one_line(cell))


def folded(text: str, width: int, hang: int = 2) -> Iterator[str]:
    """Wrap a line to a width, not before a per cent sign, and break words that are too long.

    Args:
        text: The line.
        width: Columns available.
        hang: Number of spaces by which lines after the first are indented.
    """
    from textwrap import wrap

    shown = seen(text)
    indent = shown[: len(shown) - len(shown.lstrip())] + " " * hang
    room = max(width, len(indent) + 8)
    whole = shown.replace(" %", "\xa0%")  # not white space to wrap
    lines = wrap(whole, room, subsequent_indent=indent, break_on_hyphens=False) or [""]
    yield from (line.replace("\xa0%", " %") for line in lines)
