"""A check that an agent's moves agree with the scores in its explanations."""

from __future__ import annotations

from arena.api.agent import Agent
from arena.api.answers import views
from arena.api.rulings import place_of, shown
from arena.rng import Rng
from arena.testing.matches import Asked
from arena.testing.promise import Place, at


def check_views(agent: Agent, asked: Asked) -> bool:
    """Check an agent's explanations in some positions, and return whether there are any.

    An explanation must be the same when repeated, and the chosen move must have the best score unless it is
    random.

    Raises:
        Fault: If one of these conditions is violated.
    """
    game, says = agent.game, False
    for state, line, _ in (answered for match in asked for answered in match):
        moves, rng = game.moves(state), Rng()
        with at(Place(state, line)):
            given = views(agent, state, moves)
            assert views(agent, state, moves) == given, "explains its moves differently when called again"
            if not given:
                continue
            says = True
            agent.begin(game.to_move(state))
            move = agent.choose(state, list(moves), rng)
            score = given[place_of(moves, move)].score
            known = [view.score for view in given if view.score is not None]
            if not rng.stream[1] and known:  # otherwise the move was random
                assert score == max(known), (
                    f"plays {shown(game, move)}, scored {score!r}, but the best score is {max(known)!r}"
                )
    return says
