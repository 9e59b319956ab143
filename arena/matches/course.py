"""The state of a match that is played simultaneously with others: position, seat to move, and record."""

from __future__ import annotations

from typing import Any

from arena.api.game import Game, Move
from arena.api.limits import Draws, Limits
from arena.api.rulings import legal_moves, notations, outcome, played, player_to_move, start_of
from arena.matches.match import adjudicated, bounded
from arena.plan.opening_book import Opening
from arena.results.record import Record, Used


class Course:
    """A match without faults so far, which is played like those of `arena.matches.match.play_match`.

    Args:
        game: The game.
        fixture: The number and round of the match, and the entries in the first and second seat.
        seeds: The seeds of both players' random numbers.
        opening: The opening.
        limits: The limits of the match; there is no clock.
        endings: Endings by which the match is adjudicated, None for no adjudication.

    Attributes:
        seat: The seat to move.
        legal: The legal moves.
        is_over: Whether it has ended.
    """

    def __init__(
        self,
        game: Game,
        fixture: tuple[int, int, int, int],
        seeds: tuple[int, int],
        opening: Opening,
        limits: Limits,
        endings: Any,
    ) -> None:
        self.game, self.fixture, self.opening, self.endings = game, fixture, opening, endings
        self.streams = [[seed, 0] for seed in seeds]
        self.microseconds = [0, 0]
        self.usage: list[Used] = []
        self.history: list[Move] = []
        self.seat, self.result, self.reason, self.is_over = -1, 0, "rules", False
        self.state = start_of(game, opening.start)
        self.draws = Draws(game, self.state, limits, opening.start)
        for move in opening.moves:
            self.seat = player_to_move(game, self.state, self.seat)
            self.play(move)
        self.look()

    def play(self, move: Move) -> None:
        """Play a move."""
        before, self.state = self.state, played(self.game, self.state, move)
        self.draws.add_move(before, move, self.state)
        self.history.append(move)

    def look(self) -> None:
        """Determine whether the match is over, and otherwise whose turn it is."""
        self.legal = legal_moves(self.game, self.state)
        self.is_over = True
        if not self.legal:
            self.result = outcome(self.game, self.state, self.seat)
        elif reason := self.draws.reason(self.state, len(self.history)):
            self.reason = reason
        else:
            self.seat = player_to_move(self.game, self.state, self.seat)
            if self.endings is not None and (end := adjudicated(self.endings, self.state, self.seat)):
                self.result, self.reason = end
            else:
                self.is_over = False

    def take(self, answer: list[int], used: Any) -> bool:
        """Play the move that an agent has chosen; return False if the answer is invalid.

        Args:
            answer: The index of the move, the two words of the random numbers, and microseconds.
            used: The usage of the move that the agent reports.
        """
        index, word, drawn, microseconds = answer
        if not 0 <= index < len(self.legal) or drawn < 0 or microseconds < 0:
            return False
        seat = self.seat
        if type(used) is dict and (amounts := bounded(used)):
            self.usage.append(Used(len(self.history) + 1, seat, amounts))
        self.streams[seat] = [word, drawn]
        self.microseconds[seat] += microseconds
        self.play(self.legal[index])
        self.look()
        return True

    def record(self, untrusted: frozenset[int]) -> Record:
        """Return the record of a match that is over.

        Args:
            untrusted: Entries whose random draws do not count as chance in the match.
        """
        drawn = zip(self.streams, self.fixture[2:], strict=True)
        chance = int(any(stream[1] > 0 for stream, entry in drawn if entry not in untrusted))
        first, second = (microseconds / 1e6 for microseconds in self.microseconds)
        return Record(
            *self.fixture, self.result, self.reason, None, len(self.history), len(self.opening.moves),
            notations(self.game, self.history), chance, first, second, self.opening.start, None,
            tuple(self.usage),
        )  # fmt: skip
