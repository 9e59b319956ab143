"""Plays a match between two agents, with seats, clocks and forfeits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from math import nan
from time import perf_counter
from typing import Any, Protocol, TypeGuard

from arena.api.agent import Agent
from arena.api.endings import Probed
from arena.api.game import Game, Move, State
from arena.api.limits import Clocks, Draws, Limits
from arena.api.reasons import ADJUDICATED
from arena.api.rulings import (
    given_move,
    legal_moves,
    notations,
    outcome,
    place_of,
    played,
    player_to_move,
    start_of,
)
from arena.errors import AsksTerminal, Reported, brief, one_line, safe_text
from arena.faults.captured_output import ASKS, Tail, hearing
from arena.faults.rule_check import game_fault
from arena.faults.tracebacks import told
from arena.plan.opening_book import OWN_START, Opening
from arena.results.fault_story import Story, story
from arena.results.record import SCORE, Record, Used
from arena.rng import Rng
from arena.workers.worker import RULES, Watch

NAMES = 16  # maximum number of usage names for one move
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
LARGEST = 2.0**53  # integers up to this are exact as float
ATTRIBUTE = "move_usage"  # the attribute in which an agent reports it

RESULTS = (-1, 0, 1)
NO_INPUT = "EOF when reading a line"  # message of the EOFError that `input` raises


class Player(Protocol):
    """A player of a match: an agent, or the proxy of an agent in another process."""

    def begin(self, seat: int) -> None:
        """Begin a match in a seat."""

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        """Return one of the moves."""


class Elsewhere:
    """Base class of the proxies of agents in other processes."""

    def printed(self) -> str:
        """Return the end of the text that the agent has printed in this match."""
        return ""


class Told(Reported):
    """An agent's fault as reported by another process.

    Attributes:
        reason: The reason of the forfeit.
        place: See `Story`.
        traceback: See `Story`.
        printed: See `Story`.
    """

    def __init__(self, text: str, reason: str, place: str, traceback: str, printed: str) -> None:
        super().__init__(text)
        self.reason, self.place, self.traceback, self.printed = reason, place, traceback, printed


class Forfeit(Exception):
    """An agent's fault, by which it loses the match.

    Attributes:
        seat: The agent's seat.
        reason: The kind of fault, as in `Record`.
        detail: A short description.
        place: See `Story`.
        traceback: See `Story`.
        printed: See `Story`.
    """

    def __init__(
        self, seat: int, reason: str, detail: str, place: str = "", traceback: str = "", printed: str = ""
    ) -> None:
        super().__init__(seat, reason, detail)
        self.seat, self.reason = seat, reason
        self.detail = brief(detail)
        self.place, self.traceback, self.printed = place, traceback, printed


def play_match(
    game: Game,
    make: Callable[[int], Player],
    fixture: tuple[int, int, int, int],
    seeds: tuple[int, int],
    opening: Opening,
    limits: Limits,
    watch: Watch,
    endings: Probed | None = None,
    cleared: Callable[[Sequence[Move], Forfeit], object] = lambda moves, forfeit: None,
    untrusted: frozenset[int] = frozenset(),
) -> Record:
    """Play one match and return its record.

    An agent that raises an exception, overruns its clock or returns a move that is not in `game.moves(state)`
    loses. Apart from times, the record depends only on the arguments.

    Args:
        game: The game.
        make: Returns the agent for seat 0 or 1.
        fixture: The number and round of the match, and the entries in the first and second seat.
        seeds: The seeds of both players' random numbers.
        opening: The opening.
        limits: Time limits and maximum plies.
        watch: Records whose turn it is.
        endings: Endings by which the match is adjudicated, see `arena.api.endings.probe`; None for no
            adjudication.
        cleared: Function that is called with the moves so far, before an agent is blamed for a crash or a
            stall. It raises an exception if the game is to blame.
        untrusted: Entries whose random draws do not count as chance in the match.

    Raises:
        GameFault: If the rules fail, or break the game's contract.
    """
    number = fixture[0]
    streams = (Rng(seeds[0]), Rng(seeds[1]))
    clocks, seconds = Clocks(limits), [0.0, 0.0]
    history: list[Move] = []
    usage: list[Used] = []
    reason, detail, seat = "rules", None, -1
    agents: list[Player] = []
    tails = (Tail(), Tail())
    fault: Story | None = None
    try:
        watch.turn(number, RULES, limits.stall_seconds)
        state = start_of(game, opening.start)
        draws = Draws(game, state, limits, opening.start)
        for move in opening.moves:
            seat = player_to_move(game, state, seat)
            draws.add_move(state, move, state := played(game, state, move))
            history.append(move)
        for side in (0, 1):
            agents.append(begin_match(make, side, number, limits, watch, tails[side], opening))
        watch.turn(number, RULES, limits.stall_seconds)
        while legal := legal_moves(game, state):
            if draw_reason := draws.reason(state, len(history)):
                result, reason = 0, draw_reason
                break
            seat = player_to_move(game, state, seat)
            if endings is not None and (end := adjudicated(endings, state, seat)):
                result, reason = end
                break
            watch.turn(number, seat, limits.stall_seconds)
            clocks.show(agents[seat], seat)
            start = perf_counter()
            hearing.tail = tails[seat]
            try:
                move = ask(agents[seat], seat, game, state, legal, streams[seat], watch, history)
            finally:
                elapsed = perf_counter() - start
                if amounts := taken(agents[seat]):
                    usage.append(Used(len(history) + 1, seat, amounts))
            hearing.tail = None
            seconds[seat] += min(getattr(agents[seat], "own_seconds", elapsed), elapsed)
            watch.turn(number, RULES, limits.stall_seconds)
            if overrun := clocks.overrun(seat, elapsed):
                raise Forfeit(seat, "clock", f"ply {len(history) + 1} {overrun}")
            draws.add_move(state, move, state := played(game, state, move))
            history.append(move)
        else:
            result = outcome(game, state, seat)
    except Forfeit as forfeit:
        hearing.tail = None
        if forfeit.reason in ("crash", "stall"):
            cleared(history, forfeit)
        watch.turn(number, RULES, limits.stall_seconds)
        fault = told_of(forfeit, game, state, agents, tails)
        result = -1 if forfeit.seat == 0 else 1
        reason, detail = forfeit.reason, forfeit.detail
    except BaseException as error:
        raise game_fault(game, history, error, watch, number, opening.start) from error
    try:
        moves = notations(game, history)
    except BaseException as error:
        raise game_fault(game, history, error, watch, number, opening.start) from error
    trusted = (stream for stream, entry in zip(streams, fixture[2:], strict=True) if entry not in untrusted)
    chance = int(any(map(was_drawn_from, trusted)))
    return Record(
        *fixture, result, reason, detail, len(history), len(opening.moves), moves, chance, seconds[0],
        seconds[1], opening.start, fault, tuple(usage),
    )  # fmt: skip


def adjudicated(endings: Probed, state: State, mover: int) -> tuple[int, str] | None:
    """Return the result and the reason of a match from endings; None if they do not contain the position."""
    value = endings.value(state)
    return (-value if mover else value, ADJUDICATED) if value in RESULTS else None


def begin_match(
    make: Callable[[int], Player],
    seat: int,
    number: int,
    limits: Limits,
    watch: Watch,
    tail: Tail,
    opening: Opening = OWN_START,
) -> Player:
    """Return the agent of a seat after calling its `begin`.

    Args:
        make: Returns the agent for a seat.
        seat: The seat.
        number: The match.
        limits: Time limits.
        watch: Records whose turn it is.
        tail: Collects the text that the agent prints.
        opening: The start position and the moves before agents choose.

    Raises:
        Forfeit: If the agent cannot be created, or raises an exception.
    """
    watch.turn(number, seat, limits.stall_seconds)
    hearing.tail = tail
    try:
        agent = make(seat)
        tail.clear()  # the agent may be from another match; text printed before `begin` is discarded
        tell_opening(agent, opening)
        agent.begin(seat)
    except BaseException as error:
        raise crash(seat, error, watch) from error
    hearing.tail = None
    return agent


def tell_opening(agent: object, opening: Opening) -> None:
    """Call the agent's `follow_opening` with the opening, if it has that method."""
    if hasattr(agent, "follow_opening"):
        agent.follow_opening(*opening)


