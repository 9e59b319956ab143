"""Compare a new version with the version before by replaying recorded matches with the new code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby, islice

from msgspec import structs

from arena.api.reasons import WITHDRAWN
from arena.calls.execution import Execution
from arena.commands.verify.replay import BY_TIME, difference
from arena.errors import ArenaError, Stopped
from arena.matches.driver import play
from arena.plan.completion import complete
from arena.plan.plan import Plan
from arena.plan.schedule import Placed, Schedule
from arena.registry.digests import code_of
from arena.registry.plugins import Registry
from arena.results.record import Record
from arena.results.records import Records
from arena.storage.database import Store, Tournament
from arena.storage.season import Version
from arena.workers.pools import Pool

FIRST = 8  # number of matches repeated first; most edits show in them


@dataclass(frozen=True)
class Comparison:
    """A comparison of a new version with the version before.

    The recorded matches of the old version are repeated with the same seeds and openings, but with the code
    of the new version. If all of them go the same way, move for move, their results are those that the new
    version would have had. No more matches are repeated than the new version would have to play, so an update
    takes about as long with the comparison as without it.

    Attributes:
        store: The database.
        new: The new version.
        old: All versions that count as the old version.
        versions: The versions of all players.
        tournaments: The tournaments of the season under the current rules.
        most: Maximum number of matches to repeat, the latest ones.
        known: Returns a registry with the files of some versions.
    """

    store: Store
    new: Version
    old: Sequence[Version]
    versions: Sequence[Version]
    tournaments: Sequence[Tournament]
    most: int
    known: Callable[[Sequence[Version]], Registry]

    def holds(self, pool: Pool, how: Execution) -> bool:
        """Return whether all matches go the same way; False if there are none.

        Args:
            pool: The pool that repeats the matches.
            how: Shows the progress.

        Raises:
            Stopped: If the user stops it.
        """
        matches = [*islice(self.matches(), self.most)]
        if not matches:
            return False
        with how.showing(f"Comparing {self.new.entry} with its last version", "matches") as tell:
            done = 0
            while done < len(matches):
                some = matches[done : 2 * done or FIRST]
                if not self.agree(some, pool):
                    return False
                done += len(some)
                tell(done, len(matches))
        return True

    def matches(self) -> Iterator[tuple[Tournament, Record]]:
        """Yield the matches of the old version, the latest first, without those decided by time or unplayed.

        Indices of entries are ids.
        """
        codes = {one.code for one in self.old}
        for found in reversed(self.tournaments):
            if found.codes.get(self.new.entry) in codes:
                ids = self.store.entry_ids(found.game)
                own = [ids[self.new.entry]]
                records = [*self.store.matches(found.id, {id: id for id in ids.values()}, of=own)]
                for record in reversed(records):
                    if record.reason not in (*BY_TIME, WITHDRAWN):
                        yield found, record

    def agree(self, matches: Sequence[tuple[Tournament, Record]], pool: Pool) -> bool:
        """Return whether matches go the same way again with the new version."""
        for _, some in groupby(matches, key=lambda one: one[0].id):
            (found, *_), records = zip(*some, strict=True)
            repeated = self.repeated(found, records)
            if repeated is None:
                return False
            plan, wanted = repeated
            left = len(wanted)
            with closing(play(plan, [range(left)], pool, Records)) as blocks:
                for played in blocks:
                    for record in played:
                        entries = plan.entries[record.first], plan.entries[record.second]
                        if difference(wanted[record.number], record, entries):
                            return False
                        left -= 1
            if left:
                raise Stopped("Stopped while comparing a new version; the same command continues.")
        return True

    def repeated(
        self, found: Tournament, records: Sequence[Record]
    ) -> tuple[Plan, Mapping[int, Record]] | None:
        """Return a plan of the same matches with the new version, and the records by number in the plan.

        Returns:
            None if an opponent's code is not available, or not the same.
        """
        names = {id: name for name, id in self.store.entry_ids(found.game).items()}
        ids = sorted({id for record in records for id in (record.first, record.second)})
        by_key = {(one.entry, one.code): one for one in self.versions}
        keys = [(names[id], found.codes[names[id]]) for id in ids]
        there = [self.new if key[0] == self.new.entry else by_key.get(key) for key in keys]
        playing = [one for one in there if one is not None]
        if len(playing) < len(ids):
            return None
        isolate = found.settings.isolate
        settings = structs.replace(
            found.settings,
            entries=[one.entry for one in playing],
            isolate=[one.entry for one in playing if one.entry in isolate]
            if isinstance(isolate, list)
            else isolate,
            files=None,
            stages=[(1, [(0, 1)])],
            rounds=1,
        )
        try:
            _, plan = complete(settings, self.known(playing), trusting=True)
        except ArenaError:
            return None
        if any(code_of(spec) != one.code for spec, one in zip(plan.entries, playing, strict=True)):
            return None
        place = {id: i for i, id in enumerate(ids)}
        wanted = {
            number: record._replace(number=number, first=place[record.first], second=place[record.second])
            for number, record in enumerate(records)
        }
        stages = [
            Placed(((one.first, one.second),), 1, number, number, (one.round,))
            for number, one in wanted.items()
        ]
        return replace(plan, schedule=Schedule(tuple(stages), len(stages))), wanted
