"""The leaderboard: pooled results of a game, with ratings."""

from __future__ import annotations

import gc
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from arena.api.plugin_guard import Failed, foreign
from arena.api.rating import Rating, RatingSystem, Results, Spread
from arena.errors import ArenaError
from arena.ratings.caveat_texts import Doubted
from arena.ratings.contestants import (
    ISOLATED,
    Unrated,
    Which,
    by_rules,
    forfeited,
    left_out,
    listed,
    rated_among,
    withdrawn,
)
from arena.ratings.pool import (
    Gathered,
    Pool,
    by_contestant,
    by_seed,
    counts_of_entries,
    gathered,
    in_sequence,
    learners_of,
    mean_of,
    seeds_of,
    timed,
    totals_of,
)
from arena.ratings.row import Row
from arena.registry.plugins import OWN_CODE
from arena.results.mastery import UNKNOWN, Mastery, mastery_of
from arena.results.record import NO_OPENINGS, SHORTEST
from arena.results.settings import unambiguous
from arena.results.tally import Counts
from arena.texts import argument

if TYPE_CHECKING:
    from arena.ratings.opening_worth import OpeningWorth
    from arena.storage.database import Store, Tournament


@dataclass(frozen=True)
class Leaderboard:
    """Ratings of the entries of a game.

    Attributes:
        game: The game.
        rows: The entries, best first.
        notes: Sentences about the results.
        exact: Whether results were computed instead of played.
        rules: Digest of the game's rules under which the results were obtained.
        older: Whether the rules of the game have changed since then.
        system: Name of the rating system.
        tournaments: Numbers of the tournaments whose results are rated.
        doubts: Reasons to doubt the ranking; None if not requested.
        unrated: Entries listed below the ranking because they cannot be rated, for example after failures.
        openings: The value of each opening; None if not requested.
    """

    game: str
    rows: list[Row]
    notes: list[str]
    exact: bool = False
    rules: str = ""
    older: bool = False
    system: str = ""
    tournaments: Sequence[int] = ()
    doubts: Doubted | None = None
    unrated: Sequence[Unrated] = ()
    openings: Sequence[OpeningWorth] | None = None

    @property
    def names(self) -> dict[str, str]:
        """The short names of entries that have one, by entry."""
        return {one.entry: one.name for one in self.entered if one.name}

    @property
    def entered(self) -> list[Row | Unrated]:
        """All entries, unrated ones last."""
        return [*self.rows, *self.unrated]

    @property
    def played(self) -> list[str]:
        """The names of entries with results, unrated ones last."""
        return [one.entry for one in self.entered if isinstance(one, Row) or one.matches]

    @property
    def title(self) -> str:
        """The heading of the table."""
        older = f", older rules {self.rules[:SHORTEST]}" if self.older else ""
        return self.game + older + (", exactly" if self.exact else "")


