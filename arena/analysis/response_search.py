"""Search for responses to an entry in workers, one for each seat, and play matches that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import NamedTuple

from arena.analysis.response_seeker import GUIDE, Question, Seeker
from arena.api.game import Move, State
from arena.api.limits import preparing
from arena.api.reasons import FORFEITS
from arena.api.rulings import GameFault
from arena.errors import ArenaError, one_line
from arena.faults.captured_output import listening
from arena.faults.rule_check import Suspect, check_rules_elsewhere, died_of
from arena.matches.block import forget_instances, game_of, instance_of
from arena.matches.match import Player, play_match
from arena.plan.opening_book import Opening
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.results.record import Record
from arena.rng import Rng, Streams, derive
from arena.workers.loop import Task, Work, work_off
from arena.workers.pools import Workers, working
from arena.workers.worker import RULES, Watch, WorkerDied, this_worker

SLICE_SECONDS = 0.3  # target duration of a slice in seconds
FASTER = 8  # largest factor by which a slice grows from one to the next
PROOF = 2  # random stream for seeds of matches that demonstrate a response


class Sought(NamedTuple):
    """The state of a search.

    Attributes:
        trials: Number of trials played.
        over: Whether more trials would not improve the result.
        low: Lower bound of the best response's score.
        high: Upper bound of the best response's score.
        mean: Mean score of all trials.
        exact: Whether the entry's move probabilities are known.
        fault: The entry's first fault, if any.
        seconds: Time that the last slice took.
    """

    trials: int = 0
    over: bool = False
    low: float = 0.0
    high: float = 1.0
    mean: float = 0.0
    exact: bool = True
    fault: str | None = None
    seconds: float = 0.0


@dataclass(eq=False)
class Search:
    """The search from one seat, and its result.

    Attributes:
        question: The entry to respond to, and the settings of the search.
        pool: Executor with one worker.
        size: Number of trials in the next slice.
        running: Whether a task is running.
        seconds: Time spent on trials.
        sought: The state of the search.
        matches: Matches of the response, in order.
        died: If the entry hangs or crashes its process, the reason why it loses without a match.
    """

    question: Question
    pool: Executor
    size: int = 1
    running: bool = False
    seconds: float = 0.0
    sought: Sought = field(default_factory=Sought)
    matches: list[Record] = field(default_factory=list)
    died: str = ""

    def over(self, budget: int, seconds: float) -> bool:
        """Return whether the search has ended."""
        done = self.sought.over or bool(budget and self.sought.trials >= budget)
        return done or bool(seconds and self.seconds >= seconds) or bool(self.died)

    def shown(self, matches: int) -> bool:
        """Return whether there are enough matches: the requested number, or two identical ones."""
        if self.died or len(self.matches) >= matches:
            return True
        same = len({match.moves for match in self.matches}) == 1
        return len(self.matches) == 2 and same and not any(match.chance for match in self.matches)


class Seeking(Work[Search]):
    """Plays trials from both seats, in slices of about 0.3 seconds, then matches that demonstrate the result.

    Two of these matches are played even if the search is stopped.

    Args:
        searches: The searches, one for each seat.
        budget: Largest number of trials from each seat; 0 for no limit.
        seconds: Time limit of each search, checked between slices; 0 for none.
        matches: Number of matches of each response.
    """

    def __init__(self, searches: Sequence[Search], budget: int, seconds: float, matches: int) -> None:
        super().__init__()
        self.searches, self.budget, self.seconds, self.matches = searches, budget, seconds, matches

    def next_task(self, stopping: bool) -> Task | None:
        for search in self.searches:
            if search.running:
                continue
            done, question = search.sought.trials, search.question
            if stopping and (search.matches or not done):
                continue
            if not stopping and not search.over(self.budget, self.seconds):
                size = min(search.size, self.budget - done) if self.budget else search.size
                search.running = True
                return Task(search.pool, seek, (question, done, size), (search, True))
            if not search.shown(self.matches):
                numbers = range(len(search.matches), min(len(search.matches) + 2, self.matches))
                search.running = True
                return Task(search.pool, show, (question, done, numbers), (search, False))
        return None

    def take(self, task: Task, answer: Sought | list[Record]) -> Iterator[Search]:
        search, _ = task.of
        search.running = False
        if isinstance(answer, Sought):
            played = answer.trials - search.sought.trials
            search.sought = answer
            search.seconds += answer.seconds
            pace = answer.seconds / max(played, 1)
            search.size = max(1, min(int(SLICE_SECONDS / max(pace, 1e-9)), FASTER * search.size))
        else:
            search.matches += answer
        yield search

    def died(self, task: Task, death: WorkerDied) -> Iterator[Search]:
        search, trying = task.of
        search.running = False
        question = search.question
        if self.deaths.blame((question.seat, trying, death.number), death):
            if death.seat == 1 - question.seat:
                stall = f"no move within {death.seconds:g} s"
                search.died = stall if death.stalled else death.detail
            elif death.seat >= GUIDE:
                search.question, search.sought = without(question, death.seat - GUIDE), Sought()
            else:
                raise died_of(question.game, death) from death
        yield search

    def failed(self, task: Task, error: Exception) -> Iterator[Search]:
        if isinstance(error, ArenaError):
            raise error
        raise GameFault(f"game {task.of[0].question.game.text} failed: {one_line(error)}") from error
        yield


def without(question: Question, guide: int) -> Question:
    """Return the question without one of its guides, or without the solver, whose index is the next."""
    if guide == len(question.guides):
        return replace(question, solver=None)
    return replace(question, guides=question.guides[:guide] + question.guides[guide + 1 :])


def sought(
    questions: Sequence[Question],
    budget: int,
    seconds: float,
    matches: int,
    workers: Workers,
    tell: Callable[[Sequence[Search]], object],
) -> list[Search]:
    """Search for responses to entries; if stopped, return the results so far.

    Args:
        questions: The entry to respond to and the settings, one question for each seat.
        budget: Largest number of trials for each; 0 for no limit.
        seconds: Time limit of all searches together, without the matches; 0 for none.
        matches: Number of matches of each response.
        workers: The workers to use.
        tell: Called with the searches after each slice.

    Raises:
        GameFault: If the game is at fault.
    """
    most = min(workers.count, len(questions))
    with ExitStack() as pools:
        searches = [Search(one, pools.enter_context(working(workers.executor, 1))) for one in questions]
        seeking = Seeking(searches, budget, seconds * most / len(questions), matches)
        for _ in work_off(seeking, most, workers.stop):
            tell(searches)
    for search in searches:
        failed = (record.detail for record in search.matches if record.reason in ("crash", "stall"))
        if (fault := search.died or search.sought.fault or next(failed, "")) and not workers.stop.is_set():
            question = search.question
            suspect = Suspect(question.entry, fault)
            check_rules_elsewhere(workers.executor, question.game, question.limits.stall_seconds, suspect)
    return searches


# --- in a worker -------------------------------------------------------------------------------------------


def seek(question: Question, done: int, trials: int) -> Sought:
    """Play more trials, after repeating `done` trials of another worker if necessary; runs in a worker."""
    start = perf_counter()
    with listening(aloud=not this_worker().watch.expendable):
        seeker = seeker_here(question, done)
        seeker.go_on(trials)
    this_worker().watch.clear()
    low, high = seeker.bounds
    seconds = perf_counter() - start
    return Sought(seeker.trials, seeker.over, low, high, seeker.mean, seeker.asks, seeker.fault, seconds)


def show(question: Question, done: int, numbers: range) -> list[Record]:
    """Play matches of the response found in `done` trials; runs in a worker."""
    watch = this_worker().watch
    with listening(aloud=not watch.expendable):
        seeker = seeker_here(question, done)
        found = [shown(seeker, number, watch) for number in numbers]
    watch.clear()
    return found


def seeker_here(question: Question, done: int) -> Seeker:
    """Return this worker's seeker after `done` trials, which are repeated if necessary."""
    worker = this_worker()
    watch, limits = worker.watch, question.limits
    plan = Plan(question.game, (question.entry,), Schedule(), Streams(0), Openings(), limits)
    game = game_of(plan, done, watch)
    key = ("seeker", question.game.text, question.entry.text, question.seat, len(question.guides))
    seeker = worker.keep(key, lambda: Seeker(question, game, watch))
    patience = preparing(limits.stall_seconds)
    if not seeker.trials:
        for mark, spec in [(1 - question.seat, question.entry), *enumerate(question.guides, GUIDE)]:
            watch.turn(done, mark, patience)
            try:
                instance_of(spec, question.game, mark if mark < GUIDE else question.seat)
            except BaseException as error:  # the error occurs again when the seeker is used
                if watch.is_users(error):
                    raise
    watch.turn(done, RULES, limits.stall_seconds)
    seeker.go_on(done - seeker.trials)
    return seeker


