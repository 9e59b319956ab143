"""The function `arena.merge`, which merges databases, and shards of a tournament into one."""

from __future__ import annotations

import heapq
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import ClassVar, NamedTuple

from filelock import FileLock, Timeout
from msgspec.structs import replace

from arena.api.reasons import WITHDRAWN
from arena.calls.arguments import listed
from arena.calls.execution import Execution
from arena.calls.results import resuming
from arena.commands.tournament.call import rated_and_kept
from arena.commands.verify.repeatable import Lenient, plan_there
from arena.errors import ArenaError, Stopped
from arena.ledger.ledger import Ledger
from arena.ledger.recorder import PAUSE, Recorder
from arena.matches.event import sole_player
from arena.plan.plan import Plan
from arena.plan.shards import Shard
from arena.registry.plugins import registry
from arena.results.record import Record
from arena.results.records import Records
from arena.show.frame import Column, Columns
from arena.show.presentation import Line, Part, Shown
from arena.storage import checksums
from arena.storage.copied_tournaments import copy_head, copy_tables, copy_tournament, whole_records
from arena.storage.database import Store, Tournament

OF_A_MACHINE = ("shard", "files", "left_out")  # settings that may differ between shards


@dataclass(frozen=True)
class Merged:
    """A tournament of the merged database.

    Attributes:
        number: Number of the tournament.
        game: The game.
        sources: The source files, each with the number of the tournament in that file.
        played: Number of matches played.
        planned: Number of matches planned.
        missing: Shards that are missing or incomplete, such as `3/8`.
    """

    number: int
    game: str
    sources: Sequence[str]
    played: int
    planned: int
    missing: Sequence[str] = ()


@dataclass(frozen=True, repr=False)
class Merge(Shown):
    """The result of merging databases.

    Attributes:
        db: Path of the merged database.
        tournaments: The tournaments of the merged database, in the order in which they began.
    """

    frame_columns: ClassVar[Columns] = {
        "number": Column(int, "Number of the tournament in the merged database."),
        "game": Column(str, "The game."),
        "sources": Column(str, "The files and tournaments that were merged."),
        "played": Column(int, "Number of matches played."),
        "planned": Column(int, "Number of matches planned."),
        "missing": Column(str, "Missing shards.", True),
    }

    db: str
    tournaments: Sequence[Merged]

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        for one in self.tournaments:
            matches = f"{one.played:,} of {one.planned:,} matches"
            yield Line(
                f"Tournament {one.number} of {self.db}: {one.game}, {matches}, from {', '.join(one.sources)}"
            )

    def remarks(self) -> list[str]:
        """Return a warning for each tournament with missing shards."""
        return [
            f"tournament {one.number} lacks {one.planned - one.played:,} matches, of shard"
            f"{'s' * (len(one.missing) > 1)} {', '.join(one.missing)}; merge these too, or play them: "
            + resuming(one.number, self.db)
            for one in self.tournaments
            if one.missing
        ]

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for each tournament."""
        return [
            {**asdict(one), "sources": ", ".join(one.sources), "missing": ", ".join(one.missing) or None}
            for one in self.tournaments
        ]

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as dictionaries, for `pandas.DataFrame`."""
        return [asdict(one) for one in self.tournaments]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        return {"db": self.db, "tournaments": self.to_dicts()}


def merge(
    files: Sequence[str | Path],
    to: str | Path,
    *,
    progress: bool | None = None,
    stop: threading.Event | None = None,
) -> Merge:
    """Merge databases into a new one.

    Shards of a tournament become that tournament, with the same matches, sums and ratings as if one machine
    had played it. Duplicates count once. Missing shards are reported; `arena.resume` plays them. Other
    tournaments are copied and numbered in the order in which they began.

    >>> import arena
    >>> for shard in ("1/2", "2/2"):
    ...     _ = arena.tournament(
    ...         ["random", "first"], game="tic-tac-toe", rounds=6, seed=1, shard=shard, db=f"{shard[0]}.db"
    ...     )
    >>> arena.merge(["2.db", "1.db"], "both.db").tournaments[0].played
    12

    Args:
        files: Paths of the databases, in any order. They are not changed.
        to: Path of the new file, which is written completely or not at all.
        progress: Show a progress bar. Default: only on a terminal or in a notebook.
        stop: Event that stops the call early: once set, work in progress is finished and no more is started.

    Returns:
        The tournaments of the new database.

    Raises:
        ArenaError: If shards are of different tournaments, or differ in a match.
        Stopped: If `stop` was set before the end.
    """
    files = listed("files", files)
    how = Execution.of(registry(), progress=progress, stop=stop)
    target = Path(to)
    if target.exists():
        raise ArenaError(f"{to} already exists; name a new file, or remove it")
    if not files:
        raise ArenaError("there is nothing to merge; name the databases")
    with locked_draft(target) as draft:
        with ExitStack() as resources:
            stores = [resources.enter_context(closing(Store(file, others=True))) for file in distinct(files)]
            sources = [Source(store, found) for store in stores for found in store.tournaments()]
            with how.busy("Checking the databases"):
                for source in sources:
                    source.check()
            groups = grouped(sources)
            writing = resources.enter_context(closing(Store(draft, write=True)))
            made = [merged_from(group, writing, how) for group in groups]
        os.replace(draft, target)
    return Merge(str(to), made)


