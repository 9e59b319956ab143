"""Check what agents report about their moves: probabilities and views."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.api.agent import Agent
from arena.api.explanation import RESERVED, Reason, View
from arena.api.game import Move, State
from arena.api.rulings import given_move
from arena.errors import ArenaError

TOLERANCE = 1e-9  # maximum difference of a sum of probabilities from 1


class Unsaid(ArenaError):
    """An agent does not report the probabilities of its moves."""


def probabilities(agent: Agent, state: State, moves: list[Move]) -> list[float]:
    """Return the probability of each of an agent's moves in one position, in their order. They sum to 1.

    This begins a match for the agent. If a subclass overrides `choose` but not `distribution`, the
    probabilities are those of the new `choose`, as determined by `Agent.distribution`. Raises Unsaid if the
    agent does not report them, ValueError if the numbers are not probabilities.
    """
    if type(agent).begin is not Agent.begin:  # which does nothing
        agent.begin(agent.game.to_move(state))
    said_by = type(agent) if says_how_it_chooses(type(agent)) else Agent
    stated = said_by.distribution(agent, state, list(moves))
    name = agent.name or type(agent).__name__
    if stated is None:
        raise Unsaid(f"{name} does not report the probabilities of its moves")
    if len(stated) != len(moves):
        raise ValueError(f"distribution returns {len(stated)} probabilities for {len(moves)} moves")
    if not all(p >= 0 for p in stated) or not math.isclose(math.fsum(stated), 1, abs_tol=TOLERANCE):
        raise ValueError(f"distribution returns {list(stated)!r}, not probabilities that sum to 1")
    return [float(p) for p in stated]  # a list, as adding numpy arrays is elementwise


def says_how_it_chooses(cls: type[Agent]) -> bool:
    """Return whether `choose` is not overridden below the class that defines `distribution`."""
    chooses, says = (
        next(i for i, base in enumerate(cls.__mro__) if name in vars(base))
        for name in ("choose", "distribution")
    )
    return says <= chooses


def views(agent: Agent, state: State, moves: list[Move]) -> Sequence[View]:
    """Return an agent's views of its moves in a position, in their order; empty if it has none.

    This begins a match for the agent. Raises ArenaError if a view cannot be shown; the message says what to
    return instead.
    """
    name = agent.name or type(agent).__name__
    agent.begin(agent.game.to_move(state))
    explained = agent.explain(state, list(moves))
    if len(explained) not in (0, len(moves)):
        raise ArenaError(f"{name} explains {len(explained)} of {len(moves)} moves; return a View for each")
    for move, view in zip(moves, explained, strict=False):
        if fault := fault_of(agent, view):
            raise ArenaError(f"{name} explains {agent.game.move_text(move)} by {fault}")
    return explained


def fault_of(agent: Agent, view: View) -> str:
    """Return what is wrong with a view and how to fix it; empty if the view can be shown."""
    if not isinstance(view, View):
        return f"{view!r}; return a View"
    if next(iter(view.facts), "") != "score":
        return f"facts {list(view.facts)}; begin with 'score'"
    for reason in view.reasons:
        if not isinstance(reason, Reason):
            return f"{reason!r}; return a Reason"
        if reason.facts.get("legal", True) and reason.move not in agent.game.moves(reason.state):
            move, where = given_move(agent.game, reason.move), agent.game.position_text(reason.state)
            return f"a reason with move {move} in {where}; it must be legal there"
    for facts in (view.facts, *(reason.facts for reason in view.reasons)):
        for name, number in facts.items():
            if name in RESERVED:
                return f"a fact called {name!r}; call it otherwise"
            if number is not None and not math.isfinite(number):
                return f"{name} {number!r}; return a finite number, or None"
    return ""
