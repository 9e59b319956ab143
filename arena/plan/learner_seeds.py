"""Learners that stand for several entries: with several seeds, rated as one, or at several checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from arena.api.learner import Learner
from arena.api.options import replaced, with_options
from arena.api.spec import Spec
from arena.errors import ArenaError

Seeds = Mapping[str, Sequence[str]]  # the entries of each learner with several seeds, by its text


def apart(specs: Sequence[Spec]) -> tuple[tuple[Spec, ...], dict[str, list[str]]]:
    """Return the entries, with a learner of several seeds or checkpoints replaced by one entry for each.

    `q-table:seeds=3` becomes `q-table`, `q-table:seed=1` and `q-table:seed=2`. An agent that contains such a
    learner becomes as many entries.

    Returns:
        The entries, and for each text with several seeds the entries that it became.

    Raises:
        ArenaError: If a learner contains a learner of several seeds, or an agent contains two of them.
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
    """Return the part of an entry that stands for several learners, or None.

    Raises:
        ArenaError: If there are two such parts, or the part is within another learner.
    """
    found = list({part.text: part for part in spec.walk() if times(part) > 1}.values())
    if not found:
        return None
    if len(found) > 1 or (found[0] is not spec and learns(spec)):
        raise ArenaError(f"{found[-1].text!r} in {spec.text!r} is several learners; give it one seed")
    return found[0]


def learns(spec: Spec) -> bool:
    """Return whether a spec is of a learner."""
    return isinstance(spec.cls, type) and issubclass(spec.cls, Learner)


def times(spec: Spec) -> int:
    """Return how many learners a spec stands for."""
    return spec.values["seeds"] * spec.values["checkpoints"] if learns(spec) else 1


def checkpoints(spec: Spec) -> list[Spec]:
    """Return an entry for each checkpoint of a learner; other specs unchanged.

    `q-table:episodes=800,checkpoints=2` becomes the learner after 400 episodes and after all 800.

    Raises:
        ArenaError: If the option `checkpoint` is given, too, or there are more checkpoints than episodes.
    """
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
    """Return the entries by index, with those of one learner in one list."""
    learner = {text: name for name, texts in seeds.items() for text in texts}
    found: dict[str, list[int]] = {}
    for i, text in enumerate(entries):
        found.setdefault(learner.get(text, text), []).append(i)
    return [*found.values()]
