"""Q-learners of tic-tac-toe trained with many seeds, each evaluated exactly: seeds.csv.

    python leaderboards/tic-tac-toe/seeds.py [--seeds N] [--to FILE]

A row is a measure of the learners of one kind: its mean, standard deviation and quantiles over seeds, for how
many of them it is more than 0, and its mean over these. Measures are the probabilities to win and to lose
against an opponent as X and as O; the mean score of both seats; the probability to lose to random play from
either seat, which is 0 for who never loses to anybody; `turns met` and `moves met`, positions before and
after own moves of training matches; and `entries`, of the table. Positions alike by symmetry are one. Where
positions enter the table when they are read, `positions known` is how many there are after training, and
`positions known then` how many to expect after the program's demonstration, 1000 matches a pairing.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import Rng, Table
from arena.analysis.graph import Graph, graph_of
from arena.analysis.policy import policy
from arena.api.game import Move, State
from arena.registry.plugins import registry
from arena.training.learners import untrained
from arena_agents.tabular.q_table import DoubleQ, QTable

Floats = NDArray[np.float64]

FILE = Path(__file__).parent / "seeds.csv"
SEEDS = 1000
FEWER = 5  # times fewer of ours, which learn from ten times as many games
AGAINST = ("random", "minimax", "minimax:ties=first")
ITSELF = "itself"
DOCUMENT = "episodes=14000,alpha=0.4"
REWARDS = ("draw=0,loss=-1", "draw=1,loss=0")
NAMES = ("q-table", "double-q")
PUBLISHED = [  # kinds of learners
    f"{name}:{DOCUMENT},{rewards}{opponent}"
    for opponent in ("", ",opponent=minimax")
    for rewards in REWARDS
    for name in NAMES
]
PAIRS = [  # as the article has its learners: a value for each position and move
    f"q-table:{DOCUMENT},{REWARDS[0]}{opponent},keyed=pair" for opponent in ("", ",opponent=minimax")
]
OURS = [
    f"{name}{options}"
    for options in ("", ":draw=0", ":draw=0.5", ":draw=1", ":alpha=0.4", ":episodes=14000")
    for name in NAMES
]
KINDS = PUBLISHED + PAIRS + OURS
DEMONSTRATION = 1000  # matches a pairing
COLUMNS = (
    "entry",
    "seeds",
    "measure",
    "mean",
    "sd",
    "least",
    "5 %",
    "median",
    "95 %",
    "most",
    "over 0",
    "mean of these",
)


class Met(QTable):
    """Notes the positions before and after its own moves in training."""

    def prepare(self) -> None:
        super().prepare()
        self.turns_met, self.moves_met = Table(self.game), Table(self.game)

    def take_turn(self, state: State, moves: list[Move], mover: int, epsilon: float, rng: Rng) -> int:
        chosen = super().take_turn(state, moves, mover, epsilon, rng)
        self.turns_met[self.folded(state)] = 1.0
        self.moves_met[self.folded(self.game.play(state, moves[chosen]))] = 1.0
        return chosen


class MetTwice(Met):
    """The same, with two tables."""

    width = DoubleQ.width


NOTING = {QTable: Met, DoubleQ: MetTwice}


class Evaluation:
    """The game as a graph, in plies, and what matches between two policies come to.

    A policy is float64 [moves], the probability of each move in its position. folded: of each move, the
    number of the position after it in `numbers`, all images of a position being one.
    """

    def __init__(self) -> None:
        self.game = registry().spec("game", "tic-tac-toe")
        self.graph: Graph = graph_of(self.game.make())
        folder: Any = untrained(registry().spec("agent", "q-table"), self.game)
        graph, fold = self.graph, folder.folded
        self.before = graph.before
        self.mover = graph.movers[self.before]
        images = [tuple(fold(graph.position(i))) for i in graph.after.tolist()]
        self.numbers = {image: i for i, image in enumerate(dict.fromkeys(images))}
        self.folded = np.array([self.numbers[image] for image in images])
        positions = [graph.position(i) for i in range(len(graph))]
        self.turns = [tuple(fold(position)) for position in positions]  # of each position the least image
        self.pairs = [
            (self.turns[i], folder.turned(move, folder.turn_to(self.turns[i], positions[i])))
            for i in range(len(graph))
            for move in graph.game.moves(positions[i])
        ]
        self.opponents = {text: self.policy_of(text) for text in AGAINST}
        plies = [0]
        while plies[-1] < len(graph):  # breadth first: positions of a ply stand together
            plies.append(int(graph.after[: graph.first[plies[-1]] or 1].max()) + 1 if plies[-1] else 1)
        self.plies = plies

    def policy_of(self, text: str) -> Floats:
        """The policy of an agent that does not learn."""
        return policy(registry().spec("agent", text).make(self.graph.game), self.graph)

    def greedy(self, scores: Floats) -> Floats:
        """The policy that makes the first of the best moves, by a score for each."""
        graph = self.graph
        starts = graph.first[:-1][~graph.over]
        best = np.repeat(np.maximum.reduceat(scores, starts), np.diff(graph.first)[~graph.over])
        chosen = np.flatnonzero(scores == best)
        _, firsts = np.unique(self.before[chosen], return_index=True)
        found = np.zeros(len(scores))
        found[chosen[firsts]] = 1.0
        return found

    def play(self, x: Floats, o: Floats) -> tuple[float, float]:
        """The probabilities that X wins and that O does."""
        graph, mass = self.graph, self.reached(x, o)
        outcomes = np.where(graph.movers == 0, graph.values, -graph.values)  # from X's side
        return float(mass[outcomes == 1].sum()), float(mass[outcomes == -1].sum())

    def reached(self, x: Floats, o: Floats) -> Floats:
        """The probability that a match comes to each position."""
        graph, chosen = self.graph, np.where(self.mover == 0, x, o)
        mass = np.zeros(len(graph))
        mass[0] = 1.0
        for start, stop in zip(self.plies, self.plies[1:], strict=False):
            moves = slice(graph.first[start], graph.first[stop])
            mass += np.bincount(
                graph.after[moves], mass[self.before[moves]] * chosen[moves], minlength=len(graph)
            )
        return mass

    def read_in_demonstration(self, own: Floats, known: set[tuple[int, ...]]) -> float:
        """How many positions to expect in the table when the matches of the demonstration have been played.

        known: those there are before. The learner plays all opponents from either seat, and itself.
        """
        graph, missed = self.graph, dict.fromkeys(self.turns, 1.0)
        for x, o, seats in [
            *((own, other, (0,)) for other in self.opponents.values()),
            *((other, own, (1,)) for other in self.opponents.values()),
            (own, own, (0, 1)),
        ]:
            chances = dict.fromkeys(self.turns, 0.0)
            mass = self.reached(x, o)
            for i in np.flatnonzero((mass > 0) & ~graph.over & np.isin(graph.movers, seats)).tolist():
                chances[self.turns[i]] += mass[i]
            for turn, chance in chances.items():
                missed[turn] *= max(1 - chance, 0.0) ** DEMONSTRATION
        return len(known) + sum(1 - chance for turn, chance in missed.items() if turn not in known)

    def measures(self, own: Floats, own_name: str = ITSELF) -> dict[str, float]:
        """Of a policy: how it does against each opponent and against itself."""
        found = {}
        for name, other in {**self.opponents, own_name: own}.items():
            for seat, (won, lost) in {"X": self.play(own, other), "O": self.play(other, own)[::-1]}.items():
                found[f"{name}, as {seat}, won"] = won
                found[f"{name}, as {seat}, lost"] = lost
            seats = [found[f"{name}, as {seat}, {how}"] for seat in "XO" for how in ("won", "lost")]
            found[f"{name}, score"] = (2 + seats[0] - seats[1] + seats[2] - seats[3]) / 4
        found["random, lost"] = (found["random, as X, lost"] + found["random, as O, lost"]) / 2
        return found

    def learned(self, kind: str, seed: int) -> dict[str, float]:
        """The measures of a learner of a kind, trained with a seed."""
        spec = registry().spec("agent", f"{kind}{',' if ':' in kind else ':'}seed={seed}")
        pupil: Any = NOTING[spec.cls](self.graph.game, **spec.values)
        pupil.learn_many(range(pupil.episodes), [0, 0, 0])
        model = pupil.model()
        met = {"turns met": pupil.turns_met.size, "moves met": pupil.moves_met.size}
        states = [tuple(state) for state in model["states"].tolist()]
        if pupil.pairs:
            moves = zip(states, model["moves"].tolist(), strict=True)
            valued = dict(zip(moves, model["values"][:, 0].tolist(), strict=True))
            own = self.greedy(np.array([valued.get(pair, 0.0) for pair in self.pairs]))
            then = self.read_in_demonstration(own, set(states))
            met |= {"positions known": len(set(states)), "positions known then": then}
        else:
            values = np.zeros(len(self.numbers))
            for state, value in zip(states, model["values"].mean(axis=1), strict=True):
                values[self.numbers[state]] = value
            own = self.greedy(values[self.folded])
        return {**self.measures(own), **met, "entries": len(states)}


def summary(entry: str, each: Sequence[Mapping[str, float]]) -> Iterator[list[str | int]]:
    """The rows of one kind, of the measures of each seed."""
    for measure in each[0]:
        values = np.array([found[measure] for found in each])
        over = values[values > 0]
        quantiles = np.quantile(values, [0, 0.05, 0.5, 0.95, 1], method="inverted_cdf")
        spread = values.std(ddof=1) if len(values) > 1 else 0.0
        numbers = [values.mean(), spread, *quantiles]
        shown = [f"{number:.6f}" for number in numbers]
        yield [entry, len(values), measure, *shown, len(over), f"{over.mean() if len(over) else 0:.6f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="learners of each kind")
    parser.add_argument("--only", choices=KINDS, metavar="ENTRY", help="of learners")
    parser.add_argument("--to", type=Path, default=FILE, metavar="FILE", help="instead of seeds.csv")
    asked = parser.parse_args()
    evaluation = Evaluation()
    rows: list[list[str | int]] = []
    for text, own in evaluation.opponents.items():
        rows += summary(text, [evaluation.measures(own)])
    for kind in [asked.only] if asked.only else KINDS:
        seeds = asked.seeds if kind in PUBLISHED + PAIRS else max(asked.seeds // FEWER, 1)
        rows += summary(kind, [evaluation.learned(kind, seed) for seed in range(seeds)])
        print(f"{kind}: {seeds} seeds", flush=True)
    with asked.to.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
