"""An agent plugin: `corners`, for any game with a grid of cells."""

from arena import Agent, hookimpl, option


@hookimpl
def register_agents(register):
    register("corners", "arena_corners:Corners")


class Corners(Agent):
    """Plays a winning move if there is one, else as near to a corner of the board as it can."""

    needs = ("grid",)
    middle: bool = option(False, "play near the middle instead")

    def prepare(self):
        right, low = (max(places) for places in zip(*self.game.cells, strict=True))
        self.out = [abs(2 * x - right) + abs(2 * y - low) for x, y in self.game.cells]

    def choose(self, state, moves, rng):
        out = {move: self.out[self.game.anchor(state, move)] for move in moves}
        best = (min if self.middle else max)(out.values())
        liked = [move for move in moves if out[move] == best]
        return rng.choice([move for move in moves if self.wins(state, move)] or liked)

    def wins(self, state, move):
        game, after = self.game, self.game.play(state, move)
        won = 1 if game.to_move(after) == game.to_move(state) else -1
        return not game.moves(after) and game.value(after) == won
