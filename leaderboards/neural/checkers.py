"""Q-learning with a neural network at checkers, beside Prior State Voting.

    python leaderboards/neural/checkers.py FOLDER [--seeds 5] [--points 100,1000,10000,40000,100000]

Writes FOLDER/matches.csv, what the network came to against random play, and against Prior State Voting after
as many games, and FOLDER/seconds.csv, the CPU time that training took and the bytes of the models. Seeds that
are in the files already are left as they are.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from arena.api.format import Stage
from arena.api.limits import Limits
from arena.api.options import with_options
from arena.api.spec import InstanceSpec, Spec
from arena.matches.block import play_block
from arena.plan.openings import Openings
from arena.plan.plan import Plan
from arena.plan.schedule import Schedule
from arena.registry.plugins import registry
from arena.results.tally import Summary, Tally
from arena.rng import Streams
from arena.training.learners import untrained

GAME = "checkers:repetition=0,quiet_plies=0"
ENTRY = (
    "neural-q:episodes=100000,opponent=self,epsilon=0.1,epsilon_drop=0,draw=0.5,head=afterstate,hidden=32,"
    "max_plies=150"
)
VOTERS = {
    "psv": "psv",
    "lines and captures": "psv:learner=(q-backprop:capture=0.5),rule=lines,known=votes,"
    "symmetry=inversion,reflection",
}
MET_AT = (1000, 10_000, 100_000)  # games after which it meets these
MATCHES, MET = 500, 100  # from either seat, against random and against these
PLIES = 400  # that make a draw of a match with these
FILES = {
    "matches": ("seed", "games", "opponent", "openings", "seat", "won", "drawn", "lost"),
    "seconds": ("seed", "agent", "games", "seconds", "bytes"),
}


def size(learner: Any) -> int:
    """The bytes of what a learner has learned."""
    return sum(array.nbytes for array in learner.model().values())


def learn(learner: Any, begin: int, end: int) -> float:
    """The seconds of CPU time that these episodes take."""
    start = process_time()
    learner.learn_many(range(begin, end), [0, 0, 0])
    return process_time() - start


def instance(spec: Spec, made: Any) -> InstanceSpec:
    return InstanceSpec(spec.text, spec.target, spec.values, made)


def met(
    game: Spec, first: Spec, second: Spec, matches: int, seed: int, openings: Openings, plies: int
) -> Iterator[tuple[int, int, int, int]]:
    """Seat, matches won, drawn and lost by the first, from either seat."""
    pairings = ((0, 1), (1, 0))
    limits = Limits(plies, 0.0, 0.0)
    plan = Plan(
        game, (first, second), Schedule.of(Stage(pairings, matches)), Streams(seed, 1), openings, limits
    )
    tally = Tally()
    tally.add_summary(play_block(plan, range(plan.matches), Summary, None).played)
    for seat, seats in enumerate(pairings, 1):
        there = [counts for (*those, _), counts in tally.counts.items() if tuple(those) == seats]
        won, drawn, lost = (
            sum(getattr(counts, name) for counts in there) for name in ("wins", "draws", "losses")
        )
        yield (seat, won, drawn, lost) if seat == 1 else (seat, lost, drawn, won)


def measure(seed: int, points: Sequence[int]) -> tuple[list[Any], list[Any]]:
    """Rows of both files for a seed."""
    known = registry()
    game = known.spec("game", GAME)
    rules, random = game.make(), known.spec("agent", "random")
    spec = with_options(known.spec("agent", ENTRY), seed=seed)
    learn(untrained(spec, game), 0, 2)  # by which time all is compiled
    learner = untrained(spec, game)
    matches, seconds, took = [], [], 0.0
    for before, games in zip((0, *points), points, strict=False):
        took += learn(learner, before, games)
        seconds.append((seed, "neural-q", games, f"{took:.3g}", size(learner)))
        player = instance(spec, learner)
        for row in met(game, player, random, MATCHES, games, Openings(), rules.max_plies):
            matches.append((seed, games, "random", "none", *row))
        for name, text in VOTERS.items():
            voter = known.spec("agent", text)
            teacher = with_options(voter.values["learner"], seed=seed, episodes=games)
            learn(untrained(teacher, game), 0, 2)
            taught = untrained(teacher, game)
            seconds.append((seed, name, games, f"{learn(taught, 0, games):.3g}", size(taught)))
            if games in MET_AT:
                voting = with_options(voter, learner=instance(teacher, taught))
                opponent = instance(voting, voting.make(rules))
                for row in met(game, player, opponent, MET, games, Openings(4), PLIES):
                    matches.append((seed, games, name, "random:4", *row))
    return matches, seconds


def seeds_in(path: Path) -> set[int]:
    if not path.exists():
        return set()
    with path.open(encoding="utf-8", newline="") as file:
        return {int(row["seed"]) for row in csv.DictReader(file)}


def append(path: Path, fields: Sequence[str], rows: Sequence[Any]) -> None:
    new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([fields, *rows] if new else rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=5, help="how many, from 0 on")
    parser.add_argument("--points", default="100,1000,10000,40000,100000", help="games of training")
    parser.add_argument("--only", choices=FILES, help="write but this file")
    args = parser.parse_args()
    wanted = [args.only] if args.only else list(FILES)
    found = {name: seeds_in(args.folder / f"{name}.csv") for name in wanted}
    for seed in range(args.seeds):
        lacking = [name for name in wanted if seed not in found[name]]
        if lacking:
            made = dict(zip(FILES, measure(seed, [int(n) for n in args.points.split(",")]), strict=True))
            for name in lacking:
                append(args.folder / f"{name}.csv", FILES[name], made[name])


if __name__ == "__main__":
    main()
