"""The leaderboard: pooled results of a game, with ratings."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from arena.api.plugin_guard import Failed, foreign
from arena.api.rating import Rating, RatingSystem, Results, Spread
from arena.errors import ArenaError
from arena.ratings.by_opening import begun_with, by_opening
from arena.ratings.caveat_texts import Doubted
from arena.ratings.contestants import (
    ISOLATED,
    Contestants,
    Unrated,
    Which,
    by_rules,
    forfeited,
    left_out,
    listed,
    rated_among,
    withdrawn,
)
from arena.registry.plugins import OWN_CODE
from arena.results.exact import AgainstPerfect, Expected
from arena.results.mastery import UNKNOWN, Mastery, mastery_of
from arena.results.record import NO_OPENINGS, SHORTEST, UNKNOWN_CODE, WITHDRAWN, Record
from arena.results.settings import Settings, unambiguous
from arena.results.tally import CHANCE, COPY, Counts, Replays
from arena.texts import argument

if TYPE_CHECKING:
    from arena.api.rating import ByOpening
    from arena.ratings.opening_worth import OpeningWorth
    from arena.storage.database import Store, Tournament


Value = TypeVar("Value")


@dataclass(frozen=True)
class Row:
    """A line of the leaderboard.

    Attributes:
        rank: Rank in the table, from 1.
        entry: The entry, or the learner of several seeds; older code has a tag.
        rating: Rating in Elo points.
        low: Lower end of its 95 % interval; None if it is open or the system has none.
        high: Upper end of its 95 % interval; None likewise.
        elo: Elo rating after its last tournament, the mean of a learner's seeds; None if not recorded.
        matches: Number of rated matches. If results are exact, this and the following counts are expected
            values.
        wins: Number of wins.
        draws: Number of draws.
        losses: Number of losses.
        forfeits: Number of losses by its own forfeit.
        score: Mean score from 0 to 1.
        blunder_rate: Share of its moves that are blunders, from 0 to 1; None if unknown.
        blunder_error: Half of the 95 % interval of the blunder rate; None if it is exact or unknown.
        expected_loss: How far its score falls short of perfect play against perfect play; None if unknown.
        code: Digest of the code it played with; `unknown` if none was recorded.
        unplayed: Number of matches not played, and not rated, because it was withdrawn, alone or with its
            opponent.
        best_rank: Best possible rank; the ranges of all rows hold together with a probability of 95 %. None
            if unknown.
        worst_rank: Worst possible rank; None if unknown.
        name: Short name; empty if there is none.
        move_seconds: Mean time of a move in seconds; None if unknown or not requested.
        training_seconds: Time of its training in seconds; None likewise.
        episodes: Number of episodes of that training; None likewise.
        seeds: Number of seeds of a learner that was entered with several; None for others.
        spread: Estimated standard deviation of the ratings of these seeds, see `arena.Spread`.
        spread_low: Lower end of its 95 % interval.
        spread_high: Upper end of its 95 % interval.
        worst_score: Score against the best response, mean of both seats; None if unknown.
        worst_exact: Whether that is exact; otherwise it is an upper bound found by search.
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
    code: str = UNKNOWN_CODE
    unplayed: float = 0
    best_rank: int | None = None
    worst_rank: int | None = None
    name: str = ""
    move_seconds: float | None = None
    training_seconds: float | None = None
    episodes: int | None = None
    seeds: int | None = None
    spread: float | None = None
    spread_low: float | None = None
    spread_high: float | None = None
    worst_score: float | None = None
    worst_exact: bool | None = None

    @property
    def shown(self) -> str:
        """The name in tables."""
        return self.name or self.entry

    @property
    def ranks(self) -> str:
        """The rank as text: `1`, or the range of possible ranks, `1–3`."""
        if self.best_rank is None or self.best_rank == self.worst_rank:
            return str(self.rank)
        return f"{self.best_rank}–{self.worst_rank}"


