"""Q-learning with a neural network, as in "Tic-Tac-Toe with a Neural Network" (Nested Software 2019).

It follows Mnih et al. (2015), "Human-level control through deep reinforcement learning", without their replay
memory: each match is processed backwards after it has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from arena import ArenaError, Arrays, Game, Move, Rng, State, States, View, derive, option, text_word
from arena_agents.q_learner import QLearner
from arena_neural.eye import Eye
from arena_neural.network import INDEX, Network

MATCHES, PLIES = 4, 100  # random matches, and plies of each, to determine whether moves correspond to cells


class NeuralQ(QLearner):
    """Learns the values of moves by Q-learning with a multilayer perceptron.

    One network serves both seats. Each match is processed backwards after it has ended, with a step of
    gradient descent for each of the learner's turns. The target is the reward of the match, or the best value
    of the next turn according to the target network, which is a copy of the network updated at intervals.

    For each of the learner's turns in a match: seen, the position to learn from; outputs, the output of the
    move made; bests, the best value in the position according to the target network.
    """

    needs = ("grid",)
    default_needs = ("grid",)
    episodes = 400_000
    head: Literal["auto", "moves", "afterstate"] = option(
        "auto",
        "outputs: one per cell, for games in which a move is a cell; or one, for the position after a move; "
        "auto = moves if the game allows it",
    )
    hidden: tuple[int, ...] = option((36, 36), "units of each hidden layer", low=1, high=4096)
    inputs: Literal["auto", "signs", "kinds"] = option(
        "auto", "inputs: 1 or -1 per cell; or 1 per kind of piece and cell; auto = signs if there is one kind"
    )
    view: Literal["mover", "board"] = option(
        "mover", "whether the network sees the board from the view of the player to move, or as it is"
    )
    alpha: float = option(0.1, "learning rate", low=0)
    win: float = option(1.0, "reward for a win", low=0, high=1)
    draw: float = option(1.0, "reward for a draw", low=0, high=1)
    loss: float = option(0.0, "reward for a loss", low=0, high=1)
    illegal: Literal["masked", "learned"] = option(
        "masked", "illegal cells: never chosen; or chosen in training, where they lose"
    )
    max_plies: int = option(500, "training games are drawn after this many plies", low=1)
    target: int = option(1, "games between updates of the target network", low=1)
    batch: int = option(1, "games per gradient step", low=1)

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        super().check(options)
        if options["head"] == "afterstate" and options["illegal"] == "learned":
            raise ArenaError("head=afterstate considers only legal moves; leave illegal out")
        if not options["hidden"]:
            raise ArenaError("hidden is empty; use at least one layer, such as hidden=36")

    kept_attributes = ("network", "former", "eye", "scores")  # weights change only during learning

    def prepare(self) -> None:
        super().prepare()
        self.of_moves = self.head != "afterstate" and moves_are_cells(self.game)
        self.check_head()
        by_kind = self.inputs == "kinds" or (self.inputs == "auto" and self.game.pieces > 2)
        self.eye = Eye(self.game, by_kind, self.view == "mover")
        sizes = [self.eye.inputs, *self.hidden, self.eye.cells if self.of_moves else 1]
        self.network = Network(self.game, sizes, self.batch > 1)
        self.network.draw(Rng(derive(self.seed, text_word("weights"))))
        self.collected = 0  # number of steps in the collected gradient
        self.lags = self.target > 1
        self.former = Network(self.game, sizes if self.lags else [1, 1])  # the target network
        if self.lags:
            self.former.copy(self.network)
        self.learned = self.illegal == "learned"
        self.puts_off = self.batch > 1
        self.longest = min(self.max_plies, self.game.max_plies)
        self.scores = np.zeros(self.game.max_moves)

    def check_head(self) -> None:
        """Raise ArenaError for options that require moves to be cells, if they are not."""
        for name in ("head=moves", "illegal=learned"):
            option, _, value = name.partition("=")
            if getattr(self, option) == value and not self.of_moves:
                raise ArenaError(
                    f"{name} is for games in which a move is a cell, but in {self.game} several moves share"
                    f" one; leave {option} out"
                )

    def prepare_learning(self) -> None:
        super().prepare_learning()
        self.seen, self.outputs = States(self.game, self.longest), np.zeros(self.longest, INDEX)
        self.bests = np.zeros(self.longest)

    # --- play -----------------------------------------------------------------------------------------------

    def output_of(self, state: State, move: Move, player: int) -> int:
        """Return the output for a move, if moves are cells."""
        return self.eye.places[player, self.game.anchor(state, move)]

    def weigh(self, network: Network, state: State, moves: list[Move], player: int) -> int:
        """Write the values of moves to `scores`, and return the index of the first best one."""
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
        result = super().learn(episode, rng)
        if self.puts_off and ((episode + 1) % self.batch == 0 or episode + 1 == self.episodes):
            self.network.descend_collected(self.alpha / self.collected if self.collected > 0 else 0.0)
            self.collected = 0
        if self.lags and (episode + 1) % self.target == 0:
            self.former.copy(self.network)
        return result

    def take_turn(self, state: State, moves: list[Move], mover: int, epsilon: float, rng: Rng) -> int:
        """Choose a move in training and record it; return its index, -1 for an illegal move."""
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
        return i

    def learn_turn(self, turn: int, later: int, reward: float, rng: Rng) -> None:
        """Move the network's value for a turn towards its target."""
        network, state, mover = self.network, self.seen[turn], self.movers[turn]
        self.eye.look(network, state, mover)
        network.forward()
        network.begin_aims()
        if self.learned:
            self.aim_at_illegal(state, mover)
        network.aim(self.outputs[turn], reward if later < 0 else self.gamma * self.bests[later])
        if self.puts_off:
            network.collect()
            self.collected += 1
        else:
            network.descend(self.alpha)

    def aim_at_illegal(self, state: State, mover: int) -> None:
        """Set the target of all cells that are not legal moves to the value of a loss."""
        network = self.network
        for output in range(network.outputs):
            network.aim(output, self.loss)
        for move in self.game.moves(state):
            network.spare(self.output_of(state, move, mover))

    # --- the model and explanations -------------------------------------------------------------------------

    def model(self) -> Arrays:
        """Return weights [previous units, units] and biases [units] by layer, and the state of training."""
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
        """Return as score the network's value, from 0 to 1: the expected reward."""
        self.rate(state, moves)
        return [View({"score": score}) for score in self.scores[: len(moves)].tolist()]


def best_output(network: Network) -> int:
    """Return the index of a network's greatest output, the first of equal ones."""
    best = 0
    for output in range(network.outputs):
        if network.says(output) > network.says(best):
            best = output
    return best


def moves_are_cells(game: Game) -> bool:
    """Return whether all moves of a position have different cells, in random matches."""
    for seed in range(MATCHES):
        state, rng = game.initial(), Rng(derive(seed))
        for _ in range(PLIES):
            moves = game.moves(state)
            if not moves:
                break
            if len({game.anchor(state, move) for move in moves}) < len(moves):
                return False
            state = game.play(state, rng.choice(moves))
    return True
