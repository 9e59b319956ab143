"""Plays whole matches between compiled agents in compiled code, in chunks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from arena.api.component import Component, compiled
from arena.api.endings import Probed
from arena.api.game import Game, Move, State
from arena.api.limits import DRAWN, CompiledDraws
from arena.api.reasons import ADJUDICATED
from arena.api.table import States
from arena.compiler import is_compiled
from arena.compiler.activity import concerning
from arena.compiler.errors import CannotCompile
from arena.compiler.layout import StoredWord
from arena.compiler.matching import ask, put, stream, tell
from arena.compiler.seats import CompiledAgent, seat_of
from arena.faults.captured_output import Tail, hearing
from arena.plan.openings import TRIES
from arena.plan.plan import Plan
from arena.results.opening_order import step_of
from arena.results.records import FACTS, Facts, Records
from arena.results.tally import SCORES, fingerprint
from arena.rng import OPENING, derive, keyed
from arena.workers.worker import APART, NUMBER, RULES, SEAT, TURNS, Watch

if TYPE_CHECKING:
    from arena.api.agent import Agent
    from arena.api.game import Game
    from arena.api.spec import Spec
    from arena.matches.agent_state import AgentState
    from arena.plan.plan import Plan
    from arena.plan.schedule import Placed
    from arena.results.tally import Pairs, Summary
    from arena.workers.worker import Watch

CHUNK = 16_384  # number of matches of a chunk
ROOM = 1 << 18  # capacity of the trace in moves

# columns of a player, see `arena.compiler.seats.CompiledAgent`; the last two are a range of rows of
# `Matches.numbers`
CHOOSE, BEGIN, BLOCK, WRITES, LEGAL, NUMBERS, NUMBERS_END = range(7)
Place: TypeAlias = "tuple[int, int]"  # an entry and a seat

# columns of a row of results, as in `Record`; MOVES is the index of the moves in the trace, -1 if not kept
RESULT, REASON, PLIES, OPENED, CHANCE, FIRST_NS, SECOND_NS, MOVES = range(8)
COLUMNS = 8
REASONS = ("rules", *DRAWN, ADJUDICATED)  # by index; the indices of draws are those of `CompiledDraws`
BY_ENDINGS = REASONS.index(ADJUDICATED)
ELSEWHERE = -1  # in place of a reason: the match must be played in plain Python


def as_int64(words: object) -> Any:
    """Return unsigned 64-bit integers as an array of int64 with the same bits."""
    return np.array(words, np.uint64).view(np.int64)


class Matches(Component):
    """Plays a plan's matches in compiled code, which calls compiled agents by the addresses of their code.

    Attributes:
        keys: int64 [2, CHUNK]. The key of each match's pairing.
        opening_keys: int64 [2, CHUNK]. The key of each match's opening, see `arena.results.opening_order`.
        rounds: int64 [CHUNK]. The round of each match.
        seated: int64 [CHUNK, 2]. The entries in both seats of each match.
        scheme: The scheme of the tournament's random streams.
        seeds: int64 [2, CHUNK]. The seeds of both players of each match.
        players: int64 [entries, 2, 7]. For each entry's agent in each seat: the addresses of its `choose`,
            `begin` and attributes, whether it may change the list of moves, whether its moves are always
            legal, its first row of `numbers`, and the row after its last. `choose` is 0 if it does not run
            compiled; `begin` is 0 if it has none.
        numbers: int64 [rows, 2]. Addresses and bits of the numbers that are reset before each match.
        seats: int64 [7, 2]. The two players of the current match, as in `players`.
        streams: int64 [2, 2]. The state of the random numbers of both players.
        times: int64 [2]. The thinking time of both players in ns.
        opening: int64. The opening moves of the current match.
        begun_with: int64 [2]. The key of `opening`.
        round: The round of `opening`.
        opened: The number of moves in `opening`, -1 if no opening was found.
        shared: Whether all pairings have the same opening in a round.
        book: int64 [moves of all lines]. The moves of the opening book.
        lines: int64 [lines + 1]. The index in `book` at which each line begins.
        order: int64 [lines]. The order in which lines are played if they are shared.
        time: The number of times that all lines had been played before `order`.
        begins: int64 [lines]. Index in `starts` of the position in which each line begins, -1 for the game's
            own start.
        starts: The positions in which lines begin.
        quiets: int64. The plies without a capture that the text of each of `starts` states.
        begun: The value of `begins` for the current opening.
        results: int64 [CHUNK, COLUMNS]. A row for each match.
        trace: int64. The moves of all matches, one match after the other.
        traced: The number of moves in `trace`.
        mark: See `arena.workers.worker`.
        endings: The endings by which matches are adjudicated, None if there is no adjudication.
    """

    def __init__(self, plan: Plan, game: Game, watch: Watch, endings: Probed | None = None) -> None:
        self.game, self.scheme = game, plan.streams.scheme
        self.shared = plan.openings.shared
        self.endings, self.probing = cast(Probed, endings), endings is not None
        self.keys, self.seeds = np.zeros((2, CHUNK), np.int64), np.zeros((2, CHUNK), np.int64)
        self.opening_keys, self.begun_with = np.zeros((2, CHUNK), np.int64), np.zeros(2, np.int64)
        self.rounds = np.zeros(CHUNK, np.int64)
        self.seated = np.zeros((CHUNK, 2), np.int64)
        self.players = np.zeros((len(plan.entries), 2, NUMBERS_END + 1), np.int64)
        self.seats = np.zeros((NUMBERS_END + 1, 2), np.int64)
        self.numbers = np.zeros((0, 2), np.int64)
        self.streams = np.zeros((2, 2), np.int64)
        self.times = np.zeros(2, np.int64)
        self.opening = np.zeros(plan.openings.longest, np.int64)
        self.round = self.opened = self.time = -1
        book = plan.openings.book
        self.book = np.array([move for line in book for move in line.moves], np.int64)
        self.lines = np.cumsum([0, *(len(line.moves) for line in book)])
        numbers = {text: i for i, text in enumerate(dict.fromkeys(line.start for line in book if line.start))}
        self.begins = np.array([numbers[line.start] if line.start else -1 for line in book], np.int64)
        self.starts, self.quiets = States(game, len(numbers) + 1), np.zeros(len(numbers) + 1, np.int64)
        for text, i in numbers.items():
            self.starts[i], self.quiets[i] = game.read_position(text), game.quiet_in(text)
        self.begun = -1
        self.order = np.zeros(len(book), np.int64)
        self.longest = max(plan.limits.plies, len(self.opening))
        self.draws = CompiledDraws(game, plan.limits.plies, self.longest)
        self.results = np.zeros((CHUNK, COLUMNS), np.int64)
        self.trace = np.zeros(max(ROOM, self.longest), np.int64)
        self.traced = 0
        shared: Any = watch.mark  # shared memory if the worker is expendable
        self.mark = np.frombuffer(shared, np.int64) if watch.expendable else np.zeros(APART, np.int64)

    @compiled
    def play_matches(self, first: int, start: int, stop: int, keep: bool) -> int:
        """Play the matches in range(start, stop), but stop when the trace is full.

        Args:
            first: The number of the match in the first row.
            start: The number of the first match to be played.
            stop: The number after the last match.
            keep: Keep the moves of all matches, and measure times. Otherwise only the moves of matches in
                which no agent drew a random number are kept.

        Returns:
            The number after the last match that was played or skipped.
        """
        if start == first:
            self.traced = 0
        self.derive_seeds(start - first, stop - first)
        for number in range(start, stop):
            row = number - first
            round = self.rounds[row]
            results = self.results[row]
            results[REASON] = ELSEWHERE
            for seat in range(2):
                for i in range(NUMBERS_END + 1):
                    self.seats[i, seat] = self.players[self.seated[row, seat], seat, i]
            if not (self.seats[CHOOSE, 0] and self.seats[CHOOSE, 1]):
                continue
            if self.traced + self.longest > len(self.trace):
                return number
            self.mark[NUMBER] = number
            key0, key1 = self.opening_keys[0, row], self.opening_keys[1, row]
            if round != self.round or key0 != self.begun_with[0] or key1 != self.begun_with[1]:
                self.round, self.begun_with[0], self.begun_with[1] = round, key0, key1
                self.opened = self.take_line(round) if len(self.order) else self.draw_opening(round)
            if self.opened >= 0 and self.begin_match(row):
                self.play_match(results, keep)
                if results[REASON] != ELSEWHERE and (keep or not results[CHANCE]):
                    results[MOVES] = self.traced
                    self.traced += results[PLIES]
        return stop

    def take_line(self, round: int) -> int:
        """Fill `opening` with the book line for a round, and return its number of moves."""
        line = self.line_of(round)
        self.begun = self.begins[line]
        start, stop = self.lines[line], self.lines[line + 1]
        for i in range(stop - start):
            self.opening[i] = self.book[start + i]
        return int(stop - start)

    def line_of(self, round: int) -> int:
        """Return the book line for a round, as `arena.results.opening_order.OpeningOrder.line` does."""
        lines = len(self.order)
        time, place = divmod(round, lines)
        if self.shared:
            if time != self.time:
                self.shuffle(time)
                self.time = time
            return int(self.order[place])
        first, second = keyed(self.begun_with[0], self.begun_with[1], time)
        return (first % lines + step_of(second, lines) * place) % lines

    def shuffle(self, time: int) -> None:
        """Fill `order` as `arena.results.opening_order.shuffled` does."""
        rng = stream(self.streams, 0)
        rng.restart(self.opening_seed(time))
        for i in range(len(self.order)):
            self.order[i] = i
        for i in range(len(self.order) - 1, 0, -1):
            j = rng.below(i + 1)
            self.order[i], self.order[j] = self.order[j], self.order[i]

    def draw_opening(self, round: int) -> int:
        """Fill `opening` with random moves that do not end the match, and return their number; -1 if none."""
        rng = stream(self.streams, 0)
        rng.restart(self.opening_seed(round))
        for _ in range(TRIES):
            plies, state = 0, self.game.initial()
            moves = self.game.moves(state)
            while moves and plies < len(self.opening):
                self.opening[plies] = rng.choice(moves)
                state = self.game.play(state, self.opening[plies])
                moves = self.game.moves(state)
                plies += 1
            if moves:
                return plies
        return -1

    def opening_seed(self, number: int) -> int:
        """Return the seed of an opening, as `arena.rng.Streams.opening` does."""
        if self.scheme == 1:
            return derive(self.begun_with[0], OPENING, number)
        return keyed(self.begun_with[0], self.begun_with[1], number)[0]

    def derive_seeds(self, start: int, stop: int) -> None:
        """Fill the columns of `seeds` in range(start, stop) with the seeds of `arena.rng.Streams.seats`.

        The loop over `keyed` is written so that compilers vectorise it: eight matches at a time.
        """
        rounds, firsts, seconds = self.rounds, self.seeds[0], self.seeds[1]
        keys0, keys1 = self.keys[0], self.keys[1]
        if self.scheme == 1:
            for row in range(start, stop):
                seed = derive(keys0[row], rounds[row])
                firsts[row] = derive(seed, 0)
                seconds[row] = derive(seed, 1)
            return
        for row in range(start, stop):
            first, second = keyed(keys0[row], keys1[row], rounds[row])
            firsts[row] = first
            seconds[row] = second

    def begin_match(self, row: int) -> bool:
        """Reset both seats' random numbers, and call both agents' `begin`; return False if one fails."""
        for seat in range(2):
            self.times[seat] = 0
            stream(self.streams, seat).restart(self.seeds[seat, row])
            for i in range(self.seats[NUMBERS, seat], self.seats[NUMBERS_END, seat]):
                put(self.numbers[i, 0], self.numbers[i, 1])
            if self.seats[BEGIN, seat]:
                self.mark[SEAT] = seat
                if tell(self.seats[BEGIN, seat], self.seats[BLOCK, seat], seat):
                    return False
        self.mark[SEAT] = RULES
        return True

    def play_match(self, results: Any, keep: bool) -> None:
        """Play a match, and fill in its row of results unless it must be played in plain Python."""
        trace = self.trace[self.traced :]
        plies, seat = 0, -1
        state = self.game.initial() if self.begun < 0 else self.starts[self.begun]
        self.draws.begin(state, 0 if self.begun < 0 else self.quiets[self.begun])
        while True:
            moves = self.game.moves(state)
            before, seat = seat, self.game.to_move(state)
            if seat not in (0, 1) or (self.game.alternating and seat == before):
                return
            if not moves:
                value = self.game.value(state)
                if value not in (-1, 0, 1):
                    return
                results[RESULT], results[REASON] = (-value if seat else value), 0
                break
            if plies < self.opened:
                move = self.opening[plies]
            elif reason := self.draws.reason(state, plies):
                results[RESULT], results[REASON] = 0, reason
                break
            elif (value := self.adjudged(state)) in (-1, 0, 1):
                results[RESULT], results[REASON] = (-value if seat else value), BY_ENDINGS
                break
            else:
                legal, move = self.ask_agent(seat, state, moves, keep)
                if not legal:
                    return
            after = self.game.play(state, move)
            self.draws.add_move(state, move, after)
            trace[plies] = move
            state = after
            plies += 1
        results[PLIES], results[OPENED], results[MOVES] = plies, self.opened, -1
        results[CHANCE] = self.streams[0, 1] + self.streams[1, 1] > 0
        results[FIRST_NS], results[SECOND_NS] = self.times[0], self.times[1]

    def adjudged(self, state: State) -> int:
        """Return the value of a position in the endings for the side to move, 2 if they do not contain it."""
        return self.endings.value(state) if self.probing else 2

    def ask_agent(self, seat: int, state: State, moves: list[Move], keep: bool) -> tuple[bool, int]:
        """Return whether an agent's choice is a legal move, and the move."""
        choose, block, rng = self.seats[CHOOSE, seat], self.seats[BLOCK, seat], stream(self.streams, seat)
        self.mark[SEAT] = seat
        self.mark[TURNS] += 1
        began = time.perf_counter_ns() if keep else 0
        if self.seats[WRITES, seat]:
            status, move = ask(choose, block, state, moves.copy(), rng)
        else:
            status, move = ask(choose, block, state, moves, rng)
        if keep:
            self.times[seat] += time.perf_counter_ns() - began
        self.mark[SEAT] = RULES
        return status == 0 and (self.seats[LEGAL, seat] == 1 or moves.count(move) > 0), move


