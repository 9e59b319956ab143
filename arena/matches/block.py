"""Play a block of matches of a plan in a worker."""

from __future__ import annotations

import math
import os
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast

from arena.activity import concerning
from arena.api.agent import Agent
from arena.api.endings import Probed, probe
from arena.api.game import Game, Move
from arena.api.limits import preparing, tell_limits
from arena.api.reasons import FORFEITS
from arena.api.rulings import GameFault
from arena.api.spec import InstanceSpec, Spec
from arena.compiler import LONG, advise, is_compiled, wanted, with_compiled_rules
from arena.faults.captured_output import listening
from arena.faults.rule_check import Suspect, check_rules, game_fault
from arena.faults.tracebacks import at_place
from arena.matches.agent_state import AgentState
from arena.matches.match import Forfeit, play_match
from arena.plan.opening_book import Opening
from arena.plan.plan import Plan
from arena.plan.schedule import Fixture
from arena.results.fault_story import STORIES
from arena.results.record import Record
from arena.results.records import Records
from arena.results.tally import Summary
from arena.workers.worker import RULES, Watch, this_worker

if TYPE_CHECKING:
    from arena.matches.compiled_block import CompiledBlock


OTHERS = 32  # maximum number of agents of other plans in a worker's cache
FILES = 64  # number of open files above which a worker that has played agents is replaced

# keys of a worker's cache: games and agents by spec, the `CompiledBlock` of the last plan, the endings, and
# faults that certainly are not caused by the game
INSTANCES, COMPILED_BLOCK, ENDINGS = "games and agents", "compiled block", "endings"
STATES = "states of agents"  # initial `AgentState`s, by spec
OWN_FAULTS = "own faults"
SPENT = "seconds spent"  # by entries, and in matches by rules; see `advise_slow`

Played = TypeVar("Played", Records, Summary)
Faults: TypeAlias = frozenset[tuple[int, str, str]]  # see `fault_of`


class MatchInDoubt(Exception):
    """Raised if a match failed in a process in which several agents have played: any may be to blame."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Block(NamedTuple):
    """The result of playing a block.

    Attributes:
        played: `Records` or a `Summary`.
        seconds: The elapsed time in seconds.
        doubtful: The number of a match to be played again with each agent in a separate process, or None.
        again: The numbers of matches to be played again in another worker.
    """

    played: Any
    seconds: float
    doubtful: int | None = None
    again: Sequence[range] = ()


def play_block(
    plan: Plan,
    numbers: range,
    kind: type,
    known: Faults | None = frozenset(),
    left_out: frozenset[int] = frozenset(),
) -> Block:
    """Play matches in this process.

    If this process can be replaced, a fault that is not in `known` leaves its match undecided. This process
    is then replaced, and the remaining matches are played elsewhere.

    Args:
        plan: The plan.
        numbers: The numbers of the matches.
        kind: `Records` or `Summary`, the type of the result.
        known: Faults that are certainly caused by the entries; None if all are.
        left_out: Entries whose matches are skipped.

    Raises:
        GameFault: If the rules fail and this process cannot be replaced.
    """
    worker = this_worker()
    watch = worker.watch
    forget_others(plan)
    game = game_of(plan, numbers[0], watch)
    endings = endings_of(plan, game, numbers[0], watch)
    compiled = compiled_block(plan, game, watch, endings)
    start = perf_counter()
    parts: list[Records] = []
    summary = Summary()
    doubtful: int | None = None
    again: list[range] = []
    told: Counter[int] = Counter()

    def play_plainly(left: Sequence[int]) -> Iterator[Record]:
        """Play matches move by move, and stop at one that is left undecided."""
        nonlocal doubtful
        done = 0
        try:
            for record in with_first_stories(play_matches(plan, game, left, watch, known, endings), told):
                done += 1
                yield record
        except MatchInDoubt as doubt:
            doubtful = doubt.number
            again.extend(range(number, number + 1) for number in left[done + 1 :])

    def take(records: Iterator[Record]) -> None:
        if kind is Records:
            parts.append(Records.of(records))
        else:
            summary.extend(records)

    with listening(aloud=not watch.expendable):
        if compiled is None:
            take(play_plainly(wanted_of(plan, numbers, left_out)))
        else:
            for chunk, rows, left in compiled.play(numbers, kind is Records, left_out):
                take(play_plainly(wanted_of(plan, left, left_out)))
                if kind is Records:
                    parts.append(compiled.records(chunk, rows))
                else:
                    compiled.sum_up(chunk, rows, summary)
                if doubtful is not None:
                    again.append(range(chunk.stop, numbers.stop))
                    break
    played = Records.joined(parts) if kind is Records else summary
    watch.clear()
    advise_slow(perf_counter() - start, plan.game)
    worker.spent = worker.spent or doubtful is not None or left_something_behind(worker.threads)
    return Block(played, perf_counter() - start, doubtful, joined(again))


def wanted_of(plan: Plan, numbers: Sequence[int], left_out: frozenset[int]) -> Sequence[int]:
    """Return the numbers of the matches without entries in `left_out`."""
    if not left_out:
        return numbers
    return [number for number in numbers if left_out.isdisjoint(plan.fixture(number)[2:])]


def game_of(plan: Plan, number: int, watch: Watch) -> Game:
    """Return the game of a plan, compiled if possible.

    Args:
        plan: The plan.
        number: The match that is blamed if the game hangs.
        watch: The watch.
    """
    stall = plan.limits.stall_seconds
    watch.turn(number, RULES, preparing(stall))
    game: Game = instance_of(plan.game)
    watch.turn(number, RULES, stall)
    if wanted() and game.flat:
        watch.turn(number, RULES, preparing(stall))
        with concerning(plan.game.text):
            with_compiled_rules(game)
    return game


def endings_of(plan: Plan, game: Game, number: int, watch: Watch) -> Probed | None:
    """Return the cached endings for adjudicating a plan's matches; None if there is no adjudication."""
    limits, kept = plan.limits, this_worker().kept
    if not limits.pieces:
        return None
    endings = kept.get(ENDINGS)
    if endings is None or endings.game is not game or endings.endings.pieces != limits.pieces:
        watch.turn(number, RULES, preparing(limits.stall_seconds))
        endings = kept[ENDINGS] = probe(game, limits.pieces)
    return cast(Probed, endings)


