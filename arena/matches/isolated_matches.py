"""Play matches with each agent in a separate process, so that agents cannot affect each other.

The worker process runs the rules but no agent; its child processes run one agent each. If a child fails, only
its agent can be to blame.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from time import perf_counter

from arena.api.game import Game
from arena.api.reasons import FORFEITS
from arena.faults.rule_check import game_fault
from arena.matches.batch import Batch
from arena.matches.block import (
    advise_slow,
    agent_of,
    clear,
    endings_of,
    game_of,
    wanted_of,
    with_first_stories,
)
from arena.matches.children import Children
from arena.matches.match import Player, play_match
from arena.matches.remote_agent import Child, Remote
from arena.plan.plan import Plan
from arena.results.record import Record
from arena.workers.worker import RULES, Watch, this_worker

CHILDREN = "children"  # key in the worker's cache


def play_apart(
    plan: Plan, numbers: range, keep: bool, left_out: frozenset[int] = frozenset()
) -> tuple[list[Record], range, float]:
    """Play matches with each agent in a child process; this process runs the rules and interactive agents.

    Entries in `plan.isolated` are sandboxed.

    Args:
        plan: The plan.
        numbers: The numbers of the matches.
        keep: Keep the child processes for later matches.
        left_out: Entries whose matches are skipped.

    Returns:
        The records in the order of their numbers; the numbers of the remaining matches, since playing stops
        after a stall; and the elapsed seconds.

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
    wanted = wanted_of(plan, numbers, left_out)
    together = Batch(plan, game, children, watch).play(wanted)
    for number in wanted:
        if number in together:
            records.append(together[number])
            continue
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
    advise_slow(perf_counter() - start, plan.game)
    return records, left, perf_counter() - start


def play_one(
    plan: Plan, game: Game, number: int, children: Children, watch: Watch
) -> tuple[Record, dict[int, Remote]]:
    """Play a match, and return its record and the proxies of the agents by seat."""
    fixture = plan.fixture(number)
    watch.turn(number, RULES, plan.limits.stall_seconds)
    try:
        opening = plan.opening(game, fixture)
    except Exception as error:
        raise game_fault(game, [], error, watch, number) from error
    remotes: dict[int, Remote] = {}

    def make(seat: int) -> Player:
        if fixture[2 + seat] in plan.interactive:
            agent: Player = agent_of(plan.entries[fixture[2 + seat]], plan.game, seat)
            return agent

        def child() -> Child:
            with watch.paused():  # starting processes takes a while, for which no agent is to blame
                return children.child(plan, fixture, seat)

        def renewed() -> Child:
            with watch.paused():
                children.drop(remotes[seat].child)
            return child()

        place = number, seat
        remotes[seat] = Remote(child(), watch, place, plan.limits.stall_seconds, renewed=renewed)
        return remotes[seat]

    seeds, endings = plan.seat_seeds(number), endings_of(plan, game, number, watch)
    cleared = partial(clear, plan, fixture)
    record = play_match(
        game, make, fixture, seeds, opening, plan.limits, watch, endings, cleared, plan.untrusted
    )
    return record, remotes
