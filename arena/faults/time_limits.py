"""Time limits: what a move may take, and what all moves of a match may."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from arena.errors import ArenaError

LONGEST = 10**6  # seconds
PREPARING = 120.0  # seconds that getting compiled code ready may take, compiling not counted


def preparing(stall_seconds: float) -> float:
    """Seconds that a game may take to be made and to get its code ready, where it has so many for a turn."""
    return stall_seconds and max(stall_seconds, PREPARING)


class Clock(NamedTuple):
    """Seconds that each player has for a match, and that each of its moves adds. A base of 0: no clock."""

    base: float = 0.0
    increment: float = 0.0

    def __str__(self) -> str:
        return f"{self.base!r}+{self.increment!r}" if self.increment else repr(self.base)

    @classmethod
    def read(cls, value: Any) -> Clock:
        """Of `60+0.6`, or `60` alone, or a number of seconds; ArenaError if it is none."""
        found = re.fullmatch(r"(\d*\.?\d+(?:e-?\d+)?)(?:\+(\d*\.?\d+(?:e-?\d+)?))?", str(value).strip())
        clock = cls(*(float(seconds or 0) for seconds in found.groups())) if found else cls()
        if not 0 < clock.base <= LONGEST or clock.increment > LONGEST:
            raise ArenaError(
                f"clock is {value!r}, and takes seconds for a match and for each move: 60+0.6, or 60"
            )
        return clock


class Limits(NamedTuple):
    """plies that make a draw; seconds a move may take; seconds after which an agent is stopped. 0 = none.

    pieces: up to how many a match is adjudicated by the endings of its game, 0 = never.
    """

    plies: int
    move_seconds: float
    stall_seconds: float
    clock: Clock = Clock()
    pieces: int = 0

    @property
    def timed(self) -> bool:
        """Whether who moves too late loses."""
        return self.move_seconds > 0 or self.clock.base > 0


UNLIMITED = Limits(0, 0.0, 0.0)


class Clocks:
    """Both players' time in a match. left: seconds, by seat, of which a clock's increments are a part."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = [limits.clock.base, limits.clock.base]

    def show(self, agent: Any, seat: int) -> None:
        """Let an agent that is to move know what it has."""
        if self.limits.clock.base:
            agent.clock_seconds = self.left[seat]
            agent.opponent_seconds = self.left[1 - seat]

    def overrun(self, seat: int, seconds: float) -> str | None:
        """A move took so long: how that is too long, if it is."""
        if 0 < self.limits.move_seconds < seconds:
            return f"took over {self.limits.move_seconds:g} s"
        if self.limits.clock.base:
            self.left[seat] -= seconds
            if self.left[seat] < 0:
                return f"ran out of its clock of {self.limits.clock} s"
            self.left[seat] += self.limits.clock.increment
        return None


def tell_limits(agent: object, limits: Limits) -> None:
    """Let an agent know what its moves may take, before it is compiled."""
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