def withdrawn_note(unplayed: Mapping[str, float], short: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence about withdrawn contestants, if there are any.

    Args:
        unplayed: Number of unplayed matches by contestant.
        short: Short names by contestant.
    """
    if unplayed:
        called = listed(short.get(name, name) for name in unplayed)
        yield f"Withdrawn for repeated failures: {called}; unplayed matches are not rated."


@contextmanager
def collecting_later() -> Iterator[None]:
    """Suspend garbage collection, which would repeatedly scan many results without freeing memory."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@collecting_later()
def leaderboard(
    store: Store,
    game: str,
    tournaments: Sequence[Tournament],
    system: RatingSystem,
    mastery: Mapping[str, Mastery] | None = None,
    code: Which = "latest",
    doubts: bool = False,
) -> Leaderboard:
    """Rate the entries of one game over some tournaments.

    Args:
        store: The database.
        game: The game.
        tournaments: Its tournaments, all of them exact or none of them. If `code` is `all`, they must have
            the same rules.
        system: The rating system.
        mastery: Mastery by contestant, shown beside the ratings. For exact tournaments it is computed here.
        code: `latest` leaves out results of older code and rules; `all` adds a row for each version of the
            code.
        doubts: Whether to look for reasons to doubt the ranking, unless results are exact.
    """
    found = gathered(store, tournaments, code)
    unrated = below_the_line(store, found)
    below = {one.entry: one.why for one in unrated}
    check_anchor(system, below)
    short = short_names(found.pool, sorted({*found.names} | below.keys()))
    unrated = [replace(one, name=short.get(one.entry, "")) for one in unrated]
    out = [*unrated_note(found.totals, found.pool.met, below)]
    if below:
        found = found.without(below)
    pool, exact = found.pool, found.exact
    index = {name: i for i, name in enumerate(found.names)}
    results = results_of(store, game, found, index)
    ratings = rate(system, results)
    if exact:
        mastery = mastery_of(found.evaluated, {name: mean_of(each) for name, each in found.losses.items()})
    rows = rows_of(store, found, ratings, short, mastery or {})
    said = [*notes(pool.tournaments, found.totals, pool.played), *out, *score_note(rows, found.totals)]
    said += [*ratings.notes, *pool.notes, *withdrawn_note(pool.unplayed, short)]
    order = [index[row.entry] for row in rows]
    return Leaderboard(
        game,
        rows,
        said,
        exact,
        rules=next(iter(by_rules(pool.tournaments)), ""),
        system=system.name,
        tournaments=[t.id for t in pool.tournaments],
        doubts=Doubted.of(results, order) if doubts and not exact else None,
        unrated=unrated,
    )


def results_of(store: Store, game: str, found: Gathered, index: dict[str, int]) -> Results:
    """Return the input of a rating system, with entries identified by index."""
    pool, openings = found.pool, None
    if any(t.settings.openings != NO_OPENINGS for t in pool.tournaments):
        from arena.ratings.by_opening import by_opening

        counted = {(one.tournament, one.first, one.second, one.kind) for one in pool.results}
        openings = by_opening(store, pool.tournaments, pool.contestants, counted, index)
    return Results(
        found.names,
        [(index[a], index[b], c.wins, c.draws, c.losses) for (a, b), c in sorted(found.totals.items())],
        no_sequence if found.exact else in_sequence(store, game, pool, index),
        found.exact,
        openings,
        by_seed(pool, index),
        optional_stopping=any(t.settings.optional_stopping for t in pool.tournaments),
    )


def rows_of(
    store: Store, found: Gathered, ratings: Ratings, short: Mapping[str, str], mastery: Mapping[str, Mastery]
) -> list[Row]:
    """Return a row for each rated entry, best first."""
    pool, names = found.pool, found.names
    contestants = pool.contestants
    elo = by_contestant(contestants, {t.id: store.last_elo(t.id) for t in pool.tournaments})
    seeds, counts = seeds_of(pool), counts_of_entries(found.totals)
    rows = []
    # ratings that differ by rounding are equal and sorted by name
    order = sorted(range(len(names)), key=lambda i: (-round(ratings.values[i].value, 6), names[i]))
    for rank, i in enumerate(order, 1):
        name, c = names[i], counts[names[i]]
        rating, low, high = ratings.values[i]
        best_rank, worst_rank = ratings.ranks[i]
        spread, spread_low, spread_high = ratings.spreads.get(i, (None, None, None))
        row = Row(
            rank=rank,
            entry=name,
            rating=rating,
            low=low,
            high=high,
            elo=fmean(elo[name]) if name in elo else None,
            matches=c.matches,
            wins=c.wins,
            draws=c.draws,
            losses=c.losses,
            forfeits=c.first_forfeits,
            score=(c.wins + c.draws / 2) / c.matches if c.matches else 0.5,
            code=contestants.codes[name],
            unplayed=pool.unplayed.get(name, 0),
            best_rank=best_rank,
            worst_rank=worst_rank,
            name=short.get(name, ""),
            seeds=seeds.get(name),
            spread=spread,
            spread_low=spread_low,
            spread_high=spread_high,
            **mastery.get(name, UNKNOWN)._asdict(),
        )
        rows.append(row)
    return rows


def below_the_line(store: Store, found: Gathered) -> list[Unrated]:
    """Return the unrated entries sorted by name; entries that never played come last.

    Unrated entries were withdrawn, forfeited more than half of their matches, met only such entries, or could
    not play. If fewer than two rated entries would remain, all entries with results are rated.
    """
    pool, totals, exact = found.pool, found.totals, found.exact
    if not pool.failed and not any(counts.forfeits for counts in totals.values()):
        return never_played(pool)
    counts = counts_of_entries(totals if exact else totals_of([*pool.results, *pool.copies]))
    faults = {name: mean_of(each).fault for name, each in found.losses.items()}
    why = {name: forfeited(counts[name], faults.get(name), exact) for name in counts}
    seeds = seeds_of(pool)
    why |= {name: withdrawn(store, where, seeds.get(name, 0)) for name, where in pool.failed.items()}
    why = {name: text for name, text in why.items() if text}
    rated = rated_among(totals, why)
    why = {**dict.fromkeys(counts.keys() - {*rated}, ISOLATED), **why} if len(rated) > 1 else {}
    codes, unplayed = pool.contestants.codes, pool.unplayed
    below = [
        Unrated.of(name, why[name], counts.get(name, Counts()), unplayed.get(name, 0), codes[name])
        for name in sorted(why)
    ]
    return [*below, *never_played(pool)]


def never_played(pool: Pool) -> list[Unrated]:
    """Return the entries that were left out of some tournaments and have no results from any other."""
    missing = left_out(pool.tournaments)
    names = sorted(missing.keys() - {entry for _, entry in pool.contestants.names})
    return [Unrated(name, "", missing[name]) for name in names]


def check_anchor(system: RatingSystem, below: Mapping[str, str]) -> None:
    """Raise ArenaError if the anchor of the rating system is not rated. below: why entries are unrated."""
    anchor = getattr(system, "anchor", None)
    if isinstance(anchor, str) and anchor in below:
        raise ArenaError(f"the anchor {anchor!r} is not rated: {below[anchor]}; name an entry that is rated")


def unrated_note(
    totals: Mapping[tuple[str, str], Counts], met: Mapping[tuple[str, str], float], below: Collection[str]
) -> Iterator[str]:
    """Yield a line about results left out because one of the two entries is unrated, if there are any.

    met: number of matches played by each pair of entries; empty if results are exact.
    """
    what, counts = ("matches", met) if met else ("pairings", dict.fromkeys(totals, 1.0))
    out = sum(n for pair, n in counts.items() if pair[0] in below or pair[1] in below)
    if out:
        yield (
            f"{out:,.0f} of {sum(counts.values()):,.0f} {what} are with entries that are not rated, "
            "and are ignored."
        )


def score_note(rows: Sequence[Row], totals: Mapping[tuple[str, str], Counts]) -> Iterator[str]:
    """Yield a line that explains why an entry ranks above one with a higher score, if there is such a case.

    Ratings adjust for opponents and seats, which matters if not all entries had the same ones.
    """
    equal = len({round(counts.matches, 6) for counts in totals.values()}) == 1
    if len(rows) < 2 or (equal and len(totals) == len(rows) * (len(rows) - 1)):
        return
    above, below = max(pairwise(rows), key=lambda pair: pair[1].score - pair[0].score)
    if below.score - above.score >= 0.001:
        yield (
            "Ratings account for unequal numbers of matches per opponent, scores do not: "
            f"{above.shown} with {100 * above.score:.1f} % is above {below.shown} with "
            f"{100 * below.score:.1f} %."
        )


def short_names(pool: Pool, names: Sequence[str]) -> dict[str, str]:
    """Return the short names of contestants, if they are unambiguous."""
    called: dict[str, str] = {}
    tournaments = {t.id: (t.settings.names or {}, learners_of(t)) for t in pool.tournaments}
    rated = set(names)
    for (id, name), shown in pool.contestants.names.items():
        short_of, learners = tournaments[id]
        entered = learners.get(name, name)
        if short := short_of.get(entered):
            called[shown] = short + shown.removeprefix(entered)
    return unambiguous({name: short for name, short in called.items() if name in rated}, names)


class Ratings(NamedTuple):
    """The output of a rating system for some entries, identified by index.

    Attributes:
        values: A finite rating for each entry.
        ranks: A range of ranks for each entry.
        spreads: Spreads of the seeds of learners with several seeds.
        notes: Sentences about the ratings.
    """

    values: list[Rating]
    ranks: Sequence[tuple[int | None, int | None]]
    spreads: Mapping[int, Spread]
    notes: list[str]


def rate(system: RatingSystem, results: Results) -> Ratings:
    """Rate the results with a rating system, and check what it returns.

    Raises:
        ArenaError: If the system fails or returns invalid values.
    """
    try:
        with foreign(ArenaError):
            ratings, sentences = system.rate(results), system.notes(results)
            spreads = system.spreads(results)
            unknown: list[tuple[int | None, int | None]] = [(None, None)] * len(ratings)
            ranks = system.ranks(results) or unknown
            for count, what in ((len(ratings), "ratings"), (len(ranks), "ranks")):
                if count != len(results.entries):
                    raise ValueError(f"{count} {what} for {len(results.entries)} entries")
            if not all(math.isfinite(rating.value) for rating in ratings):
                raise ValueError("a rating is not a finite number")
    except Failed as error:
        raise ArenaError(f"rating system {system.name} failed: {error}") from error
    return Ratings(ratings, ranks, spreads, sentences)


class NoSequence(ArenaError):
    """Raised if a rating system needs the sequence of matches but results are exact."""


def no_sequence() -> Iterator[tuple[int, int, int]]:
    """Take the place of the sequence of matches for exact results, and raise an error.

    Raises:
        NoSequence: Always.
    """
    rating = argument("rating")
    raise NoSequence(f"exact results have no sequence of matches to rate; leave {rating} out")


def notes(
    tournaments: Sequence[Tournament], totals: Mapping[tuple[str, str], Counts], played: float
) -> list[str]:
    """Return sentences about the results that the reader of a table should know.

    Args:
        tournaments: The tournaments.
        totals: Counts by first and second contestant.
        played: Number of matches played, including those that repeat others.
    """
    notes = []
    if any(tournament.exact for tournament in tournaments):
        notes.append("Exact: no matches were played, so there is no sampling error.")
    counted = sum(counts.matches for counts in totals.values())
    if counted < played:
        notes.append(
            f"{played - counted:,} of {played:,} matches repeat others move for move and count once."
        )
    if any(timed(tournament.settings) for tournament in tournaments):
        notes.append("Played with time limits, so another run may give different results.")
    numbers = {int(t.settings.adjudicate or 0) for t in tournaments}
    if most := " or ".join(map(str, sorted(numbers - {0}))):
        which = "Some matches" if 0 in numbers else "Matches"
        notes.append(f"{which} with up to {most} pieces left were adjudicated by the endgame database.")
    for name in sorted({name for tournament in tournaments for name in tournament.versions} - {"python"}):
        found = sorted({t.versions[name] for t in tournaments if name in t.versions})
        if len(found) > 1 and not name.endswith(OWN_CODE):
            notes.append(f"Played with several versions of {name}: {', '.join(found)}.")
    if len(groups := groups_of(totals)) > 1:
        shown = "; ".join(", ".join(sorted(group)) for group in groups)
        notes.append(f"These groups never met, so their relative ranking is unknown: {shown}.")
    return notes


def groups_of(totals: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Return the connected components of the graph of pairings, in the order of their last pairing."""
    group: dict[str, list[str]] = {}
    pairs = list(totals)
    for first, second in pairs:
        one, other = group.setdefault(first, [first]), group.setdefault(second, [second])
        if one is not other:
            if len(one) < len(other):
                one, other = other, one
            one += other
            group |= dict.fromkeys(other, one)
    last = {id(group[first]): (time, group[first]) for time, (first, _) in enumerate(pairs)}
    return [set(names) for _, names in sorted(last.values())]
