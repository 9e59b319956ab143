"""Leaderboards and pairings as tables for the terminal, Markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

from arena.ratings.leaderboard import Leaderboard
from arena.ratings.row import COLUMNS, Row
from arena.ratings.statistics import wilson
from arena.show.grid import Grid
from arena.show.presentation import Part
from arena.texts import call, error_text, in_csv, percent
from arena.texts import in_markdown as cell_in_markdown

if TYPE_CHECKING:
    from arena.ratings.opening_worth import OpeningWorth

Pairing = Mapping[str, Any]  # as in the JSON output, see `arena.calls.results`
OUTCOMES = ("wins", "draws", "losses")
OPENINGS = 40  # maximum number of openings in a table
RULE = 20 * "-"  # separates rated entries from the others
# columns of pairings that may be left out on a narrow terminal, least important first
SPARE_OF_PAIRINGS = (
    *("plies", "the second's", "blunders", "matches", "copies", "published", "published: won, drawn, lost"),
    *("unplayed", "forfeits", "drawn", "lost", "won"),
)


def table(board: Leaderboard) -> tuple[list[str], list[list[str]]]:
    """Return the headings and the rows of cells of a leaderboard; the first two columns are text."""
    found = [(column.title, column.cell(board.exact)) for column in COLUMNS if column.shown(board.rows)]
    lines = [[cell(row) for _, cell in found if cell] for row in board.rows]
    return [title for title, cell in found if cell], lines


def unrated_table(board: Leaderboard) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows of the entries that are not rated; the first two columns are text."""
    columns = ["entry", "not rated", "score", "won", "drawn", "lost", "forfeits"]
    if not board.exact:
        columns = [*columns[:3], "matches", *columns[3:], "unplayed"]
    lines = []
    for one in board.unrated:
        outcomes = one.wins, one.draws, one.losses, one.forfeits
        if board.exact:
            shares = (n / one.matches if one.matches else None for n in outcomes)
            cells = [percent(share, 2) for share in (one.score, *shares)]
        else:
            cells = [percent(one.score, 1), *(f"{n:,}" for n in (one.matches, *outcomes, one.unplayed))]
        lines.append([one.shown, one.why, *cells])
    return columns, lines


