"""Creates, extends, reopens and plays recorded tournaments, each in one process at a time."""

from __future__ import annotations

import dataclasses
import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from msgspec.structs import replace

from arena.api.learner import Learner
from arena.api.options import name_in
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.ledger.ledger import Changes, Ledger
from arena.ledger.recorder import Recorder
from arena.matches.driver import run
from arena.plan.completion import complete
from arena.plan.plan import Plan
from arena.registry.digests import code_of, rules_digest
from arena.registry.files import files_in
from arena.registry.plugins import Registry
from arena.results.cost import Learned
from arena.results.record import UNKNOWN_CODE
from arena.results.settings import Settings
from arena.storage.database import NewEntries, NewTournament, Store, Tournament
from arena.storage.file import Identity, identity
from arena.storage.model_file import about_spec, path_of, read_about
from arena.workers.pools import Workers

if TYPE_CHECKING:
    from arena.results.exact import ExactResults


def begin(
    store: Store, settings: Settings, plan: Plan, registry: Registry, evaluation: ExactResults | None = None
) -> int:
    """Add a tournament to the database and return its number.

    Args:
        store: The database.
        settings: The complete settings of the tournament.
        plan: The plan for these settings.
        registry: Installed games and agents.
        evaluation: Exact results, if the tournament is evaluated instead of played.
    """
    new = NewTournament(
        game=plan.game.text,
        settings=settings,
        entries=as_entered(plan.entries),
        versions=registry.versions(plan.game, plan.entries),
        rules=rules_digest(plan.game.make()),
        planned=plan.most,
        code=code_of(plan.game),
        codes={spec.text: code_of(spec) for spec in plan.entries},
        learned={spec.text: found for spec in plan.entries if (found := learned_in(spec, plan.game))},
    )
    if evaluation is not None:
        names = [spec.text for spec in plan.entries]
        exact = {(names[a], names[b]): found for (a, b), found in evaluation.pairings.items()}
        perfect = dict(zip(names, evaluation.against_perfect, strict=True))
        new = dataclasses.replace(new, planned=0, exact=exact, against_perfect=perfect)
    return store.add_tournament(new)


def as_entered(specs: Sequence[Spec]) -> list[tuple[str, str, dict[str, object]]]:
    """Return the text, the agent and the options of each entry."""
    return [(spec.text, name_in(spec.text), dict(spec.values)) for spec in specs]


def with_added(
    store: Store, number: int, added: Sequence[str], names: Mapping[str, str], registry: Registry
) -> tuple[Settings, Plan]:
    """Return a tournament's settings and plan with additional entries, whose matches come last.

    Args:
        store: The database.
        number: The tournament.
        added: The texts of the new entries.
        names: Their short names, by text.
        registry: Installed games and agents.

    Raises:
        ArenaError: If the tournament cannot be continued here, or cannot have additional entries.
    """
    _, begun = reopen(store, number, registry)
    found = store.tournament(number)
    if shard := found.settings.shard:
        raise ArenaError(
            f"tournament {number} is shard {shard}, to which no entry can be added; merge all shards first"
        )
    if begun.format or found.settings.two_entries or found.settings.stages:
        what = "a match between two" if found.settings.two_entries else f"of the format {found.format}"
        raise ArenaError(
            f"tournament {number} is {what}, to which no entry can be added; begin a new one with all entries"
        )
    files = [spec for spec in (registry.spec("agent", text) for text in added) if files_in(spec)]
    said, isolate = found.settings, found.settings.isolate
    if not isinstance(isolate, bool | str) or (files and isolate is False):
        isolate = [*(isolate or ()), *(spec.text for spec in files)]
    joined = replace(
        said,
        added=[*(said.added or ()), len(begun.entries)],
        entries=[*(said.entries or ()), *added],
        names={**(said.names or {}), **names} or None,
        isolate=isolate,
    )
    return complete(joined, registry)


def add_entries(store: Store, number: int, settings: Settings, plan: Plan, registry: Registry) -> None:
    """Add the new entries of a plan to a recorded tournament, which is then unfinished again.

    Raises:
        ArenaError: If other entries were added in the meantime.
    """
    begun = (settings.added or [0])[-1]
    fresh = plan.entries[begun:]
    new = NewEntries(
        game=plan.game.text,
        settings=settings,
        entries=as_entered(fresh),
        versions=registry.versions(plan.game, plan.entries),
        planned=plan.most,
        codes={spec.text: code_of(spec) for spec in fresh},
        learned={spec.text: known for spec in fresh if (known := learned_in(spec, plan.game))},
    )
    with sole_player(store.path, number):
        if store.tournament(number).settings.entries != [*(settings.entries or ())][:begun]:
            raise ArenaError(
                f"other entries were added to tournament {number} meanwhile; add {fresh[0].text!r} again"
            )
        store.add_to_tournament(number, new)


def learned_in(entry: Spec, game: Spec) -> list[Learned]:
    """Return the amount of training of each learner within an entry whose model is finished."""
    found = []
    for part in {part.text: part for part in entry.walk()}.values():
        if isinstance(part.cls, type) and issubclass(part.cls, Learner):
            with suppress(ArenaError):
                about = read_about(path_of(about_spec(part, game.make())))
                if about.finished:
                    found.append(Learned(part.text, about.key, about.episodes, about.seconds))
    return found


