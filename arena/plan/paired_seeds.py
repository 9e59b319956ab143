"""The format `paired-seeds`, which compares learners over training seeds."""

from __future__ import annotations

from typing import ClassVar

from arena.api.format import FixedFormat, Stage
from arena.api.options import option
from arena.errors import ArenaError


class PairedSeeds(FixedFormat):
    """The first entries meet all others, and each other: the first seeds of each, then the second seeds.

    All matches of a seed begin with the same openings, and different seeds have different openings. Seeds are
    therefore independent samples, and the effect of an opening on two learners cancels in their difference.
    """

    methods: int = option(2, "number of entries, in the order named, to compare", low=2)
    each_other: bool = option(True, "whether they also play each other")
    in_step: ClassVar[bool] = True

    def check_entries(self, entries: int) -> None:
        if self.methods > entries:
            raise ArenaError(
                f"paired-seeds: methods is {self.methods}, but there are {entries} entries; name more"
            )
        if self.methods == entries and not self.each_other:
            raise ArenaError("paired-seeds: there are no pairings; name opponents, or leave each_other out")

    def stage(self, entries: int, rounds: int) -> Stage:
        compared = range(self.methods)
        met = [(a, b) for b in range(self.methods, entries) for a in compared]
        if self.each_other:
            met += [(a, b) for b in compared for a in range(b)]
        return Stage([seats for a, b in met for seats in ((a, b), (b, a))], rounds)
