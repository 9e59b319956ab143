"""A plan played, in blocks of matches over an executor."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from typing import Any, NamedTuple

from arena.api.rulings import GameFault
from arena.errors import ArenaError, one_line
from arena.matches.block import Block, Played, collected, fault_of, play_block
from arena.matches.schedule import Fixture, Plan
from arena.results.record import FORFEITS, Record
from arena.workers.jobs import Task, Work, work_off
from arena.workers.pools import working
from arena.workers.processes import Processes
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
    with ExitStack() as resources:
        playing = Playing(plan, numbers, executor, workers, kind, resources)
        yield from work_off(playing, 2 * workers, stop)


class Of(NamedTuple):
    """What a task is of: its matches, and whether each agent has a process of its own in them."""

    block: range
    apart: bool


class Playing(Work[Played]):
    """The matches of a plan that are to be played, in blocks of as many as take half a second.

    What goes wrong in a worker where several agents have played may be any one's fault. So such a match is
    played again apart, where it is told whose fault it is, and the rest of its block in another worker.
    Once a fault is known to be an entry's own, it costs that entry each match that ends so.
    """

    def __init__(
        self,
        plan: Plan,
        numbers: Iterable[range],
        executor: Executor,
        workers: int,
        kind: type[Played],
        resources: ExitStack,
    ) -> None:
        super().__init__()
        self.plan, self.executor, self.workers = plan, executor, workers
        self.kind: type[Any] = kind
        self.resources = resources
        self.apart: Executor | None = None  # whose workers have the rules alone
        self.left = deque(numbers)
        self.matches = sum(map(len, self.left))
        self.doubtful: deque[int] = deque()
        self.known: set[tuple[int, str, str]] = set()
        self.pace = 0.0  # seconds a match, of late

    def next_task(self, stopping: bool) -> Task | None:
        if stopping:
            return None
        if self.doubtful:
            number = self.doubtful.popleft()
            return self.played_apart(range(number, number + 1), keep=False)
        if not self.left:
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
        if self.plan.isolated:
            return self.played_apart(block, keep=True)
        given = (self.plan, block, self.kind, frozenset(self.known))
        return Task(self.executor, play_block, given, Of(block, False))

    def played_apart(self, block: range, keep: bool) -> Task:
        """Matches, with each agent in a process of its own."""
        from arena.matches.apart import play_apart  # which needs what few do

        if self.apart is None:
            self.apart = self.resources.enter_context(working(Processes, self.workers))
        return Task(self.apart, play_apart, (self.plan, block, keep), Of(block, True))

    def take(self, task: Task, answer: Any) -> Iterator[Played]:
        block, apart = task.of
        if apart:
            records, seconds = answer
            if self.plan.isolated:
                self.pace = seconds / len(block)
            yield self.certain(records)
            return
        found: Block = answer
        self.put_back(found.again)
        if found.doubtful is not None:
            self.doubtful.append(found.doubtful)
        played = len(block) - sum(map(len, found.again)) - (found.doubtful is not None)
        if played:
            self.pace = found.seconds / played
            yield found.played

    def certain(self, records: Sequence[Record]) -> Played:
        """What matches come to in which each fault is its agent's own."""
        self.known.update(fault_of(record) for record in records if record.reason in FORFEITS)
        found: Played = collected(records, self.kind)
        return found

    def died(self, task: Task, death: WorkerDied) -> Iterator[Played]:
        block, apart = task.of
        if death.number not in block and len(block) > 1:
            middle = len(block) // 2
            self.put_back([block[:middle], block[middle:]])
            return
        number = death.number if death.number in block else block[0]
        at = number - block.start
        rest = [block[:at], block[at + 1 :]]
        if death.seat in (0, 1) and death.stalled:
            record = forfeit(self.plan, self.plan.fixture(number), death)
            if apart or fault_of(record) in self.known:
                self.put_back(rest)
                yield self.certain([record])
                return
        if apart and self.deaths.blame(number, death):
            raise self.end(number, death)
        self.put_back(rest)
        self.doubtful.append(number)

    def end(self, number: int, death: WorkerDied) -> ArenaError:
        """The error for the death of a worker without agents."""
        if death.seat == RULES:
            return GameFault(f"game {self.plan.game.text} failed in match {number}: {death.fault}")
        return ArenaError(f"match {number}: {death.detail}, while it was played apart")

    def failed(self, task: Task, error: Exception) -> Iterator[Played]:
        """An error of the worker's own is a death like any."""
        if isinstance(error, ArenaError) or not isinstance(self.executor, Processes):
            raise error
        yield from self.died(task, WorkerDied(NOBODY, NOBODY, False, one_line(error)))

    def put_back(self, blocks: Iterable[range]) -> None:
        """These are to be played again, before the others."""
        some = [block for block in blocks if block]
        self.left.extendleft(reversed(some))
        self.matches += sum(map(len, some))


def forfeit(plan: Plan, fixture: Fixture, death: WorkerDied) -> Record:
    """The record of a match whose agent did not come to an end; its moves went with its process."""
    game = plan.game.make()
    opening = plan.opening(game, fixture.round)
    detail = f"no move within {plan.limits.stall_seconds:g} s"
    text = " ".join(map(game.move_text, opening))
    result = -1 if death.seat == 0 else 1
    return Record(*fixture, result, "stall", detail, len(opening), len(opening), text, 1, 0.0, 0.0)
