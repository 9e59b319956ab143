"""Choice of the matches of an update: those that are missing, the most informative first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import ceil

from arena.ratings.statistics import POINTS, SURE
from arena.storage.season import RatedVersion, Version

Key = tuple[str, str]  # entry and code
Stages = list[tuple[int, list[tuple[int, int]]]]  # rounds and pairings of each
BETWEEN_EQUALS = 2 * SURE * POINTS  # ± after one match; the variance of its result is a quarter


def missing(
    playing: Sequence[Version],
    met: Mapping[tuple[Key, Key], int],
    rounds: int,
    anchors: int,
    expected: Mapping[int, float],
    needed: Mapping[int, int] | None = None,
) -> list[tuple[int, int]]:
    """Return the missing matches as pairs of indices, the most informative first.

    All pairings reach one match from each seat before any reaches two. Within such a round, each newcomer
    meets the baselines first, and then the versions whose ratings are closest to its expected rating. The
    newcomer of a pair is the version that has played less.

    Args:
        playing: The versions that play; baselines come first.
        met: Number of matches so far, by entry and code of the first and second player.
        rounds: Target number of matches of each pairing from each seat.
        anchors: Number of baselines.
        expected: Known or expected ratings of versions, by id.
        needed: Number of matches after which the rating of each version is known well enough, by id. Matches
            of two versions that need none are left out. Default: all matches are needed.
    """
    keys = [(version.entry, version.code) for version in playing]
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
    """Yield the matches in which a player still needs some, counting those before."""
    left = [*needed]
    for one, other in matches:
        if left[one] > 0 or left[other] > 0:
            left[one] -= 1
            left[other] -= 1
            yield one, other


def needed_for(within: float, rated: RatedVersion | None) -> int:
    """Return after how many more matches the 95 % interval of a rating is about ±`within` Elo points.

    An interval is as wide as one over the root of the number of matches. Where there is none, or an end is
    open, matches are taken to be between equals and without draws. The next update knows better.

    Args:
        within: Elo points.
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
    """Add a round of pairings, to the last stage if it has the same pairings."""
    if stages and stages[-1][1] == pairings:
        stages[-1] = (stages[-1][0] + 1, pairings)
    else:
        stages.append((1, pairings))


def matches_in(stages: Stages) -> list[tuple[int, int]]:
    """Return the matches of stages in their order."""
    return [pair for rounds, pairings in stages for _ in range(rounds) for pair in pairings]


def participants(matches: Sequence[tuple[int, int]]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the participants of some matches in ascending order, and the matches as indices into them."""
    who = sorted({i for pair in matches for i in pair})
    place = {i: k for k, i in enumerate(who)}
    return who, [(place[a], place[b]) for a, b in matches]
