"""An agent's answers in matches against random moves, and their comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import signature
from itertools import islice
from typing import NamedTuple

from arena.api.agent import Agent
from arena.api.game import Game, Move, State
from arena.api.plugin_guard import Failed
from arena.api.rulings import GameFault, blaming, given_move, place_of, shown
from arena.compiler import plainly
from arena.rng import Rng, derive
from arena.testing.lines import alike, breadth_first, positions_of, random_match, shortened
from arena.testing.promise import Fault, Line, Place, Reached, at, fault_of, questions

__all__ = ["random_match"]  # also imported from here

PLIES = 300  # maximum number of plies of a match to compare
RAISES = "Fix the exception: an agent that raises loses the match."
ARGUMENTS = "Write it as `def choose(self, state, moves, rng)`."
NEAR = 100  # number of positions, those after the shortest lines, in which to look for a known fault


class Answer(NamedTuple):
    """A position, the moves that led there, and the agent's answer."""

    state: State
    line: Line
    move: Move


class Fails(str):
    """The text of a fault, in place of a move."""

    def __repr__(self) -> str:
        return f"nothing, because it fails by {self}"


Asked = list[list[Answer]]  # the answers of each match
Play = Callable[[Agent], Asked]


def agent_matches(agent: Agent, seeds: Sequence[int], plies: int = PLIES) -> Asked:
    """Play an agent's matches against random moves, with seats alternating, and return its answers.

    Raises:
        Fault: If the agent fails.
    """
    return [[*agent_match(agent, number % 2, seed, plies)] for number, seed in enumerate(seeds)]


def agent_answers(agent: Agent, seeds: Sequence[int], plies: int = PLIES) -> Asked:
    """Return an agent's answers in matches against random moves; a match ends with the first failure."""
    return [
        [*answered_or_failed(agent, agent_match(agent, number % 2, seed, plies))]
        for number, seed in enumerate(seeds)
    ]


def answered_or_failed(agent: Agent, answers: Iterator[Answer]) -> Iterator[Answer]:
    """Yield answers until the first fault, then an answer that describes the fault."""
    try:
        yield from answers
    except Fault as fault:
        yield Answer(*(fault.place or Place(agent.game.initial())), Fails(fault.text))


def agent_match(agent: Agent, seat: int, seed: int, plies: int = PLIES) -> Iterator[Answer]:
    """Yield an agent's answers in a match against random moves.

    Raises:
        Fault: If the agent fails.
        GameFault: If the game fails.
    """
    game = agent.game
    streams = Rng(derive(seed, 0)), Rng(derive(seed, 1))
    line: list[Move] = []
    with ruled(game):
        state, moves = game.initial(), game.moves(game.initial())
    with asking(agent, Place(state)):
        agent.begin(seat)
    while moves and len(line) < min(game.max_plies, plies):
        with ruled(game, Place(state, tuple(line))):
            mover = game.to_move(state)
        if mover == seat:
            given = answer(agent, Place(state, tuple(line)), moves, streams[seat])
            yield given
            line.append(given.move)
        else:
            line.append(moves[streams[mover].below(len(moves))])
        with ruled(game, Place(state, tuple(line[:-1]))):
            state = game.play(state, line[-1])
            moves = game.moves(state)


@contextmanager
def ruled(game: Game, place: Place | None = None) -> Iterator[None]:
    """Context for calling the rules of a game; exceptions become GameFault."""
    with questions().asking(place):
        try:
            with blaming(game):
                yield
        except GameFault as fault:
            if isinstance(fault.__cause__, Reached):  # the check interrupted the game
                raise fault.__cause__ from None
            raise


@contextmanager
def asking(agent: Agent, place: Place) -> Iterator[None]:
    """Context for calling an agent; exceptions become Fault with a remedy."""
    try:
        with at(place):
            yield
    except Fault as fault:
        if isinstance(fault.__cause__, Failed):
            fault.remedy = RAISES if takes_three(agent.choose) else ARGUMENTS
        raise


