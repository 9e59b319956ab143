"""Sinks for results without a database: `Sums` passes on sums, `Kept` stores records in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from arena.ledger.ledger import Changes, Ledger
from arena.results.records import UNPLAYED, Records
from arena.results.tally import Summary


class Sums:
    """Passes on the sums of matches, block by block, without storing them.

    There are only two entries, so matches played after a withdrawal do not count. While an entry may still be
    withdrawn, a block therefore waits until the results of all earlier matches are known.

    Attributes:
        kind: The type of the blocks that it receives.
    """

    def __init__(self, ledger: Ledger, on_sums: Callable[[Summary], object]) -> None:
        """Create a sink that has not received any results.

        Args:
            ledger: Processes the matches.
            on_sums: Called with the sums of each block once it is certain to count.
        """
        self.ledger, self.on_sums = ledger, on_sums
        self.kind: type[Records] | type[Summary] = Records if ledger.stages.grows else Summary
        self.records = Records()  # not passed on yet
        self.sums: list[Summary] = []  # not passed on yet
        self.end = ledger.plan.most  # the first match that is forfeited unplayed

    def write(self, changes: Changes) -> Sequence[range]:
        """Pass on all results that are certain to count.

        Returns:
            The numbers of matches to play again, because other matches in their block do not count.
        """
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
        """Pass on the records that are certain to count.

        Args:
            block: New records.
            known: The number of the first match that is not processed yet.
        """
        records = Records.joined([self.records, block])
        numbers = records.facts["number"]
        self.records = records.where((numbers >= known) & (numbers < self.end))
        if len(certain := records.where((numbers < known) & (numbers < self.end))):
            self.on_sums(Summary.of(certain))

    def write_sums(self, known: int) -> Sequence[range]:
        """Pass on the waiting blocks that are certain to count, and return the matches to play again.

        Args:
            known: The number of the first match that is not processed yet.
        """
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
        """Pass on all waiting results, since no more matches are played."""
        for block in self.sums:
            self.on_sums(block)
        if len(self.records):
            self.on_sums(Summary.of(self.records))
        self.sums, self.records = [], Records()


class Kept:
    """Stores the records of matches in memory.

    Attributes:
        kind: The type of the blocks that it receives.
    """

    kind = Records

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.parts: list[Records] = []

    @property
    def records(self) -> Records:
        """All records that count."""
        return self.ledger.marked(Records.joined(map(self.counting, self.parts)))

    def counting(self, records: Records) -> Records:
        """Return the records except those of matches played after one of their entries was withdrawn."""
        forfeited = map(self.ledger.is_unplayed, records.facts["number"].tolist())
        played_after = np.fromiter(forfeited, bool, len(records)) & (records.facts["forfeit"] != UNPLAYED)
        return records.where(~played_after)

    def write(self, changes: Changes) -> Sequence[range]:
        """Store a block."""
        self.parts.append(changes.records)
        return ()

    def close(self) -> None:
        """Do nothing, since all records are stored."""
