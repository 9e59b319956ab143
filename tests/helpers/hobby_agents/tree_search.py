"""MCTS, objects, children in a dictionary."""

# ruff: noqa
# mypy: ignore-errors

import math

from arena import Agent, option


class TreeNode:
    def __init__(self, state, untried, parent=None):
        self.state = state
        self.untried = untried
        self.parent = parent
        self.children = {}
        self.visits = 0
        self.value = 0.0

    def ucb(self, c):
        return self.value / self.visits + c * math.sqrt(math.log(self.parent.visits) / self.visits)

    def is_expanded(self):
        return len(self.untried) == 0


class TreeSearch(Agent):
    """Monte Carlo tree search with UCT."""

    iterations: int = option(40, "iterations per move", low=1)
    c: float = option(1.4, "exploration")

    def choose(self, state, moves, rng):
        root = TreeNode(state, list(moves))
        for _ in range(self.iterations):
            node = root
            # selection
            while node.is_expanded() and node.children:
                node = max(node.children.values(), key=lambda child: child.ucb(self.c))
            # expansion
            if node.untried:
                move = node.untried.pop(rng.below(len(node.untried)))
                new_state = self.game.play(node.state, move)
                child = TreeNode(new_state, list(self.game.moves(new_state)), node)
                node.children[move] = child
                node = child
            # simulation
            s = node.state
            ms = list(self.game.moves(s))
            while ms:
                s = self.game.play(s, rng.choice(ms))
                ms = list(self.game.moves(s))
            result = self.game.value(s)
            if self.game.to_move(s) == self.game.to_move(node.state):
                result = -result
            # backpropagation: result is for whoever moved into the node
            while node is not None:
                node.visits += 1
                node.value += result
                result = -result
                node = node.parent
        return max(root.children.items(), key=lambda item: item[1].visits)[0]
