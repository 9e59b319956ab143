"""The base class of Q-learners, which process each match backwards after it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from arena import Agent, ArenaError, Learner, Move, Rng, Spec, State, option


class QLearner(Learner):
    """Plays matches with a decreasing share of random moves, and learns from their turns, last turn first.

    Subclasses define `take_turn` and `learn_turn`, besides `choose`, `model` and `recall`. Their `prepare`
    and `prepare_learning` must first call those of this class.

    longest: number of plies after which a training match is drawn. For a match: turns, the number of the
    learner's turns; movers, uint32 [longest], the player of each of them. In self-play all turns are the
    learner's.
    """

    episodes: int = option(140_000, "number of training games, half of them from each seat", low=1)
    opponent: Spec | str = option(
        "random", "training opponent; 'self' for itself", kind="agent", also=("self",)
    )
    seats: Literal["both", "first", "second"] = option("both", "training seats")
    alpha: float = option(0.05, "learning rate", low=0, high=1)
    gamma: float = option(1.0, "discount per move", low=0, high=1)
    epsilon: float = option(0.7, "initial probability of a random move in training", low=0, high=1)
    epsilon_drop: float = option(
        0.1, "decrease of that probability after each tenth of a seat's games", low=0, high=1
    )
    epsilon_floor: float = option(0.0, "minimum of that probability", low=0, high=1)
    win: float = option(1.0, "reward for a win")
    draw: float = option(0.9, "reward for a draw")
    loss: float = option(-1.0, "reward for a loss")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if options["opponent"] == "self" and options["seats"] != "both":
            raise ArenaError("opponent=self plays both seats; leave seats out")

    def prepare(self) -> None:
        super().prepare()
        self.itself = self.opponent == "self"  # self-play: it plays both seats and learns from both
        self.second = {"both": (self.episodes + 1) // 2, "first": self.episodes, "second": 0}[self.seats]
        self.rewards = np.array([self.loss, self.draw, self.win], np.float64)
        self.longest = self.game.max_plies

    def prepare_learning(self) -> None:
        self.turns, self.movers = 0, np.zeros(self.longest, np.uint32)
        self.later = np.zeros(2, np.int64)  # for each player, its next turn; -1 = none
        if isinstance(self.opponent, Spec):
            self.trainer: Agent = self.opponent.make(self.game)

    def take_turn(self, state: State, moves: list[Move], mover: int, epsilon: float, rng: Rng) -> int:
        """Choose a move in training, at random with probability epsilon; return its index, or -1 to lose.

        The data to learn from are stored under the index `turns`.
        """
        raise NotImplementedError  # subclasses implement it

    def learn_turn(self, turn: int, later: int, reward: float, rng: Rng) -> None:
        """Learn from a turn: from the same player's next turn, `later`, or from the reward if that is -1."""
        raise NotImplementedError  # subclasses implement it

    def learn(self, episode: int, rng: Rng) -> int:
        seat = 0 if episode < self.second else 1
        won = self.play_match(seat, self.exploration(episode), rng)
        self.walk_back(won, rng)
        return won if self.itself or seat == 0 else -won

    def exploration(self, episode: int) -> float:
        """Return the probability of a random move, which decreases after each tenth of a seat's episodes."""
        begun, ended = 0, self.episodes
        if not self.itself:
            if episode < self.second:
                ended = self.second
            else:
                begun = self.second
        tenths = 10 * (episode - begun) // (ended - begun)
        return max(self.epsilon - self.epsilon_drop * tenths, self.epsilon_floor)

    def play_match(self, seat: int, epsilon: float, rng: Rng) -> int:
        """Play a match and record the learner's turns; return 1 if player 0 won, -1 if player 1 won."""
        if not self.itself:
            self.trainer.begin(1 - seat)
        self.turns = 0
        state = self.game.initial()
        for _ in range(self.longest):
            moves = self.game.moves(state)
            if not moves:
                break
            mover = self.game.to_move(state)
            if self.itself or mover == seat:
                i = self.take_turn(state, moves, mover, epsilon, rng)
                self.movers[self.turns] = mover
                self.turns += 1
                if i < 0:
                    return -1 if mover == 0 else 1
                move = moves[i]
            else:
                move = self.trainer.choose(state, moves, rng)
                if move not in moves:  # an illegal move loses
                    return 1 if seat == 0 else -1
            state = self.game.play(state, move)
        if self.game.moves(state):
            return 0
        value = self.game.value(state)
        return value if self.game.to_move(state) == 0 else -value

    def walk_back(self, won: int, rng: Rng) -> None:
        """Learn from the turns of a match, the last one first."""
        self.later.fill(-1)
        for turn in reversed(range(self.turns)):
            mover = self.movers[turn]
            reward = self.rewards[1 + won if mover == 0 else 1 - won]
            self.learn_turn(turn, self.later[mover], reward, rng)
            self.later[mover] = turn
