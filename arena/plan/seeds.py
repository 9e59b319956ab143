"""Learners that are entered several times: with several seeds, rated as one, or at several checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from arena.api.learner import Learner
from arena.api.options import replaced, with_options
from arena.api.spec import Spec
from arena.errors import ArenaError

Seeds = Mapping[str, Sequence[str]]  # the entries that each of them is, by the text that entered them


def apart(specs: Sequence[Spec]) -> tuple[tuple[Spec, ...], dict[str, list[str]]]:
    """The entries, with `q-table:seeds=3` in three: `q-table`, `q-table:seed=1` and `q-table:seed=2`.

    With those that were entered so. An agent around one learner is as many entries as that, and one with
    checkpoints likewise. ArenaError for one that another learner takes, or two in an agent.
    """
    found: list[Spec] = []
    seeds: dict[str, list[str]] = {}
    for spec in chain.from_iterable(map(checkpoints, specs)):
        each = [spec]
        if learner := several(spec):
            first = learner.values["seed"]
            alone = [with_options(learner, seed=first + i, seeds=1) for i in range(learner.values["seeds"])]
            each = [replaced(spec, learner, one) for one in alone]
            seeds[spec.text] = [one.text for one in each]
        found += each
    return tuple(found), seeds


def several(spec: Spec) -> Spec | None:
    """The part of an entry that is several learners, be it all of it, or None."""
    found = list({part.text: part for part in spec.walk() if times(part) > 1}.values())
    if not found:
        return None
    if len(found) > 1 or (found[0] is not spec and learns(spec)):
        raise ArenaError(f"{found[-1].text!r} in {spec.text!r} is several learners; give it one seed")
    return found[0]


def learns(spec: Spec) -> bool:
    """Whether it is a learner."""
    return isinstance(spec.cls, type) and issubclass(spec.cls, Learner)


def times(spec: Spec) -> int:
    """How many learners a spec enters."""
    return spec.values["seeds"] * spec.values["checkpoints"] if learns(spec) else 1


def checkpoints(spec: Spec) -> list[Spec]:
    """`q-table:episodes=800,checkpoints=2` as it is after 400 episodes, and after all; others as they are."""
    learner = several(spec)
    if learner is None or (points := learner.values["checkpoints"]) == 1:
        return [spec]
    episodes, given = learner.values["episodes"], learner.values["checkpoint"]
    if given:
        raise ArenaError(f"{learner.text!r} has a checkpoint and checkpoints; leave one out")
    if points > episodes:
        raise ArenaError(f"{learner.text!r} has {points} checkpoints in {episodes} episodes; give fewer")
    at = [*(round(episodes * i / points) for i in range(1, points)), 0]
    return [replaced(spec, learner, with_options(learner, checkpoint=n, checkpoints=1)) for n in at]


def together(entries: Sequence[str], seeds: Seeds) -> list[list[int]]:
    """The entries by index, those of one learner in one list."""
    learner = {text: name for name, texts in seeds.items() for text in texts}
    found: dict[str, list[int]] = {}
    for i, text in enumerate(entries):
        found.setdefault(learner.get(text, text), []).append(i)
    return [*found.values()]
