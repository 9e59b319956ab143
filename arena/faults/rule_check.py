"""A game's rules held to their promises, once who plays by them has failed: it may be the game's fault.

An agent that walks a game, as a search does, fails where its rules do. So before it is blamed the rules are
asked by themselves, in a process without agents, and as plain Python, which tells the author's line.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

from arena.api.game import Game, Move, State
from arena.api.offers import CAPABILITY_CHECKS
from arena.api.plugin_guard import Failed, foreign, limited
from arena.api.rulings import GameFault, check_position, played, start_of
from arena.api.rulings import shown as move_shown
from arena.api.spec import Spec
from arena.compiler import is_compiled
from arena.errors import one_line, safe_text
from arena.faults.time_limits import preparing
from arena.faults.tracebacks import at_place, dumped, told
from arena.rng import Rng
from arena.workers.jobs import asked_of
from arena.workers.pools import working
from arena.workers.watch import RULES, Watch, WorkerDied
from arena.workers.worker import this_worker

POSITIONS, MATCHES = 1000, 50  # that are looked at, in so many random matches
OFFERED = 200  # positions in which what a game offers besides its rules is looked at, too
BEFORE = 10  # positions in which that is looked at before anybody plays who asks for it
SHOWN = 20  # moves in a message, the last


class Suspect(NamedTuple):
    """Who has failed, and how, on one line: an agent or a learner, or else the game did."""

    spec: Spec
    why: str

    def __str__(self) -> str:
        return f"{self.spec.text} failed by {self.why}"

    def may_be_for(self, capability: str, error: Exception) -> bool:
        """Whether that may be for what a capability raised: it asks for that, or has met the like."""
        asked = {name for part in self.spec.walk() for name in asked_for(part.cls)}
        return capability in asked or type(error).__name__ in self.why


def check_rules(
    game: Spec,
    line: Sequence[Move],
    seconds: float,
    suspect: Suspect,
    number: int = 0,
    start: str | None = None,
) -> None:
    """GameFault if the rules fail, or break a promise, in random matches from the start or a line of play.

    seconds: that they may take in a position, 0 = as long as they like. number: of the match that this is
    about. start: the text of the position that the line begins in. In this process, which has no agents.
    """
    watch = this_worker().watch
    made: list[Move] = []
    plain: Game | None = None
    try:
        watch.turn(number, RULES, preparing(seconds))
        plain = game.make()
        assert plain is not None
        for begun in [(), line] if line else [()]:
            reached = chain.from_iterable(
                positions(plain, begun, seed, made, start) for seed in range(MATCHES)
            )
            for i, (state, before) in enumerate(islice(reached, POSITIONS)):
                watch.turn(number, RULES, seconds)
                check_position(plain, state, before)
                if i < OFFERED and plain.moves(state):
                    check_offers(plain, state, suspect)
    except BaseException as error:
        fault = game_fault(plain or game, made, error, watch, start=start)
        if isinstance(fault, GameFault) and one_line(error) not in suspect.why:
            fault = GameFault(f"{fault}; {suspect}")
        raise fault from error
    finally:
        watch.clear()


def check_offers(game: Game, state: State, suspect: Suspect) -> None:
    """Raise what is wrong with what a game offers besides its rules, if who failed may have failed for it."""
    for name in [name for name in CAPABILITY_CHECKS if name in game.capabilities]:
        try:
            check_offer(name, game, state)
        except Exception as error:
            if suspect.may_be_for(name, error):
                raise


def check_offer(capability: str, game: Game, state: State) -> None:
    """Raise what is wrong with a capability in a position: ValueError where a promise is broken."""
    try:
        CAPABILITY_CHECKS[capability](game, state)
    except AssertionError as error:
        raise ValueError(str(error)) from error


def asked_for(cls: type) -> tuple[str, ...]:
    """What a class asks for besides a game's rules: what an agent, or evaluation, needs and uses."""
    return (*getattr(cls, "needs", ()), *getattr(cls, "uses", ()))


