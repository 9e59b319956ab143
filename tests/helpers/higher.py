"""A game whose winner is who names the higher number."""

from arena import Game


class Higher(Game):
    """Each names a number below 30, one after the other; the higher wins."""

    def initial(self):
        return ()

    def moves(self, state):
        return list(range(30)) if len(state) < 2 else []

    def play(self, state, move):
        return (*state, move)

    def to_move(self, state):
        return len(state) % 2

    def value(self, state):
        return (state[0] > state[1]) - (state[0] < state[1])
