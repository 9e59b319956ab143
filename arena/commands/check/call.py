"""The function `arena.check`, which checks that a game or an agent fulfils the API contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, TypeVar

from arena.api.game import Game
from arena.api.options import split_text
from arena.api.plugin_guard import Failed, foreign
from arena.api.spec import Spec
from arena.calls.arguments import Entry, GameEntry, agent_spec, classes_of, game_spec, known_with
from arena.compiler import plainly
from arena.errors import ArenaError, Reported, did_you_mean, one_line
from arena.faults.captured_output import Tail, hearing, listening
from arena.plan.entries import check_entries, is_interactive, make_game
from arena.registry.file import File
from arena.registry.file_description import described
from arena.registry.files import files_named
from arena.registry.plugins import Registry
from arena.registry.sandbox_worker import SandboxedWorker
from arena.results.settings import STALL_SECONDS, whole_number
from arena.show.frame import Column, Columns
from arena.show.presentation import Part, Shown
from arena.storage.folders import sandboxed_with
from arena.testing import agent, game
from arena.testing.prints import Heard, swallowed
from arena.testing.promise import Finding, Looking, findings, questions
from arena.texts import either, on_one_line
from arena.workers.loop import asked_of
from arena.workers.processes import Processes, WorkerFailed
from arena.workers.worker import WorkerDied, this_worker

Found = TypeVar("Found")

MOST = 1_000_000  # largest number of matches or positions
LOOK = 1.0  # seconds after which hanging code is located
ENDLESS = "Make it terminate there, or allow more time with stall_seconds."
ENDED = "Do not end the process there, and use less memory than is available."
PRINTS = "prints"  # name of the finding about printed output, which is not a promise
SANDBOX = "sandboxed process"  # key of the sandboxed process in `worker.kept`
MARKS = {True: "ok", False: "broken", None: "-"}


@dataclass(frozen=True, repr=False)
class Checked(Shown):
    """The result of `arena.check`: a finding for each promise of the API contract.

    Attributes:
        entry: The game or agent.
        kind: `"game"` or `"agent"`.
        game: The game.
        findings: The finding for each promise, in order.
    """

    frame_columns: ClassVar[Columns] = {
        "promise": Column(str, "Short name of the promise."),
        "title": Column(str, "What is promised."),
        "kept": Column(bool, "Whether it is kept; missing if that could not be determined."),
        "fault": Column(str, "How it is broken."),
        "remedy": Column(str, "How to fix it."),
        "position": Column(str, "A position in which it is broken."),
    }

    entry: str
    kind: str
    game: str
    findings: Sequence[Finding]

    @property
    def kept(self) -> bool:
        """Whether no promise is broken."""
        return all(one.kept is not False for one in self.findings)

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        for one in self.findings:
            yield from lines(one)
        yield self.summary()

    def text_of_broken(self) -> str:
        """Return the summary and the promises that are broken, as text."""
        broken = (line for one in self.findings if one.kept is False for line in lines(one))
        return "\n".join(map(on_one_line, [self.summary(), *broken]))

    def summary(self) -> str:
        """Return a summary: `nim passes 16 checks` or `alice at tic-tac-toe fails 1 of 9 checks`."""
        at = "" if self.kind == "game" else f" at {self.game}"
        promises = [one for one in self.findings if one.promise != PRINTS]
        broken = sum(one.kept is False for one in promises)
        n = sum(broken > 0 or one.kept is True for one in promises)
        return f"{self.entry}{at} " + (f"fails {broken} of {n} checks" if broken else f"passes {n} checks")

    def to_dicts(self) -> list[dict[str, object]]:
        """Return a dictionary for each promise."""
        return [asdict(one) for one in self.findings]

    def to_dict(self) -> dict[str, object]:
        """Return the result as a dictionary for JSON."""
        about = {"entry": self.entry, "kind": self.kind, "game": self.game, "kept": self.kept}
        return {**about, "promises": self.to_dicts()}


def lines(found: Finding) -> Iterator[str]:
    """Yield a line for a promise; if it is broken, also the violation, the position and the remedy."""
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
    """Check that a game or an agent fulfils the API contract, in a worker process.

    >>> import arena
    >>> arena.check("random").kept
    True

    Args:
        entry: A game or an agent, as in `arena.match`. A name that a game and an agent share means the game,
            unless `game` is passed.
        game: The game that the agent plays. Default: the first installed that it can play.
        seed: Seed of all random numbers.
        matches: Number of matches. Default: 50 random matches for a game, 10 matches against random moves
            for an agent.
        positions: Number of positions of a game to examine in detail. Default: 1,000.
        stall_seconds: Time limit in seconds for one position; 0: no limit.

    Returns:
        A finding for each promise of the contract; `kept` is True if no promise is broken.

    Raises:
        ArenaError: If the game or agent cannot be checked.
    """
    with quietly():
        wanted = wanted_of(entry, game, seed, matches, positions)
    return replace(wanted.begun(), findings=[*found_apart(wanted, stall_seconds)])


@contextmanager
def quietly() -> Iterator[None]:
    """Discard the output of a game's file while this process runs it."""
    with listening(aloud=False):
        hearing.tail = Tail()
        yield