@contextmanager
def locked_draft(target: Path) -> Iterator[Path]:
    """Yield the path of a locked temporary file next to the target, which is removed at the end."""
    draft = target.with_name(f".{target.name}.merging")
    lock = FileLock(f"{draft}.lock")
    try:
        with lock.acquire(timeout=0):
            remove(draft)  # left by a process that was killed
            try:
                yield draft
            finally:
                remove(draft)
                Path(lock.lock_file).unlink(missing_ok=True)
    except Timeout as error:
        raise ArenaError(f"another process is merging into {target}; wait for it") from error
    except OSError as error:
        raise ArenaError(f"cannot write {target}: {error.strerror or error}") from error


def remove(draft: Path) -> None:
    """Remove a temporary database and the files that SQLite creates next to it."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{draft}{suffix}").unlink(missing_ok=True)


def distinct(files: Sequence[str | Path]) -> list[str]:
    """Return the paths without those that refer to the same file."""
    return [*{os.path.realpath(file): str(file) for file in files}.values()]


class Source(NamedTuple):
    """A tournament in a database to merge."""

    store: Store
    found: Tournament

    @property
    def shard(self) -> Shard | None:
        """The shard that the source is; None for a whole tournament."""
        text = self.found.settings.shard
        return None if text is None else Shard.read(str(text))

    @property
    def place(self) -> str:
        """The database and the number of the tournament in it, as text: `a.db (1)`."""
        return f"{self.store.path} ({self.found.id})"

    def check(self) -> None:
        """Raise ArenaError if the tournament was altered after it was recorded."""
        for how in checksums.altered(self.store, self.found.id, self.found.created):
            raise ArenaError(
                f"tournament {self.found.id} of {self.store.path} was altered: {how}; "
                f"restore it from a backup, or leave it out"
            )

    def facts(self) -> dict[str, object]:
        """Return the properties that all shards of a tournament have in common, by name."""
        found = self.found
        said = {name: value for name, value in found.settings.stated().items() if name not in OF_A_MACHINE}
        models = {
            f"model of {one.learner}": one.model
            for learned in self.store.learned(found.id).values()
            for one in learned
        }
        versions = {f"version of {name}": text for name, text in found.versions.items() if name != "python"}
        codes = {f"code of {name}": code for name, code in found.codes.items()}
        return {"game": found.game, **said, "code of the game": found.code, **codes, **models, **versions}

    def key(self) -> str:
        """Return the properties of `facts` as text."""
        return json.dumps(self.facts(), sort_keys=True)


def grouped(sources: Sequence[Source]) -> list[list[Source]]:
    """Group the sources that become one tournament, in the order of their start times.

    A group consists of shards with the same properties, including results of earlier merges and copies.

    Raises:
        ArenaError: If shards do not fit together.
    """
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.key(), []).append(source)
    found = []
    for group in groups.values():
        if any(source.shard for source in group):
            of = {source.shard.of: source for source in group if source.shard}
            if len(of) > 1:
                one, other = list(of.values())[:2]
                raise apart(one, other, f"shard {one.shard} and {other.shard}")
            found.append(sorted(group, key=order))
        else:
            by_time = sorted(group, key=lambda source: source.found.created)
            for _, copies in groupby(by_time, key=lambda source: source.found.created):
                found += without_copies([*copies])
    check_together(found)
    return sorted(found, key=lambda group: (min(one.found.created for one in group), group[0].key()))


def order(source: Source) -> tuple[object, ...]:
    """Return the sort key of a source within its group."""
    return source.shard or (0, 0), source.found.created, -source.found.played, source.store.path


def without_copies(sources: Sequence[Source]) -> list[list[Source]]:
    """Return a group for each tournament, leaving out copies in other files."""
    kept: list[Source] = []
    for source in sources:
        if not any(other.store is not source.store and alike(source, other) for other in kept):
            kept.append(source)
    return [[source] for source in kept]


def alike(one: Source, other: Source) -> bool:
    """Return whether two tournaments are copies of each other."""
    return one.found.played == other.found.played and digest(one) == digest(other)


def digest(source: Source) -> list[tuple[object, ...]]:
    """Return sums over the matches, the exact results and the end time, which are equal for copies."""
    store, number = source.store, source.found.id
    sums = store.rows(
        "SELECT count(*), total(number * result), total(plies), total(first_seconds + second_seconds)"
        " FROM matches WHERE tournament = ?",
        (number,),
    )
    exact = [(*seats, *found) for seats, found in store.exact(number).items()]
    return [*sums, *exact, (source.found.finished,)]


def check_together(groups: Sequence[Sequence[Source]]) -> None:
    """Raise ArenaError if two incomplete groups of shards seem to belong to the same tournament."""
    incomplete = []
    for group in groups:
        shards = {source.shard for source in group if source.shard}
        if shards and len(shards) < next(iter(shards)).of:
            incomplete.append((group[0], shards))
    for i, (one, shards) in enumerate(incomplete):
        for other, others in incomplete[:i]:
            if shards.isdisjoint(others):
                raise apart(other, one, first_difference(other.facts(), one.facts()))


def apart(one: Source, other: Source, how: str) -> ArenaError:
    """Return the error for shards of different tournaments."""
    return ArenaError(
        f"{one.place} and {other.place} are shards of different tournaments: {how}; merge those of one"
    )


def first_difference(one: Mapping[str, object], other: Mapping[str, object]) -> str:
    """Return the first property that differs, with both values: `seed 1 and 2`."""
    name = next(name for name in {**one, **other} if one.get(name) != other.get(name))
    return f"{name} {one.get(name, 'none')!s:.200} and {other.get(name, 'none')!s:.200}"


def merged_from(group: Sequence[Source], to: Store, how: Execution) -> Merged:
    """Write a tournament to the new database from its sources."""
    first = group[0]
    sources = [source.place for source in group]
    if not any(source.shard for source in group):
        with how.busy(f"Copying {first.place}"):
            number = copy_tournament(first.store, first.found, to)
        found = to.tournament(number)
        return Merged(number, found.game, sources, found.played, found.planned)
    whole = replace(first.found.settings, shard=None)
    plan = plan_there(whole, Lenient(registry()))
    with to.transaction():
        number = copy_head(
            first.found,
            to,
            settings=json.dumps(whole.stated()),
            planned=plan.most,
            created=min(source.found.created for source in group),
            finished=None,
        )
        copy_tables(first.store, first.found, to, number, ("codes", "training"))
        checksums.state(to, number)
    with sole_player(to.path, number):
        recorder = Recorder(to, number, Ledger(plan))
        with how.showing(f"Merging {plan.game.text}", "matches") as tell:
            record_all(recorder, group, plan, how.stop, tell)
    made = rated_and_kept(to, number)
    return Merged(number, made.game, sources, made.played, plan.most, missing(recorder, group, plan))


def record_all(
    recorder: Recorder,
    group: Sequence[Source],
    plan: Plan,
    stop: threading.Event,
    tell: Callable[[int, int], object],
) -> None:
    """Record each match once, in the order of the schedule; raise Stopped if `stop` is set."""
    total = sum(source.found.played for source in group)
    some: list[Record] = []
    for done, record in enumerate(once(group, plan), 1):
        some.append(record)
        if len(some) == PAUSE:
            recorder.write(recorder.ledger.add(Records.of(some)))
            some = []
            tell(done, total)
            if stop.is_set():
                raise Stopped("Stopped; nothing was written; run the same command again to restart")
    recorder.write(recorder.ledger.add(Records.of(some)))
    tell(total, total)


def once(group: Sequence[Source], plan: Plan) -> Iterator[Record]:
    """Yield each match that was played, without duplicates, in the order of match numbers.

    Raises:
        ArenaError: If two records of a match differ, or one does not agree with the plan.
    """
    streams = [records_of(source, plan) for source in group]
    merged = heapq.merge(*streams, key=lambda pair: pair[0].number)
    for number, same in groupby(merged, key=lambda pair: pair[0].number):
        (record, source), *others = same
        for other, elsewhere in others:
            if what_counts(other) != what_counts(record):
                raise ArenaError(
                    f"match {number} differs between {source.place} and {elsewhere.place}; "
                    "leave out one of them"
                )
        yield record


def what_counts(record: Record) -> tuple[object, ...]:
    """Return the parts of a record that do not depend on the machine."""
    moves = record.start, record.opening, record.moves
    return record.result, record.reason, record.plies, *moves, record.chance


def records_of(source: Source, plan: Plan) -> Iterator[tuple[Record, Source]]:
    """Yield the matches of a source that were played, numbered as in the whole tournament."""
    ids = source.store.entry_ids(source.found.game)
    names = [spec.text for spec in plan.entries]
    index = {ids.get(name, -1): i for i, name in enumerate(names)}
    numbers = numbers_of(source, plan)
    for record in whole_records(source.store, source.found.id, index):
        if record.reason == WITHDRAWN:
            continue
        number = numbers.start + record.number
        planned = plan.fixture(number) if number in numbers else None
        if planned is None or planned[1:] != record[1:4]:
            raise ArenaError(
                f"{source.place} was altered: its match {record.number} is not the one planned; "
                "restore it from a backup"
            )
        yield record.as_played()._replace(number=number), source


def numbers_of(source: Source, plan: Plan) -> range:
    """Return the numbers of a source's matches in the whole tournament."""
    return source.shard.numbers(plan.matches) if source.shard else range(plan.matches)


def missing(recorder: Recorder, group: Sequence[Source], plan: Plan) -> list[str]:
    """Return the shards, such as `3/8`, that are incomplete and have unrecorded matches."""
    there = {*recorder.store.numbers(recorder.tournament)}
    whole = {source.shard for source in group if source.shard and source.found.finished}
    of = next(source.shard.of for source in group if source.shard)
    return [
        str(shard)
        for shard in (Shard(number, of) for number in range(1, of + 1))
        if shard not in whole and not there.issuperset(shard.numbers(plan.matches))
    ]
