"""Value iteration and policy iteration: agents that compute a move for every position in advance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena import ArenaError, Graph, Move, State, View, option
from arena_agents.planning.published_iteration import Published
from arena_agents.planning.sweeps import OverGraph

MOST_SWEEPS = 100_000  # maximum number of sweeps in a round
ENOUGH_SWEEPS = 2_000  # number of sweeps after which changes due to rounding are ignored
ROUNDING = 2.0**-49  # size of such changes, relative to the largest reward


class ValueIteration(Published):
    """Computes the value of every position against a known opponent, by value iteration.

    See "Math of Turn-Based Strategy Games", for checkers on 4 x 4. A value is the discounted reward under the
    best moves; the reward is not discounted for the move that ends the match.
    """

    episodes: int = option(1000, "maximum number of sweeps over all positions", low=1)
    published: bool = option(False, "sweep as the published program does, including its faults")
    columns = ("sweep", "change", "", "start")

    @classmethod
    def check(cls, options: Mapping[str, Any]) -> None:
        if options["published"] and str(options["opponent"]) != "random":
            raise ArenaError(f"published=true has its own opponent; leave out opponent={options['opponent']}")

    def prepare(self) -> None:
        if self.published and not hasattr(self.game, "null_move"):
            raise ArenaError(
                f"published=true moves twice in a row, but {self.game} has no null_move; leave published out"
            )
        super().prepare()

    def set_up(self) -> None:
        if self.published:
            self.forget()
        else:
            super().set_up()

    def iterate(self, n: int) -> None:
        if self.published:
            self.published_sweep(n)
        else:
            change = self.sweep(True)
            self.write_down(n, change, 1, change <= self.threshold)

    def explain(self, state: State, moves: list[Move]) -> Sequence[View]:
        """Return views; with published=true, the score is 1 for the move stored last, otherwise 0."""
        if not self.published:
            return super().explain(state, moves)
        best, scores = self.look_up(state, moves)
        if best < 0:
            return [View({"score": None})] * len(moves)
        return [View({"score": float(i == best), "value": score}) for i, score in enumerate(scores)]


class PolicyIteration(OverGraph):
    """Computes the best move in every position against a known opponent, by policy iteration.

    Each round evaluates the current moves and then improves them, until no better moves are found.
    """

    episodes: int = option(1000, "maximum number of rounds", low=1)
    columns = ("round", "changed", "sweeps", "start")

    def check_graph(self, graph: Graph) -> None:
        if self.gamma == 1 and graph.comes_back:
            raise ArenaError(
                f"gamma=1: at {self.game} play can come back to where it was, where rounds may settle for a "
                "loss; take gamma below 1, or value-iteration"
            )

    def iterate(self, n: int) -> None:
        """Do round `n`.

        A move is replaced by one that is better by more than the threshold, or than rounding errors, and in
        the end by any better one.
        """
        margin = max(self.threshold, ROUNDING * max(abs(self.loss), abs(self.draw), abs(self.win)))
        sweeps = self.evaluate(margin)
        changed = self.improve(margin)
        if changed == 0:
            self.improve(0.0)
        self.write_down(n, changed, sweeps, changed == 0)

    def evaluate(self, margin: float) -> int:
        """Compute the values under the current moves; return the number of sweeps."""
        sweeps = 1
        change = self.sweep(False)
        while change > (self.threshold if sweeps < ENOUGH_SWEEPS else margin) and sweeps < MOST_SWEEPS:
            change = self.sweep(False)
            sweeps += 1
        return sweeps

    def improve(self, margin: float) -> int:
        """Replace moves by those better by more than the margin; return in how many positions."""
        first, best, scores = self.first, self.best, self.scores
        changed = 0
        for i in range(len(best)):
            if first[i] < first[i + 1]:
                found = self.score(i)
                if scores[first[i] + found] > scores[first[i] + best[i]] + margin:
                    best[i] = found
                    changed += 1
        return changed
