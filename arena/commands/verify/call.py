"""The function `arena.verify`, which checks a database against the rules and by replaying matches."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from arena.api.reasons import WITHDRAWN
from arena.calls.arguments import known_with, listed, own_classes
from arena.calls.execution import Execution, ExecutorEntry
from arena.commands.verify.database import ratings_differences, records_differences
from arena.commands.verify.recount import Recount
from arena.commands.verify.repeatable import Lenient, Obstacle, obstacles, plan_there
from arena.commands.verify.replay import BY_TIME, again, difference
from arena.commands.verify.result import Difference, Unread, Unrepeated, Verification
from arena.commands.verify.rules import Ruling, Wrong
from arena.commands.verify.sample import drawn
from arena.errors import ArenaError, Stopped
from arena.matches.event import same_rules
from arena.plan.plan import Plan
from arena.registry.files import placed, references
from arena.registry.plugins import Registry
from arena.results.record import Record
from arena.results.settings import SEEDS, STALL_SECONDS, check_range
from arena.show.progress import ProgressCallback
from arena.storage.database import Store, Tournament
from arena.texts import argument
from arena.workers.loop import work_off
from arena.workers.pools import Pool

SAMPLE = 500


def verify(
    db: str | Path,
    *,
    sample: int = SAMPLE,
    seed: int | None = None,
    agents: Sequence[str | Path] = (),
    own: Sequence[object] = (),
    stall_seconds: float = STALL_SECONDS,
    workers: int | None = None,
    executor: ExecutorEntry = "processes",
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Verification:
    """Check a database from another source, by a random sample of its matches.

    Schedule, sums and Elo are recomputed from all matches. Other contents are compared with a checksum, and
    the file must contain only what arena writes. Matches of the sample are checked against the rules, and
    replayed if both entries depend only on the seed; the replays must be identical. The file is not changed,
    programs that it names are not started, and of the agents from files only those in `agents` are run.

    >>> import arena
    >>> _ = arena.tournament(["random", "minimax"], game="tic-tac-toe", rounds=10, seed=1, db="theirs.db")
    >>> found = arena.verify("theirs.db", sample=5, seed=2)
    >>> found.agrees, found.repeated, found.repeatable, found.most_wrong
    (True, 5, 20, 8)

    Args:
        db: Path of the database.
        sample: Number of matches in the sample.
        seed: Seed of the sample. Default: a new seed.
        agents: Files of agents that took part; they run in the sandbox.
        own: Your own classes that took part.
        stall_seconds: Time limit in seconds after which an agent that hangs is stopped; its match then counts
            as not replayed.
        workers: Number of worker processes. Default: the number of processors.
        executor: Name of a registered executor, or a callable that takes the number of workers and returns a
            `concurrent.futures.Executor`.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The differences found, and what could not be checked.

    Raises:
        ArenaError: If the file cannot be read.
        Stopped: If `stop` was set before the end.
    """
    check_range("sample", sample, 1, 10**9)
    check_range("stall_seconds", stall_seconds, 0, 10**6)
    if seed is None:
        seed = int.from_bytes(os.urandom(4), "big")
    check_range("seed", seed, 0, SEEDS - 1)
    files = {Path(file).name: str(file) for file in listed("agents", agents)}
    how = Execution.of(known_with(), workers, executor, progress, stop)
    with closing(Store(db, others=True, any_sums=True)) as store:
        events, unread = opened(store, files, own, stall_seconds)
        sizes = [store.played(event.found.id) for event in events]
        chosen = iter(drawn(sum(sizes), sample, seed))
        with how.showing(f"Reading {db}", "matches") as tell:
            read(store, events, chosen, sum(sizes), how, tell)
        with how.busy("Checking what else is recorded"):
            others = [*records_differences(store, {event.found.id for event in events})]
            rated, unrated = ratings_differences(store)
    with how.opened() as pool:
        for event in events:
            event.hold_against_rules(pool, how)
        for event in events:
            event.play_again(pool, how)
    if how.stop.is_set():
        raise Stopped(f"Stopped before all was checked; a smaller {argument('sample')} takes less")
    return Verification(
        db=str(db),
        seed=seed,
        tournaments=len(events),
        matches=sum(sizes),
        sampled=sum(len(event.sampled) for event in events),
        repeatable=sum(event.repeatable for event in events),
        repeated=sum(len(event.repeated) for event in events),
        differing=sum(len({*event.repeated} & {*event.wrong}) for event in events),
        differences=[*others, *(one for event in events for one in event.differences()), *rated],
        unrepeated=[one for event in events for one in event.unrepeated()],
        unread=[*unread, *unrated],
        notes=[note for event in events for note in event.notes],
    )


@dataclass
class Event:
    """A tournament to verify.

    Attributes:
        found: The tournament.
        plan: The plan of the tournament.
        obstacles: For each entry, why its play cannot be repeated; None if it can.
        notes: Remarks on versions.
        recount: The recount of all matches.
        played: Number of matches of each entry.
        sampled: Records of the sample, by number.
        repeatable: Number of matches that can be replayed.
        repeated: Numbers of matches in the sample that were replayed.
        wrong: Errors in matches, by number.
        by_time: Number of matches that ended by clock or stall.
        slow: Number of matches in the sample in which an entry stalled in the replay.
    """

    found: Tournament
    plan: Plan
    obstacles: Sequence[Obstacle | None]
    notes: Sequence[str]
    recount: Recount
    played: Counter[int] = field(default_factory=Counter)
    sampled: dict[int, Record] = field(default_factory=dict)
    repeatable: int = 0
    repeated: list[int] = field(default_factory=list)
    wrong: dict[int, Wrong] = field(default_factory=dict)
    by_time: int = 0
    slow: int = 0

    def add(self, record: Record, chosen: bool) -> None:
        """Count a match, and add it to the sample if it was chosen."""
        for entry in {record.first, record.second}:
            self.played[entry] += 1
        if self.is_repeatable(record):
            self.repeatable += 1
        if record.reason in BY_TIME:
            self.by_time += 1
        if chosen:
            self.sampled[record.number] = record

    def is_repeatable(self, record: Record) -> bool:
        """Return whether a match can be replayed."""
        return record.reason not in BY_TIME and not any(
            self.obstacles[entry] for entry in (record.first, record.second)
        )

    def hold_against_rules(self, pool: Pool, how: Execution) -> None:
        """Check the matches of the sample against the rules."""
        free = {
            number
            for number, record in self.sampled.items()
            if self.plan.interactive.intersection((record.first, record.second))
        }
        records = [self.sampled[number] for number in sorted(self.sampled)]
        ruling = Ruling(self.plan, records, frozenset(free), pool.executor)
        with how.showing(f"Checking {self.plan.game.text}", "matches") as tell:
            for done, (number, wrong) in enumerate(work_off(ruling, 2 * pool.count, pool.stop), 1):
                tell(done, len(records))
                if wrong is not None:
                    self.wrong[number] = wrong

    def play_again(self, pool: Pool, how: Execution) -> None:
        """Replay the matches of the sample that can be replayed."""
        wanted = {
            number: record
            for number, record in self.sampled.items()
            if self.is_repeatable(record) and number not in self.recount.matches
        }
        with how.showing(f"Replaying {self.plan.game.text}", "matches") as tell:
            for done, (number, record) in enumerate(again(self.plan, wanted, pool), 1):
                tell(done, len(wanted))
                if record.reason == "stall":
                    self.slow += 1
                    continue
                self.repeated.append(number)
                entries = self.plan.entries[record.first], self.plan.entries[record.second]
                if wrong := difference(wanted[number], record, entries):
                    self.wrong[number] = wrong

    def differences(self) -> Iterator[Difference]:
        """Yield the errors found, first those about the tournament as a whole, then by match."""
        for wrong in self.recount.whole:
            yield Difference(self.found.id, None, "", "", *wrong)
        names = self.recount.names
        for number, wrong in sorted({**self.wrong, **self.recount.matches}.items()):
            record = self.sampled.get(number)
            seats = (names[record.first], names[record.second]) if record else self.recount.seated[number]
            yield Difference(self.found.id, number, seats[0], seats[1], *wrong)

    def unrepeated(self) -> Iterator[Unrepeated]:
        """Yield the entries whose matches were not replayed, with the reasons."""
        for i, obstacle in enumerate(self.obstacles):
            if obstacle:
                name = self.recount.names[i]
                yield Unrepeated(self.found.id, name, obstacle.why, obstacle.other, self.played[i])
        if self.by_time:
            why = "recorded as lost by the clock, or by hanging"
            yield Unrepeated(self.found.id, "any entry", why, False, self.by_time)
        if self.slow:
            seconds = f"{self.plan.limits.stall_seconds:g} s"
            why = f"an entry took over {seconds} for a move; raise {argument('stall_seconds')}"
            yield Unrepeated(self.found.id, "any entry", why, False, self.slow)


def opened(
    store: Store, files: Mapping[str, str], own: Sequence[object], stall_seconds: float
) -> tuple[list[Event], list[Unread]]:
    """Return the tournaments that can be verified, and the others with the reasons why they cannot."""
    events, unread = [], []
    for found in store.tournaments():
        if found.exact:
            unread.append(Unread(found.id, 0, "it was evaluated exactly, and has no matches"))
            continue
        try:
            known = known_there(found, files, own)
            plan = plan_there(found.settings, known)
            if not same_rules(plan.game, found):
                raise OtherRules(f"it was played under other rules of {found.game} than are installed")
            if plan.most != found.planned and not (plan.format and found.finished):
                planned = f"{found.planned:,} matches are planned, but its settings result in {plan.most:,}"
                raise OtherRules(planned)
        except ArenaError as error:
            other = isinstance(error, OtherRules)
            unread.append(Unread(found.id, store.played(found.id), str(error), other))
            continue
        plan = replace(plan, limits=plan.limits._replace(stall_seconds=stall_seconds))
        hindered = obstacles(plan, found, known.absent, store.learned(found.id))
        notes = [*notes_on(plan, found, known)]
        events.append(Event(found, plan, hindered, notes, Recount(store, found, plan)))
    return events, unread


class OtherRules(ArenaError):
    """A tournament has different rules or a different plan than the installed version produces."""


def known_there(found: Tournament, files: Mapping[str, str], own: Sequence[object]) -> Lenient:
    """Return a registry with the caller's classes and the tournament's files that are in `files`."""

    def given(text: str) -> str | None:
        """Return the text of an entry or game with paths from `files`; None if a file is missing."""
        named = references(text)
        return placed(text, files) if named and all(one.path in files for one in named) else None

    known = known_with(filter(None, map(given, found.settings.entries or ())), given(found.game))
    classes = own_classes(own)
    return Lenient(known.including(classes) if classes else known)


def notes_on(plan: Plan, found: Tournament, known: Registry) -> Iterator[str]:
    """Yield a remark for each distribution whose installed version differs from the recorded one."""
    present = [spec for spec in plan.entries if spec.text not in getattr(known, "absent", {})]
    here = known.versions(plan.game, present)
    for name in sorted(here.keys() & found.versions.keys() - {"python"}):
        if here[name] != found.versions[name]:
            yield (
                f"tournament {found.id} was played with {name} {found.versions[name]}, not "
                f"{here[name]}, which may explain differences"
            )


def read(
    store: Store,
    events: Sequence[Event],
    chosen: Iterator[int],
    total: int,
    how: Execution,
    tell: ProgressCallback,
) -> None:
    """Recount all matches, and collect the sample.

    Args:
        store: The database.
        events: The tournaments.
        chosen: Indices of the sample among all matches played, in ascending order.
        total: Number of all matches.
        how: How to execute the work.
        tell: Progress callback.

    Raises:
        Stopped: If it was stopped.
    """
    place, wanted = 0, next(chosen, None)
    for event in events:
        for record in event.recount.records():
            if record.reason == WITHDRAWN:
                continue
            event.add(record, place == wanted)
            if place == wanted:
                wanted = next(chosen, None)
            place += 1
            if place % 1000 == 0:
                tell(place, total)
                if how.stop.is_set():
                    raise Stopped("Stopped before all was checked")
        event.plan = replace(event.recount.plan, limits=event.plan.limits)
