"""Random policy with weights, memory of the match, mixed."""

# ruff: noqa
# mypy: ignore-errors

from arena import Agent, option


class Moody(Agent):
    """Prefers corners and the middle, and remembers what it played in the match."""

    corner: int = option(3, "weight of a corner")

    def prepare(self):
        self.weights = {cell: 1 for cell in range(9)}
        for cell in (0, 2, 6, 8):
            self.weights[cell] = self.corner
        self.weights[4] = 5
        self.played = []
        self.mood = 0.0

    def begin(self, seat):
        self.seat = seat
        self.played = []
        self.mood = 0.0

    def choose(self, state, moves, rng):
        total = sum(self.weights[m] for m in moves)
        pick = rng.random() * total
        chosen = moves[-1]
        for m in moves:
            pick -= self.weights[m]
            if pick < 0:
                chosen = m
                break
        self.played.append(chosen)
        self.mood = 0.9 * self.mood + len(self.played) / 10
        if self.mood > 0.5 and rng.random() < 0.3:
            rng.shuffle(moves)
            chosen = moves[0]
        return chosen
