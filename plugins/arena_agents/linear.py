"""Kernels of linear evaluation: the score is a weighted sum of features, either player having own weights."""

from __future__ import annotations

from arena.kernel import Float, FloatPointer, Int, Rules, State

# what a variant of this module may change
FEATURES = 0  # how many there are
NEUTRAL = 0  # bit f: feature f is the same for both players; the others change sign

# weights: where among them the vector in use begins, whose it is, room for features, then the vectors
VECTOR, PLAYER, ROOM = range(3)


def root(G: Rules, s: State, weights: FloatPointer) -> Int:
    """A search begins: positions are scored for the player to move here."""
    player: int = G.to_move(s)
    weights[PLAYER] = player
    return player


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