@dataclass(frozen=True)
class Leaderboard:
    """Ratings of the entries of a game.

    Attributes:
        game: The game.
        rows: The entries, best first.
        notes: Sentences about the results.
        exact: Whether results were computed and not played.
        rules: Digest of the rules that the results are from.
        older: Whether the rules have changed since.
        system: Name of the rating system.
        tournaments: Numbers of the tournaments whose results are rated.
        doubts: Reasons to doubt the order; None if not requested.
        unrated: Entries below the line, which failed too often to be rated.
        openings: What openings are worth; None if not requested.
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
        """The entries, those that are not rated last."""
        return [*self.rows, *self.unrated]

    @property
    def played(self) -> list[str]:
        """The names of entries that have results, those that are not rated last."""
        return [one.entry for one in self.entered if isinstance(one, Row) or one.matches]

    @property
    def title(self) -> str:
        """The heading of the table."""
        older = f", older rules {self.rules[:SHORTEST]}" if self.older else ""
        return self.game + older + (", exactly" if self.exact else "")


class PooledResult(NamedTuple):
    """The results of one pairing and kind in one tournament.

    Attributes:
        tournament: Number of the tournament.
        first: First contestant.
        second: Second contestant.
        kind: Kind of the matches, see `arena.results.tally.Replays.kind`.
        entries: The two entries as they were entered. All seeds of a learner are one contestant, but
            different entries.
        terms: All that determines the results. Results of another tournament with the same terms repeat
            these.
        counts: Counts of the results, from the first contestant's side.
    """

    tournament: int
    first: str
    second: str
    kind: str
    entries: tuple[str, str]
    terms: tuple[Any, ...]
    counts: Counts


@dataclass(frozen=True)
class Pool:
    """All results that a table is made of, each counted once.

    Attributes:
        tournaments: The tournaments under the last rules.
        contestants: Who played in them.
        results: The results that are rated.
        played: Number of matches played, including those that repeat others.
        notes: Sentences about what was left out.
        unplayed: Number of matches that each contestant forfeited unplayed.
        copies: Results that repeat others.
        met: Number of matches that each two contestants have played.
        failed: Tournament and entry of those that were withdrawn, by contestant.
    """

    tournaments: list[Tournament]
    contestants: Contestants
    results: list[PooledResult]
    played: float
    notes: list[str]
    unplayed: Mapping[str, float] = field(default_factory=dict)
    copies: Sequence[PooledResult] = ()
    met: Mapping[tuple[str, str], float] = field(default_factory=dict)
    failed: Mapping[str, set[tuple[int, str]]] = field(default_factory=dict)

    def among(self, names: Collection[str]) -> Pool:
        """Return the results of these contestants against each other."""
        results = [one for one in self.results if one.first in names and one.second in names]
        met = {pair: n for pair, n in self.met.items() if pair[0] in names and pair[1] in names}
        unplayed = {name: n for name, n in self.unplayed.items() if name in names}
        return replace(self, results=results, met=met, played=sum(met.values()), unplayed=unplayed)


def pooled_results(store: Store, tournaments: Sequence[Tournament], which: Which = "latest") -> Pool:
    """Pool the results of tournaments of one game that were played, each match once.

    Tournaments with the same seed, scheme of streams, terms, versions and code of both entries play the same
    matches, as far as both go, and the longest of them counts. Matches that begin at the start and in which
    no agent drew a random number are the same with any seed. With time limits no matches are the same, and
    each shard has matches of its own.

    Args:
        store: The database.
        tournaments: Tournaments of one game. Only those under the last rules count.
        which: Which code of each entry counts, see `Contestants.of`.
    """
    last, notes = under_last_rules(tournaments)
    contestants = Contestants.of(store, last, which)
    best: dict[tuple[object, ...], PooledResult] = {}
    numbers: dict[tuple[object, ...], int] = {}  # index of each distinct terms, few and slow to compare
    met: dict[tuple[str, str], float] = {}
    out: dict[tuple[int, str, str], float] = {}
    for t in last:
        shown = contestants.shown(t.id)
        settings = t.settings
        clock = t.id if timed(settings) else None
        versions = sorted((name, of) for name, of in t.versions.items() if not name.endswith(OWN_CODE))
        rules = t.rules if t.code == UNKNOWN_CODE else t.code
        ends = settings.max_plies, settings.adjudicate
        terms = (begun_with(settings), settings.shared_openings, ends, clock, rules, *versions)
        streams = t.streams, settings.shard
        known: dict[tuple[Any, ...], tuple[tuple[Any, ...], int]] = {}  # terms and their numbers
        for first, second, kind, counts in store.pairings(t.id):
            one, other = shown.get(first), shown.get(second)
            matches = 0 if kind == WITHDRAWN else counts.matches
            if one is None or other is None:
                if matches:
                    out[t.id, first, second] = out.get((t.id, first, second), 0) + matches
                continue
            seats, entries = (one, other), (first, second)
            met[seats] = met.get(seats, 0) + matches
            seeded = kind in (CHANCE, WITHDRAWN) or settings.openings != NO_OPENINGS
            codes = t.codes.get(first), t.codes.get(second)
            if (*codes, seeded) not in known:
                all_terms = (*terms, *codes, streams if seeded else None)
                known[*codes, seeded] = all_terms, numbers.setdefault(all_terms, len(numbers))
            all_terms, number = known[*codes, seeded]
            result = PooledResult(t.id, one, other, kind, entries, all_terms, counts)
            term = (one, other, kind, first, second, number)
            if term not in best or counts.matches >= best[term].counts.matches:
                best[term] = result
    met = {pair: n for pair, n in met.items() if n}
    notes = [*notes, *contestants.left_out(out, met, "matches were played"), *contestants.notes]
    rated = [result for result in best.values() if result.kind not in (COPY, WITHDRAWN)]
    copies = [result for result in best.values() if result.kind == COPY]
    gone = [result for result in best.values() if result.kind == WITHDRAWN]
    return Pool(
        last, contestants, rated, sum(met.values()), notes, unplayed_of(gone), copies, met, failed_in(gone)
    )


def failed_in(results: Iterable[PooledResult]) -> dict[str, set[tuple[int, str]]]:
    """Return tournament and entry of those that forfeited unplayed, by contestant."""
    failed: dict[str, set[tuple[int, str]]] = {}
    for result in results:
        seats = (result.first, result.counts), (result.second, result.counts.swapped())
        for (name, counts), entry in zip(seats, result.entries, strict=True):
            if counts.first_forfeits or counts.draws:
                failed.setdefault(name, set()).add((result.tournament, entry))
    return failed


def unplayed_of(results: Iterable[PooledResult]) -> dict[str, float]:
    """Return how many matches each contestant forfeited unplayed, whether or not its opponent did too."""
    unplayed: dict[str, float] = {}
    for result in results:
        for name, counts in ((result.first, result.counts), (result.second, result.counts.swapped())):
            if lost := counts.first_forfeits + counts.draws:
                unplayed[name] = unplayed.get(name, 0) + lost
    return unplayed


def withdrawn_note(unplayed: Mapping[str, float], short: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence about withdrawn contestants, if there are any.

    Args:
        unplayed: Number of unplayed matches by contestant.
        short: Short names by contestant.
    """
    if unplayed:
        called = listed(short.get(name, name) for name in unplayed)
        yield f"Withdrawn for going on failing: {called}; what is unplayed is not rated."


