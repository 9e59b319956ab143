"""Kernels of linear evaluation: the score is a weighted sum of features, either player having own weights."""

from __future__ import annotations

from arena.kernel import Float, FloatPointer, Int, Rules, State

# what a variant of this module may change
FEATURES = 0  # how many there are
NEUTRAL = 0  # bit f: feature f is the same for both players; the others change sign

# weights: where among them the vector in use begins, whose it is, what a draw scores for a player, room for
# features, then the vectors
VECTOR, PLAYER, DRAW, ROOM = range(4)


def root(G: Rules, s: State, weights: FloatPointer) -> Int:
    """A search begins: positions are scored for the player to move here."""
    player: int = G.to_move(s)
    weights[PLAYER] = player
    return player


def drawn(G: Rules, s: State, weights: FloatPointer) -> Float:
    """The score of a draw, for the player to move."""
    return weights[DRAW] if G.to_move(s) == int(weights[PLAYER]) else -weights[DRAW]


def evaluate(G: Rules, s: State, weights: FloatPointer) -> Float:
    """The score, for the player to move."""
    G.features(s, weights, ROOM)
    vector = int(weights[VECTOR])
    signed = 0.0
    neutral = 0.0
    for f in range(FEATURES):
        if (NEUTRAL >> f) & 1:
            neutral += weights[vector + f] * weights[ROOM + f]
        else:
            signed += weights[vector + f] * weights[ROOM + f]
    return signed + neutral if G.to_move(s) == int(weights[PLAYER]) else signed - neutral
