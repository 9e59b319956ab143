"""Learners that are entered several times: with several seeds, rated as one, or at several checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from arena.api.learner import Learner
from arena.api.options import with_options
from arena.api.spec import Spec
from arena.errors import ArenaError

Seeds = Mapping[str, Sequence[str]]  # the entries that each of them is, by the text that entered them


def apart(specs: Sequence[Spec]) -> tuple[tuple[Spec, ...], dict[str, list[str]]]:
    """The entries, with `q-table:seeds=3` in three: `q-table`, `q-table:seed=1` and `q-table:seed=2`.

    With those that were entered so. One with checkpoints is as many entries. ArenaError for one within
    another entry.
    """
    found: list[Spec] = []
    seeds: dict[str, list[str]] = {}
    for spec in chain.from_iterable(map(checkpoints, specs)):
        if inner := next((part for part in spec.nested() if times(part) > 1), None):
            raise ArenaError(f"{inner.text!r} in {spec.text!r} is several learners; give it one seed")
        each = [spec]
        if times(spec) > 1:
            first = spec.values["seed"]
            each = [with_options(spec, seed=first + i, seeds=1) for i in range(spec.values["seeds"])]
            seeds[spec.text] = [one.text for one in each]
        found += each
    return tuple(found), seeds


def times(spec: Spec) -> int:
    """How many learners a spec enters."""
    learns = isinstance(spec.cls, type) and issubclass(spec.cls, Learner)
    return spec.values["seeds"] * spec.values["checkpoints"] if learns else 1


def checkpoints(spec: Spec) -> list[Spec]:
    """`q-table:episodes=800,checkpoints=2` as it is after 400 episodes, and after all; others as they are."""
    if times(spec) == 1 or (points := spec.values["checkpoints"]) == 1:
        return [spec]
    episodes, given = spec.values["episodes"], spec.values["checkpoint"]
    if given:
        raise ArenaError(f"{spec.text!r} has a checkpoint and checkpoints; leave one out")
    if points > episodes:
        raise ArenaError(f"{spec.text!r} has {points} checkpoints in {episodes} episodes; give fewer")
    at = [*(round(episodes * i / points) for i in range(1, points)), 0]
    return [with_options(spec, checkpoint=n, checkpoints=1) for n in at]


def together(entries: Sequence[str], seeds: Seeds) -> list[list[int]]:
    """The entries by index, those of one learner in one list."""
    learner = {text: name for name, texts in seeds.items() for text in texts}
    found: dict[str, list[int]] = {}
    for i, text in enumerate(entries):
        found.setdefault(learner.get(text, text), []).append(i)
    return [*found.values()]
