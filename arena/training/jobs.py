"""Training of learners, each in its own worker, in slices short enough to report progress.

A learner's model is written at intervals and at the end. After an interruption training resumes from the last
checkpoint and yields the same model. A learner with shards merges, in a separate slice, the models of other
learners, which are trained in the usual way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from filelock import FileLock, Timeout

from arena.api.options import name_in, with_options
from arena.api.rulings import GameFault
from arena.api.spec import Spec
from arena.errors import ArenaError, one_line
from arena.faults.rule_check import Suspect, check_rules_elsewhere
from arena.faults.tracebacks import at_place, dumped
from arena.storage import model_file
from arena.storage.model_file import About, Model
from arena.texts import argument
from arena.training.learners import AT, Slice, is_imported, learners, merge_shards, shards_of, train_slice
from arena.workers.loop import Task, Work, work_off
from arena.workers.pools import Workers, working
from arena.workers.worker import WorkerDied, own_watch

SLICE_SECONDS = 0.3  # seconds of learning in a slice
SEEN_SECONDS = 2.0  # seconds of learning before the remaining time is estimated
CHECKPOINT_SECONDS = 10.0  # minimum seconds of learning between checkpoints
CHECKPOINT_SHARE = 0.05  # maximum share of the time spent on writing checkpoints


class TooLong(Exception):
    """Training a learner would exceed its time limit."""


@dataclass(eq=False)
class Job:
    """The training of one learner and its progress.

    Attributes:
        spec: The learner.
        about: The state of its model.
        dependencies: Jobs of the learners in its options, which are trained first.
        shards: Jobs of the learners whose models it merges instead of learning itself.
        earlier: Job of the same learner at an earlier checkpoint, from which it starts.
        kept: Whether its model is kept after it has been merged with others.
        resources: Its executor and its lock.
        pool: Its executor, once it has begun.
        running: Whether a slice is being trained.
        furthest: Largest number of episodes reached so far; some may have to be repeated if its worker dies.
        pace: Episodes per second.
        learned: Seconds of learning.
        unsaved: Seconds of learning since the last checkpoint.
        saving: Seconds that writing the last checkpoint took.
        error: Why the learner failed, if it did.
    """

    spec: Spec
    about: About
    dependencies: Sequence[Job] = ()
    shards: Sequence[Job] = ()
    earlier: Job | None = None
    kept: bool = True
    resources: ExitStack = field(default_factory=ExitStack)
    pool: Executor | None = None
    running: bool = False
    furthest: int = -1
    pace: float = 0.0
    learned: float = 0.0
    unsaved: float = 0.0
    saving: float = 0.0
    error: Exception | None = None

    @property
    def over(self) -> bool:
        """Whether the training is finished or has failed."""
        return self.about.finished or self.error is not None

    def take(self, done: Slice) -> None:
        """Update the progress with the result of a slice."""
        episodes = done.about.episodes - self.about.episodes
        if episodes > 0:
            self.pace = episodes / max(done.learning, 1e-6)
        self.learned += done.learning
        self.unsaved += done.learning
        if done.saving:
            self.unsaved, self.saving = 0.0, done.saving
        self.about = done.about
        self.furthest = max(self.furthest, self.about.episodes)

    def hurry(self, patience: float) -> None:
        """Fail with TooLong if the remaining training would take over `patience` seconds; 0 for no limit."""
        left = (self.about.planned - self.about.episodes) / self.pace if self.pace else 0.0
        if patience and self.learned > SEEN_SECONDS and left > patience:
            self.error = TooLong(f"would take about {duration(left)} to train")

    def task(self, game: Spec, stopping: bool, stall: float) -> Task:
        """Return the next slice as a task, or the merging of the shards.

        Args:
            game: The game to learn.
            stopping: Whether to save the model without learning more.
            stall: Time limit of an episode in seconds; 0 for none.
        """
        assert self.pool
        if self.shards:
            shards = [shard.about for shard in self.shards]
            return Task(self.pool, merge_shards, (self.spec, game, self.about, shards, stall), self)
        save = stopping or self.unsaved > max(CHECKPOINT_SECONDS, self.saving / CHECKPOINT_SHARE)
        episodes = 0 if stopping else max(1, int(self.pace * SLICE_SECONDS))
        return Task(self.pool, train_slice, (self.spec, game, self.about, episodes, save, stall), self)

    def merged_elsewhere(self) -> bool:
        """Load the model's state if another process has merged the shards; return whether that is so."""
        path = model_file.path_of(self.about)
        if not self.shards or self.running or not model_file.is_there(path):
            return False
        self.about = model_file.read(path).about
        return self.about.finished

    def begin(self, executor: Callable[[int], Executor]) -> bool:
        """Acquire the learner's lock and a worker; return False if another process has the lock."""
        path = model_file.path_of(self.about)
        lock = FileLock(path.with_suffix(".lock"))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout:
            return False
        except OSError as error:
            why = error.strerror or error
            raise ArenaError(
                f"cannot write {lock.lock_file}: {why}; set ARENA_MODELS to another folder"
            ) from error
        self.resources.callback(release, lock)
        for draft in path.parent.glob(f"{path.name}.*.new"):  # left by a process that was killed
            draft.unlink(missing_ok=True)
        self.begin_from_earlier(path)
        if model_file.is_there(path):
            self.about = model_file.read(path).about
        if self.about.finished:
            self.resources.close()
        else:
            self.pool = self.resources.enter_context(working(executor, 1))
        return True

    def begin_from_earlier(self, path: Path) -> None:
        """Copy the model of the earlier checkpoint if there is no model yet."""
        if self.earlier is None or not self.earlier.about.finished or model_file.is_there(path):
            return
        model = model_file.read(model_file.path_of(self.earlier.about))
        for name in ("episodes", "wins", "draws", "losses", "seconds"):
            setattr(self.about, name, getattr(model.about, name))
        model_file.write(Model(self.about, model.arrays), path)


