"""The choice of an update's matches: the missing ones, the most informative first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil

from arena.ratings.statistics import POINTS, SURE
from arena.storage.season import RatedVersion, Version

Stages = list[tuple[int, list[tuple[int, int]]]]  # number of rounds and pairings of each stage
BETWEEN_EQUALS = 2 * SURE * POINTS  # half-width after one match, whose result has variance 1/4


def missing(
    playing: Sequence[Version],
    met: Mapping[tuple[int, int], int],
    rounds: int,
    anchors: int,
    expected: Mapping[int, float],
    needed: Mapping[int, int] | None = None,
) -> list[tuple[int, int]]:
    """Return the missing matches as pairs of indices, the most informative first.

    All pairings have one match from each seat before any has two. Within each such round, a newcomer meets
    the baselines first, and then the versions whose ratings are closest to its expected rating. The newcomer
    of a pair is the version that has played fewer matches.

    Args:
        playing: The versions that play; baselines come first.
        met: Number of matches so far, by `Version.original` of the first and second player.
        rounds: Target number of matches of each pairing from each seat.
        anchors: Number of baselines.
        expected: Known or expected ratings of versions, by id.
        needed: Number of matches after which the rating of each version is known well enough, by id. Matches
            of two versions that need none are left out. Default: all matches are needed.
    """
    keys = [version.original for version in playing]
    played = {
        pair: min(met.get((keys[pair[0]], keys[pair[1]]), 0), rounds)
        for a, b in combinations(range(len(playing)), 2)
        for pair in ((a, b), (b, a))
    }
    total = [
        sum(played[a, b] + played[b, a] for b in range(len(playing)) if b != a) for a in range(len(playing))
    ]
    order = orders(playing, anchors, expected)

    def place(pair: tuple[int, int]) -> tuple[int, int, int, bool]:
        newcomer, other = sorted(pair, key=lambda i: (total[i], -playing[i].id))
        return order[newcomer].index(other), newcomer, other, pair != (newcomer, other)

    wanted = sorted((pair for pair in played if played[pair] < rounds), key=place)
    found = [pair for level in range(rounds) for pair in wanted if played[pair] <= level]
    return found if needed is None else [*as_needed(found, [needed[version.id] for version in playing])]


def as_needed(matches: Iterable[tuple[int, int]], needed: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the matches in which either player still needs matches, counting those yielded before."""
    left = [*needed]
    for one, other in matches:
        if left[one] > 0 or left[other] > 0:
            left[one] -= 1
            left[other] -= 1
            yield one, other


def needed_for(within: float, rated: RatedVersion | None) -> int:
    """Return the number of further matches until the 95 % interval of a rating is about ±`within` Elo points.

    The width of an interval is taken to be proportional to one over the square root of the number of matches.
    Without an interval, or with an open end, matches are assumed to be between equal players and without
    draws; the next update has a better estimate.

    Args:
        within: Half-width of the interval in Elo points.
        rated: The last rating of the version; None if it has none.
    """
    if rated is None or rated.low is None or rated.high is None:
        played = rated.matches if rated else 0.0
        return max(ceil((BETWEEN_EQUALS / within) ** 2 - played), 1)
    half = max(rated.rating - rated.low, rated.high - rated.rating)
    return max(ceil(rated.matches * ((half / within) ** 2 - 1)), 0)


def orders(playing: Sequence[Version], anchors: int, expected: Mapping[int, float]) -> list[list[int]]:
    """Return, for each version, the others in the order in which it should play them."""
    rated = [expected[version.id] for version in playing if version.id in expected]
    mean = sum(rated) / len(rated) if rated else 0.0
    about = [expected.get(version.id, mean) for version in playing]
    return [
        sorted(
            (j for j in range(len(playing)) if j != i),
            key=lambda j: (j >= anchors, abs(about[j] - about[i]) if j >= anchors else 0.0, j),
        )
        for i in range(len(playing))
    ]


def stages_of(matches: Sequence[tuple[int, int]]) -> Stages:
    """Return matches as stages, in the same order, with each pairing at most once per round."""
    stages: Stages = []
    current: list[tuple[int, int]] = []
    seen = set[tuple[int, int]]()
    for pair in matches:
        if pair in seen:
            add_stage(stages, current)
            current, seen = [], set()
        current.append(pair)
        seen.add(pair)
    if current:
        add_stage(stages, current)
    return stages


def add_stage(stages: Stages, pairings: list[tuple[int, int]]) -> None:
    """Add a round of pairings as a new stage, or to the last stage if that has the same pairings."""
    if stages and stages[-1][1] == pairings:
        stages[-1] = (stages[-1][0] + 1, pairings)
    else:
        stages.append((1, pairings))


def matches_in(stages: Stages) -> list[tuple[int, int]]:
    """Return the matches of stages in their order."""
    return [pair for rounds, pairings in stages for _ in range(rounds) for pair in pairings]


def participants(matches: Sequence[tuple[int, int]]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the participants of some matches in ascending order, and the matches as indices into these."""
    who = sorted({i for pair in matches for i in pair})
    place = {i: k for k, i in enumerate(who)}
    return who, [(place[a], place[b]) for a, b in matches]
