"""How the games in training of Q-learning over transitions end, by what its document leaves open.

    python leaderboards/checkers/order.py            writes what came out into README.md
    python leaderboards/checkers/order.py --play     trains ten seeds of each, and writes ablation/order.csv

The published opponent makes the first of its best moves, so the order of moves decides which. And nothing
says what a position is to its search in which a side cannot move: a draw, as by the rules, or lost.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from reordered import Blocker, Reordered

from arena.calls.arguments import known_with
from arena.ratings.comparison import mean_of
from arena.training.learners import untrained

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from ablation import DETERMINED, PUBLISHED, RULES, SEEDS  # noqa: E402
from curves import table  # noqa: E402

GAMES = 2500
COUNTED = ("won", "lost", "tied", "transitions")
COLUMNS = ("by", "backwards", "blocked", "seed", "games", *COUNTED)
BLOCKED = ("drawn", "lost")  # what a side that cannot move has, to the opponent's search
BEGIN, END = "<!-- written by order.py -->", "<!-- to here -->"


def play(to: Path, seeds: int, games: int) -> None:
    """Train seeds of each, and count how their games end."""
    known = known_with([Blocker], Reordered)
    rows: list[Sequence[object]] = []
    for by, backwards, blocked in product(("square", "column"), (False, True), BLOCKED):
        game = known.spec("game", f"reordered:by={by},backwards={backwards},{RULES.partition(':')[2]}")
        opponent = DETERMINED.replace("alpha-beta:", f"blocker:blocked={blocked},")
        options = PUBLISHED.replace(DETERMINED, opponent)
        for seed in range(seeds):
            learner, ends = (
                untrained(known.spec("agent", f"transition-q:seed={seed},{options}"), game),
                [0, 0, 0],
            )
            learner.learn_many(range(games), ends)
            lost, tied, won = ends
            transitions = len(learner.model()["values"])
            rows.append((by, backwards, blocked, seed, games, won, lost, tied, transitions))
        print(game.text, opponent, flush=True)
    path = to / "ablation" / "order.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


def counted() -> dict[tuple[str, bool, str], list[dict[str, int]]]:
    """Of each order, and what a blocked side has, how games ended by seed."""
    found: dict[tuple[str, bool, str], list[dict[str, int]]] = {}
    with (HERE / "ablation" / "order.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = row["by"], row["backwards"] == "True", row["blocked"]
            found.setdefault(key, []).append({name: int(row[name]) for name in COUNTED})
    return found


def by_order() -> tuple[list[dict[str, int]], list[dict[str, int]]]:
    """All seeds in any order: where a blocked side draws, and where it has lost."""
    found = counted()
    draws, loses = ([one for key, rows in found.items() if key[2] == has for one in rows] for has in BLOCKED)
    return draws, loses


def page() -> Iterator[str]:
    """The lines between the marks."""
    rows = []
    for (by, backwards, blocked), seeds in counted().items():
        means = [f"{mean_of([row[name] for row in seeds]):.1f}" for name in COUNTED]
        rows.append([f"{by}, backwards" if backwards else by, blocked, *means])
    yield from ("", *table(["moves by", "a blocked side has", *COUNTED], rows), "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--play", action="store_true", help="train, and write ablation/order.csv")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="learners of each kind")
    parser.add_argument("--games", type=int, default=GAMES, help="that each learns from")
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of this folder")
    options = parser.parse_args()
    if options.play:
        play(options.to, options.seeds, options.games)
        return
    before, rest = (HERE / "README.md").read_text(encoding="utf-8").split(BEGIN)
    text = "\n".join([before + BEGIN, *page(), END + rest.partition(END)[2]])
    (options.to / "README.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
