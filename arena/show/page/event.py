"""The content of a section of a page: a leaderboard and its details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from arena.analysis.match_marks import Marks
from arena.api.game import Game
from arena.ratings.leaderboard import Leaderboard
from arena.results.cost import Cost
from arena.results.tally import Counts
from arena.show.curve import Plot
from arena.show.presentation import Part

if TYPE_CHECKING:
    from arena.wasm.module import Module


@dataclass(frozen=True)
class Played:
    """A match that can be replayed on the page; attributes not described here are as in `Record`.

    Attributes:
        first: First player, as named in the leaderboard.
        second: Second player, as named in the leaderboard.
    """

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
class Advice:
    """The coach's findings about an entry.

    Attributes:
        sentences: Findings and advice, most important first.
        parts: The full report, including the sentences.
    """

    sentences: Sequence[str]
    parts: Sequence[Part]


@dataclass(frozen=True)
class Event:
    """A leaderboard and its details.

    Attributes:
        board: The leaderboard.
        legend: Explanations of the leaderboard's columns.
        game: The game; None if the version that was played is not installed.
        pairings: Results by first and second entry; the expected ones if results are exact.
        matches: Matches that can be replayed, a sample if there are many.
        of: Number of all matches.
        forfeits: Entry, number of forfeits, reason and first detail, for each entry and reason.
        costs: Time spent on moves and training, by entry.
        options: Option values, by entry.
        tournaments: Tournaments whose results count, as in `arena tournaments list --json`.
        modules: The entries that the page can play, compiled, by entry.
        plain: Reasons why the page cannot play other entries, by entry.
        curves: Learning curves, by entry.
        marks: Judged moves of matches, by tournament and number.
        advice: The coach's findings about the requested entries, by entry.
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
    modules: Mapping[str, Module] = field(default_factory=dict)
    plain: Mapping[str, str] = field(default_factory=dict)
    curves: Mapping[str, Sequence[Plot]] = field(default_factory=dict)
    marks: Mapping[tuple[int, int], Marks] = field(default_factory=dict)
    advice: Mapping[str, Advice] = field(default_factory=dict)
