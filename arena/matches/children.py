"""The child processes of a worker, each with one agent, which are kept for later matches."""

from __future__ import annotations

import os

from arena.matches.remote_agent import Child
from arena.plan.plan import Plan
from arena.plan.schedule import Fixture
from arena.workers.pools import default_workers

KEPT = 64  # minimum number of children that a worker keeps for later matches
SHARE, IDLE = 4, 8 << 20  # more are kept if they fit in 1/SHARE of the memory, at IDLE bytes each
WORN = 1000.0  # seconds of thinking time after which a child is replaced


def memory() -> int:
    """Return the memory size of this machine in bytes; 0 if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # for example on Windows
        return 0


class Children:
    """The child processes that a worker keeps for later matches, most recently used last.

    Attributes:
        alone: Keys of the agents that can play only one match at a time.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple[object, ...], Child] = {}
        self.alone: set[tuple[object, ...]] = set()
        self.most = max(KEPT, memory() // SHARE // default_workers() // IDLE)

    def child(self, plan: Plan, fixture: Fixture, seat: int) -> Child:
        """Return the process of the entry in a seat, after starting it if needed."""
        key, entry = self.key(plan, fixture, seat), fixture[2 + seat]
        if (child := self.kept.pop(key, None)) is None:
            child = Child(plan.entries[entry], plan.game, plan.limits, entry in plan.isolated)
        self.kept[key] = child
        return child

    def key(self, plan: Plan, fixture: Fixture, seat: int) -> tuple[object, ...]:
        """Return the key of a process: one for each entry, but two in a match of an entry against itself."""
        first, spec = plan.entries[fixture[2]], plan.entries[fixture[2 + seat]]
        timed = plan.limits.move_seconds, plan.limits.clock
        second = seat == 1 and (first.text, first.target) == (spec.text, spec.target)
        return (spec.text, spec.target, plan.game.text, second, fixture[2 + seat] in plan.isolated, *timed)

    def plays_alone(self, plan: Plan, entry: int, key: tuple[object, ...]) -> bool:
        """Return whether an entry plays one match at a time, for example because it starts programs."""
        if key not in self.alone and any(
            getattr(part.cls, "programs", False) for part in plan.entries[entry].walk()
        ):
            self.alone.add(key)
        return key in self.alone

    def tidy(self) -> None:
        """End processes that have run for long, and if there are too many, the least recently used ones."""
        for child in list(self.kept.values())[: -self.most]:
            self.drop(child)
        for child in [child for child in self.kept.values() if child.asked > WORN]:
            self.drop(child)

    def drop(self, child: Child) -> None:
        """End a process."""
        child.close()
        self.kept = {key: other for key, other in self.kept.items() if other is not child}

    def close(self) -> None:
        """End all processes."""
        for child in list(self.kept.values()):
            self.drop(child)
