"""A game for arena: `example`."""

from arena import Game, hookimpl, option


@hookimpl
def register_games(register):
    register("example", "arena_example:Example")


class Example(Game):
    """A heap of coins; take one, two or three. Whoever takes the last one wins."""

    coins: int = option(21, "how many there are at the start", low=1, high=1000)
    alternating = True
    max_plies = 1000

    def initial(self):
        return (self.coins, 0)  # the number of coins left, and the player to move

    def moves(self, state):
        return [taken for taken in (1, 2, 3) if taken <= state[0]]

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1  # lost, since the other player took the last coin

    def board_text(self, state):
        return "o" * state[0] or "no coins"
