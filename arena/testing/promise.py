"""Promises: what games and agents are held to, one by one, and what is found of each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from arena.api.foreign import Failed, foreign
from arena.api.game import Game, Move, State
from arena.api.rulings import GameFault
from arena.errors import one_line, safe_text

Line = tuple[Move, ...]  # moves from the start


class Place(NamedTuple):
    """A position, and moves that lead there from the start."""

    state: State
    line: Line = ()


class Fault(AssertionError):
    """What breaks a promise, and where, if that is in a position."""

    def __init__(self, text: str, place: Place | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.place = place


@contextmanager
def at(place: Place | None = None) -> Iterator[None]:
    """Whatever is raised inside comes as a Fault in this position; a game's own fault remains that."""
    try:
        with foreign(AssertionError, GameFault):
            yield
    except Fault:
        raise
    except AssertionError as error:
        text = str(error).partition("\nassert ")[0]  # where pytest adds what it has seen
        raise Fault(text if type(error) is AssertionError and text else one_line(error), place) from error
    except Failed as error:
        raise Fault(str(error), place) from error


def fault_of(look: Callable[..., Any], *subject: Any, place: Place | None = None) -> Fault | None:
    """What breaks a promise, or None if it is kept."""
    try:
        with at(place):
            look(*subject)
    except Fault as fault:
        return fault
    return None


@dataclass(frozen=True)
class Promise:
    """A promise: `look` is given what is looked at, and raises AssertionError unless it is kept.

    Its name, title and remedy are the name and the docstring of a function: a line that says what is
    promised, and below it what to do about it. vital: without it nothing that comes later says anything.
    applies: whether there is anything to look at.
    """

    name: str
    title: str
    remedy: str
    look: Callable[[Any], None]
    vital: bool = False
    applies: Callable[[Any], bool] = lambda subject: True


def promise(
    function: Callable[..., Any],
    look: Callable[[Any], None] | None = None,
    vital: bool = False,
    applies: Callable[[Any], bool] = lambda subject: True,
) -> Promise:
    """The promise that a function looks at, by itself or through `look`."""
    title, _, remedy = (inspect.getdoc(function) or "").partition("\n\n")
    name = function.__name__.replace("_", "-")
    return Promise(name, title.rstrip("."), " ".join(remedy.split()), look or function, vital, applies)


@dataclass(frozen=True)
class Finding:
    """What was found of a promise: `kept`, broken if that is False, None if nothing can be said of it.

    fault: what breaks it. remedy: what to do. position, board, moves: where, as text, and the moves that lead
    there from the start; None and none of it for what is broken as a whole.
    """

    promise: str
    title: str
    kept: bool | None = True
    fault: str = ""
    remedy: str = ""
    position: str | None = None
    board: str | None = None
    moves: tuple[str, ...] = ()

    def where(self) -> str:
        """`, in (3, 1)`, or nothing."""
        return "" if self.position is None else f", in {self.position}"

    def details(self) -> Iterator[str]:
        """Lines that say how a position is reached, how it looks and what to do."""
        if self.position is not None:
            yield f"after {' '.join(self.moves)}" if self.moves else "at the start"
            if self.board not in (None, self.position):
                yield from str(self.board).splitlines()
        yield self.remedy


def findings(promises: Sequence[Promise], subject: Any, game: Game) -> Iterator[Finding]:
    """What is found of each promise that applies, in order. game: whose positions they are."""
    stopped = ""
    for one in promises:
        if not applicable(one, subject):
            continue
        fault = None if stopped else fault_of(one.look, subject)
        if stopped:
            yield Finding(one.name, one.title, None, f"not looked at, since {stopped} is broken")
        else:
            yield broken(one, fault, game) if fault else Finding(one.name, one.title)
        if fault and one.vital:
            stopped = one.name


def applicable(one: Promise, subject: Any) -> bool:
    """Whether there is anything to look at; so too where that cannot be said."""
    try:
        return one.applies(subject)
    except Exception:
        return True


def broken(one: Promise, fault: Fault, game: Game) -> Finding:
    """A promise that is broken, its position drawn as far as the game can."""
    if fault.place is None:
        return Finding(one.name, one.title, False, fault.text, one.remedy)
    state, line = fault.place
    moves = tuple(told(game.move_text, move) for move in line)
    position, board = safe_text(repr, state), told(game.board_text, state)
    return Finding(one.name, one.title, False, fault.text, one.remedy, position, board, moves)


def told(tell: Callable[[Any], Any], thing: Any) -> str:
    """The text that a game has for something, or Python's if it has none."""
    try:
        with foreign():
            return str(tell(thing))
    except Failed:
        return safe_text(repr, thing)


def insist(name: str, found: Iterable[Finding]) -> None:
    """AssertionError at the first promise that is broken."""
    for one in found:
        if one.kept is False:
            raise AssertionError("\n".join([f"{name}: {one.fault}{one.where()}", *one.details()]))
