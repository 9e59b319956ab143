"""Cut blocks of matches into spans, which the ledger processes in the order of the schedule."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from arena.results.record import Record
from arena.results.records import UNPLAYED, Facts, Records
from arena.results.tally import Summary
from arena.results.varying_entries import Line


class Span(NamedTuple):
    """Matches with consecutive numbers.

    Attributes:
        start: The number of the first match.
        stop: The number after that of the last match.
        fault: The record of the last match if an entry failed in it; no entry failed in the others.
        facts: A row for each match; None if only their sums are known.
        digests: Fingerprints by match number, as in `Records`, of these matches and perhaps of others.
        lines: The moves of matches in which a watched entry plays, by match number.
    """

    start: int
    stop: int
    fault: Record | None = None
    facts: Facts | None = None
    digests: Mapping[int, bytes] = {}
    lines: Mapping[int, Line] = {}

    @property
    def unplayed(self) -> bool:
        """Whether the first match is recorded as forfeited unplayed."""
        return self.facts is not None and bool(self.facts["forfeit"][0] == UNPLAYED)

    def played_until(self, withdrawn: Collection[int]) -> int:
        """Return the first match after `start` in which a withdrawn entry plays, else `stop`."""
        if self.facts is None or not withdrawn or self.stop - self.start == 1:
            return self.stop
        theirs = np.isin(self.facts["first"], [*withdrawn]) | np.isin(self.facts["second"], [*withdrawn])
        return self.start + 1 + int(theirs[1:].argmax()) if theirs[1:].any() else self.stop

    def until(self, stop: int) -> Span:
        """Return the matches before number `stop`."""
        if stop == self.stop:
            return self
        facts = None if self.facts is None else self.facts[: stop - self.start]
        return self._replace(stop=stop, facts=facts, fault=None)

    def since(self, start: int) -> Span:
        """Return the matches from number `start` on."""
        if start == self.start:
            return self
        facts = None if self.facts is None else self.facts[start - self.start :]
        return self._replace(start=start, facts=facts)


def spans(block: Records | Summary, watched: frozenset[int] = frozenset()) -> Iterator[Span]:
    """Yield the matches of a block in as few spans as possible.

    Args:
        block: Records, or a summary with the numbers that it covers.
        watched: Entries whose moves are needed.
    """
    if isinstance(block, Summary):
        yield from spans_of_sums(block)
        return
    lines = lines_of(block, watched) if watched else {}
    numbers = block.facts["number"]
    faults = {record.number: record for record in block.having("details")}
    ends = np.diff(numbers) != 1
    if faults:
        ends |= np.isin(numbers[:-1], [*faults])
    for facts in np.split(block.facts, np.flatnonzero(ends) + 1) if len(numbers) else ():
        start, last = int(facts["number"][0]), int(facts["number"][-1])
        yield Span(start, last + 1, faults.get(last), facts, block.digests, lines)


def spans_of_sums(block: Summary) -> Iterator[Span]:
    """Yield the spans of matches of which only sums are known, with each fault at the end of a span."""
    faults = sorted(block.forfeits, key=lambda record: record.number)
    for numbers in block.covers:
        start = numbers.start
        for fault in faults:
            if start <= fault.number < numbers.stop:
                yield Span(start, fault.number + 1, fault)
                start = fault.number + 1
        if start < numbers.stop:
            yield Span(start, numbers.stop)


def lines_of(records: Records, watched: frozenset[int]) -> dict[int, Line]:
    """Return the moves of the matches in which some entries play, by match number."""
    theirs = np.isin(records.facts["first"], [*watched]) | np.isin(records.facts["second"], [*watched])
    numbers, openings = records.facts["number"].tolist(), records.facts["opening"].tolist()
    return {
        numbers[i]: Line(records.moves[i], records.starts.get(numbers[i]), openings[i])
        for i in np.flatnonzero(theirs).tolist()
    }


def faults_of(block: Records | Summary) -> Iterable[Record]:
    """Return the records of the matches in a block in which an entry failed."""
    return block.forfeits if isinstance(block, Summary) else block.having("details")
