"""Dynamic programming over all positions of a game: what value iteration and policy iteration share.

The learner's decisions are a Markov decision process as long as the opponent moves with known probabilities:
Bellman (1957) for value iteration, Howard (1960) for policy iteration. Where the opponent is the best there
is, it is a zero-sum game of perfect information: Shapley (1953), Hoffman & Karp (1966). Either seat has its
process, and both stand in the same arrays.
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

LIMIT = 1_000_000  # positions, unless somebody asks for more
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
    """Has worked out every position. An episode is a sweep over all of them, or a round of sweeps.

    positions: a table of no values. first: int64 [positions + 1], where the moves of each begin among all.
    best: int64 [positions], the number of the move that is made there, -1 for any. scores: float64 [moves],
    their values. own, other: float64 [positions], the position's value for the learner if it is to move, and
    if the opponent is. history: float64 [episodes, 3]; of each episode done, the largest change of a value,
    or how many moves were changed; sweeps; the first position's value. converged: whether nothing is left to
    do.

    Only for learning: after, movers, outcomes: the graph's (`arena.analysis.graph`), where outcomes are
    called values. probabilities: float64 [moves], with which the opponent makes each.
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
    columns: ClassVar[Sequence[str]]  # what an episode is called, and the columns of `history`, "" for none

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
        """Return a sweep, or a round; always a draw, for nothing is played."""
        if not self.converged:
            if episode == 0:
                self.set_up()
            self.iterate(episode)
        return 0

    def iterate(self, n: int) -> None:
        """Sweep, or round, `n`."""
        raise NotImplementedError  # each below has its own

    def set_up(self) -> None:
        """Prepare for the first sweep: every move is the first, all values but those of ends are 0."""
        for i in range(len(self.best)):
            over = self.first[i] == self.first[i + 1]
            self.best[i] = 0
            self.own[i] = self.reward(self.outcomes[i]) if over else 0.0
            self.other[i] = self.reward(-self.outcomes[i]) if over else 0.0

    def reward(self, outcome: int) -> float:
        """For a match that was won, 1, drawn, 0, or lost, -1."""
        if outcome == 0:
            return self.draw
        return self.win if outcome > 0 else self.loss

    def sweep(self, improve: bool) -> float:
        """Bring all values up to date, the last found positions first; gives the largest change.

        improve: whether the learner makes the best move from now on, or those that it made.
        """
        first, best, own, other, scores = self.first, self.best, self.own, self.other, self.scores
        change = 0.0
        for i in reversed(range(len(best))):
            if first[i] < first[i + 1]:
                found = self.score(i)
                if improve and scores[first[i] + found] > scores[first[i] + best[i]]:
                    # among equals the one found first, which gets on where a later one may turn back
                    best[i] = found
                value = scores[first[i] + best[i]]
                replied = self.reply(i)
                change = max(change, abs(value - own[i]), abs(replied - other[i]))
                own[i] = value
                other[i] = replied
        return change

    def score(self, i: int) -> int:
        """Find the value of each move of position `i` for the learner; gives the first best one's number."""
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
        """Note what sweep, or round, `n` came to."""
        self.history[n, CHANGE] = change
        self.history[n, SWEEPS] = sweeps
        self.history[n, START] = self.own[0]
        self.done = n + 1
        self.converged = converged

    # --- what is known --------------------------------------------------------------------------------------

    def prepare_learning(self) -> None:
        """Find all positions, and how the opponent moves in them."""
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
        """ArenaError if it cannot learn a game like this with these options."""

    def full(self) -> bool:
        """Never: the graph has all positions."""
        return False

    def take_up(self, known: Arrays) -> None:
        """Go by what a model says: to learn on from copies, else from the arrays as they lie."""
        learning = len(self.movers) > 0
        states = known["states"]
        self.positions.recall({"states": states, "values": np.zeros((len(states), 0))})
        arrays = (np.array(known[name]) if learning else known[name] for name in KEPT)
        self.first, self.best, self.scores, self.own, self.other = arrays
        if learning:
            self.first = self.first.astype(np.uint32)  # as `after`: an index from there is never negative
        history = known["course"].reshape(-1, 3)
        self.done, self.converged = len(history), bool(known["converged"][0])
        self.history: NDArray[np.float64] = np.zeros((self.episodes if learning else self.done, 3))
        self.history[: self.done] = history

    def model(self) -> dict[str, Any]:
        """states: the positions. Others as the attributes of these names, converged as int64 [1].

        course: float64 [episodes * 3], `history` of the episodes done.
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
        """Return the index of its move in a position, -1 for any, and the moves' values, none if unknown."""
        i = self.positions.find(state)
        if i < 0:
            return -1, ()
        return self.best[i], self.scores[self.first[i] : self.first[i + 1]].tolist()

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: the discounted reward that the move brings on average; none in a position out of reach."""
        _, scores = self.look_up(state, moves)
        known = [View({"score": score + 0.0}) for score in scores]
        return known or [View({"score": None})] * len(moves)

    def findings(self) -> Mapping[str, Sequence[float]]:
        """Return the values of `columns` for each sweep, or round."""
        columns = self.history[: self.done].T.tolist()
        numbered = zip(self.columns, [list(range(self.done)), *columns], strict=True)
        return {name: column for name, column in numbered if name}
