"""Perfect players of small games that err in one kind of position each."""

from __future__ import annotations

from functools import cache

from arena import Agent


@cache
def worth(game, state):
    """What a position of a game without repetitions is worth for the side to move."""
    moves = game.moves(state)
    return max((gain(game, state, move) for move in moves), default=None) if moves else game.value(state)


@cache
def gain(game, state, move):
    """What a move is worth for the side that makes it."""
    after = game.play(state, move)
    value = worth(game, after)
    return -value if game.to_move(after) != game.to_move(state) else value


def wins(game, state):
    """The moves that win at once."""
    ends = [(move, game.play(state, move)) for move in game.moves(state)]
    return [move for move, after in ends if not game.moves(after) and game.value(after) == -1]


def safe(game, state):
    """The moves after which the opponent cannot win at once."""
    return [move for move in game.moves(state) if not wins(game, game.play(state, move))]


class Perfect(Agent):
    """Plays a random one of the best moves, and in positions that `blind` names one of the worst.

    It errs in a few other positions, too, one in fifty.
    """

    def choose(self, state, moves, rng):
        gains = [gain(self.game, state, move) for move in moves]
        wanted = min(gains) if self.blind(state, moves, gains) or rng.below(50) == 0 else max(gains)
        return rng.choice([move for move, value in zip(moves, gains, strict=True) if value == wanted])

    def blind(self, state, moves, gains):
        return False


class MissesWins(Perfect):
    """Errs where it could win at once."""

    def blind(self, state, moves, gains):
        return bool(wins(self.game, state))


class MissesThreats(Perfect):
    """Errs where it has to stop a win."""

    def blind(self, state, moves, gains):
        return not wins(self.game, state) and 0 < len(safe(self.game, state)) < len(moves)


class MissesCorners(Perfect):
    """Errs where only moves into a corner are right."""

    def blind(self, state, moves, gains):
        right = [move for move, value in zip(moves, gains, strict=True) if value == max(gains)]
        return all(move in (0, 2, 6, 8) for move in right)


class MissesAsSecond(Perfect):
    """Errs as second player, half of the time."""

    def choose(self, state, moves, rng):
        self.half = rng.below(2) == 0
        return super().choose(state, moves, rng)

    def blind(self, state, moves, gains):
        return self.half and self.game.to_move(state) == 1
