"""Luck in recorded matches: move probabilities of entries, and values of moves according to another agent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np

from arena.analysis.blunders import rules_of
from arena.api.agent import Agent
from arena.api.answers import Unsaid, probabilities, views
from arena.api.game import Game, Move, State
from arena.api.limits import PREPARING
from arena.api.rulings import blaming, start_of
from arena.api.spec import Spec
from arena.errors import ArenaError, one_line
from arena.matches.block import forget_instances, instance_of
from arena.results.decisions import Decisions
from arena.results.record import Record
from arena.workers.loop import Task, Work, work_off
from arena.workers.pools import Workers
from arena.workers.worker import RULES, WorkerDied, this_worker

SECONDS = 0.3  # target duration of a task in seconds
CONTROL = 3  # the seat that the watch records while the control agent runs
REMEDY = "alpha-beta:depth=2 for one"


@dataclass(frozen=True)
class Question:
    """The settings of a match, and the agent that evaluates its moves.

    Attributes:
        game: The game.
        entries: The entries, by index.
        control: The agent that evaluates moves.
        stall_seconds: Time limit for an answer in seconds; 0 for none.
    """

    game: Spec
    entries: tuple[Spec, ...]
    control: Spec
    stall_seconds: float


class Answer(NamedTuple):
    """The answers for some matches.

    Attributes:
        decisions: The moves chosen at random.
        unsaid: Entries that do not state their move probabilities.
        seconds: Elapsed time.
    """

    decisions: Decisions
    unsaid: frozenset[int]
    seconds: float


def decisions_of(
    question: Question,
    records: Sequence[Record],
    workers: Workers,
    tell: Callable[[int, int], object],
) -> tuple[Decisions, frozenset[int]] | None:
    """Query the entries and the control agent about the moves of matches, in workers.

    Args:
        question: The settings of the match, and the agent that evaluates its moves.
        records: The matches; decisions identify them by index.
        workers: The workers to use.
        tell: Called with the number of matches done and the total number.

    Returns:
        The decisions in order, and the entries that do not state their move probabilities; None if stopped.

    Raises:
        ArenaError: If the control agent fails, or does not evaluate moves.
    """
    with workers.opened() as pool:
        asking = Asking(question, records, pool.executor)
        for done in work_off(asking, 2 * pool.count, pool.stop):
            tell(done, len(records))
    if workers.stop.is_set():
        return None
    parts = [answer for _, answer in sorted(asking.answers.items())]
    unsaid = frozenset[int]().union(*(part.unsaid for part in parts))
    return Decisions.joined([part.decisions for part in parts]), unsaid


class Asking(Work[int]):
    """Queries agents about matches in chunks that take about 0.3 seconds.

    Attributes:
        answers: Answers, by index of the first match of each chunk.
    """

    finishes = False

    def __init__(self, question: Question, records: Sequence[Record], executor: Executor) -> None:
        super().__init__()
        self.question, self.records, self.executor = question, records, executor
        self.answers: dict[int, Answer] = {}
        self.again: list[range] = []
        self.next, self.size, self.done = 0, 1, 0

    def next_task(self, stopping: bool) -> Task | None:
        if stopping or not (self.again or self.next < len(self.records)):
            return None
        if self.again:
            numbers = self.again.pop()
        else:
            numbers = range(self.next, min(self.next + self.size, len(self.records)))
            self.next = numbers.stop
        some = self.records[numbers.start : numbers.stop]
        return Task(self.executor, ask, (self.question, numbers.start, some), numbers)

    def take(self, task: Task, answer: Answer) -> Iterator[int]:
        numbers = task.of
        self.answers[numbers.start] = answer
        self.done += len(numbers)
        self.size = max(1, int(SECONDS * len(numbers) / max(answer.seconds, 1e-6)))
        yield self.done

    def died(self, task: Task, death: WorkerDied) -> Iterator[int]:
        if self.deaths.blame(death.number, death):
            entries = dict(enumerate(self.question.entries)) | {CONTROL: self.question.control}
            who = entries[death.seat].text if death.seat in entries else f"game {self.question.game.text}"
            raise ArenaError(f"{who} failed while scoring moves: {death.fault}") from death
        self.again.append(task.of)
        yield from ()


# --- in a worker -------------------------------------------------------------------------------------------


def ask(question: Question, start: int, records: Sequence[Record]) -> Answer:
    """Query agents about their moves in a batch of matches, numbered from `start`; runs in a worker."""
    begun = perf_counter()
    worker = this_worker()
    worker.watch.turn(start, RULES, 0.0)
    asker = Asker(question, rules_of(question.game))
    for number, record in enumerate(records, start):
        asker.take(number, record)
    worker.watch.clear()
    return Answer(asker.decisions(), frozenset(asker.unsaid), perf_counter() - begun)


class Asker:
    """Replays matches, and collects the decisions."""

    def __init__(self, question: Question, game: Game) -> None:
        self.question, self.game = question, game
        self.unsaid = set[int]()
        self.columns: tuple[list[int], list[int], list[int], list[int]] = ([], [], [], [])
        self.first = [0]
        self.probabilities: list[float] = []
        self.scores: list[float] = []

    def decisions(self) -> Decisions:
        """Return the decisions collected so far."""
        match, seat, ply, chosen = (np.array(column, np.int64) for column in self.columns)
        numbers = np.array(self.probabilities), np.array(self.scores)
        return Decisions(match, seat, ply, np.array(self.first, np.int64), chosen, *numbers)

    def take(self, number: int, record: Record) -> None:
        """Query agents about the moves of a match, up to the first illegal one."""
        game = self.game
        self.turn(number, RULES)
        with blaming(game):
            state = start_of(game, record.start)
            for ply, text in enumerate(record.moves.split()):
                moves = list(game.moves(state))
                place = next((i for i, move in enumerate(moves) if game.move_text(move) == text), -1)
                if place < 0:
                    return
                if ply >= record.opening and len(moves) > 1:
                    seat = game.to_move(state)
                    self.decide(number, (record.first, record.second)[seat], seat, ply, state, moves, place)
                    self.turn(number, RULES)
                state = game.play(state, moves[place])

    def decide(
        self, number: int, entry: int, seat: int, ply: int, state: State, moves: list[Move], place: int
    ) -> None:
        """Add a decision if the entry chose the move at random and states the move probabilities."""
        if entry in self.unsaid:
            return
        said = self.stated(number, entry, seat, state, moves)
        if not said or max(said) == 1 or not said[place]:
            return
        scores = self.judged(number, state, moves)
        for column, value in zip(self.columns, (number, seat, ply, len(self.scores) + place), strict=True):
            column.append(value)
        self.probabilities += said
        self.scores += [-score if seat else score for score in scores]
        self.first.append(len(self.scores))

    def stated(self, number: int, entry: int, seat: int, state: State, moves: list[Move]) -> Sequence[float]:
        """Return an entry's move probabilities; empty if it does not state them, or fails."""
        spec = self.question.entries[entry]
        try:
            self.turn(number, entry, PREPARING)
            agent: Agent = instance_of(spec, self.question.game, seat)
            self.turn(number, entry)
            return probabilities(agent, state, moves)
        except Unsaid:
            self.unsaid.add(entry)
        except BaseException as error:
            if this_worker().watch.is_users(error):
                raise
            forget_instances()  # an agent that raised an exception may be in any state
        return []

    def judged(self, number: int, state: State, moves: list[Move]) -> list[float]:
        """Return each move's value to the side to move, NaN if unknown; raise ArenaError on failure."""
        control = self.question.control
        try:
            self.turn(number, CONTROL, PREPARING)
            agent: Agent = instance_of(control, self.question.game, CONTROL)
            self.turn(number, CONTROL)
            found = views(agent, state, moves)
        except BaseException as error:
            if this_worker().watch.is_users(error) or isinstance(error, ArenaError):
                raise
            raise ArenaError(f"{control.text} failed while scoring moves: {one_line(error)}") from error
        if not found:
            raise ArenaError(f"{control.text} does not score moves; name another, {REMEDY}")
        return [math.nan if view.score is None else float(view.score) for view in found]

    def turn(self, number: int, mark: int, least: float = 0.0) -> None:
        """Tell the watch what runs: an entry, the control agent or the rules."""
        stall = self.question.stall_seconds
        this_worker().watch.turn(number, mark, stall and max(stall, least))
