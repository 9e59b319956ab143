"""Value iteration and policy iteration: agents that have worked out every position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena import ArenaError, Graph, Move, State, View, option
from arena_agents.planning.published_iteration import Published
from arena_agents.planning.sweeps import OverGraph

MOST_SWEEPS = 100_000  # in a round
ENOUGH_SWEEPS = 2_000  # after which changes of the last digits do not count
ROUNDING = 2.0**-49  # of the largest reward, what these come to


class ValueIteration(Published):
    """Has worked out the value of every position against a known opponent, by value iteration.

    "Math of Turn-Based Strategy Games", for checkers on 4 x 4. A value is the discounted reward to be had by
    the best moves; where the reward comes with the move that ends the match it is not discounted.
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
        """With published=true, score: 1 for the move entered last; value: what the last sweep found."""
        if not self.published:
            return super().explain(state, moves)
        best, scores = self.look_up(state, moves)
        if best < 0:
            return [View({"score": None})] * len(moves)
        return [View({"score": float(i == best), "value": score}) for i, score in enumerate(scores)]


class PolicyIteration(OverGraph):
    """Has worked out the best move in every position against a known opponent, by policy iteration.

    A round finds the values of the moves made so far, and by them better moves, until there are none.
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
        """Round `n`.

        A move gives way to one that is better by more than the threshold, or rounding, and at the end to one
        that is better at all.
        """
        margin = max(self.threshold, ROUNDING * max(abs(self.loss), abs(self.draw), abs(self.win)))
        sweeps = self.evaluate(margin)
        changed = self.improve(margin)
        if changed == 0:
            self.improve(0.0)
        self.write_down(n, changed, sweeps, changed == 0)

    def evaluate(self, margin: float) -> int:
        """Find the values of the moves made, and how many sweeps that takes."""
        sweeps = 1
        change = self.sweep(False)
        while change > (self.threshold if sweeps < ENOUGH_SWEEPS else margin) and sweeps < MOST_SWEEPS:
            change = self.sweep(False)
            sweeps += 1
        return sweeps

    def improve(self, margin: float) -> int:
        """Make the moves that are better by more than the margin; gives in how many positions."""
        first, best, scores = self.first, self.best, self.scores
        changed = 0
        for i in range(len(best)):
            if first[i] < first[i + 1]:
                found = self.score(i)
                if scores[first[i] + found] > scores[first[i] + best[i]] + margin:
                    best[i] = found
                    changed += 1
        return changed
