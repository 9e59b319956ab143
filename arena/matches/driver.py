"""Play a plan in blocks of matches, which are distributed to the workers of an executor."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, closing
from heapq import heappop, heappush
from typing import Any, NamedTuple, Protocol

from arena.api.reasons import FORFEITS
from arena.errors import ArenaError, one_line
from arena.faults.rule_check import died_of
from arena.ledger.ledger import Changes, Ledger, is_unplayed
from arena.matches.block import Block, Played, fault_of, joined, play_block, wanted_of
from arena.plan.plan import Plan
from arena.plan.schedule import Fixture
from arena.results.record import Record
from arena.results.records import Records
from arena.results.tally import Summary
from arena.workers.loop import Task, Work, work_off
from arena.workers.pools import Pool, Surviving, Workers, working
from arena.workers.processes import Processes
from arena.workers.worker import NOBODY, RULES, WorkerDied

BLOCK_SECONDS = 0.5  # target time of a block
# target time of a block if agents have separate processes; and the minimum number of matches in such a block,
# since simultaneous matches are faster, unless they take more than an eighth of that time
BATCH_SECONDS, BATCH = 2.0, 64
FIRST = 8  # number of matches in the first blocks
LARGEST = 20_000  # maximum number of matches in a block whose records are kept


class Sink(Protocol):
    """A receiver of results: `ledger.recorder.Recorder` uses a database, those in `ledger.sums` do not."""

    @property
    def kind(self) -> type[Records] | type[Summary]:
        """The type of results that the sink needs: records, or only sums, which are faster."""

    def write(self, changes: Changes) -> Iterable[range]:
        """Store the changes that a block causes, and return the numbers of the matches to play again."""

    def close(self) -> None:
        """Finish, after the last match."""


def run(ledger: Ledger, sink: Sink, workers: Workers) -> Iterator[Changes]:
    """Play all matches that are missing from a ledger, stage by stage.

    Args:
        ledger: The results so far; it processes further results.
        sink: Stores the results.
        workers: Workers that play the matches. Once their `stop` is set, running matches are finished.

    Yields:
        The changes that each block causes, after the sink has stored them.

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
    """Return the numbers of the remaining matches, after adding the next stage if there are none."""
    while not (left := ledger.left()) and ledger.next_stage():
        sink.write(ledger.add(Records()))  # store the new stage's matches that are forfeited without play
    return left


def play(
    plan: Plan, numbers: Iterable[range], pool: Pool, kind: type[Played]
) -> Generator[Played, None, None]:
    """Play matches and yield the results block by block, in any order.

    Args:
        plan: The plan.
        numbers: The numbers of the matches.
        pool: The pool that plays the matches.
        kind: `Records` for all matches, or a `Summary` of them, which is faster.

    Raises:
        ArenaError: If the game itself fails.
    """
    with ExitStack() as resources:
        yield from Playing(plan, numbers, pool, kind, resources).blocks(pool)


class Of(NamedTuple):
    """The matches of a task.

    Attributes:
        block: The numbers of the matches.
        apart: Whether each agent plays in a separate process.
        left_out: Entries whose matches are not played.
        singly: Whether the task is a single match from `Playing.singly`.
    """

    block: range
    apart: bool
    left_out: frozenset[int] = frozenset()
    singly: bool = False