def check_here(wanted: Wanted) -> Checked:
    """Run a check in this process, so that a debugger can follow it; faulty code may end the process."""
    return replace(wanted.begun(), findings=[*findings(wanted.looking())])


# --- requests ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """A request to check a game, or an agent with options at a game.

    Attributes:
        game: The game.
        seed: Seed of the matches.
        matches: Number of matches.
        positions: Number of positions of a game to check.
        agent: The agent; None to check the game.
        options: Options of the agent that differ from the defaults.
    """

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
        """Return a sandboxed process for the check, which stores models of learners in its own folder."""
        assert self.agent is not None
        kept = sandboxed_with()
        targets = [part.target.partition(":")[0] for part in (*self.game.walk(), *self.agent.walk())]
        kept["environment"] |= {"ARENA_MODELS": "models"}
        return SandboxedWorker(self.agent.text, targets, **kept)

    def looking(self) -> Looking:
        """Return the check of all promises, or raise ArenaError if the game cannot be created."""
        try:
            with foreign(ArenaError):
                made: Game = self.game.make()
        except Failed as error:
            raise ArenaError(f"game {self.game.text} cannot be created: {error}") from error
        if self.agent is None:
            return game.look_at_game(made, self.matches, self.seed, self.positions)
        cls = self.agent.load()
        return agent.look_at_agent(cls, made, self.matches, self.seed, self.options, thoroughly=True)


def wanted_of(
    entry: Any,
    on: GameEntry = None,
    seed: int = 0,
    matches: int | None = None,
    positions: int | None = None,
) -> Wanted:
    """Return the request for arguments of `check`, or raise ArenaError if they are invalid."""
    for name, value in (("matches", matches), ("positions", positions)):
        if value is not None and not 1 <= whole_number(name, value) <= MOST:
            raise ArenaError(f"{name} is {value!r}, but must be a whole number from 1 to {MOST:,}")
    if kind_of(entry, on is None) == "game":
        if on is not None:
            raise ArenaError(f"game applies only to agents, but {entry!r} is a game")
        spec = game_spec(entry, known_with(game=entry))
        return Wanted(spec, seed, matches or game.MATCHES, positions or game.POSITIONS)
    if positions is not None:
        raise ArenaError("positions applies only to games; for an agent, use matches")
    known = known_with([entry], on)
    spec = agent_spec(entry, known)
    at = playable(spec, known) if on is None else game_spec(on, known)
    check_entries([spec], make_game(at))
    if is_interactive(spec):
        match = either("arena match", "arena.match")
        raise ArenaError(f"{spec.text} plays at the terminal and cannot be checked; play against it: {match}")
    options = {
        name: value
        for name, value in spec.values.items()
        if not spec.cls.options[name].is_default(value, known.spec)
    }
    return Wanted(at, seed, matches or agent.MATCHES, agent=spec, options=options)


def playable(spec: Spec, known: Registry) -> Spec:
    """Return the first installed game that an agent can play, or raise ArenaError."""
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
    """Return the kind of an entry, `"game"` or `"agent"`, or raise ArenaError.

    Args:
        entry: The entry.
        may_be_game: Whether a name that a game and an agent share means the game.
    """
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
    """Run a function in the worker, or in its sandbox, and return its result and its output.

    Args:
        pool: The worker.
        wanted: The request.
        stall: Time limit of a call in the sandbox, in seconds.
        kind: Type of the result.
        function: The function to run.
        args: Arguments of the function.
    """
    if wanted.is_confined:
        found: tuple[Found, Heard]
        found = asked_of(pool, in_sandbox, wanted, stall, tuple[kind, Heard], function, *args).result()
        return found
    return asked_of(pool, swallowed, function, *args).result()


def in_sandbox(
    wanted: Wanted, stall: float, kind: Any, function: Callable[..., object], *args: object
) -> Any:
    """Run a function in the worker's sandboxed process, and return its result and its output.

    This is called in a worker.

    Raises:
        WorkerDied: If the sandboxed process ends.
    """
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
    """Check the promises in a worker, and yield the finding for each.

    A promise whose check kills or hangs the worker is broken, and is the last. If anything was printed, a
    final finding reports the output.
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
                    raise ArenaError(f"{wanted.begun().entry} cannot be created: {death.fault}") from death
                yield found_again(pool, wanted, stall_seconds, count, coming, death)
                return
            except WorkerFailed as error:  # for example SystemExit
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
    """Return the finding for the promise whose check killed a worker.

    If the worker died while code was called in a position, the finding includes the position.

    Args:
        pool: The workers.
        wanted: The request.
        stall: Time limit of a call, in seconds.
        count: Number of promises checked before this one.
        coming: The promise, as a finding without a result.
        death: How the worker died.
    """
    remedy = ENDLESS if death.stalled else ENDED
    if death.number > 0:
        with suppress(WorkerDied):  # it may die earlier than the first time
            given = find_where, wanted, count, death.number, death.fault, remedy
            found, _ = asked(pool, wanted, stall, Finding, *given)
            if found.kept is False:
                where = standstill_again(pool, wanted, stall, count, death.number) if death.stalled else ""
                return replace(found, fault=found.fault + where)
    return replace(coming, kept=False, fault=death.fault, remedy=remedy)


