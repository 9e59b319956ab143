"""Records of many matches in columns, as sent by workers and stored in the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from arena.api.reasons import FORFEITS, WITHDRAWN
from arena.results.fault_story import Story
from arena.results.record import VARIED, Record, Used
from arena.results.tally import CHANCE, COPY, FIXED, Counts, Replays, fingerprint_of, fixed

PLAYED, FORFEITED, UNPLAYED = range(3)
KINDS = (CHANCE, FIXED, COPY, WITHDRAWN)
PLACES = {kind: place for place, kind in enumerate(KINDS)}

# the fields are those of `Record`, and `forfeit`: PLAYED, FORFEITED or UNPLAYED
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
    """An immutable sequence of records sorted by match number, without duplicates.

    Attributes:
        facts: Numeric columns, of dtype FACTS and shape [matches].
        reasons: The reason of each match, as in `Record`.
        moves: The moves of each match, as in `Record`.
        digests: Fingerprints of the matches without chance, by number.
        details: Details of forfeits, by number.
        stories: Stories of faults, by number.
        usage: Usage reported by agents, by number.
        starts: Start positions other than the game's own, by number.
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
        """Create columns from records in any order."""
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
        """Concatenate records and sort them by number."""
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
        """Return the records selected by a mask, bool [matches]."""
        facts, places = self.facts[wanted], np.flatnonzero(wanted).tolist()
        numbers = {*facts["number"].tolist()}
        return Records(
            facts,
            [self.reasons[i] for i in places],
            [self.moves[i] for i in places],
            *({key: one for key, one in notes(self, name) if key in numbers} for name in NOTES),
        )

    def varied(self, flags: Flags) -> Records:
        """Return a copy in which the flagged matches, bool [matches], are marked as VARIED."""
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
        """Yield a row of the table `matches` for each record, without the tournament's number.

        Args:
            ids: The id of each entry, by index. Default: the indices themselves.
        """
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
        """Return the records that have a value in the column `name`, one of `NOTES` such as stories."""
        numbers = [number for number, _ in notes(self, name)]
        return self.where(np.isin(self.facts["number"], numbers)) if numbers else ()

    def counts(self, replays: Replays) -> dict[tuple[int, int, str], Counts]:
        """Count matches by first entry, second entry and kind, and add them to `replays`."""
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
    """Return the index in `KINDS` of each match's kind, int64 [matches].

    Args:
        facts: The matches, of dtype FACTS.
        digests: Fingerprints by number, see `Records`; those of other matches are ignored.
        replays: The matches without chance seen so far, to which those among `facts` are added.
    """
    kinds = np.full(len(facts), PLACES[CHANCE], np.int64)
    if digests:
        of_each = map(replays.kind_of, map(digests.get, facts["number"].tolist()))
        kinds[:] = [*map(PLACES.__getitem__, of_each)]
    kinds[facts["forfeit"] == UNPLAYED] = PLACES[WITHDRAWN]
    return kinds


NOTES = ("digests", "details", "stories", "usage", "starts")  # columns with values for some records only


def notes(records: Records, name: str) -> Iterable[tuple[int, Any]]:
    """Return the pairs (match number, value) in one of the columns in `NOTES`."""
    found: Mapping[int, Any] = getattr(records, name)
    return found.items()


def forfeit_of(reason: str) -> int:
    """Return whether a match with this reason was PLAYED, FORFEITED or UNPLAYED."""
    return UNPLAYED if reason == WITHDRAWN else FORFEITED if reason in FORFEITS else PLAYED
