"""Some matches of a plan, played in a worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from arena.api.agent import Agent
from arena.api.game import Game
from arena.api.spec import InstanceSpec, Spec
from arena.compiler import is_compiled, wanted, with_compiled_rules
from arena.matches.match import fault, play_match
from arena.matches.schedule import Fixture, Plan
from arena.results.record import Record
from arena.results.tally import Summary
from arena.workers.watch import RULES, Watch
from arena.workers.worker import this_worker

if TYPE_CHECKING:
    from arena.matches.compiled_block import CompiledBlock


PREPARING = 120.0  # seconds that getting compiled code ready may take, compiling not counted


MADE = "games and agents"  # what a worker keeps


BLOCK = "compiled block"  # what was played last


Played = TypeVar("Played", list[Record], Summary)


def gathered(records: Iterable[Record], kind: type[Played]) -> Played:
    """The records themselves, or their summary."""
    played = kind()
    for record in records:
        played.append(record) if isinstance(played, list) else played.add(record)
    return played


def play_block(plan: Plan, numbers: range, kind: type[Any]) -> tuple[Any, float]:
    """Play some matches here: what is played, in order, and the seconds it took."""
    watch = this_worker().watch
    stall = plan.limits.stall_seconds
    preparing = stall and max(stall, PREPARING)
    watch.turn(numbers[0], RULES, preparing)
    game = made(plan.game)
    watch.turn(numbers[0], RULES, stall)
    if wanted() and game.flat:  # which is found out by playing
        watch.turn(numbers[0], RULES, preparing)
        with_compiled_rules(game)
    compiled = compiled_block(plan, game, watch)
    start = perf_counter()

    if compiled is None:
        played = gathered(play_matches(plan, game, numbers, watch), kind)
    else:
        played = kind()
        for chunk, rows, left in compiled.play(numbers, keep=kind is list):
            others = play_matches(plan, game, left, watch)
            if kind is list:
                played += sorted([*compiled.records(chunk, rows), *others])
            else:
                compiled.sum_up(chunk, rows, played)
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
            forget_made()  # what raised may be in any state
        yield record


def compiled_block(plan: Plan, game: Game, watch: Watch) -> CompiledBlock | None:
    """What plays a plan compiled, kept for its blocks; None where everything is played move by move."""
    if plan.limits.move_seconds or not plan.limits.plies:  # a clock for each move, or no end
        return None
    kept = this_worker().kept
    compiled: CompiledBlock | None = kept.get(BLOCK)
    if compiled is None or compiled.plan != plan:
        if not is_compiled(game):
            return None
        from arena.matches.compiled_block import CompiledBlock

        compiled = kept[BLOCK] = CompiledBlock(plan, game, made, watch)
    return compiled


def made(spec: Spec, of: Spec | None = None, seat: int = 0) -> Any:
    """The game, or the agent of a seat in game `of`: made once a worker and kept, unless it is there already."""
    if isinstance(spec, InstanceSpec):
        return spec.make()
    key = (spec.text, spec.target, of and of.text, seat)
    things = this_worker().keep(MADE, dict)
    if key not in things:
        # an agent gets a game of its own, for it may leave threads at work on it
        things[key] = spec.make(with_compiled_rules(of.make())) if of else spec.make()
    return things[key]


def forget_made() -> None:
    """Let go of games and agents, and of what was played last."""
    this_worker().kept.pop(MADE, None)
    forget_block()


def forget_block() -> None:
    """Let go of the plan that this worker played last, and of the instances in it."""
    this_worker().kept.pop(BLOCK, None)
