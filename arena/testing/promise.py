"""Individual promises of games and agents, and the results of checking them."""

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
from arena.workers.worker import RULES, this_worker

Line = tuple[Move, ...]  # moves from the start
MEND = "Fix that line."  # advice for unexpected exceptions


class Place(NamedTuple):
    """A position, and the moves that lead to it from the start."""

    state: State
    line: Line = ()


class Fault(AssertionError):
    """A broken promise.

    Args:
        text: Description.
        place: The position in which it is broken, if any.
        remedy: Advice; if empty, that of the promise applies.
    """

    def __init__(self, text: str, place: Place | None = None, remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.place = place
        self.remedy = remedy


class Minor(Fault):
    """A fault that does not affect the check of other promises."""


class Reached(BaseException):
    """Raised when the wanted question is reached, or has taken too long.

    Attributes:
        place: The position of the question, if any.
        promise: Name of the rule that is checked.
        overdue: The agent's text about what it is waiting for.
    """

    def __init__(self, place: Place | None, promise: str = "") -> None:
        super().__init__(place, promise)
        self.place, self.promise, self.overdue = place, promise, ""


class Questions:
    """A counter of questions, which are calls to a game or an agent, to find a question again in another run.

    Attributes:
        number: Number of the last question.
        seconds: Time limit of a question if the worker is watched; 0 for no limit.
        wanted: Number of the question before which to raise Reached; 0 for none.
        patience: If positive, raise Reached after the wanted question has taken this many seconds, not before
            it.
    """

    def __init__(self) -> None:
        self.number, self.seconds, self.wanted, self.patience = 0, 0.0, 0, 0.0

    @contextmanager
    def asking(self, place: Place | None = None) -> Iterator[None]:
        """Count a question in this context, in a position or in general."""
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
    """Raise an exception after some seconds in whatever code is running, if the system has timers.

    Args:
        reached: The exception.
        seconds: Time until it is raised; 0 for never.
    """
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
    """Return the running agent's text about what it is waiting for; "" if unknown."""
    while frame:
        agent = frame.f_locals.get("self")
        if isinstance(agent, Agent):
            return said_overdue(agent)
        frame = frame.f_back
    return ""


def questions() -> Questions:
    """Return the question counter of this worker."""
    return this_worker().keep(Questions, Questions)


@contextmanager
def at(place: Place | None = None) -> Iterator[None]:
    """Convert exceptions in this context, except GameFault and Reached, to Fault in a position."""
    try:
        with (
            questions().asking(place) if place else nullcontext(),
            foreign(AssertionError, GameFault, Reached),
        ):
            yield
    except Fault:
        raise
    except AssertionError as error:
        text = str(error).partition("\nassert ")[0]  # pytest appends details
        raise Fault(text if type(error) is AssertionError and text else one_line(error), place) from error
    except Failed as error:
        line = error.__cause__ and told_of(error.__cause__)[0]
        if line:
            raise Fault(f"{error}, at {line}", place, MEND) from error
        raise Fault(str(error), place) from error


def fault_of(look: Callable[..., object], *subject: object, place: Place | None = None) -> Fault | None:
    """Call a check, and return its fault; None if the promise is kept.

    Args:
        look: The check.
        subject: Its arguments.
        place: The position, if any.
    """
    try:
        with at(place):
            look(*subject)
    except Fault as fault:
        return fault
    return None


@dataclass(frozen=True)
class Promise:
    """A promise and its check.

    Name, title and remedy come from the name and the docstring of a function: the first line states the
    promise, and the rest says what to do if it is broken.

    Attributes:
        name: Name, for example `matches-end`.
        title: The promise in one line.
        remedy: Advice.
        look: Function that is called with the object to check and raises AssertionError if it breaks the
            promise.
        vital: Whether later promises, unless they are `alone`, cannot be checked if this one is broken.
        applies: Function that returns whether the promise applies to the object.
        compared: Function that returns which methods are compiled, for a comparison with plain Python.
        alone: Whether it can be checked even if vital promises are broken.
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
    """Whether there is anything to compare, with a description of the comparison or the reason why not."""

    anything: bool
    text: str


def compared(thing: object, meant: Callable[[str], bool] = lambda name: True) -> Compared:
    """Return which methods of a game, an agent or a learner are compiled.

    Args:
        thing: The game, agent or learner.
        meant: Function that returns whether to consider the method with a given name.
    """
    found = {name: why for name, why in methods(thing).items() if not name or meant(name)}
    compiled = [name for name, why in found.items() if why is None]
    plain = [(name, why) for name, why in found.items() if why is not None]
    if not compiled:
        return Compared(False, f"not compiled: {plain[0][1] if plain else 'it has no code to compile'}")
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
    """Return the promise that a function checks, directly or through `look`; see `Promise`."""
    title, _, remedy = (inspect.getdoc(function) or "").partition("\n\n")
    name = function.__name__.replace("_", "-")
    return Promise(
        name, title.rstrip("."), " ".join(remedy.split()), look or function, vital, applies, compared, alone
    )


@dataclass(frozen=True)
class Finding:
    """The result of checking a promise.

    Attributes:
        promise: Name of the promise.
        title: The promise in one line.
        kept: Whether the promise is kept; None if unknown.
        fault: How the promise is broken, or why it could not be checked.
        remedy: Advice.
        position: The position in which it is broken, as text; None if it is not tied to a position.
        board: The position as the game draws it.
        moves: Moves that lead to the position from the start.
        note: Remark, such as which methods are compiled.
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
        """Return `, in (3, 1)`, or "" without a position."""
        return "" if self.position is None else f", in {self.position}"

    def details(self) -> Iterator[str]:
        """Yield lines on how to reach the position, its board, and the remedy."""
        if self.position is not None:
            yield f"after {' '.join(self.moves)}" if self.moves else "at the start"
            if self.board not in (None, self.position):
                yield from str(self.board).splitlines()
        yield self.remedy


class Looking:
    """A check of the promises that apply to a subject, one at a time.

    Args:
        promises: The promises.
        subject: The object to check, as `Promise.look` expects it.
        game: The game of its positions.
    """

    def __init__(self, promises: Iterable[Promise], subject: object, game: Game) -> None:
        self.promises = list(promises)
        self.left = iter(self.promises)
        self.subject, self.game = subject, game
        self.one: Promise | None = None
        self.broken = ""  # name of the vital promise that is broken
        self.faults: dict[str, str] = {}  # promises by fault

    def coming(self) -> Finding | None:
        """Move to the next promise, and return it as a finding without result; None after the last."""
        self.one = next((one for one in self.left if applicable(one, self.subject)), None)
        return Finding(self.one.name, self.one.title, None, remedy=self.one.remedy) if self.one else None

    def found(self) -> Finding:
        """Check the current promise, and return the finding."""
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
        """Return a finding without result for the current promise, because another promise is broken."""
        assert self.one is not None
        return Finding(self.one.name, self.one.title, None, f"not checked, since {broken} is broken")

    def found_where(self, number: int, text: str, remedy: str) -> Finding:
        """Check the current promise up to a question, and return a fault in that question.

        Args:
            number: Number of the question.
            text: The fault.
            remedy: Advice.
        """
        assert self.one is not None
        asked = questions()
        asked.number, asked.wanted = 0, number
        try:
            return self.found()
        except Reached as reached:
            named = [one for one in self.promises if one.name == reached.promise] or [self.one]
            return broken(named[0], Fault(text, reached.place, remedy), self.game)

    def standstill(self, number: int, seconds: float) -> str:
        """Return the line of code that is being executed after some seconds of a question.

        The result is `, at FILE:LINE in NAME`, or `: ` and what the agent is waiting for, or "" if unknown.

        Args:
            number: Number of the question.
            seconds: Time after which to look.
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
    """Yield the finding of each promise, in order."""
    while looking.coming():
        yield looking.found()


def applicable(one: Promise, subject: object) -> bool:
    """Return whether a promise applies to a subject; True if that cannot be determined."""
    try:
        return one.applies(subject)
    except Exception:
        return True


def broken(one: Promise, fault: Fault, game: Game) -> Finding:
    """Return the finding for a broken promise, with the board if the game can draw it."""
    remedy = fault.remedy or one.remedy
    if fault.place is None:
        return Finding(one.name, one.title, False, fault.text, remedy)
    state, line = fault.place
    moves = tuple(told(game.move_text, move) for move in line)
    position, board = safe_text(repr, state), told(game.board_text, state)
    return Finding(one.name, one.title, False, fault.text, remedy, position, board, moves)


def told(tell: Callable[[object], object], thing: object) -> str:
    """Return a game's text for a move or a position, or Python's `repr` if the game fails."""
    try:
        with foreign():
            return str(tell(thing))
    except Failed:
        return safe_text(repr, thing)


def insist(name: str, found: Iterable[Finding]) -> None:
    """Raise AssertionError at the first broken promise."""
    for one in found:
        if one.kept is False:
            raise AssertionError("\n".join([f"{name}: {one.fault}{one.where()}", *one.details()]))