# columns of a row of results, by name of the field of `Record`
COLUMN_OF = {"result": RESULT, "plies": PLIES, "opening": OPENED, "chance": CHANCE}
Ints = NDArray[np.int64]
OTHER = 3  # in place of result + 1 if no agent drew a random number, or the match is played elsewhere
# [4 * (result of a against b + 1) + result of b against a + 1, score]: 1 if this is the score of the pair
PAIR_SCORES = np.zeros((16, SCORES), np.int64)
for one, other in product(range(3), repeat=2):
    PAIR_SCORES[4 * one + other, one + 2 - other] = 1


class Texts(dict[int, str]):
    """A cache of the texts of moves in a game's notation."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __missing__(self, move: int) -> str:
        text = self[move] = self.game.move_text(move)
        return text


class CompiledBlock:
    """Plays a plan's matches compiled; one object is used for all blocks of the plan.

    Only matches between two agents that run compiled are played; others are skipped.

    Attributes:
        plan: The plan, whose schedule may be replaced.
        agent_of: Function of an entry's spec, the game's spec and a seat that returns the agent, reset.
        state_of: Function of the same arguments that returns the initial state of the agent.
        seats: The compiled agent by entry and seat, None if it does not run compiled.
        numbers: The numbers that are reset before each match, by entry and seat.
        resetting: Agents that have changed arrays or containers, by entry and seat. Compiled code resets
            their small arrays as well.
        changing: Agents that have changed others, by entry and seat. Python restores them.
        orders: Cache of `seat_orders`.
    """

    def __init__(
        self,
        plan: Plan,
        game: Game,
        agent_of: Callable[[Spec, Spec, int], Agent],
        state_of: Callable[[Spec, Spec, int], AgentState | None],
        watch: Watch,
        endings: Probed | None = None,
    ) -> None:
        self.plan, self.game, self.watch = plan, game, watch
        self.agent_of, self.state_of = agent_of, state_of
        self.matches = Matches(plan, game, watch, endings)
        self.seats: dict[Place, CompiledAgent | None] = {}
        self.numbers: dict[Place, list[StoredWord]] = {}
        self.resetting: set[Place] = set()
        self.changing: set[Place] = set()
        self.text = Texts(game).__getitem__
        self.orders: dict[object, tuple[Ints, Ints]] = {}  # see `seat_orders`

    @cached_property
    def compiled(self) -> bool:
        """Whether matches of this game can be played compiled."""
        return is_compiled(self.matches)

    def prepare(self, numbers: range, left_out: frozenset[int]) -> None:
        """Create the agents of matches, except those of entries in `left_out`."""
        for number, pairing in self.met(numbers):
            for seat, entry in enumerate(pairing):
                if (entry, seat) not in self.seats and entry not in left_out:
                    self.seats[entry, seat] = self.seat(number, seat, entry)

    def stages(self, chunk: range) -> Iterator[tuple[Placed, range]]:
        """Yield the stages that contain matches of a chunk, each with the range of these matches."""
        for stage in self.plan.schedule.stages:
            numbers = range(max(chunk.start, stage.start), min(chunk.stop, stage.stop))
            if numbers:
                yield stage, numbers

    def met(self, numbers: range) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield the pairings of matches, each with the number of one of its matches."""
        schedule = self.plan.schedule
        while numbers:
            stage = schedule.stage_at(numbers.start)
            within = numbers[: stage.stop - numbers.start]
            for number in within[: len(stage.pairings)]:
                yield number, stage.pairings[(number - stage.start) % len(stage.pairings)]
            numbers = numbers[len(within) :]

    def place(self, chunk: range) -> None:
        """Fill in the entries, rounds and seed keys of the matches of a chunk."""
        for stage, numbers in self.stages(chunk):
            pairings = np.array(stage.pairings, np.int64)
            keys = as_int64([self.plan.pairing_key(*pairing) for pairing in stage.pairings]).T
            opening_keys = as_int64([self.plan.opening_key(*pairing) for pairing in stage.pairings]).T
            rounds, pairing = np.divmod(np.arange(numbers.start, numbers.stop) - stage.start, len(pairings))
            rows = slice(numbers.start - chunk.start, numbers.stop - chunk.start)
            self.matches.seated[rows] = pairings[pairing]
            for i, words in enumerate(keys):
                self.matches.keys[i, rows] = words[pairing]
                self.matches.opening_keys[i, rows] = opening_keys[i][pairing]
            self.matches.rounds[rows] = rounds + np.array(stage.met, np.int64)[pairing]

    def seat(self, number: int, seat: int, entry: int) -> CompiledAgent | None:
        """Return an entry's compiled agent; None if it does not run compiled or cannot be created.

        Errors are not reported, since they recur when the match is played elsewhere.
        """
        self.watch.turn(number, seat, self.plan.limits.stall_seconds)
        hearing.tail = Tail()  # output is discarded, since an agent that fails here fails again elsewhere
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
            For each chunk, the numbers of its matches, the rows of results, and the numbers of matches that
            were not played.
        """
        self.prepare(numbers, left_out)
        while numbers:
            chunk = self.play_chunk(numbers[:CHUNK], keep, left_out)
            rows = np.asarray(self.matches.results[: len(chunk)])
            left = np.flatnonzero(rows[:, REASON] == ELSEWHERE) + chunk.start
            yield chunk, rows, left.tolist()
            numbers = numbers[len(chunk) :]

    def play_chunk(self, chunk: range, keep: bool, left_out: frozenset[int]) -> range:
        """Play as many matches of a chunk as fit in the trace, and return their numbers."""
        for entry in left_out:
            self.matches.players[entry] = 0
        playing = [place for place, seat in self.seats.items() if seat and place[0] not in left_out]
        for place in playing:
            self.renew(chunk.start, place)
        self.place(chunk)
        self.watch.turns(self.plan.limits.stall_seconds)
        try:
            stop = self.play_placed(chunk, keep)
        except Exception:  # in checked mode; the match is skipped here, and fails again elsewhere
            stop = self.matches.mark[NUMBER] + 1
        self.watch.clear()
        for place in playing:
            if seat := self.seats[place]:
                seat.give()
        return range(chunk.start, stop)

    def play_placed(self, chunk: range, keep: bool) -> int:
        """Play matches for which `place` was called, and return the number after the last one played.

        Before each match, compiled code resets the numeric attributes of the agents. Most agents do not
        change their arrays and containers. Matches are therefore played in parts of increasing size, and
        arrays and containers are compared after each part. If an agent has changed them, the part is played
        again, with small arrays reset in the same way. If others have changed, it is played one match at a
        time.
        """
        states = {place: self.state(place) for place, seat in self.seats.items() if seat}
        watched = {place: state for place, state in states.items() if state and state.can_change()}
        if not watched:
            return self.matches.play_matches(chunk.start, chunk.start, chunk.stop, keep)
        at, width = chunk.start, 1
        while at < chunk.stop:
            part = range(at, min(at + width, chunk.stop))
            at = self.play_part(chunk, part, keep, watched)
            if at < part.stop:
                return at
            width *= 2
        return at

    def play_part(self, chunk: range, part: range, keep: bool, watched: Mapping[Place, AgentState]) -> int:
        """Play a part of the matches of a chunk, and return the number after the last match played."""
        if self.changing.isdisjoint(watched):
            traced = self.matches.traced
            stop = self.matches.play_matches(chunk.start, part.start, part.stop, keep)
            changed = {place for place, state in watched.items() if self.has_changed(place, state)}
            if not changed:
                return stop
            self.matches.traced = traced
            again = changed & self.resetting
            self.changing |= again
            self.resetting ^= changed
            for place in changed:
                self.renew(part.start, place)
            if not again:
                return self.play_part(chunk, part, keep, watched)
        for number in part:
            _, _, *seated = self.plan.fixture(number)
            for place in zip(seated, (0, 1), strict=True):
                if place in watched:
                    self.renew(number, place)
            if self.matches.play_matches(chunk.start, number, number + 1, keep) == number:
                return number
        return part.stop

    def state(self, place: Place) -> AgentState | None:
        """Return the initial state of an agent."""
        entry, side = place
        return self.state_of(self.plan.entries[entry], self.plan.game, side)

    def has_changed(self, place: Place, state: AgentState) -> bool:
        """Return whether an agent's state has changed, apart from numbers that compiled code resets."""
        seat = self.seats[place]
        if seat is None or not self.matches.players[*place, CHOOSE]:
            return False
        seat.give()
        return state.has_changed({(id(one.thing), one.name) for one in self.numbers[place]})

    def renew(self, number: int, place: Place) -> None:
        """Reset an agent to its initial state before a match."""
        seat = self.seats[place]
        if seat is None:
            return
        seat.give()
        try:
            agent = self.agent_of(self.plan.entries[place[0]], self.plan.game, place[1])
        except (Exception, SystemExit):  # the agent fails again elsewhere
            agent = None
        if agent is not seat.agent:
            seat = self.seats[place] = self.seat(number, place[1], place[0])
            self.watch.turns(self.plan.limits.stall_seconds)
        if seat is None or not self.take(place, seat):
            self.matches.players[place] = 0

    def take(self, place: Place, seat: CompiledAgent) -> bool:
        """Update the addresses of an agent's attributes, and return whether it still runs compiled."""
        try:
            seat.take()
        except (CannotCompile, OverflowError):
            self.matches.players[place] = 0
            return False
        facts = seat.choose, seat.begin, seat.block, seat.writes_moves, seat.legal
        self.matches.players[*place, :NUMBERS] = facts
        state = self.state(place)
        words = seat.words(arrays=place in self.resetting and not self.changing)
        numbers = [one for one in words if state and state.restores(one.thing, one.name)]
        if numbers != self.numbers.get(place, []):
            self.numbers[place] = numbers
            self.place_numbers()
        self.numbers.setdefault(place, numbers)
        return True

    def place_numbers(self) -> None:
        """Copy the numbers to which attributes are reset before each match to `Matches.numbers`."""
        rows: list[tuple[int, int]] = []
        for place, numbers in self.numbers.items():
            self.matches.players[*place, NUMBERS:] = len(rows), len(rows) + len(numbers)
            rows += [(one.address, one.bits) for one in numbers]
        self.matches.numbers = np.array(rows, np.int64).reshape(-1, 2)

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
        """Return the start positions of matches as texts, by number, except the game's own start."""
        if not any(line.start for line in self.plan.openings.book):
            return {}
        fixtures = map(self.plan.fixture, facts["number"].tolist())
        return {one.number: text for one in fixtures if (text := self.plan.start(one)) is not None}

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
            fixture = self.plan.fixture(chunk.start + row)
            _, round, first, second = fixture
            moves = " ".join(map(self.text, trace[at : at + plies]))
            summary.add_fixed(first, second, round, result, moves, self.plan.start(fixture))

    def pair_up(self, stage: Placed, numbers: range, results: Ints, pairs: Pairs) -> None:
        """Add the matches in which an agent drew a random number to `pairs`, complete pairs in bulk.

        Args:
            stage: The stage.
            numbers: The numbers of the stage's matches.
            results: int64 [matches]. The result + 1 of each match in which an agent drew a random number,
                else `OTHER`.
            pairs: The pairs to which results are added.
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