def under_last_rules(tournaments: Sequence[Tournament]) -> tuple[list[Tournament], list[str]]:
    """Return the tournaments of one game under its last rules, and a sentence about any others.

    Tournaments without results do not determine which rules are the last.
    """
    groups = by_rules([t for t in tournaments if t.played or t.exact] or tournaments)
    *older, last = groups.values()
    left = [t for group in older for t in group]
    if not left:
        return last, []
    game, exact = last[0].game, last[0].exact
    if exact:
        shown = f"{len(left):,} of {len(left) + len(last):,} tournaments were evaluated"
    else:
        out = sum(t.played for t in left)
        shown = f"{out:,} of {out + sum(t.played for t in last):,} matches were played"
    every = argument("code", "all")
    return last, [f"{shown} under older rules of {game} and are left out; {every} shows them."]


def totals_of(pooled: list[PooledResult]) -> dict[tuple[str, str], Counts]:
    """Return the sums of pooled results, by first and second contestant."""
    totals: dict[tuple[str, str], Counts] = {}
    for result in pooled:
        pair = (result.first, result.second)
        before = totals.get(pair)
        totals[pair] = before + result.counts if before else result.counts
    return totals


def exact_results(
    store: Store, tournaments: Sequence[Tournament], contestants: Contestants
) -> dict[tuple[str, str], tuple[Expected, float]]:
    """Return the exact results of pairings in tournaments of one game, by first and second contestant.

    If tournaments differ, for example in their openings, the last one counts.

    Returns:
        For each pairing the expected result of a match and the number of matches it stands for, from the
        rounds of the tournament.
    """
    found: dict[tuple[str, str], tuple[Expected, float]] = {}
    for t in tournaments:
        of_seeds: dict[tuple[str, str], list[Expected]] = {}
        for (first, second), expected in store.exact(t.id).items():
            if contestants.has(t.id, first, second):
                seats = contestants.names[t.id, first], contestants.names[t.id, second]
                of_seeds.setdefault(seats, []).append(expected)
        for seats, each in of_seeds.items():
            mean = Expected(*(fmean(values) for values in zip(*each, strict=True)))
            found[seats] = mean, t.settings.pairs * len(each)
    return found


