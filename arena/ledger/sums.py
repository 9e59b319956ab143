"""Sinks for results that no database records: sums passed on block by block, or records kept in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from arena.ledger.ledger import Changes, Ledger
from arena.results.records import UNPLAYED, Records
from arena.results.tally import Summary


class Sums:
    """Pass on the sums of matches, block by block, and keep nothing.

    In a match between two, what is played after an entry is withdrawn does not count. So while an entry may
    still be withdrawn, a block waits until all matches before it are known.

    Attributes:
        kind: The type of the blocks that it is given.
    """

    def __init__(self, ledger: Ledger, on_sums: Callable[[Summary], object]) -> None:
        """Create a sink without results.

        Args:
            ledger: Processes the matches.
            on_sums: Called with the sums of each block that counts.
        """
        self.ledger, self.on_sums = ledger, on_sums
        self.kind: type[Records] | type[Summary] = Records if ledger.stages.grows else Summary
        self.records = Records()  # waiting
        self.sums: list[Summary] = []  # waiting
        self.end = ledger.plan.most  # the first match that is forfeited unplayed

    def write(self, changes: Changes) -> Sequence[range]:
        """Pass on all that is certain to count.

        Returns:
            The numbers of matches to play again, since their block contains others that do not count.
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
        """Pass on all that is waiting, since no more matches are played."""
        for block in self.sums:
            self.on_sums(block)
        if len(self.records):
            self.on_sums(Summary.of(self.records))
        self.sums, self.records = [], Records()


class Kept:
    """Keep the records of matches in memory.

    Attributes:
        kind: The type of the blocks that it is given.
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
        """Return the records that count: none of matches played after an entry in them was withdrawn."""
        forfeited = map(self.ledger.is_unplayed, records.facts["number"].tolist())
        played_after = np.fromiter(forfeited, bool, len(records)) & (records.facts["forfeit"] != UNPLAYED)
        return records.where(~played_after)

    def write(self, changes: Changes) -> Sequence[range]:
        """Keep a block."""
        self.parts.append(changes.records)
        return ()

    def close(self) -> None:
        """Do nothing: all records are kept."""