def joined(numbers: Iterable[range]) -> list[range]:
    """Return the numbers of ranges in as few ranges as possible."""
    found: list[range] = []
    for some in numbers:
        if found and found[-1].stop == some.start:
            found[-1] = range(found[-1].start, some.stop)
        elif some:
            found.append(some)
    return found


def left_something_behind(threads: int) -> bool:
    """Return whether agents have left threads or many open files, so that the process should be replaced."""
    if threading.active_count() > threads:
        return True
    try:
        return len(os.listdir("/proc/self/fd")) > FILES
    except OSError:
        return False


def fault_of(record: Record) -> tuple[int, str, str]:
    """Return the fault that forfeited a match: loser, reason and, for a crash, its text without numbers."""
    return record.loser, record.reason, unnumbered(record.detail or "") if record.reason == "crash" else ""


def unnumbered(detail: str) -> str:
    """Return the beginning of a fault's text without numbers, which may differ each time."""
    return re.sub(r"[0-9]+", "#", detail[:80])


def play_matches(
    plan: Plan,
    game: Game,
    numbers: Iterable[int],
    watch: Watch,
    known: Faults | None = frozenset(),
    endings: Probed | None = None,
) -> Iterator[Record]:
    """Play matches move by move and yield their records in order.

    Args:
        plan: The plan.
        game: The game.
        numbers: The numbers of the matches.
        watch: The watch.
        known: Faults that are certainly caused by the entries; None if all are.
        endings: See `endings_of`.

    Raises:
        GameFault: If the rules fail and this process cannot be replaced. The rules are checked once for each
            fault.
        MatchInDoubt: If this process can be replaced, and the rules fail or a fault is not in `known`.
    """
    doubting = watch.expendable and known is not None
    own: set[tuple[str, str, str]] = this_worker().keep(OWN_FAULTS, set)
    begun, opening = None, Opening()
    for number in numbers:
        fixture = plan.fixture(number)

        def make(seat: int, fixture: Fixture = fixture) -> Agent:
            entry = fixture[2 + seat]
            agent = agent_of(plan.entries[entry], plan.game, seat)
            tell_limits(agent, plan.limits)
            if plan.limits.timed and wanted():
                from arena.compiler.seats import seat_of

                with concerning(plan.place(entry)):
                    seat_of(agent)  # compiles the agent before its clock starts
            return agent

        def cleared(moves: Sequence[Move], forfeit: Forfeit, fixture: Fixture = fixture) -> None:
            fault = plan.game.text, plan.entries[fixture[2 + forfeit.seat]].text, unnumbered(forfeit.detail)
            if not watch.expendable and fault not in own:
                clear(plan, fixture, moves, forfeit)
                own.add(fault)

        try:
            place = plan.opening_key(fixture.first, fixture.second), fixture.round
            if place != begun:
                watch.turn(number, RULES, plan.limits.stall_seconds)
                try:
                    begun, opening = place, plan.opening(game, fixture)
                except Exception as error:
                    raise game_fault(game, [], error, watch, number) from error
            seeds = plan.seat_seeds(number)
            record = play_match(
                game, make, fixture, seeds, opening, plan.limits, watch, endings, cleared, plan.untrusted
            )
        except GameFault as fault:
            if doubting:
                raise MatchInDoubt(number) from fault
            raise
        if record.reason in FORFEITS:
            if doubting and fault_of(record) not in (known or ()):
                raise MatchInDoubt(number)
            this_worker().spent |= doubting
            forget_instances()  # agents may be in any state after an exception
        else:
            with watch.paused():
                for seat, seconds in enumerate((record.first_seconds, record.second_seconds)):
                    advise_slow(seconds, plan.entries[fixture[2 + seat]], plan.game, seat)
        yield record


