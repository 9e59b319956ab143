"""`arena.check`: a game or an agent held to its promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from arena.api.game import Game
from arena.api.options import split_text
from arena.api.plugin_guard import Failed, foreign
from arena.api.spec import Spec
from arena.calls.entries import Entry, GameEntry, agent_spec, classes_of, game_spec, known_with
from arena.compiler import plainly
from arena.errors import ArenaError, Reported, did_you_mean, one_line, whole_number
from arena.faults.captured_output import Tail, hearing, listening
from arena.plan.entries import check_entries, make_game
from arena.plan.settings import STALL_SECONDS
from arena.registry.file import File
from arena.registry.file_description import described
from arena.registry.files import files_named
from arena.registry.plugins import Registry
from arena.registry.sandbox_worker import SandboxedWorker
from arena.show.presentation import Part, Shown
from arena.storage.folders import sandboxed_with
from arena.testing import agent, game
from arena.testing.prints import Heard, swallowed
from arena.testing.promise import Finding, Looking, findings, questions
from arena.texts import on_one_line
from arena.wording import either
from arena.workers.loop import asked_of
from arena.workers.processes import Processes, WorkerFailed
from arena.workers.watch import WorkerDied
from arena.workers.worker import this_worker

Found = TypeVar("Found")

MOST = 1_000_000  # matches, or positions
LOOK = 1.0  # seconds after which it is looked where something is that hangs
ENDLESS = "Have it come to an end there, or allow it longer: stall_seconds."
ENDED = "Have nothing there end the process, and take less memory than there is."
PRINTS = "prints"  # stands for a promise where what was printed is told
SANDBOX = "sandboxed process"  # what a worker keeps it under
MARKS = {True: "ok", False: "broken", None: "-"}


@dataclass(frozen=True, repr=False)
class Checked(Shown):
    """What was found of the promises of an entry, a game or an agent at a game."""

    entry: str
    kind: str
    game: str
    findings: Sequence[Finding]

    @property
    def kept(self) -> bool:
        """Whether no promise is broken."""
        return all(one.kept is not False for one in self.findings)

    def parts(self) -> Iterator[Part]:
        """Yield what is printed and shown in notebooks, in order."""
        for one in self.findings:
            yield from lines(one)
        yield self.summary()

    def text_of_broken(self) -> str:
        """The summary, and of the promises those that are broken."""
        broken = (line for one in self.findings if one.kept is False for line in lines(one))
        return "\n".join(map(on_one_line, [self.summary(), *broken]))

    def summary(self) -> str:
        """`nim keeps 16 promises`, `alice at tic-tac-toe breaks 1 of 9 promises`."""
        at = "" if self.kind == "game" else f" at {self.game}"
        promises = [one for one in self.findings if one.promise != PRINTS]
        broken = sum(one.kept is False for one in promises)
        n = sum(broken > 0 or one.kept is True for one in promises)
        return f"{self.entry}{at} " + (
            f"breaks {broken} of {n} promises" if broken else f"keeps {n} promises"
        )

    def to_dicts(self) -> list[dict[str, object]]:
        """A dictionary for each promise."""
        return [asdict(one) for one in self.findings]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        about = {"entry": self.entry, "kind": self.kind, "game": self.game, "kept": self.kept}
        return {**about, "promises": self.to_dicts()}


def lines(found: Finding) -> Iterator[str]:
    """A line for a promise; of a broken one others that say what breaks it, where, and what to do."""
    yield f"{MARKS[found.kept]:<7} {found.title}"
    if found.kept is False:
        for line in (found.fault + found.where(), *found.details()):
            yield f"{'':7} {line}"
    elif found.fault or found.note:
        yield f"{'':7} {found.fault or found.note}"


def check(
    entry: Entry | GameEntry,
    *,
    game: GameEntry = None,
    seed: int = 0,
    matches: int | None = None,
    positions: int | None = None,
    stall_seconds: float = STALL_SECONDS,
) -> Checked:
    """Check that a game or an agent keeps the API contract, in a worker process.

    >>> import arena
    >>> arena.check("random").kept
    True

    Args:
        entry: A game or an agent, as in `arena.match`. A name of both is the game, unless `game` is given.
        game: The game that the agent plays. Default: the first installed that it can play.
        seed: Decides all chance.
        matches: Number of matches. Default: 50 random ones for a game, 10 against random moves for an agent.
        positions: Number of positions of a game that are examined closely. Default: 1,000.
        stall_seconds: Time limit in seconds for one position; 0: none.

    Returns:
        What was found for each part of the contract; `kept` is True if all of it is kept.

    Raises:
        ArenaError: If it cannot be checked.
    """
    with quietly():
        wanted = wanted_of(entry, game, seed, matches, positions)
    return replace(wanted.begun(), findings=[*found_apart(wanted, stall_seconds)])


@contextmanager
def quietly() -> Iterator[None]:
    """Discard what the file of a game prints, which this process runs."""
    with listening(aloud=False):
        hearing.tail = Tail()
        yield


def check_here(wanted: Wanted) -> Checked:
    """Check in this process, where a debugger sees it, and which it may take down."""
    return replace(wanted.begun(), findings=[*findings(wanted.looking())])


# --- what is asked for ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """What is to be looked at: a game, or with some options an agent at a game."""

    game: Spec
    seed: int
    matches: int
    positions: int = 0
    agent: Spec | None = None
    options: Mapping[str, object] | None = None

    def begun(self) -> Checked:
        if self.agent is None:
            return Checked(self.game.text, "game", self.game.text, ())
        return Checked(self.agent.text, "agent", self.game.text, ())

    @property
    def is_confined(self) -> bool:
        """Return whether the check runs in a sandboxed process."""
        return self.agent is not None and any(part.is_confined for part in self.agent.walk())

    def sandbox(self) -> SandboxedWorker:
        """A sandboxed process for it, which trains what the agent names anew, in its own folder."""
        assert self.agent is not None
        kept = sandboxed_with()
        targets = [part.target.partition(":")[0] for part in (*self.game.walk(), *self.agent.walk())]
        kept["environment"] |= {"ARENA_MODELS": "models"}
        return SandboxedWorker(self.agent.text, targets, **kept)

    def looking(self) -> Looking:
        """The promises to be looked at; ArenaError if the game cannot be made."""
        try:
            with foreign(ArenaError):
                made: Game = self.game.make()
        except Failed as error:
            raise ArenaError(f"game {self.game.text} cannot be made: {error}") from error
        if self.agent is None:
            return game.look_at_game(made, self.matches, self.seed, self.positions)
        cls = self.agent.load()
        return agent.look_at_agent(cls, made, self.matches, self.seed, self.options)


def wanted_of(
    entry: Any,
    on: GameEntry = None,
    seed: int = 0,
    matches: int | None = None,
    positions: int | None = None,
) -> Wanted:
    """Return what the arguments of `check` ask for, or raise ArenaError."""
    for name, value in (("matches", matches), ("positions", positions)):
        if value is not None and not 1 <= whole_number(name, value) <= MOST:
            raise ArenaError(f"{name} is {value!r}, and must be a whole number from 1 to {MOST:,}")
    if kind_of(entry, on is None) == "game":
        if on is not None:
            raise ArenaError(f"a game to play at goes with an agent, and {entry!r} is a game")
        spec = game_spec(entry, known_with(game=entry))
        return Wanted(spec, seed, matches or game.MATCHES, positions or game.POSITIONS)
    if positions is not None:
        raise ArenaError("positions are looked at in games; for an agent say how many matches")
    known = known_with([entry], on)
    spec = agent_spec(entry, known)
    at = playable(spec, known) if on is None else game_spec(on, known)
    check_entries([spec], make_game(at))
    if any(getattr(part.cls, "interactive", False) for part in spec.walk()):
        match = either("arena match", "arena.match")
        raise ArenaError(f"{spec.text} asks at the terminal, and is not checked; play against it: {match}")
    options = {
        name: value
        for name, value in spec.values.items()
        if not spec.cls.options[name].is_default(value, known.spec)
    }
    return Wanted(at, seed, matches or agent.MATCHES, agent=spec, options=options)


def playable(spec: Spec, known: Registry) -> Spec:
    """The first game installed that an agent can play, or ArenaError."""
    refused: ArenaError | None = None
    for name in known.offers["game"]:
        try:
            found = known.spec("game", name)
            check_entries([spec], make_game(found))
            return found
        except ArenaError as error:
            refused = refused or error
    raise refused or ArenaError("no game is installed")


def kind_of(entry: object, may_be_game: bool) -> str:
    """`game` or `agent`, whichever an entry is, or ArenaError."""
    if not isinstance(entry, str):
        (cls,) = classes_of(entry)
        return "game" if issubclass(cls, Game) else "agent"
    if found := files_named(entry):
        (facts,) = described([File.read(found[0].path)])
        kinds = {one.kind for one in facts.classes if found[0].cls in ("", one.name)}
        kinds = kinds or {one.kind for one in facts.unfinished.values()} or {*facts.others.values()}
        return "game" if kinds == {"game"} else "agent"
    known = known_with()
    name, _ = split_text(entry)
    for kind in ("game", "agent") if may_be_game else ("agent", "game"):
        if name in known.offers[kind]:
            return kind
    names = [*known.offers["agent"], *known.offers["game"]]
    raise ArenaError(f"no agent and no game is called {name!r}{did_you_mean(name, names)}")


def asked(
    pool: Executor, wanted: Wanted, stall: float, kind: Any, function: Callable[..., Found], *args: object
) -> tuple[Found, Heard]:
    """Return the result of a function in the worker or its sandbox, and what it printed.

    kind: The type of what it gives.
    """
    if wanted.is_confined:
        found: tuple[Found, Heard]
        found = asked_of(pool, in_sandbox, wanted, stall, tuple[kind, Heard], function, *args).result()
        return found
    return asked_of(pool, swallowed, function, *args).result()


def in_sandbox(
    wanted: Wanted, stall: float, kind: Any, function: Callable[..., object], *args: object
) -> Any:
    """In a worker: what `swallowed` gives in its sandboxed process. WorkerDied if that ends."""
    worker = this_worker()
    aside = worker.keep(SANDBOX, wanted.sandbox)
    try:
        return aside.call(kind, swallowed, function, *args, turn=stall)
    except Reported as error:
        if aside.ended:
            del worker.kept[SANDBOX]
            raise WorkerDied(aside.number, aside.seat, False, one_line(error)) from None
        raise
    finally:
        worker.watch.clear()


# --- in a worker ------------------------------------------------------------------------------------------


def found_apart(wanted: Wanted, stall_seconds: float) -> Iterator[Finding]:
    """What is found of each promise, up to one at which the worker dies or hangs, which breaks it.

    At the end, what was printed meanwhile.
    """
    pool = Processes(1)
    heard = Heard()
    try:
        count = 0
        while True:
            coming: Finding | None = None
            try:
                coming, more = asked(
                    pool, wanted, stall_seconds, Finding | None, next_promise, wanted, stall_seconds
                )
                heard += more
                if coming is None:
                    if heard.lines:
                        then = "matches discard them" if wanted.agent else "matches show them, leave them out"
                        yield Finding(PRINTS, f"{wanted.begun().entry} {heard}; {then}", None)
                    return
                found, more = asked(pool, wanted, stall_seconds, Finding, find)
                heard += more
                yield found
            except WorkerDied as death:
                if coming is None:
                    raise ArenaError(f"{wanted.begun().entry} cannot be made: {death.fault}") from death
                yield found_again(pool, wanted, stall_seconds, count, coming, death)
                return
            except WorkerFailed as error:  # SystemExit, or the like
                if coming is None and not count:
                    raise
                if coming:
                    yield replace(coming, kept=False, fault=str(error), remedy=ENDED)
                return
            count += 1
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def found_again(
    pool: Executor, wanted: Wanted, stall: float, count: int, coming: Finding, death: WorkerDied
) -> Finding:
    """The promise at which a worker died; where, if it was asked something in a position."""
    remedy = ENDLESS if death.stalled else ENDED
    if death.number > 0:
        with suppress(WorkerDied):  # earlier this time
            given = find_where, wanted, count, death.number, death.fault, remedy
            found, _ = asked(pool, wanted, stall, Finding, *given)
            if found.kept is False:
                where = standstill_again(pool, wanted, stall, count, death.number) if death.stalled else ""
                return replace(found, fault=found.fault + where)
    return replace(coming, kept=False, fault=death.fault, remedy=remedy)


def standstill_again(pool: Executor, wanted: Wanted, stall: float, count: int, number: int) -> str:
    """What a question goes on and on at, `, at FILE:LINE` say, if plain Python can tell."""
    for plain in (False, True):
        with suppress(WorkerDied):
            given = find_standstill, wanted, count, number, plain
            where, _ = asked(pool, wanted, stall, str, *given)
            if where:
                return where
    return ""


def next_promise(wanted: Wanted, stall_seconds: float) -> Finding | None:
    """In a worker: the promise to be looked at next."""
    looking = this_worker().keep("looking", wanted.looking)
    questions().seconds = stall_seconds
    return looking.coming()


def find() -> Finding:
    """In a worker: what is found of it."""
    questions().number = 0
    looking: Looking = this_worker().kept["looking"]
    return looking.found()


def find_where(wanted: Wanted, count: int, number: int, text: str, remedy: str) -> Finding:
    """In a new worker: what is found of the promise after so many, as far as a question."""
    return coming_after(wanted, count).found_where(number, text, remedy)


def find_standstill(wanted: Wanted, count: int, number: int, plain: bool) -> str:
    """In a new worker: where it is while that question is answered, for the second time."""
    with plainly() if plain else nullcontext():
        looking = coming_after(wanted, count)
        questions().seconds = 5 * LOOK
        return looking.standstill(number, LOOK)


def coming_after(wanted: Wanted, count: int) -> Looking:
    """In a new worker: the promises, of which so many have been looked at and another is to be."""
    looking = wanted.looking()
    for _ in range(count):
        looking.coming()
        looking.found()
    looking.coming()
    return looking
