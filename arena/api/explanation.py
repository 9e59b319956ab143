"""Explanations of moves: an agent's view of each move, and the known positions that support the view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.api.game import Move, State

Facts = Mapping[str, float | None]  # values by name; a bool is shown as yes or no, None as empty text

RESERVED = ("move", "verdict", "reasons", "state")  # names with another meaning in the JSON output


@dataclass(frozen=True)
class Reason:
    """A known position and a move made in it, as evidence for or against another move.

    Attributes:
        state: The position.
        move: The move that was made.
        facts: Numbers by name, such as the value of the move and its weight. `legal` is False if the move is
            illegal in this game, but was made by another program with different rules.
    """

    state: State
    move: Move
    facts: Facts


@dataclass(frozen=True)
class View:
    """An agent's view of one move.

    Attributes:
        facts: Numbers by name. The first, `score`, is the number by which the agent compares moves, in any
            unit; greater is better for the player to move, and None means that the move was not examined, or
            not deeply enough. Other facts may follow, such as the depth of the search.
        verdict: The meaning of the score, if it is more than a number, such as `won in 3 plies`.
        reasons: The most important reasons, most important first; ten are enough.
    """

    facts: Facts
    verdict: str = ""
    reasons: Sequence[Reason] = ()

    @property
    def score(self) -> float | None:
        """The fact `score`: greater is better for the player to move. None if the move was not examined."""
        return self.facts["score"]
