"""Promises: what games and agents are held to, one by one, and what is found of each."""

from __future__ import annotations

import inspect
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from traceback import extract_tb
from types import FrameType
from typing import Any, NamedTuple

from arena.api.agent import Agent, said_overdue
from arena.api.game import Game, Move, State
from arena.api.plugin_guard import Failed, foreign
from arena.api.rulings import GameFault
from arena.compiler import methods
from arena.errors import one_line, safe_text
from arena.faults.tracebacks import place_of
from arena.faults.tracebacks import told as told_of
from arena.workers.watch import RULES
from arena.workers.worker import this_worker

Line = tuple[Move, ...]  # moves from the start
MEND = "Mend that line."  # of what raises, which no promise foresees


class Place(NamedTuple):
    """A position, and moves that lead there from the start."""

    state: State
    line: Line = ()


class Fault(AssertionError):
    """What breaks a promise, and where, if that is in a position. remedy: if it is not the promise's."""

    def __init__(self, text: str, place: Place | None = None, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.place = place
        self.remedy = remedy


class Minor(Fault):
    """A fault on whose absence no other promise rests."""


class Reached(BaseException):
    """The question that was to be found again, where it was to be asked, if in a position, and by which rule.

    overdue: what the agent waited for that was asked, as it said itself.
    """

    def __init__(self, place: Place | None, promise: str = "") -> None:
        super().__init__(place, promise)
        self.place, self.promise, self.overdue = place, promise, ""


class Questions:
    """The questions that games and agents are asked, counted, so that one can be found again.

    number: of the last. seconds: that one may take where a worker is looked after, 0 for as long as it likes.
    wanted: before which Reached is raised, 0 for none; or after so many seconds, `patience`, of answering it.
    """

    def __init__(self) -> None:
        self.number, self.seconds, self.wanted, self.patience = 0, 0.0, 0, 0.0

    @contextmanager
    def asking(self, place: Place | None = None) -> Iterator[None]:
        """A question is asked, in a position or as such."""
        self.number += 1
        patience = self.patience if self.number == self.wanted else 0.0
        if self.number == self.wanted and not patience:
            raise Reached(place)
        watch = this_worker().watch
        watch.turn(self.number, RULES, self.seconds)
        try:
            with broken_off(Reached(place), patience):
                yield
        finally:
            watch.clear()


@contextmanager
def broken_off(reached: Reached, seconds: float) -> Iterator[None]:
    """Raise this after some seconds, 0 = never, wherever Python is then, if the system has timers."""
    if not seconds or not hasattr(signal, "setitimer"):
        yield
        return

    def expire(number: int, frame: FrameType | None) -> None:
        reached.overdue = overdue_at(frame)
        raise reached

    signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def overdue_at(frame: FrameType | None) -> str:
    """What the agent waits for whose method runs here, as far as it says so."""
    while frame:
        agent = frame.f_locals.get("self")
        if isinstance(agent, Agent):
            return said_overdue(agent)
        frame = frame.f_back
    return ""


def questions() -> Questions:
    """Those that this worker has asked."""
    return this_worker().keep(Questions, Questions)


@contextmanager
def at(place: Place | None = None) -> Iterator[None]:
    """Whatever is raised inside comes as a Fault in this position; a game's own fault remains that."""
    try:
        with (
            questions().asking(place) if place else nullcontext(),
            foreign(AssertionError, GameFault, Reached),
        ):
            yield
    except Fault:
        raise
    except AssertionError as error:
        text = str(error).partition("\nassert ")[0]  # where pytest adds what it has seen
        raise Fault(text if type(error) is AssertionError and text else one_line(error), place) from error
    except Failed as error:
        line = error.__cause__ and told_of(error.__cause__)[0]
        if line:
            raise Fault(f"{error}, at {line}", place, MEND) from error
        raise Fault(str(error), place) from error


def fault_of(look: Callable[..., object], *subject: object, place: Place | None = None) -> Fault | None:
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
    promised, and below it what to do about it. vital: without it nothing that comes later says anything,
    but for what stands `alone`. applies: whether there is anything to look at. compared: what of it is
    compiled, where that is compared with plain Python.
    """

    name: str
    title: str
    remedy: str
    look: Callable[[Any], None]
    vital: bool = False
    applies: Callable[[Any], bool] = lambda subject: True
    compared: Callable[[Any], Compared] | None = None
    alone: bool = False


class Compared(NamedTuple):
    """Whether there is anything compiled to compare with plain Python, and what, or why not, in words."""

    anything: bool
    text: str


def compared(thing: object, meant: Callable[[str], bool] = lambda name: True) -> Compared:
    """What of a game, an agent or a learner is compiled. meant: which of its methods are."""
    found = {name: why for name, why in methods(thing).items() if not name or meant(name)}
    compiled = [name for name, why in found.items() if why is None]
    plain = [(name, why) for name, why in found.items() if why is not None]
    if not compiled:
        return Compared(False, f"not compiled: {plain[0][1] if plain else 'it has nothing that could be'}")
    texts = [f"compiled: {', '.join(compiled)}", *(f"not {name}: {why}" for name, why in plain)]
    return Compared(True, "; ".join(texts))


def promise(
    function: Callable[..., None],
    look: Callable[[Any], None] | None = None,
    vital: bool = False,
    applies: Callable[[Any], bool] = lambda subject: True,
    compared: Callable[[Any], Compared] | None = None,
    alone: bool = False,
) -> Promise:
    """The promise that a function looks at, by itself or through `look`."""
    title, _, remedy = (inspect.getdoc(function) or "").partition("\n\n")
    name = function.__name__.replace("_", "-")
    return Promise(
        name, title.rstrip("."), " ".join(remedy.split()), look or function, vital, applies, compared, alone
    )


@dataclass(frozen=True)
class Finding:
    """What was found of a promise: `kept`, broken if that is False, None if nothing can be said of it.

    fault: what breaks it. remedy: what to do. note: what is to be known of it besides. position, board,
    moves: where, as text, and the moves that lead there from the start; None and none of it for what is
    broken as a whole.
    """

    promise: str
    title: str
    kept: bool | None = True
    fault: str = ""
    remedy: str = ""
    position: str | None = None
    board: str | None = None
    moves: tuple[str, ...] = ()
    note: str = ""

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


class Looking:
    """Promises looked at one after the other: those that apply to a subject, whose positions are a game's."""

    def __init__(self, promises: Iterable[Promise], subject: object, game: Game) -> None:
        self.promises = list(promises)
        self.left = iter(self.promises)
        self.subject, self.game = subject, game
        self.one: Promise | None = None
        self.broken = ""  # the vital promise that is
        self.faults: dict[str, str] = {}  # what was found, and of which promise

    def coming(self) -> Finding | None:
        """The promise to be looked at next, with nothing found yet; None after the last."""
        self.one = next((one for one in self.left if applicable(one, self.subject)), None)
        return Finding(self.one.name, self.one.title, None, remedy=self.one.remedy) if self.one else None

    def found(self) -> Finding:
        """What is found of it."""
        one = self.one
        assert one is not None
        if self.broken and not one.alone:
            return self.not_looked_at(self.broken)
        fault = fault_of(one.look, self.subject)
        if fault and one.vital and not isinstance(fault, Minor):
            self.broken = self.broken or one.name
        if fault and (earlier := self.faults.setdefault(fault.text, one.name)) != one.name:
            return self.not_looked_at(earlier)
        if fault:
            return broken(one, fault, self.game)
        compared = one.compared(self.subject) if one.compared else Compared(True, "")
        return Finding(one.name, one.title, True if compared.anything else None, note=compared.text)

    def not_looked_at(self, broken: str) -> Finding:
        """That nothing can be said of a promise, for another is broken."""
        assert self.one is not None
        return Finding(self.one.name, self.one.title, None, f"not looked at, since {broken} is broken")

    def found_where(self, number: int, text: str, remedy: str) -> Finding:
        """The same as far as a question, which is broken off by what a text says."""
        assert self.one is not None
        asked = questions()
        asked.number, asked.wanted = 0, number
        try:
            return self.found()
        except Reached as reached:
            named = [one for one in self.promises if one.name == reached.promise] or [self.one]
            return broken(named[0], Fault(text, reached.place, remedy), self.game)

    def standstill(self, number: int, seconds: float) -> str:
        """Where it is after so many seconds of answering a question.

        `, at FILE:LINE in NAME`, or `: ` and what it waits for; nothing if that cannot be told.
        """
        asked = questions()
        asked.number, asked.wanted, asked.patience = 0, number, seconds
        try:
            self.found()
        except Reached as reached:
            place = place_of(extract_tb(reached.__traceback__))
            return f": {reached.overdue}" if reached.overdue else place and f", at {place}"
        return ""


def findings(looking: Looking) -> Iterator[Finding]:
    """What is found of each promise, in order."""
    while looking.coming():
        yield looking.found()


def applicable(one: Promise, subject: object) -> bool:
    """Whether there is anything to look at; so too where that cannot be said."""
    try:
        return one.applies(subject)
    except Exception:
        return True


def broken(one: Promise, fault: Fault, game: Game) -> Finding:
    """A promise that is broken, its position drawn as far as the game can."""
    remedy = fault.remedy or one.remedy
    if fault.place is None:
        return Finding(one.name, one.title, False, fault.text, remedy)
    state, line = fault.place
    moves = tuple(told(game.move_text, move) for move in line)
    position, board = safe_text(repr, state), told(game.board_text, state)
    return Finding(one.name, one.title, False, fault.text, remedy, position, board, moves)


def told(tell: Callable[[object], object], thing: object) -> str:
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
