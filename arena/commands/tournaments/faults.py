"""The function `arena.tournaments.faults`, which lists the faults of entries in a tournament."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from arena.api.reasons import FORFEITS, WITHDRAWN
from arena.calls.results import unplayed_by
from arena.results.fault_story import Story
from arena.show.figures import bars
from arena.show.frame import Column, Columns
from arena.show.presentation import Line, Listing, Part, Shown
from arena.storage.database import DATABASE, Store

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Fault:
    """A fault with its details, which are texts; empty if not recorded. See `arena.results.fault_story`.

    Attributes:
        match: Number of the match.
        entry: The entry that failed.
        opponent: The entry's opponent.
        seat: The entry's seat, 0 or 1.
        reason: Reason of the forfeit.
        detail: Description of the fault.
        moves: Moves before the fault.
        place: Line of the entry's code that failed.
        position: The position, as text.
        board: The position as the game draws it.
        traceback: Traceback of the exception.
        printed: Last lines of the entry's output.
    """

    match: int
    entry: str
    opponent: str
    seat: int
    reason: str
    detail: str
    moves: str
    place: str
    position: str
    board: str
    traceback: str
    printed: str

    def parts(self, names: Mapping[str, str]) -> Iterator[Part]:
        """Yield the parts to print. names: short names, by entry."""
        seat = ("first", "second")[self.seat]
        entry, opponent = (names.get(name, name) for name in (self.entry, self.opponent))
        yield Line(f"Match {self.match}: {entry}, {seat} against {opponent}, {self.reason}")
        yield Line(f"  {self.detail}")
        for name in ("place", "moves", "position"):
            if text := getattr(self, name):
                yield Line(f"  {name}: {text}")
        for name in ("board", "traceback", "printed"):
            yield from labelled(name, getattr(self, name))


@dataclass(frozen=True, repr=False)
class Faults(Shown):
    """The faults of entries in a tournament.

    Attributes:
        tournament: Number of the tournament.
        db: Path of the database.
        counts: Numbers of forfeits by reason, by entry.
        told: The first faults of each entry, with details.
        names: Short names, by entry.
    """

    frame_columns: ClassVar[Columns] = {
        "entry": Column(str, "The entry."),
        "reason": Column(str, "How it forfeited."),
        "count": Column(int, "How often."),
    }

    tournament: int
    db: str
    counts: Mapping[str, Mapping[str, int]]
    told: list[Fault]
    names: Mapping[str, str] = field(default_factory=dict)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        if not self.counts:
            yield f"No entry failed in tournament {self.tournament} of {self.db}."
        for name, counts in self.counts.items():
            said = ", ".join(f"{reason} {n:,}" for reason, n in counts.items() if reason != WITHDRAWN)
            unplayed = counts.get(WITHDRAWN, 0)
            more = f"; withdrawn, {unplayed:,} unplayed" if unplayed else ""
            yield Line(f"{self.names.get(name, name)}: {said}{more}")
        for fault in self.told:
            yield ""
            yield from fault.parts(self.names)

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each entry and reason; `to_dicts` has the faults themselves."""
        return [
            {"entry": entry, "reason": reason, "count": count}
            for entry, counts in self.counts.items()
            for reason, count in counts.items()
        ]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw how often each entry forfeited for each reason.

        Args:
            ax: Axes of matplotlib to draw on. Default: those of a new figure.
        """
        counts = {
            f"{self.names.get(entry, entry)}: {reason}": float(count)
            for entry, reasons in self.counts.items()
            for reason, count in reasons.items()
        }
        return bars(counts, "number of forfeits", ax=ax)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return one dictionary per fault, with its details."""
        return [asdict(fault) for fault in self.told]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        return {
            "tournament": self.tournament,
            "counts": {name: dict(counts) for name, counts in self.counts.items()},
            "faults": self.to_dicts(),
        }


def faults(number: int | None = None, db: str | Path = DATABASE) -> Faults:
    """Return the number of faults of each entry in a tournament, and the first ones with details.

    Details are recorded for up to `arena.results.fault_story.STORIES` faults of each entry.

    Args:
        number: Number of the tournament. Default: the newest.
        db: Path of the database.

    Raises:
        ArenaError: If there is no such tournament.
    """
    with closing(Store(db)) as store:
        found = store.tournament(number)
        counts: dict[str, Counter[str]] = {}
        lines = {match: (name, reason, detail) for name, match, reason, detail in store.forfeits(found.id)}
        for name, reason, _ in lines.values():
            counts.setdefault(name, Counter())[reason] += 1
        for name, unplayed in unplayed_by(store.pairings(found.id)).items():
            counts.setdefault(name, Counter())[WITHDRAWN] = unplayed
        told = []
        for match, name, story in store.stories(found.id):
            if lines.get(match, ("",))[0] != name:
                place = f"the fault of match {match} of tournament {found.id}"
                raise store.altered(place, f"{name} did not fail in that match")
            _, reason, detail = lines[match]
            first, second, result, moves = store.match(found.id, match)
            told.append(fault_of(match, (first, second), result, reason, detail, moves, story))
    order = {reason: i for i, reason in enumerate(FORFEITS)}
    ordered = {
        name: dict(sorted(counts[name].items(), key=lambda item: order.get(item[0], len(order))))
        for name in sorted(counts)
    }
    return Faults(found.id, str(db), ordered, told, found.settings.names or {})


def fault_of(
    match: int, entries: tuple[str, str], result: int, reason: str, detail: str, moves: str, story: Story
) -> Fault:
    """Return the fault of the entry that lost a match."""
    seat = 0 if result < 0 else 1
    return Fault(match, entries[seat], entries[1 - seat], seat, reason, detail, moves, *story)


def labelled(name: str, text: str) -> Iterator[Part]:
    """Yield a label with a text below it, unless the text is empty."""
    if text:
        yield f"  {name}:"
        yield Listing(text)
