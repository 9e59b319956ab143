"""Agents that have worked out every position: kernels in `sweeps`, options here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from arena import ArenaError, FastGame, FastLearner, Rng, Spec, View, option, pack_states, unpack_states
from arena.game import Move, State
from arena.graph import LIMIT, Graph, graph_of
from arena.index import cleared, places
from arena.kernel import States, variant
from arena.learner import Arrays as Model
from arena.learner import Tally
from arena.policy import Unsaid, policy
from arena_agents import published_iteration, sweeps

REMEDY = "set limit to more of them, or take a learner that plays games, such as q-table"
KEPT = {  # by name in the model: where it is among the arrays, and its kind
    "first": (sweeps.FIRST, np.int64),
    "best": (sweeps.BEST, np.int64),
    "scores": (sweeps.SCORES, np.float64),
    "own": (sweeps.OWN, np.float64),
    "other": (sweeps.OTHER, np.float64),
    "course": (sweeps.COURSE, np.float64),
}


class OverGraph(FastLearner):
    """What such agents share. An episode is a sweep over all positions, or a round of sweeps."""

    opponent: Spec | str = option(
        "random",
        "whom it plays best against; 'optimal' for the best there is",
        kind="agent",
        also=("optimal",),
    )
    gamma: float = option(0.9, "discount a move; below 1 it prefers to win sooner", low=0, high=1)
    win: float = option(10_000.0, "reward for a win")
    draw: float = option(0.0, "reward for a draw")
    loss: float = option(-10_000.0, "reward for a loss")
    threshold: float = option(1e-9, "it is done when no value changes by more", low=0)
    limit: int = option(LIMIT, "positions at most", low=1)
    unasked = ("enumeration",)
    plays = False
    kernel = sweeps
    lists = 2
    columns: ClassVar[Sequence[str]]  # what an episode is called, and the numbers of COURSE, "" for none

    def prepare(self) -> None:
        self.kernel = variant(self.kernel, self.constants())
        self.graph: Graph | None = None  # which only learning takes, and the opponent's chances
        self.chances: Any = ()
        self.known: Model = {name: np.zeros(0, kind) for name, (_, kind) in KEPT.items()}
        self.known = {**self.known, "states": self.packed([]), "converged": np.zeros(1, np.int64)}

    def constants(self) -> dict[str, int]:
        """Of the kernels, for these options."""
        return {"OPTIMAL": int(self.opponent == "optimal")}

    def packed(self, states: Any) -> Any:
        """Positions as a model has them."""
        if isinstance(self.game, FastGame):
            return np.asarray(states, np.int64).reshape(-1, len(self.game.initial()))
        return pack_states(self.game, states)

    def arrays(self) -> Sequence[Any]:
        known, positions = self.known, len(self.known["states"])
        states = known["states"] if isinstance(self.game, FastGame) else unpack_states(known["states"])
        done = len(known["course"]) // sweeps.COLUMNS
        settings = [places(positions) - 1, positions, done, int(known["converged"][0]), -1]
        arrays = [settings, cleared(places(positions)), States(positions, states)]
        if self.graph is None:  # what is read alone is shared where it lies
            arrays += [known[name] for name in KEPT]
        else:
            arrays += [np.array(known[name]) for name in KEPT]
        rates = [self.gamma, self.threshold, self.loss, self.draw, self.win]
        if self.graph is None:
            return *arrays, rates, (), (), (), ()
        arrays[sweeps.COURSE] = np.zeros(self.episodes * sweeps.COLUMNS)
        arrays[sweeps.COURSE][: len(known["course"])] = known["course"]
        return *arrays, rates, self.graph.after, self.graph.movers, self.graph.values, self.chances

    def equip(self) -> None:
        super().equip()
        if positions := len(self.known["states"]):
            self.player.run("enter", positions)

    def learn_many(self, numbers: range, tally: Tally) -> None:
        if self.graph is None:
            self.begin_learning()
        super().learn_many(numbers, tally)

    def begin_learning(self) -> None:
        """Find all positions, and how the opponent moves in them."""
        graph = graph_of(self.game, self.limit, REMEDY)
        self.check_graph(graph)
        positions, moves = len(graph), len(graph.after)
        if isinstance(self.opponent, Spec):
            try:
                self.chances = policy(self.opponent.make(self.game), graph)
            except Unsaid as error:
                raise Unsaid(f"{error}; name another opponent, such as random") from error
        if not len(self.known["states"]):
            sizes = {"best": positions, "scores": moves, "own": positions, "other": positions, "course": 0}
            empty = {name: np.zeros(size, KEPT[name][1]) for name, size in sizes.items()}
            states = self.packed(graph.states)
            self.known = {**self.known, **empty, "states": states, "first": graph.first}
        self.graph = graph
        self.equip()

    def check_graph(self, graph: Graph) -> None:
        """ArenaError if it cannot learn a game like this with these options."""

    def model(self) -> Model:
        """states: the positions; first: int64 [positions + 1], where the moves of each begin among all.

        best: int64 [positions], the number of the move made there, -1 for any. scores: float64 [moves], their
        values. own, other: float64 [positions], the position's value for it if it is to move, and if the
        opponent is. course: float64 [episodes * 3], see `columns`. converged: int64 [1], 1 if it is done.
        """
        arrays = self.player.arrays
        settings = list(map(int, arrays[sweeps.SETTINGS]))
        found = {name: np.array(arrays[place], kind) for name, (place, kind) in KEPT.items()}
        found["course"] = found["course"][: settings[sweeps.DONE] * sweeps.COLUMNS]
        converged = np.array([settings[sweeps.CONVERGED]], np.int64)
        return {**found, "states": self.known["states"], "converged": converged}

    def recall(self, model: Model) -> None:
        states, usual = model["states"], self.packed([])
        if (states.shape[1:], states.dtype.kind) != (usual.shape[1:], usual.dtype.kind):
            raise ArenaError(f"its states are {states.dtype}{list(states.shape)}, not those of {self.game}")
        positions = len(states)
        sizes = {"first": positions + 1, "best": positions, "own": positions, "other": positions}
        sizes["scores"] = int(model["first"][-1]) if positions else 0
        for name, size in sizes.items():
            if positions and model[name].shape != (size,):
                raise ArenaError(f"its {name} are {list(model[name].shape)}, for {positions} positions")
        self.known = model
        self.equip()

    def distribution(self, state: State, moves: list[Move]) -> Sequence[float]:
        best = self.look_up(state, moves)[0]
        return [1 / len(moves)] * len(moves) if best < 0 else [float(i == best) for i in range(len(moves))]

    def look_up(self, state: State, moves: list[Move]) -> tuple[int, Any]:
        """The number of the move it makes in a position, -1 for any, and their values, none if unknown."""
        self.choose(state, moves, Rng())
        arrays = self.player.arrays
        entry = int(arrays[sweeps.SETTINGS][sweeps.ASKED])
        if entry < 0:
            return -1, ()
        first = int(arrays[sweeps.FIRST][entry])
        return int(arrays[sweeps.BEST][entry]), arrays[sweeps.SCORES][first : first + len(moves)]

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """score: the discounted reward that the move brings on average; none in a position out of reach."""
        _, scores = self.look_up(state, moves)
        known = [View({"score": float(score) + 0.0}) for score in scores]
        return known or [View({"score": None})] * len(moves)

    def findings(self) -> Mapping[str, Sequence[float]]:
        """Of each sweep, or round, what `columns` say."""
        course = self.model()["course"].reshape(-1, sweeps.COLUMNS)
        numbered = zip(self.columns, [list(range(len(course))), *course.T.tolist()], strict=True)
        return {name: column for name, column in numbered if name}


class ValueIteration(OverGraph):
    """Has worked out the value of every position against a known opponent, by value iteration.

    "Math of Turn-Based Strategy Games", for checkers on 4 x 4. A value is the discounted reward to be had by
    the best moves; where the reward comes with the move that ends the match it is not discounted.
    """

    episodes: int = option(1000, "sweeps over all positions, at most", low=1)
    published: bool = option(False, "go over them as the published program does, faults and all")
    columns = ("sweep", "change", "", "start")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if options["published"] and str(options["opponent"]) != "random":
            raise ArenaError(
                f"published=true has an opponent of its own; leave out opponent={options['opponent']}"
            )

    def prepare(self) -> None:
        if self.published:
            if not hasattr(self.game.rules, "null_move"):
                raise ArenaError(
                    f"published=true moves twice in a row, and {self.game} has no null_move in its rules, "
                    "by which to do so; leave published out"
                )
            self.kernel = published_iteration
        super().prepare()

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """With published=true, score: 1 for the move entered last; value: what the last sweep found."""
        if not self.published:
            return super().explain(state, moves)
        best, scores = self.look_up(state, moves)
        if best < 0:
            return [View({"score": None})] * len(moves)
        return [View({"score": float(i == best), "value": float(score)}) for i, score in enumerate(scores)]


class PolicyIteration(OverGraph):
    """Has worked out the best move in every position against a known opponent, by policy iteration.

    A round finds the values of the moves made so far, and by them better moves, until there are none.
    """

    episodes: int = option(1000, "rounds, at most", low=1)
    columns = ("round", "changed", "sweeps", "start")

    def constants(self) -> dict[str, int]:
        return {**super().constants(), "POLICY": 1}

    def check_graph(self, graph: Graph) -> None:
        if self.gamma == 1 and graph.comes_back:
            raise ArenaError(
                f"gamma=1: at {self.game} play can come back to where it was, where rounds may settle for a "
                "loss; take gamma below 1, or value-iteration"
            )
