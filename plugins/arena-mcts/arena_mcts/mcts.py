"""UCT: Monte Carlo tree search (Kocsis & Szepesvári 2006) for any game."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from arena import Agent, ArenaError, Move, Rng, Spec, State, View, compiled, derive, hash_state, option
from arena_agents.ties import pick_best
from arena_mcts.tree import PROVEN, SCORE, VISITS, WHOLE, WON, Tree

NODE = 32  # bytes of a node; the same again for a tree that is kept, and for the index of transpositions
OBJECTS = 5  # factor of the size of a node if numbers are objects
SURE = 1e15  # the score of a move that is proved to win; greater than any number of playouts


class MCTS(Agent):
    """Plays the move with the most playouts, or with the best mean score (UCT).

    A playout descends the tree by UCB1, adds a node, and continues from there with random moves. A playout
    that exceeds the maximum length of a match is a draw; draws by repetition are not taken into account. If
    the tree is full, no nodes are added, and playouts continue from the last node.
    """

    budget = "playouts"
    by_clock = ("seconds",)

    playouts: int = option(1000, "playouts per move; 0 = limited by seconds only", low=0)
    seconds: float = option(0.0, "time per move in seconds; 0 = no limit", low=0)
    exploration: float = option(math.sqrt(2), "exploration constant", low=0)
    rollouts: Literal["random", "evaluation", "none"] = option(
        "random", "policy from a new node on: random moves, no moves, or the tree policy to the end"
    )
    evaluation: Spec = option("own", "evaluation of a new node with rollouts=evaluation", kind="evaluation")
    scale: float = option(10.0, "evaluation that counts as three quarters of a win", low=1e-9)
    draw: float = option(0.5, "value of a draw; a win is 1", low=0, high=1)
    pick: Literal["visits", "score"] = option("visits", "move to play: most playouts, or best score")
    ties: Literal["first", "random"] = option("random", "choice among equally good moves")
    transpositions: bool = option(False, "whether lines that transpose share statistics")
    proving: bool = option(False, "whether proven wins and losses are tracked (MCTS-Solver)")
    keep: bool = option(False, "whether the tree is reused for the next move of the match")
    seed: int = option(0, "seed of random numbers by position; 0 = those of the match", low=0, high=2**63 - 1)
    memory: int = option(256, "memory limit of the tree in megabytes", low=1)

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if not options["playouts"] and not options["seconds"]:
            raise ArenaError("mcts: playouts=0 needs a time limit, such as seconds=0.1")
        if options["keep"] and options["transpositions"]:
            raise ArenaError(
                "mcts: keep=true needs a tree, which transpositions=true does not have; leave out one of them"
            )

    kept_attributes = ("tree", "scores", "visits", "means")  # `begin` empties the tree

    def prepare(self) -> None:
        node = NODE * (1 if self.game.flat else OBJECTS)
        places = self.memory * 1_000_000 // (node * (1 + self.keep) + NODE * self.transpositions)
        if self.playouts and self.rollouts != "none" and not self.keep:
            places = min(places, (self.playouts + 1) * self.game.max_moves + 1)
        needed = self.game.max_moves + 1
        if places < needed:
            raise ArenaError(
                f"mcts: memory={self.memory} is too little for a position's {needed - 1:,} moves"
            )
        self.tree = Tree(
            game=self.game,
            evaluation=self.evaluation.make(self.game) if self.rollouts == "evaluation" else None,
            rollouts=self.rollouts,
            exploration=self.exploration,
            draw=self.draw,
            scale=self.scale,
            places=places,
            transpositions=self.transpositions,
            proving=self.proving,
            keeping=self.keep,
            playouts=self.playouts,
            nanoseconds=math.ceil(self.seconds * 1e9),
        )
        self.scores = np.zeros(self.game.max_moves)
        self.visits = np.zeros(self.game.max_moves, np.int64)
        self.means = np.zeros(self.game.max_moves)

    def begin(self, seat: int) -> None:
        self.tree.used = 0

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.weigh(state, moves, rng)
        return moves[pick_best(self.scores, len(moves), self.ties == "random", rng)]

    @compiled
    def weigh(self, state: State, moves: list[Move], rng: Rng) -> None:
        """Search, and store for each move its playouts, their mean score, and the score for the choice."""
        if self.seed > 0:
            rng.restart(derive(self.seed, hash_state(state)))
        if self.rollouts == "evaluation":
            self.tree.evaluation.root(state)
        self.tree.search(state, rng)
        for i in range(len(moves)):
            node = self.tree.node_of(moves[i])
            visits, score = self.tree.tree[node, VISITS], self.tree.tree[node, SCORE]
            self.visits[i] = visits
            if abs(score) >= PROVEN:
                self.means[i] = 1.0 if score == WON else 0.0
                self.scores[i] = SURE if score == WON else -SURE
            else:
                self.means[i] = score / (visits * WHOLE) if visits > 0 else 0.0
                self.scores[i] = float(visits) if self.pick == "visits" else self.means[i]

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float] | None:
        """Return probabilities if playouts depend only on the position and the seed."""
        if not self.seed or self.keep or self.seconds:
            return None
        played = self.choose(state, moves, Rng())
        return [float(move == played) for move in moves]

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return `score`, by which it chooses; `visits`, playouts; `mean`, their mean score; a win is 1."""
        self.weigh(state, moves, Rng())
        return [
            View(
                {"score": self.scores[i], "visits": self.visits[i], "mean": self.means[i]},
                {SURE: "won", -SURE: "lost"}.get(self.scores[i], ""),
            )
            for i in range(len(moves))
        ]
