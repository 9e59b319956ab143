"""What an agent says of its moves: a view of each, with the known positions that weighed in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from arena.errors import ArenaError
from arena.game import Move, State

if TYPE_CHECKING:
    from arena.agent import Agent

Facts = Mapping[str, float | None]  # by name; a bool is told as yes or no, None as nothing

TAKEN = ("move", "verdict", "reasons", "state")  # names that JSON has for something else


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
        return self.facts["score"]


def views(agent: Agent, state: State, moves: list[Move]) -> Sequence[View]:
    """What an agent thinks of each of its moves in a position, or nothing if it does not say.

    ArenaError if it says something of the kind that cannot be told. A match begins for the agent.
    """
    name = agent.name or type(agent).__name__
    agent.begin(agent.game.to_move(state))
    given = agent.explain(state, list(moves))
    if len(given) not in (0, len(moves)):
        raise ArenaError(f"{name} explains {len(given)} of {len(moves)} moves; give a View of each")
    for move, view in zip(moves, given, strict=False):
        if fault := what_is_wrong(agent, view):
            raise ArenaError(f"{name} explains {agent.game.move_text(move)} by {fault}")
    return given


def what_is_wrong(agent: Agent, view: View) -> str:
    """What a view has that cannot be told, with the remedy; nothing if it is sound."""
    if not isinstance(view, View):
        return f"{view!r}; give a View"
    if next(iter(view.facts), "") != "score":
        return f"facts {list(view.facts)}; begin with 'score'"
    for reason in view.reasons:
        if not isinstance(reason, Reason):
            return f"{reason!r}; give a Reason"
        if reason.facts.get("legal", True) and reason.move not in agent.game.moves(reason.state):
            return f"a reason with move {reason.move!r} in {reason.state!r}; give one that is legal there"
    for facts in (view.facts, *(reason.facts for reason in view.reasons)):
        for name, number in facts.items():
            if name in TAKEN:
                return f"a fact called {name!r}; call it otherwise"
            if number is not None and not isfinite(number):
                return f"{name} {number!r}; give a finite number, or None"
    return ""
