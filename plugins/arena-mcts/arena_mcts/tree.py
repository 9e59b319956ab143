"""The search tree of UCT (Kocsis & Szepesvári 2006)."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena import Component, Game, Move, Rng, State, States, hash_state, unchecked

MOVE, VISITS, SCORE, BELOW = range(4)  # a node's columns
BITS, MANY = 20, (1 << 20) - 1  # BELOW is a first child and a number of children, or 0
WHOLE = 1 << 20  # score of a won playout
WON, LOST, PROVEN = (
    1 << 60,
    -(1 << 60),
    1 << 59,
)  # scores of proved moves, and a bound above all other scores
LOOK = 31  # playouts between checks of the clock, a bit mask


@dataclass(eq=False, kw_only=True)
class Tree(Component):
    """A tree of playouts from a position, the root, with the results of moves.

    A node represents a move; node 0 is the move that led to the root. The children of a node are adjacent,
    visited ones first.

    tree: int64 [places, 4], or objects if the game is not flat: the move; the number of playouts through it;
    the sum of their scores for the player who makes it, with `WHOLE` for a win; and the location of its
    children. used: the number of nodes. path: int64, the nodes of a playout; same: for each of them, whether
    the player who made the move is to move again.
    """

    game: Game
    evaluation: Any  # evaluation of positions, if playouts use one
    rollouts: str  # how a playout continues from a new node: "random", "evaluation" or "none"
    exploration: float
    draw: float  # score of a drawn playout; a win is 1
    scale: float  # the evaluation that corresponds to three quarters of a win
    places: int  # maximum number of nodes
    transpositions: bool
    proving: bool
    keeping: bool
    playouts: int  # maximum number of playouts for a move; 0 = no limit
    nanoseconds: int  # time limit for a move; 0 = no limit

    def prepare(self) -> None:
        """Allocate the tree and working memory."""
        self.longest = min(self.game.max_plies, 10_000)
        self.width = self.exploration * WHOLE
        self.drawn = round(self.draw * WHOLE)
        kind = np.int64 if self.game.flat else object
        self.tree = np.zeros((self.places, 4), kind)
        self.spare = np.zeros((self.places if self.keeping else 0, 4), kind)
        self.path = np.zeros(self.longest + 1, np.int64)
        self.same = np.zeros(self.longest + 1, np.int64)
        self.index = np.zeros((1 << self.places.bit_length() if self.transpositions else 1, 2), np.int64)
        self.mask = len(self.index) - 1
        self.root = States(self.game, 1)
        self.used = self.own = self.other = self.proof = 0

    def __post_init__(self) -> None:
        self.prepare()

    # --- a search -----------------------------------------------------------------------------------------

    def search(self, state: State, rng: Rng) -> None:
        """Play playouts from `state` until the budget for a move is used up."""
        self.begin(state)
        deadline = time.perf_counter_ns() + self.nanoseconds if self.nanoseconds > 0 else 0
        played = 0
        while self.playouts == 0 or played < self.playouts:
            self.playout(state, rng)
            played += 1
            if self.proving and self.is_proved():
                break
            if self.nanoseconds > 0 and played & LOOK == 0 and time.perf_counter_ns() > deadline:
                break

    def begin(self, state: State) -> None:
        """Make `state` the root of a new tree, or of its subtree in the last tree."""
        node = self.known(state) if self.keeping and self.used > 0 else -1
        if node >= 0:
            self.keep(node)
        else:
            self.forget()
            self.expand(0, state)
        if self.keeping:
            self.root[0] = state

    def forget(self) -> None:
        """Clear the tree."""
        for column in range(4):
            self.tree[0, column] = 0
        self.used = 1
        if self.transpositions:
            self.index.fill(0)

    @unchecked
    def playout(self, state: State, rng: Rng) -> None:
        """Play one playout: descend the tree, continue from a new node to the end, and back up the score."""
        tree, path = self.tree, self.path
        node = ply = 0
        new = False  # whether the last node is visited for the first time
        self.proof = 0
        while ply < self.longest:
            below = tree[node, BELOW]
            if below == 0:
                if new and self.rollouts != "none":
                    break
                below = self.expand(node, state)
                if below == 0:
                    break
            node = self.select(below >> BITS, below & MANY, tree[node, VISITS], rng)
            new = tree[node, VISITS] == 0
            after = self.game.play(state, tree[node, MOVE])
            ply += 1
            path[ply] = node
            if not self.game.alternating:
                self.same[ply] = int(self.game.to_move(after) == self.game.to_move(state))
            state = after
            if self.proving and abs(tree[node, SCORE]) >= PROVEN:
                break
        if self.proving and ply > 0 and abs(tree[node, SCORE]) >= PROVEN:
            won = (tree[node, SCORE] > 0) == (not self.game.alternating and self.same[ply] == 1)
            self.proof = 1 if won else -1
            self.judge(self.proof)
        else:
            self.go_on(state, rng)
        self.back_up(ply)

    @unchecked
    def select(self, first: int, n: int, visits: int, rng: Rng) -> int:
        """Return the child to visit: one not visited before, otherwise by UCB1 (Auer et al. 2002)."""
        tree, last = self.tree, first + n - 1
        if tree[last, VISITS] == 0:
            node = first
            while tree[node, VISITS] > 0:
                node += 1
            if node < last:
                self.swap(node, node + rng.below(last - node + 1))
            return node
        if self.transpositions:
            visits = 0
            for node in range(first, first + n):
                visits += tree[node, VISITS]
        log = math.log(visits)
        best, most = first, -math.inf
        for node in range(first, first + n):
            seen = tree[node, VISITS]
            bound = (tree[node, SCORE] + self.width * math.sqrt(log * seen)) / seen
            if bound > most:
                best, most = node, bound
        return best

    @unchecked
    def swap(self, node: int, other: int) -> None:
        """Swap two nodes that were not visited, of which only the moves are set."""
        tree = self.tree
        move = tree[node, MOVE]
        tree[node, MOVE] = tree[other, MOVE]
        tree[other, MOVE] = move

    @unchecked
    def expand(self, node: int, state: State) -> int:
        """Add the children of a node; return their location, or 0 if there are none or no room for them."""
        tree, place = self.tree, 0
        if self.transpositions:
            place = self.find(hash_state(state))
            if self.index[place, 1] > 0:
                tree[node, BELOW] = self.index[place, 1]
                return self.index[place, 1]
        first = end = self.used
        if first + self.game.max_moves > self.places:
            return 0
        for move in self.game.moves(state):
            tree[end, MOVE] = move
            tree[end, VISITS] = tree[end, SCORE] = tree[end, BELOW] = 0
            end += 1
        if end == first:
            return 0
        self.used = end
        below = (first << BITS) | (end - first)
        tree[node, BELOW] = below
        if self.transpositions:
            self.index[place, 0], self.index[place, 1] = hash_state(state), below
        return below

    @unchecked
    def find(self, hashed: int) -> int:
        """Return the place of a position in the index, by its hash, or the free place for it."""
        place = hashed & self.mask
        while self.index[place, 1] != 0 and self.index[place, 0] != hashed:
            place = (place + 1) & self.mask
        return place

    # --- results of playouts ------------------------------------------------------------------------------

    def go_on(self, state: State, rng: Rng) -> None:
        """Play the rest of a playout; store the scores of the player to move and the other one."""
        moves = self.game.moves(state)
        if not moves:
            ended = self.game.value(state)
            self.proof = ended
            self.judge(ended)
        elif self.rollouts == "evaluation":
            value = self.evaluation.evaluate(state)
            self.own = int(WHOLE * (0.5 + 0.5 * value / (self.scale + abs(value))))
            self.other = WHOLE - self.own
        else:
            plies, mine = 0, True
            while moves and plies < self.longest:
                after = self.game.play(state, rng.choice(moves))
                if self.game.alternating or self.game.to_move(after) != self.game.to_move(state):
                    mine = not mine
                state = after
                moves = self.game.moves(state)
                plies += 1
            ended = 0 if moves else self.game.value(state)
            self.judge(ended if mine else -ended)

    def judge(self, ended: int) -> None:
        """Set both scores for an outcome for the player to move: 1 won, 0 drawn, -1 lost."""
        self.own = WHOLE if ended > 0 else self.drawn if ended == 0 else 0
        self.other = WHOLE if ended < 0 else self.drawn if ended == 0 else 0

    @unchecked
    def back_up(self, ply: int) -> None:
        """Add the scores to all nodes of the path up to `ply`."""
        tree, path, own, other, proof = self.tree, self.path, self.own, self.other, self.proof
        while ply > 0:
            node = path[ply]
            tree[node, VISITS] += 1
            if self.game.alternating or self.same[ply] == 0:
                own, other, proof = other, own, -proof
            # `own` is now the score of the player who made this move
            if self.proving:
                if abs(tree[node, SCORE]) < PROVEN:
                    if proof == 0:
                        tree[node, SCORE] += own
                    else:
                        tree[node, SCORE] = WON if proof > 0 else LOST
                if proof < 0 and not self.all_lost(tree[path[ply - 1], BELOW]):
                    proof = 0
            else:
                tree[node, SCORE] += own
            ply -= 1
        tree[0, VISITS] += 1

    @unchecked
    def all_lost(self, below: int) -> bool:
        """Return whether all these children are lost, which proves a win for the opponent."""
        first = below >> BITS
        for node in range(first, first + (below & MANY)):
            if self.tree[node, SCORE] != LOST:
                return False
        return True

    def is_proved(self) -> bool:
        """Return whether a win is proved, or that all moves lose."""
        below = self.tree[0, BELOW]
        first = below >> BITS
        for node in range(first, first + (below & MANY)):
            if self.tree[node, SCORE] == WON:
                return True
        return self.all_lost(below)

    # --- the tree of the previous move --------------------------------------------------------------------

    def known(self, state: State) -> int:
        """Return the node of a position that is two moves after the last root, or -1."""
        above = self.tree[0, BELOW]
        for node in range(above >> BITS, (above >> BITS) + (above & MANY)):
            below = self.tree[node, BELOW]
            if below > 0:
                between = self.game.play(self.root[0], self.tree[node, MOVE])
                for child in range(below >> BITS, (below >> BITS) + (below & MANY)):
                    if self.game.play(between, self.tree[child, MOVE]) == state:
                        return child if self.tree[child, BELOW] > 0 else -1
        return -1

    def keep(self, node: int) -> None:
        """Keep only the subtree of a node, which becomes the root."""
        tree, spare = self.tree, self.spare
        for column in range(4):
            spare[0, column] = tree[node, column]
        end, at = 1, 0
        while at < end:
            below = spare[at, BELOW]
            if below > 0:
                first, n = below >> BITS, below & MANY
                spare[at, BELOW] = (end << BITS) | n
                for child in range(first, first + n):
                    for column in range(4):
                        spare[end, column] = tree[child, column]
                    end += 1
            at += 1
        for at in range(end):
            for column in range(4):
                tree[at, column] = spare[at, column]
        self.used = end

    # --- access to results --------------------------------------------------------------------------------

    def node_of(self, move: Move) -> int:
        """Return the root's child for a move, or -1."""
        below = self.tree[0, BELOW]
        for node in range(below >> BITS, (below >> BITS) + (below & MANY)):
            if self.tree[node, MOVE] == move:
                return node
        return -1