def advise_slow(seconds: float, spec: Spec, game: Spec | None = None, seat: int = 0) -> None:
    """Count the seconds that a game or agent has used; if they are many, advise its author to compile it."""
    spent: defaultdict[str, float] = this_worker().keep(SPENT, lambda: defaultdict(float))
    spent[spec.text] += seconds
    if spent[spec.text] > LONG:
        spent[spec.text] = -math.inf
        advise(instance_of(spec, game, seat), spec.text)


def clear(plan: Plan, fixture: Fixture, moves: Sequence[Move], forfeit: Forfeit) -> None:
    """Raise GameFault if a forfeit is caused by the rules, and not only by the agent.

    The rules are checked along these moves and in random matches.
    """
    suspect = Suspect(plan.entries[fixture[2 + forfeit.seat]], forfeit.detail + at_place(forfeit.place))
    start = plan.start(fixture)
    check_rules(plan.game, moves, plan.limits.stall_seconds, suspect, fixture.number, start)


def compiled_block(plan: Plan, game: Game, watch: Watch, endings: Probed | None) -> CompiledBlock | None:
    """Return the cached object that plays a plan's matches compiled; None if they are played move by move."""
    if plan.limits.timed or not plan.limits.plies:  # compiled matches do not check clocks, and must end
        return None
    kept = this_worker().kept
    compiled: CompiledBlock | None = kept.get(COMPILED_BLOCK)
    if compiled is not None and compiled.plan.alike(plan):
        compiled.plan = plan
    else:
        if not is_compiled(game):
            return None
        from arena.matches.compiled_block import CompiledBlock

        compiled = kept[COMPILED_BLOCK] = CompiledBlock(plan, game, agent_of, state_of, watch, endings)
    return compiled


def instance_of(spec: Spec, game: Spec | None = None, seat: int = 0) -> Any:
    """Return a game, or an agent for a game and seat, cached in the worker.

    Args:
        spec: The game or agent.
        game: The game that the agent plays; None if `spec` is a game.
        seat: The agent's seat.
    """
    if isinstance(spec, InstanceSpec):
        return spec.make()
    key = key_of(spec, game, seat)
    instances = this_worker().keep(INSTANCES, dict)
    if key not in instances:
        # each agent gets its own game, since it may leave threads that use it
        instances[key] = spec.make(with_compiled_rules(game.make())) if game else spec.make()
        if game:
            states()[key] = AgentState(instances[key])
    return instances[key]


def state_of(spec: Spec, game: Spec, seat: int = 0) -> AgentState | None:
    """Return the initial state of a cached agent; None if the agent does not run in this process."""
    return states().get(key_of(spec, game, seat))


def states() -> dict[object, AgentState]:
    """Return the initial states of the cached agents, by key."""
    found: dict[object, AgentState] = this_worker().keep(STATES, dict)
    return found


def agent_of(spec: Spec, game: Spec, seat: int) -> Agent:
    """Return a cached agent, after resetting it to its initial state for a new match."""
    agent: Agent = instance_of(spec, game, seat)
    state = state_of(spec, game, seat)
    if state is not None and not state.restore():
        del this_worker().kept[INSTANCES][key_of(spec, game, seat)]
        agent = instance_of(spec, game, seat)
    return agent


def key_of(spec: Spec, game: Spec | None, seat: int) -> tuple[object, ...]:
    """Return the key of a game or an agent in the cache of the worker."""
    return spec.text, spec.target, game and game.text, seat


def forget_others(plan: Plan) -> None:
    """Drop cached agents of other plans if there are many."""
    instances: dict[Any, object] = this_worker().keep(INSTANCES, dict)
    if len(instances) > OTHERS + 2 * len(plan.entries):
        texts = {spec.text for spec in plan.entries}
        for key in [key for key in instances if key[2] and key[0] not in texts]:
            del instances[key]
            states().pop(key, None)


def forget_instances() -> None:
    """Drop all cached games and agents, and the `CompiledBlock` of the last plan."""
    this_worker().kept.pop(INSTANCES, None)
    this_worker().kept.pop(STATES, None)
    forget_block()


def forget_block() -> None:
    """Drop the `CompiledBlock` of the last plan, and the games and agents that it uses."""
    this_worker().kept.pop(COMPILED_BLOCK, None)


def with_first_stories(records: Iterable[Record], told: Counter[int]) -> Iterator[Record]:
    """Yield records, keeping stories only for the first `STORIES` faults of each entry.

    Args:
        records: Records sorted by number.
        told: Number of stories so far, by entry; it is updated.
    """
    for record in records:
        if record.story is not None:
            told[record.loser] += 1
            if told[record.loser] > STORIES:
                record = record._replace(story=None)
        yield record
