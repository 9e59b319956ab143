"""Execution of work: workers, progress, interruption, and training and checks before matches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from arena.api.learner import Learner
from arena.api.spec import Spec
from arena.compiler.switch import wanted
from arena.errors import ArenaError, Stopped
from arena.registry.plugins import Registry
from arena.results.settings import whole_number
from arena.sandbox import get_server_ready, missing
from arena.show.display import display
from arena.show.progress import ProgressCallback, busy, progress_shown, shown
from arena.texts import argument, call
from arena.workers import processes
from arena.workers.pools import Pool, Workers, default_workers
from arena.workers.worker import own_watch

if TYPE_CHECKING:
    from arena.plan.plan import Plan
    from arena.training.jobs import Job

# modules that worker processes import for compiled matches
COMPILED = ("arena.matches.compiled_block", "arena.compiler.runtime", "arena.compiler.machine")


def get_ready() -> None:
    """Start importing modules in the process from which workers are forked, without waiting."""
    processes.get_ready(*(COMPILED if wanted() else ()))


ExecutorEntry: TypeAlias = str | Callable[[int], Executor]

LONGEST = 40  # maximum number of characters shown of an entry's text


@dataclass(frozen=True)
class Execution(Workers):
    """Describes how work is executed.

    Attributes:
        progress: Whether to show a progress bar.
        asks: Whether an entry reads from the terminal, so that nothing else may use the terminal.
    """

    progress: bool = False
    asks: bool = False

    @classmethod
    def of(
        cls,
        known: Registry,
        workers: int | None = None,
        executor: ExecutorEntry = "processes",
        progress: bool | None = None,
        stop: threading.Event | None = None,
    ) -> Execution:
        """Return an `Execution` from the arguments of a call.

        Args:
            known: The registry.
            workers: Number of worker processes. Default: the number of processors.
            executor: Name of a registered executor, or a callable that takes the number of workers and
                returns a `concurrent.futures.Executor`.
            progress: Show a progress bar. Default: only on a terminal or in a notebook.
            stop: Event that stops the call early: once it is set, running work is finished and no more is
                started.

        Raises:
            ArenaError: If there is no such executor, or a class cannot be sent to the executor's workers.
        """
        if workers is not None and (workers := whole_number("workers", workers)) < 1:
            raise ArenaError(f"workers is {workers}, but must be a positive whole number")
        made = executor_named(executor, known) if isinstance(executor, str) else executor
        wanted = progress_shown() if progress is None else progress
        if not getattr(made, "local", False):
            known.check_travels()
        if executor == "processes":
            get_ready()
        count: Callable[[], int] = getattr(made, "count", default_workers)
        return cls(made, workers or count(), stop or threading.Event(), wanted)

    def for_entries(self, plan: Plan) -> Execution:
        """Return the `Execution` for a plan: local and without a bar if an entry reads from the terminal.

        Raises:
            ArenaError: If an entry reads from the terminal and the executor is not local.
        """
        if not plan.interactive:
            return self
        from arena.workers.pools import Serial
        from arena.workers.processes import Processes

        if self.executor not in (Processes, Serial):
            entry = plan.entries[min(plan.interactive)].text
            raise ArenaError(
                f"{entry} plays at the terminal, which only the executor 'serial' allows; "
                f"leave {argument('executor')} out"
            )
        return replace(self, executor=Serial, count=1, progress=False, asks=True)

    @contextmanager
    def showing(self, what: str, unit: str) -> Iterator[ProgressCallback]:
        """Yield a progress callback as `arena.show.progress.shown` does; without a bar it does nothing."""
        if self.progress:
            with shown(what, unit) as tell:
                yield tell
        else:
            with display.aside() if self.asks else nullcontext():
                yield ignored

    def busy(self, what: str) -> AbstractContextManager[object]:
        """Return a context that shows a spinner, for work of unknown length."""
        return busy(what) if self.progress else nullcontext()


def ignored(done: int, all: int, note: str = "") -> None:
    """Do nothing; the progress callback if there is no progress bar."""


def executor_named(text: str, known: Registry) -> Callable[[int], Executor]:
    """Return the executor for a name, which may have an address: `threads`, `dask://HOST:PORT`.

    Raises:
        ArenaError: If there is no such executor, or it takes no address.
    """
    name, at, address = text.partition("://")
    made: Any = known.offer("executor", name).load()
    if not at:
        return cast(Callable[[int], Executor], made)
    if not hasattr(made, "at"):
        raise ArenaError(f"executor {name!r} takes no address; leave {at + address!r} out")
    return cast(Callable[[int], Executor], made.at(address))


def train_first(
    specs: Sequence[Spec],
    game: Spec,
    known: Registry,
    how: Execution,
    stall_seconds: float,
    strict: bool = False,
    patience: float = 0.0,
    remedy: str = "",
) -> dict[str, str]:
    """Train those learners among entries that have no model yet.

    Args:
        specs: The entries.
        game: The game.
        known: The registry.
        how: How to execute the work.
        stall_seconds: Time limit for a learner to get ready, and for each episode; 0 for no limit.
        strict: Whether a failing learner causes an error instead of a warning.
        patience: Maximum duration of a training in seconds; longer ones are skipped. 0 for no limit.
        remedy: End of the error message for a failing learner.

    Returns:
        The learners whose training would exceed `patience`, each with the reason; if `patience` is set, also
        learners that cannot learn.

    Raises:
        Stopped: If training was stopped.
        ArenaError: If a learner fails and `strict` is set.
    """
    if not any(issubclass(part.cls, Learner) for spec in specs for part in spec.walk()):
        return {}
    from arena.training.jobs import TooLong, jobs, train

    left = jobs(specs, game, lambda spec: known.versions(game, [spec]))
    if not left:
        return {}
    with how.showing(title(left), "episodes") as tell:
        done = train(left, game, how, tell, strict, stall_seconds, patience, remedy)
    if not done:
        raise Stopped("Stopped; what was learned is saved, and the same command continues.")
    left_out = (TooLong, ArenaError) if patience else TooLong
    return {job.spec.text: str(job.error) for job in left if isinstance(job.error, left_out)}


@contextmanager
def ready_entries(plan: Plan, known: Registry, how: Execution, named: Sequence[int]) -> Iterator[Execution]:
    """Check that the entries of a plan can play, and train those that have no model yet.

    Args:
        plan: The plan.
        known: The registry.
        how: How to execute the work.
        named: Indices of the entries that must be able to play and to learn; others forfeit their matches if
            they cannot.

    Yields:
        The `Execution` with which to play the plan in the same worker processes.

    Raises:
        ArenaError: If one of `named` cannot play or learn.
    """
    with looked_at(plan, known, how, named) as (ready, _):
        train_entries(plan, known, how, remedy=remedy(named))
        check_trained(plan, named, ready)
        yield ready.how


@dataclass(frozen=True)
class Ready:
    """Workers in which the entries of a plan have been checked.

    Attributes:
        how: How to execute the matches.
        pool: The worker processes in which the entries have been created; None if processes do not persist.
        untrained: Texts of the learners that had no model.
    """

    how: Execution
    pool: Pool | None
    untrained: frozenset[str]


@contextmanager
def looked_at(
    plan: Plan, known: Registry, how: Execution, named: Sequence[int], entries: Sequence[int] | None = None
) -> Iterator[tuple[Ready, dict[int, str]]]:
    """Check the entries of a plan before training them.

    An entry reports that it cannot play a game by raising ArenaError in `prepare` or `prepare_learning`.

    Args:
        plan: The plan.
        known: The registry.
        how: How to execute the work.
        named: Indices of the entries that must be able to play.
        entries: Indices of the entries to check. Default: all.

    Yields:
        The workers; and for each other entry that reports that it cannot play, the reason, by index.

    Raises:
        ArenaError: If one of `named` cannot play.
        GameFault: If the rules of the game are not deterministic.
    """
    from arena.faults.determinism import check_determinism
    from arena.matches.entry_check import check_entries_play, faults_of_entries

    untrained = untrained_learners(plan, known)
    play = how.for_entries(plan)
    survives = getattr(play.executor, "survives", False)
    if plan.isolated:
        get_server_ready()  # shared by all workers
    with play.opened() as pool:
        check_determinism(plan.game, pool.executor if survives else None, plan.limits.stall_seconds)
        looked = range(len(plan.entries)) if entries is None else entries
        faults = faults_of_entries(plan, looked, pool, untrained)
        check_entries_play(plan, {i: why for i, why in faults.items() if i in named}, pool)
        if plan.isolated and (lacks := missing()):
            own_watch.say(f"Warning: on this system the sandbox cannot prevent {', '.join(lacks)}")
        said = {i: str(why) for i, why in faults.items() if isinstance(why, ArenaError)}
        for i in plan.isolated.difference(named, said):
            if learner := learns_outside(plan.entries[i], untrained):
                said[i] = trained_first(learner, plan)
        if survives:
            yield Ready(replace(play, executor=lambda workers: pool.executor), pool, untrained), said
            return
    yield Ready(play, None, untrained), said


def untrained_learners(plan: Plan, known: Registry) -> frozenset[str]:
    """Return the texts of the learners in a plan that have no model yet."""
    if not any(issubclass(part.cls, Learner) for spec in plan.entries for part in spec.walk()):
        return frozenset()
    from arena.training.jobs import jobs

    left = jobs(plan.entries, plan.game, lambda spec: known.versions(plan.game, [spec]))
    return frozenset(job.spec.text for job in left)


def check_trained(plan: Plan, named: Sequence[int], ready: Ready) -> None:
    """Raise ArenaError if an entry cannot play with its newly trained model; see `looked_at`."""
    from arena.matches.entry_check import check_entries_play, faults_of_entries

    if ready.pool:
        learned = [i for i in named if any(part.text in ready.untrained for part in plan.entries[i].walk())]
        check_entries_play(plan, faults_of_entries(plan, learned, ready.pool), ready.pool)


def remedy(named: Sequence[int]) -> str:
    """Return the end of the error for a failing learner; "" if no entry is named, so that it forfeits."""
    from arena.matches import entry_check

    return f"; {entry_check.remedy()}" if named else ""


def train_entries(
    plan: Plan, known: Registry, how: Execution, patience: float = 0.0, remedy: str = ""
) -> dict[str, str]:
    """Train the learners in a plan that have no model yet.

    Args:
        plan: The plan.
        known: The registry.
        how: How to execute the work.
        patience: Maximum duration of a training in seconds; longer ones are skipped. 0 for no limit.
        remedy: End of the error for a failing learner. If empty, a failure is only a warning.

    Returns:
        The learners whose training would exceed `patience`; see `train_first`.

    Raises:
        ArenaError: If an installed learner without a model is to play in a sandbox, since only learners from
            files can learn there.
    """
    if plan.isolated:
        untrained = untrained_learners(plan, known)
        for i in sorted(plan.isolated):
            if learner := learns_outside(plan.entries[i], untrained):
                raise ArenaError(f"{learner.text} {trained_first(learner, plan)}")
    return train_first(
        plan.entries, plan.game, known, how, plan.limits.stall_seconds, bool(remedy), patience, remedy
    )


def learns_outside(entry: Spec, untrained: Set[str]) -> Spec | None:
    """Return an untrained learner in an entry that cannot learn in a sandbox, or None."""
    for part in entry.walk():
        if part.text in untrained and not any(one.is_confined for one in part.walk()):
            return part
    return None


def trained_first(learner: Spec, plan: Plan) -> str:
    """Return why an untrained learner cannot play in a sandbox, and the remedy."""
    return (
        "is untrained, and only learners from files can learn in the sandbox; "
        f"train it first: {call('train', learner.text, game=plan.game.text)}"
    )


def title(left: Sequence[Job]) -> str:
    """Return the title of a progress bar, such as `Training q-table` or `Training 3 learners`."""
    wanted = [job for job in left if job.kept]
    if len(wanted) > 1:
        return f"Training {len(wanted)} learners"
    text = wanted[0].spec.text
    return f"Training {text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}"
