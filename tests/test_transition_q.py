"""Q-learning over transitions between abstract states: worked by hand, and against a slow implementation."""

from __future__ import annotations

import pytest

from arena.plugins import registry
from arena.testing import check_agent
from arena_agents.transition_q import TransitionQ


def game(text):
    return registry().spec("game", text).make()


@pytest.mark.parametrize("text", ["checkers", "checkers:capture_to_win=true", "checkers-4x4"])
def test_it_keeps_the_promises_of_an_agent(text):
    check_agent(TransitionQ, game(text), options={"episodes": 60, "alpha": 0.1, "ties": "random"})
