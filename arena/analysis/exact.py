"""Exact evaluation of matches: the probabilities of their results, without playing."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import NamedTuple

import numpy as np

from arena.analysis.exploring import explored, graph_here
from arena.analysis.graph import Outline
from arena.analysis.solution import Floats, solve
from arena.api.agent import Agent
from arena.api.answers import Unsaid, probabilities
from arena.api.game import Game
from arena.api.limits import history_rule, preparing
from arena.api.spec import Spec
from arena.errors import ArenaError, brief, one_line
from arena.faults.rule_check import Suspect, check_rules_elsewhere, died_of
from arena.faults.tracebacks import at_place, dumped
from arena.matches.block import forget_instances, instance_of
from arena.plan.plan import Plan
from arena.results.exact import AgainstPerfect, ExactResults, Expected
from arena.texts import either
from arena.workers.loop import Task, Work, work_off
from arena.workers.pools import Pool, Workers
from arena.workers.worker import RULES, WorkerDied, this_worker

BLOCK_SECONDS = 0.3  # target duration of a block of positions in seconds
ENTRY = 0  # the seat that the watch records while an entry runs


class Inexact(ArenaError):
    """The matches of a plan cannot be evaluated exactly."""


class Evaluator:
    """Data shared by all matches of a plan: the graph, its solution, and the start positions.

    Attributes:
        graph: The game's graph.
        solution: Its solution.
        plies: Plies after which a match is a draw.
        before: int64 [moves], the position in which each move is made.
        over: bool [positions], whether a position has no moves.
        mover: int64 [moves], the player who makes each move.
        outcomes: int64 [positions], from player 0's side: 1, 0 or -1.
        starts: By length of the opening in plies, float64 [positions], the probability that the opening has
            this length and ends in the position.
    """

    def __init__(self, plan: Plan, graph: Outline) -> None:
        self.graph = graph
        self.solution = solve(self.graph)
        self.plies = plan.limits.plies
        self.before, self.over = self.graph.before, self.graph.over
        self.mover = self.graph.movers[self.before]  # the player who makes each move
        # from player 0's side
        self.outcomes = np.where(self.graph.movers == 0, self.graph.values, -self.graph.values)
        self.starts = (
            self.line_ends(plan)
            if plan.openings.book
            else {plan.openings.plies: self.after_random(plan.openings.plies)}
        )

    def after_random(self, plies: int) -> Floats:
        """Return the probability of each position after `plies` random plies, float64 [positions]."""
        mass = np.zeros(len(self.graph))
        mass[0] = 1.0
        uniform = 1 / np.diff(self.graph.first)[self.before]
        for _ in range(plies):
            mass = self.a_ply_later(mass, uniform)
        if plies:  # openings must not end the match
            mass[self.over] = 0.0
            mass /= mass.sum()
        return mass

    def line_ends(self, plan: Plan) -> dict[int, Floats]:
        """Return the probabilities of positions at the ends of a book's lines, all equally likely.

        Returns:
            float64 [positions], by the number of plies of the lines.
        """
        game, book = plan.game.make(), plan.openings.book
        ends: dict[int, Floats] = {}
        for line in book:
            state, position = game.initial(), 0
            for move in line.moves:
                position = self.graph.after[self.graph.first[position] + list(game.moves(state)).index(move)]
                state = game.play(state, move)
            ends.setdefault(len(line.moves), np.zeros(len(self.graph)))[position] += 1 / len(book)
        return ends

    def a_ply_later(self, mass: Floats, probabilities: Floats) -> Floats:
        """Return the probabilities of positions after one more ply, float64 [positions].

        Args:
            mass: float64 [positions], their current probabilities.
            probabilities: float64 [moves], of each move in its position.
        """
        later = np.bincount(self.graph.after, mass[self.before] * probabilities, len(self.graph))
        return np.asarray(later, np.float64)

    def play(self, first: Floats, second: Floats) -> Expected:
        """Return the expected result between two policies, each float64 [moves]."""
        graph = self.graph
        policy = np.where(self.mover == 0, first, second)
        lost = (np.bincount(self.before, policy, len(graph)) == 0) & ~self.over  # by forfeit
        ended, forfeited, visits = (np.zeros(len(graph)) for _ in range(3))
        mass, ply, last = np.zeros(len(graph)), min(self.starts), max(self.starts)
        while True:
            mass = mass + self.starts.get(ply, 0.0)
            ended += np.where(self.over, mass, 0.0)
            mass = np.where(self.over, 0.0, mass)
            if ply >= max(self.plies, last) or not (mass.any() or ply < last):
                break
            forfeited += np.where(lost, mass, 0.0)
            mass = np.where(lost, 0.0, mass)
            visits += mass
            mass = self.a_ply_later(mass, policy)
            ply += 1
        seats = [graph.movers == seat for seat in (0, 1)]
        forfeits = [float(forfeited[seat].sum()) for seat in seats]
        win, draw, loss = (float(ended[self.outcomes == outcome].sum()) for outcome in (1, 0, -1))
        blundered = np.bincount(self.before, policy * (self.solution.given_away > 0), len(graph)) * visits
        moves = [float(visits[seat].sum()) for seat in seats]
        blunders = [float(blundered[seat].sum()) for seat in seats]
        opened = math.fsum(plies * float(mass.sum()) for plies, mass in self.starts.items())
        plies = math.fsum((opened, *moves))
        win, draw, loss = win + forfeits[1], draw + float(mass.sum()), loss + forfeits[0]
        return Expected(win, draw, loss, forfeits[0], forfeits[1], plies, *moves, *blunders)

    @cached_property
    def value(self) -> float:
        """The first player's expected score under perfect play after the opening."""
        return self.play(self.solution.probabilities, self.solution.probabilities).score

    def against_perfect(self, player: Player) -> AgainstPerfect:
        """Return the results of a player against perfect play."""
        perfect, value = self.solution.probabilities, self.value
        as_first = value - self.play(player.probabilities, perfect).score
        as_second = self.play(perfect, player.probabilities).score - value
        fault = next((player.faults[i] for i in sorted(player.faults)), None)
        return AgainstPerfect(max(0.0, as_first), max(0.0, as_second), fault)  # rounding errors


