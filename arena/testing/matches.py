"""What an agent plays against random moves, and whether it plays the same another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import signature
from itertools import islice
from typing import NamedTuple

from arena.api.agent import Agent
from arena.api.game import Game, Move, State
from arena.api.moves import place_of
from arena.api.plugin_guard import Failed
from arena.api.rulings import GameFault, blaming, given_move, shown
from arena.compiler import plainly
from arena.rng import Rng, derive
from arena.testing.lines import alike, breadth_first, positions_of, random_match, shortened
from arena.testing.promise import Fault, Line, Place, Reached, at, fault_of, questions

__all__ = ["random_match"]  # which is looked for here, too

PLIES = 300  # matches are compared up to here
RAISES = "Mend what raises it: an agent that raises loses the match."
ARGUMENTS = "Write it as `def choose(self, state, moves, rng)`."
NEAR = 100  # positions of the shortest lines, in which a fault is looked for once there is one


class Answer(NamedTuple):
    """A position, the moves that led there, and what was answered."""

    state: State
    line: Line
    move: Move


class Fails(str):
    """What breaks an agent's promise to give a legal move, where that is all that it answers."""

    def __repr__(self) -> str:
        return f"nothing, for it fails by {self}"


Asked = list[list[Answer]]  # match by match
Play = Callable[[Agent], Asked]


def agent_matches(agent: Agent, seeds: Sequence[int], plies: int = PLIES) -> Asked:
    """An agent's matches against random moves, from both seats by turns."""
    return [[*agent_match(agent, number % 2, seed, plies)] for number, seed in enumerate(seeds)]


def agent_answers(agent: Agent, seeds: Sequence[int], plies: int = PLIES) -> Asked:
    """The same of an agent that may fail: a match ends there, by what it fails with."""
    return [
        [*answered_or_failed(agent, agent_match(agent, number % 2, seed, plies))]
        for number, seed in enumerate(seeds)
    ]


def answered_or_failed(agent: Agent, answers: Iterator[Answer]) -> Iterator[Answer]:
    """Some answers, up to one that is a fault, which comes as an answer."""
    try:
        yield from answers
    except Fault as fault:
        yield Answer(*(fault.place or Place(agent.game.initial())), Fails(fault.text))


def agent_match(agent: Agent, seat: int, seed: int, plies: int = PLIES) -> Iterator[Answer]:
    """What an agent answers in a match; Fault where it breaks off, GameFault if the game does."""
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
    """A game is asked for its rules; GameFault if it fails."""
    with questions().asking(place):
        try:
            with blaming(game):
                yield
        except GameFault as fault:
            if isinstance(fault.__cause__, Reached):  # by which it was broken off
                raise fault.__cause__ from None
            raise


@contextmanager
def asking(agent: Agent, place: Place) -> Iterator[None]:
    """An agent is asked something in a position; Fault if it does wrong, which says what to do."""
    try:
        with at(place):
            yield
    except Fault as fault:
        if isinstance(fault.__cause__, Failed):
            fault.remedy = RAISES if takes_three(agent.choose) else ARGUMENTS
        raise


def takes_three(choose: Callable[..., object]) -> bool:
    """Whether a method can be called with a position, moves and random numbers, as far as can be told."""
    try:
        signature(choose).bind(None, None, None)
    except TypeError:
        return False
    except ValueError:  # it has none
        return True
    return True


def answer(agent: Agent, place: Place, moves: list[Move], rng: Rng) -> Answer:
    """An agent's move, which must be legal."""
    with asking(agent, place):
        given = list(moves)
        move = agent.choose(place.state, given, rng)
        assert move in moves, none_of(agent.game, move, moves, place.line)
        assert given == moves, "changes the list of moves that it is given"
    return Answer(*place, moves[place_of(moves, move)])  # as a match takes what is equal to it


def none_of(game: Game, move: object, moves: Sequence[Move], line: Line) -> str:
    """That an agent gives what is none of the legal moves, all as people see them."""
    legal = ", ".join(shown(game, one) for one in moves)
    return f"plays {given_move(game, move, line)}, none of the moves [{legal}]"


def answers_at(agent: Agent, places: Sequence[Place]) -> Asked:
    """What an agent answers in positions, in each as if a match had begun there."""
    return [
        [*answered_or_failed(agent, (asked_at(agent, one, Rng(derive(number))) for one in [place]))]
        for number, place in enumerate(places)
    ]


def asked_at(agent: Agent, place: Place, rng: Rng) -> Answer:
    with asking(agent, place):
        agent.begin(agent.game.to_move(place.state))
    return answer(agent, place, agent.game.moves(place.state), rng)


def near(game: Game) -> list[Place]:
    """The positions of the shortest lines in which there is a move."""
    return [place for place in islice(breadth_first(game), NEAR) if game.moves(place.state)]


def nearest(make: Callable[[], Agent], fault: Fault) -> Fault:
    """A fault in choosing a move as it shows nearest to the start, asked there and nowhere before."""
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
    """A fault as it is in plain Python, which tells lines, if it is the same there."""
    if fault.place is None or not fault.remedy:
        return fault
    with plainly():
        plain = fault_of(asked_at, make(), fault.place, Rng())
    return plain if plain and alike(fault, plain) else fault


def difference(game: Game, first: Asked, second: Asked, when: str) -> Fault | None:
    """Where answers differ first."""

    def said(move: Move) -> str:
        return repr(move) if isinstance(move, Fails) else shown(game, move)

    for one, other in zip(first, second, strict=True):
        for was, now in zip(one, other, strict=False):
            if was.move != now.move:
                text = f"plays {said(was.move)} at first, and {said(now.move)} {when}"
                return Fault(text, Place(was.state, was.line))
    return None


def compare(agent: Agent, played: Asked, play: Play, way: Callable[[Play], Asked], when: str) -> None:
    """Raise where an agent plays otherwise, at best after few moves.

    played: what it answered when `play` was called. way: gives what it answers another way.
    """
    fault = difference(agent.game, played, way(play), when)
    if fault and fault.place:
        places = [place for place in near(agent.game) if len(place.line) < len(fault.place.line)]
        shorter = partial(answers_at, places=[*places, fault.place])
        with at():
            found = difference(agent.game, shorter(agent), way(shorter), when)
        raise found or fault
