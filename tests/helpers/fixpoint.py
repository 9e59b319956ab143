"""Games solved by sets of positions that grow."""

from __future__ import annotations

from arena import Game


def fixpoint(one, states):
    """Value and plies of each, by the sets of positions won and lost within so many plies."""
    children = {state: [one.play(state, move) for move in one.moves(state)] for state in states}
    ends = {state: (one.value(state), 0) for state in states if not children[state] and one.value(state)}
    ply, found = 0, True
    while found:
        ply += 1
        won = {s for s in states if any(ends.get(child, (0, 0))[0] == -1 for child in children[s])}
        lost = {s for s in states if children[s] and all(ends.get(c, (0, 0))[0] == 1 for c in children[s])}
        found = dict.fromkeys(won - ends.keys(), (1, ply)) | dict.fromkeys(lost - ends.keys(), (-1, ply))
        ends |= found
    return {state: ends.get(state, (0, -1)) for state in states}


class Nim(Game):
    """Heaps, of which a move takes some coins from one; who takes the last coin wins (Bouton 1901)."""

    def initial(self):
        return (3, 4, 5), 0

    def moves(self, state):
        return [(heap, n) for heap, coins in enumerate(state[0]) for n in range(1, coins + 1)]

    def play(self, state, move):
        heap, n = move
        return tuple(coins - n * (i == heap) for i, coins in enumerate(state[0])), 1 - state[1]

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1


class Again(Nim):
    """A heap: a move takes one coin, and the same player goes on, or two, and the other does.

    Who is to move when there is none left has lost.
    """

    def initial(self):
        return 7, 0

    def moves(self, state):
        return [n for n in (1, 2) if n <= state[0]]

    def play(self, state, move):
        return state[0] - move, state[1] if move == 1 else 1 - state[1]

    def value(self, state):
        return -1
