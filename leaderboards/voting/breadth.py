"""How many positions training has covered, and how many of those met in matches are among them.

"Breadth of states that are covered in training", in section 1.2 of the paper.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from curves import table
from voting.drawing import document, frame, line
from voting.matches import Matches, learner, player
from voting.shares import of_seeds

from arena import Component, Rng, compiled
from arena.rng import derive, hash_state
from arena.show.curve_plot import HEIGHT, Axis, axis_over, short

SEEDS = {  # by games of training
    **dict.fromkeys((10, 100, 1000, 5000, 10_000, 20_000, 30_000, 40_000), 10),
    100_000: 3,
}
MATCHES = 400  # half of them from either seat
PLIES = 24  # of matches are told apart
DRAWN = (10, 1000, 10_000, 100_000)  # games of training, in the figure by plies


class Row(NamedTuple):
    """Of a training: positions and moves known, all moves of these positions; positions met, and known."""

    games: int
    seed: int
    positions: int
    moves: int
    legal: int
    table_bytes: int
    votes_bytes: int
    zeros_bytes: int
    met: int
    known: int


class Cover(Component):
    """What a learner's table covers. counts: int64 [2], positions, and the moves that these have."""

    def __init__(self, learner: Any) -> None:
        self.game, self.table, self.counts = learner.game, learner.table, np.zeros(2, np.int64)

    @compiled
    def count(self, stop: int) -> None:
        """Count the positions among the entries before `stop`, each once, and all their moves."""
        for entry in range(stop):
            state = self.table.states[entry]
            if self.table.seek(hash_state(state), state) == entry:
                self.counts[0] += 1
                self.counts[1] += len(self.game.moves(state))


def measure(seeds: Mapping[int, int] = SEEDS, matches: int = MATCHES) -> Iterator[tuple[Row, Matches]]:
    """For each training, what its table covers, and its matches played."""
    for games, number in seeds.items():
        for seed in range(number):
            taught = learner(games, seed)
            cover = Cover(taught.instance)
            cover.count(taught.instance.table.size)
            psv, zeros = player("psv", taught), player("psv:zeros=true", taught)
            played, rng = Matches(psv, counting=True), Rng()
            for match in range(matches):
                played.play(derive(match), match % 2, 1, rng)
            counts = *map(int, cover.counts), int(played.met.sum()), int(played.known.sum())
            positions, legal, met, known = counts
            table = taught.instance.table
            sizes = (int(1e6 * table.megabytes(table.size)), votes_bytes(psv), votes_bytes(zeros))
            yield Row(games, seed, positions, table.size, legal, *sizes, met, known), played


def votes_bytes(psv: Any) -> int:
    """What the votes of an agent take, without the room that is left for further classes."""
    per_class = sum(array.nbytes for array in (psv.votes.sums, psv.votes.said)) // psv.votes.room
    return int(per_class * psv.votes.classes)


def write(folder: Path, seeds: Mapping[int, int] = SEEDS, matches: int = MATCHES) -> None:
    """Write breadth.csv, a row for each training, and plies.csv, one for each ply, of all
    seeds together."""
    by_ply: dict[int, Any] = {}
    with (folder / "breadth.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(Row._fields)
        for row, played in measure(seeds, matches):
            out.writerow(row)
            file.flush()
            both = np.stack([played.met, played.known])[:, :PLIES]
            by_ply[row.games] = by_ply.get(row.games, 0) + both
    with (folder / "plies.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("games", "ply", "met", "known"))
        for games, both in by_ply.items():
            out.writerows((games, ply + 1, *counts) for ply, counts in enumerate(both.T.tolist()))


# --- what is said of it --------------------------------------------------------------------------------


def read(folder: Path) -> tuple[list[Row], dict[int, list[float]]]:
    """The rows of breadth.csv; by games of training, the shares known before each ply, of those met there."""
    with (folder / "breadth.csv").open(encoding="utf-8", newline="") as file:
        rows = [Row(*map(int, cells)) for cells in list(csv.reader(file))[1:]]
    shares: dict[int, list[float]] = {}
    with (folder / "plies.csv").open(encoding="utf-8", newline="") as file:
        for games, _, met, known in csv.reader(file):
            if games != "games":
                shares.setdefault(int(games), []).append(int(known) / max(int(met), 1))
    return rows, shares


def by_games(rows: Sequence[Row]) -> dict[int, list[Row]]:
    """The trainings of each number of games."""
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row.games, []).append(row)
    return found


def share_known(rows: Sequence[Row]) -> str:
    """Of the positions met, per cent that are known: the mean over seeds."""
    return str(of_seeds([100 * row.known / row.met for row in rows]))


def breadth_table(rows: Sequence[Row], shares: Mapping[int, Sequence[float]]) -> list[str]:
    """A row for each number of games of training."""
    lines = []
    for games, of in by_games(rows).items():
        counts = [
            f"{round(sum(values) / len(of)):,}" for values in zip(*(row[2:5] for row in of), strict=True)
        ]
        half = next((ply for ply, share in enumerate(shares[games], 1) if share < 0.5), PLIES + 1)
        lines.append([f"{games:,}", *counts, share_known(of), str(half), str(len(of))])
    heads = ["games of training", "positions known", "moves with a value", "all moves of these positions"]
    heads += ["known of positions met, %", "ply from which most are unknown", "seeds"]
    return table(heads, lines)


def memory_table(rows: Sequence[Row]) -> list[str]:
    """Megabytes of a table, of one with the moves for 0 as well, and of votes, by games of training."""
    lines = []
    for games, of in by_games(rows).items():
        means = [sum(values) / len(of) / 1e6 for values in zip(*(row[5:8] for row in of), strict=True)]
        kept = means[0] * sum(row.legal for row in of) / sum(row.moves for row in of)
        lines.append([f"{games:,}", *(f"{value:.2f}" for value in (means[0], kept, *means[1:]))])
    heads = ["games of training", "table, MB", "if it kept moves for 0", "votes, MB", "votes with `zeros`"]
    return table(heads, lines)


def breadth_svg(rows: Sequence[Row], shares: Mapping[int, Sequence[float]]) -> str:
    """Positions known by games of training, and the share known before each ply."""
    counted = {games: sum(row.positions for row in of) / len(of) for games, of in by_games(rows).items()}
    x = axis_over(set(counted))
    high = 10 ** len(str(round(max(counted.values()))))
    up = Axis(100, high, True, False, HEIGHT)
    left = frame("Positions known, log scale", x, {HEIGHT - up.at(n): short(n) for n in up.ticks()})
    places = [(x.at(n), HEIGHT - up.at(count)) for n, count in counted.items()]
    left += line(places, 0, False, [f"{count:,.0f} after {n:,} games" for n, count in counted.items()])
    plies = Axis(1, PLIES, False, False)
    ticks = {HEIGHT * (100 - n) / 100: f"{n} %" for n in range(0, 101, 20)}
    right = frame("Known, of positions met against random", plies, ticks, "Ply")
    drawn = [games for games in DRAWN if games in shares]
    for look, games in enumerate(drawn):
        places = [(plies.at(ply), HEIGHT * (1 - share)) for ply, share in enumerate(shares[games], 1)]
        titles = [f"{100 * share:.1f} % at ply {ply}" for ply, share in enumerate(shares[games], 1)]
        right += line(places, look, False, titles)
    legend = [[(f"{games:,} games of training", look) for look, games in enumerate(drawn)], []]
    return document("Breadth of the positions covered in training", [left, right], legend)