class Playing(Work[Played]):
    """The remaining matches, assigned to workers in blocks that take half a second each.

    If a fault occurs in a worker in which several agents have played, any of them may be to blame. The match
    is then played again with each agent in a separate process, which shows whose fault it is, and another
    worker plays the rest of the block. Once this has shown that a fault is an entry's own, the entry loses
    every match that ends with this fault. After an entry has stalled, its matches are played one at a time
    with agents in separate processes, so that only the entry's process is stopped, and the process can report
    where it hangs.
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
        self.apart: Executor | None = None  # its workers run only the rules, and no agents
        # each unplayed match is in one of the next four collections, or in a running task
        self.left = deque(numbers)  # ranges of matches to be played in blocks
        self.doubtful: deque[int] = deque()  # failed matches, to be played again with separate processes
        self.singly: list[int] = []  # matches of stalling entries, as a heap: early ones decide withdrawals
        self.held: list[int] = []  # matches for which it is undecided whether they are played

        self.matches = sum(map(len, self.left))  # number of matches in `left`
        self.known: set[tuple[int, str, str]] = set()  # faults that are an entry's own, see `fault_of`
        self.pace = 0.0  # seconds per match in the last block
        self.withdrawn: Mapping[int, int] = {}  # withdrawn entries, each with the number of its last match
        self.holding: Mapping[int, int] = {}  # entries that may be withdrawn, each with its last match
        self.suspects: set[int] = set()  # entries that may have stalled
        self.stalling: set[int] = set()  # entries that have certainly stalled
        self.busy = self.busy_singly = 0  # running tasks, and matches played singly among them

    def blocks(self, pool: Pool) -> Generator[Played, None, None]:
        """Play the matches, and yield the results block by block."""
        # if a match is played at the terminal, it is recorded before the next one begins
        yield from work_off(self, 1 if self.plan.interactive else 2 * pool.count, pool.stop)

    def next_task(self, stopping: bool) -> Task | None:
        task = None if stopping else self.task_to_do()
        if task:
            self.busy += 1
            self.busy_singly += task.of.singly
        return task

    def task_to_do(self) -> Task | None:
        """Return the next task: first failed matches, then matches played singly, then blocks."""
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
            self.holding = {}  # no running task can decide about these matches any more
            self.singly, self.held = sorted(self.singly + self.held), []
            return self.task_to_do()
        return None

    def leave_out(self, withdrawn: Mapping[int, int], holding: Mapping[int, int]) -> None:
        """Skip the matches of withdrawn entries, and hold back those of entries that may be withdrawn.

        Args:
            withdrawn: The withdrawn entries, each with the number of its last match.
            holding: The entries that may turn out to be withdrawn, each with the number of its last match.
        """
        self.withdrawn, self.holding = {**withdrawn}, holding
        waited, self.held = self.held, []
        released = sorted(number for number in waited if self.is_to_be_played(number))
        self.put_back(joined(range(number, number + 1) for number in released))

    def is_to_be_played(self, number: int) -> bool:
        """Return whether a match is to be played now; undecided matches are held back."""
        fixture = self.plan.fixture(number)
        if self.withdrawn and is_unplayed(fixture, self.withdrawn):
            return False
        wait = any(number > self.holding.get(entry, number) for entry in fixture[2:])
        if wait:
            self.held.append(number)
        return not wait

    def part(self, block: range, left_out: frozenset[int]) -> bool:
        """Move a block's matches of entries in `left_out` to `singly`; return whether others are left."""
        others = False
        for number in block:
            if left_out.isdisjoint(self.plan.fixture(number)[2:]):
                others = True
            elif self.is_to_be_played(number):
                heappush(self.singly, number)
        return others

    def next_block(self) -> range:
        """Return the numbers of the matches of the next block, which takes about half a second."""
        isolated = bool(self.plan.isolated)
        seconds = BATCH_SECONDS if isolated else BLOCK_SECONDS
        size = int(seconds / self.pace) if self.pace else FIRST
        least, parts = (min(BATCH, size // 8), 1) if isolated else (1, 2)
        size = max(1, min(size, max(least, self.matches // (parts * self.workers))))
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
        """Return a task that plays matches with each agent in a separate process.

        Args:
            of: The matches.
            keep: Keep the processes of agents for later matches.
        """
        from arena.matches.isolated_matches import play_apart  # imports modules that are rarely needed

        if self.plan.interactive or len(self.plan.isolated) == len(self.plan.entries):
            self.apart = self.executor  # its workers have no agents in their process either
        if self.apart is None:
            alike = self.executor.another if isinstance(self.executor, Surviving) else Processes
            self.apart = self.resources.enter_context(working(alike, self.workers))
        return Task(self.apart, play_apart, (self.plan.part(of.block), of.block, keep, of.left_out), of)

    def done(self, task: Task) -> Of:
        """Mark a task as ended, and return its matches."""
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
        """Return results of matches with separate processes, after noting faults as the entries' own."""
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
        if apart and death.seat in (0, 1):  # the worker was waiting for an agent in another process
            death = WorkerDied(death.number, NOBODY, death.stalled, death.detail, death.seconds, death.stack)
        if apart and self.deaths.blame(number, death):
            raise self.end(number, death)
        self.doubtful.append(number)

    def end(self, number: int, death: WorkerDied) -> ArenaError:
        """Return the error for the death of a worker that runs no agents."""
        if death.seat == RULES:
            return died_of(self.plan.game, death, number)
        return ArenaError(f"match {number}: {death.detail}, although each agent had its own process")

    def failed(self, task: Task, error: Exception) -> Iterator[Played]:
        """Treat an unexpected exception in a worker like the worker's death."""
        if isinstance(error, ArenaError) or not isinstance(self.executor, Surviving):
            raise error
        yield from self.died(task, WorkerDied(NOBODY, NOBODY, False, one_line(error)))

    def others(self, blocks: Iterable[range], left_out: frozenset[int]) -> list[range]:
        """Return the numbers of matches except those of some entries, as ranges."""
        if not left_out:
            return [block for block in blocks if block]
        numbers = (number for block in blocks for number in wanted_of(self.plan, block, left_out))
        return joined(range(number, number + 1) for number in numbers)

    def put_back(self, blocks: Iterable[range], left_out: frozenset[int] = frozenset()) -> None:
        """Put matches, except those of some entries, back at the front of the queue."""
        some = self.others(blocks, left_out)
        self.left.extendleft(reversed(some))
        self.matches += sum(map(len, some))


def without(block: range, parts: Iterable[range]) -> list[range]:
    """Return the numbers in a block that are not in any of the parts."""
    left, start = [], block.start
    for part in sorted(parts, key=lambda part: part.start):
        left.append(range(start, part.start))
        start = part.stop
    return [*left, range(start, block.stop)]


def single(number: int | None) -> list[range]:
    """Return a list of a range with one number; an empty list for None."""
    return [] if number is None else [range(number, number + 1)]


def forfeit(plan: Plan, fixture: Fixture, death: WorkerDied) -> Record:
    """Return the record of a match whose agent stalled; the moves were lost with the process."""
    game = plan.game.make()
    opening = plan.opening(game, fixture)
    detail = f"no move within {plan.limits.stall_seconds:g} s"
    plies, text = len(opening.moves), " ".join(map(game.move_text, opening.moves))
    result = -1 if death.seat == 0 else 1
    return Record(*fixture, result, "stall", detail, plies, plies, text, 1, 0.0, 0.0, opening.start)
