"""A plan played, in blocks of matches over an executor."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, closing
from heapq import heappop, heappush
from typing import Any, NamedTuple, Protocol

from arena.errors import ArenaError, one_line
from arena.faults.rule_check import died_of
from arena.ledger.ledger import Changes, Ledger
from arena.ledger.withdrawals import is_unplayed
from arena.matches.block import Block, Played, fault_of, joined, play_block, wanted_of
from arena.plan.schedule import Fixture, Plan
from arena.results.record import FORFEITS, Record
from arena.results.records import Records
from arena.results.tally import Summary
from arena.workers.jobs import Task, Work, work_off
from arena.workers.pools import Pool, Surviving, Workers, working
from arena.workers.processes import Processes
from arena.workers.watch import NOBODY, RULES, WorkerDied

BLOCK_SECONDS = 0.5  # what a block should take
LARGEST = 20_000  # matches in a block at most, whose records are kept


class Sink(Protocol):
    """Keeps results: `ledger.recorder.Recorder` in a database, those of `ledger.sums` not."""

    @property
    def kind(self) -> type[Records] | type[Summary]:
        """What it is given of a block of matches: records, or the sums alone, which is faster."""

    def write(self, changes: Changes) -> Iterable[range]:
        """Keep what follows from a block; return the numbers of matches that are to be played again."""

    def close(self) -> None:
        """Note that nothing more is played."""


def run(ledger: Ledger, sink: Sink, workers: Workers) -> Iterator[Changes]:
    """Play all matches that a ledger lacks, stage by stage.

    Args:
        ledger: What was played so far; takes in the rest.
        sink: Keeps the results.
        workers: Who plays. Once they are to stop, what is being played is finished.

    Yields:
        What follows from each block, once it is kept.

    Raises:
        ArenaError: If the game or the format fails.
    """
    again: list[range] = []
    kind: type[Any] = sink.kind
    with ExitStack() as resources:
        pool: Pool | None = None
        while (left := [*again, *to_play(ledger, sink)]) and not workers.stop.is_set():
            again = []
            pool = pool or resources.enter_context(workers.opened())
            with ExitStack() as others:
                playing = Playing(ledger.plan, left, pool, kind, others)
                playing.leave_out(ledger.withdrawals.withdrawn, ledger.withdrawals.held())
                for block in others.enter_context(closing(playing.blocks(pool))):
                    changes = ledger.add(block)
                    if changes.held is not None:
                        playing.leave_out(ledger.withdrawals.withdrawn, changes.held)
                    again += sink.write(changes)
                    yield changes
        sink.close()


def to_play(ledger: Ledger, sink: Sink) -> list[range]:
    """Return the numbers of matches that are left, of the next stage if those before are all played."""
    while not (left := ledger.left()) and ledger.next_stage():
        sink.write(ledger.add(Records()))  # what is forfeited unplayed
    return left


def play(
    plan: Plan, numbers: Iterable[range], pool: Pool, kind: type[Played]
) -> Generator[Played, None, None]:
    """Play the matches of these numbers and yield what is played block by block, in any order.

    Args:
        plan: What is played.
        numbers: Which matches of that.
        pool: Who plays.
        kind: `Records` of all matches, or a `Summary` of what they come to, which is faster.

    Raises:
        ArenaError: If the game itself fails.
    """
    with ExitStack() as resources:
        yield from Playing(plan, numbers, pool, kind, resources).blocks(pool)


class Of(NamedTuple):
    """What a task is of: its matches, but for those of entries that are left out.

    apart: whether each agent has a process of its own in them. singly: whether it is one of `Playing.singly`.
    """

    block: range
    apart: bool
    left_out: frozenset[int] = frozenset()
    singly: bool = False


class Playing(Work[Played]):
    """The matches of a plan that are to be played, in blocks of as many as take half a second.

    What goes wrong in a worker where several agents have played may be any one's fault. So such a match is
    played again apart, where it is told whose fault it is, and the rest of its block in another worker.
    Once a fault is known to be an entry's own, it costs that entry each match that ends so. Who has stalled
    plays its matches singly from then on, apart, where it alone is stopped, and can say where it is.
    """

    def __init__(
        self,
        plan: Plan,
        numbers: Iterable[range],
        pool: Pool,
        kind: type[Played],
        resources: ExitStack,
    ) -> None:
        super().__init__()
        self.plan, self.executor, self.workers = plan, pool.executor, pool.count
        self.kind: type[Any] = kind
        self.resources = resources
        self.apart: Executor | None = None  # whose workers have the rules alone
        # a match that is not played yet is in one of these, or in a task that is being done
        self.left = deque(numbers)  # blocks
        self.doubtful: deque[int] = deque()  # matches in which something went wrong, to be played again apart
        self.singly: list[int] = []  # those of who has stalled, a heap: the first of them decide on the rest
        self.held: list[int] = []  # those that wait until it is decided whether they are played

        self.matches = sum(map(len, self.left))  # in blocks
        self.known: set[tuple[int, str, str]] = set()  # faults that are an entry's own
        self.pace = 0.0  # seconds a match, of late
        self.withdrawn: Mapping[int, int] = {}  # entries, each with the number of its last match
        self.holding: Mapping[int, int] = {}  # likewise those that may turn out to be withdrawn
        self.suspects: set[int] = set()  # entries that have stalled, of which some may be innocent
        self.stalling: set[int] = set()  # those that are not
        self.busy = self.busy_singly = 0  # tasks that are being done, and matches played singly among them

    def blocks(self, pool: Pool) -> Generator[Played, None, None]:
        """Play, and yield what is played block by block."""
        # what somebody has played at the terminal is taken in before the next match begins
        yield from work_off(self, 1 if self.plan.interactive else 2 * pool.count, pool.stop)

    def next_task(self, stopping: bool) -> Task | None:
        task = None if stopping else self.task_to_do()
        if task:
            self.busy += 1
            self.busy_singly += task.of.singly
        return task

    def task_to_do(self) -> Task | None:
        while self.doubtful:
            number = self.doubtful.popleft()
            if self.is_to_be_played(number):
                return self.played_apart(Of(range(number, number + 1), True), keep=False)
        while self.singly and self.busy_singly < self.workers:
            number = heappop(self.singly)
            if self.is_to_be_played(number):
                return self.played_apart(Of(range(number, number + 1), True, singly=True), keep=True)
        left_out = frozenset({*self.withdrawn, *self.holding})
        if not self.plan.isolated:
            left_out |= self.suspects | self.stalling | self.plan.interactive
        while self.left:
            block = self.next_block()
            if left_out and not self.part(block, left_out):
                continue
            if self.plan.isolated:
                return self.played_apart(Of(block, True, left_out), keep=True)
            given = (self.plan.part(block), block, self.kind, frozenset(self.known), left_out)
            return Task(self.executor, play_block, given, Of(block, False, left_out))
        if not self.busy and (self.singly or self.held):
            self.holding = {}  # nobody is waited for
            self.singly, self.held = sorted(self.singly + self.held), []
            return self.task_to_do()
        return None

    def leave_out(self, withdrawn: Mapping[int, int], holding: Mapping[int, int]) -> None:
        """Do not play the matches of entries that are withdrawn, and let those wait that may not be played.

        Args:
            withdrawn: The entries that are withdrawn, each with the number of its last match.
            holding: Likewise the entries that may turn out to be withdrawn.
        """
        self.withdrawn, self.holding = {**withdrawn}, holding
        waited, self.held = self.held, []
        released = sorted(number for number in waited if self.is_to_be_played(number))
        self.put_back(joined(range(number, number + 1) for number in released))

    def is_to_be_played(self, number: int) -> bool:
        """Whether a match is to be played; one of which that is not decided yet is put aside."""
        fixture = self.plan.fixture(number)
        if self.withdrawn and is_unplayed(fixture, self.withdrawn):
            return False
        wait = any(number > self.holding.get(entry, number) for entry in fixture[2:])
        if wait:
            self.held.append(number)
        return not wait

    def part(self, block: range, left_out: frozenset[int]) -> bool:
        """Have the matches of entries that a block leaves out played singly; whether there are others."""
        others = False
        for number in block:
            if left_out.isdisjoint(self.plan.fixture(number)[2:]):
                others = True
            elif self.is_to_be_played(number):
                heappush(self.singly, number)
        return others

    def next_block(self) -> range:
        """As many matches as take half a second."""
        size = int(BLOCK_SECONDS / self.pace) if self.pace else 4
        size = max(1, min(size, self.matches // (2 * self.workers)))
        if self.plan.interactive:
            size = 1
        if self.kind is Records:
            size = min(size, LARGEST)
        block = self.left.popleft()
        if len(block) > size:
            self.left.appendleft(block[size:])
            block = block[:size]
        self.matches -= len(block)
        return block

    def played_apart(self, of: Of, keep: bool) -> Task:
        """Matches, with each agent in a process of its own."""
        from arena.matches.isolated_matches import play_apart  # which needs what few do

        if self.plan.interactive or len(self.plan.isolated) == len(self.plan.entries):
            self.apart = self.executor  # in whose workers there are no agents either
        if self.apart is None:
            alike = self.executor.another if isinstance(self.executor, Surviving) else Processes
            self.apart = self.resources.enter_context(working(alike, self.workers))
        return Task(self.apart, play_apart, (self.plan.part(of.block), of.block, keep, of.left_out), of)

    def done(self, task: Task) -> Of:
        """What a task was of that is done, or that a worker has died of."""
        of: Of = task.of
        self.busy -= 1
        self.busy_singly -= of.singly
        return of

    def take(self, task: Task, answer: Any) -> Iterator[Played]:
        block, apart, left_out, _ = self.done(task)
        if apart:
            records, left, seconds = answer
            self.put_back([left], left_out)
            if self.plan.isolated and records:
                self.pace = seconds / len(records)
            yield self.certain(records)
            return
        found: Block = answer
        self.put_back(found.again, left_out)
        if found.doubtful is not None:
            self.doubtful.append(found.doubtful)
        played = found.played.matches if isinstance(found.played, Summary) else len(found.played)
        if played:
            self.pace = found.seconds / played
            if isinstance(found.played, Summary):
                numbers = without(block, [*found.again, *single(found.doubtful)])
                found.played.covers = self.others(numbers, left_out)
            yield found.played

    def certain(self, records: Sequence[Record]) -> Played:
        """What matches come to in which each fault is its agent's own."""
        self.known.update(fault_of(record) for record in records if record.reason in FORFEITS)
        for record in records:
            self.suspects -= {record.first, record.second}
        self.stalling.update(record.loser for record in records if record.reason == "stall")
        found: Played = self.kind.of(records)
        if isinstance(found, Summary):
            found.covers = joined(range(record.number, record.number + 1) for record in records)
        return found

    def died(self, task: Task, death: WorkerDied) -> Iterator[Played]:
        block, apart, left_out, _ = self.done(task)
        if death.number not in block and len(block) > 1:
            middle = len(block) // 2
            self.put_back([block[:middle], block[middle:]], left_out)
            return
        number = death.number if death.number in block else block[0]
        at = number - block.start
        rest = [block[:at], block[at + 1 :]]
        self.put_back(rest, left_out)
        if death.seat in (0, 1) and death.stalled:
            if apart:
                yield self.certain([forfeit(self.plan, self.plan.fixture(number), death)])
                return
            self.suspects.add(self.plan.fixture(number)[2 + death.seat])
            heappush(self.singly, number)
            return
        if apart and death.seat in (0, 1):  # it waited for an agent, which was not in it
            death = WorkerDied(death.number, NOBODY, death.stalled, death.detail, death.seconds, death.stack)
        if apart and self.deaths.blame(number, death):
            raise self.end(number, death)
        self.doubtful.append(number)

    def end(self, number: int, death: WorkerDied) -> ArenaError:
        """The error for the death of a worker without agents."""
        if death.seat == RULES:
            return died_of(self.plan.game, death, number)
        return ArenaError(f"match {number}: {death.detail}, while it was played apart")

    def failed(self, task: Task, error: Exception) -> Iterator[Played]:
        """An error of the worker's own is a death like any."""
        if isinstance(error, ArenaError) or not isinstance(self.executor, Surviving):
            raise error
        yield from self.died(task, WorkerDied(NOBODY, NOBODY, False, one_line(error)))

    def others(self, blocks: Iterable[range], left_out: frozenset[int]) -> list[range]:
        """These matches but for those of some entries."""
        if not left_out:
            return [block for block in blocks if block]
        numbers = (number for block in blocks for number in wanted_of(self.plan, block, left_out))
        return joined(range(number, number + 1) for number in numbers)

    def put_back(self, blocks: Iterable[range], left_out: frozenset[int] = frozenset()) -> None:
        """These are to be played again, before the others, but for those of some entries."""
        some = self.others(blocks, left_out)
        self.left.extendleft(reversed(some))
        self.matches += sum(map(len, some))


def without(block: range, parts: Iterable[range]) -> list[range]:
    """A block without some parts of it."""
    left, start = [], block.start
    for part in sorted(parts, key=lambda part: part.start):
        left.append(range(start, part.start))
        start = part.stop
    return [*left, range(start, block.stop)]


def single(number: int | None) -> list[range]:
    """A number as ranges, none for None."""
    return [] if number is None else [range(number, number + 1)]


def forfeit(plan: Plan, fixture: Fixture, death: WorkerDied) -> Record:
    """The record of a match whose agent did not come to an end; its moves went with its process."""
    game = plan.game.make()
    opening = plan.opening(game, fixture.round)
    detail = f"no move within {plan.limits.stall_seconds:g} s"
    plies, text = len(opening.moves), " ".join(map(game.move_text, opening.moves))
    result = -1 if death.seat == 0 else 1
    return Record(*fixture, result, "stall", detail, plies, plies, text, 1, 0.0, 0.0, opening.start)