def told_of(
    forfeit: Forfeit, game: Game, state: State, agents: Sequence[Player], tails: tuple[Tail, Tail]
) -> Story:
    """Return the story of a forfeit in a position."""
    printed = forfeit.printed or tails[forfeit.seat].text()
    if not printed and forfeit.seat < len(agents):
        agent = agents[forfeit.seat]
        printed = agent.printed() if isinstance(agent, Elsewhere) else ""
    return story(
        place=forfeit.place,
        position=safe_text(game.position_text, state),
        board=safe_text(game.board_text, state),
        traceback=forfeit.traceback,
        printed=printed,
    )


def ask(
    agent: Player,
    seat: int,
    game: Game,
    state: State,
    legal: list[Move],
    stream: Rng,
    watch: Watch,
    history: Sequence[Move],
) -> Move:
    """Ask an agent for a move, and return the element of `legal` that equals it.

    Args:
        agent: The agent.
        seat: Its seat.
        game: The game.
        state: The position.
        legal: The legal moves.
        stream: The agent's random numbers.
        watch: Records whose turn it is.
        history: The moves that led to the position.

    Raises:
        Forfeit: If the agent raises an exception, or its move is not legal.
    """
    try:
        move = choice(agent, state, legal, stream)
    except BaseException as error:
        raise crash(seat, error, watch) from error
    try:
        return legal[place_of(legal, move)]
    except BaseException as error:  # comparing an object that is not a move may raise anything
        shown = given_move(game, move, history)
        raise Forfeit(seat, "illegal move", f"{shown} in {game.position_text(state)}") from error


