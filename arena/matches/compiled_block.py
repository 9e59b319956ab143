"""Play whole matches between compiled agents, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arena.activity import concerning
from arena.compiler import is_compiled
from arena.compiler.errors import CannotCompile
from arena.compiler.seats import CompiledAgent, seat_of
from arena.faults.captured_output import Tail, hearing
from arena.matches.compiled_matches import (
    CHANCE,
    CHUNK,
    ELSEWHERE,
    FIRST_NS,
    MOVES,
    OPENED,
    PLIES,
    REASON,
    REASONS,
    RESULT,
    SECOND_NS,
    Matches,
    as_int64,
)
from arena.results.pairs import SCORES
from arena.results.records import FACTS, Facts, Records
from arena.results.tally import fingerprint
from arena.workers.watch import NUMBER

if TYPE_CHECKING:
    from arena.api.agent import Agent
    from arena.api.game import Game
    from arena.api.spec import Spec
    from arena.plan.schedule import Placed, Plan
    from arena.results.pairs import Pairs
    from arena.results.tally import Summary
    from arena.workers.watch import Watch


# column in a row of results, by the name of the record's field
COLUMN_OF = {"result": RESULT, "plies": PLIES, "opening": OPENED, "chance": CHANCE}
Ints = NDArray[np.int64]
OTHER = 3  # in place of result + 1 if no agent drew a random number, or the match is played elsewhere
# [4 * (result of a against b + 1) + result of b against a + 1, score]: 1 if these make that score of a pair
PAIR_SCORES = np.zeros((16, SCORES), np.int64)
for one, other in product(range(3), repeat=2):
    PAIR_SCORES[4 * one + other, one + 2 - other] = 1


class Texts(dict[int, str]):
    """Cache of the texts of moves in a game's notation."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __missing__(self, move: int) -> str:
        text = self[move] = self.game.move_text(move)
        return text


