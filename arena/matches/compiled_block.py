"""Where compiled agents play whole matches of a plan, chunk by chunk."""

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


# of a row of results, what a record has of the same name
COLUMN_OF = {"result": RESULT, "plies": PLIES, "opening": OPENED, "chance": CHANCE}
Ints = NDArray[np.int64]
OTHER = 3  # in place of a result + 1: a match in which no agent drew a random number, or played elsewhere
# [4 * result of a against b + that of b against a, score]: 1 where two results make that score of a pair
PAIR_SCORES = np.zeros((16, SCORES), np.int64)
for one, other in product(range(3), repeat=2):
    PAIR_SCORES[4 * one + other, one + 2 - other] = 1


class Texts(dict[int, str]):
    """Moves in a game's notation, as they are asked for."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __missing__(self, move: int) -> str:
        text = self[move] = self.game.move_text(move)
        return text


class CompiledBlock:
    """What it takes to play a plan's matches compiled, kept for all its blocks.

    agent_of: gives the agent of an entry's spec, the game's and a seat. Pairings of two agents that run
    compiled are played here, the others left out.
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
        self.seats: dict[
            tuple[int, int], CompiledAgent | None
        ] = {}  # by entry and seat, of those that were looked at
        self.text = Texts(game).__getitem__
        self.orders: dict[object, tuple[Ints, Ints]] = {}  # see `seat_orders`

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

    def stages(self, chunk: range) -> Iterator[tuple[Placed, range]]:
        """The stages that these matches are of, each with its own among them."""
        for stage in self.plan.schedule.stages:
            numbers = range(max(chunk.start, stage.start), min(chunk.stop, stage.stop))
            if numbers:
                yield stage, numbers

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
        """Tell of a chunk's matches who plays, in which round of theirs, from which keys."""
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
    ) -> Iterator[tuple[range, Ints, list[int]]]:
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

    def take(self, place: tuple[int, int], seat: CompiledAgent) -> bool:
        """Have an entry's agent called as it is now; whether it runs compiled still."""
        try:
            seat.take()
        except (CannotCompile, OverflowError):
            self.matches.players[place] = 0
            return False
        self.matches.players[place] = seat.choose, seat.begin, seat.block, seat.writes_moves, seat.legal
        return True

    def records(self, chunk: range, rows: Ints) -> Records:
        """The records of a chunk's rows, those that were played here."""
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
        """The texts of the positions that matches began in, by number, where that is not the game's own."""
        if not any(line.start for line in self.plan.openings.book):
            return {}
        of_round = {round: self.plan.start(round) for round in np.unique(facts["round"]).tolist()}
        numbered = zip(facts["number"].tolist(), facts["round"].tolist(), strict=True)
        return {number: text for number, round in numbered if (text := of_round[round]) is not None}

    def sum_up(self, chunk: range, rows: Ints, summary: Summary) -> None:
        """Add a chunk's rows to a summary."""
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
        """Add the matches in which an agent drew a random number, whole pairs of them all at once.

        results: int64 [matches], of each of these its result + 1, and OTHER of others.
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
        """int64 [pairs] each: a stage's pairings of a and b, a < b, and of b and a, by number."""
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
