"""Killer and history heuristics."""

# ruff: noqa
# mypy: ignore-errors

from arena import Agent, option


class KillerHistory(Agent):
    """Alpha-beta with killer moves and the history heuristic."""

    depth: int = option(4, "plies")

    def prepare(self):
        self.killers = [[-1, -1] for _ in range(32)]
        self.history = [[0] * 64 for _ in range(2)]

    def order(self, state, moves, ply):
        side = self.game.to_move(state)

        def score(move):
            if move in self.killers[ply]:
                return 1_000_000
            return self.history[side][move]

        return sorted(moves, key=score, reverse=True)

    def search(self, state, depth, alpha, beta, ply):
        moves = list(self.game.moves(state))
        if not moves:
            return self.game.value(state) * (1000 - ply)
        if depth == 0:
            return 0
        for move in self.order(state, moves, ply):
            value = -self.search(self.game.play(state, move), depth - 1, -beta, -alpha, ply + 1)
            if value >= beta:
                if self.killers[ply][0] != move:
                    self.killers[ply][1] = self.killers[ply][0]
                    self.killers[ply][0] = move
                self.history[self.game.to_move(state)][move] += depth * depth
                return beta
            alpha = max(alpha, value)
        return alpha

    def choose(self, state, moves, rng):
        scores = {}
        for move in moves:
            scores[move] = -self.search(self.game.play(state, move), self.depth - 1, -10_000, 10_000, 1)
        best = max(scores.values())
        return rng.choice([move for move, score in scores.items() if score == best])
