"""What a page shows of a game: its leaderboard, and what stands behind that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.api.game import Game
from arena.ratings.leaderboard import Leaderboard
from arena.results.cost import Cost
from arena.results.tally import Counts
from arena.show.curve import Plot


@dataclass(frozen=True)
class Played:
    """A match that can be stepped through. first, second: as the leaderboard calls them. See `Record`."""

    tournament: int
    number: int
    first: str
    second: str
    result: int
    reason: str
    detail: str | None
    opening: int
    moves: str
    start: str | None = None


@dataclass(frozen=True)
class Event:
    """A leaderboard and what stands behind it.

    legend: what its columns mean. game: None where it is not installed as it was played. pairings: by first
    and second entry; where results are exact, what so many matches come to on average. matches: those that
    can be stepped through, a sample where there are many; of: how many there are. forfeits: as lines of a
    table: entry, how often, for which reason, what was said of the first. costs and options: by entry.
    tournaments: those whose results count, as `arena tournaments list --json` tells them. modules: entries
    that the page plays, as WebAssembly; plain: of others, why it does not. curves: of learners.
    """

    board: Leaderboard
    legend: list[str] = field(default_factory=list)
    game: Game | None = None
    pairings: Mapping[tuple[str, str], Counts] = field(default_factory=dict)
    matches: Sequence[Played] = ()
    of: float = 0
    forfeits: Sequence[tuple[str, int, str, str]] = ()
    costs: Mapping[str, Cost] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tournaments: Sequence[Mapping[str, Any]] = ()
    modules: Mapping[str, bytes] = field(default_factory=dict)
    plain: Mapping[str, str] = field(default_factory=dict)
    curves: Mapping[str, Sequence[Plot]] = field(default_factory=dict)
