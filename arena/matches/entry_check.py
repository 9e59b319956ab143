"""Checks before the first match that each entry can be created and can choose moves."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import Executor

from arena.activity import concerning
from arena.api.learner import Learner
from arena.api.rulings import GameFault
from arena.compiler import with_compiled_rules
from arena.errors import ArenaError, Untrained, one_line, safe_text
from arena.faults.captured_output import Tail, hearing, listening
from arena.faults.rule_check import Suspect, check_rules_elsewhere
from arena.faults.tracebacks import at_place, dumped, told
from arena.matches.block import game_of, instance_of
from arena.matches.match import Told, check_chooses
from arena.matches.remote_agent import Child, Remote
from arena.plan.plan import Plan
from arena.results.fault_story import LONGEST, bounded
from arena.texts import argument, on_one_line
from arena.workers.loop import Task, Work, work_off
from arena.workers.pools import Pool, Surviving
from arena.workers.processes import Processes
from arena.workers.worker import RULES, Watch, WorkerDied, this_worker


def faults_of_entries(
    plan: Plan, entries: Sequence[int], pool: Pool, untrained: Set[str] = frozenset()
) -> dict[int, str | ArenaError]:
    """Return why entries cannot play, by index; as an ArenaError if the entry itself reports the reason.

    Entries are created in workers, which keep them for later matches.

    Args:
        plan: The plan.
        entries: Indices of the entries to check.
        pool: Open workers. If they cannot be replaced, only faults that entries report themselves are
            returned.
        untrained: The texts of learners without a model. They are created for learning. Only faults that they
            report themselves are returned, since other faults appear when they learn.
    """
    checking = Checking(plan, entries, pool.executor, untrained)
    for _ in work_off(checking, pool.count, pool.stop):
        pass
    if getattr(pool.executor, "survives", False):
        return checking.faults
    return {entry: why for entry, why in checking.faults.items() if isinstance(why, ArenaError)}


def check_entries_play(plan: Plan, faults: Mapping[int, str | ArenaError], pool: Pool) -> None:
    """Raise an error if there are entries that cannot play.

    Args:
        plan: The plan.
        faults: The result of `faults_of_entries`.
        pool: The pool whose executor is used to check the game.

    Raises:
        ArenaError: If an entry cannot play.
        GameFault: If the game fails.
    """
    if not faults:
        return
    entry, why = min(faults.items())
    if not isinstance(why, ArenaError):
        made = pool.executor
        alike = made.another if isinstance(made, Surviving) else Processes
        suspect = Suspect(plan.entries[entry], why)
        check_rules_elsewhere(alike, plan.game, plan.limits.stall_seconds, suspect)
    more = len(faults) - 1
    others = f" (nor can {more} more)" if more else ""
    raise ArenaError(f"{plan.entries[entry].text} cannot play: {why}{others}; {remedy()}")


def remedy() -> str:
    """Return advice on what to do about an entry that cannot play."""
    return f"fix it, leave it out, or continue with {argument('keep_going', True)}"


class Checking(Work[None]):
    """The checks of entries in workers.

    Attributes:
        faults: Why entries cannot play, by index.
    """

    def __init__(
        self, plan: Plan, entries: Sequence[int], pool: Executor, untrained: Set[str] = frozenset()
    ) -> None:
        super().__init__()
        self.plan, self.pool = plan, pool
        self.left = deque(entries)
        self.untrained = {
            entry: frozenset(part.text for part in plan.entries[entry].walk()) & untrained
            for entry in entries
        }
        self.faults: dict[int, str | ArenaError] = {}

    def next_task(self, stopping: bool) -> Task | None:
        if stopping or not self.left:
            return None
        entry = self.left.popleft()
        if untrained := self.untrained[entry]:
            return Task(self.pool, refusal_to_learn, (self.plan, entry, untrained), entry)
        check = fault_apart if entry in self.plan.isolated else fault_of_entry
        return Task(self.pool, check, (self.plan, entry), entry)

    def take(self, task: Task, answer: str | ArenaError | None) -> Iterator[None]:
        if answer:
            self.faults[task.of] = answer
        yield

    def died(self, task: Task, death: WorkerDied) -> Iterator[None]:
        if death.seat == RULES or self.untrained[task.of]:  # matches or learning will show the fault
            pass
        elif self.deaths.blame(task.of, death):
            late = f"it is not ready within {self.plan.limits.stall_seconds:g} s"
            self.faults[task.of] = shown(late, dumped(death.stack)[0]) if death.stalled else death.detail
        else:
            self.left.append(task.of)
        yield

    def failed(self, task: Task, error: Exception) -> Iterator[None]:
        """Ignore a task that could not be sent to a worker: the error recurs in matches."""
        yield


def fault_of_entry(plan: Plan, entry: int) -> str | ArenaError | None:
    """Create an entry in this process, and return why it cannot play, with the line of its code; else None.

    An ArenaError that the entry has raised is returned itself, since it is a message to the user.
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
        if isinstance(error, ArenaError):  # the message says what the author or user should do
            return ArenaError(on_one_line(str(error).removeprefix(f"{spec.text}: ")))
        return shown(safe_text(one_line, error), told(error)[0])
    finally:
        watch.clear()
    return None


def refusal_to_learn(plan: Plan, entry: int, untrained: Set[str]) -> ArenaError | None:
    """Return the error of a learner within an entry if it cannot learn this game; None if all can.

    Args:
        plan: The plan.
        entry: The entry.
        untrained: The texts of its learners without a model.
    """
    watch, spec = this_worker().watch, plan.entries[entry]
    try:
        watch.turn(0, 0, plan.limits.stall_seconds)
        with listening(aloud=False), concerning(plan.place(entry)):
            hearing.tail = Tail()
            for part in spec.walk():
                if part.text in untrained:
                    learner: Learner = part.build(with_compiled_rules(plan.game.make()))
                    learner._begin_learning()
    except (Untrained, GameFault):
        return None
    except ArenaError as error:
        return ArenaError(on_one_line(str(error).removeprefix(f"{spec.text}: ")))
    except BaseException as error:
        if watch.is_users(error):
            raise
        return None
    finally:
        watch.clear()
    return None


def has_game(plan: Plan, watch: Watch) -> bool:
    """Return whether the game can be created in this process; if not, matches will report the error."""
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
    """Create a sandboxed entry in its sandbox, and return why it cannot play; None if it can."""
    watch, stall = this_worker().watch, plan.limits.stall_seconds
    if not has_game(plan, watch):  # also compiles the rules once for all children
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
    """Return an error with its place, such as `ValueError: no weights, at mine.py:7 in prepare`."""
    return on_one_line(bounded(why, int(LONGEST.place)) + at_place(place))
