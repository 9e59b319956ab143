"""How long the updates of a season take: the first, one with a few changes, and one after many others.

`--nights 60` is a term: the same number of players changes each night, and the last nights are to take hardly
longer than the first. Updates run as the command runs them, sandboxed and with a site. The coach is off,
since its time is a setting.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

BOT = """import arena


class Bot(arena.Agent):
    \"\"\"Wins at once or at random, with probability {skill}, else plays at random.\"\"\"

    def choose(self, state, moves, rng):
        if rng.random() < {skill}:
            for move in moves:
                after = self.game.play(state, move)
                if not self.game.moves(after) and self.game.value(after) < 0:
                    return move
        return rng.choice(moves[:: {step}])
"""
AROUND = 5  # nights whose median is compared
PR_SET_CHILD_SUBREAPER = 36  # of Linux's prctl


class Night(NamedTuple):
    """An update: matches played, seconds by the clock and of processors, and bytes kept."""

    matches: int
    seconds: float
    processors: float
    database: int
    site: int


class Term:
    """A season in a folder, whose players change by a seed.

    Args:
        folder: The folder.
        game: The game.
        players: Number of players.
        rounds: Matches of each pairing from each seat.
    """

    def __init__(self, folder: Path, game: str, players: int, rounds: int) -> None:
        self.folder, self.players, self.random = folder, players, random.Random(1)
        (folder / "bots").mkdir()
        (folder / "season.toml").write_text(
            f'game = "{game}"\nbaselines = ["random"]\nrounds = {rounds}\nopenings = "random:1"\n'
            'seed = 1\nsite = "public"\ncoach_seconds = 0\n'
        )
        self.change(players)

    def change(self, number: int) -> None:
        """Give some players code that nobody had before."""
        for i in self.random.sample(range(self.players), number):
            text = BOT.format(skill=self.random.random(), step=self.random.choice((1, 1, 2)))
            (self.folder / "bots" / f"p{i:03}.py").write_text(text)

    def night(self, trust: bool = False) -> Night:
        """Run an update, in a sandbox unless `trust` is set, and return what it took."""
        settings = self.folder / "season.toml"
        stated = settings.read_text()
        settings.write_text(f"{stated}trust = {str(trust).lower()}\n")
        command = [sys.executable, "-m", "arena", "season"]
        before, begun = used(), perf_counter()
        done = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True)
        seconds, processors = perf_counter() - begun, used() - before
        settings.write_text(stated)
        matches = int(done.stdout.split(" matches")[0].split()[-1].replace(",", ""))
        files = [self.folder / "season.db", *(self.folder / "public").rglob("*.*")]
        sizes = [file.stat().st_size for file in files]
        return Night(matches, seconds, processors, sizes[0], sum(sizes[1:]))


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that `used` counts them; on Linux."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def used() -> float:
    """Return the processor seconds of processes that this one started, once all have ended."""
    with suppress(ChildProcessError):
        while True:
            os.wait()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="tic-tac-toe")
    parser.add_argument("--players", type=int, default=30)
    parser.add_argument("--changes", type=int, default=3, help="players that change each night")
    parser.add_argument("--nights", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5, help="matches of each pairing from each seat")
    parser.add_argument("--fast", action="store_true", help="without a sandbox on nights not compared")
    args = parser.parse_args()
    adopt_orphans()
    nights: list[Night] = []
    with tempfile.TemporaryDirectory(prefix="arena-season-") as folder:
        term = Term(Path(folder), args.game, args.players, args.rounds)
        print("| night | matches | by the clock | processors | database | site |")
        print("|---:|---:|---:|---:|---:|---:|", flush=True)
        for number in range(1, args.nights + 1):
            if number > 1:
                term.change(args.changes)
            compared = 1 < number < AROUND + 2 or number > args.nights - AROUND
            one = term.night(trust=args.fast and (number == 1 or not compared))
            nights.append(one)
            times = f"{one.seconds:.1f} s | {one.processors:.1f} s"
            kept = f"{one.database / 1e6:.2f} MB | {one.site / 1e6:.2f} MB"
            print(f"| {number} | {one.matches:,} | {times} | {kept} |", flush=True)
    if len(nights) > 2 * AROUND:
        say_ratios(nights[1 : AROUND + 1], nights[-AROUND:])


def say_ratios(early: Sequence[Night], late: Sequence[Night]) -> None:
    """Print the median times of early and late nights with as many changes, and their ratios."""
    for name, said in (("seconds", "by the clock"), ("processors", "processors")):
        first, last = (statistics.median(getattr(one, name) for one in some) for some in (early, late))
        nights = f"the first {AROUND} nights after the first {first:.1f} s, the last {AROUND} {last:.1f} s"
        print(f"{said}: {nights}, ratio {last / first:.2f}")


if __name__ == "__main__":
    main()
