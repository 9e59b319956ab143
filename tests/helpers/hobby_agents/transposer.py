"""Negamax, transposition dictionary with flags."""

# ruff: noqa
# mypy: ignore-errors

import math

from arena import Agent, View, option

EXACT, LOWER, UPPER = 0, 1, 2


class Transposer(Agent):
    """Negamax with alpha-beta and a transposition table (after the article in Wikipedia)."""

    depth: int = option(4, "how many plies it looks ahead", low=1, high=9)

    def prepare(self):
        self.table = {}
        self.nodes = 0
        self.hits = 0

    def negamax(self, state, depth, alpha, beta):
        self.nodes += 1
        original = alpha
        entry = self.table.get(state)
        if entry is not None and entry[0] >= depth:
            self.hits += 1
            _, flag, value = entry
            if flag == EXACT:
                return value
            elif flag == LOWER:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                return value
        moves = list(self.game.moves(state))
        if not moves:
            return 100.0 * self.game.value(state)
        if depth == 0:
            return self.game.evaluate(state)
        best = -math.inf
        for move in moves:
            best = max(best, -self.negamax(self.game.play(state, move), depth - 1, -beta, -alpha))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        if best <= original:
            flag = UPPER
        elif best >= beta:
            flag = LOWER
        else:
            flag = EXACT
        self.table[state] = (depth, flag, best)
        return best

    def choose(self, state, moves, rng):
        best_move, best = None, -math.inf
        for move in moves:
            score = -self.negamax(self.game.play(state, move), self.depth - 1, -math.inf, math.inf)
            if score > best:
                best_move, best = move, score
        return best_move

    def explain(self, state, moves):
        return [
            View(
                {"score": -self.negamax(self.game.play(state, m), self.depth - 1, -math.inf, math.inf)},
                f"{m}",
            )
            for m in moves
        ]
