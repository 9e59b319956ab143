"""Results of which no database keeps a record: what they come to alone, or their records in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from arena.ledger.ledger import Changes, Ledger
from arena.results.records import UNPLAYED, Records
from arena.results.tally import Summary


class Sums:
    """Passes on what matches come to, block by block, and keeps nothing.

    Where an entry of a match between two may be withdrawn, a block waits until all before it is known, for
    what was played after that does not count.

    Attributes:
        kind: What blocks of matches it is given.
    """

    def __init__(self, ledger: Ledger, on_sums: Callable[[Summary], object]) -> None:
        """Begin with nothing.

        Args:
            ledger: Takes in the matches.
            on_sums: Called with the sums of each block that counts.
        """
        self.ledger, self.on_sums = ledger, on_sums
        self.kind: type[Records] | type[Summary] = Records if ledger.stages.grows else Summary
        self.records = Records()  # that wait
        self.sums: list[Summary] = []  # that wait
        self.end = ledger.plan.most  # the first match that is forfeited unplayed

    def write(self, changes: Changes) -> Sequence[range]:
        """Pass on what counts for sure; return the matches to play again of a block that does not count."""
        for last in changes.withdrawn.values():
            self.end = min(self.end, last + 1)
        again: Sequence[range] = ()
        if isinstance(changes.block, Records):
            self.write_records(changes.block, changes.next)
        else:
            self.sums.append(changes.block)
            again = self.write_sums(changes.next)
        if changes.forfeited:
            self.on_sums(Summary.of(changes.forfeited))
        return again

    def write_records(self, block: Records, known: int) -> None:
        """Pass on records, given the number of the first match that is not known."""
        records = Records.joined([self.records, block])
        numbers = records.facts["number"]
        self.records = records.where((numbers >= known) & (numbers < self.end))
        if len(certain := records.where((numbers < known) & (numbers < self.end))):
            self.on_sums(Summary.of(certain))

    def write_sums(self, known: int) -> Sequence[range]:
        """Pass on blocks, as above."""
        waiting, self.sums = self.sums, []
        again: list[range] = []
        for block in waiting:
            first, last = block.covers[0].start, block.covers[-1].stop
            if not self.ledger.withdrawals.after or last <= min(known, self.end):
                self.on_sums(block)
            elif last <= self.end:
                self.sums.append(block)
            elif first < self.end:
                again += [numbers[: max(0, self.end - numbers.start)] for numbers in block.covers]
        return [numbers for numbers in again if numbers]

    def close(self) -> None:
        """Pass on what waits for matches that are not played any more."""
        for block in self.sums:
            self.on_sums(block)
        if len(self.records):
            self.on_sums(Summary.of(self.records))
        self.sums, self.records = [], Records()


class Kept:
    """Keeps the records of matches in memory.

    Attributes:
        kind: What blocks of matches it is given.
    """

    kind = Records

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.parts: list[Records] = []

    @property
    def records(self) -> Records:
        """All that count."""
        return self.ledger.marked(Records.joined(map(self.counting, self.parts)))

    def counting(self, records: Records) -> Records:
        """Return those that count: none that was played after an entry in it was withdrawn."""
        forfeited = map(self.ledger.is_unplayed, records.facts["number"].tolist())
        played_after = np.fromiter(forfeited, bool, len(records)) & (records.facts["forfeit"] != UNPLAYED)
        return records.where(~played_after)

    def write(self, changes: Changes) -> Sequence[range]:
        """Keep a block."""
        self.parts.append(changes.records)
        return ()

    def close(self) -> None:
        """Do nothing: all is kept."""