def shown(seeker: Seeker, number: int, watch: Watch) -> Record:
    """Play a match of a response."""
    question, seat = seeker.question, seeker.seat
    plies = Plies()

    def make(side: int) -> Player:
        if side == seat:
            return Replying(seeker, plies)
        return Counted(instance_of(question.entry, question.game, side), plies)

    seed = derive(question.seed, seat, number, PROOF)
    seeds = derive(seed, 0), derive(seed, 1)
    fixture = (number, number, 0, 1)
    guides = len(seeker.guides)
    record = play_match(seeker.game, make, fixture, seeds, Opening(), question.limits, watch)
    if record.reason in FORFEITS:
        forget_instances()
    # if a guide has failed, the response has changed
    return record if len(seeker.guides) == guides else shown(seeker, number, watch)


class Plies:
    """The number of plies played in a match."""

    played = 0


class Counted:
    """A wrapper of a player that counts its moves."""

    def __init__(self, player: Player, plies: Plies) -> None:
        self.player, self.plies = player, plies

    def begin(self, seat: int) -> None:
        self.player.begin(seat)

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.plies.played += 1
        return self.player.choose(state, moves, rng)


class Replying:
    """A player that plays the response."""

    def __init__(self, seeker: Seeker, plies: Plies) -> None:
        self.seeker, self.plies = seeker, plies

    def begin(self, seat: int) -> None:
        self.seeker.begin()

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.plies.played += 1
        return self.seeker.choose(state, self.plies.played - 1, moves)
