"""Entries below the line of a leaderboard: those that failed too often to be rated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.results.record import FAILURES, UNKNOWN_CODE
from arena.results.settings import LACKING
from arena.results.tally import Counts

if TYPE_CHECKING:
    from arena.storage.database import Store, Tournament

ISOLATED = "met only entries that are not rated"


@dataclass(frozen=True)
class Unrated:
    """An entry without a rank and a rating.

    Attributes:
        entry: The entry.
        name: Its short name, or empty.
        why: What happened, for example `withdrawn after 3 crashes`.
        matches: Number of matches, including those that repeat others move for move. For exact results, the
            following are their expected numbers.
        wins: Number of wins.
        draws: Number of draws.
        losses: Number of losses.
        forfeits: Number of forfeits, which are also among the losses.
        unplayed: Number of further matches, which it forfeited unplayed since it was withdrawn.
        score: Score in these matches, from 0 to 1; None without matches.
        code: Digest of its code; `unknown` if none is recorded.
    """

    entry: str
    name: str
    why: str
    matches: float = 0
    wins: float = 0
    draws: float = 0
    losses: float = 0
    forfeits: float = 0
    unplayed: float = 0
    score: float | None = None
    code: str = UNKNOWN_CODE

    @classmethod
    def of(cls, entry: str, why: str, counts: Counts, unplayed: float, code: str) -> Unrated:
        """Return an entry with these results from its own side."""
        c = counts
        score = (c.wins + c.draws / 2) / c.matches if c.matches else None
        results = c.matches, c.wins, c.draws, c.losses, c.first_forfeits
        return cls(entry, "", why, *results, unplayed, score, code)

    @property
    def shown(self) -> str:
        """The name in tables."""
        return self.name or self.entry


def forfeited(counts: Counts, fault: str | None, exact: bool) -> str:
    """Return why an entry with these results is not rated; "" if it forfeits half of them or fewer."""
    forfeits, matches = counts.first_forfeits, counts.matches
    if 2 * forfeits <= matches * (1 + 1e-9):
        return ""
    if not exact:
        return f"forfeited {forfeits:,.0f} of {matches:,.0f} matches"
    share = f"forfeits {100 * forfeits / matches:.0f} % of its matches"
    return f"{share}: {fault}" if fault else share


def withdrawn(store: Store, where: Collection[tuple[int, str]], seeds: int) -> str:
    """Return in words that an entry was withdrawn.

    Args:
        store: The database.
        where: Tournaments and entries that were withdrawn; several entries are the seeds of one learner.
        seeds: Number of seeds of the learner; 0 for another entry.
    """
    times: Counter[str] = Counter()
    for tournament in sorted({tournament for tournament, _ in where}):
        for entry, count, reason, *_ in store.forfeits_by_reason(tournament):
            if reason in FAILURES and (tournament, entry) in where:
                times[reason] += count
    entries, tournaments = ({*each} for each in ((e for _, e in where), (t for t, _ in where)))
    who = f"{len(entries)} of {seeds} seeds withdrawn" if seeds > 1 else "withdrawn"
    out_of = f" from {len(tournaments)} tournaments" if len(tournaments) > 1 else ""
    after = " and ".join(number_of(n, reason) for reason, n in sorted(times.items()))
    return f"{who}{out_of}{f' after {after}' if after else ''}"


def number_of(n: int, reason: str) -> str:
    """Return a number of failures in words: `1 stall`, `3 crashes`."""
    plural = "es" if reason.endswith("sh") else "s"
    return f"{n:,} {reason}{plural if n > 1 else ''}"


def left_out(tournaments: Iterable[Tournament]) -> dict[str, str]:
    """Return why entries could not play at all, by entry.

    Agents that need more than the game offers are not among them.
    """
    return {
        name: f"could not play: {why}"
        for t in tournaments
        for name, why in (t.settings.left_out or {}).items()
        if not why.endswith(LACKING)
    }


def rated_among(pairs: Iterable[tuple[str, str]], failed: Mapping[str, str]) -> list[str]:
    """Return in order who has results against somebody who has not failed, and has not failed either."""
    return sorted({name for pair in pairs if failed.keys().isdisjoint(pair) for name in pair})
