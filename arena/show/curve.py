"""Learning curves: CSV files of how learners did after so many episodes, as plots.

A game with one learner has one plot, with a line for each opponent; a game with several has a plot for each
opponent, with a line for each learner. All plots of a game share their axes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper

from arena.errors import ArenaError
from arena.results.curve_row import Row
from arena.results.record import tags
from arena.show.curve_plot import Axis, Line, axis_over, svg
from arena.user_files import open_given

FURTHER = Row._field_defaults  # columns that not every file has, and what goes there
COLUMNS = tuple(name for name in Row._fields if name not in FURTHER)
MOST = 2**63 - 1  # of any whole number


# --- the files -----------------------------------------------------------------------------------------


def read(paths: Iterable[str]) -> list[Row]:
    """All results in these files, each once; ArenaError if one is no good or contradicts another."""
    found: dict[tuple[object, ...], tuple[str, Row]] = {}
    for path in paths:
        results = read_places(path)
        if not results:
            raise ArenaError(f"{path} has no results")
        for place, new in results:
            key = (new.game, new.entry, new.seed, new.episodes, new.opponent, new.seat, new.openings)
            before, old = found.setdefault(key, (place, new))
            if (old.matches, old.score) != (new.matches, new.score):
                raise ArenaError(f"{place} contradicts {before}: the same learner, another result")
    return [row for _, row in found.values()]


def read_one(path: str) -> list[Row]:
    """The results in a file, of which there may be none, or ArenaError."""
    return [row for _, row in read_places(path)]


def read_places(path: str) -> list[tuple[str, Row]]:
    """The results in a file, each with `FILE line NUMBER`, or ArenaError."""
    try:
        with TextIOWrapper(open_given(path), encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, strict=True)
            columns = tuple(next(lines, []))
            if columns != (*COLUMNS, *(name for name in FURTHER if name in columns)):
                raise ArenaError(f"{path} is no learning curve; its first line must be {','.join(COLUMNS)}")
            places = ((f"{path} line {lines.line_num}", cells) for cells in lines if cells)
            results = [(place, result(columns, cells, place)) for place, cells in places]
    except OSError as error:
        raise ArenaError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path} is not a text in UTF-8") from error
    except csv.Error as error:
        raise ArenaError(f"{path} line {lines.line_num} is not CSV: {error}") from error
    return results


def result(columns: Sequence[str], cells: Sequence[str], place: str) -> Row:
    """A line of a file, or ArenaError."""
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
    further = (text(row, name, place) for name in FURTHER)
    return Row(entry, game, seed, episodes, opponent, seat, wins, draws, losses, score, *further)


def text(row: Mapping[str, str], name: str, place: str) -> str:
    """A value that is a name, or ArenaError."""
    value = row[name]
    if not (value.strip() and value.isprintable()):
        raise ArenaError(f"{place}: {name} is {value!r}, not a name")
    return value


def whole(row: Mapping[str, str], name: str, place: str) -> int:
    """A value that is a whole number, or ArenaError."""
    value = row[name]
    if not (value.isascii() and value.isdigit() and len(value) < 20 and int(value) <= MOST):
        raise ArenaError(f"{place}: {name} is {value!r}, not a whole number from 0 to 2**63 - 1")
    return int(value)


# --- the plots -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plot:
    """A drawing, with a heading, and a caption that says what lines and bands are."""

    heading: str
    svg: str
    caption: str


def plots(results: Sequence[Row]) -> list[Plot]:
    """The plots of all games, in the order of the results."""
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
    """These results by seat and episodes, both ascending."""
    scores: dict[int, dict[int, list[float]]] = {}
    for r in sorted(results, key=lambda r: (r.seat, r.episodes)):
        scores.setdefault(r.seat, {}).setdefault(r.episodes, []).append(r.score)
    return Line(name, look, scores)


def plot(heading: str, lead: str, lines: Sequence[Line], axis: Axis, results: Sequence[Row]) -> Plot:
    """Lines in a panel for each seat; `lead` is what the legend begins with."""
    lines = [one for one in lines if one.scores]
    return Plot(heading, svg(heading, lead, lines, axis), caption(lines, results))


def caption(lines: Sequence[Line], results: Sequence[Row]) -> str:
    """`Mean of 5 seeds, band from the lowest to the highest; 1,000 matches for each point of a seed.`"""
    told = "".join(f" {sentence}" for sentence in several_codes(results))
    seeds = {len(scores) for one in lines for points in one.scores.values() for scores in points.values()}
    played = f"{span({r.matches for r in results})} matches for each point"
    begun = " and ".join(sorted({r.openings for r in results} - {FURTHER["openings"]}))
    told = f"{f', which begin with {begun}' if begun else ''}.{told}"
    if seeds == {1}:
        return f"One seed; {played}{told}"
    return f"Mean of {span(seeds)} seeds, band from the lowest to the highest; {played} of a seed{told}"


def several_codes(rows: Iterable[Row]) -> Iterator[str]:
    """A sentence for each learner and opponent whose rows are not all of one code."""
    codes: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        codes.setdefault((row.entry, row.opponent), set()).add(row.code)
    for (entry, opponent), these in sorted(codes.items()):
        if len(these) > 1:
            shown = ", ".join(sorted(tags(these)[code] for code in these))
            yield f"{entry} against {opponent} is of several codes: {shown}."


def span(numbers: set[int]) -> str:
    """`5`, `3 to 5`."""
    return " to ".join(f"{n:,}" for n in sorted({min(numbers), max(numbers)}))
