"""Explanations of moves: an agent's view of each, with the known positions that it is based on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.api.game import Move, State

Facts = Mapping[str, float | None]  # by name; a bool is shown as yes or no, None as nothing

RESERVED = ("move", "verdict", "reasons", "state")  # names that JSON has for something else


@dataclass(frozen=True)
class Reason:
    """A known position, and a move made there, that counted for or against another move.

    Attributes:
        state: The position.
        move: The move that was made.
        facts: Numbers by name, such as what the move was worth, and its weight. `legal` is False if the move
            is illegal, but was made by another program with other rules.
    """

    state: State
    move: Move
    facts: Facts


@dataclass(frozen=True)
class View:
    """An agent's view of one move.

    Attributes:
        facts: Numbers by name. `score`, the first, is the number by which the agent compares moves, in any
            unit; greater is better for the player to move. None: the move was not examined, or not closely
            enough. Others may follow, such as the depth of the search.
        verdict: What the score means, if it means more than a number, such as `won in 3 plies`.
        reasons: The reasons that counted most, most important first; ten are enough.
    """

    facts: Facts
    verdict: str = ""
    reasons: Sequence[Reason] = ()

    @property
    def score(self) -> float | None:
        """The fact `score`: greater is better for the player to move. None if not examined."""
        return self.facts["score"]
