"""A plan played, in blocks of matches over an executor."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from arena.api.agent import Agent
from arena.api.game import Game
from arena.api.spec import Lent, Spec
from arena.compiler import is_compiled, wanted, with_compiled_rules
from arena.errors import ArenaError, one_line
from arena.matches.match import fault, play_match
from arena.matches.schedule import Fixture, Plan
from arena.results.record import Record
from arena.results.tally import Summary
from arena.workers import processes
from arena.workers.processes import WorkerDied
from arena.workers.watch import NOBODY, RULES, Watch

if TYPE_CHECKING:
    from arena.matches.stage import Stage

ENOUGH, PLENTY = 2, 5  # deaths at the same place that put the blame on an agent, on the game
PREPARING = 120.0  # seconds that getting compiled code ready may take, compiling not counted
BLOCK_SECONDS = 0.5  # what a block should take
LARGEST = 20_000  # matches in a block at most, whose records are kept
local = threading.local()  # .made: the game and agents made in this thread; .stage: of the plan last played

Played = TypeVar("Played", list[Record], Summary)


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
    An agent loses a match if twice a worker dies when it is its turn there; once, somebody else may have
    ended the process. Where it is nobody's turn it takes more, since it ends the tournament. What else was in
    the block is played again. Once `stop` is set, what is being played is finished and no more begun.
    ArenaError if the game itself fails.
    """
    waiting = deque(numbers)
    left = sum(map(len, waiting))
    pending: dict[Future[tuple[Played, float]], range] = {}
    pace = 0.0  # seconds a match, of late
    deaths: Counter[tuple[int, int]] = Counter()  # of workers, by match and seat
    while waiting or pending:
        if stop.is_set():
            waiting.clear()
            pending = {future: chunk for future, chunk in pending.items() if not future.cancel()}
        while waiting and len(pending) < 2 * workers:
            size = int(BLOCK_SECONDS / pace) if pace else 4
            size = max(1, min(size, left // (2 * workers)))
            if kind is list:
                size = min(size, LARGEST)
            chunk = waiting.popleft()
            if len(chunk) > size:
                waiting.appendleft(chunk[size:])
                chunk = chunk[:size]
            left -= len(chunk)
            pending[executor.submit(play_block, plan, chunk, kind)] = chunk
        done, _ = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
        for future in done:
            chunk = pending.pop(future)
            try:
                played, seconds = future.result()
                pace = seconds / len(chunk)
                yield played
            except BrokenExecutor as error:
                raise ArenaError(
                    f"the executor broke: {one_line(error)}; 'processes' tells whose fault it is and goes on"
                ) from error
            except WorkerDied as death:
                records, again = after_death(plan, chunk, death, deaths)
                waiting.extendleft(reversed(again))
                left += sum(map(len, again))
                if records:
                    yield gathered(records, kind)


def after_death(
    plan: Plan, chunk: range, death: WorkerDied, deaths: Counter[tuple[int, int]]
) -> tuple[list[Record], list[range]]:
    """What a worker's death decides, and what of its block is to be played again."""
    if death.number not in chunk and len(chunk) > 1:
        middle = len(chunk) // 2
        return [], [chunk[:middle], chunk[middle:]]
    number = death.number if death.number in chunk else chunk[0]
    at = number - chunk.start
    deaths[number, death.seat] += 1
    if not death.stalled and deaths[number, death.seat] < (ENOUGH if death.seat in (0, 1) else PLENTY):
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


def gathered(records: Iterable[Record], kind: type[Played]) -> Played:
    """The records themselves, or their summary."""
    played = kind()
    for record in records:
        played.append(record) if isinstance(played, list) else played.add(record)
    return played


def play_block(plan: Plan, numbers: range, kind: type[Any]) -> tuple[Any, float]:
    """Play some matches here: what is played, in order, and the seconds it took."""
    watch = processes.this_worker
    stall = plan.limits.stall_seconds
    preparing = stall and max(stall, PREPARING)
    watch.turn(numbers[0], RULES, preparing)
    game = made(plan.game)
    watch.turn(numbers[0], RULES, stall)
    if wanted() and game.flat:  # which is found out by playing
        watch.turn(numbers[0], RULES, preparing)
        with_compiled_rules(game)
    stage = staged(plan, game, watch)
    start = perf_counter()

    if stage is None:
        played = gathered(play_matches(plan, game, numbers, watch), kind)
    else:
        played = kind()
        for chunk, rows, left in stage.play(numbers, keep=kind is list):
            others = play_matches(plan, game, left, watch)
            if kind is list:
                played += sorted([*stage.records(chunk, rows), *others])
            else:
                stage.sum_up(chunk, rows, played)
                for record in others:
                    played.add(record)
    watch.clear()
    return played, perf_counter() - start


def play_matches(plan: Plan, game: Game, numbers: Iterable[int], watch: Watch) -> Iterator[Record]:
    """Play some matches move by move."""
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
            if plan.limits.move_seconds and wanted():
                from arena.compiler.seats import seat_of

                seat_of(agent)  # it is compiled before its clock runs
            return agent

        record = play_match(game, make, fixture, plan.match_seed(number), opening, plan.limits, watch)
        if record.reason == "crash":
            local.made.clear()  # what raised may be in any state
            local.stage = None
        yield record


def staged(plan: Plan, game: Game, watch: Watch) -> Stage | None:
    """The compiled stage for a plan, kept for its blocks; None where everything is played move by move."""
    if plan.limits.move_seconds or not plan.limits.plies:  # a clock for each move, or no end
        return None
    stage: Stage | None = getattr(local, "stage", None)
    if stage is None or stage.plan != plan:
        if not is_compiled(game):
            return None
        from arena.matches.stage import Stage

        stage = local.stage = Stage(plan, game, made, watch)
    return stage


def made(spec: Spec, of: Spec | None = None, seat: int = 0) -> Any:
    """The game, or the agent of a seat in game `of`: made once a thread and kept, unless it is lent."""
    if isinstance(spec, Lent):
        return spec.make()
    if not hasattr(local, "made"):
        local.made = {}
    key = (spec.text, spec.target, of and of.text, seat)
    if key not in local.made:
        # an agent gets a game of its own, for it may leave threads at work on it
        local.made[key] = spec.make(with_compiled_rules(of.make())) if of else spec.make()
    return local.made[key]


def forget() -> None:
    """Let go of the plan that was played last in this thread, and of what was lent to it."""
    local.stage = None
