"""Checks of recorded matches against the rules: illegal moves, and results that contradict the moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import NamedTuple

from arena.api.endings import Probed
from arena.api.game import Game, State
from arena.api.limits import Draws, Limits
from arena.api.reasons import FORFEITS, RESIGNED, WITHDRAWN
from arena.api.rulings import blaming, legal_moves, notation, outcome, player_to_move, start_of
from arena.errors import ArenaError
from arena.faults.rule_check import died_of
from arena.matches.block import endings_of, game_of
from arena.matches.match import adjudicated
from arena.plan.opening_book import Opening
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.results.opening_order import Key
from arena.results.record import Record
from arena.workers.loop import Task, Work
from arena.workers.worker import RULES, WorkerDied, this_worker

CHUNK = 100  # number of matches in a task
ENDS = {1: "a win of the first player", 0: "a draw", -1: "a win of the second player"}


class Wrong(NamedTuple):
    """An error in a recorded match.

    Attributes:
        text: Description of the error.
        ply: Ply of the first wrong move, from 1; None if no move is wrong.
        recorded: The move or end of the match as recorded; empty if unknown.
        instead: The correct move or end of the match; empty if unknown.
    """

    text: str
    ply: int | None = None
    recorded: str = ""
    instead: str = ""


def wrong_by_rules(
    game: Game, record: Record, opening: Opening | None, limits: Limits, endings: Probed | None = None
) -> Wrong | None:
    """Return the first error in a recorded match according to the rules; None without errors.

    Args:
        game: The game.
        record: The match.
        opening: The required opening; None if any opening is allowed.
        limits: Limits of the match.
        endings: Endgame database that adjudicates matches; None if matches are played out.

    Raises:
        GameFault: If the rules fail.
    """
    words = record.moves.split()
    if record.plies != len(words) or record.opening > len(words):
        return Wrong(f"it has {len(words)} moves, and says {record.plies}, {record.opening} in its opening")
    with blaming(game):
        if opening is not None and (wrong := wrong_opening(game, record, opening)):
            return wrong
        try:
            state, seat = start_of(game, record.start), -1
        except ArenaError:
            return Wrong(f"its start, {record.start}, is not a position of {game}")
        draws = Draws(game, state, limits, record.start)
        for ply, word in enumerate(words, 1):
            if ply > record.opening and (due := end_in(game, state, seat, ply - 1, draws, endings)):
                how = "the end of the match" if due[1] == "rules" else ended(*due)
                return Wrong(f"ply {ply}, {word}, comes after {how}", ply, word)
            legal = legal_moves(game, state)
            move = next((move for move in legal if notation(game, move) == word), None)
            if move is None:
                return Wrong(f"ply {ply}, {word}, is not a legal move", ply, word)
            seat = player_to_move(game, state, seat)
            draws.add_move(state, move, state := game.play(state, move))
        due = end_in(game, state, seat, len(words), draws, endings)
        mover = player_to_move(game, state, seat) if legal_moves(game, state) else None
    return wrong_end(record, due, mover, limits)


def wrong_opening(game: Game, record: Record, opening: Opening) -> Wrong | None:
    """Return the error if a match does not begin with its opening; None if it does."""
    if record.start != opening.start:
        start, due = record.start or "the game's own", opening.start or "the game's own"
        return Wrong(f"its start is {start}, and not {due}", None, start, due)
    moves = [notation(game, move) for move in opening.moves]
    if record.moves.split()[: record.opening] == moves:
        return None
    begun = " ".join(record.moves.split()[: record.opening]) or "none"
    return Wrong(f"its opening is {begun}, and not {' '.join(moves) or 'none'}")


def end_in(
    game: Game, state: State, seat: int, plies: int, draws: Draws, endings: Probed | None
) -> tuple[int, str] | None:
    """Return the result and the reason if a match ends in a position; None if it continues.

    Args:
        game: The game.
        state: The position.
        seat: The player that moved last; -1 if none has.
        plies: Number of plies so far.
        draws: Counter of repetitions and quiet plies.
        endings: Endgame database that adjudicates matches; None if matches are played out.
    """
    if not legal_moves(game, state):
        return outcome(game, state, seat), "rules"
    if drawn := draws.reason(state, plies):
        return 0, drawn
    return None if endings is None else adjudicated(endings, state, player_to_move(game, state, seat))


def wrong_end(record: Record, due: tuple[int, str] | None, mover: int | None, limits: Limits) -> Wrong | None:
    """Return the error in the recorded end of a match; None if the end is correct.

    Args:
        record: The match.
        due: Result and reason that follow from the moves; None if the match would continue.
        mover: Side to move at the end; None if there are no legal moves.
        limits: Limits of the match.
    """
    recorded = ended(record.result, record.reason)
    forfeited = record.reason in FORFEITS and record.result != 0 and record.detail is not None
    if forfeited and record.plies == record.opening:  # an entry that cannot start may fail in any position
        return None
    if due is not None:
        if (record.result, record.reason) == due:
            return None
        return Wrong(f"it ended as {ended(*due)}, but is recorded as {recorded}", None, recorded, ended(*due))
    if record.reason == RESIGNED and record.result:
        return None
    if not forfeited or record.reason == WITHDRAWN:
        return Wrong(f"it is recorded as {recorded}, but its moves do not end the match", None, recorded)
    loser = 0 if record.result < 0 else 1
    if loser != mover:
        return Wrong(f"it is recorded as {recorded}, whose turn it was", None, recorded)
    if record.reason == "clock" and not limits.timed:
        return Wrong(f"it is recorded as {recorded}, and there was no clock", None, recorded)
    return None


def ended(result: int, reason: str) -> str:
    """Return how a match ended, as text."""
    return ENDS[result] if reason == "rules" else f"{ENDS[result]} by {reason}"


class Ruling(Work[tuple[int, Wrong | None]]):
    """The work of checking recorded matches against the rules, which yields match numbers and errors.

    Attributes:
        free: Numbers of the matches whose openings are not checked.
    """

    finishes = False

    def __init__(
        self, plan: Plan, records: Sequence[Record], free: frozenset[int], executor: Executor
    ) -> None:
        super().__init__()
        self.opening_key = plan.opening_key
        self.plan = replace(
            plan, entries=(), schedule=Schedule(), isolated=frozenset(), stall_once=frozenset(), format=None
        )
        self.executor, self.free = executor, free
        self.left = [records[i : i + CHUNK] for i in range(0, len(records), CHUNK)][::-1]

    def next_task(self, stopping: bool) -> Task | None:
        if stopping or not self.left:
            return None
        some = self.left.pop()
        keys = [self.opening_key(record.first, record.second) for record in some]
        return Task(self.executor, rule_on, (self.plan, some, keys, self.free), some)

    def take(self, task: Task, answer: list[tuple[int, Wrong | None]]) -> Iterator[tuple[int, Wrong | None]]:
        yield from answer

    def died(self, task: Task, death: WorkerDied) -> Iterator[tuple[int, Wrong | None]]:
        if self.deaths.blame(death.number, death):
            raise died_of(self.plan.game, death) from death
        self.left.append(task.of)
        yield from ()


def rule_on(
    plan: Plan, records: Sequence[Record], keys: Sequence[Key], free: frozenset[int]
) -> list[tuple[int, Wrong | None]]:
    """Check matches, and return the number and the error or None of each; runs in a worker.

    Args:
        plan: The plan without its entries.
        records: The matches.
        keys: The keys of their openings.
        free: Numbers of the matches whose openings are not checked.
    """
    watch, limits = this_worker().watch, plan.limits
    game = game_of(plan, records[0].number, watch)
    endings = endings_of(plan, game, records[0].number, watch)
    found = []
    for record, key in zip(records, keys, strict=True):
        watch.turn(record.number, RULES, limits.stall_seconds)
        opening = None
        if record.number not in free:
            with blaming(game):
                opening = plan.drawn_opening(game, key, record.round)
        found.append((record.number, wrong_by_rules(game, record, opening, limits, endings)))
    watch.clear()
    return found
