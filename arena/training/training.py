"""Learners trained, each in a worker of its own, in lessons short enough to tell how it goes.

A learner's model is written now and then, and at the end; whatever interrupts it, learning goes on from the
last one and comes to the same. A learner in parts puts together the models of others, trained like any, in a
lesson of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from filelock import FileLock, Timeout

from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.options import join_text
from arena.api.spec import Spec
from arena.compiler import with_compiled_rules
from arena.errors import ArenaError, one_line
from arena.rng import derive
from arena.storage import archive, keys
from arena.storage.archive import About, Model
from arena.workers import processes
from arena.workers.pools import working
from arena.workers.processes import WorkerDied

LESSON = 0.3  # seconds
SAVED = 10.0  # seconds between checkpoints, if these are quick
SHARE = 0.05  # of the time that they may take
DEATHS = 2  # of workers at the same place that put the blame on the learner: one may be an accident

local = threading.local()  # .pupils: learners of this thread, by key of their model, and how far they are


@dataclass
class Lesson:
    """What a lesson came to: the model's account of itself, and the seconds spent learning and saving."""

    about: About
    learning: float
    saving: float


@dataclass(eq=False)
class Course:
    """A learner on its way: how far it is, and what is being done."""

    spec: Spec
    about: About
    first: Sequence[Course] = ()  # of those it learns from
    parts: Sequence[Course] = ()  # of those whose models it puts together, in place of learning itself
    kept: bool = True  # whether its model stays once it is put together with others
    resources: ExitStack = field(default_factory=ExitStack)  # its executor and its lock
    pool: Executor | None = None
    future: Future[Lesson] | None = None
    pace: float = 0.0  # episodes a second
    unsaved: float = 0.0  # seconds of learning
    saving: float = 0.0  # seconds that the last checkpoint took
    deaths: int = 0
    error: Exception | None = None

    @property
    def over(self) -> bool:
        return self.about.finished or self.error is not None


def learners(specs: Sequence[Spec]) -> list[Spec]:
    """All learners among specs and their parts, each once, those that others learn from first."""
    parts = [part for spec in specs for part in reversed(list(spec.parts()))]
    found = [part for part in parts if isinstance(part.cls, type) and issubclass(part.cls, Learner)]
    return list({part.text: part for part in found}.values())


def respell(spec: Spec, **changed: Any) -> Spec:
    """The same agent with other values of some options."""
    values = {**spec.values, **changed}
    return Spec(join_text(spec.text.partition(":")[0], spec.cls, values), spec.target, values)


def divided(spec: Spec) -> list[Spec]:
    """The learners whose models a learner in parts puts together, in order; none where it learns itself.

    Its episodes are divided among them, the first having one more where they do not divide.
    """
    parts = spec.values.get("parts", 1) if spec.cls.merge is not Learner.merge else 1
    if parts == 1:
        return []
    each, more = divmod(spec.values["episodes"], parts)
    if each == 0:
        raise ArenaError(f"{spec.text} has {parts} parts and {more} episodes; a part takes one at least")
    seed = spec.values["seed"]
    return [
        respell(spec, episodes=each + (part < more), seed=derive(seed, part), parts=1)
        for part in range(parts)
    ]


def untaught(spec: Spec, game: Spec) -> Learner:
    """A learner as it is before it has learned anything."""
    return named(spec, with_compiled_rules(game.make()))


def named(spec: Spec, game: Game) -> Learner:
    learner: Learner = spec.cls(game, **spec.values)
    learner.name = spec.text
    return learner


def taught_here(spec: Spec, game: Game) -> Learner:
    """A learner that has learned all it is to, here and now, its parts one after the other."""
    learned = [taught_here(part, game).model() for part in divided(spec)]
    learner = named(spec, game)
    learner.merge(learned) if learned else learner.learn_many(range(learner.episodes), [0, 0, 0])
    return learner


def courses(specs: Sequence[Spec], game: Spec, versions: Callable[[Spec], dict[str, str]]) -> list[Course]:
    """What is left to be learned by these entries, in a game; nothing if all models are there.

    A model that is there and no good, altered say, is an ArenaError.
    """
    found: dict[str, Course] = {}
    wanted = learners(specs)
    texts = {spec.text for spec in wanted}
    for spec in wanted:
        course = found.get(spec.text) or begun(spec, game, versions)
        if course.about.finished:
            continue
        course.first = [found[other.text] for other in learners([spec])[:-1] if other.text in found]
        parts = [found.setdefault(part.text, begun(part, game, versions)) for part in divided(spec)]
        for part in parts:
            part.first, part.kept = course.first, part.spec.text in texts
        course.parts = parts
        found[spec.text] = course
    return list(found.values())


