"""The conditions that matches are played under, common to all calls that play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypedDict

from arena.calls.entries import Entry, isolated_texts
from arena.errors import ArenaError, did_you_mean
from arena.plan.openings import in_text
from arena.registry.plugins import Registry


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Conditions that matches are played under. None stands for a default.

    Each call that plays takes them together, or one by one as keywords, which take precedence:
    `arena.match(a, b, conditions=Conditions(clock="60+0.6"))` is `arena.match(a, b, clock="60+0.6")`.

    Attributes:
        openings: What matches begin with. "none" is the game's own start, and the default. "random:N" is N
            random plies. The path of a file is a book of lines or positions, and "FILE:N" the first N plies
            of each line.
        max_plies: Plies after which a match is a draw. Default: what the game says.
        adjudicate: A match with up to so many pieces left ends as `arena.endings` has solved it; True: with
            as many as are solved. See `docs/how-to/solve-endings.md`.
        move_seconds: Seconds that a move may take; a slower one loses the match. 0, the default, is no limit.
        clock: "60+0.6" gives each player 60 seconds for a match and .6 more for each move. A player that runs
            out of time loses.
        equal_time: Seconds that a move of each entry with a budget, such as alpha-beta's nodes, is to take.
            The budgets are set so before the matches, but for entries that name theirs.
        stall_seconds: Seconds, besides those of the clock, after which an agent that does not answer loses.
            0 is no limit. Default: 60, or 10 where agents from files play.
        isolate: Whether all entries play in the sandbox, or a list of those that do, or "strict", see
            `docs/explanation/isolation.md`. Default: those from files.
        withdraw_after: Crashes and stalls after which an entry forfeits the matches it has left unplayed;
            0: never. Default: 3, and the first stall of an agent from a file.
    """

    openings: str | Path | None = None
    max_plies: int | None = None
    adjudicate: bool | int | None = None
    move_seconds: float | None = None
    clock: str | None = None
    equal_time: float | None = None
    stall_seconds: float | None = None
    isolate: bool | str | Sequence[Entry] | None = None
    withdraw_after: int | None = None

    def stated(self, known: Registry) -> dict[str, Any]:
        """Return the conditions that are not None by name, in the form of a tournament's settings."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        found |= {"openings": in_text(self.openings), "isolate": isolated_texts(self.isolate, known)}
        return {name: value for name, value in found.items() if value is not None}


class ConditionKeywords(TypedDict, total=False):
    """The fields of `Conditions` as keyword arguments."""

    openings: str | Path | None
    max_plies: int | None
    adjudicate: bool | int | None
    move_seconds: float | None
    clock: str | None
    equal_time: float | None
    stall_seconds: float | None
    isolate: bool | str | Sequence[Entry] | None
    withdraw_after: int | None


NAMES = tuple(field.name for field in fields(Conditions))


def conditions_of(
    call: str, together: Conditions | None, keywords: ConditionKeywords, takes: Sequence[str] = NAMES
) -> Conditions:
    """Return the conditions of a call.

    Args:
        call: Name of the call, for errors.
        together: Conditions given as one object, if any.
        keywords: Conditions given as keywords, which take precedence.
        takes: Names of the conditions that the call uses.

    Raises:
        TypeError: If there is no such keyword.
        ArenaError: If the call does not use a condition.
    """
    for name in keywords:
        if name not in NAMES:
            meant = did_you_mean(name, NAMES)
            raise TypeError(f"{call}() got an unexpected keyword argument {name!r}{meant}")
    given: dict[str, Any] = {name: value for name, value in keywords.items() if value is not None}
    found = replace(together or Conditions(), **given)
    for name in NAMES:
        if name not in takes and getattr(found, name) is not None:
            raise ArenaError(f"{name} means nothing here; {call} takes {', '.join(takes)}; leave it out")
    return found
