"""A plan played, in blocks of matches over an executor."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from typing import Any

from arena.errors import ArenaError
from arena.matches.block import Played, collected, play_block
from arena.matches.schedule import Fixture, Plan
from arena.results.record import Record
from arena.workers.jobs import Task, Work, work_off
from arena.workers.watch import NOBODY, RULES, WorkerDied

BLOCK_SECONDS = 0.5  # what a block should take
LARGEST = 20_000  # matches in a block at most, whose records are kept


def play(
    plan: Plan,
    numbers: Iterable[range],
    executor: Executor,
    workers: int,
    stop: threading.Event,
    kind: type[Played],
) -> Iterator[Played]:
    """Play the matches of these numbers, and give what is played block by block, in any order.

    kind: `list` for the records of all matches, `Summary` for what they come to, which is faster.
    Once `stop` is set, what is being played is finished and no more begun. ArenaError if the game itself
    fails.
    """
    return work_off(Playing(plan, numbers, executor, workers, kind), 2 * workers, stop)


class Playing(Work[Played]):
    """The matches of a plan that are to be played, in blocks of as many as take half a second.

    An agent to blame for a worker's death loses the match; the rest of the block is played again.
    """

    def __init__(
        self, plan: Plan, numbers: Iterable[range], executor: Executor, workers: int, kind: type[Played]
    ) -> None:
        super().__init__()
        self.plan, self.executor, self.workers = plan, executor, workers
        self.kind: type[Any] = kind
        self.left = deque(numbers)
        self.matches = sum(map(len, self.left))
        self.pace = 0.0  # seconds a match, of late

    def next_task(self, stopping: bool) -> Task | None:
        if stopping or not self.left:
            return None
        size = int(BLOCK_SECONDS / self.pace) if self.pace else 4
        size = max(1, min(size, self.matches // (2 * self.workers)))
        if self.kind is list:
            size = min(size, LARGEST)
        block = self.left.popleft()
        if len(block) > size:
            self.left.appendleft(block[size:])
            block = block[:size]
        self.matches -= len(block)
        return Task(self.executor, play_block, (self.plan, block, self.kind), block)

    def take(self, task: Task, answer: tuple[Played, float]) -> Iterator[Played]:
        played, seconds = answer
        self.pace = seconds / len(task.of)
        yield played

    def died(self, task: Task, death: WorkerDied) -> Iterator[Played]:
        block: range = task.of
        if death.number not in block and len(block) > 1:
            middle = len(block) // 2
            self.put_back(block[:middle], block[middle:])
            return
        number = death.number if death.number in block else block[0]
        at = number - block.start
        if not self.deaths.blame(number, death):
            self.put_back(block[:at], block[at:])
            return
        if death.seat == NOBODY:
            raise ArenaError(f"match {number}: {death.detail}, while no agent was to move")
        if death.seat == RULES:
            stall = f"ran for over {self.plan.limits.stall_seconds:g} s"
            detail = stall if death.stalled else death.detail
            raise ArenaError(f"game {self.plan.game.text} failed in match {number}: {detail}")
        self.put_back(block[:at], block[at + 1 :])
        yield collected([forfeit(self.plan, self.plan.fixture(number), death)], self.kind)

    def put_back(self, *blocks: range) -> None:
        """These are to be played again, before the others."""
        self.left.extendleft(block for block in reversed(blocks) if block)
        self.matches += sum(map(len, blocks))


def forfeit(plan: Plan, fixture: Fixture, death: WorkerDied) -> Record:
    """The record of a match whose agent took its process down; its moves went with it."""
    game = plan.game.make()
    opening = plan.opening(game, fixture.round)
    reason = "stall" if death.stalled else "crash"
    detail = f"no move within {plan.limits.stall_seconds:g} s" if death.stalled else death.detail
    text = " ".join(map(game.move_text, opening))
    result = -1 if death.seat == 0 else 1
    return Record(*fixture, result, reason, detail, len(opening), len(opening), text, 1, 0.0, 0.0)