def worths_of_openings(game: str, worths: Sequence[OpeningWorth]) -> Iterator[Part]:
    """Yield a table of the values of openings for the first player, and the number that decide the match.

    If there are many openings, the table has those that favour one side the most.
    """
    if not worths:
        yield "No rated match began with an opening."
        return
    yield "Value of each opening for the first player between equal entries, in points:"
    shown = worths if len(worths) <= OPENINGS else [*worths[: OPENINGS // 2], *worths[-OPENINGS // 2 :]]
    lines = []
    for one in shown:
        error = error_text(one.worth, one.low, one.high)
        numbers = (f"{n:,}" for n in (one.matches, one.wins, one.draws, one.losses))
        worth = f"{one.worth:+.0f}".replace("-", "−")
        lines.append([one.moves, worth, error, percent(one.score), *numbers])
    yield Grid(["opening", "worth", "95 %", "score", "matches", "won", "drawn", "lost"], lines, left=1)
    if len(shown) < len(worths):
        yield f"{len(worths) - len(shown):,} openings between these are not shown."
    decided = sum(one.decides for one in worths)
    if decided:
        again = call("openings", game, played=True)
        yield f"{decided:,} of {len(worths):,} openings decide the match; to leave them out: {again}"


def legend(names: Mapping[str, str]) -> list[str]:
    """Return a line for each short name, such as `A: alpha-beta:depth=6`. names: short names, by entry."""
    return [f"{name}: {entry}" for entry, name in names.items()]


def in_markdown(columns: Sequence[str], lines: Sequence[Sequence[str]], left: str) -> str:
    """Return a table in Markdown. left: alignment of its first columns, for example `| --- |`."""
    aligned = left + " ---: |" * (len(columns) - left.count("|") + 1)
    rows = (" | ".join(cell_in_markdown(cell) for cell in cells) for cells in (columns, *lines))
    head, *rest = (f"| {row} |" for row in rows)
    return "\n".join([head, aligned, *rest]) + "\n"


def markdown(board: Leaderboard) -> str:
    """Return a leaderboard in Markdown, followed by its notes and, if requested, the diagnostics.

    Entries that are not rated are in a separate table below a rule.
    """
    text, below = in_markdown(*table(board), "| ---: | --- |"), [*legend(board.names), *board.notes]
    if board.unrated:
        text += "\n---\n\n" + in_markdown(*unrated_table(board), "| --- | --- |")
    if board.doubts:
        below += board.doubts.lines({row.entry: row.shown for row in board.rows})
    return text + "\n" + "\n".join(map(cell_in_markdown, below)) + "\n" if below else text


def pairings_markdown(pairings: Sequence[Pairing]) -> str:
    """Return results by pairing in Markdown, from the first player's side, with published figures if any."""
    columns, lines = pairings_table(pairings)
    return in_markdown(columns, lines, "| --- | --- |")


def pairings_table(pairings: Sequence[Pairing]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and rows of a table of pairings; the first two columns are text."""
    exact = any("plies" in row for row in pairings)
    seeds = any("interval" in row for row in pairings)
    columns = ["first", "second", *([] if exact else ["matches"]), "won", "drawn", "lost"]
    columns += ["forfeits", "plies", "blunders", "the second's"] if exact else []
    columns += ["score"] if seeds or not exact else []
    compared = any("published" in row for row in pairings)
    if compared:
        columns.append("published: won, drawn, lost")
    lines = []
    for row in pairings:
        counts = [row[name] for name in OUTCOMES]
        played = sum(counts)
        cells = [row["first"], row["second"]]
        if exact:
            cells += [percent(share, 4) for share in (*counts, row["forfeits"])] + [f"{row['plies']:.2f}"]
            cells += [percent(row[f"{seat}_blunder_rate"], 2) for seat in ("first", "second")]
        else:
            shares = [percent(count / max(played, 1), 1) for count in counts]
            cells += [f"{played:,}", *shares, score_text(row)]
        cells += [score_text(row)] if exact and seeds else []
        lines.append([*cells, *([published_text(row)] if compared else [])])
    return columns, lines


def match_grid(pairings: Sequence[Pairing]) -> Grid:
    """Return a table of results by pairing: the first player's score and its interval, or exact results."""
    if any("plies" in row for row in pairings):
        return Grid(*pairings_table(pairings), left=2, spare=SPARE_OF_PAIRINGS)
    numbers = ("wins", "draws", "losses", "forfeits", "copies")
    rows = [
        [row["first"], row["second"], *(f"{row[name]:,}" for name in numbers), score_text(row)]
        for row in pairings
    ]
    columns = ["first", "second", "won", "drawn", "lost", "forfeits", "copies", "score"]
    if any("unplayed" in row for row in pairings):
        columns.insert(-1, "unplayed")
        rows = [
            [*cells[:-1], f"{row.get('unplayed', 0):,}", cells[-1]]
            for cells, row in zip(rows, pairings, strict=True)
        ]
    if any("published" in row for row in pairings):
        columns.append("published")
        rows = [[*cells, published_text(row)] for cells, row in zip(rows, pairings, strict=True)]
    return Grid(columns, rows, left=2, spare=SPARE_OF_PAIRINGS)


def crosstable(entries: Sequence[str], pairings: Sequence[Pairing]) -> Grid:
    """Return a table of the score of each entry against each other over both seats, in percent."""
    points: Counter[tuple[str, str]] = Counter()
    played: Counter[tuple[str, str]] = Counter()
    for row in pairings:
        one, other = row["first"], row["second"]
        matches = sum(row[name] for name in OUTCOMES)
        score = row["wins"] + row["draws"] / 2
        for pair, won in (((one, other), score), ((other, one), matches - score)):
            points[pair] += won
            played[pair] += matches
    rows = []
    for place, one in enumerate(entries, 1):
        scores = [
            f"{100 * points[one, other] / played[one, other]:.0f}" if played[one, other] else ""
            for other in entries
        ]
        rows.append([str(place), one, *scores])
    return Grid(["#", "entry", *map(str, range(1, len(entries) + 1))], rows, left=2, folds=True)


def superiority(better: Mapping[str, Sequence[float]]) -> Grid:
    """Return a table of the probabilities that the row's entry is better than the column's, in percent."""
    rows = [
        [str(place), entry, *("" if i == place else f"{100 * p:.0f}" for i, p in enumerate(row, 1))]
        for place, (entry, row) in enumerate(better.items(), 1)
    ]
    return Grid(["#", "entry", *map(str, range(1, len(rows) + 1))], rows, left=2, folds=True)


def published_text(pairing: Pairing) -> str:
    """Return the published figures of a pairing as text, such as `93.1, 6.9, 0.0 %`; "" without any."""
    there = pairing.get("published")
    return ", ".join(f"{there[name]:.1f}" for name in OUTCOMES) + " %" if there else ""


def comma_separated(boards: Sequence[Leaderboard]) -> str:
    """Return all fields of all rows as CSV in full precision, with a header.

    The first column is the game. The last two are `exact`, 1 if the leaderboard is exact, else 0, and `why`,
    the reason why an entry is not rated; then rank and rating are empty.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = [field.name for field in fields(Row)]
    writer.writerow(["game", *columns, "exact", "why"])
    for board in boards:
        for row in board.rows:
            safe = replace(row, entry=in_csv(row.entry), name=in_csv(row.name))
            writer.writerow([in_csv(board.game), *asdict(safe).values(), int(board.exact), ""])
        for one in board.unrated:
            facts = {**asdict(one), "entry": in_csv(one.entry), "name": in_csv(one.name)}
            cells = [facts.get(column, "") for column in columns]
            writer.writerow([in_csv(board.game), *cells, int(board.exact), in_csv(one.why)])
    return out.getvalue()


def score_text(pairing: Pairing) -> str:
    """Return the first player's score in percent, with a 95 % interval if it is a sample.

    The interval is Wilson's (1927), or the value `interval` of a pairing with pooled seeds. Exact results and
    pairings with copies have no interval, unless seeds are pooled.
    """
    played = pairing["wins"] + pairing["draws"] + pairing["losses"]
    if not played:
        return ""
    mean = (pairing["wins"] + pairing["draws"] / 2) / played
    if "interval" not in pairing and ("plies" in pairing or pairing["copies"]):
        return f"{100 * mean:.1f} %"
    low, high = pairing["interval"] if "interval" in pairing else wilson(mean, played)
    return f"{100 * mean:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
