"""Learning curves: CSV files of learners' scores by number of episodes, drawn as plots.

A game with one learner gets one plot, with a line for each opponent. A game with several learners gets a plot
for each opponent, with a line for each learner. All plots of a game share their axis of episodes.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper

from arena.errors import ArenaError
from arena.file_io import open_given
from arena.results.curve_row import Row
from arena.results.record import tags
from arena.show.curve_plot import Axis, Line, axis_over, svg

FURTHER = Row._field_defaults  # defaults of the columns that a file may lack
COLUMNS = tuple(name for name in Row._fields if name not in FURTHER)
MOST = 2**63 - 1  # largest valid whole number


# --- the files -----------------------------------------------------------------------------------------


def read(paths: Iterable[str]) -> list[Row]:
    """Return all results in one or more files, without duplicates.

    Raises:
        ArenaError: If a file cannot be read, is not a learning curve, has no results, or contradicts another.
    """
    found: dict[tuple[object, ...], tuple[str, Row]] = {}
    for path in paths:
        results = read_places(path)
        if not results:
            raise ArenaError(f"{path} has no results")
        for place, new in results:
            key = (new.game, new.entry, new.seed, new.episodes, new.opponent, new.seat, new.openings)
            before, old = found.setdefault(key, (place, new))
            if (old.matches, old.score) != (new.matches, new.score):
                raise ArenaError(f"{place} contradicts {before}: same learner, different result")
    return [row for _, row in found.values()]


def read_one(path: str) -> list[Row]:
    """Return the results in a file, possibly empty, or raise ArenaError if it is not a learning curve."""
    return [row for _, row in read_places(path)]


def read_places(path: str) -> list[tuple[str, Row]]:
    """Return the results in a file, each with its line as text, such as `q.csv line 7`.

    Raises:
        ArenaError: If the file cannot be read or is not a learning curve.
    """
    try:
        with TextIOWrapper(open_given(path), encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, strict=True)
            columns = tuple(next(lines, []))
            if columns != (*COLUMNS, *(name for name in FURTHER if name in columns)):
                raise ArenaError(
                    f"{path} is not a learning curve; its first line must be {','.join(COLUMNS)}"
                )
            places = ((f"{path} line {lines.line_num}", cells) for cells in lines if cells)
            results = [(place, result(columns, cells, place)) for place, cells in places]
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path} is not UTF-8 text") from error
    except csv.Error as error:
        raise ArenaError(f"{path} line {lines.line_num} is not CSV: {error}") from error
    return results


def result(columns: Sequence[str], cells: Sequence[str], place: str) -> Row:
    """Parse a line of a file, or raise ArenaError. place: the file and line, for the message."""
    if len(cells) != len(columns):
        raise ArenaError(f"{place} has {len(cells)} values, not {len(columns)}")
    row = {**FURTHER, **dict(zip(columns, cells, strict=True))}
    entry, game, opponent = (text(row, name, place) for name in ("entry", "game", "opponent"))
    seed, episodes, seat = (whole(row, name, place) for name in ("seed", "episodes", "seat"))
    wins, draws, losses = (whole(row, name, place) for name in ("wins", "draws", "losses"))
    if seat not in (1, 2):
        raise ArenaError(f"{place}: seat is {seat}, not 1 or 2")
    matches = wins + draws + losses
    if not matches:
        raise ArenaError(f"{place} has no matches")
    score = (wins + draws / 2) / matches
    try:
        agrees = abs(float(row["score"]) - score) < 1e-6
    except ValueError:
        agrees = False
    if not agrees:
        raise ArenaError(f"{place}: score is {row['score']!r}, but (wins + draws/2)/matches is {score:.6g}")
    code, openings = (text(row, name, place) for name in ("code", "openings"))
    spent = seconds(row, place)
    return Row(entry, game, seed, episodes, opponent, seat, wins, draws, losses, score, code, openings, spent)


def text(row: Mapping[str, str], name: str, place: str) -> str:
    """Return the value of a column that must be a name, or raise ArenaError."""
    value = row[name]
    if not (value.strip() and value.isprintable()):
        raise ArenaError(f"{place}: {name} is {value!r}, not a name")
    return value


def seconds(row: Mapping[str, str], place: str) -> float:
    """Return the training time in a row, or raise ArenaError."""
    try:
        found = float(row["seconds"])
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise ArenaError(f"{place}: seconds is {row['seconds']!r}, not a time from 0")
    return found


def whole(row: Mapping[str, str], name: str, place: str) -> int:
    """Return the value of a column that must be a whole number from 0 to `MOST`, or raise ArenaError."""
    value = row[name]
    if not (value.isascii() and value.isdigit() and len(value) < 20 and int(value) <= MOST):
        raise ArenaError(f"{place}: {name} is {value!r}, not a whole number from 0 to 2**63 - 1")
    return int(value)


# --- the plots -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plot:
    """A plot with a heading, and a caption that explains its lines and bands.

    Attributes:
        heading: The heading.
        svg: The plot as SVG.
        caption: The caption.
        narrow: The plot for a narrow screen, with panels one above the other.
    """

    heading: str
    svg: str
    caption: str
    narrow: str = ""


def plots(results: Sequence[Row]) -> list[Plot]:
    """Return the plots of all games, in the order of the results."""
    found = []
    for game in dict.fromkeys(r.game for r in results):
        here = [r for r in results if r.game == game]
        axis = axis_over({r.episodes for r in here})
        entries = list(dict.fromkeys(r.entry for r in here))
        opponents = list(dict.fromkeys(r.opponent for r in here))
        if len(entries) == 1:
            lines = [line(o, i, [r for r in here if r.opponent == o]) for i, o in enumerate(opponents)]
            found.append(plot(f"{entries[0]} at {game}", "against", lines, axis, here))
            continue
        for opponent in opponents:
            these = [r for r in here if r.opponent == opponent]
            lines = [line(e, i, [r for r in these if r.entry == e]) for i, e in enumerate(entries)]
            found.append(plot(f"{game} against {opponent}", "learner", lines, axis, these))
    return found


def line(name: str, look: int, results: Sequence[Row]) -> Line:
    """Return results as a line of a plot, sorted by seat and then by number of episodes."""
    scores: dict[int, dict[int, list[float]]] = {}
    for r in sorted(results, key=lambda r: (r.seat, r.episodes)):
        scores.setdefault(r.seat, {}).setdefault(r.episodes, []).append(r.score)
    return Line(name, look, scores)


def plot(heading: str, lead: str, lines: Sequence[Line], axis: Axis, results: Sequence[Row]) -> Plot:
    """Return a plot of lines, with a panel for each seat. lead: title of the legend."""
    lines = [one for one in lines if one.scores]
    drawn, narrow = (svg(heading, lead, lines, axis, stacked) for stacked in (False, True))
    return Plot(heading, drawn, caption(lines, results), narrow)


def caption(lines: Sequence[Line], results: Sequence[Row]) -> str:
    """Return the caption of a plot: the numbers of seeds and matches, and the openings if there are any.

    For example: `Mean of 5 seeds, with a band from the lowest to the highest; 1,000 matches per point and
    seed.`
    """
    told = "".join(f" {sentence}" for sentence in several_codes(results))
    seeds = {len(scores) for one in lines for points in one.scores.values() for scores in points.values()}
    played = f"{span({r.matches for r in results})} matches per point"
    begun = " and ".join(sorted({r.openings for r in results} - {FURTHER["openings"]}))
    told = f"{f', from openings {begun}' if begun else ''}.{told}"
    if seeds == {1}:
        return f"One seed; {played}{told}"
    return f"Mean of {span(seeds)} seeds, with a band from the lowest to the highest; {played} and seed{told}"


def several_codes(rows: Iterable[Row]) -> Iterator[str]:
    """Yield a sentence for each learner and opponent whose rows come from several versions of the code."""
    codes: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        codes.setdefault((row.entry, row.opponent), set()).add(row.code)
    for (entry, opponent), these in sorted(codes.items()):
        if len(these) > 1:
            shown = ", ".join(sorted(tags(these)[code] for code in these))
            yield f"{entry} against {opponent} is of several codes: {shown}."


def span(numbers: set[int]) -> str:
    """Return the range of some numbers as text, such as `5` or `3 to 5`."""
    return " to ".join(f"{n:,}" for n in sorted({min(numbers), max(numbers)}))
