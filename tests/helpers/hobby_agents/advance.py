"""Checkers, generator of bits, tactics in a loop."""

# ruff: noqa
# mypy: ignore-errors

from arena import Agent, option


def squares(bits):
    """The numbers of the set bits."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


class Advance(Agent):
    """Checkers: counts pieces and how far they are."""

    GAME = "checkers"
    man: float = option(1.0, "value of a man")
    king: float = option(1.6, "value of a king")

    def worth(self, state):
        own, other, kings = state[0], state[1], state[2]
        score = self.man * (bin(own & ~kings).count("1") - bin(other & ~kings).count("1"))
        score += self.king * (bin(own & kings).count("1") - bin(other & kings).count("1"))
        score += 0.01 * sum(s for s in squares(own)) - 0.01 * sum(31 - s for s in squares(other))
        return score

    def quiescence(self, state, depth):
        moves = list(self.game.moves(state))
        if not moves:
            return -100.0
        if len(moves) > 1 or depth == 0:
            return self.worth(state)
        return -self.quiescence(self.game.play(state, moves[0]), depth - 1)

    def choose(self, state, moves, rng):
        ranked = sorted(
            ((-self.quiescence(self.game.play(state, m), 6), i) for i, m in enumerate(moves)), reverse=True
        )
        best = ranked[0][0]
        return moves[rng.choice([i for value, i in ranked if value > best - 1e-9])]