def standstill_again(pool: Executor, wanted: Wanted, stall: float, count: int, number: int) -> str:
    """Return where the code hangs, for example `, at FILE:LINE in NAME`; "" if that cannot be found."""
    for plain in (False, True):
        with suppress(WorkerDied):
            given = find_standstill, wanted, count, number, plain
            where, _ = asked(pool, wanted, stall, str, *given)
            if where:
                return where
    return ""


def next_promise(wanted: Wanted, stall_seconds: float) -> Finding | None:
    """Return the promise to check next; runs in a worker."""
    looking = this_worker().keep("looking", wanted.looking)
    questions().seconds = stall_seconds
    return looking.coming()


def find() -> Finding:
    """Check the current promise, and return the finding; runs in a worker."""
    questions().number = 0
    looking: Looking = this_worker().kept["looking"]
    return looking.found()


def find_where(wanted: Wanted, count: int, number: int, text: str, remedy: str) -> Finding:
    """Check the promise after the first `count`, up to a numbered question; runs in a new worker."""
    return coming_after(wanted, count).found_where(number, text, remedy)


def find_standstill(wanted: Wanted, count: int, number: int, plain: bool) -> str:
    """Repeat the question that hung, and return where the code is then; runs in a new worker."""
    with plainly() if plain else nullcontext():
        looking = coming_after(wanted, count)
        questions().seconds = 5 * LOOK
        return looking.standstill(number, LOOK)


def coming_after(wanted: Wanted, count: int) -> Looking:
    """Repeat the checks of the first `count` promises, and move to the next one; runs in a new worker."""
    looking = wanted.looking()
    for _ in range(count):
        looking.coming()
        looking.found()
    looking.coming()
    return looking
