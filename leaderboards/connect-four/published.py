"""Writes published.csv: every number of "4 in a row" beside ours.

python leaderboards/connect-four/published.py

The document has no figures of how well what it trained plays; what is in it are the game, the features and
the training. Ours are taken from the classes that play and learn.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

from arena.registry.plugins import registry
from arena.training.learners import untrained
from arena_agents.linear.phases import read_schedule, until
from arena_agents.linear.sarsa import Sarsa

HERE = Path(__file__).parent
ITERATIONS = 600_000  # of the whole training, two games each
FEATURES = (
    "a single coin in a potential four",
    "2 coins in a potential four, horizontal",
    "2 coins in a potential four, vertical",
    "2 coins in a potential four, diagonal",
    "3 coins in a potential four, horizontal",
    "3 coins in a potential four, vertical",
    "3 coins in a potential four, diagonal",
    "player 1 has an even threat",
    "player 1 has an odd threat",
    "player 2 has an even threat",
    "player 2 has an odd threat",
    "a threat over an own threat",
    "a threat over an opponent's threat",
    "four in a row",
)
TRAINING = (  # iterations, depth of the learner and of its opponent, learning rate
    ("100,000", "3", "1", "0.001"),
    ("100,000", "3", "2", "0.0001"),
    ("200,000", "3", "3", "0.0001"),
    ("200,000", "5", "5", "0.0001"),
)


def rows() -> Iterator[tuple[str, str, str, str, str]]:
    """Where, what, published, ours, and why it differs."""
    game = registry().spec("game", "connect-four").make()
    size = f"{len({x for x, _ in game.cells})} columns, {len({y for _, y in game.cells})} rows"
    yield "about the project", "size of the board", "7 columns, 6 rows", size, "agrees"
    for number, (name, ours) in enumerate(zip(FEATURES, game.feature_names, strict=True), 1):
        yield "game representation", f"feature {number}", name, ours, "agrees"
    alike = [str(f + 1) for f in range(len(FEATURES)) if game.neutral_features >> f & 1]
    counted = "8 to 11"
    found = f"{alike[0]} to {alike[-1]}"
    yield "game representation", "features that are no difference of both players", counted, found, "agrees"
    learner = untrained(
        registry().spec("agent", "sarsa:schedule=document"), registry().spec("game", "connect-four")
    )
    yield "score function", "weight vectors", "2", str(len(learner.weights) // 2), "agrees"
    lost = game.value(game.read_position("1212121"))  # X has four in a column, and O is to move
    yield "score function", "score of a state won and lost", "1, -1", f"{-lost}, {lost}", "agrees"
    draw, reward, weight = (f"{Sarsa.options[name].default:g}" for name in ("draw", "reward", "first_weight"))
    yield "learning algorithm", "reward of a move", "not said", reward, "an option, reward"
    yield "score function", "score of a tie", "not said", draw, "an option, draw"
    yield "learning algorithm", "weights at first", "not said", weight, "an option, first_weight"
    least = f"1 / (number of updates), no less than {Sarsa.options['epsilon_floor'].default:g}"
    yield (
        *("learning algorithm", "chance of a random move", "1 / (number of updates)", least),
        "a floor is ours; epsilon_floor=0 is as published",
    )
    yield from training()


def training() -> Iterator[tuple[str, str, str, str, str]]:
    """The four rows of the training process."""
    phases = read_schedule(("document",))
    ends = [0, *until(phases, 2 * ITERATIONS)[:-1], 2 * ITERATIONS]
    for number, (published, phase) in enumerate(zip(TRAINING, phases, strict=True), 1):
        games = ends[number] - ends[number - 1]
        ours = (f"{games // 2:,}", str(phase.depth), str(phase.opponent), f"{phase.alpha:g}")
        names = ("iterations", "depth of the learner", "depth of the opponent", "learning rate")
        for name, theirs, mine in zip(names, published, ours, strict=True):
            agrees = "agrees" if float(theirs.replace(",", "")) == float(mine.replace(",", "")) else "differs"
            yield f"training process, {number}", name, theirs, mine, agrees


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of this folder")
    options = parser.parse_args()
    with (options.to / "published.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [("where", "what", "published", "ours", "why"), *rows()]
        )


if __name__ == "__main__":
    main()
