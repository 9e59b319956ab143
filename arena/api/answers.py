"""What agents say of their moves, asked for and looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.api.agent import Agent
from arena.api.explanation import TAKEN, Reason, View
from arena.api.game import Move, State
from arena.errors import ArenaError

EXACT = 1e-9  # by how much a sum of chances may differ from 1


class Unsaid(ArenaError):
    """An agent does not say with which chances it moves."""


def chances(agent: Agent, state: State, moves: list[Move]) -> Sequence[float]:
    """The chances of its moves in one position. A match begins for the agent.

    Unsaid if it does not say; ValueError if it says what cannot be chances.
    """
    if type(agent).begin is not Agent.begin:  # which does nothing
        agent.begin(agent.game.to_move(state))
    given = agent.distribution(state, list(moves))
    name = agent.name or type(agent).__name__
    if given is None:
        raise Unsaid(f"{name} does not say with which chances it moves")
    if len(given) != len(moves):
        raise ValueError(f"distribution gives {len(given)} chances for {len(moves)} moves")
    if not all(chance >= 0 for chance in given) or not math.isclose(math.fsum(given), 1, abs_tol=EXACT):
        raise ValueError(f"distribution gives {list(given)!r}, no chances that sum to 1")
    return [float(chance) for chance in given]  # numpy's array would add itself to a list


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
            if number is not None and not math.isfinite(number):
                return f"{name} {number!r}; give a finite number, or None"
    return ""
