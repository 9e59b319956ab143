"""Play whole matches between compiled agents, in the way of `arena.matches.match.play_match`.

A match takes exactly the same course as there: the same seeds, openings, draws and moves. If anything goes
wrong or is unusual, such as an illegal move, the match is left to `play_match`, which handles faults.
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
ROOM = 1 << 18  # moves that the trace has room for

CHOOSE, BEGIN, BLOCK, WRITES, LEGAL = range(5)  # of a player, see `arena.compiler.seats.CompiledAgent`

# columns of a row of results: as in `Record`; MOVES is where the moves begin in the trace, -1 if not kept
RESULT, REASON, PLIES, OPENED, CHANCE, FIRST_NS, SECOND_NS, MOVES = range(8)
COLUMNS = 8
REASONS = ("rules", "repetition", "no capture", "max plies", ADJUDICATED)
REPETITION, NO_CAPTURE, MAX_PLIES, BY_ENDINGS = 1, 2, 3, 4
ELSEWHERE = -1  # in place of a reason: to be played in plain Python


def as_int64(words: object) -> Any:
    """Return whole numbers from 0 to below 2**64 as an array of int64 with the same bits."""
    return np.array(words, np.uint64).view(np.int64)


class Draws(Component):
    """Track the draws that a match has to detect, as `arena.plan.draw_rules.Draws` does.

    Attributes:
        past: Positions since the last irreversible move.
        kept: The number of these positions.
        quiet: Plies since the last capture.
    """

    def __init__(self, game: Game, max_plies: int, longest: int) -> None:
        self.game, self.max_plies = game, max_plies
        self.past = States(game, longest + 1)
        self.kept = self.quiet = 0

    def begin(self, state: State, quiet: int) -> None:
        """Begin a match in a position.

        Args:
            state: The position.
            quiet: The plies without a capture that it states.
        """
        if self.game.repetition or self.game.quiet_plies:
            self.past[0] = state
            self.kept, self.quiet = 1, quiet

    def add_move(self, before: State, move: Move, after: State) -> None:
        """Note a move that was played."""
        if self.game.repetition or self.game.quiet_plies:
            irreversible = self.game.irreversible(before, move)
            if irreversible:
                self.kept = 0
            self.quiet = 0 if irreversible == 2 else self.quiet + 1
            self.past[self.kept] = after
            self.kept += 1

    def reason(self, state: State, plies: int) -> int:
        """Return why the match is drawn now, 0 if it is not."""
        if self.game.repetition and self.times_seen(state) == self.game.repetition:
            return REPETITION
        if self.game.quiet_plies and self.quiet >= self.game.quiet_plies:
            return NO_CAPTURE
        return MAX_PLIES if plies >= self.max_plies else 0

    def times_seen(self, state: State) -> int:
        """Return how many of the positions in `past` equal this one."""
        return sum(self.past.holds(i, state) for i in range(self.kept))


class Matches(Component):
    """Play a plan's matches in compiled code, which calls compiled agents by the addresses of their code.

    Attributes:
        keys: int64 [2, CHUNK]. The pairing's key of each match.
        rounds: int64 [CHUNK]. The round of each match.
        seated: int64 [CHUNK, 2]. The entries in both seats of each match.
        scheme: The scheme of the tournament's random streams.
        seeds: int64 [2, CHUNK]. The seeds of both players of each match.
        players: int64 [entries, 2, 5]. For an entry's agent in either seat the addresses of its `choose`,
            `begin` and attributes, whether it may change the list of moves, and whether its moves are always
            legal. Without `choose` it does not run compiled; `begin` is 0 if there is none.
        seats: int64 [5, 2]. The two players of the current match, as in `players`.
        streams: int64 [2, 2]. The state of their random numbers.
        times: int64 [2]. Their thinking time in ns.
        opening: int64. The opening moves of the current round.
        round: The current round.
        opened: The number of its opening moves, -1 if no opening was found.
        book: int64 [moves of all lines]. The moves of the opening book.
        lines: int64 [lines + 1]. Where each line begins in `book`.
        order: int64 [lines]. The order in which lines are played.
        time: How often all lines were played before.
        begins: int64 [lines]. Index into `starts` of the position in which each line begins, -1 for the
            game's own start.
        starts: The positions in which lines begin.
        quiets: int64. The plies without a capture that each of these states.
        begun: The value in `begins` for the current round.
        results: int64 [CHUNK, COLUMNS]. A row for each match.
        trace: int64. The moves of matches, one match after the other.
        traced: The number of moves in `trace`.
        mark: See `arena.workers.watch`.
        endings: The endings by which matches are adjudicated, None if there is no adjudication.
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
        shared: Any = watch.mark  # shared memory if the worker is expendable
        self.mark = np.frombuffer(shared, np.int64) if watch.expendable else np.zeros(APART, np.int64)

    @compiled
    def play_matches(self, start: int, stop: int, keep: bool) -> int:
        """Play the matches from `start` to below `stop`, or until the trace is full.

        Args:
            start: The number of the first match.
            stop: The number after that of the last match.
            keep: Keep the moves of all matches, and measure times. Else only the moves of matches in which no
                agent drew a random number are kept.

        Returns:
            The number after that of the last match that was played or left out.
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
        """Fill `opening` with the book's line for a round, and return the number of its moves."""
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
        """Fill `order` as `arena.results.book_order.in_order` does."""
        rng = stream(self.streams, 0)
        rng.restart(self.opening_seed(time))
        for i in range(len(self.order)):
            self.order[i] = i
        for i in range(len(self.order) - 1, 0, -1):
            j = rng.below(i + 1)
            self.order[i], self.order[j] = self.order[j], self.order[i]

    def draw_opening(self, round: int) -> int:
        """Fill `opening` with random moves after which the match goes on, and return how many; -1 if none."""
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
        """Return the same seed as `arena.streams.Streams.openings`."""
        if self.scheme == 1:
            return derive(self.opening_key[0], OPENING, number)
        return keyed(self.opening_key[0], self.opening_key[1], number)[0]

    def derive_seeds(self, n: int) -> None:
        """Fill the first `n` columns of `seeds` with the seeds of `arena.streams.Streams.seats`.

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
        """Play one match and fill in its row of results, unless it must be played in plain Python."""
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
        """Return the value of a position for the side to move by the endings, 2 if it is none of them."""
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
