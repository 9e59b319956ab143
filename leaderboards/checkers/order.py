"""How the games in training of Q-learning over transitions end, by what its document leaves open.

    python leaderboards/checkers/order.py            writes what came out into README.md
    python leaderboards/checkers/order.py --play     trains ten seeds of each, and writes ablation/order.csv

The published opponent makes the first of its best moves, so the order of moves decides which. And nothing
says what a position is to its search in which a side cannot move: a draw, as by the rules, or lost. Last, the
same with the rows of the opponent's pieces counted from the learner's side, as its program has them.
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
COLUMNS = ("by", "backwards", "blocked", "rows", "seed", "games", *COUNTED)
BLOCKED = ("drawn", "lost")  # what a side that cannot move has, to the opponent's search
ROWS = ("opponent", "learner")  # whose side the rows of the opponent's pieces are counted from
VARIANTS = (
    *product(("square", "column"), (False, True), BLOCKED, ROWS[:1]),
    ("square", False, BLOCKED[0], ROWS[1]),
)
BEGIN, END = "<!-- written by order.py -->", "<!-- to here -->"


Variant = tuple[str, bool, str, str]  # as in COLUMNS, up to `rows`


def play(to: Path, seeds: int, games: int) -> None:
    """Train seeds of each, and count how their games end."""
    known = known_with([Blocker], Reordered)
    rows: list[Sequence[object]] = []
    for by, backwards, blocked, counted_from in VARIANTS:
        options = f"by={by},backwards={backwards},rows={counted_from},{RULES.partition(':')[2]}"
        game = known.spec("game", f"reordered:{options}")
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
            rows.append((by, backwards, blocked, counted_from, seed, games, won, lost, tied, transitions))
        print(game.text, opponent, flush=True)
    path = to / "ablation" / "order.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


def counted() -> dict[Variant, list[dict[str, int]]]:
    """Of each variant how games ended, by seed."""
    found: dict[Variant, list[dict[str, int]]] = {}
    with (HERE / "ablation" / "order.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = row["by"], row["backwards"] == "True", row["blocked"], row["rows"]
            found.setdefault(key, []).append({name: int(row[name]) for name in COUNTED})
    return found


def by_order() -> tuple[list[dict[str, int]], list[dict[str, int]]]:
    """All seeds in any order: where a blocked side draws, and where it has lost."""
    found = counted()
    draws, loses = (
        [one for key, rows in found.items() if key[2:] == (has, ROWS[0]) for one in rows] for has in BLOCKED
    )
    return draws, loses


def learners_side() -> list[dict[str, int]]:
    """The seeds of the variant whose opponent's rows are counted from the learner's side."""
    return counted()[VARIANTS[-1]]


def page() -> Iterator[str]:
    """The lines between the marks."""
    rows = []
    for (by, backwards, blocked, counted_from), seeds in counted().items():
        means = [f"{mean_of([row[name] for row in seeds]):.1f}" for name in COUNTED]
        rows.append([f"{by}, backwards" if backwards else by, blocked, counted_from, *means])
    heads = ["moves by", "a blocked side has", "opponent's rows counted from", *COUNTED]
    yield from ("", *table(heads, rows), "")


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
