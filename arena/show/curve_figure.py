"""Learning curves as figures: scores against opponents, or ratings, over episodes or training time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from arena.api.rating import Results
from arena.errors import ArenaError
from arena.ratings.maximum_likelihood import MaximumLikelihood
from arena.results.curve_row import Row
from arena.show.figures import Band, Curve, kind_of, lines
from arena.show.rate import short_duration
from arena.texts import argument

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["score", "rating"]
Over = Literal["episodes", "seconds"]
Learner = tuple[str, int, int]  # entry, seed, episodes


def curve_figure(
    rows: Sequence[Row],
    kind: Kind = "score",
    *,
    over: Over = "episodes",
    against: str | None = None,
    band: str = "interval",
    ax: Axes | None = None,
) -> Axes:
    """Draw learning curves; see `arena.LearningCurve.plot`."""
    kind_of(kind, ("score", "rating"), "a learning curve")
    kind_of(over, ("episodes", "seconds"), "the axis of a learning curve")
    kind_of(band, [one.value for one in Band], "the band of a learning curve")
    opponents = list(dict.fromkeys(row.opponent for row in rows))
    if against is not None:
        kind_of(against, opponents, "a learning curve against an opponent")
    if len(games := list(dict.fromkeys(row.game for row in rows))) > 1:
        raise ArenaError(f"these curves are of several games: {', '.join(games)}; plot each game separately")
    if over == "seconds" and not all(row.seconds for row in rows if row.episodes):
        raise ArenaError(f"the training times were not recorded; {argument('cost', True)} records them")
    if kind == "rating":
        chosen, title = rated(rows, over, opponents[0] if against is None else against), f"{games[0]}: rating"
        zero = opponents[0] if against is None else against
        titles, limits = (AXES[over], f"{title} (Elo, {zero} = 0)"), None
    else:
        met = opponents if against is None else [against]
        chosen = [*scored(rows, over, met)]
        whom = f" against {met[0]}" if len(met) == 1 else ""
        titles, limits = (AXES[over], f"{games[0]}: score{whom} (%)"), (0.0, 100.0)
    return lines(chosen, titles, band=Band(band), limits=limits, ax=ax)


AXES = {"episodes": "episodes of training", "seconds": "time of training (s), mean of the runs"}


def scored(rows: Sequence[Row], over: Over, opponents: Sequence[str]) -> Iterator[Curve]:
    """Yield the scores of each learner against each opponent as a curve, in percent over both seats."""
    for entry in dict.fromkeys(row.entry for row in rows):
        of_entry = [row for row in rows if row.entry == entry]
        for opponent in opponents:
            won: Counter[Learner] = Counter()
            played: Counter[Learner] = Counter()
            for row in of_entry:
                if row.opponent == opponent:
                    who = row.entry, row.seed, row.episodes
                    won[who] += row.score * row.matches  # type: ignore[assignment]  # half points
                    played[who] += row.matches
            if not played:
                continue
            name = entry if len(opponents) == 1 else f"{entry} – {opponent}"
            values = {who: 100 * won[who] / played[who] for who in played}
            yield curve(name, values, of_entry, over)


def rated(rows: Sequence[Row], over: Over, zero: str) -> list[Curve]:
    """Return a curve of the ratings of each learner by maximum likelihood, fitted to all results at once.

    Args:
        rows: The results. Each seed of a learner is rated separately at each point.
        over: The horizontal axis: `episodes` or `seconds`.
        zero: The opponent whose rating is 0.
    """
    learners: list[Learner] = sorted({(row.entry, row.seed, row.episodes) for row in rows})
    opponents = list(dict.fromkeys(row.opponent for row in rows))
    place = {who: number for number, who in enumerate([*learners, *opponents])}
    totals = []
    for row in rows:
        seats = place[row.entry, row.seed, row.episodes], place[row.opponent]
        if row.seat == 1:
            totals.append((*seats, float(row.wins), float(row.draws), float(row.losses)))
        else:
            totals.append((*seats[::-1], float(row.losses), float(row.draws), float(row.wins)))
    found = MaximumLikelihood().rate(Results([*map(str, place)], totals, lambda: iter(())))
    level = found[place[zero]].value
    values = {who: found[place[who]].value - level for who in learners}
    return [
        curve(
            entry,
            {who: value for who, value in values.items() if who[0] == entry},
            [row for row in rows if row.entry == entry],
            over,
        )
        for entry in dict.fromkeys(row.entry for row in rows)
    ]


def curve(name: str, values: dict[Learner, float], rows: Sequence[Row], over: Over) -> Curve:
    """Return a learner's values as a curve, with its training cost in the legend."""
    by_point: dict[int, list[float]] = {}
    for (_, _, episodes), value in values.items():
        by_point.setdefault(episodes, []).append(value)
    spent = {n: fmean(row.seconds for row in rows if row.episodes == n) for n in by_point}
    last = max(by_point)
    note = f"{last:,} episodes" + (f", {short_duration(spent[last])}" if spent[last] else "")
    at = {n: spent[n] if over == "seconds" else float(n) for n in by_point}
    return Curve(name, {at[n]: found for n, found in by_point.items()}, note)
