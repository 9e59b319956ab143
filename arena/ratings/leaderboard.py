"""The leaderboard: pooled results of a game, rated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.api.foreign import Failed, foreign
from arena.api.rating import Rating, RatingSystem, Results
from arena.errors import ArenaError
from arena.results.exact import Expected
from arena.results.mastery import UNKNOWN, Mastery, mastery_of
from arena.results.record import Record
from arena.results.tally import CHANCE, COPY, Counts, Replays

if TYPE_CHECKING:
    from arena.storage.database import Store, Tournament


@dataclass(frozen=True)
class Row:
    """One entry's line. rating in Elo points with its 95 % interval; score from 0 to 1.

    Where results are exact, wins, draws, losses and forfeits are what so many matches come to on average. The
    last three are those of `Mastery`, None where they are not known.
    """

    rank: int
    entry: str
    rating: float
    low: float | None
    high: float | None
    elo: float | None
    matches: float
    wins: float
    draws: float
    losses: float
    forfeits: float
    score: float
    blunder_rate: float | None = None
    blunder_error: float | None = None
    expected_loss: float | None = None


@dataclass(frozen=True)
class Leaderboard:
    """Rows, best first, and what to know about them, in lines."""

    game: str
    rows: list[Row]
    notes: list[str]
    exact: bool = False


@dataclass(frozen=True)
class PooledResult:
    """The results of one pairing and kind in one tournament.

    terms: all that decides them; another tournament's results with the same terms are these again.
    """

    tournament: int
    first: str
    second: str
    kind: str
    terms: tuple[Any, ...]
    counts: Counts


def pooled_results(store: Store, tournaments: list[Tournament]) -> list[PooledResult]:
    """All results of tournaments of one game, each counted once.

    Tournaments under one seed, the same terms and the same versions play the same matches, as far as
    both go: of these the longest counts. So it is under any seed with matches that begin at the start
    and in which no agent drew a random number. Where the clock decides, nothing is the same.
    """
    best: dict[tuple[Any, ...], PooledResult] = {}
    for t in tournaments:
        settings = t.settings
        clock = t.id if settings["move_seconds"] else None
        terms = (settings["openings"], settings["max_plies"], clock, t.rules, *sorted(t.versions.items()))
        for first, second, kind, counts in store.pairings(t.id):
            if kind == COPY:
                continue
            seed = t.seed if kind == CHANCE or settings["openings"] != "none" else None
            result = PooledResult(t.id, first, second, kind, (*terms, seed), counts)
            key = (first, second, kind, result.terms)
            if key not in best or counts.matches >= best[key].counts.matches:
                best[key] = result
    return list(best.values())


def totals_of(pooled: list[PooledResult]) -> dict[tuple[str, str], Counts]:
    """The sums of pooled results, by first and second entry."""
    totals: dict[tuple[str, str], Counts] = {}
    for result in pooled:
        pair = (result.first, result.second)
        totals[pair] = totals.get(pair, Counts()) + result.counts
    return totals


def exact_results(
    store: Store, tournaments: list[Tournament]
) -> dict[tuple[str, str], tuple[Expected, float]]:
    """What pairings come to in tournaments of one game that were evaluated, by first and second entry.

    With each, how many matches it stands for: those of a tournament's rounds. Where tournaments differ, in
    their openings say, the last one counts.
    """
    found = {}
    for t in tournaments:
        rounds = t.settings["matches"] / 2 if t.format == "match" else t.settings["rounds"]
        found.update({pair: (expected, rounds) for pair, expected in store.exact(t.id).items()})
    return found


def expected_counts(
    evaluated: Mapping[tuple[str, str], tuple[Expected, float]],
) -> dict[tuple[str, str], Counts]:
    """What so many matches of these pairings come to on average."""
    return {
        pair: Counts(*(n * p for p in (e.win, e.draw, e.loss, e.first_forfeit, e.second_forfeit)))
        for pair, (e, n) in evaluated.items()
    }


def leaderboard(
    store: Store,
    game: str,
    tournaments: list[Tournament],
    system: RatingSystem,
    mastery: Mapping[str, Mastery] | None = None,
) -> Leaderboard:
    """The entries of one game over these tournaments, rated: either all of them were evaluated, or none.

    mastery: what to show of the entries beside their rating; of those that were evaluated it is known.
    """
    exact = any(t.exact for t in tournaments)
    pooled = [] if exact else pooled_results(store, tournaments)
    evaluated = exact_results(store, tournaments) if exact else {}
    totals = expected_counts(evaluated) if exact else totals_of(pooled)
    names = sorted({name for pair in totals for name in pair})
    index = {name: i for i, name in enumerate(names)}
    results = Results(
        names,
        [(index[a], index[b], c.wins, c.draws, c.losses) for (a, b), c in sorted(totals.items())],
        no_sequence if exact else in_sequence(store, game, pooled, index),
        exact,
    )
    ratings, system_notes = rate(system, results)
    elo: dict[str, float] = {}
    for tournament in tournaments:
        elo.update(store.last_elo(tournament.id))
    if exact:
        losses = [store.against_perfect(tournament.id) for tournament in tournaments]
        mastery = mastery_of(evaluated, {name: loss for by_name in losses for name, loss in by_name.items()})
    rows = []
    # what differs by rounding alone is equal, in the order of names
    order = sorted(names, key=lambda name: (-round(ratings[index[name]].value, 6), name))
    for rank, name in enumerate(order, 1):
        c = counts_of(name, totals)
        score = (c.wins + c.draws / 2) / c.matches if c.matches else 0.5
        rows.append(
            Row(
                rank, name, *ratings[index[name]], elo.get(name),
                c.matches, c.wins, c.draws, c.losses, c.first_forfeits, score,
                *(mastery or {}).get(name, UNKNOWN),
            )
        )  # fmt: skip
    return Leaderboard(game, rows, [*notes(tournaments, totals), *system_notes], exact)


def rate(system: RatingSystem, results: Results) -> tuple[list[Rating], list[str]]:
    """A rating for each entry, all finite, and the rating system's notes; ArenaError if it fails."""
    try:
        with foreign(ArenaError):
            ratings, sentences = system.rate(results), system.notes(results)
            if len(ratings) != len(results.entries):
                raise ValueError(f"{len(ratings)} ratings for {len(results.entries)} entries")
            if not all(math.isfinite(rating.value) for rating in ratings):
                raise ValueError("a rating is not a finite number")
    except Failed as error:
        raise ArenaError(f"rating system {system.name} failed: {error}") from error
    return ratings, sentences


