"""Finding learners among entries, creating them, and training them slice by slice in a worker."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from arena.activity import activity, concerning
from arena.api.game import Game
from arena.api.learner import Learner, Tally
from arena.api.options import with_options
from arena.api.plugin_guard import quiet
from arena.api.spec import Spec
from arena.compiler import LONG, advise, with_compiled_rules
from arena.errors import ArenaError, one_line, safe_text
from arena.faults.tracebacks import told
from arena.rng import derive
from arena.storage import model_file
from arena.storage.model_file import About, Model
from arena.workers.worker import this_worker


def learners(specs: Sequence[Spec]) -> list[Spec]:
    """Return all learners among specs and within them, without duplicates, dependencies first."""
    parts = [part for spec in specs for part in reversed(list(spec.walk()))]
    found = [part for part in parts if isinstance(part.cls, type) and issubclass(part.cls, Learner)]
    return list({part.text: part for part in found}.values())


def learner_in(entry: Spec) -> Spec:
    """Return the entry if it is a learner, otherwise the only learner within it, or raise ArenaError."""
    found = learners([entry])
    found = [one for one in found if not any(one in other.nested() for other in found)]
    if not found:
        raise ArenaError(
            f"{entry.text!r} does not learn, nor do its options; name a learner such as 'q-table'"
        )
    if len(found) > 1:
        texts = " and ".join(one.text for one in found)
        raise ArenaError(f"{entry.text!r} names {len(found)} learners, {texts}; use an entry with one")
    return found[0]


def shards_of(spec: Spec) -> list[Spec]:
    """Return the shards whose models a learner merges, in order; empty if the learner has no shards.

    Its episodes are divided evenly among them; the first shards learn from one more episode to cover the
    remainder.
    """
    shards = spec.values.get("shards", 1) if spec.cls.merge is not Learner.merge else 1
    if shards == 1:
        return []
    each, more = divmod(spec.values["episodes"], shards)
    if each == 0:
        raise ArenaError(f"{spec.text} has {shards} shards and {more} episodes; a shard needs at least one")
    seed = spec.values["seed"]
    return [
        with_options(spec, episodes=each + (shard < more), seed=derive(seed, shard), shards=1)
        for shard in range(shards)
    ]


def untrained(spec: Spec, game: Spec) -> Learner:
    """Return an untrained learner."""
    return untrained_at(spec, with_compiled_rules(game.make()))


def untrained_at(spec: Spec, game: Game) -> Learner:
    """Return an untrained learner for a game that is already instantiated."""
    learner: Learner = spec.build(game)
    return learner


def made_learner(spec: Spec, game: Spec) -> Learner:
    """Return an untrained learner; raise ArenaError if creating it fails."""
    try:
        with quiet():
            return untrained(spec, game)
    except (ArenaError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ArenaError(f"{spec.text} cannot be created: {safe_text(one_line, error)}") from error


def trained_here(spec: Spec, game: Game) -> Learner:
    """Train a learner fully in this process, with its shards one after the other, and return it."""
    learned = [trained_here(shard, game)._packed_model() for shard in shards_of(spec)]
    learner = untrained_at(spec, game)
    learner._merge_packed(learned) if learned else learner.learn_many(range(learner.episodes), [0, 0, 0])
    return learner


def is_imported(spec: Spec) -> bool:
    """Return whether a learner's table is imported instead of learned."""
    return bool(spec.values.get("imported"))


def check_learns(spec: Spec, game: Spec) -> None:
    """Raise ArenaError if a learner does not learn because its table is imported."""
    if is_imported(spec):
        about = model_file.about_spec(spec, game.make())
        raise ArenaError(
            f"{spec.text!r} does not learn, but has a table; {model_file.remedy(about, fresh=True)}"
        )


LEARNER = 0  # the seat that the watch records during learning
AT = "at "  # prefix of the note on an error that states the line of the learner's code
PIECE = 0.3  # seconds of learning between updates of the watch


