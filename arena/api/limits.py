"""The limits of a match: time, length, and draws by repetition or without captures."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from arena.api.component import Component
from arena.api.game import Game, Move, State
from arena.errors import ArenaError

LONGEST = 10**6  # seconds
PREPARING = 120.0  # maximum seconds for loading compiled code, not counting compilation


def preparing(stall_seconds: float) -> float:
    """Return the time limit for creating a game and loading its code, given that for a turn; 0 for none."""
    return stall_seconds and max(stall_seconds, PREPARING)


class Clock(NamedTuple):
    """A chess clock. A base of 0 means no clock.

    Attributes:
        base: Seconds that each player has for a match.
        increment: Seconds added after each move.
    """

    base: float = 0.0
    increment: float = 0.0

    def __str__(self) -> str:
        return f"{self.base!r}+{self.increment!r}" if self.increment else repr(self.base)

    @classmethod
    def read(cls, value: Any) -> Clock:
        """Parse `60+0.6`, `60` or a number of seconds; raise ArenaError if it is not a clock."""
        found = re.fullmatch(r"(\d*\.?\d+(?:e-?\d+)?)(?:\+(\d*\.?\d+(?:e-?\d+)?))?", str(value).strip())
        clock = cls(*(float(seconds or 0) for seconds in found.groups())) if found else cls()
        if not 0 < clock.base <= LONGEST or clock.increment > LONGEST:
            raise ArenaError(
                f"clock is {value!r}; use seconds per match, optionally plus seconds per move: 60, or 60+0.6"
            )
        return clock


class Limits(NamedTuple):
    """Limits of a match; 0 means no limit.

    Attributes:
        plies: Number of plies after which the match is a draw.
        move_seconds: Time limit of a move.
        stall_seconds: Time after which an agent that does not answer is stopped.
        clock: The players' clock.
        pieces: Matches are adjudicated by the endgame database in positions with up to this many pieces.
    """

    plies: int
    move_seconds: float
    stall_seconds: float
    clock: Clock = Clock()
    pieces: int = 0

    @property
    def timed(self) -> bool:
        """Whether there is a time limit for moves: per move, or a clock for the match."""
        return self.move_seconds > 0 or self.clock.base > 0


UNLIMITED = Limits(0, 0.0, 0.0)


class Clocks:
    """The remaining time of both players in a match.

    Attributes:
        limits: Limits of the match.
        left: Seconds left on the clock, by seat.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = [limits.clock.base, limits.clock.base]

    def show(self, agent: Any, seat: int) -> None:
        """Set the attributes for the remaining time of the agent that is about to move."""
        if self.limits.clock.base:
            agent.clock_seconds = self.left[seat]
            agent.opponent_seconds = self.left[1 - seat]

    def overrun(self, seat: int, seconds: float) -> str | None:
        """Subtract a move's time from the clock; return how it exceeded a limit, or None."""
        if 0 < self.limits.move_seconds < seconds:
            return f"took over {self.limits.move_seconds:g} s"
        if self.limits.clock.base:
            self.left[seat] -= seconds
            if self.left[seat] < 0:
                return f"ran out of its clock of {self.limits.clock} s"
            self.left[seat] += self.limits.clock.increment
        return None


def tell_limits(agent: object, limits: Limits) -> None:
    """Set the time limits as attributes of an agent, before it is compiled."""
    clock = limits.clock
    told = {"move_seconds": limits.move_seconds}
    if clock.base:
        told |= {
            "clock_seconds": clock.base,
            "opponent_seconds": clock.base,
            "clock_increment": clock.increment,
        }
    for name, seconds in told.items():
        if getattr(agent, name, 0.0) != seconds:
            setattr(agent, name, seconds)


DRAWN = ("repetition", "no capture", "max plies")  # reasons for draws, as recorded
REPETITION, NO_CAPTURE, MAX_PLIES = 1, 2, 3  # numbers of these reasons in compiled code; 0 for no draw


def history_rule(game: Game) -> str:
    """Return the rule by which earlier positions cause draws, such as `repetition`; "" if there is none."""
    if game.repetition:
        return "repetition"
    return f"{game.quiet_plies} plies without a capture" if game.quiet_plies else ""


class Draws:
    """Detect draws that are not decided by a game's own rules: by repetition, without captures, by length.

    Args:
        game: The game.
        state: The position in which the match began.
        limits: The limits. Only `plies` is used; 0 means no maximum.
        start: The text of `state`, which may include the number of plies without a capture. None for the
            game's own start.
    """

    def __init__(self, game: Game, state: State, limits: Limits, start: str | None = None) -> None:
        self.game, self.plies = game, limits.plies
        self.watching = bool(history_rule(game))
        self.times = {state: 1}  # how often each position occurred since the last irreversible move
        self.quiet = 0 if start is None else game.quiet_in(start)  # plies since the last capture

    def add_move(self, before: State, move: Move, after: State) -> None:
        """Record a move that was played."""
        if self.watching:
            irreversible = self.game.irreversible(before, move)
            if irreversible:
                self.times.clear()
            self.quiet = 0 if irreversible == 2 else self.quiet + 1
            self.times[after] = self.times.get(after, 0) + 1

    def reason(self, state: State, plies: int) -> str | None:
        """Return why the match is drawn now, or None if it is not."""
        if self.watching:
            if self.times[state] == self.game.repetition:
                return "repetition"
            if self.quiet >= self.game.quiet_plies > 0:
                return "no capture"
        return "max plies" if self.plies and plies >= self.plies else None


class CompiledDraws(Component):
    """Detect the same draws as `Draws`, in compiled matches.

    Attributes:
        past: Positions since the last irreversible move.
        kept: The number of positions in `past`.
        quiet: Plies since the last capture.
    """

    def __init__(self, game: Game, max_plies: int, longest: int) -> None:
        from arena.api.table import States  # imports numpy

        self.game, self.max_plies = game, max_plies
        self.past = States(game, longest + 1)
        self.kept = self.quiet = 0

    def begin(self, state: State, quiet: int) -> None:
        """Begin a match in a position.

        Args:
            state: The position.
            quiet: The number of plies without a capture before it, from its text.
        """
        if self.game.repetition or self.game.quiet_plies:
            self.past[0] = state
            self.kept, self.quiet = 1, quiet

    def add_move(self, before: State, move: Move, after: State) -> None:
        """Record a move that was played."""
        if self.game.repetition or self.game.quiet_plies:
            irreversible = self.game.irreversible(before, move)
            if irreversible:
                self.kept = 0
            self.quiet = 0 if irreversible == 2 else self.quiet + 1
            self.past[self.kept] = after
            self.kept += 1

    def reason(self, state: State, plies: int) -> int:
        """Return the number of the reason why the match is drawn now, 0 if it is not."""
        if self.game.repetition and self.times_seen(state) == self.game.repetition:
            return REPETITION
        if self.game.quiet_plies and self.quiet >= self.game.quiet_plies:
            return NO_CAPTURE
        return MAX_PLIES if plies >= self.max_plies else 0

    def times_seen(self, state: State) -> int:
        """Return how many of the positions in `past` equal this one."""
        return sum(self.past.holds(i, state) for i in range(self.kept))
