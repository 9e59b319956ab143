"""The results of two entries against each other, and forfeits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce

from arena.api.reasons import WITHDRAWN
from arena.faults.tracebacks import at_place
from arena.results.exact import Expected
from arena.results.tally import COPY, Counts
from arena.storage import database


@dataclass(frozen=True)
class Forfeit:
    """A match that an entry forfeited.

    Attributes:
        entry: The entry.
        match: Number of the match.
        reason: One of `arena.api.reasons.FORFEITS`.
        detail: Description of the fault.
        place: Line of the agent's code, such as `mine.py:12 in choose`; only for an entry's first faults and
            if known.
    """

    entry: str
    match: int
    reason: str
    detail: str
    place: str = ""


@dataclass(frozen=True)
class Pairing:
    """The matches of one entry as first player against another, from the first player's side.

    Attributes:
        first: First player.
        second: Second player.
        wins: Number of wins.
        draws: Number of draws.
        losses: Number of losses.
        forfeits: Number of forfeits in matches that were played; they are also among wins and losses.
        copies: Number of matches that repeat others move for move, which are also among wins, draws and
            losses.
        published: Published results in per cent, if the tournament file has them.
        unplayed: Number of matches not played because an entry was withdrawn, which are also among wins,
            draws and losses; they count as draws if both entries were withdrawn.
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
        """Return a pairing from counts by kind."""
        sums = reduce(lambda a, b: a + b, kinds.values(), Counts())
        copies = int(kinds[COPY].matches) if COPY in kinds else 0
        wins, draws, losses = int(sums.wins), int(sums.draws), int(sums.losses)
        forfeits = int(sum(counts.forfeits for kind, counts in kinds.items() if kind != WITHDRAWN))
        unplayed = int(kinds[WITHDRAWN].matches) if WITHDRAWN in kinds else 0
        return cls(first, second, wins, draws, losses, forfeits, copies, unplayed=unplayed)

    @property
    def matches(self) -> int:
        """The number of matches."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """The first player's score, from 0 to 1; None without matches."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else None

    def to_dict(self) -> dict[str, object]:
        """Return the pairing as a dictionary for JSON.

        Published results and unplayed matches are left out if there are none.
        """
        found = asdict(self)
        if self.published is None:
            del found["published"]
        if not self.unplayed:
            del found["unplayed"]
        return found


@dataclass(frozen=True)
class ExactPairing:
    """The exact expected result of one entry as first player against another, from the first player's side.

    Attributes:
        first: First player.
        second: Second player.
        wins: Probability of a win.
        draws: Probability of a draw.
        losses: Probability of a loss.
        forfeits: Probability of a forfeit by either, included in wins and losses.
        plies: Mean length of a match in plies.
        first_blunder_rate: Share of the first player's moves that lose value; None if it makes no moves.
        second_blunder_rate: The same share for the second player.
        published: Published results in per cent, if the tournament file has them.
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
        """Return the pairing of two entries from exact expectations."""
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
        """The first player's expected score, from 0 to 1."""
        return self.wins + self.draws / 2

    def to_dict(self) -> dict[str, object]:
        """Return the fields as a dictionary for JSON."""
        found = asdict(self)
        if self.published is None:
            del found["published"]
        return found


def pairings_of(store: database.Store, t: database.Tournament) -> list[Pairing | ExactPairing]:
    """Return the results of a tournament by pairing, with published results if there are any."""
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
    """Return the number of matches that each entry forfeited without playing, by entry.

    Args:
        pairings: First player, second player, kind and counts.
    """
    found: Counter[str] = Counter()
    for first, second, kind, counts in pairings:
        if kind == WITHDRAWN:
            found[first] += int(counts.first_forfeits + counts.draws)
            found[second] += int(counts.second_forfeits + counts.draws)
    return {name: unplayed for name, unplayed in found.items() if unplayed}


def all_forfeited(pairings: Iterable[Pairing | ExactPairing], forfeits: Sequence[Forfeit]) -> bool:
    """Return whether there are matches and all of them were forfeited, so that scores are meaningless.

    Args:
        pairings: Results by pairing.
        forfeits: The forfeits of matches that were played.
    """
    rows = [*pairings]
    if exact := [row for row in rows if isinstance(row, ExactPairing)]:
        return all(row.forfeits > 1 - 1e-9 for row in exact)
    played = [row for row in rows if isinstance(row, Pairing)]
    return 0 < sum(row.matches for row in played) == len(forfeits) + sum(row.unplayed for row in played)


def fault_lines(faults: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    """Return a line for each entry that forfeits in some position.

    Args:
        faults: Faults, by entry.
        names: Short names, by entry.
    """
    return [f"{names.get(name, name)} forfeits where it fails: {fault}" for name, fault in faults.items()]


def forfeit_lines(forfeits: Sequence[Forfeit], names: Mapping[str, str]) -> list[str]:
    """Return a line for each entry that forfeited, with its first forfeit.

    Args:
        forfeits: The forfeits.
        names: Short names, by entry.
    """
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
