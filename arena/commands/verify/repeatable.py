"""The entries of a recorded tournament whose play can be repeated, and the obstacles for the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.api.agent import Agent, agent_class
from arena.api.learner import Learner
from arena.api.spec import Spec
from arena.errors import ArenaError
from arena.plan.completion import complete
from arena.plan.entries import several
from arena.plan.plan import Plan
from arena.registry.digests import code_of
from arena.registry.files import references
from arena.registry.plugins import Registry
from arena.results.cost import Learned
from arena.results.record import UNKNOWN_CODE
from arena.results.settings import Settings
from arena.storage.database import Tournament
from arena.storage.model_file import about_spec, path_of, read_about, training

ENTRIES = 1000  # maximum number of entries of a tournament to check


class Absent(Agent):
    """A placeholder for an entry that is not available."""


class Lenient(Registry):
    """A registry with placeholders for agents that are not available.

    Attributes:
        absent: Reasons why agents are not available, by text.
    """

    def __init__(self, known: Registry) -> None:
        vars(self).update(vars(known))
        self.absent: dict[str, str] = {}

    def spec(self, kind: str, text: str, within: int = 0) -> Spec:
        """Return a spec as in `Registry`, or a placeholder for an agent that is not available."""
        if kind != "agent" or within:
            return super().spec(kind, text, within)
        try:
            found = super().spec(kind, text)
            if found.text != text:
                raise ArenaError(f"it is called {found.text} here")
            if several(found):
                raise ArenaError("its options seeds or checkpoints make it several learners here")
        except ArenaError as error:
            files = [reference.path for reference in references(text)]
            self.absent[text] = (
                f"{files[0]} is not given" if files else re.split("; known: |, did you mean ", str(error))[0]
            )
            return Spec(text, f"{__name__}:{Absent.__name__}", {})
        return found


def plan_there(settings: Settings, known: Lenient) -> Plan:
    """Return the plan of a recorded tournament, without reading files that it names.

    Raises:
        ArenaError: If the plan cannot be created from the settings.
    """
    text, entries = settings.openings, settings.entries or []
    if text != "none" and not text.startswith("random:") and not settings.book:
        raise ArenaError(f"its openings are of {text}, but the lines of this book are not recorded")
    if len(entries) > ENTRIES:
        raise ArenaError(f"it has {len(entries):,} entries; up to {ENTRIES:,} can be checked")
    made, plan = complete(settings, known)
    once = made.stall_once or False
    return replace(
        plan,
        stall_once=frozenset(i for i, spec in enumerate(plan.entries) if once and is_of_file(spec.text)),
    )


def is_of_file(text: str) -> bool:
    """Return whether an entry's text names a class in a file; the file need not exist."""
    return any(text.startswith(reference.path) for reference in references(text)[:1])


@dataclass(frozen=True)
class Obstacle:
    """The reason why an entry's play cannot be repeated.

    Attributes:
        why: The reason.
        other: Whether the reason is different code or a different model.
    """

    why: str
    other: bool = False


def obstacles(
    plan: Plan, found: Tournament, absent: dict[str, str], learned: dict[str, list[Learned]]
) -> list[Obstacle | None]:
    """Return the obstacle of each entry of a plan; None if its play can be repeated.

    Args:
        plan: The plan.
        found: The tournament.
        absent: Reasons why agents are not available, by text.
        learned: Models of the learners within entries, by entry.
    """
    game = plan.game.make()
    return [
        obstacle(spec, plan, found, absent.get(spec.text), learned.get(spec.text, []), game)
        for spec in plan.entries
    ]


def obstacle(
    spec: Spec, plan: Plan, found: Tournament, absent: str | None, learned: Sequence[Learned], game: object
) -> Obstacle | None:
    """Return the obstacle of one entry; None if its play can be repeated.

    The entry is not instantiated, and no program is started.
    """
    if absent is not None:
        return Obstacle(absent)
    if why := next(by_nature(spec), ""):
        return Obstacle(why)
    if plan.limits.timed:
        return Obstacle("a late move loses, which depends on the machine")
    recorded, here = found.codes.get(spec.text, UNKNOWN_CODE), code_of(spec)
    if recorded not in (UNKNOWN_CODE, here):
        return Obstacle(f"it played with code {recorded}, and this is {here}", other=True)
    models = {one.learner: one.model for one in learned}
    return next(filter(None, (untaught(part, models, game) for part in learners(spec))), None)


def by_nature(spec: Spec) -> Iterator[str]:
    """Yield reasons why an entry, or a spec within it, does not depend only on the seed."""
    for part in spec.walk():
        cls = agent_class(part)
        if cls.interactive:
            yield "a person played at the terminal"
        if cls.programs or not cls.confinable:
            yield "it is a program or service outside arena, which is not started"
        if any(part.values.get(name) for name in cls.by_clock):
            yield "it depends on the clock"


def learners(spec: Spec) -> Iterable[Spec]:
    """Return the learners among an entry and the specs within it."""
    return (part for part in spec.walk() if isinstance(part.cls, type) and issubclass(part.cls, Learner))


def untaught(spec: Spec, models: dict[str, str], game: Any) -> Obstacle | None:
    """Return the obstacle of a learner without its recorded model; None if it has the model.

    Args:
        spec: The learner.
        models: Keys of the models that were used, by learner.
        game: The game.
    """
    try:
        wanted = about_spec(spec, game)
    except ArenaError as error:
        return Obstacle(str(error))
    recorded = models.get(spec.text, wanted.key)
    if recorded != wanted.key:
        return Obstacle(f"{spec.text} played with model {recorded}, and here it learns {wanted.key}", True)
    try:
        about = read_about(path_of(wanted))
    except ArenaError:
        about = None
    if about is None or about.key != wanted.key or not about.finished:
        return Obstacle(f"its model is not here: {training(wanted)}")
    return None
