"""An attack found in a trial: an agent that predicts its opponent's random numbers from its own stream.

It inverts `arena.rng.mix`, by which scheme 1 derives the streams of both seats from one seed. Under that
scheme it scores 100 % against `random` from both seats.
"""

from __future__ import annotations

from arena import Agent, Rng
from arena.rng import GOLDEN, MASK, mix

FIRST, SECOND = pow(0xBF58476D1CE4E5B9, -1, 1 << 64), pow(0x94D049BB133111EB, -1, 1 << 64)


def unshifted(word: int, by: int) -> int:
    """Undo `x ^ (x >> by)`."""
    found = word
    for _ in range(64 // by + 1):
        found = word ^ (found >> by)
    return found


def unmixed(word: int) -> list[int]:
    """The two 64-bit words that `mix` hashes to one."""
    found = []
    for bit in (0, 1):
        z = unshifted(word << 1 | bit, 31) * SECOND & MASK
        z = unshifted(z, 27) * FIRST & MASK
        found.append((unshifted(z, 30) - GOLDEN) & MASK)
    return found


def seeds_of_opponent(own: int, seat: int) -> list[int]:
    """The seeds that the opponent's stream may have under scheme 1, by the seed of one's own."""
    found = {
        mix(mix(b ^ seat ^ (1 - seat)))
        for a in unmixed(own)
        if a < 1 << 63
        for b in unmixed(a)
        if b ^ seat < 1 << 63
    }
    return sorted(found)


class Oracle(Agent):
    """Plays for the win against what `random` is about to draw, if its guess at the seed is right."""

    def begin(self, seat):
        self.seat, self.guesses, self.drawn, self.left = seat, None, 0, None

    def guess(self, rng):
        return seeds_of_opponent(rng.stream[0], self.seat) or [0]

    def choose(self, state, moves, rng):
        if self.guesses is None:
            self.guesses = self.guess(rng)
            if self.seat:
                self.left = self.game.initial()
        if self.left is not None:
            self.keep_likely(state)
            self.drawn += 1
        move = self.best(state, self.drawn, 6)[1]
        self.left = self.game.play(state, move)
        return move

    def keep_likely(self, state):
        """Keep the guesses that explain the opponent's last move."""
        moves = self.game.moves(self.left)
        found = [
            seed
            for seed in self.guesses
            if self.game.play(self.left, self.draw(seed, self.drawn, moves)) == state
        ]
        self.guesses = found or self.guesses

    def draw(self, seed, drawn, moves):
        rng = Rng(seed)
        rng.stream[1] = drawn
        return rng.choice(moves)

    def best(self, state, drawn, depth):
        """The value of a position and the best move, against an opponent that draws as guessed."""
        found = -9, None
        for move in self.game.moves(state):
            after = self.game.play(state, move)
            replies = self.game.moves(after)
            if not replies:
                value = -self.game.value(after)
            else:
                reached = self.game.play(after, self.draw(self.guesses[0], drawn, replies))
                if not self.game.moves(reached):
                    value = self.game.value(reached)
                else:
                    value = self.best(reached, drawn + 1, depth - 1)[0] if depth else 0
            if value > found[0]:
                found = value, move
            if value == 1:
                break
        return found


class Blind(Oracle):
    """The same with a guess that has nothing to do with its stream."""

    def guess(self, rng):
        return [Rng(rng.stream[0]).bits()]
