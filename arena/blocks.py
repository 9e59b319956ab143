"""A plan played, in blocks of matches over an executor."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from time import perf_counter
from typing import Any

from arena import executors
from arena.agent import Agent
from arena.errors import ArenaError, one_line
from arena.executors import WorkerDied
from arena.match import Record, fault, play_match
from arena.plugins import Spec
from arena.schedule import Fixture, Plan
from arena.watch import NOBODY, RULES

BLOCK_SECONDS = 0.5  # what a block should take
LARGEST = 20_000  # matches in a block at most
local = threading.local()  # .made: the game and agents made in this thread


def play(
    plan: Plan, numbers: Iterable[range], executor: Executor, workers: int, stop: threading.Event
) -> Iterator[list[Record]]:
    """Play the matches of these numbers, and give their records block by block, in any order.

    An agent loses a match if twice a worker dies when it is its turn there; once, somebody else may have
    ended the process. What else was in the block is played again. Once `stop` is set, what is being
    played is finished and no more begun. ArenaError if the game itself fails.
    """
    waiting = deque(numbers)
    left = sum(map(len, waiting))
    pending: dict[Future[tuple[list[Record], float]], range] = {}
    pace = 0.0  # seconds a match, of late
    suspects: set[tuple[int, int]] = set()  # match and seat at which a worker died once
    while waiting or pending:
        if stop.is_set():
            waiting.clear()
            pending = {future: chunk for future, chunk in pending.items() if not future.cancel()}
        while waiting and len(pending) < 2 * workers:
            size = int(BLOCK_SECONDS / pace) if pace else 4
            size = max(1, min(size, LARGEST, left // (2 * workers)))
            chunk = waiting.popleft()
            if len(chunk) > size:
                waiting.appendleft(chunk[size:])
                chunk = chunk[:size]
            left -= len(chunk)
            pending[executor.submit(play_block, plan, chunk)] = chunk
        done, _ = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
        for future in done:
            chunk = pending.pop(future)
            try:
                records, seconds = future.result()
                pace = seconds / len(records)
            except BrokenExecutor as error:
                raise ArenaError(
                    f"the executor broke: {one_line(error)}; 'processes' tells whose fault it is and goes on"
                ) from error
            except WorkerDied as death:
                records, again = after_death(plan, chunk, death, suspects)
                waiting.extendleft(reversed(again))
                left += sum(map(len, again))
            if records:
                yield records


def after_death(
    plan: Plan, chunk: range, death: WorkerDied, suspects: set[tuple[int, int]]
) -> tuple[list[Record], list[range]]:
    """What a worker's death decides, and what of its block is to be played again."""
    if death.number not in chunk and len(chunk) > 1:
        middle = len(chunk) // 2
        return [], [chunk[:middle], chunk[middle:]]
    number = death.number if death.number in chunk else chunk[0]
    at = number - chunk.start
    if not death.stalled and (number, death.seat) not in suspects:
        suspects.add((number, death.seat))
        return [], [part for part in (chunk[:at], chunk[at:]) if part]
    if death.seat == NOBODY:
        raise ArenaError(f"match {number}: {death.detail}, while no agent was to move")
    if death.seat == RULES:
        how = f"ran for over {plan.limits.stall_seconds:g} s" if death.stalled else death.detail
        raise ArenaError(f"game {plan.game.text} failed in match {number}: {how}")
    rest = [part for part in (chunk[:at], chunk[at + 1 :]) if part]
    return [forfeit(plan, plan.fixture(number), death)], rest


def forfeit(plan: Plan, fixture: Fixture, death: WorkerDied) -> Record:
    """The record of a match whose agent took its process down; its moves went with it."""
    game = plan.game.make()
    opening = plan.opening(game, fixture.round)
    reason = "stall" if death.stalled else "crash"
    detail = f"no move within {plan.limits.stall_seconds:g} s" if death.stalled else death.detail
    text = " ".join(map(game.move_text, opening))
    result = -1 if death.seat == 0 else 1
    return Record(*fixture, result, reason, detail, len(opening), len(opening), text, 1, 0.0, 0.0)


def play_block(plan: Plan, numbers: range) -> tuple[list[Record], float]:
    """Play some matches here: their records, and the seconds it took."""
    start = perf_counter()
    watch = executors.this_worker
    watch.turn(numbers[0], RULES, plan.limits.stall_seconds)
    game = made(plan.game)
    records = []
    round, opening = -1, []
    for number in numbers:
        fixture = plan.fixture(number)
        if fixture.round != round:
            watch.turn(number, RULES, plan.limits.stall_seconds)
            try:
                round, opening = fixture.round, plan.opening(game, fixture.round)
            except Exception as error:
                raise fault(game, number, [], error, watch) from error

        def make(seat: int, fixture: Fixture = fixture) -> Agent:
            agent: Agent = made(plan.entries[fixture[2 + seat]], plan.game, seat)
            return agent

        record = play_match(game, make, fixture, plan.match_seed(number), opening, plan.limits, watch)
        if record.reason == "crash":
            local.made.clear()  # what raised may be in any state
        records.append(record)
    watch.clear()
    return records, perf_counter() - start


def made(spec: Spec, of: Spec | None = None, seat: int = 0) -> Any:
    """The game, or the agent of a seat in game `of`: made once a thread and kept."""
    if not hasattr(local, "made"):
        local.made = {}
    key = (spec.text, spec.target, of and of.text, seat)
    if key not in local.made:
        # an agent gets a game of its own, for it may leave threads at work on it
        local.made[key] = spec.make(of.make()) if of else spec.make()
    return local.made[key]
