"""What an agent says of its moves: a view of each, with the known positions that weighed in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.api.game import Move, State

Facts = Mapping[str, float | None]  # by name; a bool is shown as yes or no, None as nothing

RESERVED = ("move", "verdict", "reasons", "state")  # names that JSON has for something else


@dataclass(frozen=True)
class Reason:
    """A position that an agent knows, and a move made there, which weighed for or against another move.

    facts: numbers such as what that move was worth, and its weight. `legal` is False if the move is none by
    the rules, but was made by another program that goes by others.
    """

    state: State
    move: Move
    facts: Facts


@dataclass(frozen=True)
class View:
    """What an agent thinks of one move.

    facts: numbers, first the `score` by which it compares moves, in a unit of its own: the greater the better
    for the player to move, None if it did not look at the move, or not closely enough. Then others as it has
    them, such as the depth of its search.
    verdict: what the score says in words, where these say more: `won in 3 plies`.
    reasons: those that weighed most, the heaviest first; ten will do.
    """

    facts: Facts
    verdict: str = ""
    reasons: Sequence[Reason] = ()

    @property
    def score(self) -> float | None:
        """The fact `score`: the greater the better for the player to move; None if it did not look."""
        return self.facts["score"]
