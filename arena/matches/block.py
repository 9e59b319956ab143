"""Some matches of a plan, played in a worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from arena.api.agent import Agent
from arena.api.game import Game
from arena.api.spec import InstanceSpec, Spec
from arena.compiler import is_compiled, wanted, with_compiled_rules
from arena.matches.match import game_fault, play_match
from arena.matches.schedule import Fixture, Plan
from arena.results.record import Record
from arena.results.tally import Summary
from arena.workers.watch import RULES, Watch
from arena.workers.worker import this_worker

if TYPE_CHECKING:
    from arena.matches.compiled_block import CompiledBlock


PREPARING = 120.0  # seconds that getting compiled code ready may take, compiling not counted

# what a worker keeps: games and agents by spec, and what plays the plan that it played last
INSTANCES, COMPILED_BLOCK = "games and agents", "compiled block"

Played = TypeVar("Played", list[Record], Summary)


def collected(records: Iterable[Record], kind: type[Played]) -> Played:
    """The records as a list, or their summary, as `kind` says."""
    played = kind()
    for record in records:
        played.append(record) if isinstance(played, list) else played.add(record)
    return played


def play_block(plan: Plan, numbers: range, kind: type[Any]) -> tuple[Any, float]:
    """Play some matches in this process.

    Returns (played, seconds): a list of records in the order of their numbers, or a summary, as `kind` says.
    """
    watch = this_worker().watch
    stall = plan.limits.stall_seconds
    preparing = stall and max(stall, PREPARING)
    watch.turn(numbers[0], RULES, preparing)
    game = instance_of(plan.game)
    watch.turn(numbers[0], RULES, stall)
    if wanted() and game.flat:  # which is found out by playing
        watch.turn(numbers[0], RULES, preparing)
        with_compiled_rules(game)
    compiled = compiled_block(plan, game, watch)
    start = perf_counter()

    if compiled is None:
        played = collected(play_matches(plan, game, numbers, watch), kind)
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
    """Play some matches move by move, and give their records in order. GameFault if the rules fail."""
    round, opening = -1, []
    for number in numbers:
        fixture = plan.fixture(number)
        if fixture.round != round:
            watch.turn(number, RULES, plan.limits.stall_seconds)
            try:
                round, opening = fixture.round, plan.opening(game, fixture.round)
            except Exception as error:
                raise game_fault(game, number, [], error, watch) from error

        def make(seat: int, fixture: Fixture = fixture) -> Agent:
            agent: Agent = instance_of(plan.entries[fixture[2 + seat]], plan.game, seat)
            if plan.limits.move_seconds and wanted():
                from arena.compiler.seats import seat_of

                seat_of(agent)  # it is compiled before its clock runs
            return agent

        record = play_match(game, make, fixture, plan.match_seed(number), opening, plan.limits, watch)
        if record.reason == "crash":
            forget_instances()  # what raised may be in any state
        yield record


def compiled_block(plan: Plan, game: Game, watch: Watch) -> CompiledBlock | None:
    """What plays a plan compiled, kept for its blocks; None where everything is played move by move."""
    if plan.limits.move_seconds or not plan.limits.plies:  # a clock for each move, or no end
        return None
    kept = this_worker().kept
    compiled: CompiledBlock | None = kept.get(COMPILED_BLOCK)
    if compiled is None or compiled.plan != plan:
        if not is_compiled(game):
            return None
        from arena.matches.compiled_block import CompiledBlock

        compiled = kept[COMPILED_BLOCK] = CompiledBlock(plan, game, instance_of, watch)
    return compiled


def instance_of(spec: Spec, game: Spec | None = None, seat: int = 0) -> Any:
    """A game, or with `game` the agent that plays it in this seat: made once a worker and kept."""
    if isinstance(spec, InstanceSpec):
        return spec.make()
    key = (spec.text, spec.target, game and game.text, seat)
    instances = this_worker().keep(INSTANCES, dict)
    if key not in instances:
        # an agent gets a game of its own, for it may leave threads at work on it
        instances[key] = spec.make(with_compiled_rules(game.make())) if game else spec.make()
    return instances[key]


def forget_instances() -> None:
    """Drop the games and agents that this worker keeps, and the plan it played last."""
    this_worker().kept.pop(INSTANCES, None)
    forget_block()


def forget_block() -> None:
    """Drop the plan that this worker played last, with the instances in it."""
    this_worker().kept.pop(COMPILED_BLOCK, None)