def to_play() -> str:
    """Return advice for error messages if matches cannot be evaluated exactly."""
    return either("leave --exact out, and play matches", "play matches instead")


def check(plan: Plan, game: Game, remedy: str = "") -> None:
    """Raise Inexact if the draw rules or clocks of a plan prevent exact evaluation."""
    remedy = remedy or to_play()
    if rule := history_rule(game):
        raise Inexact(f"{game} has draws by {rule}, which depend on more than the position; {remedy}")
    if plan.limits.timed:
        what = "a match with a time limit per move" if plan.limits.move_seconds else "a match with a clock"
        raise Inexact(f"{what} has no exact result; leave out the time limit, or {remedy}")


def expected_losses(plan: Plan, workers: Workers, tell: Callable[[int, int], object]) -> dict[str, float]:
    """Return the expected losses of a plan's entries against perfect play, by name; empty if stopped.

    Entries that fail, or do not state their move probabilities, are left out. See `AgainstPerfect`.
    """
    evaluator = evaluator_of(plan, workers, lambda done, all: None)
    if evaluator is None:
        return {}
    with workers.opened() as pool:
        found = players(plan, evaluator.graph, pool, tell) or []
    sound = [player for player in found if not player.unsaid and not player.faults]
    return {player.entry.text: evaluator.against_perfect(player).expected_loss for player in sound}


def evaluator_of(
    plan: Plan,
    workers: Workers,
    tell: Callable[[int, int], object],
    remedy: str = "",
) -> Evaluator | None:
    """Explore a plan's game in a worker, and return the evaluator; None if stopped.

    Args:
        plan: The plan.
        workers: The workers to use.
        tell: Called with the numbers of expanded and of known positions.
        remedy: Advice for the error if exact evaluation is impossible. Default: play matches instead.

    Raises:
        ArenaError: If matches cannot be evaluated exactly.
    """
    try:
        check(plan, plan.game.make(), remedy)
        with workers.opened(1) as pool:
            graph = explored(plan.game, plan.limits.stall_seconds, remedy or to_play(), pool, tell)
        return Evaluator(plan, graph) if graph else None
    except ArenaError:
        raise
    except Exception as error:
        raise game_failed(plan, error) from error


