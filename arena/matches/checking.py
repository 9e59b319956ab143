"""Entries looked at before the first match: whether each can be made, and has a way to choose moves."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor

from arena.activity import concerning
from arena.errors import ArenaError, one_line, safe_text
from arena.matches.apart import Child, Remote
from arena.matches.block import game_of, instance_of
from arena.matches.frames import at_place, dumped, told
from arena.matches.match import Told
from arena.matches.player import check_chooses
from arena.matches.printed import Tail, hearing, listening
from arena.matches.rules import Suspect, check_rules_elsewhere
from arena.matches.schedule import Plan
from arena.results.story import LONGEST, bounded
from arena.texts import on_one_line
from arena.wording import argument
from arena.workers.jobs import Task, Work, work_off
from arena.workers.pools import Pool, Surviving
from arena.workers.processes import Processes
from arena.workers.watch import RULES, Watch, WorkerDied
from arena.workers.worker import this_worker


def check_entries_play(plan: Plan, named: Sequence[int], pool: Pool) -> None:
    """ArenaError, in one line, unless each of these entries can be made in a worker and chooses moves.

    GameFault if it is the game that fails.

    pool: of workers that keep what they have made for the matches to come.
    """
    checking = Checking(plan, named, pool.executor)
    for _ in work_off(checking, pool.count, pool.stop):
        pass
    if checking.faults:
        entry, why = min(checking.faults.items())
        if not isinstance(why, ArenaError):
            made = pool.executor
            alike = made.another if isinstance(made, Surviving) else Processes
            suspect = Suspect(plan.entries[entry], why)
            check_rules_elsewhere(alike, plan.game, plan.limits.stall_seconds, suspect)
        more = len(checking.faults) - 1
        others = f" ({more} more cannot either)" if more else ""
        raise ArenaError(f"{plan.entries[entry].text} cannot play: {why}{others}; {remedy()}")


def remedy() -> str:
    """What to do about an entry that cannot play."""
    return f"mend it, leave it out, or enter it all the same with {argument('keep_going', True)}"


class Checking(Work[None]):
    """Looks at entries, in worker processes. faults: why one cannot play, by entry."""

    def __init__(self, plan: Plan, named: Sequence[int], pool: Executor) -> None:
        super().__init__()
        self.plan, self.pool = plan, pool
        self.left = deque(named)
        self.faults: dict[int, str | ArenaError] = {}

    def next_task(self, stopping: bool) -> Task | None:
        if stopping or not self.left:
            return None
        entry = self.left.popleft()
        check = fault_apart if entry in self.plan.isolated else fault_of_entry
        return Task(self.pool, check, (self.plan, entry), entry)

    def take(self, task: Task, answer: str | ArenaError | None) -> Iterator[None]:
        if answer:
            self.faults[task.of] = answer
        yield

    def died(self, task: Task, death: WorkerDied) -> Iterator[None]:
        if death.seat == RULES:  # for matches to tell
            pass
        elif self.deaths.blame(task.of, death):
            late = f"it is not ready within {self.plan.limits.stall_seconds:g} s"
            self.faults[task.of] = shown(late, dumped(death.stack)[0]) if death.stalled else death.detail
        else:
            self.left.append(task.of)
        yield

    def failed(self, task: Task, error: Exception) -> Iterator[None]:
        """What does not even arrive in a worker: matches will tell."""
        yield


def fault_of_entry(plan: Plan, entry: int) -> str | ArenaError | None:
    """Why an entry cannot play, with the author's line; None if it can. Made in this process.

    An ArenaError where it says so itself, and nothing has failed.
    """
    watch = this_worker().watch
    spec = plan.entries[entry]
    if not has_game(plan, watch):
        return None
    try:
        watch.turn(0, 0, plan.limits.stall_seconds)
        with listening(aloud=False), concerning(plan.place(entry)):
            hearing.tail = Tail()
            check_chooses(instance_of(spec, plan.game, 0))
    except BaseException as error:
        if watch.is_users(error):
            raise
        if isinstance(error, ArenaError):  # which tells an author, or a user, what to do
            return ArenaError(on_one_line(str(error).removeprefix(f"{spec.text}: ")))
        return shown(safe_text(one_line, error), told(error)[0])
    finally:
        watch.clear()
    return None


def has_game(plan: Plan, watch: Watch) -> bool:
    """Whether there is a game to play here; a game's own fault is for matches to tell."""
    try:
        game_of(plan, 0, watch)
        return True
    except BaseException as error:
        if watch.is_users(error):
            raise
        return False
    finally:
        watch.clear()


def fault_apart(plan: Plan, entry: int) -> str | None:
    """The same of an entry behind walls, which is not made in this process."""
    watch, stall = this_worker().watch, plan.limits.stall_seconds
    if not has_game(plan, watch):  # whose rules are kept compiled for all children
        return None
    child = Child(plan.entries[entry], plan.game, plan.limits, True)
    try:
        Remote(child, watch, (0, 0), stall).check_ready()
    except Told as fault:
        return shown(one_line(fault), fault.place)
    except Exception as error:
        return one_line(error)
    finally:
        watch.clear()
        child.close()
    return None


def shown(why: str, place: str) -> str:
    """`ValueError: no weights, at mine.py:7 in prepare`."""
    return on_one_line(bounded(why, int(LONGEST.place)) + at_place(place))
