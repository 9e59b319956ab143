"""Rock, paper and scissors in turn, and entries that always show the same hand."""

from __future__ import annotations

from arena import Agent, Game

NAMES = ("rock", "paper", "scissors")


class Hands(Game):
    """Both show a hand, one after the other; paper beats rock, scissors beat paper, rock beats scissors."""

    sides = ("first", "second")

    def initial(self):
        return ()

    def moves(self, state):
        return [] if len(state) == 2 else [0, 1, 2]

    def play(self, state, move):
        return (*state, move)

    def to_move(self, state):
        return len(state) % 2

    def value(self, state):
        return (0, 1, -1)[(state[0] - state[1]) % 3]

    def move_text(self, move):
        return NAMES[move]

    def board_text(self, state):
        return " ".join(NAMES[move] for move in state)


class ShowsRock(Agent):
    """Draws a random number, so that equal matches are no copies."""

    hand = 0

    def choose(self, state, moves, rng):
        rng.below(2)
        return self.hand


class ShowsPaper(ShowsRock):
    hand = 1


class ShowsScissors(ShowsRock):
    hand = 2