def jobs(specs: Sequence[Spec], game: Spec, versions: Callable[[Spec], dict[str, str]]) -> list[Job]:
    """Return the jobs that still have to be trained for these entries in a game, dependencies first.

    Args:
        specs: The entries.
        game: The game to learn.
        versions: Returns the versions of the distributions that a learner uses.

    Raises:
        ArenaError: If an existing model is unusable, for example because it was altered.
    """
    found: dict[str, Job] = {}
    wanted = learners(specs)
    texts = {spec.text for spec in wanted}
    runs: dict[str, list[Job]] = {}  # jobs for different checkpoints of the same training
    for spec in wanted:
        job = found.get(spec.text) or job_of(spec, game, versions)
        runs.setdefault(with_options(spec, checkpoint=0).text, []).append(job)
        if job.about.finished:
            continue
        job.dependencies = [found[other.text] for other in learners([spec])[:-1] if other.text in found]
        shards = [found.setdefault(one.text, job_of(one, game, versions)) for one in shards_of(spec)]
        for shard in shards:
            shard.dependencies, shard.kept = job.dependencies, shard.spec.text in texts
        job.shards = shards
        found[spec.text] = job
    for run in runs.values():
        run.sort(key=lambda job: job.about.planned)
        for earlier, job in pairwise(run):
            job.earlier = earlier
            job.dependencies = [*job.dependencies, *([] if earlier.about.finished else [earlier])]
    return list(found.values())


def job_of(spec: Spec, game: Spec, versions: Callable[[Spec], dict[str, str]]) -> Job:
    """Return a learner's job, with the state of its model."""
    model_file.check_one(spec.text, spec.values)
    about = model_file.about_spec(spec, game.make(), versions(spec))
    path = model_file.path_of(about)
    there = model_file.is_there(path)
    if not there and is_imported(spec):
        raise ArenaError(model_file.missing_text(about))
    return Job(spec, model_file.read(path).about if there else about)


class Training(Work[None]):
    """Trains jobs slice by slice, as many simultaneously as there are workers.

    If a learner fails or crashes its worker, the error is stored in its job; the others continue.
    """

    def __init__(
        self,
        jobs: Sequence[Job],
        game: Spec,
        workers: Workers,
        stall_seconds: float,
        patience: float = 0.0,
    ) -> None:
        super().__init__()
        self.jobs, self.game, self.workers = jobs, game, workers
        self.stall, self.patience = stall_seconds, patience

    def next_task(self, stopping: bool) -> Task | None:
        for job in self.begun():
            if not job.running and (not stopping or job.unsaved):
                job.running = True
                return job.task(self.game, stopping, self.stall)
        while not stopping and len(self.begun()) < self.workers.count and (new := self.to_begin()):
            if new.pool:  # otherwise its model is already finished
                new.running = True
                return new.task(self.game, stopping, self.stall)
        return None

    def begun(self) -> list[Job]:
        """Return the unfinished jobs that have a worker."""
        return [job for job in self.jobs if job.pool and not job.over]

    def to_begin(self) -> Job | None:
        """Begin the next job that can be begun with a worker, and return it; None if there is none."""
        todo = unfinished(self.jobs)
        while any(job.merged_elsewhere() for job in todo):
            todo = unfinished(self.jobs)
        for job in todo:
            before = [*job.dependencies, *job.shards]
            if job.pool:
                continue
            if lost := next((other for other in before if other.error), None):
                whom = RuntimeError(f"{lost.spec.text}, which it learns from, failed")
                job.error = lost.error if lost in job.shards or isinstance(lost.error, TooLong) else whom
            elif all(other.about.finished for other in before) and job.begin(self.workers.executor):
                return job
        return None

    @property
    def waiting(self) -> bool:
        """Whether there are unfinished jobs, which another process must be training."""
        return bool(unfinished(self.jobs))

    def take(self, task: Task, answer: Slice) -> Iterator[None]:
        job: Job = task.of
        job.running = False
        job.take(answer)
        job.hurry(self.patience)
        if job.over:
            job.resources.close()
            self.remove_shards(job)
        yield

    def died(self, task: Task, death: WorkerDied) -> Iterator[None]:
        job: Job = task.of
        job.running = False
        if self.deaths.blame((job.about.key, job.furthest), death):
            yield from self.failed(task, death)

    def failed(self, task: Task, error: Exception) -> Iterator[None]:
        job: Job = task.of
        job.running, job.error = False, error
        job.resources.close()
        yield

    def remove_shards(self, job: Job) -> None:
        """Remove the models of merged shards that no other job needs."""
        awaited = {shard for other in self.jobs if not other.over for shard in other.shards}
        for shard in job.shards:
            if not shard.kept and shard not in awaited:
                model_file.path_of(shard.about).unlink(missing_ok=True)


