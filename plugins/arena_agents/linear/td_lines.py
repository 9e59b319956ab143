"""Temporal-difference learning with lines of three cells near a move: an n-tuple network (Lucas 2008).

The value of a move is a sum of weights: one for its class, and one for each line near it and the line's
contents. Classes, lines and patterns are those of `psv:rule=lines`; only the learning differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from arena import (
    ArenaError,
    Arrays,
    Learner,
    Move,
    Rng,
    State,
    States,
    View,
    hash_move,
    option,
)
from arena_agents.psv.boards import Board, closure
from arena_agents.psv.psv import WAYS, Way
from arena_agents.tabular.q_backprop import QBackprop
from arena_agents.ties import pick_best, probabilities

CLASS = (1 << 30) - 1  # mask of the bits of a class's hash that are used
LINES, PATTERNS = 1 << 7, 1 << 14  # maximum numbers


class TDLines(Learner):
    """Learns weights for the contents of lines near a move, by temporal differences in self-play.

    After a match each side's moves are processed from last to first: the value of a move is moved towards
    that of the side's next move, and the value of the last move towards the result. Moves of different
    classes share no weights.
    """

    # weights: float64 [places], indexed by hashes. active: int64 [ways * (lines + 1)], the places of the
    # weights of the move evaluated last. past: the positions of a match; played, movers: its moves, and their
    # players. source, table: with games=table, the learner that plays the training games, and its table

    needs = ("grid",)
    uses = ("turning",)
    kept_attributes = ("board", "weights", "active", "scores")

    episodes: int = option(1000, "number of training matches against itself", low=1)
    games: Literal["own", "table"] = option(
        "own", "source of matches: its own, or those that q-backprop with the same seed learns from"
    )
    alpha: float = option(0.1, "learning rate, divided among the weights of a move", low=0, high=1)
    fall: Literal["none", "linear"] = option("none", "whether the learning rate decreases to 0 at the end")
    epsilon: float = option(0.5, "probability of a random move in its own matches", low=0, high=1)
    gamma: float = option(1.0, "discount per move", low=0, high=1)
    symmetry: tuple[Way, ...] = option((), "symmetries of the board under which weights are shared")
    places: int = option(22, "capacity for weights, as a power of two", low=10, high=28)
    ties: Literal["first", "random"] = option("first", "choice among equally good moves")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        words = options["symmetry"]
        if twice := [word for i, word in enumerate(words) if word in words[:i]]:
            raise ArenaError(f"symmetry names {twice[0]} twice; name it once")

    def prepare(self) -> None:
        if self.symmetry and "turning" not in self.game.capabilities:
            raise ArenaError(
                f"{self.game} does not define how its moves rotate with the board; leave symmetry out"
            )
        self.board = Board(self.game, closure(WAYS[word] for word in self.symmetry))
        self.ways, self.lines = len(self.board.ways), len(self.board.threes)
        if self.lines >= LINES or (self.board.kinds + 1) ** 3 > PATTERNS:
            raise ArenaError(f"{self.game} has too many kinds of pieces for lines of three")
        self.weights = np.zeros(1 << self.places)
        self.active = np.zeros(self.ways * (self.lines + 1), np.int64)
        self.scores = np.zeros(self.game.max_moves)
        self.falling, self.from_table = self.fall == "linear", self.games == "table"
        self.source: Any = None
        if self.from_table:
            self.source = QBackprop(self.game, episodes=self.episodes, seed=self.seed)
            self.table = self.source.table  # an attribute here too, so that it grows between episodes

    def prepare_learning(self) -> None:
        plies, kind = self.game.max_plies, np.int64 if self.game.flat else object
        self.past, self.plies = States(self.game, plies), 0
        self.movers, self.played = np.zeros(plies, np.int64), np.zeros(plies, kind)
        self.later, self.last = np.zeros(2), np.ones(2, np.int64)
        if self.from_table:
            self.source.learn_many(range(0), [0, 0, 0])  # prepares learning

    # --- the value of a move --------------------------------------------------------------------------------

    def value(self, state: State, move: Move) -> float:
        """Return the sum of a move's weights in the board's current position, and store their places."""
        shape, side = self.game.shape(state, move), self.game.to_move(state)
        anchor, total, count = self.game.anchor(state, move), 0.0, 0
        mask = len(self.weights) - 1
        for turn in range(self.ways):
            way = self.board.ways[turn]
            image = self.game.shape_image(shape, way) if self.board.turning else shape
            group = (hash_move(image) + (side ^ (way >> 3))) & CLASS
            for line in range(self.lines + 1):
                key = (group * LINES + line) * PATTERNS
                if line < self.lines:
                    there = self.board.images[turn, line] >> 1
                    key = (group * LINES + there) * PATTERNS + self.board.turned_three(line, anchor, turn)
                place = hash_move(key) & mask
                self.active[count] = place
                total += self.weights[place]
                count += 1
        return total

    def rate(self, state: State, moves: list[Move]) -> None:
        self.board.look(state)
        for i in range(len(moves)):
            self.scores[i] = self.value(state, moves[i])

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        self.rate(state, moves)
        return moves[pick_best(self.scores, len(moves), self.ties == "random", rng)]

    # --- learning -------------------------------------------------------------------------------------------

    def learn(self, episode: int, rng: Rng) -> int:
        if self.from_table:
            won = self.source.play_and_learn(self.game.initial(), self.source.discount(episode), rng)
            self.plies = self.source.plies
            for ply in range(self.plies):
                self.past[ply] = self.source.past[ply]
                self.played[ply], self.movers[ply] = self.source.played[ply], self.source.movers[ply]
        else:
            won = self.play_match(rng)
        rate = self.alpha * (1.0 - episode / self.episodes) if self.falling else self.alpha
        self.walk_back(won, rate)
        return won

    def play_match(self, rng: Rng) -> int:
        """Play and record a match against itself; return 1 if player 0 won, -1 if player 1 won."""
        self.plies = 0
        state = self.game.initial()
        moves = self.game.moves(state)
        while moves and self.plies < self.game.max_plies:
            move = rng.choice(moves) if rng.random() < self.epsilon else self.choose(state, moves, rng)
            self.past[self.plies] = state
            self.played[self.plies], self.movers[self.plies] = move, self.game.to_move(state)
            self.plies += 1
            state = self.game.play(state, move)
            moves = self.game.moves(state)
        if moves:
            return 0
        value = self.game.value(state)
        return value if self.game.to_move(state) == 0 else -value

    def walk_back(self, won: int, rate: float) -> None:
        """Learn from the plies of a match, the last ply first."""
        self.later[0], self.later[1] = won, -won
        self.last.fill(1)
        for ply in reversed(range(self.plies)):
            mover = self.movers[ply]
            state, move = self.past[ply], self.played[ply]
            self.board.look(state)
            before = self.value(state, move)
            discount = 1.0 if self.last[mover] == 1 else self.gamma
            step = rate * (discount * self.later[mover] - before) / len(self.active)
            for i in range(len(self.active)):
                self.weights[self.active[i]] += step
            self.later[mover] = before
            self.last[mover] = 0

    # --- the model ------------------------------------------------------------------------------------------

    def model(self) -> Arrays:
        """Return `places` and `weights` of weights other than 0; with games=table also the table."""
        places = np.flatnonzero(self.weights)
        found: dict[str, Any] = {"places": places, "weights": self.weights[places]}
        if self.from_table:
            found |= {f"table_{name}": array for name, array in self.source.model().items()}
        return found

    def recall(self, model: Arrays) -> None:
        if len(model["places"]) and int(model["places"].max()) >= len(self.weights):
            raise ArenaError(f"its weights exceed the {len(self.weights)} available places")
        self.weights.fill(0.0)
        self.weights[model["places"]] = model["weights"]
        if self.from_table:
            names = (name for name in model if name.startswith("table_"))
            self.source.recall({name.removeprefix("table_"): model[name] for name in names})

    # --- explanations ---------------------------------------------------------------------------------------

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        self.choose(state, moves, Rng())
        return probabilities(self.scores[: len(moves)], self.ties)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the sum of the move's weights."""
        self.choose(state, moves, Rng())
        return [View({"score": score}) for score in self.scores[: len(moves)].tolist()]