def begun(spec: Spec, game: Spec, versions: Callable[[Spec], dict[str, str]]) -> Course:
    """A learner's course, as far as its model has come."""
    about = keys.about(untaught(spec, game), versions(spec))
    path = keys.path_of(about)
    if not path.exists() and brought_in(spec):
        raise ArenaError(keys.lacking(about))
    return Course(spec, archive.read(path).about if path.exists() else about)


def brought_in(spec: Spec) -> bool:
    """Whether a learner has its table from elsewhere."""
    return bool(spec.values.get("imported"))


def check_learns(spec: Spec, game: Spec) -> None:
    """ArenaError if a learner has its table from elsewhere, and so does not learn."""
    if brought_in(spec):
        about = keys.about(untaught(spec, game))
        raise ArenaError(f"{spec.text!r} does not learn, but has a table; {keys.remedy(about, anew=True)}")


def unfinished(left: Sequence[Course]) -> list[Course]:
    """The courses that are not over, but for parts whose whole is."""
    awaited = {part for course in left if not course.over for part in course.parts}
    return [course for course in left if not course.over and (course.kept or course in awaited)]


def train(
    left: Sequence[Course],
    game: Spec,
    executor: Callable[[int], Executor],
    workers: int,
    stop: threading.Event,
) -> Iterator[None]:
    """Teach all these learners, up to `workers` at a time; comes back now and then, for a look at `left`.

    Once `stop` is set what was learned is saved and nothing more learned. A learner that fails has its error
    in its course, and the others go on.
    """
    try:
        while todo := unfinished(left):
            if any(put_together(course) for course in todo):
                continue
            running = [course for course in left if course.future]
            for course in todo:
                if stop.is_set() or len(running) >= workers:
                    break
                if course.future:
                    continue
                before = [*course.first, *course.parts]
                if lost := next((other for other in before if other.error), None):
                    whom = RuntimeError(f"{lost.spec.text}, whom it learns from, failed")
                    course.error = lost.error if lost in course.parts else whom
                elif all(other.about.finished for other in before):
                    begin(course, game, executor)
                    running += [course] if course.future else []
            if not running:
                if stop.is_set():
                    return
                stop.wait(LESSON)  # another process is at it
                continue
            done, _ = wait([c.future for c in running if c.future], LESSON, FIRST_COMPLETED)
            for course in running:
                if course.future in done:
                    go_on(course, game, stop.is_set())
                    if course.about.finished:
                        remove_parts(course, left)
            yield
    finally:
        for course in left:
            course.resources.close()


def put_together(course: Course) -> bool:
    """Take in a learner in parts, if another process has put these together; whether that is so."""
    path = keys.path_of(course.about)
    if not course.parts or course.future or not path.exists():
        return False
    course.about = archive.read(path).about
    return course.about.finished


def remove_parts(course: Course, left: Sequence[Course]) -> None:
    """Remove the models that a learner in parts has put together, which nobody needs any more."""
    awaited = {part for other in left if not other.over for part in other.parts}
    for part in course.parts:
        if not part.kept and part not in awaited:
            keys.path_of(part.about).unlink(missing_ok=True)


