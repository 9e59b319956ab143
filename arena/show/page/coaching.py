"""A coach's findings about an entry, as parts of a page with links to the matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup, escape

from arena.show.grid import Grid
from arena.show.page.marked_board import KEY, MarkedBoards
from arena.show.presentation import Board, Line, Listing, Part
from arena.texts import on_lines, on_one_line

# references to matches, as `Coaching` writes them
PLACES = re.compile(
    r"ply (?P<ply1>\d+) of match (?P<match1>\d+) of tournament (?P<tournament1>\d+)"
    r"|[Mm]atch (?P<match2>\d+) of tournament (?P<tournament2>\d+)(, ply (?P<ply2>\d+))?"
)
CARD = re.compile(r"Match \d+ of tournament \d+, ply")  # the first line of a mistake with its board
LINK = re.compile(r'<a href="[^"]*">')  # the start of a link that `Linked.text` writes
PART = re.compile(r"(?<=[:,_])(?=[^\s<])")  # where the parts of an entry's name begin


def breakable(cell: Markup) -> Markup:
    """Return a cell whose text may be broken onto several lines where the parts of an entry's name begin."""
    return cell if "<" in cell else Markup(PART.sub("<wbr>", cell))


def in_parts(name: str) -> Markup:
    """Return a name as HTML that is broken onto several lines only where its parts begin, if they fit."""
    return Markup().join(Markup("<span>{}</span>").format(part) for part in PART.split(on_one_line(name)))


def unbroken(said: str) -> str:
    """Return a text with no line break before a per cent sign."""
    return said.replace(" %", "\xa0%")


class Linked:
    """A writer of a coach's findings with a link to each match that is on the page.

    Args:
        address: Function that returns the URL of a match, given tournament, match and ply; None if the match
            is not on the page.
        boards: The renderer of positions.
    """

    def __init__(self, address: Callable[[int, int, int | None], str | None], boards: MarkedBoards) -> None:
        self.address, self.boards = address, boards

    def text(self, said: str) -> Markup:
        """Return a line of text as HTML with links to matches, and no line break before a per cent sign."""
        said = unbroken(said)
        found, at = Markup(), 0
        for place in PLACES.finditer(said):
            facts = {key[:-1]: int(value) for key, value in place.groupdict().items() if value}
            address = self.address(facts["tournament"], facts["match"], facts.get("ply"))
            found += escape(on_one_line(said[at : place.start()]))
            words = escape(on_one_line(place[0]))
            found += Markup('<a href="{}">{}</a>').format(address, words) if address else words
            at = place.end()
        return found + escape(on_one_line(said[at:]))

    def parts(self, parts: Sequence[Part], name: str) -> Iterator[Markup]:
        """Yield parts as HTML; a mistake and its board become one part, and empty lines are left out.

        Args:
            parts: The parts.
            name: The entry, for the descriptions of tables that screen readers use.
        """
        card: list[Markup] = []
        title = ""  # above the next table
        keyed = not any(isinstance(part, Board) and self.boards.of(part) for part in parts)
        for part in parts:
            begins = isinstance(part, str) and CARD.match(part)
            if card and (part == "" or begins or isinstance(part, Grid)):
                yield Markup('<div class="card">{}</div>').format(Markup().join(card))
                card = []
            if part == "":
                continue
            if begins and not keyed:
                keyed = True
                yield Markup("<p>{}</p>").format(KEY)
            made = self.table(part, name, title) if isinstance(part, Grid) else self.part(part)
            title = part.rstrip(":") if isinstance(part, str) and part.endswith(":") else ""
            if begins or card:
                card.append(made)
            else:
                yield made
        if card:
            yield Markup('<div class="card">{}</div>').format(Markup().join(card))

    def part(self, part: str | Board | Line | Listing) -> Markup:
        """Return a text or a position as HTML; see `parts`."""
        if isinstance(part, Board):
            return self.boards.of(part) or Markup("<pre>{}</pre>").format(on_lines(part.drawn))
        return Markup("<p>{}</p>").format(self.text(part if isinstance(part, str) else part.said))

    def table(self, grid: Grid, name: str, title: str = "") -> Markup:
        """Return a table as HTML, which screen readers call by its title or its first column."""
        words = [
            f' class="{"word " * (i < grid.left)}{"spare" * (column in grid.spare)}"'
            for i, column in enumerate(grid.columns)
        ]
        heads = Markup().join(
            Markup('<th scope="col"{}>{}</th>').format(Markup(kind), on_one_line(column))
            for kind, column in zip(words, grid.columns, strict=True)
        )
        rows = Markup().join(
            Markup("<tr>{}</tr>").format(
                Markup().join(
                    Markup("<td{}>{}</td>").format(Markup(kind), cell)
                    for kind, cell in zip(words, self.cells(cells), strict=True)
                )
            )
            for cells in grid.rows
        )
        return Markup(
            '<div class="wide" tabindex="0" role="region" aria-label="{}"><table>'
            "<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
        ).format(f"{title or grid.columns[0]} of {on_one_line(name)}", heads, rows)

    def cells(self, cells: Sequence[str]) -> list[Markup]:
        """Return the cells of a row as HTML.

        The first cell has the link of the row, too, since the cell with the words of the link is left out on
        narrow screens.
        """
        first, *rest = (breakable(self.text(cell)) for cell in cells)
        links = [found[0] for cell in rest if (found := LINK.search(cell))]
        return [Markup("{}{}</a>").format(Markup(links[0]), first) if links else first, *rest]
