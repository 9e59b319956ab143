"""Keep-training as its program plays it: the sign of its rewards, and learning that lasts, each apart.

In the program a test is 100 matches, black in the first half, and what is learned in one stays for the next.
A match of arena does not depend on others, so that this is played here, by an agent that forgets nothing.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from curves import table
from voting.matches import learner
from voting.shares import of_seeds

from arena import Component, Rng, compiled
from arena.rng import derive
from arena_agents.tabular.keep_training import KeepTraining

SEEDS = dict.fromkeys((1000, 5000, 10_000, 20_000, 30_000, 40_000), 10)  # by games of training
BOTH = (1000,)  # games of training after which what is forgotten is played as well
MATCHES = 100
MATCH = 1 << 19  # moves that one match may add
FILE = "keep-sequence.csv"
PROGRAM = ("as published", "lasts")  # sign and learning of the program
SIGNS, LEARNING = ("as published", "mended"), ("lasts", "forgotten")


class Row(NamedTuple):
    """Of a test: how it was played, and matches won as black, who moves first, and as white."""

    sign: str
    learning: str
    games: int
    seed: int
    matches: int
    black: int
    white: int

    @property
    def won(self) -> float:
        """Per cent of all matches."""
        return 100 * (self.black + self.white) / self.matches


class Lasting(KeepTraining):
    """Forgets nothing from match to match."""

    def begin(self, seat: int) -> None:
        pass


class Tested(Component):
    """An agent against random moves. won: int64 [2], matches that it has won in either seat."""

    def __init__(self, agent: Any) -> None:
        self.game, self.agent, self.won = agent.game, agent, np.zeros(2, np.int64)

    @compiled
    def play(self, seed: int, seat: int, rng: Rng) -> None:
        """Play the match of this seed."""
        rng.restart(seed)
        self.agent.begin(seat)
        state, ply = self.game.initial(), 0
        moves = self.game.moves(state)
        while moves and ply < self.game.max_plies:
            if self.game.to_move(state) == seat:
                move = self.agent.choose(state, moves, rng)
            else:
                move = rng.choice(moves)
            state = self.game.play(state, move)
            ply += 1
            moves = self.game.moves(state)
        if not moves and self.game.to_move(state) != seat:
            self.won[seat] += 1


def played(
    done: Collection[Row],
    seeds: Mapping[int, int] = SEEDS,
    both: Iterable[int] = BOTH,
    matches: int = MATCHES,
) -> Iterator[Row]:
    """The tests that are not done, in the order of the file; those of a seed play by the same table."""
    there = {(row.sign, row.learning, row.games, row.seed) for row in done}
    for games, number in seeds.items():
        for seed in range(number):
            kinds = [
                (sign, learning)
                for sign in SIGNS
                for learning in (LEARNING if games in both else LEARNING[:1])
                if (sign, learning, games, seed) not in there
            ]
            if kinds:
                taught = learner(games, seed)
            for sign, learning in kinds:
                cls = Lasting if learning == "lasts" else KeepTraining
                agent = cls(taught.instance.game, learner=taught, published=sign == "as published")
                black, white = play(agent, derive(games, seed), matches)
                yield Row(sign, learning, games, seed, matches, black, white)


def play(agent: KeepTraining, seed: int, matches: int) -> tuple[int, int]:
    """Matches won as black and as white, one after another."""
    tested, learned, rng = Tested(agent), agent.match_learner.table, Rng()
    for match in range(matches):
        if learned.size + MATCH > learned.room:
            learned.make_room(learned.size + 4 * MATCH)
        tested.play(derive(seed, match), 0 if 2 * match < matches else 1, rng)
    return int(tested.won[0]), int(tested.won[1])


def write(to: Path, *args: Any) -> None:
    """Play the tests that the file does not have, add them to it, and put all in order."""
    path = to / FILE
    done = read(to) if path.exists() else []
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not done:
            writer.writerow(Row._fields)
        for row in played(done, *args):
            writer.writerow(row)
            file.flush()
    rows = sorted(read(to), key=lambda row: (row.games, row.seed))  # each test in the order of `played`
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([Row._fields, *rows])


def read(folder: Path) -> list[Row]:
    """What the file has."""
    with (folder / FILE).open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))[1:]
    return [Row(*line[:2], *map(int, line[2:])) for line in lines]


def share(rows: Iterable[Row], seat: str) -> float:
    """Per cent won in a seat, `black` or `white`."""
    found = list(rows)
    return 200 * sum(getattr(row, seat) for row in found) / sum(row.matches for row in found)


def keep_table(rows: Iterable[Row], published: Mapping[int, float]) -> list[str]:
    """A row for each number of games of training, a column for each test."""
    found = by_test(rows)
    names = {test: f"sign {test[0]}, learning {test[1]}" for test in found}
    lines = []
    for games in sorted({games for of in found.values() for games in of}):
        cells = [
            str(of_seeds([row.won for row in of[games]])) if games in of else "" for of in found.values()
        ]
        lines.append([f"{games:,}", str(published.get(games, "")), *cells])
    for seat in ("black", "white"):
        cells = [
            f"{share((row for of in tests.values() for row in of), seat):.1f}" for tests in found.values()
        ]
        lines.append([f"all, as {seat}", "", *cells])
    return table(["games of training", "published", *names.values()], lines)


def by_test(rows: Iterable[Row]) -> Mapping[tuple[str, str], Mapping[int, list[Row]]]:
    """The rows by sign and learning, and by games of training."""
    found: dict[tuple[str, str], dict[int, list[Row]]] = {}
    for row in rows:
        found.setdefault((row.sign, row.learning), {}).setdefault(row.games, []).append(row)
    return found


def seeds_told(found: Mapping[int, Collection[Row]]) -> str:
    """How many seeds there are, `10`, or `10 after 1,000 games, 3 after 5,000 to 40,000 games`."""
    runs = [(count, list(games)) for count, games in groupby(sorted(found), key=lambda n: len(found[n]))]
    if len(runs) == 1:
        return str(runs[0][0])
    told = []
    for count, games in runs:
        first, last = games[0], games[-1]
        told.append(f"{count} after {first:,}{f' to {last:,}' if last > first else ''} games")
    return ", ".join(told)
