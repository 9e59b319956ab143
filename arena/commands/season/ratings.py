"""The ratings of a season: one joint fit of all versions, anchored at the baselines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.api.rating import Rating, Results
from arena.ratings.by_opening import by_opening
from arena.ratings.leaderboard import collecting_later
from arena.ratings.maximum_likelihood import Fit, MaximumLikelihood
from arena.ratings.pool import Pool, counts_of_entries, pooled_results, totals_of
from arena.results.tally import Counts
from arena.storage.database import Store
from arena.storage.season import RatedVersion, Step, Version

AT = 1500.0  # the mean rating of the anchors
UNSURE = 0.05  # probability that any rise in a season is reported as significant by chance
EVEN = 5  # number of updates with nearly equal shares of UNSURE, approximately


@dataclass(frozen=True)
class JointFit:
    """The joint fit of all versions of a season.

    Attributes:
        fit: The fit.
        place: Index in the fit of each version that has results, by id; versions that play alike
            have the same.
        counts: Results of each version, by id.
        anchors: Indices of the anchors.
    """

    fit: Fit
    place: Mapping[int, int]
    counts: Mapping[int, Counts]
    anchors: Sequence[int]

    def ratings(self, update: int, versions: Collection[int] | None = None) -> list[RatedVersion]:
        """Return the ratings of versions; the anchors have a mean of 1500.

        Args:
            update: Number of the update.
            versions: Ids of the versions. Default: all.
        """
        n = self.fit.likelihood.entries
        ids = [id for id in self.place if versions is None or id in versions]
        places = [self.place[id] for id in ids]
        contrasts = np.eye(n, n + 2)[places]
        for anchor in self.anchors:
            contrasts[:, anchor] -= 1 / len(self.anchors)
        above, below = (flags[places] for flags in self.fit.unbounded)
        found = self.fit.intervals(AT, contrasts, above, below)
        ranks = self.fit.ranks(np.array(places, int))
        return [
            RatedVersion(update, id, *in_points(rating), self.counts[id].matches, *range_of_ranks)
            for id, rating, range_of_ranks in zip(ids, found, ranks, strict=True)
        ]

    def steps(self, update: int, pairs: Sequence[tuple[int, int]]) -> list[Step]:
        """Return the rating differences of new versions from their previous versions.

        The level of each comparison is such that over all updates of a season, however many, the probability
        of any false rise is at most 5 %, and likewise that of any false fall. See `share_of`.

        Args:
            update: Number of the update, from 1.
            pairs: Ids of new versions, each with the version before it.
        """
        pairs = [(new, old) for new, old in pairs if new in self.place and old in self.place]
        if not pairs:
            return []
        level = 2 * UNSURE * share_of(update) / len(pairs)  # two-sided; only the lower end is used
        ones = np.array([self.place[new] for new, _ in pairs])
        others = np.array([self.place[old] for _, old in pairs])
        above, below = self.fit.unbounded
        higher, lower = above[ones] | below[others], below[ones] | above[others]
        risen = self.fit.is_above(ones, others, higher, lower, level)
        fallen = self.fit.is_above(others, ones, lower, higher, level)
        apart = self.fit.differences(ones, others)
        return [
            Step(update, new, old, *in_points(rating), sure)
            for (new, old), rating, sure in zip(pairs, apart, (risen | fallen).tolist(), strict=True)
        ]


def share_of(update: int) -> float:
    """Return the share of an update, from the second on, in the error probability of a season.

    The shares of infinitely many updates add up to 1, since a season may have any length. The larger `EVEN`,
    the more slowly the shares decrease, and the smaller the first ones are.
    """
    return (EVEN + 2) / ((update + EVEN) * (update + EVEN + 1))


def in_points(rating: Rating) -> Rating:
    """Return a rating and its interval, rounded to thousandths of Elo points."""
    low, high = (None if end is None else round(end, 3) for end in (rating.low, rating.high))
    return Rating(round(rating.value, 3), low, high)


@collecting_later()
def fitted(
    store: Store, game: str, versions: Collection[Version], anchors: Collection[int], out: Collection[int]
) -> JointFit | None:
    """Fit ratings to all results of a game; None if no matches were played.

    Args:
        store: The database.
        game: The game with its options.
        versions: The versions.
        anchors: Ids of the versions that anchor the ratings. If none has results, ratings are relative to
            the mean of all.
        out: Ids of versions whose results do not count because they failed too often.
    """
    tournaments = [t for t in store.tournaments("game = ?", (game,)) if not t.exact]
    if not any(t.played for t in tournaments):
        return None
    pool = pooled_results(store, tournaments, "all")
    by_key = {(version.entry, version.code): version.original for version in versions}
    ids = ids_of(pool, by_key)
    gone = {name for name, id in ids.items() if id in out}
    first = {id: name for name, id in sorted(ids.items(), reverse=True)}
    alike = {name: first[id] for name, id in ids.items()}  # versions that play alike have one name in the fit
    totals: dict[tuple[str, str], Counts] = {}
    for (one, other), c in totals_of(pool.results).items():
        if gone.isdisjoint((one, other)):
            pair = alike.get(one, one), alike.get(other, other)
            totals[pair] = totals[pair] + c if pair in totals else c
    names = sorted({name for pair in totals for name in pair})
    if len(names) < 2:
        return None
    order = {name: i for i, name in enumerate(names)}
    index = order | {name: order[of] for name, of in alike.items() if of in order}
    counted = {
        (one.tournament, one.first, one.second, one.kind)
        for one in pool.results
        if one.first in index and one.second in index and gone.isdisjoint((one.first, one.second))
    }
    results = Results(
        names,
        [(order[a], order[b], c.wins, c.draws, c.losses) for (a, b), c in sorted(totals.items())],
        lambda: iter(()),
        openings=by_opening(store, pool.tournaments, pool.contestants, counted, index),
    )
    placed = {ids[name]: i for name, i in order.items() if name in ids}
    place = {one.id: placed[one.original] for one in versions if one.original in placed}
    of_entries = counts_of_entries(totals)
    counts = {id: of_entries[names[i]] for id, i in place.items()}
    at = [place[id] for id in sorted(anchors) if id in place]
    return JointFit(MaximumLikelihood().fit(results), place, counts, at or [*range(len(names))])


def ids_of(pool: Pool, by_key: Mapping[tuple[str, str], int]) -> dict[str, int]:
    """Return the id under which each version's results count, by its name in a pool of results."""
    codes = pool.contestants.codes
    return {
        shown: by_key[entry, codes[shown]]
        for (_, entry), shown in pool.contestants.names.items()
        if (entry, codes[shown]) in by_key
    }


def anchors_of(versions: Collection[Version], baselines: Collection[int]) -> set[int]:
    """Return the ids of the versions that anchor the ratings: baselines, or else those of the first update.

    Args:
        versions: The versions.
        baselines: Ids of the players that are baselines.
    """
    found = {version.id for version in versions if version.player in baselines}
    return found or {version.id for version in versions if version.since == 1}


__all__ = ["JointFit", "Rating", "anchors_of", "fitted"]
