"""Value iteration as in the program published with "Math of Turn-Based Strategy Games"."""

from __future__ import annotations

from typing import Any

from arena import State
from arena_agents.planning.sweeps import OverGraph


class Published(OverGraph):
    """Sweeps in which the learner, instead of the opponent, makes the reply to its own moves.

    If a move wins at once, all moves of the position earn the reward. Values are never negative or final.
    """

    game: Any  # a game with the method `null_move`, which `Game` does not have

    def forget(self) -> None:
        """Reset to the state before the first sweep: no best moves, all values are 0."""
        self.best.fill(-1)
        self.own.fill(0.0)

    def published_sweep(self, n: int) -> None:
        """Do sweep `n` over all positions, using the values of the previous sweep."""
        first, best, own, other = self.first, self.best, self.own, self.other
        for i in range(len(best)):
            other[i] = 0.0
            state = self.positions.states[i]
            reward = self.reward_at(i)
            for j, move in enumerate(self.game.moves(state)):
                value = reward + self.replied(self.game.play(state, move))
                self.scores[first[i] + j] = value
                other[i] = max(other[i], value)
                if own[i] < value:
                    best[i] = j
        change = 0.0
        for i in range(len(best)):
            change = max(change, abs(other[i] - own[i]))
            own[i] = other[i]
        self.write_down(n, change, 1, change == 0)

    def reward_at(self, i: int) -> float:
        """Return the reward of position `i`: the reward for a win if a move wins at once."""
        for k in range(self.first[i], self.first[i + 1]):
            child = self.after[k]
            if self.first[child] == self.first[child + 1]:
                outcome = self.outcomes[child]
                if (outcome if self.movers[child] == self.movers[i] else -outcome) == 1:
                    return self.win
        return 0.0

    def replied(self, state: State) -> float:
        """Return the discounted mean value after replies to the learner's move."""
        again = self.game.null_move(state)
        moves = self.game.moves(again)
        total = 0.0
        for move in moves:
            i = self.positions.find(self.game.null_move(self.game.play(again, move)))
            if i >= 0:
                total += 1.0 / len(moves) * (self.gamma * self.own[i])
        return total