def begin(course: Course, game: Spec, executor: Callable[[int], Executor]) -> None:
    """Begin a course, unless another process is at it; whatever that brings is taken up."""
    if course.pool is None:
        path = keys.path_of(course.about)
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.with_suffix(".lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return
        course.resources.callback(release, lock)
        for draft in path.parent.glob(f"{path.name}.*.new"):  # of a process that was killed
            draft.unlink(missing_ok=True)
        if path.exists():
            course.about = archive.read(path).about
        if course.about.finished:
            course.resources.close()
            return
        course.pool = course.resources.enter_context(working(executor, 1))
    course.future = next_lesson(course, game)


def next_lesson(course: Course, game: Spec, many: int = 1, save: bool = False) -> Future[Lesson]:
    """Have the course's worker go on, for so many episodes, or put the parts together."""
    assert course.pool
    if course.parts:
        return course.pool.submit(merging, course.spec, game, course.about, [p.about for p in course.parts])
    return course.pool.submit(lesson, course.spec, game, course.about, many, save)


def release(lock: FileLock) -> None:
    Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()


def go_on(course: Course, game: Spec, stopping: bool) -> None:
    """Take in a lesson, and begin the next, the last of which saves the model."""
    assert course.future
    future, course.future = course.future, None
    try:
        given = future.result()
    except ArenaError as error:
        course.error = error
    except WorkerDied as death:
        course.deaths += 1
        if course.deaths == DEATHS:
            course.error = death
        else:
            course.future = next_lesson(course, game)
    except BrokenExecutor as error:
        course.error = ArenaError(f"the executor broke: {one_line(error)}")
    except Exception as error:  # the learner's own
        course.error = error
    else:
        episodes = given.about.episodes - course.about.episodes
        if episodes > 0:
            course.deaths = 0
            course.pace = episodes / max(given.learning, 1e-6)
        course.unsaved += given.learning
        if given.saving:
            course.unsaved, course.saving = 0.0, given.saving
        course.about = given.about
        if stopping and not course.unsaved:
            return
        if not course.about.finished:
            save = stopping or course.unsaved > max(SAVED, course.saving / SHARE)
            many = 0 if stopping else max(1, int(course.pace * LESSON))
            course.future = next_lesson(course, game, many, save)
    if course.over:
        course.resources.close()


def lesson(spec: Spec, game: Spec, about: About, many: int, save: bool) -> Lesson:
    """Have a learner learn from so many more episodes, and save its model if told to, or at the end.

    about: how far it is believed to be. Where this thread does not know the learner at that point, it goes on
    from the last checkpoint.
    """
    if not hasattr(local, "pupils"):
        local.pupils = {}
    learner, known = local.pupils.pop(about.key, (None, None))
    if known is None or known.episodes != about.episodes:
        learner = untaught(spec, game)
        known = begin_again(learner, about)
    start = perf_counter()
    numbers = range(known.episodes, min(known.episodes + many, known.planned))
    tally = [0, 0, 0]
    if numbers:
        learner.learn_many(numbers, tally)
    learned = perf_counter()
    known.episodes = numbers.stop if numbers else known.episodes
    known.losses += tally[0]
    known.draws += tally[1]
    known.wins += tally[2]
    known.seconds += learned - start
    saving = 0.0
    if save or known.finished:
        archive.write(Model(known, dict(learner.model())), keys.path_of(known))
        saving = perf_counter() - learned
    if not known.finished:
        local.pupils[known.key] = learner, known
    return Lesson(known, learned - start, saving)


def merging(spec: Spec, game: Spec, about: About, parts: Sequence[About]) -> Lesson:
    """Have a learner put together what its parts have learned, and save its model."""
    learner = untaught(spec, game)
    learned = [archive.read(keys.path_of(part)) for part in parts]
    learner.merge([model.arrays for model in learned])
    known = keys.about(learner, about.versions)
    for name in ("episodes", "wins", "draws", "losses", "seconds"):
        setattr(known, name, sum(getattr(model.about, name) for model in learned))
    start = perf_counter()
    archive.write(Model(known, dict(learner.model())), keys.path_of(known))
    return Lesson(known, 0.0, perf_counter() - start)


def begin_again(learner: Learner, about: About) -> About:
    """Put a learner where its last checkpoint is, or at the beginning; its account of that."""
    path = keys.path_of(about)
    if not path.exists():
        return keys.about(learner, about.versions)
    model = archive.read(path)
    learner.recall(model.arrays)
    return model.about


def provide(
    left: Sequence[Course],
    game: Spec,
    executor: Callable[[int], Executor],
    workers: int,
    stop: threading.Event,
    tell: Callable[[int, int, str], Any],
    strict: bool,
) -> bool:
    """Train what is left to be learned; whether all of it is done.

    tell: told of episodes done and planned, and how it goes. ArenaError where a learner cannot learn as it is
    set up; where one fails otherwise it is left to forfeit, with a warning, unless this is `strict`.
    """
    themselves = [course for course in left if not course.parts]
    planned = sum(course.about.planned for course in themselves)
    tell(sum(course.about.episodes for course in themselves), planned, "")
    for _ in train(left, game, executor, workers, stop):
        tell(sum(course.about.episodes for course in themselves), planned, standing(left))
    for course in asked_for(left):
        if isinstance(course.error, ArenaError):
            raise course.error
        if course.error:
            failure = failed(course.spec, course.error)
            if strict:
                raise ArenaError(failure) from course.error
            processes.this_worker.say(f"Warning: {failure}; it will forfeit")
    return not unfinished(left)


def asked_for(left: Sequence[Course]) -> list[Course]:
    """The courses but for those that are only parts of others."""
    return [course for course in left if course.kept]


def failed(spec: Spec, error: Exception) -> str:
    """What to say of a learner that failed, or took its process down."""
    reason = error.detail if isinstance(error, WorkerDied) else one_line(error)
    return f"{spec.text} failed while learning: {reason}"


def standing(left: Sequence[Course]) -> str:
    """`score 93.1 %`, with names where several learn: the scores so far against whom they learn from."""
    wanted = asked_for(left)
    scores = []
    for course in wanted:
        themselves = course.parts or [course]
        if course.spec.cls.plays and any(part.future for part in themselves):
            abouts = [part.about for part in themselves]
            points = sum(about.wins + about.draws / 2 for about in abouts)
            score = 100 * points / max(sum(about.episodes for about in abouts), 1)
            who = "score" if len(wanted) == 1 else course.about.agent.partition(":")[0]
            scores.append(f"{who} {score:.1f} %")
    return ", ".join(scores)