def expected_counts(
    evaluated: Mapping[tuple[str, str], tuple[Expected, float]],
) -> dict[tuple[str, str], Counts]:
    """Return the expected counts of the matches that exact results stand for, by pairing."""
    return {
        pair: Counts(*(n * p for p in (e.win, e.draw, e.loss, e.first_forfeit, e.second_forfeit)))
        for pair, (e, n) in evaluated.items()
    }


@contextmanager
def collecting_later() -> Iterator[None]:
    """Suspend garbage collection, which would scan many results repeatedly in vain."""
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
        tournaments: Its tournaments; either all of them are exact, or none is. If `code` is `all`, all have
            the same rules.
        system: The rating system.
        mastery: Mastery by contestant, to show beside the ratings. For exact tournaments it is computed.
        code: `latest` leaves out results of older code and rules; `all` makes a row for each code.
        doubts: Whether to look for reasons to doubt the order of results that were played.
    """
    exact = any(t.exact for t in tournaments)
    pool = (evaluated_pool if exact else pooled_results)(store, tournaments, code)
    contestants = pool.contestants
    evaluated = exact_results(store, pool.tournaments, contestants) if exact else {}
    totals = expected_counts(evaluated) if exact else totals_of(pool.results)
    losses: Mapping[str, list[AgainstPerfect]] = {}
    if exact:
        losses = by_contestant(contestants, {t.id: store.against_perfect(t.id) for t in pool.tournaments})
    unrated = below_the_line(store, pool, totals, losses, exact)
    below = {one.entry: one.why for one in unrated}
    check_anchor(system, below)
    short = short_names(pool, sorted({name for pair in totals for name in pair} | below.keys()))
    unrated = [replace(one, name=short.get(one.entry, "")) for one in unrated]
    out = [*unrated_note(totals, pool.met, below)]
    if below:
        totals = {pair: counts for pair, counts in totals.items() if below.keys().isdisjoint(pair)}
        evaluated = {pair: found for pair, found in evaluated.items() if pair in totals}
        pool = pool.among({name for pair in totals for name in pair})
    names = sorted({name for pair in totals for name in pair})
    index = {name: i for i, name in enumerate(names)}
    counted = {(one.tournament, one.first, one.second, one.kind) for one in pool.results}
    results = Results(
        names,
        [(index[a], index[b], c.wins, c.draws, c.losses) for (a, b), c in sorted(totals.items())],
        no_sequence if exact else in_sequence(store, game, pool, index),
        exact,
        by_opening(store, pool.tournaments, contestants, counted, index),
        by_seed(pool, index),
        optional_stopping=any(t.settings.optional_stopping for t in pool.tournaments),
    )
    ratings, ranks, spreads, system_notes = rate(system, results)
    elo = {
        name: fmean(found)
        for name, found in by_contestant(
            contestants, {t.id: store.last_elo(t.id) for t in pool.tournaments}
        ).items()
    }
    if exact:
        mastery = mastery_of(evaluated, {name: mean_of(each) for name, each in losses.items()})
    seeds = seeds_of(pool)
    rows = []
    of_entries = counts_of_entries(totals)
    # ratings that differ by rounding are equal and sorted by name
    order = sorted(names, key=lambda name: (-round(ratings[index[name]].value, 6), name))
    for rank, name in enumerate(order, 1):
        c = of_entries[name]
        score = (c.wins + c.draws / 2) / c.matches if c.matches else 0.5
        rating, low, high = ratings[index[name]]
        best_rank, worst_rank = ranks[index[name]]
        spread, spread_low, spread_high = spreads.get(index[name], (None, None, None))
        rows.append(
            Row(
                rank=rank,
                entry=name,
                rating=rating,
                low=low,
                high=high,
                elo=elo.get(name),
                matches=c.matches,
                wins=c.wins,
                draws=c.draws,
                losses=c.losses,
                forfeits=c.first_forfeits,
                score=score,
                code=contestants.codes[name],
                unplayed=pool.unplayed.get(name, 0),
                best_rank=best_rank,
                worst_rank=worst_rank,
                name=short.get(name, ""),
                seeds=seeds.get(name),
                spread=spread,
                spread_low=spread_low,
                spread_high=spread_high,
                **(mastery or {}).get(name, UNKNOWN)._asdict(),
            )
        )
    said = [*notes(pool.tournaments, totals, pool.played), *out, *score_note(rows, totals)]
    said += [*system_notes, *pool.notes]
    said += withdrawn_note(pool.unplayed, short)
    rules = next(iter(by_rules(pool.tournaments)), "")
    rated = [t.id for t in pool.tournaments]
    doubted = Doubted.of(results, [index[row.entry] for row in rows]) if doubts and not exact else None
    return Leaderboard(
        game, rows, said, exact, rules, system=system.name, tournaments=rated, doubts=doubted, unrated=unrated
    )


def below_the_line(
    store: Store,
    pool: Pool,
    totals: Mapping[tuple[str, str], Counts],
    losses: Mapping[str, Sequence[AgainstPerfect]],
    exact: bool,
) -> list[Unrated]:
    """Return the entries that are not rated, in the order of their names, those that never played last.

    They were withdrawn, forfeited more than half of their matches, met only such entries, or could not play.
    If fewer than two would remain, those that have results are all rated.
    """
    if not pool.failed and not any(counts.forfeits for counts in totals.values()):
        return never_played(pool)
    counts = counts_of_entries(totals if exact else totals_of([*pool.results, *pool.copies]))
    faults = {name: mean_of(each).fault for name, each in losses.items()}
    why = {name: forfeited(counts[name], faults.get(name), exact) for name in counts}
    seeds = seeds_of(pool)
    why |= {name: withdrawn(store, where, seeds.get(name, 0)) for name, where in pool.failed.items()}
    why = {name: text for name, text in why.items() if text}
    rated = rated_among(totals, why)
    why = {**dict.fromkeys(counts.keys() - {*rated}, ISOLATED), **why} if len(rated) > 1 else {}
    codes, unplayed = pool.contestants.codes, pool.unplayed
    found = [
        Unrated.of(name, why[name], counts.get(name, Counts()), unplayed.get(name, 0), codes[name])
        for name in sorted(why)
    ]
    return [*found, *never_played(pool)]


def never_played(pool: Pool) -> list[Unrated]:
    """Return the entries that were left out of tournaments and have no results of others."""
    missing = left_out(pool.tournaments)
    names = sorted(missing.keys() - {entry for _, entry in pool.contestants.names})
    return [Unrated(name, "", missing[name]) for name in names]


def check_anchor(system: RatingSystem, below: Mapping[str, str]) -> None:
    """Raise ArenaError if the anchor of the rating system is not rated; below: why entries are not."""
    anchor = getattr(system, "anchor", None)
    if isinstance(anchor, str) and anchor in below:
        raise ArenaError(f"the anchor {anchor!r} is not rated: {below[anchor]}; name an entry that is rated")


def unrated_note(
    totals: Mapping[tuple[str, str], Counts], met: Mapping[tuple[str, str], float], below: Collection[str]
) -> Iterator[str]:
    """Yield a line of the results left out because one of both is not rated, if there are any.

    met: how many matches each two have played; empty if results are exact.
    """
    what, counts = ("matches", met) if met else ("pairings", dict.fromkeys(totals, 1.0))
    out = sum(n for pair, n in counts.items() if pair[0] in below or pair[1] in below)
    if out:
        yield (
            f"{out:,.0f} of {sum(counts.values()):,.0f} {what} are with entries that are not rated, "
            "and count for nobody."
        )


def score_note(rows: Sequence[Row], totals: Mapping[tuple[str, str], Counts]) -> Iterator[str]:
    """Yield a line that explains why one is above another with a higher score, if that is so.

    Ratings allow for opponents and seats, which matter where they are not the same for all.
    """
    equal = len({round(counts.matches, 6) for counts in totals.values()}) == 1
    if len(rows) < 2 or (equal and len(totals) == len(rows) * (len(rows) - 1)):
        return
    above, below = max(pairwise(rows), key=lambda pair: pair[1].score - pair[0].score)
    if below.score - above.score >= 0.001:
        yield (
            "Ratings allow for opponents met unequally often, scores do not: "
            f"{above.shown} with {100 * above.score:.1f} % is above {below.shown} with "
            f"{100 * below.score:.1f} %."
        )


def short_names(pool: Pool, names: Sequence[str]) -> dict[str, str]:
    """Return the short names of contestants, as far as they are unambiguous."""
    called: dict[str, str] = {}
    tournaments = {t.id: (t.settings.names or {}, learners_of(t)) for t in pool.tournaments}
    rated = set(names)
    for (id, name), shown in pool.contestants.names.items():
        short_of, learners = tournaments[id]
        entered = learners.get(name, name)
        if short := short_of.get(entered):
            called[shown] = short + shown.removeprefix(entered)
    return unambiguous({name: short for name, short in called.items() if name in rated}, names)


def evaluated_pool(store: Store, tournaments: Sequence[Tournament], which: Which) -> Pool:
    """Return the pool of exact tournaments, which has no matches; otherwise see `pooled_results`."""
    last, notes = under_last_rules(tournaments)
    contestants = Contestants.of(store, last, which)
    out: dict[tuple[int, str, str], float] = {}
    kept: dict[tuple[str, str], float] = {}
    for t in last:
        shown = contestants.shown(t.id)
        for first, second in store.exact(t.id):
            if first in shown and second in shown:
                seats = shown[first], shown[second]
                kept[seats] = kept.get(seats, 0) + 1
            else:
                out[t.id, first, second] = 1
    notes = [*notes, *contestants.left_out(out, kept, "pairings were evaluated"), *contestants.notes]
    return Pool(last, contestants, [], 0, notes)


def by_contestant(
    contestants: Contestants, found: Mapping[int, Mapping[str, Value]]
) -> dict[str, list[Value]]:
    """Return values of entries by contestant, from the last tournament of each contestant.

    Args:
        contestants: Who played.
        found: Values by number of the tournament and name of the entry, in order of the tournaments.

    Returns:
        One value for each contestant, or one for each seed of a learner.
    """
    last: dict[str, tuple[int, list[Value]]] = {}
    for id, by_name in found.items():
        for name, value in by_name.items():
            if shown := contestants.names.get((id, name)):
                before = last.get(shown)
                last[shown] = (id, [*(before[1] if before and before[0] == id else ()), value])
    return {shown: values for shown, (_, values) in last.items()}


def mean_of(each: Sequence[AgainstPerfect]) -> AgainstPerfect:
    """Return the mean of what a learner's seeds lose against perfect play."""
    first, second, faults = zip(*each, strict=True)
    return AgainstPerfect(fmean(first), fmean(second), next(filter(None, faults), None))