class CompiledBlock:
    """Play a plan's matches compiled; kept for all blocks of the plan.

    Only matches between two agents that run compiled are played here; the others are left out.

    Attributes:
        plan: The plan, whose schedule may be replaced.
        agent_of: Returns the agent for the specs of an entry and the game, and a seat.
        seats: The compiled agent by entry and seat, None if it does not run compiled.
        orders: Cache of `seat_orders`.
    """

    def __init__(
        self,
        plan: Plan,
        game: Game,
        agent_of: Callable[[Spec, Spec, int], Agent],
        watch: Watch,
        endings: object = None,
    ) -> None:
        self.plan, self.game, self.agent_of, self.watch = plan, game, agent_of, watch
        self.matches = Matches(plan, game, watch, endings)
        self.seats: dict[tuple[int, int], CompiledAgent | None] = {}
        self.text = Texts(game).__getitem__
        self.orders: dict[object, tuple[Ints, Ints]] = {}  # see `seat_orders`

    @cached_property
    def compiled(self) -> bool:
        """Whether matches of this game can be played compiled at all."""
        return is_compiled(self.matches)

    def prepare(self, numbers: range, left_out: frozenset[int]) -> None:
        """Create the agents that play in these matches, except entries that are left out."""
        for number, pairing in self.met(numbers):
            for seat, entry in enumerate(pairing):
                if (entry, seat) not in self.seats and entry not in left_out:
                    self.seats[entry, seat] = self.seat(number, seat, entry)

    def stages(self, chunk: range) -> Iterator[tuple[Placed, range]]:
        """Yield the stages to which these matches belong, each with the range of its matches among them."""
        for stage in self.plan.schedule.stages:
            numbers = range(max(chunk.start, stage.start), min(chunk.stop, stage.stop))
            if numbers:
                yield stage, numbers

    def met(self, numbers: range) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield the pairings of these matches, each with the number of one of its matches."""
        schedule = self.plan.schedule
        while numbers:
            stage = schedule.stage_at(numbers.start)
            within = numbers[: stage.stop - numbers.start]
            for number in within[: len(stage.pairings)]:
                yield number, stage.pairings[(number - stage.start) % len(stage.pairings)]
            numbers = numbers[len(within) :]

    def place(self, chunk: range) -> None:
        """Fill in who plays the matches of a chunk, in which round, and the keys of their seeds."""
        for stage, numbers in self.stages(chunk):
            pairings = np.array(stage.pairings, np.int64)
            keys = as_int64([self.plan.pairing_key(*pairing) for pairing in stage.pairings]).T
            rounds, pairing = np.divmod(np.arange(numbers.start, numbers.stop) - stage.start, len(pairings))
            rows = slice(numbers.start - chunk.start, numbers.stop - chunk.start)
            self.matches.seated[rows] = pairings[pairing]
            for i, words in enumerate(keys):
                self.matches.keys[i, rows] = words[pairing]
            self.matches.rounds[rows] = rounds + np.array(stage.met, np.int64)[pairing]

    def seat(self, number: int, seat: int, entry: int) -> CompiledAgent | None:
        """Return an entry's compiled agent; None if it does not run compiled or cannot be created.

        Errors are not reported here, since they recur when the match is played elsewhere.
        """
        self.watch.turn(number, seat, self.plan.limits.stall_seconds)
        hearing.tail = Tail()  # discarded: an agent that fails here fails again elsewhere
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
    ) -> Iterator[tuple[range, Ints, list[int]]]:
        """Play the matches that can be played compiled.

        Args:
            numbers: The numbers of the matches.
            keep: Keep the moves of all matches, and measure times.
            left_out: Entries that do not play.

        Yields:
            For each chunk the numbers of its matches, the rows of results, and the numbers of matches not
            played.
        """
        self.prepare(numbers, left_out)
        while numbers:
            chunk = self.play_chunk(numbers[:CHUNK], keep, left_out)
            rows = np.asarray(self.matches.results[: len(chunk)])
            left = np.flatnonzero(rows[:, REASON] == ELSEWHERE) + chunk.start
            yield chunk, rows, left.tolist()
            numbers = numbers[len(chunk) :]

    def play_chunk(self, chunk: range, keep: bool, left_out: frozenset[int]) -> range:
        """Play matches, as many as there is room for, and return their numbers."""
        for entry in left_out:
            self.matches.players[entry] = 0
        playing = ((place, seat) for place, seat in self.seats.items() if seat and place[0] not in left_out)
        taken = [seat for place, seat in playing if self.take(place, seat)]
        self.place(chunk)
        self.watch.turns(self.plan.limits.stall_seconds)
        try:
            stop = self.matches.play_matches(chunk.start, chunk.stop, keep)
        except Exception:  # in checked mode; this match is left out, and fails again elsewhere
            stop = self.matches.mark[NUMBER] + 1
        self.watch.clear()
        for seat in taken:
            seat.give()
        return range(chunk.start, stop)

    def take(self, place: tuple[int, int], seat: CompiledAgent) -> bool:
        """Have an agent called with its current attributes, and return whether it still runs compiled."""
        try:
            seat.take()
        except (CannotCompile, OverflowError):
            self.matches.players[place] = 0
            return False
        self.matches.players[place] = seat.choose, seat.begin, seat.block, seat.writes_moves, seat.legal
        return True

    def records(self, chunk: range, rows: Ints) -> Records:
        """Return the records of the matches of a chunk that were played compiled."""
        chosen = np.flatnonzero(rows[:, REASON] != ELSEWHERE)
        rows = rows[chosen]
        facts = np.zeros(len(rows), FACTS)
        facts["number"] = chosen + chunk.start
        facts["round"] = np.asarray(self.matches.rounds)[chosen]
        facts["first"], facts["second"] = np.asarray(self.matches.seated)[chosen].T
        for name, column in COLUMN_OF.items():
            facts[name] = rows[:, column]
        facts["first_seconds"], facts["second_seconds"] = rows[:, [FIRST_NS, SECOND_NS]].T / 1e9
        trace = self.matches.trace[: self.matches.traced].tolist()
        places = zip(rows[:, MOVES].tolist(), rows[:, PLIES].tolist(), strict=True)
        moves = [" ".join(map(self.text, trace[at : at + plies])) for at, plies in places]
        same = np.flatnonzero(facts["chance"] == 0)
        who = facts[["number", "first", "second"]][same].tolist()
        starts = self.starts(facts)
        digests = {
            number: fingerprint(first, second, moves[i], starts.get(number))
            for i, (number, first, second) in zip(same.tolist(), who, strict=True)
        }
        reasons = [REASONS[reason] for reason in rows[:, REASON].tolist()]
        return Records(facts, reasons, moves, digests, starts=starts)

    def starts(self, facts: Facts) -> dict[int, str]:
        """Return the start positions of matches as text, by number, except the game's own start."""
        if not any(line.start for line in self.plan.openings.book):
            return {}
        of_round = {round: self.plan.start(round) for round in np.unique(facts["round"]).tolist()}
        numbered = zip(facts["number"].tolist(), facts["round"].tolist(), strict=True)
        return {number: text for number, round in numbered if (text := of_round[round]) is not None}

    def sum_up(self, chunk: range, rows: Ints, summary: Summary) -> None:
        """Add the results of a chunk to a summary."""
        random = rows[:, CHANCE] == 1
        random &= rows[:, REASON] != ELSEWHERE
        results = np.where(random, rows[:, RESULT] + 1, OTHER)
        first, second = np.asarray(self.matches.seated[: len(chunk)]).T
        n = len(self.plan.entries)
        sums = np.bincount(4 * (n * first + second) + results, minlength=4 * n * n).reshape(-1, 4)
        for at in np.flatnonzero(sums[:, :3].any(axis=1)).tolist():
            losses, draws, wins, _ = sums[at].tolist()
            counts = summary.counts(*divmod(at, n))
            counts.wins += wins
            counts.draws += draws
            counts.losses += losses
        for stage, numbers in self.stages(chunk):
            of_stage = results[numbers.start - chunk.start : numbers.stop - chunk.start]
            self.pair_up(stage, numbers, of_stage, summary.pairs)
        fixed = np.flatnonzero(~random & (rows[:, REASON] != ELSEWHERE))
        if not len(fixed):
            return
        trace = self.matches.trace[: self.matches.traced].tolist()
        facts = rows[fixed][:, [RESULT, PLIES, MOVES]].tolist()
        for row, (result, plies, at) in zip(fixed.tolist(), facts, strict=True):
            _, round, *seats = self.plan.fixture(chunk.start + row)
            moves = " ".join(map(self.text, trace[at : at + plies]))
            summary.add_fixed(seats[0], seats[1], round, result, moves, self.plan.start(round))

    def pair_up(self, stage: Placed, numbers: range, results: Ints, pairs: Pairs) -> None:
        """Add the matches in which an agent drew a random number to `pairs`, complete pairs all at once.

        Args:
            stage: The stage.
            numbers: Its matches.
            results: int64 [matches]. The result + 1 of each match in which an agent drew a random number,
                else `OTHER`.
            pairs: Gets the results.
        """
        ahead, back = self.seat_orders(stage)
        size = len(stage.pairings)
        lead = (stage.start - numbers.start) % size
        rounds = max(0, len(numbers) - lead) // size
        whole = results[lead : lead + rounds * size].reshape(rounds, size)
        both = 4 * whole[:, ahead] + whole[:, back] + 16 * np.arange(len(ahead))
        counts = np.bincount(both.ravel(), minlength=16 * len(ahead)).reshape(-1, 16) @ PAIR_SCORES
        for k, of_pair in zip(ahead.tolist(), counts.tolist(), strict=True):
            if any(of_pair):
                a, b = stage.pairings[k]
                pairs.add_counts(a, b, of_pair)
        if 2 * counts.sum() == np.count_nonzero(results != OTHER):
            return
        single = results != OTHER
        inside = single[lead : lead + rounds * size].reshape(rounds, size)
        pair = inside[:, ahead] & inside[:, back]
        inside[:, ahead] &= ~pair
        inside[:, back] &= ~pair
        for row in np.flatnonzero(single).tolist():
            _, round, first, second = self.plan.fixture(numbers.start + row)
            pairs.add(first, second, round, int(results[row]) - 1, None)

    def seat_orders(self, stage: Placed) -> tuple[Ints, Ints]:
        """Return the indices of a stage's pairings (a, b) with a < b, and of the reversed pairings (b, a).

        Returns:
            int64 [pairs] each.
        """
        key = stage.pairings, stage.met
        if key not in self.orders:
            places = {
                (*seats, met): k for k, (seats, met) in enumerate(zip(stage.pairings, stage.met, strict=True))
            }
            found = [
                (k, places[b, a, met]) for (a, b, met), k in places.items() if a < b and (b, a, met) in places
            ]
            ahead, back = np.array(found, np.int64).reshape(-1, 2).T
            self.orders[key] = ahead, back
        return self.orders[key]
