"""The records of many matches, column by column: as workers send them, and as the database takes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from arena.results.fault_story import Story
from arena.results.record import FORFEITS, VARIED, WITHDRAWN, Record
from arena.results.tally import CHANCE, COPY, FIXED, Counts, Replays, fingerprint_of, fixed
from arena.results.usage import Used

PLAYED, FORFEITED, UNPLAYED = range(3)
KINDS = (CHANCE, FIXED, COPY, WITHDRAWN)
PLACES = {kind: place for place, kind in enumerate(KINDS)}

# of a match, as in `Record`; and whether it was played out, or forfeited, or that unplayed
FACTS = np.dtype(
    [
        ("number", np.int64),
        ("round", np.int64),
        ("first", np.int64),
        ("second", np.int64),
        ("result", np.int8),
        ("forfeit", np.int8),
        ("plies", np.int64),
        ("opening", np.int64),
        ("chance", np.int8),
        ("first_seconds", np.float64),
        ("second_seconds", np.float64),
    ]
)
Facts = NDArray[np.void]
Flags = NDArray[np.bool_]


class Records(Sequence[Record]):
    """Records in the order of their numbers, each match once. They are not changed.

    facts: FACTS [matches]. reasons, moves: of each, as in a record. digests: fingerprints of those that would
    go the same way each time, by number. details, stories, usage, starts: of those that have one, by number.
    """

    def __init__(
        self,
        facts: Facts | None = None,
        reasons: Sequence[str] = (),
        moves: Sequence[str] = (),
        digests: Mapping[int, bytes] | None = None,
        details: Mapping[int, str] | None = None,
        stories: Mapping[int, Story] | None = None,
        usage: Mapping[int, tuple[Used, ...]] | None = None,
        starts: Mapping[int, str] | None = None,
    ) -> None:
        self.facts = np.zeros(0, FACTS) if facts is None else facts
        self.reasons, self.moves = reasons, moves
        self.digests, self.details = digests or {}, details or {}
        self.stories, self.usage, self.starts = stories or {}, usage or {}, starts or {}

    @classmethod
    def of(cls, records: Iterable[Record]) -> Records:
        """These, in whatever order they come."""
        if isinstance(records, Records):
            return records
        some = sorted(records, key=lambda record: record.number)
        facts = np.zeros(len(some), FACTS)
        for name in FACTS.names or ():
            if name != "forfeit":
                facts[name] = [getattr(record, name) for record in some]
        facts["forfeit"] = [forfeit_of(record.reason) for record in some]
        return cls(
            facts,
            [record.reason for record in some],
            [record.moves for record in some],
            {record.number: fingerprint_of(record) for record in some if fixed(record)},
            {record.number: record.detail for record in some if record.detail is not None},
            {record.number: record.story for record in some if record.story is not None},
            {record.number: record.usage for record in some if record.usage},
            {record.number: record.start for record in some if record.start is not None},
        )

    @classmethod
    def joined(cls, parts: Iterable[Records]) -> Records:
        """All of them."""
        parts = [part for part in parts if len(part)]
        if len(parts) < 2:
            return parts[0] if parts else cls()
        facts = np.concatenate([part.facts for part in parts])
        order = np.argsort(facts["number"])
        places = order.tolist()
        reasons = [reason for part in parts for reason in part.reasons]
        moves = [text for part in parts for text in part.moves]
        return cls(
            facts[order],
            [reasons[i] for i in places],
            [moves[i] for i in places],
            *({key: one for part in parts for key, one in notes(part, name)} for name in NOTES),
        )

    def where(self, wanted: Flags) -> Records:
        """Those of them that are wanted, bool [matches]."""
        facts, places = self.facts[wanted], np.flatnonzero(wanted).tolist()
        numbers = {*facts["number"].tolist()}
        return Records(
            facts,
            [self.reasons[i] for i in places],
            [self.moves[i] for i in places],
            *({key: one for key, one in notes(self, name) if key in numbers} for name in NOTES),
        )

    def varied(self, flags: Flags) -> Records:
        """Return them with those marked, bool [matches], that count for an entry in them varies."""
        facts = self.facts.copy()
        facts["chance"][flags] = VARIED
        marked = {*facts["number"][flags].tolist()}
        digests = {number: digest for number, digest in self.digests.items() if number not in marked}
        others = (getattr(self, name) for name in NOTES[1:])
        return Records(facts, self.reasons, self.moves, digests, *others)

    def __len__(self) -> int:
        return len(self.facts)

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> Records: ...
    def __getitem__(self, place: int | slice) -> Record | Records:
        chosen = np.zeros(len(self), np.bool_)
        chosen[place] = True
        found = self.where(chosen)
        return found if isinstance(place, slice) else next(iter(found))

    def __iter__(self) -> Iterator[Record]:
        for row in self.rows():
            number: int = row[0]
            yield Record._make((*row, self.stories.get(number), self.usage.get(number, ())))

    def rows(self, ids: Sequence[int] | None = None) -> Iterator[tuple[Any, ...]]:
        """What a table of matches has of each; ids: what stands for the entries, if not their indices."""
        facts = {name: self.facts[name].tolist() for name in FACTS.names or ()}
        first, second = facts["first"], facts["second"]
        return zip(
            facts["number"],
            facts["round"],
            map(ids.__getitem__, first) if ids else first,
            map(ids.__getitem__, second) if ids else second,
            facts["result"],
            self.reasons,
            map(self.details.get, facts["number"]) if self.details else repeat(None, len(self)),
            facts["plies"],
            facts["opening"],
            self.moves,
            facts["chance"],
            facts["first_seconds"],
            facts["second_seconds"],
            map(self.starts.get, facts["number"]) if self.starts else repeat(None, len(self)),
            strict=True,
        )

    def having(self, name: str) -> Iterable[Record]:
        """Those that have details, stories or usage, as `name` says."""
        numbers = [number for number, _ in notes(self, name)]
        return self.where(np.isin(self.facts["number"], numbers)) if numbers else ()

    def counts(self, replays: Replays) -> dict[tuple[int, int, str], Counts]:
        """Counts by first, second and kind; `replays` takes in what goes the same way each time."""
        facts, kind = self.facts, kinds_of(self.facts, self.digests, replays)
        entries = 1 + max(facts[seat].max(initial=0) for seat in ("first", "second"))
        shape = entries, entries, len(KINDS), 3, 2
        of_each = facts["first"], facts["second"], kind, facts["result"] + 1, facts["forfeit"] > PLAYED
        places, matches = np.unique(np.ravel_multi_index(of_each, shape), return_counts=True)
        found: dict[tuple[int, int, str], Counts] = {}
        for *key, number in zip(*np.unravel_index(places, shape), matches, strict=True):
            first, second, of, result, forfeited = map(int, key)
            counts = found.setdefault((first, second, KINDS[of]), Counts())
            counts.add(result - 1, bool(forfeited), int(number))
        return found


def kinds_of(facts: Facts, digests: Mapping[int, bytes], replays: Replays) -> NDArray[np.int64]:
    """Of each match the place of its kind in `KINDS`; `replays` takes in what goes the same way each time.

    digests: see `Records`, of these matches and perhaps others.
    """
    kinds = np.full(len(facts), PLACES[CHANCE], np.int64)
    if digests:
        of_each = map(replays.kind_of, map(digests.get, facts["number"].tolist()))
        kinds[:] = [*map(PLACES.__getitem__, of_each)]
    kinds[facts["forfeit"] == UNPLAYED] = PLACES[WITHDRAWN]
    return kinds


NOTES = ("digests", "details", "stories", "usage", "starts")  # what not all records have


def notes(records: Records, name: str) -> Iterable[tuple[int, Any]]:
    """Notes of records, by number."""
    found: Mapping[int, object] = getattr(records, name)
    return found.items()


def forfeit_of(reason: str) -> int:
    """Whether a match that ended so was played out, or forfeited, or that unplayed."""
    return UNPLAYED if reason == WITHDRAWN else FORFEITED if reason in FORFEITS else PLAYED
