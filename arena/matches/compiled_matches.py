"""Whole matches between compiled agents, as `arena.matches.match.play_match` plays them, in blocks.

A match is played here exactly as there: the same seeds, openings, draws and moves. Whatever goes wrong or
is odd, an illegal move say, leaves it to be played there, where faults are handled.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from arena.api.component import Component, compiled
from arena.api.game import Game, Move, State
from arena.api.states import States
from arena.compiler.matching import ask, stream, tell
from arena.plan.openings import TRIES
from arena.plan.schedule import Plan
from arena.results.record import ADJUDICATED
from arena.rng import derive, keyed
from arena.streams import OPENING
from arena.workers.watch import APART, NUMBER, RULES, SEAT, TURNS, Watch

CHUNK = 16_384  # matches at a time
ROOM = 1 << 18  # moves of them

CHOOSE, BEGIN, BLOCK, WRITES, LEGAL = range(5)  # of a player, see `arena.compiler.seats.Seat`

# a row of results: as in `Record`; where the moves begin in the trace, -1 if they are not kept
RESULT, REASON, PLIES, OPENED, CHANCE, FIRST_NS, SECOND_NS, MOVES = range(8)
COLUMNS = 8
REASONS = ("rules", "repetition", "no capture", "max plies", ADJUDICATED)
REPETITION, NO_CAPTURE, MAX_PLIES, BY_ENDINGS = 1, 2, 3, 4
ELSEWHERE = -1  # a reason: to be played in plain Python


def as_int64(words: object) -> Any:
    """Return whole numbers from 0 to below 2**64 as an array of int64 with the same bits."""
    return np.array(words, np.uint64).view(np.int64)


class Draws(Component):
    """The draws that a match has to watch for, as in `arena.matches.match.Draws`.

    past: positions since the last move that cannot be taken back, `kept` of them. quiet: plies since the last
    capture.
    """

    def __init__(self, game: Game, max_plies: int, longest: int) -> None:
        self.game, self.max_plies = game, max_plies
        self.past = States(game, longest + 1)
        self.kept = self.quiet = 0

    def begin(self, state: State, quiet: int) -> None:
        """A match begins in a position that states so many plies without a capture."""
        if self.game.repetition or self.game.quiet_plies:
            self.past[0] = state
            self.kept, self.quiet = 1, quiet

    def add_move(self, before: State, move: Move, after: State) -> None:
        """A move was played."""
        if self.game.repetition or self.game.quiet_plies:
            irreversible = self.game.irreversible(before, move)
            if irreversible:
                self.kept = 0
            self.quiet = 0 if irreversible == 2 else self.quiet + 1
            self.past[self.kept] = after
            self.kept += 1

    def reason(self, state: State, plies: int) -> int:
        """Why the match is drawn now, 0 if it is not."""
        if self.game.repetition and self.times_seen(state) == self.game.repetition:
            return REPETITION
        if self.game.quiet_plies and self.quiet >= self.game.quiet_plies:
            return NO_CAPTURE
        return MAX_PLIES if plies >= self.max_plies else 0

    def times_seen(self, state: State) -> int:
        """How many of `past` are this position."""
        return sum(self.past.holds(i, state) for i in range(self.kept))


class Matches(Component):
    """Plays a plan's matches in compiled code, which calls agents by where their own compiled code is.

    keys, rounds, seated: int64 [2, CHUNK], [CHUNK], [CHUNK, 2]: of each match its pairing's key, how often
    that was met before, and which entry has which seat. scheme: of the tournament's streams. seeds: int64 [2,
    CHUNK], what both players of each match draw from. players: int64 [entries, 2, 4], an entry's agent in
    either seat: where its `choose`, its `begin` and its attributes are, 0 for none, and whether it may change
    the list of moves it is given; without `choose` it does not run compiled. seats, streams, times: int64 [2,
    …], the players of a match, their random numbers and ns. opening: int64, what the matches of `round` begin
    with, `opened` moves, or -1 if none are found. book, lines: int64 [moves of all lines], [lines + 1]: the
    moves, and where each line begins. order: int64 [lines], in which they are played the `time`-th time.
    begins: int64 [lines]: the number of each line's start among `starts`, whose plies without a capture are
    `quiets`, -1 for the game's own start; begun: that of the line of `round`.
    results: int64 [CHUNK, COLUMNS], a row for each match. trace: int64, the moves of matches, one after the
    other, `traced` of them. mark: see `arena.workers.watch`. endings: by which matches are adjudicated, None
    where they are played out.
    """

    def __init__(self, plan: Plan, game: Game, watch: Watch, endings: Any = None) -> None:
        self.game, self.scheme = game, plan.streams.scheme
        self.opening_key = as_int64(plan.streams.opening_key)
        self.endings, self.probing = endings, endings is not None
        self.keys, self.seeds = np.zeros((2, CHUNK), np.int64), np.zeros((2, CHUNK), np.int64)
        self.rounds = np.zeros(CHUNK, np.int64)
        self.seated = np.zeros((CHUNK, 2), np.int64)
        self.players = np.zeros((len(plan.entries), 2, LEGAL + 1), np.int64)
        self.seats = np.zeros((LEGAL + 1, 2), np.int64)
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
        self.draws = Draws(game, plan.limits.plies, self.longest)
        self.results = np.zeros((CHUNK, COLUMNS), np.int64)
        self.trace = np.zeros(max(ROOM, self.longest), np.int64)
        self.traced = 0
        shared: Any = watch.mark  # memory, where the worker is expendable
        self.mark = np.frombuffer(shared, np.int64) if watch.expendable else np.zeros(APART, np.int64)

    @compiled
    def play_matches(self, start: int, stop: int, keep: bool) -> int:
        """Play the matches from `start` up to `stop`, or till the trace is full; the number after the last.

        keep: whether the trace gets the moves of all of them, and times are taken; else it gets those of
        matches in which no agent drew a random number.
        """
        self.traced = 0
        self.derive_seeds(stop - start)
        for number in range(start, stop):
            row = number - start
            round = self.rounds[row]
            results = self.results[row]
            results[REASON] = ELSEWHERE
            for seat in range(2):
                for i in range(LEGAL + 1):
                    self.seats[i, seat] = self.players[self.seated[row, seat], seat, i]
            if not (self.seats[CHOOSE, 0] and self.seats[CHOOSE, 1]):
                continue
            if self.traced + self.longest > len(self.trace):
                return number
            self.mark[NUMBER] = number
            if round != self.round:
                self.round = round
                self.opened = self.take_line(round) if len(self.order) else self.draw_opening(round)
            if self.opened >= 0 and self.begin_match(row):
                self.play_match(results, keep)
                if results[REASON] != ELSEWHERE and (keep or not results[CHANCE]):
                    results[MOVES] = self.traced
                    self.traced += results[PLIES]
        return stop

    def take_line(self, round: int) -> int:
        """Fill `opening` with the line of the book that a round begins with; how many moves."""
        time, place = divmod(round, len(self.order))
        if time != self.time:
            self.shuffle(time)
            self.time = time
        self.begun = self.begins[self.order[place]]
        start, stop = self.lines[self.order[place]], self.lines[self.order[place] + 1]
        for i in range(stop - start):
            self.opening[i] = self.book[start + i]
        return int(stop - start)

    def shuffle(self, time: int) -> None:
        """Fill `order` as `arena.results.book_order.in_order` has it."""
        rng = stream(self.streams, 0)
        rng.restart(self.opening_seed(time))
        for i in range(len(self.order)):
            self.order[i] = i
        for i in range(len(self.order) - 1, 0, -1):
            j = rng.below(i + 1)
            self.order[i], self.order[j] = self.order[j], self.order[i]

    def draw_opening(self, round: int) -> int:
        """Fill `opening` with random moves that do not end the match; how many, -1 if none are found."""
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
        """As `arena.streams.Streams.openings`."""
        if self.scheme == 1:
            return derive(self.opening_key[0], OPENING, number)
        return keyed(self.opening_key[0], self.opening_key[1], number)[0]

    def derive_seeds(self, n: int) -> None:
        """Fill the first `n` columns of `seeds` as `arena.streams.Streams.seats` has them.

        The loop over `keyed` is written so that it is vectorised: eight matches at a time.
        """
        rounds, firsts, seconds = self.rounds, self.seeds[0], self.seeds[1]
        keys0, keys1 = self.keys[0], self.keys[1]
        if self.scheme == 1:
            for row in range(n):
                seed = derive(keys0[row], rounds[row])
                firsts[row] = derive(seed, 0)
                seconds[row] = derive(seed, 1)
            return
        for row in range(n):
            first, second = keyed(keys0[row], keys1[row], rounds[row])
            firsts[row] = first
            seconds[row] = second

    def begin_match(self, row: int) -> bool:
        """Restart the random numbers of both seats and call both agents' `begin`; False if one fails."""
        for seat in range(2):
            self.times[seat] = 0
            stream(self.streams, seat).restart(self.seeds[seat, row])
            if self.seats[BEGIN, seat]:
                self.mark[SEAT] = seat
                if tell(self.seats[BEGIN, seat], self.seats[BLOCK, seat], seat):
                    return False
        self.mark[SEAT] = RULES
        return True

    def play_match(self, results: Any, keep: bool) -> None:
        """Play one match and fill in its row of results, unless it is to be played in plain Python."""
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
        """What a position is worth to the player to move by the endings, 2 if it is none of them."""
        return self.endings.value(state) if self.probing else 2

    def ask_agent(self, seat: int, state: State, moves: list[Move], keep: bool) -> tuple[bool, int]:
        """Whether an agent's choice is a legal move, and the move."""
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
