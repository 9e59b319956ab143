"""The headline of a section of a page: the facts, and the outcome in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.ratings.leaderboard import Leaderboard
from arena.ratings.row import Row
from arena.show.page.event import Event
from arena.texts import percent

NAMED = 4  # maximum number of entries that a sentence names


def facts(event: Event) -> Iterator[str]:
    """Yield the date, the number of matches and the number of entries, as text."""
    days = sorted({str(one["created"])[:10] for one in event.tournaments})
    if days:
        yield days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    if not event.board.exact:
        yield f"{event.of:,} {'match' if event.of == 1 else 'matches'}"
    entries = len(event.board.entered)
    yield f"{entries:,} {'entry' if entries == 1 else 'entries'}"


def outcome(board: Leaderboard) -> str:
    """Return a sentence on the best entry and the confidence in the ranking; "" without rated entries."""
    if not board.rows:
        return ""
    if len(board.rows) == 1:
        return f"{board.rows[0].shown} is the only entry that is rated."
    if board.exact:
        return exactly(board.rows)
    first, second = board.rows[:2]
    points = round(first.rating - second.rating)
    ahead = f"{points} points ahead of {second.shown}" if points else f"level with {second.shown}"
    if first.worst_rank is None:
        return f"{first.shown} is rated highest, {rating(first)}, {ahead}."
    able = [row.shown for row in board.rows if row.best_rank == 1]
    if len(able) == 1:
        return f"{first.shown} is the best, with 95 % confidence; its rating is {rating(first)}, {ahead}."
    highest = f"{first.shown} is rated highest, {rating(first)}, {ahead}"
    if able == [first.shown, second.shown]:
        return f"{highest}; either of them may be the best."
    best = f"{len(able)} entries" if len(able) > NAMED else listed(able)
    return f"{highest}; the best may be any of {best}."


def exactly(rows: Sequence[Row]) -> str:
    """Return a sentence on the best entry of a leaderboard with exact scores."""
    best = [row.shown for row in rows if row.rank == rows[0].rank]
    score = percent(rows[0].score, 1)
    if len(best) > 1:
        return f"{listed(best)} score best, {score} each."
    second = f"{rows[1].shown} follows with {percent(rows[1].score, 1)}"
    return f"{best[0]} scores best, {score} of all points; {second}."


def rating(row: Row) -> str:
    """Return a rating with its interval, such as `1632 (95 %: 1590 to 1680)`."""
    if row.low is None and row.high is None:
        return f"{row.rating:.0f}"
    low, high = ("any" if end is None else f"{end:.0f}" for end in (row.low, row.high))
    return f"{row.rating:.0f} (95 %: {low} to {high})"


def listed(names: Sequence[str]) -> str:
    """Return names as a list such as `a, b and c`; a long list ends in the number of further names."""
    if len(names) > NAMED:
        return f"{', '.join(names[: NAMED - 1])} and {len(names) - NAMED + 1} more"
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