class NoSequence(ArenaError):
    """A rating system goes by matches in sequence, and there are none."""


def no_sequence() -> Iterator[tuple[int, int, int]]:
    """What a rating system gets that goes by matches, where there are none."""
    raise NoSequence("exact results have no matches in sequence to rate; leave --rating out")


def counts_of(name: str, totals: dict[tuple[str, str], Counts]) -> Counts:
    """An entry's counts over all it met, from its own side."""
    total = Counts()
    for (first, second), counts in totals.items():
        if first == name != second:
            total += counts
        elif second == name != first:
            total += counts.swapped()
    return total


def notes(tournaments: list[Tournament], totals: dict[tuple[str, str], Counts]) -> list[str]:
    """What a reader of the table should know of its results, in sentences."""
    notes = []
    if any(tournament.exact for tournament in tournaments):
        notes.append("Exact: nothing was played, and there is no sampling error.")
    played = sum(tournament.played for tournament in tournaments)
    counted = sum(counts.matches for counts in totals.values())
    if counted < played:
        notes.append(
            f"{played - counted:,} of {played:,} matches repeat others move for move and count once."
        )
    if any(tournament.settings["move_seconds"] for tournament in tournaments):
        notes.append("Played with time limits, so another run may come out differently.")
    if len({tournament.rules for tournament in tournaments}) > 1:
        notes.append("The source of the game's rules changed between these tournaments.")
    for name in sorted({name for tournament in tournaments for name in tournament.versions} - {"python"}):
        found = sorted({t.versions[name] for t in tournaments if name in t.versions})
        if len(found) > 1:
            notes.append(f"Played with several versions of {name}: {', '.join(found)}.")
    if len(groups := groups_of(totals)) > 1:
        shown = "; ".join(", ".join(sorted(group)) for group in groups)
        notes.append(f"These groups never met, and how they rank among each other is unknown: {shown}.")
    return notes


def groups_of(totals: dict[tuple[str, str], Counts]) -> list[set[str]]:
    """The entries, parted where no chain of matches joins them."""
    groups: list[set[str]] = []
    for pair in totals:
        joined = [group for group in groups if group & {*pair}]
        groups = [group for group in groups if group not in joined]
        groups.append(set(pair).union(*joined))
    return groups


def in_sequence(
    store: Store, game: str, pooled: list[PooledResult], index: dict[str, int]
) -> Callable[[], Iterator[tuple[int, int, int]]]:
    """The same matches as are counted, in the order they were scheduled."""
    return lambda: ((r.first, r.second, r.result) for r in counted_records(store, game, pooled, index))


def counted_records(
    store: Store, game: str, pooled: list[PooledResult], index: dict[str, int]
) -> Iterator[Record]:
    """The records of the matches that are counted, in the order they were scheduled; index: of entries."""
    places = {id: index[name] for name, id in store.entry_ids(game).items() if name in index}
    wanted = {(one.tournament, index[one.first], index[one.second], one.kind) for one in pooled}
    for tournament in sorted({one.tournament for one in pooled}):
        replays = Replays()
        for record in store.matches(tournament, places):
            if (tournament, record.first, record.second, replays.kind(record)) in wanted:
                yield record