def choice(agent: Player, state: State, legal: list[Move], stream: Rng) -> object:
    """Return the result of the agent's `choose`.

    Raises:
        Reported: If the agent has corrupted its random numbers.
    """
    move = agent.choose(state, list(legal), stream)
    if not is_stream(getattr(stream, "stream", None)):
        raise Reported("it has corrupted its rng")
    return move


def crash(seat: int, error: BaseException, watch: Watch) -> BaseException:
    """Return the forfeit of an agent that raised an exception; the user's Ctrl-C is returned unchanged."""
    if watch.is_users(error):
        return error
    if isinstance(error, EOFError) and str(error) == NO_INPUT:
        error = AsksTerminal(ASKS.format("calls input()")).with_traceback(error.__traceback__)
    if isinstance(error, Told):
        return Forfeit(seat, error.reason, one_line(error), error.place, error.traceback, error.printed)
    return Forfeit(seat, "crash", one_line(error), *told(error))


def was_drawn_from(rng: Rng) -> bool:
    """Return whether an agent has drawn a random number, or has corrupted its stream."""
    words = getattr(rng, "stream", None)
    return not is_stream(words) or words[1] > 0


def is_stream(words: object) -> TypeGuard[list[int]]:
    """Return whether words are a valid value of `Rng.stream`."""
    return (
        type(words) is list and len(words) == 2 and type(words[0]) is type(words[1]) is int and words[1] >= 0
    )


def check_chooses(agent: Any) -> None:
    """Raise Reported if an agent has no method `choose` of its own."""
    if isinstance(agent, Agent) and type(agent).choose is Agent.choose:
        raise Reported("it has no method 'choose'")


def taken(agent: object) -> dict[str, float]:
    """Return the usage that an agent reported for its last move, sorted by name, and clear it."""
    try:
        said = vars(agent).pop(ATTRIBUTE, None)
    except BaseException:  # an agent may be of any class
        return {}
    return bounded(said) if type(said) is dict else {}


def bounded(said: Mapping[object, object]) -> dict[str, float]:
    """Return the part of a usage that can be recorded: the first `NAMES` names, sorted, with valid numbers.

    Numbers are from 0 to `LARGEST`; a score may be negative, down to -`LARGEST`.
    """
    amounts = {}
    for name, number in islice(said.items(), NAMES):
        amount = amount_of(number)
        least = -LARGEST if name == SCORE else 0
        if type(name) is str and NAME.fullmatch(name) and least <= amount <= LARGEST:
            amounts[name] = amount
    return dict(sorted(amounts.items()))


def amount_of(number: Any) -> float:
    """Convert a number to float, and anything else to NaN."""
    try:
        return nan if isinstance(number, str | bytes) else float(number)
    except BaseException:  # `number` may be anything
        return nan
