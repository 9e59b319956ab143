"""The function `arena.debug`, which replays a recorded match in this process, as plain Python."""

from __future__ import annotations

import pdb
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from arena.api.agent import Agent
from arena.api.game import Move, State
from arena.api.limits import Clock
from arena.api.plugin_guard import Failed, foreign, quiet
from arena.api.reasons import FORFEITS
from arena.api.rulings import GameFault
from arena.commands.tournament.call import known_again
from arena.commands.tournaments.faults import Fault, labelled
from arena.compiler import plainly
from arena.errors import ArenaError
from arena.faults.tracebacks import below_author
from arena.matches.block import endings_of
from arena.matches.match import play_match, tell_opening
from arena.plan.completion import complete
from arena.plan.opening_book import Opening
from arena.plan.plan import Plan
from arena.registry.digests import code_of
from arena.registry.files import trusted
from arena.results.fault_story import Story
from arena.results.record import UNKNOWN_CODE, Record
from arena.results.settings import whole_number
from arena.rng import Rng
from arena.show.frame import Column, Columns
from arena.show.presentation import Line, Part, Shown
from arena.storage.database import DATABASE, Store
from arena.storage.database import Tournament as Stored
from arena.texts import argument
from arena.workers.worker import own_watch


class Observed:
    """A wrapper of an agent that records its exceptions."""

    def __init__(self, agent: Agent, raised: list[BaseException]) -> None:
        self.agent, self.raised = agent, raised

    def follow_opening(self, moves: Sequence[Move], start: str | None = None) -> None:
        tell_opening(self.agent, Opening(tuple(moves), start))

    def begin(self, seat: int) -> None:
        try:
            self.agent.begin(seat)
        except BaseException as error:
            self.raised.append(error)
            raise

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        try:
            return self.agent.choose(state, moves, rng)
        except BaseException as error:
            self.raised.append(error)
            raise


