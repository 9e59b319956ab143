"""The results of a game from several tournaments, pooled so that each match counts once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from arena.api.reasons import WITHDRAWN
from arena.ratings.contestants import Contestants, Which, by_rules
from arena.registry.plugins import OWN_CODE
from arena.results.exact import AgainstPerfect, Expected
from arena.results.record import NO_OPENINGS, UNKNOWN_CODE, Record
from arena.results.settings import Settings
from arena.results.tally import CHANCE, COPY, Counts, Replays
from arena.texts import argument

if TYPE_CHECKING:
    from arena.api.rating import ByOpening
    from arena.storage.database import Store, Tournament


Value = TypeVar("Value")


class PooledResult(NamedTuple):
    """The results of one pairing and one kind of matches in a tournament.

    Attributes:
        tournament: Number of the tournament.
        first: First contestant.
        second: Second contestant.
        kind: Kind of the matches, see `arena.results.tally.Replays.kind`.
        entries: The texts of the two entries. The seeds of a learner are different entries, but one
            contestant.
        terms: Everything that determines the results. Results of another tournament with the same terms are
            the same matches.
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
    """All results from which a table is computed, each counted once.

    Attributes:
        tournaments: The tournaments that were played under the latest rules.
        contestants: The contestants of these tournaments.
        results: The rated results.
        played: Number of matches played, including those that repeat others.
        notes: Sentences about results that were left out.
        unplayed: Number of matches that each contestant forfeited unplayed.
        copies: Results that repeat others.
        met: Number of matches played by each pair of contestants.
        failed: The (tournament, entry) pairs of withdrawals, by contestant.
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
        """Return the pool restricted to the results of these contestants against each other."""
        results = [one for one in self.results if one.first in names and one.second in names]
        met = {pair: n for pair, n in self.met.items() if pair[0] in names and pair[1] in names}
        unplayed = {name: n for name, n in self.unplayed.items() if name in names}
        return replace(self, results=results, met=met, played=sum(met.values()), unplayed=unplayed)


def pooled_results(store: Store, tournaments: Sequence[Tournament], which: Which = "latest") -> Pool:
    """Pool the results of played tournaments of one game, counting each match once.

    Tournaments with the same seed, stream scheme, terms, versions and code of both entries play the same
    matches in the same order, so only the longest of them counts. Matches that begin at the start of the game
    and in which no agent drew a random number are the same with any seed. With time limits all matches are
    distinct, and each shard has its own matches.

    Args:
        store: The database.
        tournaments: Tournaments of one game. Only those under the latest rules count.
        which: Which versions of each entry's code count, see `Contestants.of`.
    """
    last, notes = under_last_rules(tournaments)
    contestants = Contestants.of(store, last, which)
    best: dict[tuple[object, ...], PooledResult] = {}
    numbers: dict[tuple[object, ...], int] = {}  # indices of distinct terms, as comparing is slow
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
        always_seeded = settings.openings != NO_OPENINGS
        known: dict[tuple[Any, ...], tuple[tuple[Any, ...], int]] = {}  # terms and their indices
        for first, second, kind, counts in store.pairings(t.id):
            one, other = shown.get(first), shown.get(second)
            matches = 0 if kind == WITHDRAWN else counts.matches
            if one is None or other is None:
                if matches:
                    out[t.id, first, second] = out.get((t.id, first, second), 0) + matches
                continue
            seats, entries = (one, other), (first, second)
            met[seats] = met.get(seats, 0) + matches
            seeded = always_seeded or kind in (CHANCE, WITHDRAWN)
            codes = t.codes.get(first), t.codes.get(second), seeded
            if codes not in known:
                all_terms = (*terms, *codes[:2], streams if seeded else None)
                known[codes] = all_terms, numbers.setdefault(all_terms, len(numbers))
            all_terms, number = known[codes]
            term = (one, other, kind, first, second, number)
            before = best.get(term)
            if before is None or counts.matches >= before.counts.matches:
                best[term] = PooledResult(t.id, one, other, kind, entries, all_terms, counts)
    met = {pair: n for pair, n in met.items() if n}
    notes = [*notes, *contestants.left_out(out, met, "matches were played"), *contestants.notes]
    rated = [result for result in best.values() if result.kind not in (COPY, WITHDRAWN)]
    copies = [result for result in best.values() if result.kind == COPY]
    gone = [result for result in best.values() if result.kind == WITHDRAWN]
    return Pool(
        last, contestants, rated, sum(met.values()), notes, unplayed_of(gone), copies, met, failed_in(gone)
    )


def timed(settings: Settings) -> bool:
    """Return whether moves that exceed a time limit lose the match."""
    return bool(settings.move_seconds or settings.clock)


def begun_with(settings: Settings) -> str:
    """Return the `openings` setting, with a digest of the lines if it names a book."""
    if settings.book is None:
        return settings.openings
    return "book " + blake2b("\n".join(settings.book).encode(), digest_size=16).hexdigest()


def failed_in(results: Iterable[PooledResult]) -> dict[str, set[tuple[int, str]]]:
    """Return the (tournament, entry) pairs with matches forfeited unplayed, by contestant."""
    failed: dict[str, set[tuple[int, str]]] = {}
    for result in results:
        seats = (result.first, result.counts), (result.second, result.counts.swapped())
        for (name, counts), entry in zip(seats, result.entries, strict=True):
            if counts.first_forfeits or counts.draws:
                failed.setdefault(name, set()).add((result.tournament, entry))
    return failed


def unplayed_of(results: Iterable[PooledResult]) -> dict[str, float]:
    """Return how many matches each contestant forfeited unplayed, whether or not its opponent did, too."""
    unplayed: dict[str, float] = {}
    for result in results:
        for name, counts in ((result.first, result.counts), (result.second, result.counts.swapped())):
            if lost := counts.first_forfeits + counts.draws:
                unplayed[name] = unplayed.get(name, 0) + lost
    return unplayed


def under_last_rules(tournaments: Sequence[Tournament]) -> tuple[list[Tournament], list[str]]:
    """Return the tournaments of one game under its latest rules, and a sentence about any others.

    Tournaments without results do not determine which rules are the latest.
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