def reopen(store: Store, number: int | None, registry: Registry) -> tuple[int, Plan]:
    """Return a tournament's number and plan.

    Args:
        store: The database.
        number: The tournament. Default: the last unfinished one.
        registry: Installed games and agents.

    Raises:
        ArenaError: If it has no matches left to play, or was begun with other rules, code or versions.
    """
    found = store.unfinished() if number is None else store.tournament(number)
    if found.exact:
        raise ArenaError(f"tournament {found.id} was evaluated exactly and has no matches; begin a new one")
    _, plan = complete(found.settings, registry)
    if plan.most != found.planned and not (plan.format and found.finished):
        raise ArenaError(
            f"tournament {found.id} of {store.path} was altered: {found.planned:,} matches are planned, "
            f"but its settings result in {plan.most:,}; restore it from a backup"
        )
    if not same_rules(plan.game, found):
        raise ArenaError(
            f"tournament {found.id} was begun under other rules of {found.game}; "
            "install the version that has them, or begin a new tournament"
        )
    for spec in plan.entries:
        begun_with, here = found.codes.get(spec.text, UNKNOWN_CODE), code_of(spec)
        if begun_with not in (UNKNOWN_CODE, here):
            raise ArenaError(
                f"tournament {found.id} was begun with different code of {spec.text!r}, {begun_with}, "
                f"not {here}; undo the change, or begin a new tournament"
            )
    now = registry.versions(plan.game, plan.entries)
    for name in sorted(set(now) - {"python"}):
        if name not in found.versions:
            raise ArenaError(
                f"tournament {found.id} was begun without {name}, which now provides some of its entries; "
                "restore the original installation, or begin a new tournament"
            )
        if found.versions[name] != now[name]:
            raise ArenaError(
                f"tournament {found.id} was begun with {name} {found.versions[name]}, "
                f"not {now[name]}; reinstall that version, or begin a new tournament"
            )
    return found.id, plan


def same_rules(game: Spec, begun: Tournament) -> bool:
    """Return whether a game has the same rules as when a tournament was begun.

    Rules are compared by the game's code or, if that was not recorded, by its own modules.
    """
    if begun.code == UNKNOWN_CODE:
        return rules_digest(game.make()) == begun.rules
    return code_of(game) == begun.code


def run_recorded(
    store: Store,
    number: int,
    ledger: Ledger,
    workers: Workers,
    on_changes: Callable[[Changes], object] = id,
) -> Iterator[tuple[int, int]]:
    """Play the remaining matches of a tournament and record them.

    Args:
        store: The database.
        number: The tournament.
        ledger: The ledger of its plan, still empty.
        workers: The workers that play the matches.
        on_changes: Called with the changes by each block of matches after they are written.

    Yields:
        The number of matches played, and the maximum number of matches.
    """
    with sole_player(store.path, number) as right:
        recorder = Recorder(store, number, ledger)
        yield recorder.played, ledger.planned
        for _ in recorder.take_up():
            yield recorder.played, ledger.planned
        for changes in run(ledger, recorder, workers):
            right.keep(store.path)
            on_changes(changes)
            yield recorder.played, ledger.planned


WAIT = 1.0  # seconds to wait while another process tests whether the lock is stale


@contextmanager
def sole_player(path: str, tournament: int) -> Iterator[SolePlayer]:
    """Hold the lock of a tournament in a context, or raise ArenaError if another process holds it."""
    remove_left_locks(path)
    right = SolePlayer(path, tournament)
    try:
        yield right
    finally:
        right.release()


def remove_left_locks(path: str) -> None:
    """Remove the lock files that killed processes have left beside a database."""
    folder, name = os.path.split(os.path.abspath(path))
    for left in glob.glob(os.path.join(glob.escape(folder), f"{glob.escape(name)}-*.lock")):
        with suppress(OSError, Timeout), FileLock(left, timeout=0):
            Path(left).unlink()


class SolePlayer:
    """The lock of a tournament: a locked file beside its database."""

    def __init__(self, path: str, tournament: int) -> None:
        self.tournament = tournament
        self.file: Identity | None
        self.acquire(path)

    def acquire(self, path: str) -> None:
        """Acquire the lock for the database at `path`, or raise ArenaError."""
        self.path, self.file = path, None
        while not self.file:  # another process may have removed the file as stale
            file = f"{path}-{self.tournament}.lock"
            self.lock = FileLock(file)
            try:
                self.lock.acquire(timeout=WAIT, poll_interval=0.02)
            except Timeout:
                raise ArenaError(
                    f"tournament {self.tournament} of {path} is being played by another process"
                ) from None
            except OSError as error:
                told = f"cannot write {file}: {error.strerror or error}; remove what is there"
                raise ArenaError(told) from error
            self.file = identity(self.lock.lock_file)

    def keep(self, path: str) -> None:
        """Acquire the lock again if the database has been moved to `path` or the lock file was removed."""
        if path != self.path or identity(self.lock.lock_file) != self.file:
            self.release()
            self.acquire(path)

    def release(self) -> None:
        """Release the lock, and remove its file unless it now belongs to another process."""
        if identity(self.lock.lock_file) == self.file:
            Path(self.lock.lock_file).unlink(missing_ok=True)
        self.lock.release()
