"""Dynamic programming over all positions of a game: the base of value iteration and policy iteration.

If the opponent moves with known probabilities, the learner's decisions are a Markov decision process: see
Bellman (1957) for value iteration, Howard (1960) for policy iteration. If the opponent plays perfectly, this
is a zero-sum game of perfect information: see Shapley (1953), Hoffman & Karp (1966). Each seat has its own
process; both are stored in the same arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arena import (
    ArenaError,
    Arrays,
    Graph,
    Learner,
    Move,
    Rng,
    Spec,
    State,
    Table,
    Unsaid,
    View,
    graph_of,
    option,
    pack_states,
    policy,
)

LIMIT = 1_000_000  # default maximum number of positions
REMEDY = "raise limit, or use a learner that plays games, such as q-table"
KEPT = {  # arrays of the model, by name
    "first": np.int64,
    "best": np.int64,
    "scores": np.float64,
    "own": np.float64,
    "other": np.float64,
}
CHANGE, SWEEPS, START = range(3)  # columns of `history`


class OverGraph(Learner):
    """Computes a move for every position. An episode is a sweep over all positions, or a round of sweeps.

    positions: a table that numbers positions, without values. first: int64 [positions + 1], index of each
    position's first move. best: int64 [positions], the number of the best move among the position's moves, -1
    for any move. scores: float64 [moves], the values of moves. own, other: float64 [positions], the
    position's value for the learner if the learner or the opponent is to move. history: float64 [episodes,
    3]; for each episode, the largest change of a value, or the number of moves changed; the number of sweeps;
    and the value of the first position. converged: whether further episodes would change nothing.

    Only for learning: after, movers, outcomes: arrays of the graph (see `arena.analysis.graph`, which calls
    outcomes values). probabilities: float64 [moves], the opponent's probability of each move.
    """

    opponent: Spec | str = option(
        "random",
        "opponent to learn a best response to; 'optimal' for perfect play",
        kind="agent",
        also=("optimal",),
    )
    gamma: float = option(0.9, "discount per move; below 1 it prefers faster wins", low=0, high=1)
    win: float = option(10_000.0, "reward for a win")
    draw: float = option(0.0, "reward for a draw")
    loss: float = option(-10_000.0, "reward for a loss")
    threshold: float = option(1e-9, "convergence threshold for changes of values", low=0)
    limit: int = option(LIMIT, "maximum number of positions", low=1)
    default_needs = ("enumeration",)
    plays = False
    columns: ClassVar[Sequence[str]]  # names of an episode and of `history`'s columns; "" = not shown

    def prepare(self) -> None:
        self.optimal = self.opponent == "optimal"
        self.movers, self.outcomes = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.after = np.zeros(0, np.uint32)
        self.probabilities = np.zeros(0)
        self.positions = Table(self.game, width=0)
        nothing = {name: np.zeros(0, kind) for name, kind in KEPT.items()}
        self.take_up({**nothing, **self.positions.model(), "course": np.zeros(0), "converged": np.zeros(1)})

    def choose(self, state: State, moves: list[Move], rng: Rng) -> Move:
        i = self.positions.find(state)
        best = self.best[i] if i >= 0 else -1
        return moves[best] if best >= 0 else rng.choice(moves)

    # --- sweeps -------------------------------------------------------------------------------------------

    def learn(self, episode: int, rng: Rng) -> int:
        """Do a sweep, or a round; return a draw, as no match is played."""
        if not self.converged:
            if episode == 0:
                self.set_up()
            self.iterate(episode)
        return 0

    def iterate(self, n: int) -> None:
        """Do sweep, or round, `n`."""
        raise NotImplementedError  # subclasses implement it

    def set_up(self) -> None:
        """Prepare for the first sweep: the best move is the first, and all values except final ones are 0."""
        for i in range(len(self.best)):
            over = self.first[i] == self.first[i + 1]
            self.best[i] = 0
            self.own[i] = self.reward(self.outcomes[i]) if over else 0.0
            self.other[i] = self.reward(-self.outcomes[i]) if over else 0.0

    def reward(self, outcome: int) -> float:
        """Return the reward for an outcome: 1 won, 0 drawn, -1 lost."""
        if outcome == 0:
            return self.draw
        return self.win if outcome > 0 else self.loss

    def sweep(self, improve: bool) -> float:
        """Update all values, starting with the positions found last; return the largest change.

        improve: whether the learner switches to the best moves, or keeps its current ones.
        """
        first, best, own, other, scores = self.first, self.best, self.own, self.other, self.scores
        change = 0.0
        for i in reversed(range(len(best))):
            if first[i] < first[i + 1]:
                found = self.score(i)
                if improve and scores[first[i] + found] > scores[first[i] + best[i]]:
                    # of equal moves the one found first, which makes progress, whereas a later one may move
                    # back
                    best[i] = found
                value = scores[first[i] + best[i]]
                replied = self.reply(i)
                change = max(change, abs(value - own[i]), abs(replied - other[i]))
                own[i] = value
                other[i] = replied
        return change

    def score(self, i: int) -> int:
        """Compute the learner's value of each move of position `i`; return the index of the best one."""
        first, after, movers = self.first, self.after, self.movers
        own, other, scores, gamma = self.own, self.other, self.scores, self.gamma
        best = first[i]
        for k in range(first[i], first[i + 1]):
            child = after[k]
            value = own[child] if movers[child] == movers[i] else other[child]
            scores[k] = value if first[child] == first[child + 1] else gamma * value
            if scores[k] > scores[best]:
                best = k
        return best - first[i]

    def reply(self, i: int) -> float:
        """Return the value of position `i` for the learner if the opponent is to move there."""
        first, after, movers = self.first, self.after, self.movers
        own, other, probabilities = self.own, self.other, self.probabilities
        total = 0.0
        for k in range(first[i], first[i + 1]):
            child = after[k]
            value = other[child] if movers[child] == movers[i] else own[child]
            if not self.optimal:
                total += probabilities[k] * value
            elif k == first[i] or value < total:
                total = value
        return total

    def write_down(self, n: int, change: float, sweeps: int, converged: bool) -> None:
        """Record the results of sweep, or round, `n`."""
        self.history[n, CHANGE] = change
        self.history[n, SWEEPS] = sweeps
        self.history[n, START] = self.own[0]
        self.done = n + 1
        self.converged = converged

    # --- the model ------------------------------------------------------------------------------------------

    def prepare_learning(self) -> None:
        """Enumerate all positions, and determine the opponent's move probabilities."""
        graph = graph_of(self.game, self.limit, REMEDY)
        self.check_graph(graph)
        if isinstance(self.opponent, Spec):
            try:
                self.probabilities = policy(self.opponent.make(self.game), graph)
            except Unsaid as error:
                raise Unsaid(f"{error}; name another opponent, such as random") from error
        self.after, self.movers, self.outcomes = graph.after.astype(np.uint32), graph.movers, graph.values
        known = self.model()
        if not self.positions.size:
            sizes = {"best": len(graph), "scores": len(graph.after), "own": len(graph), "other": len(graph)}
            known |= {name: np.zeros(size, KEPT[name]) for name, size in sizes.items()}
            states = graph.states if graph.flat else pack_states(self.game, graph.states)
            known |= {"states": states, "first": graph.first}
        self.take_up(known)

    def check_graph(self, graph: Graph) -> None:
        """Raise ArenaError if the game cannot be learned with these options."""

    def full(self) -> bool:
        """Return False: the graph already contains all positions."""
        return False

    def take_up(self, known: Arrays) -> None:
        """Use the arrays of a model: copies to continue learning, otherwise the arrays themselves."""
        learning = len(self.movers) > 0
        states = known["states"]
        self.positions.recall({"states": states, "values": np.zeros((len(states), 0))})
        arrays = (np.array(known[name]) if learning else known[name] for name in KEPT)
        self.first, self.best, self.scores, self.own, self.other = arrays
        if learning:
            self.first = self.first.astype(np.uint32)  # unsigned like `after`, never negative
        history = known["course"].reshape(-1, 3)
        self.done, self.converged = len(history), bool(known["converged"][0])
        self.history: NDArray[np.float64] = np.zeros((self.episodes if learning else self.done, 3))
        self.history[: self.done] = history

    def model(self) -> dict[str, Any]:
        """Return `states`, the positions, and the attributes of the same names, `converged` as int64 [1].

        `course` is float64 [episodes * 3], the `history` of the episodes done.
        """
        return {
            **{name: np.array(getattr(self, name), kind) for name, kind in KEPT.items()},
            "course": np.array(self.history[: self.done]).ravel(),
            "states": self.positions.model()["states"],
            "converged": np.array([self.converged], np.int64),
        }

    def recall(self, model: Arrays) -> None:
        positions = len(model["states"])
        sizes = {"first": positions + 1, "best": positions, "own": positions, "other": positions}
        sizes["scores"] = int(model["first"][-1]) if positions else 0
        for name, size in sizes.items():
            if positions and model[name].shape != (size,):
                raise ArenaError(f"its {name} are {list(model[name].shape)}, for {positions} positions")
        self.take_up(model)

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        best, _ = self.look_up(state, moves)
        return [1 / len(moves)] * len(moves) if best < 0 else [float(i == best) for i in range(len(moves))]

    def look_up(self, state: State, moves: list[Move]) -> tuple[int, Sequence[float]]:
        """Return the index of the move to play, -1 for any, and the values of all moves, empty if unknown."""
        i = self.positions.find(state)
        if i < 0:
            return -1, ()
        return self.best[i], self.scores[self.first[i] : self.first[i + 1]].tolist()

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return as score the expected discounted reward; None in positions that cannot be reached."""
        _, scores = self.look_up(state, moves)
        known = [View({"score": score + 0.0}) for score in scores]
        return known or [View({"score": None})] * len(moves)

    def findings(self) -> Mapping[str, Sequence[float]]:
        """Return the columns of `history` that have names, by sweep or round."""
        columns = self.history[: self.done].T.tolist()
        numbered = zip(self.columns, [list(range(self.done)), *columns], strict=True)
        return {name: column for name, column in numbered if name}
