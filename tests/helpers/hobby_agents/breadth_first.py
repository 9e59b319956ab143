"""Breadth-first with a deque."""

# ruff: noqa
# mypy: ignore-errors

from collections import deque

from arena import Agent, option


class BreadthFirst(Agent):
    """Looks for the nearest win by breadth-first search, within a number of positions."""

    budget: int = option(200, "positions")

    def choose(self, state, moves, rng):
        me = self.game.to_move(state)
        queue = deque()
        seen = set()
        for move in moves:
            queue.append((self.game.play(state, move), move, 1))
        count = 0
        while queue and count < self.budget:
            position, first, depth = queue.popleft()
            count += 1
            if position in seen:
                continue
            seen.add(position)
            following = list(self.game.moves(position))
            if not following:
                if self.game.value(position) < 0 and self.game.to_move(position) != me:
                    return first
                continue
            for move in following:
                queue.append((self.game.play(position, move), first, depth + 1))
        return rng.choice(moves)