def evaluate(
    plan: Plan,
    evaluator: Evaluator,
    workers: Workers,
    tell: Callable[[int, int], object],
) -> ExactResults | None:
    """Evaluate all pairings of a plan; None if stopped.

    Args:
        plan: The plan.
        evaluator: Its evaluator.
        workers: The workers in which entries run.
        tell: Called with the number of positions for which entries have answered, and the total number.

    Raises:
        Unsaid: If an entry does not state its move probabilities.
        GameFault: If an entry failed because of the game.
    """
    with workers.opened() as pool:
        found = players(plan, evaluator.graph, pool, tell)
    if found is None:
        return None
    check_game(plan, found, workers)
    for player in found:
        if player.unsaid:
            raise Unsaid(f"{player.unsaid}; leave it out, or {to_play()}")
    policies = [player.probabilities for player in found]
    pairings = {(a, b): evaluator.play(policies[a], policies[b]) for a, b in plan.pairings}
    return ExactResults(pairings, [evaluator.against_perfect(player) for player in found])


def check_game(plan: Plan, asked: Sequence[Player], workers: Workers) -> None:
    """Raise GameFault if the game caused the failure of an entry."""
    if failed := [player for player in asked if player.faults]:
        suspect = Suspect(failed[0].entry, next(iter(failed[0].faults.values())))
        check_rules_elsewhere(workers.executor, plan.game, plan.limits.stall_seconds, suspect)


# --- querying the entries ----------------------------------------------------------------------------------


class Answers(NamedTuple):
    """An entry's answers in some positions.

    Attributes:
        probabilities: float64 [moves], of all moves of these positions.
        faults: The reason why the entry forfeits, by position.
        seconds: Elapsed time.
    """

    probabilities: Floats
    faults: dict[int, str]
    seconds: float


@dataclass(eq=False)
class Player:
    """An entry's answers so far.

    Attributes:
        entry: The entry.
        probabilities: float64 [moves], all 0 in a position where it forfeits.
        faults: The reason why the entry forfeits, by position.
        asked: Number of positions for which it has answered.
        block: Number of positions in its next task.
        gone: Whether the entry is no longer queried.
        unsaid: The error message if the entry does not state its move probabilities; otherwise empty.
    """

    entry: Spec
    probabilities: Floats
    faults: dict[int, str] = field(default_factory=dict)
    asked: int = 0
    block: int = 64
    gone: bool = False
    unsaid: str = ""

    def take(self, graph: Outline, numbers: range, answers: Answers) -> None:
        """Add the answers for some positions."""
        if not self.gone:
            self.probabilities[graph.first[numbers.start] : graph.first[numbers.stop]] = answers.probabilities
            self.faults.update(answers.faults)
            self.asked += len(numbers)
            self.block = max(1, int(BLOCK_SECONDS * len(numbers) / max(answers.seconds, 1e-6)))

    def forfeit(self, reason: str, at: int) -> None:
        """Let the entry forfeit in all positions, because it hung or crashed its process."""
        self.probabilities[:] = 0.0
        self.faults = {at: reason}
        self.gone = True


def players(
    plan: Plan,
    graph: Outline,
    pool: Pool,
    tell: Callable[[int, int], object],
) -> list[Player] | None:
    """Compute the move probabilities of all entries in all positions, in workers; None if stopped.

    Args:
        plan: The plan.
        graph: The game's graph.
        pool: The workers.
        tell: Called with the number of positions done, and the total number.
    """
    asking = Asking(plan, graph, pool.executor)
    planned = len(graph) * len(asking.players)
    tell(0, planned)
    for _ in work_off(asking, 2 * pool.count, pool.stop):
        tell(sum(len(graph) if player.gone else player.asked for player in asking.players), planned)
    return None if pool.stop.is_set() else asking.players


