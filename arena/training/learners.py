"""The learners among entries: finding them, dividing them into shards, and creating them."""

from __future__ import annotations

from collections.abc import Sequence

from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.options import with_options
from arena.api.plugin_guard import quiet
from arena.api.spec import Spec
from arena.compiler import with_compiled_rules
from arena.errors import ArenaError, one_line, safe_text
from arena.rng import derive
from arena.storage import model_keys


def learners(specs: Sequence[Spec]) -> list[Spec]:
    """Return all learners among specs and within them, without duplicates, dependencies first."""
    parts = [part for spec in specs for part in reversed(list(spec.walk()))]
    found = [part for part in parts if isinstance(part.cls, type) and issubclass(part.cls, Learner)]
    return list({part.text: part for part in found}.values())


def learner_in(entry: Spec) -> Spec:
    """Return the entry if it learns, or the only learner within it; raise ArenaError if there is not one."""
    found = learners([entry])
    found = [one for one in found if not any(one in other.nested() for other in found)]
    if not found:
        raise ArenaError(f"{entry.text!r} does not learn, nor does what it names; give a learner: 'q-table'")
    if len(found) > 1:
        texts = " and ".join(one.text for one in found)
        raise ArenaError(f"{entry.text!r} names {len(found)} learners, {texts}; give an entry with one")
    return found[0]


def shards_of(spec: Spec) -> list[Spec]:
    """Return the learners whose models a learner in shards merges, in order; empty if it learns itself.

    Its episodes are divided evenly among them; the first shards take one more for the remainder.
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
    """Return a learner that has not learned anything yet."""
    return untrained_at(spec, with_compiled_rules(game.make()))


def untrained_at(spec: Spec, game: Game) -> Learner:
    """Return an untrained learner for a game that is already instantiated."""
    learner: Learner = spec.build(game)
    return learner


def made_learner(spec: Spec, game: Spec) -> Learner:
    """Return an untrained learner; raise ArenaError if it cannot be instantiated."""
    try:
        with quiet():
            return untrained(spec, game)
    except (ArenaError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ArenaError(f"{spec.text} cannot be made: {safe_text(one_line, error)}") from error


def trained_here(spec: Spec, game: Game) -> Learner:
    """Return a fully trained learner, trained in this process, its shards one after the other."""
    learned = [trained_here(shard, game).model() for shard in shards_of(spec)]
    learner = untrained_at(spec, game)
    learner.merge(learned) if learned else learner.learn_many(range(learner.episodes), [0, 0, 0])
    return learner


def is_imported(spec: Spec) -> bool:
    """Return whether a learner's table is imported rather than learned."""
    return bool(spec.values.get("imported"))


def check_learns(spec: Spec, game: Spec) -> None:
    """Raise ArenaError if a learner's table is imported, so that it does not learn."""
    if is_imported(spec):
        about = model_keys.about_spec(spec, game.make())
        raise ArenaError(
            f"{spec.text!r} does not learn, but has a table; {model_keys.remedy(about, fresh=True)}"
        )
