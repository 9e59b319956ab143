"""Learners that are entered with several seeds: trained apart, and rated as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.api.learner import Learner
from arena.api.options import with_options
from arena.api.spec import Spec
from arena.errors import ArenaError

Seeds = Mapping[str, Sequence[str]]  # the entries that each of them is, by the text that entered them


def apart(specs: Sequence[Spec]) -> tuple[tuple[Spec, ...], dict[str, list[str]]]:
    """The entries, with `q-table:seeds=3` in three: `q-table`, `q-table:seed=1` and `q-table:seed=2`.

    With those that were entered so. ArenaError for one within another entry.
    """
    found: list[Spec] = []
    seeds: dict[str, list[str]] = {}
    for spec in specs:
        if inner := next((part for part in spec.nested() if times(part) > 1), None):
            raise ArenaError(f"{inner.text!r} in {spec.text!r} is several learners; give it one seed")
        each = [spec]
        if times(spec) > 1:
            first = spec.values["seed"]
            each = [with_options(spec, seed=first + i, seeds=1) for i in range(times(spec))]
            seeds[spec.text] = [one.text for one in each]
        found += each
    return tuple(found), seeds


def times(spec: Spec) -> int:
    """How many learners a spec enters."""
    learns = isinstance(spec.cls, type) and issubclass(spec.cls, Learner)
    return spec.values["seeds"] if learns else 1


def together(entries: Sequence[str], seeds: Seeds) -> list[list[int]]:
    """The entries by index, those of one learner in one list."""
    learner = {text: name for name, texts in seeds.items() for text in texts}
    found: dict[str, list[int]] = {}
    for i, text in enumerate(entries):
        found.setdefault(learner.get(text, text), []).append(i)
    return [*found.values()]
