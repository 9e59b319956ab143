"""Play matches with each agent in a process of its own, so that the two cannot affect each other.

The worker process has the rules but no agent; its child processes have one agent each. If a child fails, it
is the fault of its agent alone.
"""

from __future__ import annotations

import os
from collections import Counter
from functools import partial
from time import perf_counter

from arena.api.game import Game
from arena.faults.rule_check import game_fault
from arena.matches.block import clear, endings_of, game_of, instance_of, wanted_of
from arena.matches.match import Player, play_match
from arena.matches.remote_agent import Child, Remote
from arena.plan.plan import Plan
from arena.results.record import FORFEITS, Record, with_first_stories
from arena.workers.pools import default_workers
from arena.workers.worker import RULES, Watch, this_worker

KEPT = 64  # minimum number of children that a worker keeps for later matches
SHARE, IDLE = 4, 8 << 20  # more are kept if a fourth of the memory has room for them, at so many bytes each
WORN = 1000.0  # seconds of thinking time after which a child is replaced
CHILDREN = "children"  # key in the worker's cache


def memory() -> int:
    """Return the bytes of memory that this machine has, 0 if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # such as on Windows
        return 0


class Children:
    """The child processes that a worker keeps for later matches, the most recently used last."""

    def __init__(self) -> None:
        self.kept: dict[tuple[object, ...], Child] = {}
        self.most = max(KEPT, memory() // SHARE // default_workers() // IDLE)

    def child(self, plan: Plan, entry: int, seat: int) -> Child:
        """Return the process of an entry in a seat, starting it if needed."""
        spec, confined = plan.entries[entry], entry in plan.isolated
        timed = plan.limits.move_seconds, plan.limits.clock
        key = (spec.text, spec.target, plan.game.text, seat, confined, *timed)
        child = self.kept.pop(key, None) or Child(spec, plan.game, plan.limits, confined)
        self.kept[key] = child
        return child

    def tidy(self) -> None:
        """End processes that have played for long, and the least recently used if there are too many."""
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


def play_apart(
    plan: Plan, numbers: range, keep: bool, left_out: frozenset[int] = frozenset()
) -> tuple[list[Record], range, float]:
    """Play matches with each agent in a child process; this process has the rules and interactive agents.

    Entries in `plan.isolated` are sandboxed.

    Args:
        plan: The plan.
        numbers: The numbers of the matches.
        keep: Keep the children for later matches.
        left_out: Entries whose matches are skipped.

    Returns:
        The records in the order of their numbers; the numbers of matches that are left, since playing stops
        after a stall; and the seconds that it took.

    Raises:
        GameFault: If the rules fail.
    """
    worker = this_worker()
    watch = worker.watch
    children: Children = worker.keep(CHILDREN, Children)
    worker.close = children.close
    try:
        game = game_of(plan, numbers[0], watch)
    except BaseException as error:
        raise game_fault(plan.game, [], error, watch, numbers[0]) from error
    start = perf_counter()
    records: list[Record] = []
    told: Counter[int] = Counter()
    left = numbers[:0]
    for number in wanted_of(plan, numbers, left_out):
        record, remotes = play_one(plan, game, number, children, watch)
        records += with_first_stories([record], told)
        with watch.paused():  # ending a process that uses much memory takes a while
            for seat, remote in remotes.items():
                remote.child.asked += record.second_seconds if seat else record.first_seconds
                forfeited = record.reason in FORFEITS and record.loser == plan.fixture(number)[2 + seat]
                if remote.failed or forfeited:
                    children.drop(remote.child)
            children.tidy()
        if record.reason == "stall":
            left = numbers[number + 1 - numbers.start :]
            break
    if not keep:
        children.close()
    watch.clear()
    return records, left, perf_counter() - start


def play_one(
    plan: Plan, game: Game, number: int, children: Children, watch: Watch
) -> tuple[Record, dict[int, Remote]]:
    """Play a match, and return its record and the agents' stand-ins by seat."""
    fixture = plan.fixture(number)
    watch.turn(number, RULES, plan.limits.stall_seconds)
    try:
        opening = plan.opening(game, fixture)
    except Exception as error:
        raise game_fault(game, [], error, watch, number) from error
    remotes: dict[int, Remote] = {}

    def make(seat: int) -> Player:
        if fixture[2 + seat] in plan.interactive:
            agent: Player = instance_of(plan.entries[fixture[2 + seat]], plan.game, seat)
            return agent
        with watch.paused():  # starting processes takes a while, which is no agent's fault
            child = children.child(plan, fixture[2 + seat], seat)
        remotes[seat] = Remote(child, watch, (number, seat), plan.limits.stall_seconds)
        return remotes[seat]

    seeds, endings = plan.seat_seeds(number), endings_of(plan, game, number, watch)
    cleared = partial(clear, plan, fixture)
    record = play_match(
        game, make, fixture, seeds, opening, plan.limits, watch, endings, cleared, plan.untrusted
    )
    return record, remotes
