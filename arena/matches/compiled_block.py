"""Where compiled agents play whole matches of a plan, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.activity import concerning
from arena.compiler import is_compiled
from arena.compiler.errors import CannotCompile
from arena.compiler.seats import Seat, seat_of
from arena.matches.compiled_matches import CHANCE, CHUNK, ELSEWHERE, REASON, REASONS, RESULT, Matches
from arena.matches.printed import Tail, hearing
from arena.results.record import Record
from arena.workers.watch import NUMBER

if TYPE_CHECKING:
    from arena.api.agent import Agent
    from arena.api.game import Game, Move
    from arena.api.spec import Spec
    from arena.matches.schedule import Plan
    from arena.results.tally import Summary
    from arena.workers.watch import Watch


class CompiledBlock:
    """What it takes to play a plan's matches compiled, kept for all its blocks.

    agent_of: gives the agent of an entry's spec, the game's and a seat. Pairings of two agents that run
    compiled are played here, the others left out.
    """

    def __init__(
        self, plan: Plan, game: Game, agent_of: Callable[[Spec, Spec, int], Agent], watch: Watch
    ) -> None:
        self.plan, self.game, self.agent_of, self.watch = plan, game, agent_of, watch
        self.matches = Matches(plan, game, watch)
        self.seats: dict[tuple[int, int], Seat | None] = {}  # by entry and seat, of those that were looked at
        self.texts: dict[Move, str] = {}
        self.seeds: dict[tuple[int, int], int] = {}  # by pairing

    @cached_property
    def compiled(self) -> bool:
        """Whether matches can be played here at all."""
        return is_compiled(self.matches)

    def prepare(self, numbers: range, left_out: frozenset[int]) -> None:
        """Make the agents met in these matches, but for some entries."""
        for number, pairing in self.met(numbers):
            for seat, entry in enumerate(pairing):
                if (entry, seat) not in self.seats and entry not in left_out:
                    self.seats[entry, seat] = self.seat(number, seat, entry)

    def met(self, numbers: range) -> Iterator[tuple[int, tuple[int, int]]]:
        """The pairings of these matches, each with the number of one of its matches."""
        schedule = self.plan.schedule
        while numbers:
            stage = schedule.stage_at(numbers.start)
            within = numbers[: stage.stop - numbers.start]
            for number in within[: len(stage.pairings)]:
                yield number, stage.pairings[(number - stage.start) % len(stage.pairings)]
            numbers = numbers[len(within) :]

    def place(self, chunk: range) -> None:
        """Tell of a chunk's matches who plays, in which round of theirs, from which seeds."""
        row = 0
        for stage in self.plan.schedule.stages:
            numbers = range(max(chunk.start, stage.start), min(chunk.stop, stage.stop))
            if not numbers:
                continue
            pairings = np.array(stage.pairings, np.int64)
            seeds = np.array([self.pairing_seed(*pairing) for pairing in stage.pairings], np.int64)
            rounds, pairing = np.divmod(np.arange(numbers.start, numbers.stop) - stage.start, len(pairings))
            rows = slice(row, row + len(numbers))
            self.matches.seeds[rows], self.matches.seated[rows] = seeds[pairing], pairings[pairing]
            self.matches.rounds[rows] = rounds + np.array(stage.met, np.int64)[pairing]
            row += len(numbers)

    def pairing_seed(self, first: int, second: int) -> int:
        """As `Plan.pairing_seed`, once worked out."""
        if (first, second) not in self.seeds:
            self.seeds[first, second] = self.plan.pairing_seed(first, second)
        return self.seeds[first, second]

    def seat(self, number: int, seat: int, entry: int) -> Seat | None:
        """An entry's seat; None if it does not run compiled or cannot be made, as matches will show."""
        self.watch.turn(number, seat, self.plan.limits.stall_seconds)
        hearing.tail = Tail()  # which nobody reads: who fails here does so again
        try:
            with concerning(self.plan.place(entry)):
                agent = self.agent_of(self.plan.entries[entry], self.plan.game, seat)
                return seat_of(agent) if self.compiled else None
        except (Exception, SystemExit):
            return None
        finally:
            hearing.tail = None

    def play(
        self, numbers: range, keep: bool, left_out: frozenset[int] = frozenset()
    ) -> Iterator[tuple[range, Any, list[int]]]:
        """Play what can be played here: of each chunk the numbers, rows of results, and numbers left out.

        keep: whether all moves are kept in the trace, and times taken. left_out: entries that do not play.
        """
        self.prepare(numbers, left_out)
        while numbers:
            chunk = self.play_chunk(numbers[:CHUNK], keep, left_out)
            rows = np.asarray(self.matches.results[: len(chunk)])
            left = np.flatnonzero(rows[:, REASON] == ELSEWHERE) + chunk.start
            yield chunk, rows, left.tolist()
            numbers = numbers[len(chunk) :]

    def play_chunk(self, chunk: range, keep: bool, left_out: frozenset[int]) -> range:
        """Play matches, as many as there is room for: their numbers."""
        for entry in left_out:
            self.matches.players[entry] = 0
        playing = ((place, seat) for place, seat in self.seats.items() if seat and place[0] not in left_out)
        taken = [seat for place, seat in playing if self.take(place, seat)]
        self.place(chunk)
        self.watch.turns(self.plan.limits.stall_seconds)
        try:
            stop = self.matches.play_matches(chunk.start, chunk.stop, keep)
        except Exception:  # in checked mode; this match is left out, and shows it again elsewhere
            stop = self.matches.mark[NUMBER] + 1
        self.watch.clear()
        for seat in taken:
            seat.give()
        return range(chunk.start, stop)

    def take(self, place: tuple[int, int], seat: Seat) -> bool:
        """Have an entry's agent called as it is now; whether it runs compiled still."""
        try:
            seat.take()
        except (CannotCompile, OverflowError):
            self.matches.players[place] = 0
            return False
        self.matches.players[place] = seat.choose, seat.begin, seat.block, seat.writes_moves, seat.legal
        return True

    def records(self, chunk: range, rows: Any) -> Iterator[Record]:
        """The records of a chunk's rows."""
        trace = self.matches.trace[: self.matches.traced].tolist()
        for number, row in zip(chunk, rows.tolist(), strict=True):
            if row[REASON] != ELSEWHERE:
                yield self.record(number, row, trace)

    def record(self, number: int, row: Sequence[int], trace: Sequence[int]) -> Record:
        """The record of one match from its row of results."""
        result, reason, plies, opened, chance, first_ns, second_ns, at = row
        return Record(
            *self.plan.fixture(number),
            result,
            REASONS[reason],
            None,
            plies,
            opened,
            " ".join(map(self.text, trace[at : at + plies])),
            chance,
            first_ns / 1e9,
            second_ns / 1e9,
        )

    def text(self, move: int) -> str:
        """A move in the game's notation."""
        if move not in self.texts:
            self.texts[move] = self.game.move_text(move)
        return self.texts[move]

    def sum_up(self, chunk: range, rows: Any, summary: Summary) -> None:
        """Add a chunk's rows to a summary."""
        played = rows[:, REASON] != ELSEWHERE
        random = played & (rows[:, CHANCE] == 1)
        first, second = np.asarray(self.matches.seated[: len(chunk)])[random].T
        n = len(self.plan.entries)
        place = 3 * (n * first + second) + rows[random, RESULT] + 1
        sums = np.bincount(place, minlength=3 * n * n).reshape(-1, 3)
        for at in np.flatnonzero(sums.any(axis=1)).tolist():
            losses, draws, wins = sums[at].tolist()
            counts = summary.counts(*divmod(at, n))
            counts.wins += wins
            counts.draws += draws
            counts.losses += losses
        fixed = np.flatnonzero(played & ~random)
        trace = self.matches.trace[: self.matches.traced].tolist() if len(fixed) else []
        for row in fixed.tolist():
            summary.add(self.record(chunk.start + row, rows[row].tolist(), trace))
