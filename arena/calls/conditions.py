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
    """The conditions that matches are played under; None stands for a default.

    Each call that plays takes them as one object, or one by one as keywords, which take precedence:
    `arena.match(a, b, conditions=Conditions(clock="60+0.6"))` is the same as
    `arena.match(a, b, clock="60+0.6")`.

    Attributes:
        openings: How matches begin. "none", the default, is the start of the game; "random:N" is N random
            plies; the path of a file is a book of lines or positions, and "FILE:N" the first N plies of each
            line. Each pairing has its own openings, which both seats share.
        shared_openings: Give all pairings the same opening in a round, so that differences between entries
            depend less on luck, but matches of different pairings are not independent.
        max_plies: Plies after which a match is a draw. Default: the game's own limit.
        adjudicate: Number of pieces up to which a match ends by the value in stored endings; True for all
            stored endings. See `docs/how-to/solve-endings.md`.
        move_seconds: Time limit for a move in seconds; a slower move loses the match. Default: 0, no limit.
        clock: Time for a match and increment for each move in seconds: "60+0.6". A player that runs out of
            time loses.
        equal_time: Time for a move in seconds. Entries with a budget, such as the nodes of alpha-beta, get
            one that takes this time, unless they state it.
        stall_seconds: Time limit in seconds, in addition to the clock, after which an agent that does not
            answer loses; 0 for no limit. Default: 60, or 10 if agents from files play.
        isolate: Entries that play in the sandbox: True for all, False for none, or a list; "strict" for all,
            with an error if the sandbox is incomplete. See `docs/explanation/isolation.md`. Default: those
            from files.
        withdraw_after: Number of crashes and stalls after which an entry is withdrawn and forfeits its other
            matches; 0 for never. Default: 3, or 1 stall of an agent from a file.
    """

    openings: str | Path | None = None
    shared_openings: bool | None = None
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
    shared_openings: bool | None
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
            raise ArenaError(f"{name} does not apply here; {call} takes {', '.join(takes)}; leave it out")
    return found
