"""An agent for arena: `example`."""

from arena import Agent, hookimpl


@hookimpl
def register_agents(register):
    register("example", "arena_example:Example")


class Example(Agent):
    """Wins if it can win at once, or else moves at random."""

    def choose(self, state, moves, rng):
        for move in moves:
            if self.wins(state, move):
                return move
        return rng.choice(moves)

    def wins(self, state, move):
        after = self.game.play(state, move)
        if self.game.moves(after):
            return False
        result = self.game.value(after)  # for the player to move after it
        return result > 0 if self.game.to_move(after) == self.game.to_move(state) else result < 0
