"""Checks of a game's rules after an agent has failed, since the game may be to blame.

An agent that searches calls the rules, and fails when they fail. Before an agent is blamed, the rules are
therefore checked in a process without agents, in plain Python, which shows the line of the game's code.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

from arena.api.game import Game, Move, State
from arena.api.limits import preparing
from arena.api.plugin_guard import Failed, foreign, limited
from arena.api.rulings import CAPABILITY_CHECKS, GameFault, check_position, played, start_of
from arena.api.rulings import shown as move_shown
from arena.api.spec import Spec
from arena.compiler import is_compiled
from arena.errors import one_line, safe_text
from arena.faults.tracebacks import at_place, dumped, told
from arena.rng import Rng
from arena.workers.loop import asked_of
from arena.workers.pools import working
from arena.workers.worker import RULES, Watch, WorkerDied, this_worker

POSITIONS, MATCHES = 1000, 50  # maximum numbers of positions and matches to check from each line
OFFERED = 200  # maximum number of positions in which a game's capabilities are checked, too
BEFORE = 10  # number of positions in which capabilities are checked before an agent that uses them plays
SHOWN = 20  # maximum number of moves in a message


class Suspect(NamedTuple):
    """The agent that is to blame unless the game is.

    Attributes:
        spec: The agent or learner.
        why: How it failed, on one line.
    """

    spec: Spec
    why: str

    def __str__(self) -> str:
        return f"{self.spec.text} failed by {self.why}"

    def may_be_for(self, capability: str, error: Exception) -> bool:
        """Return whether an error in a game's capability may explain the failure.

        It may if the agent uses that capability, or failed with an error of the same type.
        """
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
    """Check the rules in random matches from the start and from a line of play, in a process without agents.

    Args:
        game: The game to check.
        line: Moves after which further random matches begin.
        seconds: Time limit for a position; 0 for none.
        suspect: The agent that failed.
        number: Number of the match in question.
        start: Text of the position in which the line begins; None for the game's own start.

    Raises:
        GameFault: If the rules fail or break the API contract.
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
    """Raise the error of a capability of the game if it may explain the suspect's failure."""
    for name in [name for name in CAPABILITY_CHECKS if name in game.capabilities]:
        try:
            check_offer(name, game, state)
        except Exception as error:
            if suspect.may_be_for(name, error):
                raise


def check_offer(capability: str, game: Game, state: State) -> None:
    """Check a capability of a game in a position; raise ValueError if it violates its specification."""
    try:
        CAPABILITY_CHECKS[capability](game, state)
    except AssertionError as error:
        raise ValueError(str(error)) from error


def asked_for(cls: type) -> tuple[str, ...]:
    """Return the names of the capabilities that the class of an agent or evaluation needs or uses."""
    return (*getattr(cls, "needs", ()), *getattr(cls, "uses", ()))


def check_offered(game: Game, capabilities: Collection[str], seconds: float) -> None:
    """Check capabilities of a game in positions early in a random match.

    Args:
        game: The game to check.
        capabilities: Names of the capabilities to check.
        seconds: Time limit for all checks.

    Raises:
        GameFault: If a capability fails or violates its specification.
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
    """Yield the positions of a random match after a line, each with the player who moved last, -1 for nobody.

    Args:
        game: The game.
        line: Moves to play first.
        seed: Seed of the random moves.
        made: List that is updated to contain the moves that lead to the current position.
        start: Text of the position in which the line begins; None for the game's own start.
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
    """Run `check_rules` in a new worker, and raise GameFault also if the rules crash the worker."""
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
    """Return the exception to raise for an exception in the rules: a GameFault, except for the user's Ctrl-C.

    Args:
        game: The game.
        history: Moves after which the rules raised the exception.
        error: The exception of the rules.
        watch: The worker's watch.
        number: Number of the match; None if it is not a scheduled match.
        start: Text of the position in which the moves begin; None for the game's own start.
    """
    if watch.is_users(error) or isinstance(error, GameFault):
        return error
    where = after_moves(game, history, start)
    match = "" if number is None else f" in match {number}"
    place = told(error)[0] or (retold(game, history, error, start) if isinstance(game, Game) else "")
    return GameFault(f"game {game} failed{match} {where}: {one_line(error)}{at_place(place)}")


def after_moves(game: Game | Spec, history: Sequence[Move], start: str | None = None) -> str:
    """Return a phrase such as `after the moves 2 1`, in the game's notation, or `at the start`.

    Args:
        game: The game.
        history: The moves, of which only the last `SHOWN` are shown.
        start: Text of the position in which the moves begin; None for the game's own start.
    """
    text = partial(move_shown, game) if isinstance(game, Game) else str
    moves = ["…"][len(history) <= SHOWN :] + [safe_text(text, move) for move in history[-SHOWN:]]
    where = f"after the moves {' '.join(moves)}" if moves else "at the start"
    return where if start is None else f"{where} from {start}"


def retold(game: Game, history: Sequence[Move], error: BaseException, start: str | None) -> str:
    """Return the line of code of an error in compiled rules, if plain Python raises it, too; else ""."""
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
    """Return the fault of a game whose worker died or hung while the rules were running."""
    match = "" if number is None else f" in match {number}"
    return GameFault(f"game {game.text} failed{match}: {death.fault}{at_place(dumped(death.stack)[0])}")
