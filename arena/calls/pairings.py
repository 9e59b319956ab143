"""How the pairings of a match or a tournament went, and who forfeited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce

from arena.faults.tracebacks import at_place
from arena.results.exact import Expected
from arena.results.record import WITHDRAWN
from arena.results.tally import COPY, Counts
from arena.storage import database


@dataclass(frozen=True)
class Forfeit:
    """An entry that forfeited: in which match, by what (one of `arena.results.record.FORFEITS`), and why.

    place: the author's line, such as `mine.py:12 in choose`, of an entry's first faults that have one.
    """

    entry: str
    match: int
    reason: str
    detail: str
    place: str = ""


@dataclass(frozen=True)
class Pairing:
    """Matches of one entry as first player against another, from the first's side.

    forfeits are among wins and losses; copies, matches that repeat others move for move, among all, and so
    unplayed, matches that were not played, for one of the two was withdrawn, or both, which is a draw.
    published: how it went elsewhere, in per cent, if a tournament's file says so.
    """

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    forfeits: int
    copies: int
    published: Mapping[str, float] | None = None
    unplayed: int = 0

    @classmethod
    def of(cls, first: str, second: str, kinds: Mapping[str, Counts]) -> Pairing:
        """Counts by kind, put together."""
        sums = reduce(lambda a, b: a + b, kinds.values(), Counts())
        copies = int(kinds[COPY].matches) if COPY in kinds else 0
        wins, draws, losses = int(sums.wins), int(sums.draws), int(sums.losses)
        unplayed = int(kinds[WITHDRAWN].matches) if WITHDRAWN in kinds else 0
        return cls(first, second, wins, draws, losses, int(sums.forfeits), copies, unplayed=unplayed)

    @property
    def matches(self) -> int:
        """The number of matches."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """The first player's, from 0 to 1; None without matches."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else None

    def to_dict(self) -> dict[str, object]:
        """For JSON; without what there is none of: published figures, matches unplayed."""
        found = asdict(self)
        if self.published is None:
            del found["published"]
        if not self.unplayed:
            del found["unplayed"]
        return found


@dataclass(frozen=True)
class ExactPairing:
    """What matches of one entry as first player against another come to, in probabilities, from its side.

    forfeits: the probability of any, among wins and losses. plies: of a match, on average. blunder rates: the
    share of moves that give away value, None where none is made.
    """

    first: str
    second: str
    wins: float
    draws: float
    losses: float
    forfeits: float
    plies: float
    first_blunder_rate: float | None
    second_blunder_rate: float | None
    published: Mapping[str, float] | None = None

    @classmethod
    def of(cls, first: str, second: str, found: Expected) -> ExactPairing:
        """Return the pairing of two entries from what was computed."""
        return cls(
            first,
            second,
            found.win,
            found.draw,
            found.loss,
            found.first_forfeit + found.second_forfeit,
            found.plies,
            found.first_blunders / found.first_moves if found.first_moves else None,
            found.second_blunders / found.second_moves if found.second_moves else None,
        )

    @property
    def score(self) -> float:
        """The first player's, from 0 to 1."""
        return self.wins + self.draws / 2

    def to_dict(self) -> dict[str, object]:
        """Return everything as one dictionary, for JSON."""
        found = asdict(self)
        if self.published is None:
            del found["published"]
        return found


def pairings_of(store: database.Store, t: database.Tournament) -> list[Pairing | ExactPairing]:
    """How the pairings of a tournament went, with published figures beside them if there are any."""
    kinds: dict[tuple[str, str], dict[str, Counts]] = {}
    for first, second, kind, counts in store.pairings(t.id):
        kinds.setdefault((first, second), {})[kind] = counts
    rows: list[Pairing | ExactPairing] = [Pairing.of(*seats, found) for seats, found in kinds.items()]
    rows += [ExactPairing.of(*seats, found) for seats, found in store.exact(t.id).items()]
    elsewhere = {(row.first, row.second): row for row in t.settings.published or ()}
    for i, row in enumerate(rows):
        if there := elsewhere.get((row.first, row.second)):
            rows[i] = replace(
                row, published={"wins": there.wins, "draws": there.draws, "losses": there.losses}
            )
    return rows


def unplayed_by(pairings: Iterable[tuple[str, str, str, Counts]]) -> dict[str, int]:
    """How many matches each entry has forfeited unplayed, be it that the other did, too.

    pairings: first, second, kind and counts.
    """
    found: Counter[str] = Counter()
    for first, second, kind, counts in pairings:
        if kind == WITHDRAWN:
            found[first] += int(counts.first_forfeits + counts.draws)
            found[second] += int(counts.second_forfeits + counts.draws)
    return {name: unplayed for name, unplayed in found.items() if unplayed}


def all_forfeited(pairings: Iterable[Pairing | ExactPairing], forfeits: Sequence[Forfeit]) -> bool:
    """Whether there are matches, and none of them came to its end, so that nothing was measured.

    forfeits: those of matches that were played.
    """
    rows = [*pairings]
    if exact := [row for row in rows if isinstance(row, ExactPairing)]:
        return all(row.forfeits > 1 - 1e-9 for row in exact)
    played = [row for row in rows if isinstance(row, Pairing)]
    return 0 < sum(row.matches for row in played) == len(forfeits) + sum(row.unplayed for row in played)


def fault_lines(faults: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    """Return a line for every entry that forfeits in some position. names: short ones, by entry."""
    return [f"{names.get(name, name)} forfeits where it fails: {fault}" for name, fault in faults.items()]


def forfeit_lines(forfeits: Sequence[Forfeit], names: Mapping[str, str]) -> list[str]:
    """Return a line for every entry that forfeited, with the first time it did. names: short, by entry."""
    first: dict[str, Forfeit] = {}
    times: Counter[str] = Counter()
    for one in forfeits:
        first.setdefault(one.entry, one)
        times[one.entry] += 1
    return [
        f"{names.get(name, name)} forfeited {times[name]:,}, "
        f"the first match {one.match} by {one.reason}: {one.detail}{at_place(one.place)}"
        for name, one in first.items()
    ]
