"""The cost of the sandbox for many agents from files: matches per second with and without it.

The agents are as students write them: some play at random, some look one move ahead, and some are minimax of
depth 2. Without the sandbox, the first two kinds run compiled.

python benchmarks/file_agents.py             # a table
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from arena.matches.driver import play
from arena.plan.completion import complete
from arena.plan.plan import Plan
from arena.registry.file_offers import opened
from arena.registry.files import Reference
from arena.registry.plugins import Registry, registry
from arena.results.records import Records
from arena.results.settings import settings_of
from arena.workers.pools import Workers
from arena.workers.processes import Processes

MODEST = '''
from arena import Agent

WORDS = {{"first": 0, "last": -1}}


class Modest(Agent):
    """Plays a move at random, or the {end} one."""

    def choose(self, state, moves, rng):
        if rng.random() < {chance}:
            return rng.choice(moves)
        return sorted(moves, key=lambda move: -move)[WORDS["{end}"]]
'''
EAGER = '''
from arena import Agent


class Eager(Agent):
    """Wins if it can at once, or else prefers {weight} in the middle."""

    def prepare(self):
        self.values = {{}}

    def choose(self, state, moves, rng):
        def worth(move):
            after = self.game.play(state, move)
            if not list(self.game.moves(after)):
                return -self.game.value(after) * 100
            return rng.random() * {weight}

        return max(moves, key=worth)
'''
MINIMAX = '''
from arena import Agent

INFINITY = float("inf")


class Minimax(Agent):
    """Looks two moves ahead and plays a best move at random."""

    def minimax(self, state, depth):
        moves = list(self.game.moves(state))
        if not moves:
            return self.game.value(state)
        if depth == 0:
            return 0.{weight}
        after = (self.game.play(state, move) for move in moves)
        return max((-self.minimax(state, depth - 1) for state in after), default=-INFINITY)

    def choose(self, state, moves, rng):
        scores = {{move: -self.minimax(self.game.play(state, move), 1) for move in moves}}
        best = [move for move, score in scores.items() if score == max(scores.values())]
        return rng.choice(best)
'''
KINDS = {"modest": MODEST, "eager": EAGER, "minimax": MINIMAX}
GAMES = ("connect-four", "tic-tac-toe")


def write_agents(folder: Path, kinds: dict[str, str], number: int) -> list[Reference]:
    """Write so many files of agents and return them."""
    paths = []
    for i in range(number):
        kind = [*kinds][i % len(kinds)]
        path = folder / f"{kind}{i}.py"
        text = kinds[kind].format(end=("first", "last")[i % 2], chance=0.5 + i / 100, weight=i + 1)
        path.write_text(text)
        paths.append(Reference(str(path)))
    return paths


def plan_of(known: Registry, game: str, entries: list[str], rounds: int, isolate: bool) -> Plan:
    """Return the plan of a round robin."""
    asked = {"game": game, "entries": entries, "rounds": rounds, "seed": 1, "isolate": isolate}
    return complete(settings_of(asked), known, trusting=not isolate)[1]


def matches_a_second(plan: Plan, workers: int) -> float:
    """Return the pace of a tournament's matches, including the start of processes."""
    began, played = perf_counter(), 0
    with Workers(Processes, workers).opened() as pool:
        for block in play(plan, [range(plan.matches)], pool, Records):
            played += len(block)
    return played / (perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--agents", type=int, default=30, help="[default: 30]")
    parser.add_argument("--matches", type=int, default=20_000, help="about so many  [default: 20000]")
    parser.add_argument("--workers", type=int, default=2, help="[default: 2]")
    parser.add_argument("--rounds", type=int, default=3, help="of which the medians are shown  [default: 3]")
    parser.add_argument("--kind", choices=[*KINDS], help="play agents of one kind only")
    asked = parser.parse_args()
    kinds = {asked.kind: KINDS[asked.kind]} if asked.kind else KINDS
    print("| game | without | sandboxed | ratio |", "|---|---:|---:|---:|", sep="\n")
    with TemporaryDirectory() as folder:
        offers = opened([("agent", path) for path in write_agents(Path(folder), kinds, asked.agents)])
        known, entries = registry().including([], offers), [offer.name for offer in offers]
        rounds = max(1, asked.matches // (asked.agents * (asked.agents - 1)))
        for game in GAMES:
            plans = {walled: plan_of(known, game, entries, rounds, walled) for walled in (False, True)}
            rates: dict[bool, list[float]] = {False: [], True: []}
            for _ in range(asked.rounds):
                for walled, plan in plans.items():
                    rates[walled].append(matches_a_second(plan, asked.workers))
            without, within = median(rates[False]), median(rates[True])
            print(f"| {game} | {without:,.0f}/s | {within:,.0f}/s | {within / without:.2f} |", flush=True)


if __name__ == "__main__":
    main()
