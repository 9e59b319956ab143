"""Slices of training, done in a worker, which keeps the learner from one slice to the next."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from arena.activity import activity, concerning
from arena.api.learner import Learner, Tally
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.faults.tracebacks import told
from arena.storage import archive, keys
from arena.storage.archive import About, Model
from arena.training.learners import untrained
from arena.workers.worker import this_worker

LEARNER = 0  # the seat that is marked while a learner learns
AT = "at "  # begins what is noted of an error, the author's line
PIECE = 0.3  # seconds of learning between two marks


@dataclass
class Slice:
    """The outcome of a slice: what the model says of itself, seconds of learning and of saving.

    What is compiled in learning is not counted: it says nothing of how long the rest will take.
    """

    about: About
    learning: float
    saving: float


def train_slice(
    spec: Spec, game: Spec, about: About, episodes: int, save: bool, stall_seconds: float = 0.0
) -> Slice:
    """Have a learner learn from so many more episodes, and save its model at the end, or if `save`.

    about: how far it is believed to be. Where this worker does not have the learner at that point, it goes on
    from the last checkpoint. stall_seconds: that it may take to be made, and for an episode; 0 = no limit.
    """
    try:
        with concerning(f"{game.text}, {spec.text}"):
            return learned_slice(spec, game, about, episodes, save, stall_seconds)
    except ArenaError:
        raise
    except Exception as error:
        if place := told(error)[0]:
            error.add_note(AT + place)  # which goes with it to the process that tells it
        raise


def learned_slice(
    spec: Spec, game: Spec, about: About, episodes: int, save: bool, stall_seconds: float
) -> Slice:
    """What `train_slice` does."""
    worker = this_worker()
    worker.watch.turn(about.episodes, LEARNER, stall_seconds)
    learner, known = worker.kept.pop(worker_key(about), (None, None))
    if known is None or known.episodes != about.episodes:
        learner = untrained(spec, game)
        known = resumed(learner, about)
    start, compiling = perf_counter(), activity.compiling
    numbers = range(known.episodes, min(known.episodes + episodes, known.planned))
    tally = [0, 0, 0]
    learn_watched(learner, numbers, tally, stall_seconds)
    learned = perf_counter()
    known.episodes = numbers.stop if numbers else known.episodes
    known.losses += tally[0]
    known.draws += tally[1]
    known.wins += tally[2]
    known.seconds += learned - start
    saving = 0.0
    worker.watch.turn(known.episodes, LEARNER, stall_seconds)
    if save or known.finished:
        archive.write(Model(known, arrays_of(learner)), keys.path_of(known))
        saving = perf_counter() - learned
    if not known.finished:
        worker.kept[worker_key(known)] = learner, known
    worker.watch.clear()
    learning = max(0.0, learned - start - (activity.compiling - compiling))
    return Slice(copy(known), learning, saving)  # which whoever is in this process may keep


def learn_watched(learner: Learner, numbers: range, tally: Tally, stall_seconds: float) -> None:
    """Have a learner learn from these episodes, none of which may take as long as that; 0 = no limit."""
    watch, size = this_worker().watch, 1
    while numbers:
        watch.turn(numbers.start, LEARNER, stall_seconds)
        start = perf_counter()
        learner.learn_many(numbers[:size], tally)
        numbers = numbers[size:]
        size = max(1, min(10 * size, int(size * PIECE / max(perf_counter() - start, 1e-6))))


def merge_shards(
    spec: Spec, game: Spec, about: About, shards: Sequence[About], stall_seconds: float
) -> Slice:
    """Have a learner merge what its shards have learned, and save its model."""
    watch = this_worker().watch
    watch.turn(about.planned, LEARNER, stall_seconds)
    learner = untrained(spec, game)
    learned = [archive.read(keys.path_of(shard)) for shard in shards]
    learner.merge([model.arrays for model in learned])
    watch.clear()
    known = keys.about_learner(learner, about.versions)
    for name in ("episodes", "wins", "draws", "losses", "seconds"):
        setattr(known, name, sum(getattr(model.about, name) for model in learned))
    start = perf_counter()
    archive.write(Model(known, arrays_of(learner)), keys.path_of(known))
    return Slice(known, 0.0, perf_counter() - start)


def arrays_of(learner: Learner) -> dict[str, Any]:
    """What a learner's `model` gives, or TypeError where that is no numbers or texts by name."""
    import numpy as np

    arrays = {name: np.asarray(array) for name, array in learner.model().items()}
    for name, array in arrays.items():
        if not isinstance(name, str) or array.dtype.hasobject:
            raise TypeError(f"model gives {array.dtype} for {name!r}; give numbers or texts by name")
    return arrays


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