def unfinished(jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs that are neither over nor shards of learners that are over."""
    awaited = {shard for job in jobs if not job.over for shard in job.shards}
    return [job for job in jobs if not job.over and (job.kept or job in awaited)]


def release(lock: FileLock) -> None:
    """Release a lock, and remove its file."""
    Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()


def train(
    jobs: Sequence[Job],
    game: Spec,
    workers: Workers,
    tell: Callable[[int, int, str], object],
    strict: bool,
    stall_seconds: float = 0.0,
    patience: float = 0.0,
    remedy: str = "",
) -> bool:
    """Train all jobs, and return whether all are finished.

    When the workers are asked to stop, models are saved and learning ends.

    Args:
        jobs: The learners to train.
        game: The game to learn.
        workers: The workers to use.
        tell: Called with the numbers of episodes done and planned, and the scores so far as text.
        strict: Raise ArenaError if a learner fails. Otherwise log a warning, and let the learner forfeit.
        stall_seconds: Time limit for creating a learner and for each episode, in seconds; 0 for none.
        patience: Maximum training time in seconds, 0 for no limit. A learner that would take longer fails
            with TooLong. If there is a limit, neither TooLong nor ArenaError causes a warning.
        remedy: Appended to the error message if `strict` is set.

    Raises:
        GameFault: If a learner fails because of the game.
        ArenaError: If a learner fails and `strict` is set.
    """
    themselves = [job for job in jobs if not job.shards]
    planned = sum(job.about.planned for job in themselves)
    tell(sum(job.about.episodes for job in themselves), planned, "")
    try:
        training = Training(jobs, game, workers, stall_seconds, patience)
        for _ in work_off(training, workers.count, workers.stop):
            tell(sum(job.about.episodes for job in themselves), planned, scores(jobs))
    finally:
        for job in jobs:
            job.resources.close()
    wanted = requested(jobs)
    for job in wanted:
        if isinstance(job.error, GameFault) or (strict and isinstance(job.error, ArenaError)):
            raise job.error
    left_out = (TooLong, ArenaError) if patience else TooLong
    failed = [(job.spec, job.error) for job in wanted if job.error and not isinstance(job.error, left_out)]
    if failed:
        suspect = Suspect(failed[0][0], reason_of(failed[0][1], stall_seconds))
        check_rules_elsewhere(workers.executor, game, stall_seconds, suspect)
    for spec, error in failed:
        text = failure(spec, error, stall_seconds)
        if strict:
            raise ArenaError(text + remedy) from error
        own_watch.say(f"Warning: {text}; it will forfeit")
    return not unfinished(jobs)


def duration(seconds: float) -> str:
    """Return a duration as text: `90 s`, `12 min`, `3 h`."""
    for most, unit, word in ((120, 1, "s"), (7200, 60, "min")):
        if seconds < most:
            return f"{seconds / unit:.0f} {word}"
    return f"{seconds / 3600:.0f} h"


def requested(jobs: Sequence[Job]) -> list[Job]:
    """Return the jobs, except those that are only shards of others."""
    return [job for job in jobs if job.kept]


def failure(spec: Spec, error: Exception, stall_seconds: float) -> str:
    """Return the error text for a learner that failed, hung or crashed its process."""
    remedy = ""
    if isinstance(error, WorkerDied) and error.stalled:
        remedy = f"; if it needs longer, raise {argument('stall_seconds')}"
    return f"{spec.text} failed while learning: {reason_of(error, stall_seconds)}{remedy}"


def reason_of(error: Exception, stall_seconds: float) -> str:
    """Return the reason for a learner's failure, with the line of its code if known."""
    if isinstance(error, ArenaError):
        return str(error)
    if isinstance(error, WorkerDied):
        if not error.stalled:
            return error.detail
        return f"no episode within {stall_seconds:g} s{at_place(dumped(error.stack)[0])}"
    notes = (str(note)[:200] for note in getattr(error, "__notes__", ()))
    return one_line(error) + next((f", {note}" for note in notes if note.startswith(AT)), "")


def scores(jobs: Sequence[Job]) -> str:
    """Return the learners' scores so far as text: `score 93.1 %`, with names if there are several."""
    wanted = requested(jobs)
    texts = []
    for job in wanted:
        themselves = job.shards or [job]
        if job.spec.cls.plays and any(one.pool and not one.over for one in themselves):
            abouts = [one.about for one in themselves]
            points = math.fsum(about.wins + about.draws / 2 for about in abouts)
            score = 100 * points / max(sum(about.episodes for about in abouts), 1)
            who = "score" if len(wanted) == 1 else name_in(job.about.agent)
            texts.append(f"{who} {score:.1f} %")
    return ", ".join(texts)