def check_offered(game: Game, capabilities: Collection[str], seconds: float) -> None:
    """GameFault if one of these that it offers fails, or breaks a promise, early in a random match.

    seconds: that this may take in all.
    """
    looked_at = [name for name in CAPABILITY_CHECKS if name in capabilities and name in game.capabilities]
    made: list[Move] = []
    try:
        with foreign(), limited(seconds):
            for state, _ in islice(positions(game, (), 0, made), BEFORE if looked_at else 0):
                for name in looked_at if game.moves(state) else ():
                    check_offer(name, game, state)
    except Failed as error:
        raise game_fault(game, made, error.__cause__ or error, this_worker().watch) from error


def positions(
    game: Game, line: Sequence[Move], seed: int, made: list[Move], start: str | None = None
) -> Iterator[tuple[State, int]]:
    """Those of a random match from the end of a line, each with who moved last, -1 for nobody.

    made: is kept to the moves that lead there. start: the text of the position that they begin in.
    """
    rng, state, before = Rng(seed), start_of(game, start), -1
    made.clear()
    for ply in range(game.max_plies):
        if ply >= len(line):
            yield state, before
        if not (moves := game.moves(state)):
            return
        before = game.to_move(state)
        made.append(line[ply] if ply < len(line) else rng.choice(moves))
        state = played(game, state, made[-1])


def check_rules_elsewhere(
    executor: Callable[[int], Executor],
    game: Spec,
    seconds: float,
    suspect: Suspect,
    line: Sequence[Move] = (),
    start: str | None = None,
) -> None:
    """The same in a worker that has done nothing else; also GameFault if it dies of it."""
    with working(executor, 1) as pool:
        try:
            asked_of(pool, check_rules, game, line, seconds, suspect, 0, start).result()
        except WorkerDied as death:
            if death.seat == RULES:
                raise died_of(game, death) from death


def game_fault(
    game: Game | Spec,
    history: Sequence[Move],
    error: BaseException,
    watch: Watch,
    number: int | None = None,
    start: str | None = None,
) -> BaseException:
    """What to raise when the rules raised after some moves: a GameFault, unless it was the user's own Ctrl-C.

    number: of the match in which that was. start: the text of the position that it began in.
    """
    if watch.is_users(error) or isinstance(error, GameFault):
        return error
    where = after_moves(game, history, start)
    match = "" if number is None else f" in match {number}"
    place = told(error)[0] or (retold(game, history, error, start) if isinstance(game, Game) else "")
    return GameFault(f"game {game} failed{match} {where}: {one_line(error)}{at_place(place)}")


def after_moves(game: Game | Spec, history: Sequence[Move], start: str | None = None) -> str:
    """`after the moves 2 1`, in the game's notation, or `at the start`.

    start: the text of the position that the moves begin in, None for the game's own start.
    """
    text = partial(move_shown, game) if isinstance(game, Game) else str
    moves = ["…"][len(history) <= SHOWN :] + [safe_text(text, move) for move in history[-SHOWN:]]
    where = f"after the moves {' '.join(moves)}" if moves else "at the start"
    return where if start is None else f"{where} from {start}"


def retold(game: Game, history: Sequence[Move], error: BaseException, start: str | None) -> str:
    """The author's line of what compiled rules raised, if plain ones raise it there, too; else nothing."""
    try:
        if not is_compiled(game):
            return ""
        plain: Game = pickle.loads(pickle.dumps(game))
        state = start_of(plain, start)
        for move in history:
            state = plain.play(state, move)
        check_position(plain, state)
        for move in plain.moves(state):
            check_position(plain, plain.play(state, move))
    except BaseException as again:
        return told(again)[0] if type(again) is type(error) else ""
    return ""


def died_of(game: Spec, death: WorkerDied, number: int | None = None) -> GameFault:
    """The fault of a game whose worker died, or was ended for going on too long, at the rules' turn."""
    match = "" if number is None else f" in match {number}"
    return GameFault(f"game {game.text} failed{match}: {death.fault}{at_place(dumped(death.stack)[0])}")
