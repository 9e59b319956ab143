"""Writes published.csv: every number of "Checkers-Reinforcement-Learning" and its program, beside ours.

python leaderboards/checkers/published.py          from the results of ablation.py, and speed.json
python leaderboards/checkers/published.py --time   measures speed.json, and no more
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from arena.ratings.comparison import mean_of, predicted
from arena.registry.plugins import registry
from arena.training.learners import untrained
from arena_agents.abstract.transition_q import TransitionQ
from arena_games.checkers.material import Material

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from ablation import PUBLISHED, RULES, counted  # noqa: E402
from order import by_order  # noqa: E402

FEATURES = (  # with the lowest bit that each has in an abstract state, and how many there are
    ("own uncrowned pieces", 0, 6),
    ("the opponent's uncrowned pieces", 6, 6),
    ("own kings", 12, 6),
    ("the opponent's kings", 18, 6),
    ("own pieces on the left and right edges", 24, 6),
    ("own vertical centre of mass, as an integer", 30, 3),
    ("the opponent's vertical centre of mass, as an integer", 33, 3),
)
# what the published program has, in the words of its settings, and the option that stands for it
SETTINGS = (
    ("learning rate", "0.005", "alpha"),
    ("discount", "0.3", "discount"),
    ("probability of a random move in training", "0.25", "epsilon"),
    ("value of a transition not known", "10", "first_value"),
    ("reward for a win, and less for a loss", "12", "win"),
    ("moves that end a training game", "500", "max_plies"),
)
GAMES = 2500


def rows() -> Iterator[tuple[str, str, str, str, str]]:
    """Where, what, published, ours, and why it differs."""
    game = registry().spec("game", RULES).make()
    start = game.abstract(game.initial(), 0)
    for number, (name, low, width) in enumerate(FEATURES, 1):
        value = start >> low & (1 << width) - 1
        why = (
            "agrees"
            if number < 7
            else "counted from the opponent's own side, in the program from the learner's"
        )
        yield "state characteristics", f"{number}: {name}", "counted", f"counted, {value} at the start", why
    man, king = (Material.options[name].default for name in ("man", "king"))
    yield "text, alpha-beta", "worth of a piece and of a king", "1, 2", f"{man:g}, {king:g}", "agrees"
    win = "infinity, minus infinity"
    yield "text, alpha-beta", "a game won and lost", win, "beyond every evaluation", "agrees"
    for name, published, option in SETTINGS:
        value = f"{TransitionQ.options[option].default:g}"
        yield "program, settings", name, published, value, "agrees" if value == published else "an option"
    protocol = TransitionQ.protocols["document"]
    points = protocol.points
    yield "program, settings", "rounds of training", "25", str(len(points)), "agrees"
    yield "program, settings", "games in a round", "100", str(points[1] - points[0]), "agrees"
    yield from after_a_round(protocol.matches, protocol.against[0])
    depth = "alpha-beta:depth=2" in str(TransitionQ.options["opponent"].default)
    yield "program, settings", "depth of the opponent in training", "2", "2" if depth else "?", "agrees"
    yield from trained()
    yield from speed()


def after_a_round(matches: int, against: str) -> Iterator[tuple[str, str, str, str, str]]:
    """The games after each round."""
    depth = against.partition("depth=")[2].partition(",")[0]
    both = "from either seat, where the program has the first alone"
    yield "program, settings", "games after each round, without learning or chance", "5", str(matches), both
    yield "program, settings", "depth of the opponent in these", "3", depth, "agrees"


def trained() -> Iterator[tuple[str, str, str, str, str]]:
    """How the games in training ended."""
    seeds = counted()["as published"]
    where = "program, after training"
    for name, published, key in (
        ("games won of 2500 against depth 2", "0", "won"),
        ("games lost", "1557", "lost"),
        ("games tied", "942", "tied"),
        ("transitions known", "24308", "transitions"),
    ):
        found = [row[key] for row in seeds]
        ours = f"{mean_of(found):.1f} ({min(found)} to {max(found)}), ten seeds"
        yield where, name, published, ours, reproduced(int(published), found, key)
    changed = mean_of([row["won"] for row in counted()["all six changes"]])
    name = "games won of 2500 with all six changes"
    yield where, name, "not published", f"{changed:.1f}", "not published: changes of ours"


FAULTS = (
    "a total of the program, not of the method. In it the length of a game decides who begins the next, the"
    " features of the second player are wrong, and a king whose captures end where they began is gone; it"
    " ends 2,499 of 2,500 games. A number by these faults says nothing of the learner, and none is copied"
)


def reproduced(published: int, found: list[int], key: str) -> str:
    """Whether one more training would give what was published."""
    low, high = predicted(found)
    told = f"one training would give {max(low, 0):.0f} to {high:.0f}"
    if low <= published <= high:
        return f"compatible: {told}"
    draws, loses = ([row[key] for row in rows] for rows in by_order())
    return (
        f"not reproducible: {FAULTS}. By the rules {told}; in four orders of moves it is {min(draws):,} to"
        f" {max(draws):,}, and {min(loses):,} to {max(loses):,} where a side that cannot move has lost to the"
        " opponent's search"
    )


def speed() -> Iterator[tuple[str, str, str, str, str]]:
    """Games in training, by the second."""
    told = json.loads((HERE / "speed.json").read_text(encoding="utf-8"))["games a second"]
    yield (
        "program",
        "games of training a second",
        "14 to 22",
        f"{told:,.0f}",
        "the published form, compiled, one core",
    )


def measure() -> None:
    """Write speed.json: the median of three times of training."""
    times = []
    for seed in range(4):  # the first compiles
        entry = registry().spec("agent", f"transition-q:seed={seed},{PUBLISHED}")
        learner = untrained(entry, registry().spec("game", RULES))
        start = process_time()
        learner.learn_many(range(GAMES), [0, 0, 0])
        times.append(process_time() - start)
    found = {"games a second": round(GAMES / statistics.median(times[1:]))}
    (HERE / "speed.json").write_text(json.dumps(found) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--time", action="store_true", help="measure speed.json instead")
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of this folder")
    options = parser.parse_args()
    if options.time:
        measure()
        return
    with (options.to / "published.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [("where", "what", "published", "ours", "why"), *rows()]
        )


if __name__ == "__main__":
    main()