@dataclass
class Slice:
    """The result of a slice.

    Attributes:
        about: The state of the model.
        learning: Seconds of learning, excluding compilation, which would distort estimates of the remaining
            time.
        saving: Seconds of saving; 0 if the model was not saved.
    """

    about: About
    learning: float
    saving: float


def train_slice(
    spec: Spec, game: Spec, about: About, episodes: int, save: bool, stall_seconds: float = 0.0
) -> Slice:
    """Train a learner for some episodes; save its model at the end of training or if `save` is set.

    Args:
        spec: The learner.
        game: The game to learn.
        about: The expected state of the model. If this worker does not have the learner in that state, it
            continues from the last checkpoint.
        episodes: Number of episodes to learn from.
        save: Save the model.
        stall_seconds: Time limit for creating the learner and for each episode, in seconds; 0 for none.
    """
    try:
        with concerning(f"{game.text}, {spec.text}"):
            return learned_slice(spec, game, about, episodes, save, stall_seconds)
    except ArenaError:
        raise
    except Exception as error:
        if place := told(error)[0]:
            error.add_note(AT + place)  # pickled with the error, for the process that reports it
        raise


def learned_slice(
    spec: Spec, game: Spec, about: About, episodes: int, save: bool, stall_seconds: float
) -> Slice:
    """Do the work of `train_slice`, without adding the learner's line of code to errors."""
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
    before, known.seconds = known.seconds, known.seconds + learned - start
    if before <= LONG < known.seconds:
        advise(learner, spec.text)
    saving = 0.0
    worker.watch.turn(known.episodes, LEARNER, stall_seconds)
    if save or known.finished:
        model_file.write(Model(known, arrays_of(learner)), model_file.path_of(known))
        saving = perf_counter() - learned
    if not known.finished:
        worker.kept[worker_key(known)] = learner, known
    worker.watch.clear()
    learning = max(0.0, learned - start - (activity.compiling - compiling))
    return Slice(copy(known), learning, saving)  # a copy, since a caller in this process may store it


def learn_watched(learner: Learner, numbers: range, tally: Tally, stall_seconds: float) -> None:
    """Train a learner on these episodes, each with a time limit of `stall_seconds`; 0 for no limit."""
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
    """Merge the models of a learner's shards, and save the result."""
    watch = this_worker().watch
    watch.turn(about.planned, LEARNER, stall_seconds)
    learner = untrained(spec, game)
    learned = [model_file.read(model_file.path_of(shard)) for shard in shards]
    learner._merge_packed([model.arrays for model in learned])
    watch.clear()
    known = model_file.about_learner(learner, about.versions)
    for name in ("episodes", "wins", "draws", "losses", "seconds"):
        setattr(known, name, sum(getattr(model.about, name) for model in learned))
    start = perf_counter()
    model_file.write(Model(known, arrays_of(learner)), model_file.path_of(known))
    return Slice(known, 0.0, perf_counter() - start)


def arrays_of(learner: Learner) -> dict[str, Any]:
    """Return the arrays of a learner's model; raise TypeError unless all can be stored."""
    import numpy as np

    arrays = {name: np.asarray(array) for name, array in learner._packed_model().items()}
    for name, array in arrays.items():
        if not isinstance(name, str) or array.dtype.hasobject:
            raise TypeError(f"model returns {array.dtype} for {name!r}; return numbers or texts by name")
    return arrays


def resumed(learner: Learner, about: About) -> About:
    """Load a learner's last checkpoint, if there is one, and return the state of the model."""
    path = model_file.path_of(about)
    if not model_file.is_there(path):
        return model_file.about_learner(learner, about.versions)
    model = model_file.read(path)
    learner._recall_packed(model.arrays)
    return model.about


def worker_key(about: About) -> tuple[str, str]:
    """Return the key under which a worker stores a learner between slices."""
    return "learner", about.key
