"""With how many playouts nobody beats any of 100 seeds of UCT at tic-tac-toe: writes unbeaten.csv.

    python leaderboards/mcts/unbeaten.py

With a seed the playouts in a position are always the same, and so is the move. So all that an opponent can do
is gone through: a seed is beaten if some of its replies win. A row for each entry, number of playouts and
seat: how many of the seeds are beaten, and how they do against a random player, exactly, in per cent, the
mean and the least and the greatest share won.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from math import fsum
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from arena import Agent, Game
from arena.registry.plugins import registry

HERE = Path(__file__).parent
COLUMNS = ("entry", "playouts", "seat", "seeds", "beaten", "won", "drawn", "lost", "least_won", "most_won")
WAYS = ("", "proving=true", "rollouts=none", "rollouts=none,draw=1,pick=score")
PLAYOUTS = (50, 100, 200, 500, 1000, 1200, 1400, 1600, 1800, 2000, 2500, 3000, 4000, 6000, 10_000)


class Outlook(NamedTuple):
    """What becomes of a position: the probabilities against a random player, and whether any reply wins."""

    won: float
    drawn: float
    lost: float
    beaten: bool


def outlook(game: Game, agent: Agent, seat: int) -> Outlook:
    """Of the start, for an agent in a seat whose move depends on the position alone, or is any of several."""
    known: dict[Any, Outlook] = {}

    def of(state: Any) -> Outlook:
        if state not in known:
            known[state] = found(state)
        return known[state]

    def found(state: Any) -> Outlook:
        moves = game.moves(state)
        if not moves:
            value = game.value(state) * (1 if game.to_move(state) == seat else -1)
            return Outlook(float(value > 0), float(value == 0), float(value < 0), value < 0)
        shares: Sequence[float] = [1 / len(moves)] * len(moves)
        if game.to_move(state) == seat:
            shares = agent.distribution(state, moves) or ()
        after = [(share, of(game.play(state, m))) for share, m in zip(shares, moves, strict=True) if share]
        won, drawn, lost = (fsum(share * one[i] for share, one in after) for i in range(3))
        return Outlook(won, drawn, lost, any(one.beaten for _, one in after))

    return of(game.initial())


def rows(way: str, playouts: int, seeds: int) -> Iterator[tuple[object, ...]]:
    """Of one number of playouts, from either seat."""
    game = registry().spec("game", "tic-tac-toe").make()
    entry = ",".join(filter(None, (f"mcts:playouts={playouts}", way)))
    agents = [registry().spec("agent", f"{entry},seed={seed}").make(game) for seed in range(1, seeds + 1)]
    for seat, name in enumerate(("first", "second")):
        found = [outlook(game, agent, seat) for agent in agents]
        shares = [fmean(one[i] for one in found) for i in range(3)]
        won = [one.won for one in found]
        beaten = sum(one.beaten for one in found)
        yield entry, playouts, name, seeds, beaten, *(f"{100 * x:.4f}" for x in (*shares, min(won), max(won)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--playouts", type=int, nargs="+", default=PLAYOUTS)
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of this folder")
    args = parser.parse_args()
    with (args.to / "unbeaten.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for way in WAYS:
            for playouts in args.playouts:
                writer.writerows(rows(way, playouts, args.seeds))
                file.flush()


if __name__ == "__main__":
    main()
