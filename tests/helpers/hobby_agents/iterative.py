"""Iterative deepening, nodes, move_usage."""

# ruff: noqa
# mypy: ignore-errors

import math

from arena import Agent, option


class Iterative(Agent):
    """Iterative deepening within a budget of nodes; reports what it spent."""

    budget = "nodes"
    nodes: int = option(300, "positions per move")

    class OutOfNodes(Exception):
        pass

    def prepare(self):
        self.visited = 0
        self.reached = 0
        self.pv = {}

    def search(self, state, depth, alpha, beta):
        self.visited += 1
        if self.visited > self.nodes:
            raise self.OutOfNodes
        moves = list(self.game.moves(state))
        if not moves:
            return float(self.game.value(state)) * 100
        if depth == 0:
            return float(self.game.evaluate(state))
        if state in self.pv and self.pv[state] in moves:
            first = self.pv[state]
            moves = [first] + [m for m in moves if m != first]
        for move in moves:
            value = -self.search(self.game.play(state, move), depth - 1, -beta, -alpha)
            if value > alpha:
                alpha = value
                self.pv[state] = move
            if alpha >= beta:
                break
        return alpha

    def choose(self, state, moves, rng):
        self.visited = 0
        self.pv.clear()
        best = moves[0]
        try:
            for depth in range(1, 10):
                self.search(state, depth, -math.inf, math.inf)
                best = self.pv[state]
                self.reached = depth
        except self.OutOfNodes:
            pass
        self.move_usage = {"nodes": self.visited, "depth": self.reached}
        return best