class Asking(Work[None]):
    """Gets the move probabilities of a plan's entries in all positions, in blocks of about 0.3 seconds.

    An entry that raises an exception or returns invalid probabilities forfeits in that position; one that
    hangs or crashes its worker forfeits in all positions.
    """

    finishes = False

    def __init__(self, plan: Plan, graph: Outline, executor: Executor) -> None:
        super().__init__()
        self.plan, self.graph, self.executor = plan, graph, executor
        self.players = [Player(entry, np.zeros(len(graph.after))) for entry in plan.entries]
        self.left = deque((player, range(len(graph))) for player in self.players)

    def next_task(self, stopping: bool) -> Task | None:
        while self.left and not stopping:
            player, numbers = self.left.popleft()
            if player.gone:
                continue
            if len(numbers) > player.block:
                self.left.append((player, numbers[player.block :]))
                numbers = numbers[: player.block]
            stall = self.plan.limits.stall_seconds
            return Task(self.executor, ask, (self.plan.game, player.entry, numbers, stall), (player, numbers))
        return None

    def take(self, task: Task, answer: Answers) -> Iterator[None]:
        player, numbers = task.of
        player.take(self.graph, numbers, answer)
        yield

    def died(self, task: Task, death: WorkerDied) -> Iterator[None]:
        player, numbers = task.of
        at = death.number if death.number in numbers else numbers.start
        if self.deaths.blame((player.entry.text, at), death):
            if death.seat == RULES:
                raise died_of(self.plan.game, death) from death
            stall = f"no answer within {death.seconds:g} s{at_place(dumped(death.stack)[0])}"
            player.forfeit(stall if death.stalled else death.detail, at)
        self.left.append((player, numbers))
        yield

    def failed(self, task: Task, error: Exception) -> Iterator[None]:
        if isinstance(error, Unsaid):
            player, _ = task.of
            player.unsaid, player.gone = str(error), True
        elif isinstance(error, ArenaError):
            raise error
        else:  # not raised by the entry, whose exceptions are caught elsewhere
            raise game_failed(self.plan, error) from error
        yield


def forget_or_renew(entry: Spec, game: Spec) -> None:
    """Replace an agent that raised an exception; a sandboxed one keeps its process, if that still runs."""
    try:
        renewed = getattr(instance_of(entry, game), "renew", bool)()
    except Exception:
        renewed = False
    if not renewed:
        forget_instances()


def game_failed(plan: Plan, error: Exception) -> ArenaError:
    """Return the error for rules that raised an exception."""
    return ArenaError(f"game {plan.game.text} failed: {one_line(error)}")


def ask(game: Spec, entry: Spec, numbers: range, stall_seconds: float) -> Answers:
    """Compute the move probabilities of an entry in these positions; runs in a worker."""
    watch = this_worker().watch
    watch.turn(numbers.start, RULES, 0.0)  # no limit, as it takes as long as the first time
    graph = graph_here(game, to_play())
    start = perf_counter()
    stated: list[float] = []
    faults: dict[int, str] = {}
    watch.turn(numbers.start, ENTRY, preparing(stall_seconds))
    try:
        instance_of(entry, game)
    except BaseException as error:
        if watch.is_users(error):
            raise
        size = int(graph.first[numbers.stop] - graph.first[numbers.start])
        return Answers(np.zeros(size), {numbers.start: brief(one_line(error))}, perf_counter() - start)
    for i, state, moves in graph.open_positions(numbers):
        watch.turn(i, ENTRY, stall_seconds)
        try:
            agent: Agent = instance_of(entry, game)
            stated += probabilities(agent, state, moves)
        except Unsaid:
            raise
        except BaseException as error:
            if watch.is_users(error):
                raise
            faults[i] = f"{brief(one_line(error))}, in {graph.game.position_text(state)}"
            stated += [0.0] * len(moves)
            forget_or_renew(entry, game)  # after an exception an agent may be in any state
    watch.clear()
    return Answers(np.array(stated, np.float64), faults, perf_counter() - start)
