"""What every game gets from `Game`."""

from __future__ import annotations

import pytest

from arena import ArenaError, Game


def test_a_plain_games_positions_are_read_from_its_moves():
    class Walk(Game):
        """Three steps, left or right."""

        name = "walk"

        def initial(self):
            return ("", 0)

        def moves(self, state):
            return ["l", "r"] if len(state[0]) < 3 else []

        def play(self, state, move):
            return (state[0] + move, 1 - state[1])

    assert Walk().read_position("l r") == ("lr", 0)
    assert Walk().read_position("") == ("", 0)
    with pytest.raises(ArenaError, match="walk has no move 'x' here"):
        Walk().read_position("l x")