def evaluated_pool(store: Store, tournaments: Sequence[Tournament], which: Which) -> Pool:
    """Return the pool of exact tournaments, which have no matches; otherwise see `pooled_results`."""
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


def pool_of(store: Store, tournaments: Sequence[Tournament], which: Which) -> Pool:
    """Return the pool of tournaments of one game, all of them exact or none of them."""
    return (evaluated_pool if tournaments[0].exact else pooled_results)(store, tournaments, which)


def exact_results(
    store: Store, tournaments: Sequence[Tournament], contestants: Contestants
) -> dict[tuple[str, str], tuple[Expected, float]]:
    """Return the exact results of pairings in tournaments of one game, by first and second contestant.

    If tournaments differ, for example in their openings, the last one counts.

    Returns:
        For each pairing, the expected result of a match and the number of matches that it stands for, which
        follows from the number of rounds of the tournament.
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
    """Return the expected counts of the matches that exact results represent, by pairing."""
    return {
        pair: Counts(*(n * p for p in (e.win, e.draw, e.loss, e.first_forfeit, e.second_forfeit)))
        for pair, (e, n) in evaluated.items()
    }


def totals_of(pooled: list[PooledResult]) -> dict[tuple[str, str], Counts]:
    """Return the sums of pooled results, by first and second contestant."""
    totals: dict[tuple[str, str], Counts] = {}
    for result in pooled:
        pair = (result.first, result.second)
        before = totals.get(pair)
        totals[pair] = before + result.counts if before else result.counts
    return totals


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


def by_contestant(
    contestants: Contestants, found: Mapping[int, Mapping[str, Value]]
) -> dict[str, list[Value]]:
    """Return values of entries by contestant, from the last tournament of each contestant.

    Args:
        contestants: The contestants.
        found: Values by number of the tournament and name of the entry, in the order of the tournaments.

    Returns:
        A list for each contestant: one value, or for a learner one per seed.
    """
    last: dict[str, tuple[int, list[Value]]] = {}
    for id, by_name in found.items():
        for name, value in by_name.items():
            if shown := contestants.names.get((id, name)):
                before = last.get(shown)
                last[shown] = (id, [*(before[1] if before and before[0] == id else ()), value])
    return {shown: values for shown, (_, values) in last.items()}


def mean_of(each: Sequence[AgainstPerfect]) -> AgainstPerfect:
    """Return the mean result of a learner's seeds against perfect play."""
    first, second, faults = zip(*each, strict=True)
    return AgainstPerfect(fmean(first), fmean(second), next(filter(None, faults), None))


