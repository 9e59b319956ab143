"""Shards: parts of a tournament's schedule, each played by one of several machines."""

from __future__ import annotations

import re
from typing import NamedTuple

from arena.errors import ArenaError
from arena.plan.schedule import Placed, Schedule

MOST = 10**6  # shards


class Shard(NamedTuple):
    """One of several shards, numbered from 1.

    Of M matches it has those in range(M * (number - 1) // of, M * number // of).
    """

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def read(cls, text: str) -> Shard:
        """Return the shard that a text such as `3/8` names, or raise ArenaError."""
        found = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", text)
        shard = cls(*map(int, found.groups())) if found else cls(0, 0)
        if not 1 <= shard.number <= shard.of <= MOST:
            raise ArenaError(f"shard is {text!r}, but must be NUMBER/SHARDS, such as 3/8")
        return shard

    def numbers(self, matches: int) -> range:
        """Return the numbers of its matches.

        Args:
            matches: The number of matches in all shards.

        Raises:
            ArenaError: If the shard has no matches.
        """
        found = range(matches * (self.number - 1) // self.of, matches * self.number // self.of)
        if not found:
            raise ArenaError(f"{matches:,} matches are too few for {self.of:,} shards; use fewer shards")
        return found


def part_of(schedule: Schedule, numbers: range) -> Schedule:
    """Return a schedule of only these matches, renumbered from 0 but with their original rounds."""
    stages: list[Placed] = []
    for stage in schedule.stages:
        size = len(stage.pairings)
        at, stop = (min(max(n, stage.start), stage.stop) - stage.start for n in (numbers.start, numbers.stop))
        while at < stop:
            round, first = divmod(at, size)
            rounds = 1 if first or stop - at < size else (stop - at) // size
            last = min(size, first + stop - at)
            before = stages[-1] if stages else Placed((), 0)
            stages.append(
                Placed(
                    stage.pairings[first:last],
                    rounds,
                    before.stop,
                    before.rounds_before + before.rounds,
                    tuple(met + round for met in stage.met[first:last]),
                )
            )
            at += rounds * (last - first)
    return Schedule(tuple(stages), len(numbers))