def learners_of(t: Tournament) -> dict[str, str]:
    """Return the learner that each entry is a seed of, by entry, for learners with several seeds."""
    return {name: learner for learner, names in (t.settings.seeds or {}).items() for name in names}


def seeds_of(pool: Pool) -> dict[str, int]:
    """Return the number of seeds of each learner that was entered with several, by contestant."""
    found: dict[str, set[str]] = {}
    for t in pool.tournaments:
        for names in (t.settings.seeds or {}).values():
            for name in names:
                if shown := pool.contestants.names.get((t.id, name)):
                    found.setdefault(shown, set()).add(name)
    return {shown: len(names) for shown, names in found.items()}


def by_seed(pool: Pool, index: Mapping[str, int]) -> dict[int, ByOpening]:
    """Return the results by seed for `Results.seeds`, by index of the learner."""
    found: dict[str, dict[str, list[list[int]]]] = {name: {} for name in seeds_of(pool)}
    for one in pool.results:
        for seat in (0, 1):
            shown = (one.first, one.second)[seat]
            if shown in found and one.first != one.second:
                counts = [int(n) for n in (one.counts.wins, one.counts.draws, one.counts.losses)]
                row = [index[one.first], index[one.second], *counts]
                found[shown].setdefault(one.entries[seat], []).append(row)
    return {
        index[shown]: np.array([[i, *row] for i, name in enumerate(sorted(rows)) for row in rows[name]])
        for shown, rows in found.items()
        if len(rows) > 1
    }