@dataclass(frozen=True, repr=False)
class Replayed(Shown):
    """A match that was replayed in this process.

    Attributes:
        tournament: Number of the tournament.
        match: Number of the match.
        entries: First and second player.
        record: Record of the replay; None if it was ended by Ctrl-C.
        recorded: How an entry forfeited in the tournament; None without a forfeit.
        error: Exception of an agent, if any.
        changed: Entries whose code has changed since the tournament.
        names: Short names, by entry.
    """

    frame_columns: ClassVar[Columns] = {
        "match": Column(int, "Number of the match."),
        "first": Column(str, "First player."),
        "second": Column(str, "Second player."),
        "result": Column(int, "Result of the replay from the first player's side: 1 win, 0 draw, -1 loss."),
        "reason": Column(str, "How it ended."),
        "moves": Column(str, "The moves."),
    }

    tournament: int
    match: int
    entries: tuple[str, str]
    record: Record | None
    recorded: str | None
    error: BaseException | None
    changed: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def remarks(self) -> list[str]:
        """Return a warning for each entry whose code has changed."""
        called = (self.names.get(name, name) for name in self.changed)
        return [f"the code of {name} has changed since the match was played" for name in called]

    def parts(self) -> Iterator[Part]:
        """Yield the parts to print and to show in notebooks, in order."""
        first, second = (self.names.get(name, name) for name in self.entries)
        yield Line(f"Match {self.match} of tournament {self.tournament}: {first} against {second}")
        if self.recorded:
            yield Line(f"  recorded: {self.recorded}")
        full = "".join(traceback.format_exception(self.error)) if self.error else ""
        if self.record is None:
            yield "  now: ended by Ctrl-C"
            yield from labelled("traceback", full)
        elif self.record.reason in FORFEITS:
            told = self.record.story or Story()
            seat = int(self.record.result > 0)
            fault = Fault(*self.about(seat), self.record.detail or "", self.record.moves, *told)
            yield from replace(fault, traceback=full or fault.traceback).parts(self.names)
        else:
            yield Line(f"  now: {outcome_text(self.record)}; no failure")

    def about(self, seat: int) -> tuple[int, str, str, int, str]:
        """Return the first fields of `Fault`."""
        reason = self.record.reason if self.record else "interrupted"
        return self.match, self.entries[seat], self.entries[1 - seat], seat, reason

    def frame_rows(self) -> Sequence[Mapping[str, object]]:
        """Return a row for the match; no row if it was ended by Ctrl-C."""
        if self.record is None:
            return []
        first, second = self.entries
        facts = {name: getattr(self.record, name) for name in ("result", "reason", "moves")}
        return [{"match": self.match, "first": first, "second": second, **facts}]

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the record of the match, if there is one."""
        return [self.record._asdict()] if self.record else []

    def post_mortem(self) -> None:
        """Start Python's debugger at the exception, in the author's own code, if there was one."""
        if self.error and self.error.__traceback__:
            debugger = pdb.Pdb()
            debugger.reset()
            if frames := below_author(self.error):
                debugger.cmdqueue.append(f"up {frames}")
            debugger.interaction(None, self.error.__traceback__)


def debug(
    tournament: int,
    match: int,
    *,
    own: Sequence[object] = (),
    db: str | Path = DATABASE,
    trust: bool = False,
) -> Replayed:
    """Replay a recorded match in this process, as plain Python and without clocks.

    Seed, entries and opening are the same, so the match leads to the same error. Call `post_mortem` of the
    result to start the debugger at the error. Ctrl-C ends a match that hangs.

    Args:
        tournament: Number of the tournament.
        match: Number of the match.
        own: Your own classes that took part in the tournament.
        db: Path of the database.
        trust: Also run entries that were sandboxed, without a sandbox.

    Returns:
        The match, and the exception if there was one.

    Raises:
        ArenaError: If the match cannot be replayed.
    """
    with closing(Store(db)) as store:
        found = store.tournament(tournament)
        tournament, match = found.id, whole_number("match", match)
        if found.exact:
            raise ArenaError(f"tournament {tournament} was evaluated exactly and has no matches")
        forfeits = {
            number: (name, reason, detail) for name, number, reason, detail in store.forfeits(tournament)
        }
    names = found.settings.names or {}
    recorded = None
    if match in forfeits:
        loser, reason, detail = forfeits[match]
        recorded = f"{names.get(loser, loser)} by {reason}: {detail}"
    _, plan = complete(found.settings, known_again(found, own))
    if not 0 <= match < plan.matches:
        last = plan.matches - 1
        raise ArenaError(f"tournament {tournament} has no match {match}; its matches are 0 to {last}")
    fixture = plan.fixture(match)
    if plan.isolated.intersection(fixture[2:]):
        if not trust:
            remedy = argument("trust", True)
            raise ArenaError(
                f"match {match} has an entry that plays sandboxed; if you trust it, {remedy} runs it here"
            )
        plan = replace(plan, entries=tuple(map(trusted, plan.entries)))
    raised: list[BaseException] = []
    record = replayed(plan, match, raised)
    entries = plan.entries[fixture.first].text, plan.entries[fixture.second].text
    error = raised[0] if raised else None
    return Replayed(tournament, match, entries, record, recorded, error, changed(plan, match, found), names)


def replayed(plan: Plan, number: int, raised: list[BaseException]) -> Record | None:
    """Replay a match in this process.

    Args:
        plan: The plan.
        number: Number of the match.
        raised: List to which exceptions of agents are added.

    Returns:
        The record; None if Ctrl-C ended the match after an exception.
    """
    fixture = plan.fixture(number)

    def make(seat: int) -> Observed:
        try:
            return Observed(plan.entries[fixture[2 + seat]].make(plan.game.make()), raised)
        except BaseException as error:
            raised.append(error)
            raise

    limits = plan.limits._replace(move_seconds=0.0, stall_seconds=0.0, clock=Clock())
    with plainly(), quiet():
        try:
            with foreign(ArenaError):
                game = plan.game.make()
                opening = plan.opening(game, fixture)
                endings = endings_of(plan, game, number, own_watch)
        except Failed as error:
            raise GameFault(f"game {plan.game.text} failed: {error}") from error
        try:
            seeds = plan.seat_seeds(number)
            return play_match(game, make, fixture, seeds, opening, limits, own_watch, endings)
        except KeyboardInterrupt:
            if not raised:
                raise
            return None


def changed(plan: Plan, number: int, found: Stored) -> list[str]:
    """Return the entries of a match whose code differs from that recorded."""
    texts = []
    for entry in plan.fixture(number)[2:]:
        spec = plan.entries[entry]
        if found.codes.get(spec.text, UNKNOWN_CODE) not in (UNKNOWN_CODE, code_of(spec)):
            texts.append(spec.text)
    return list(dict.fromkeys(texts))


def outcome_text(record: Record) -> str:
    """Return a result as text, such as `the first player wins by rules, in 9 plies`."""
    won = {1: "the first player wins", 0: "a draw", -1: "the second player wins"}[record.result]
    return f"{won} by {record.reason}, in {record.plies} plies"
