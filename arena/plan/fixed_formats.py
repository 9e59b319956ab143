"""Formats whose matches do not depend on results: round robin and gauntlet."""

from __future__ import annotations

from arena.api.format import FixedFormat, Stage
from arena.api.options import option
from arena.errors import ArenaError


class RoundRobin(FixedFormat):
    """Each entry meets every other, from either seat."""

    def stage(self, entries: int, rounds: int) -> Stage:
        return Stage(round_robin(entries), rounds)


class Gauntlet(FixedFormat):
    """The first entries meet all others, from either seat; no other pairings are played.

    This rates the first entries with the fewest matches.
    """

    first: int = option(1, "so many entries, as they are named, meet the others", low=1)

    def check_entries(self, entries: int) -> None:
        if self.first >= entries:
            raise ArenaError(f"gauntlet: first is {self.first} of {entries} entries; leave others to meet")

    def stage(self, entries: int, rounds: int) -> Stage:
        others = range(self.first, entries)
        met = [(a, b) for b in others for a in range(self.first)]
        return Stage([seats for a, b in met for seats in ((a, b), (b, a))], rounds)


def round_robin(entries: int) -> list[tuple[int, int]]:
    """Return all pairings from either seat, so that no entry plays in two consecutive ones.

    The circle method (Schurig 1886): one entry stays in place, the others rotate around it.
    """
    ring: list[int | None] = list(range(entries))
    if entries % 2:
        ring.append(None)  # the entry that meets it has a bye
    half = len(ring) // 2
    pairings = []
    for _ in range(len(ring) - 1):
        for i in range(half):
            a, b = ring[i], ring[-1 - i]
            if a is not None and b is not None:
                # seats by parity, so that halfway each entry has had both seats about equally often
                pairings.append((min(a, b), max(a, b)) if (a - b) % 2 else (max(a, b), min(a, b)))
        ring.insert(1, ring.pop())
    return pairings + [(b, a) for a, b in pairings]
