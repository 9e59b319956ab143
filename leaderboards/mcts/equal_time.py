"""UCT against alpha-beta at equal time: writes equal-time.csv.

    python leaderboards/mcts/equal_time.py

budgets.csv has the budgets with which moves of either took about as long, found once, by the clock, with

    arena match mcts:OPTIONS alpha-beta --game GAME --openings random:4 --equal-time SECONDS

and the seconds that they took then. With these budgets the matches repeat to the bit. A row for each: the
matches that `mcts` won, drew and lost, and its score in per cent with the 95 % interval of pairs of matches.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping
from pathlib import Path

import arena

HERE = Path(__file__).parent
COLUMNS = ("game", "seconds", "mcts", "alpha_beta", "matches", "won", "drawn", "lost", "score", "low", "high")


def row(budget: Mapping[str, str], matches: int) -> tuple[object, ...]:
    """What a match with these budgets comes to."""
    options = ",".join(filter(None, (f"playouts={budget['playouts']}", budget["options"])))
    entries = f"mcts:{options}", f"alpha-beta:nodes={budget['nodes']}"
    settings = {"game": budget["game"], "openings": "random:4", "matches": matches, "seed": 1, "streams": 1}
    found = arena.match(*entries, **settings, workers=1, progress=False)
    first, second = found.pairings
    won, drawn, lost = first.wins + second.losses, first.draws + second.draws, first.losses + second.wins
    verdict = found.verdict
    assert verdict is not None
    shares = (verdict.score, *map(expected, (verdict.elo_low, verdict.elo_high)))
    shown = [f"{100 * share:.1f}" for share in shares]
    return budget["game"], budget["seconds"], *entries, found.played, won, drawn, lost, *shown


def expected(elo: float) -> float:
    """The score that goes with a difference in points."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--matches", type=int, default=200, help="of each pairing")
    parser.add_argument("--seconds", default="", help="the budgets of this time alone, such as 0.001")
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of this folder")
    args = parser.parse_args()
    with (HERE / "budgets.csv").open(encoding="utf-8", newline="") as file:
        budgets = [one for one in csv.DictReader(file) if args.seconds in ("", one["seconds"])]
    with (args.to / "equal-time.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for budget in budgets:
            writer.writerow(row(budget, args.matches))
            file.flush()


if __name__ == "__main__":
    main()
