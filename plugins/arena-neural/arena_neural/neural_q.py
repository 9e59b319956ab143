"""Q-learning with a neural network, as "Tic-Tac-Toe with a Neural Network" (Nested Software 2019) does it.

After Mnih et al. (2015), "Human-level control through deep reinforcement learning", without their memory of
what was played: matches are walked backwards once they have ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from arena import Agent, ArenaError, Game, Learner, Rng, Spec, States, View, option
from arena.api.game import Move, State
from arena.api.learner import Arrays
from arena.rng import derive, text_word
from arena_neural.eye import Eye
from arena_neural.network import INDEX, Network

MATCHES, PLIES = 4, 100  # random matches, and plies of each, that show whether a move is a cell


class NeuralQ(Learner):
    """Learns the value of moves by Q-learning, values being what a multilayer perceptron says of a position.

    One network serves both seats. Matches are walked backwards once they have ended, and each of its own
    turns is a step of gradient descent, towards the reward of the match or the best value of its next turn,
    by the network as it was copied last, the target network.

    Of each of its turns in a match: seen, the position that the network learned from or is to; movers, who
    made it; outputs, of which move; bests, the best value there by the target network.
    """

    needs = ("grid",)
    default_needs = ("grid",)
    episodes: int = option(400_000, "how many games it learns from, half of them from either seat", low=1)
    opponent: Spec | str = option(
        "random", "whom it trains against, 'self' for itself", kind="agent", also=("self",)
    )
    seats: Literal["both", "first", "second"] = option("both", "the seats it trains in")
    head: Literal["moves", "afterstate"] = option(
        "moves", "outputs: one a cell, for games in which a move is a cell; or one, for the position after it"
    )
    hidden: tuple[int, ...] = option((36, 36), "units of each hidden layer", low=1, high=4096)
    inputs: Literal["auto", "signs", "kinds"] = option(
        "auto", "a number a cell, 1 and -1; or one a kind of piece and cell, 1; auto = signs for one kind"
    )
    view: Literal["mover", "board"] = option(
        "mover", "whether either player's pieces are seen as the first player's are, or all as they stand"
    )
    alpha: float = option(0.1, "learning rate", low=0)
    gamma: float = option(1.0, "discount a move", low=0, high=1)
    epsilon: float = option(0.7, "the probability of a random move in training, at first", low=0, high=1)
    epsilon_drop: float = option(0.1, "what that falls by after each tenth of a seat's games", low=0, high=1)
    epsilon_floor: float = option(0.0, "what it does not fall below", low=0, high=1)
    win: float = option(1.0, "reward for a win", low=0, high=1)
    draw: float = option(1.0, "reward for a draw", low=0, high=1)
    loss: float = option(0.0, "reward for a loss", low=0, high=1)
    illegal: Literal["masked", "learned"] = option(
        "masked", "cells that are no move: never chosen; or in training they lose, and it learns that"
    )
    max_plies: int = option(500, "plies that make a draw of a training game", low=1)
    target: int = option(1, "games after which the target network is copied anew", low=1)
    batch: int = option(1, "games whose gradients are one step, their mean", low=1)

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if options["opponent"] == "self" and options["seats"] != "both":
            raise ArenaError("opponent=self plays both seats; leave seats out")
        if options["head"] == "afterstate" and options["illegal"] == "learned":
            raise ArenaError("head=afterstate sees legal moves alone; leave illegal out")
        if not options["hidden"]:
            raise ArenaError("hidden is empty; give it a layer, hidden=36")

    def prepare(self) -> None:
        self.of_moves = self.head == "moves"
        if self.of_moves:
            check_cells(self.game)
        by_kind = self.inputs == "kinds" or (self.inputs == "auto" and self.game.pieces > 2)
        self.eye = Eye(self.game, by_kind, self.view == "mover")
        sizes = [self.eye.inputs, *self.hidden, self.eye.cells if self.of_moves else 1]
        self.network = Network(self.game, sizes, self.batch > 1)
        self.network.draw(Rng(derive(self.seed, text_word("weights"))))
        self.collected = 0  # steps whose gradients wait
        self.lags = self.target > 1
        self.former = Network(self.game, sizes if self.lags else [1, 1])  # the target network
        if self.lags:
            self.former.copy(self.network)
        self.itself = self.opponent == "self"  # it plays both seats, and learns from both
        self.learned = self.illegal == "learned"
        self.puts_off = self.batch > 1
        self.second = {"both": (self.episodes + 1) // 2, "first": self.episodes, "second": 0}[self.seats]
        self.rewards = np.array([self.loss, self.draw, self.win], np.float64)
        self.longest = min(self.max_plies, self.game.max_plies)
        self.scores = np.zeros(self.game.max_moves)

    def prepare_learning(self) -> None:
        plies = self.longest
        self.seen = States(self.game, plies)
        self.movers, self.outputs = np.zeros(plies, INDEX), np.zeros(plies, INDEX)
        self.bests = np.zeros(plies)
        self.turns = 0  # of a match that are its own
        self.later = np.zeros(2, np.int64)  # of either player the next turn, -1 = none any more
        if isinstance(self.opponent, Spec):
            self.trainer: Agent = self.opponent.make(self.game)

    # --- play -----------------------------------------------------------------------------------------------

    def output_of(self, state: State, move: Move, player: int) -> int:
        """The output that a move has, where a move is a cell."""
        return self.eye.places[player, self.game.anchor(state, move)]

    def weigh(self, network: Network, state: State, moves: list[Move], player: int) -> int:
        """Put the values of moves into `scores`, and return which is the first of the best."""
        if self.of_moves:
            self.eye.look(network, state, player)
            network.forward()
        best = 0
        for i in range(len(moves)):
            if self.of_moves:
                self.scores[i] = network.says(self.output_of(state, moves[i], player))
            else:
                self.eye.look(network, self.game.play(state, moves[i]), player)
                network.forward()
                self.scores[i] = network.says(0)
            if self.scores[i] > self.scores[best]:
                best = i
        return best

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        return moves[self.weigh(self.network, state, moves, self.game.to_move(state))]

    def rate(self, state: State, moves: list[Move]) -> None:
        self.weigh(self.network, state, moves, self.game.to_move(state))

    # --- learning -------------------------------------------------------------------------------------------

    def learn(self, episode: int, rng: Rng) -> int:
        seat = 0 if episode < self.second else 1
        won = self.play_match(seat, self.exploration(episode), rng)
        self.walk_back(won)
        if self.puts_off and ((episode + 1) % self.batch == 0 or episode + 1 == self.episodes):
            self.network.descend_collected(self.alpha / self.collected if self.collected > 0 else 0.0)
            self.collected = 0
        if self.lags and (episode + 1) % self.target == 0:
            self.former.copy(self.network)
        return won if self.itself or seat == 0 else -won

    def exploration(self, episode: int) -> float:
        """The probability of a random move in an episode: it drops after each tenth of a seat's episodes."""
        begun, ended = 0, self.episodes
        if not self.itself:
            if episode < self.second:
                ended = self.second
            else:
                begun = self.second
        tenths = 10 * (episode - begun) // (ended - begun)
        return max(self.epsilon - self.epsilon_drop * tenths, self.epsilon_floor)

    def play_match(self, seat: int, epsilon: float, rng: Rng) -> int:
        """Play a match, noting its own turns; 1 if player 0 won, -1 if player 1 did."""
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
                if i < 0:  # no legal move, which loses
                    return -1 if mover == 0 else 1
                move = moves[i]
            else:
                move = self.trainer.choose(state, moves, rng)
                if move not in moves:
                    return 1 if seat == 0 else -1
            state = self.game.play(state, move)
        if self.game.moves(state):
            return 0
        value = self.game.value(state)
        return value if self.game.to_move(state) == 0 else -value

    def take_turn(self, state: State, moves: list[Move], mover: int, epsilon: float, rng: Rng) -> int:
        """Which move it makes in training, noted; -1 for none of them."""
        turn = self.turns
        explores = rng.random() < epsilon
        network = self.former if self.lags else self.network
        i = self.weigh(network, state, moves, mover)
        self.bests[turn] = self.scores[i]
        if self.learned:
            self.bests[turn] = network.says(best_output(network))
        if self.lags and not explores:
            i = self.weigh(self.network, state, moves, mover)
        if self.learned:
            output = rng.below(self.eye.cells) if explores else best_output(self.network)
            i = -1
            for k in range(len(moves)):
                if self.output_of(state, moves[k], mover) == output:
                    i = k
            self.outputs[turn] = output
        else:
            if explores:
                i = rng.below(len(moves))
            self.outputs[turn] = self.output_of(state, moves[i], mover) if self.of_moves else 0
        self.seen[turn] = state if self.of_moves else self.game.play(state, moves[i])
        self.movers[turn] = mover
        self.turns += 1
        return i

    def walk_back(self, won: int) -> None:
        """Learn from the turns of a match, the last one first."""
        self.later.fill(-1)
        for turn in reversed(range(self.turns)):
            mover, later = self.movers[turn], self.later[self.movers[turn]]
            if later < 0:
                target = self.rewards[1 + won if mover == 0 else 1 - won]
            else:
                target = self.gamma * self.bests[later]
            self.learn_value(self.seen[turn], mover, self.outputs[turn], target)
            self.later[mover] = turn

    def learn_value(self, state: State, mover: int, output: int, target: float) -> None:
        """Move what the network says of a turn towards a target."""
        network = self.network
        self.eye.look(network, state, mover)
        network.forward()
        network.begin_aims()
        if self.learned:
            self.aim_at_illegal(state, mover)
        network.aim(output, target)
        if self.puts_off:
            network.collect()
            self.collected += 1
        else:
            network.descend(self.alpha)

    def aim_at_illegal(self, state: State, mover: int) -> None:
        """Cells that are no move are to be worth a loss."""
        network = self.network
        for output in range(network.outputs):
            network.aim(output, self.loss)
        for move in self.game.moves(state):
            network.spare(self.output_of(state, move, mover))

    # --- what it has learned and says -----------------------------------------------------------------------

    def model(self) -> Arrays:
        """Weights [units before, units] and biases [units] by layer, and what steps to come go by."""
        found = self.network.arrays()
        if self.lags:
            found |= self.former.arrays("target_")
        if self.puts_off:
            found["gradient"] = np.array(self.network.gradient)
            found["collected"] = np.array([self.collected])
        return found

    def recall(self, model: Arrays) -> None:
        self.network.take(model)
        if self.lags:
            self.former.take(model, "target_")
        if self.puts_off:
            self.network.gradient[:] = model["gradient"]
            self.collected = int(model["collected"][0])

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: what the network says, from 0 to 1: the reward that it expects."""
        self.rate(state, moves)
        return [View({"score": score}) for score in self.scores[: len(moves)].tolist()]


def best_output(network: Network) -> int:
    """The first of a network's greatest outputs."""
    best = 0
    for output in range(network.outputs):
        if network.says(output) > network.says(best):
            best = output
    return best


def check_cells(game: Game) -> None:
    """ArenaError unless no two moves of a position have one cell, in random matches."""
    for seed in range(MATCHES):
        state, rng = game.initial(), Rng(derive(seed))
        for _ in range(PLIES):
            moves = game.moves(state)
            if not moves:
                break
            if len({game.anchor(state, move) for move in moves}) < len(moves):
                raise ArenaError(
                    f"head=moves is for games in which a move is a cell, and in {game} several moves have one"
                    "; head=afterstate plays it"
                )
            state = game.play(state, rng.choice(moves))
