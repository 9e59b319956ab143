"""Matches whose agents play in processes of their own, so that neither can do anything to the other.

This process has the rules and no agent; its children have one agent each. What goes wrong in a child is that
agent's fault alone.
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
from arena.plan.schedule import Plan
from arena.results.record import FORFEITS, Record, with_first_stories
from arena.workers.pools import default_workers
from arena.workers.watch import RULES, Watch
from arena.workers.worker import this_worker

KEPT = 64  # children that are kept for later matches, or more where there is room
SHARE, IDLE = 4, 8 << 20  # of the memory they may have a fourth; bytes that one takes
WORN = 1000.0  # seconds that one may have been asked for; then another takes its place
CHILDREN = "children"  # what a worker keeps them under


def memory() -> int:
    """Bytes that this machine has, 0 where that is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows, say
        return 0


class Children:
    """The processes that a worker keeps for matches to come, those asked last at the end."""

    def __init__(self) -> None:
        self.kept: dict[tuple[object, ...], Child] = {}
        self.most = max(KEPT, memory() // SHARE // default_workers() // IDLE)

    def child(self, plan: Plan, entry: int, seat: int) -> Child:
        """The process of an entry in a seat, begun if there is none."""
        spec, confined = plan.entries[entry], entry in plan.isolated
        timed = plan.limits.move_seconds, plan.limits.clock
        key = (spec.text, spec.target, plan.game.text, seat, confined, *timed)
        child = self.kept.pop(key, None) or Child(spec, plan.game, plan.limits, confined)
        self.kept[key] = child
        return child

    def tidy(self) -> None:
        """End those that have been asked for long, and all but some that were asked last."""
        for child in list(self.kept.values())[: -self.most]:
            self.drop(child)
        for child in [child for child in self.kept.values() if child.asked > WORN]:
            self.drop(child)

    def drop(self, child: Child) -> None:
        """End one."""
        child.close()
        self.kept = {key: other for key, other in self.kept.items() if other is not child}

    def close(self) -> None:
        """End all."""
        for child in list(self.kept.values()):
            self.drop(child)


def play_apart(
    plan: Plan, numbers: range, keep: bool, left_out: frozenset[int] = frozenset()
) -> tuple[list[Record], range, float]:
    """Play some matches in this process, with the rules and whoever asks at the terminal, and its children.

    Returns records in the order of their numbers, what is left to be played, for it stops after a stall, and
    seconds. Entries in `plan.isolated` are sandboxed. keep: whether children are kept for later matches.
    left_out: entries whose matches are not to be played.
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
        with watch.paused():  # to end a process that has taken much memory takes a while
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
    """The record of a match, and who stood for the agents by seat."""
    fixture = plan.fixture(number)
    watch.turn(number, RULES, plan.limits.stall_seconds)
    try:
        opening = plan.opening(game, fixture.round)
    except Exception as error:
        raise game_fault(game, [], error, watch, number) from error
    remotes: dict[int, Remote] = {}

    def make(seat: int) -> Player:
        if fixture[2 + seat] in plan.interactive:
            agent: Player = instance_of(plan.entries[fixture[2 + seat]], plan.game, seat)
            return agent
        with watch.paused():  # to start processes takes a while, of which no agent is guilty
            child = children.child(plan, fixture[2 + seat], seat)
        remotes[seat] = Remote(child, watch, (number, seat), plan.limits.stall_seconds)
        return remotes[seat]

    seeds, endings = plan.seat_seeds(number), endings_of(plan, game, number, watch)
    cleared = partial(clear, plan, fixture)
    record = play_match(
        game, make, fixture, seeds, opening, plan.limits, watch, endings, cleared, plan.untrusted
    )
    return record, remotes