def learners_of(t: Tournament) -> dict[str, str]:
    """Return, for each entry that is one of several seeds of a learner, the learner."""
    return {name: learner for learner, names in (t.settings.seeds or {}).items() for name in names}


def seeds_of(pool: Pool) -> dict[str, int]:
    """Return the number of seeds of each learner that was entered with several seeds, by contestant."""
    found: dict[str, set[str]] = {}
    for t in pool.tournaments:
        for names in (t.settings.seeds or {}).values():
            for name in names:
                if shown := pool.contestants.names.get((t.id, name)):
                    found.setdefault(shown, set()).add(name)
    return {shown: len(names) for shown, names in found.items()}


def by_seed(pool: Pool, index: Mapping[str, int]) -> dict[int, ByOpening]:
    """Return each learner's results by seed, by the learner's index, for `Results.seeds`."""
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


def in_sequence(
    store: Store, game: str, pool: Pool, index: dict[str, int]
) -> Callable[[], Iterator[tuple[int, int, int]]]:
    """Return the function for `Results.sequence`, which yields the counted matches in schedule order."""
    return lambda: ((r.first, r.second, r.result) for r in counted_records(store, game, pool, index))


def counted_records(
    store: Store,
    game: str,
    pool: Pool,
    index: dict[str, int],
    of: str | None = None,
    share: float = 1.0,
    seed: int = 0,
) -> Iterator[Record]:
    """Yield the records of the counted matches in schedule order.

    Args:
        store: The database.
        game: The game.
        pool: The pooled results.
        index: Index of each contestant in the results.
        of: A contestant whose matches to yield. Default: all.
        share: Share of the matches to yield, see `Store.matches`.
        seed: Seed by which they are drawn.
    """
    ids = store.entry_ids(game)
    names = pool.contestants.names
    wanted = {(one.tournament, index[one.first], index[one.second], one.kind) for one in pool.results}
    for tournament in sorted({one.tournament for one in pool.results}):
        # entries that are left out have distinct negative indices
        places = {id: index.get(names.get((tournament, name), ""), -id) for name, id in ids.items()}
        replays = Replays()
        own = [id for id, place in places.items() if of is not None and place == index[of]]
        if of is not None and not own:
            continue
        for record in store.matches(tournament, places, of=own, share=share, seed=seed):
            if (tournament, record.first, record.second, replays.kind(record)) in wanted:
                yield record


@dataclass(frozen=True)
class Gathered:
    """The results from which a leaderboard is computed, played or exact.

    Attributes:
        pool: The pooled results.
        totals: The sums of the pooled results, by first and second contestant; expected counts if results are
            exact.
        exact: Whether results were computed instead of played.
        evaluated: The exact results by pairing, as `exact_results` returns them.
        losses: If results are exact, the result of each contestant against perfect play; for a learner one
            per seed.
    """

    pool: Pool
    totals: Mapping[tuple[str, str], Counts]
    exact: bool = False
    evaluated: Mapping[tuple[str, str], tuple[Expected, float]] = field(default_factory=dict)
    losses: Mapping[str, list[AgainstPerfect]] = field(default_factory=dict)

    @cached_property
    def names(self) -> list[str]:
        """The contestants with results, sorted; a contestant's index is its position in this list."""
        return sorted({name for pair in self.totals for name in pair})

    def without(self, names: Collection[str]) -> Gathered:
        """Return the results without these contestants."""
        totals = {pair: counts for pair, counts in self.totals.items() if not {*pair} & {*names}}
        evaluated = {pair: found for pair, found in self.evaluated.items() if pair in totals}
        pool = self.pool.among({name for pair in totals for name in pair})
        return replace(self, pool=pool, totals=totals, evaluated=evaluated)


def gathered(store: Store, tournaments: Sequence[Tournament], code: Which) -> Gathered:
    """Return the results of tournaments of one game, all of them exact or none of them."""
    if not any(t.exact for t in tournaments):
        pool = pooled_results(store, tournaments, code)
        return Gathered(pool, totals_of(pool.results))
    pool = evaluated_pool(store, tournaments, code)
    evaluated = exact_results(store, pool.tournaments, pool.contestants)
    against = {t.id: store.against_perfect(t.id) for t in pool.tournaments}
    losses = by_contestant(pool.contestants, against)
    return Gathered(pool, expected_counts(evaluated), True, evaluated, losses)
