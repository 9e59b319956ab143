"""What the phases of a published schedule do to Sarsa, one by one: a table in README.md.

    python leaderboards/connect-four/schedule.py [--to FOLDER]

Reads schedule/*.csv: learning curves of ten seeds at the document's chance of a random move, with a point at
the end of each phase. They have a two-hundredth of the document's games.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from curves import table  # noqa: E402

from arena.ratings.comparison import holm, mean_of, paired  # noqa: E402
from arena.show.curve import read_one  # noqa: E402

CURVES = {  # by file: what is done, the first is what the others are compared with
    "document": "as in the document",
    "first-mended": "phase 1 at equal depths, 3 v 3",
    "second-mended": "phase 2 at equal depths, 3 v 3",
    "equal": "both, `schedule=equal`",
}
PHASES = ("untrained", "after 3 v 1", "after 3 v 2", "after 3 v 3", "after 5 v 5")  # of the document
BEGIN, END = "<!-- written by schedule.py -->", "<!-- to here -->"

Scores = Mapping[int, Sequence[float]]  # by games, per cent of the score of each seed


def scores(name: str) -> Scores:
    """Both seats pooled, in the order of seeds."""
    found: dict[int, dict[int, float]] = {}
    for row in read_one(str(HERE / "schedule" / f"{name}.csv")):
        seeds = found.setdefault(row.episodes, {})
        seeds[row.seed] = seeds.get(row.seed, 0.0) + 50 * row.score
    return {games: [seeds[seed] for seed in sorted(seeds)] for games, seeds in sorted(found.items())}


def section() -> Iterator[str]:
    """The lines of the table, and what follows from it."""
    curves = {name: scores(name) for name in CURVES}
    document = curves["document"]
    games = [*document]
    seeds = len(document[games[0]])
    yield "## The schedule, phase by phase"
    yield ""
    yield (
        f"Sarsa with {games[-1]:,} games, the phases of the document in their proportions, its chance of "
        f"a random move (`epsilon_floor=0`), and {seeds} seeds: per cent of the score against "
        "`alpha-beta:depth=4` from random openings, both seats, ± 95 % (Student's t). Phase 1, in which "
        f"the opponent searches one ply, costs {less(curves, 'first-mended', games[1])} points, and phase "
        f"2, in which it searches two plies, {less(curves, 'second-mended', games[2])}. `schedule=equal` "
        "corrects both: the opponent searches as deeply as the learner."
    )
    yield ""
    heads = ["schedule", *(f"{phase}, {n:,} games" for phase, n in zip(PHASES, games, strict=True))]
    lines = [[said, *(f"{mean_of(curves[name][n]):.1f}" for n in games)] for name, said in CURVES.items()]
    yield from table(heads, lines)
    yield ""
    yield from differences(curves, games)


def less(curves: Mapping[str, Scores], name: str, games: int) -> str:
    """How much less the document's schedule has than a repaired one."""
    pairs = zip(curves[name][games], curves["document"][games], strict=True)
    return f"{mean_of([repaired - as_it_is for repaired, as_it_is in pairs]):.1f}"


def differences(curves: Mapping[str, Scores], games: Sequence[int]) -> Iterator[str]:
    """What each repair brings over the document, seed by seed, p after Holm."""
    document = curves["document"]
    cells = [(name, n) for name in [*CURVES][1:] for n in games[1:]]
    found = [[a - b for a, b in zip(curves[name][n], document[n], strict=True)] for name, n in cells]
    chances = holm([paired(each) for each in found])
    told = {
        cell: f"{mean_of(each):+.1f}, p {chance:.3f}".replace("p 0.000", "p < .001")
        for cell, each, chance in zip(cells, found, chances, strict=True)
    }
    yield (
        "The difference from the document's schedule, seed by seed, with p-values corrected by Holm (1979):"
    )
    yield ""
    heads = ["schedule", *(f"{n:,} games" for n in games[1:])]
    yield from table(heads, [[CURVES[name], *(told[name, n] for n in games[1:])] for name in [*CURVES][1:]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=HERE, metavar="FOLDER", help="instead of this one")
    asked = parser.parse_args()
    before, rest = (HERE / "README.md").read_text(encoding="utf-8").split(BEGIN)
    text = "\n".join([before + BEGIN, "", *section(), "", END + rest.partition(END)[2]])
    (asked.to / "README.md").write_text(text, encoding="utf-8")
    print(f"wrote {asked.to / 'README.md'}")


if __name__ == "__main__":
    main()
