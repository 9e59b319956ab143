"""The learners among entries: which they are, how they are divided into shards, and made."""

from __future__ import annotations

from collections.abc import Sequence

from arena.api.game import Game
from arena.api.learner import Learner
from arena.api.options import with_options
from arena.api.quiet import quiet
from arena.api.spec import Spec
from arena.compiler import with_compiled_rules
from arena.errors import ArenaError, one_line, safe_text
from arena.rng import derive
from arena.storage import keys


def learners(specs: Sequence[Spec]) -> list[Spec]:
    """All learners among specs and those within them, each once, those that others learn from first."""
    parts = [part for spec in specs for part in reversed(list(spec.walk()))]
    found = [part for part in parts if isinstance(part.cls, type) and issubclass(part.cls, Learner)]
    return list({part.text: part for part in found}.values())


def learner_in(entry: Spec) -> Spec:
    """The entry, if it learns, or the one learner that it names, or ArenaError."""
    found = learners([entry])
    found = [one for one in found if not any(one in other.nested() for other in found)]
    if not found:
        raise ArenaError(f"{entry.text!r} does not learn, nor does what it names; give a learner: 'q-table'")
    if len(found) > 1:
        texts = " and ".join(one.text for one in found)
        raise ArenaError(f"{entry.text!r} names {len(found)} learners, {texts}; give an entry with one")
    return found[0]


def shards_of(spec: Spec) -> list[Spec]:
    """The learners whose models a learner in shards merges, in order; none where it learns itself.

    Its episodes are divided among them, the first having one more where they do not divide.
    """
    shards = spec.values.get("shards", 1) if spec.cls.merge is not Learner.merge else 1
    if shards == 1:
        return []
    each, more = divmod(spec.values["episodes"], shards)
    if each == 0:
        raise ArenaError(f"{spec.text} has {shards} shards and {more} episodes; a shard takes one at least")
    seed = spec.values["seed"]
    return [
        with_options(spec, episodes=each + (shard < more), seed=derive(seed, shard), shards=1)
        for shard in range(shards)
    ]


def untrained(spec: Spec, game: Spec) -> Learner:
    """A learner as it is before it has learned anything."""
    return untrained_at(spec, with_compiled_rules(game.make()))


def untrained_at(spec: Spec, game: Game) -> Learner:
    """The same, for a game that is there already."""
    learner: Learner = spec.build(game)
    return learner


def made_learner(spec: Spec, game: Spec) -> Learner:
    """The same, or ArenaError if it cannot be made."""
    try:
        with quiet():
            return untrained(spec, game)
    except (ArenaError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ArenaError(f"{spec.text} cannot be made: {safe_text(one_line, error)}") from error


def trained_here(spec: Spec, game: Game) -> Learner:
    """A learner that has learned all it is to, here and now, its shards one after the other."""
    learned = [trained_here(shard, game).model() for shard in shards_of(spec)]
    learner = untrained_at(spec, game)
    learner.merge(learned) if learned else learner.learn_many(range(learner.episodes), [0, 0, 0])
    return learner


def is_imported(spec: Spec) -> bool:
    """Whether a learner has its table from elsewhere."""
    return bool(spec.values.get("imported"))


def check_learns(spec: Spec, game: Spec) -> None:
    """ArenaError if a learner has its table from elsewhere, and so does not learn."""
    if is_imported(spec):
        about = keys.about_spec(spec, game.make())
        raise ArenaError(f"{spec.text!r} does not learn, but has a table; {keys.remedy(about, fresh=True)}")