def takes_three(choose: Callable[..., object]) -> bool:
    """Return whether a method accepts three arguments: a position, moves and random numbers."""
    try:
        signature(choose).bind(None, None, None)
    except TypeError:
        return False
    except ValueError:  # the callable has no signature
        return True
    return True


def answer(agent: Agent, place: Place, moves: list[Move], rng: Rng) -> Answer:
    """Return an agent's answer in a position, or raise Fault if it is not a legal move."""
    with asking(agent, place):
        given = list(moves)
        move = agent.choose(place.state, given, rng)
        assert move in moves, none_of(agent.game, move, moves, place.line)
        assert given == moves, "modifies the list of moves that it is passed"
    return Answer(*place, moves[place_of(moves, move)])  # the legal move that is equal to it, as in a match


def none_of(game: Game, move: object, moves: Sequence[Move], line: Line) -> str:
    """Return the message for a move that is not legal, with the legal moves in the game's notation."""
    legal = ", ".join(shown(game, one) for one in moves)
    return f"plays {given_move(game, move, line)}, which is not one of the moves [{legal}]"


def answers_at(agent: Agent, places: Sequence[Place]) -> Asked:
    """Return an agent's answers in positions, each as if a match began there."""
    return [
        [*answered_or_failed(agent, (asked_at(agent, one, Rng(derive(number))) for one in [place]))]
        for number, place in enumerate(places)
    ]


def asked_at(agent: Agent, place: Place, rng: Rng) -> Answer:
    with asking(agent, place):
        agent.begin(agent.game.to_move(place.state))
    return answer(agent, place, agent.game.moves(place.state), rng)


def near(game: Game) -> list[Place]:
    """Return positions after the shortest lines in which the game is not over."""
    return [place for place in islice(breadth_first(game), NEAR) if game.moves(place.state)]


def nearest(make: Callable[[], Agent], fault: Fault) -> Fault:
    """Return a fault of the same kind that a new instance has in the position nearest to the start."""
    if fault.place is None:
        return fault
    game = make().game
    for place in near(game):
        if len(place.line) >= len(fault.place.line):
            break
        shorter = fault_of(lambda place=place: asked_at(make(), place, Rng()))
        if shorter and alike(fault, shorter):
            return shorter

    def look(states: list[State], line: Line) -> Fault | None:
        return fault_of(asked_at, make(), Place(states[-1], line), Rng())

    again = look(positions_of(game, fault.place.line) or [], fault.place.line)
    return shortened(game, again, look) if again else fault


def with_line(make: Callable[[], Agent], fault: Fault) -> Fault:
    """Return a fault with its line of code, if the same fault occurs in plain Python."""
    if fault.place is None or not fault.remedy:
        return fault
    with plainly():
        plain = fault_of(asked_at, make(), fault.place, Rng())
    return plain if plain and alike(fault, plain) else fault


def difference(game: Game, first: Asked, second: Asked, when: str) -> Fault | None:
    """Return a fault for the first difference between answers; None if they agree."""

    def said(move: Move) -> str:
        return repr(move) if isinstance(move, Fails) else shown(game, move)

    for one, other in zip(first, second, strict=True):
        for was, now in zip(one, other, strict=False):
            if was.move != now.move:
                text = f"plays {said(was.move)} at first, but {said(now.move)} {when}"
                return Fault(text, Place(was.state, was.line))
    return None


def compare(agent: Agent, played: Asked, play: Play, way: Callable[[Play], Asked], when: str) -> None:
    """Raise Fault, in an early position if possible, if an agent plays differently under other conditions.

    Args:
        agent: The agent.
        played: Its answers to `play`.
        play: Function that plays the matches.
        way: Function that calls a function such as `play` under these conditions, and returns the answers.
        when: Description of the conditions for the error.
    """
    fault = difference(agent.game, played, way(play), when)
    if fault and fault.place:
        places = [place for place in near(agent.game) if len(place.line) < len(fault.place.line)]
        shorter = partial(answers_at, places=[*places, fault.place])
        with at():
            found = difference(agent.game, shorter(agent), way(shorter), when)
        raise found or fault