def rate(
    system: RatingSystem, results: Results
) -> tuple[list[Rating], Sequence[tuple[int | None, int | None]], Mapping[int, Spread], list[str]]:
    """Rate the results with a rating system, and check what it returns.

    Returns:
        A finite rating and a range of ranks for each entry, the spreads of seeds by entry, and the system's
        notes.

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
    return ratings, ranks, spreads, sentences


class NoSequence(ArenaError):
    """A rating system needs matches in sequence, and there are none."""


def no_sequence() -> Iterator[tuple[int, int, int]]:
    """Raise an error for a rating system that needs matches, if results are exact.

    Raises:
        NoSequence: Always.
    """
    rating = argument("rating")
    raise NoSequence(f"exact results have no matches in sequence to rate; leave {rating} out")


def counts_of_entries(totals: Mapping[tuple[str, str], Counts]) -> dict[str, Counts]:
    """Return the counts of each entry over all its opponents, from its own side."""
    sums: dict[str, list[float]] = {name: [0, 0, 0, 0, 0] for pair in totals for name in pair}
    for (first, second), c in totals.items():
        if first == second:
            continue
        ahead, back = sums[first], sums[second]
        ahead[0] += c.wins
        ahead[1] += c.draws
        ahead[2] += c.losses
        ahead[3] += c.first_forfeits
        ahead[4] += c.second_forfeits
        back[0] += c.losses
        back[1] += c.draws
        back[2] += c.wins
        back[3] += c.second_forfeits
        back[4] += c.first_forfeits
    return {name: Counts(*each) for name, each in sums.items()}


def notes(
    tournaments: Sequence[Tournament], totals: dict[tuple[str, str], Counts], played: float
) -> list[str]:
    """Return sentences that a reader of the table should know about its results.

    Args:
        tournaments: The tournaments.
        totals: Counts by first and second contestant.
        played: Number of matches played, including those that repeat others.
    """
    notes = []
    if any(tournament.exact for tournament in tournaments):
        notes.append("Exact: nothing was played, and there is no sampling error.")
    counted = sum(counts.matches for counts in totals.values())
    if counted < played:
        notes.append(
            f"{played - counted:,} of {played:,} matches repeat others move for move and count once."
        )
    if any(timed(tournament.settings) for tournament in tournaments):
        notes.append("Played with time limits, so another run may come out differently.")
    numbers = {int(t.settings.adjudicate or 0) for t in tournaments}
    if most := " or ".join(map(str, sorted(numbers - {0}))):
        which = "Some matches" if 0 in numbers else "Matches"
        notes.append(f"{which} with up to {most} pieces left were adjudicated by endings.")
    for name in sorted({name for tournament in tournaments for name in tournament.versions} - {"python"}):
        found = sorted({t.versions[name] for t in tournaments if name in t.versions})
        if len(found) > 1 and not name.endswith(OWN_CODE):
            notes.append(f"Played with several versions of {name}: {', '.join(found)}.")
    if len(groups := groups_of(totals)) > 1:
        shown = "; ".join(", ".join(sorted(group)) for group in groups)
        notes.append(f"These groups never met, and how they rank among each other is unknown: {shown}.")
    return notes


def timed(settings: Settings) -> bool:
    """Return whether a late move lost the match."""
    return bool(settings.move_seconds or settings.clock)


def groups_of(totals: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Return the groups of entries that no chain of matches connects, in the order of their last pairing."""
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


def in_sequence(
    store: Store, game: str, pool: Pool, index: dict[str, int]
) -> Callable[[], Iterator[tuple[int, int, int]]]:
    """Return the function for `Results.sequence`: the matches that count, in the order of the schedule."""
    return lambda: ((r.first, r.second, r.result) for r in counted_records(store, game, pool, index))


def counted_records(store: Store, game: str, pool: Pool, index: dict[str, int]) -> Iterator[Record]:
    """Yield the records of the matches that count, in the order of the schedule.

    Args:
        store: The database.
        game: The game.
        pool: The pooled results.
        index: Index of each contestant in the results.
    """
    ids = store.entry_ids(game)
    names = pool.contestants.names
    wanted = {(one.tournament, index[one.first], index[one.second], one.kind) for one in pool.results}
    for tournament in sorted({one.tournament for one in pool.results}):
        # entries that are left out get distinct negative indices
        places = {id: index.get(names.get((tournament, name), ""), -id) for name, id in ids.items()}
        replays = Replays()
        for record in store.matches(tournament, places):
            if (tournament, record.first, record.second, replays.kind(record)) in wanted:
                yield record
