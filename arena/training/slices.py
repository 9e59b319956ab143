"""Slices of training, done in a worker, which keeps the learner from one slice to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from arena.api.learner import Learner
from arena.api.spec import Spec
from arena.storage import archive, keys
from arena.storage.archive import About, Model
from arena.training.learners import untrained
from arena.workers.worker import this_worker

LEARNER = 0  # the seat that is marked while a learner learns


@dataclass
class Slice:
    """The outcome of a slice: what the model says of itself, seconds of learning and of saving."""

    about: About
    learning: float
    saving: float


def train_slice(spec: Spec, game: Spec, about: About, episodes: int, save: bool) -> Slice:
    """Have a learner learn from so many more episodes, and save its model at the end, or if `save`.

    about: how far it is believed to be. Where this worker does not have the learner at that point, it goes on
    from the last checkpoint.
    """
    worker = this_worker()
    worker.watch.turn(about.episodes, LEARNER, 0.0)  # which may take as long as it likes
    learner, known = worker.kept.pop(worker_key(about), (None, None))
    if known is None or known.episodes != about.episodes:
        learner = untrained(spec, game)
        known = resumed(learner, about)
    start = perf_counter()
    numbers = range(known.episodes, min(known.episodes + episodes, known.planned))
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
        worker.kept[worker_key(known)] = learner, known
    worker.watch.clear()
    return Slice(known, learned - start, saving)


def merge_shards(spec: Spec, game: Spec, about: About, shards: Sequence[About]) -> Slice:
    """Have a learner merge what its shards have learned, and save its model."""
    watch = this_worker().watch
    watch.turn(about.planned, LEARNER, 0.0)
    learner = untrained(spec, game)
    learned = [archive.read(keys.path_of(shard)) for shard in shards]
    learner.merge([model.arrays for model in learned])
    watch.clear()
    known = keys.about_learner(learner, about.versions)
    for name in ("episodes", "wins", "draws", "losses", "seconds"):
        setattr(known, name, sum(getattr(model.about, name) for model in learned))
    start = perf_counter()
    archive.write(Model(known, dict(learner.model())), keys.path_of(known))
    return Slice(known, 0.0, perf_counter() - start)


def resumed(learner: Learner, about: About) -> About:
    """Have a learner recall its last checkpoint, if there is one; what that says of itself."""
    path = keys.path_of(about)
    if not archive.is_there(path):
        return keys.about_learner(learner, about.versions)
    model = archive.read(path)
    learner.recall(model.arrays)
    return model.about


def worker_key(about: About) -> tuple[str, str]:
    """What a worker keeps a learner under, from one slice to the next."""
    return "learner", about.key
