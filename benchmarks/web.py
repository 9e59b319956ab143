"""Exported entries in node against the same entries as machine code, by turns within one run.

    python benchmarks/web.py [--rounds N] [--only TEXT]

Both choose in the same positions by the same random numbers; unless they choose the same moves the run ends
with an error. Shown are median times of CPU for a choice, and the median of the ratios within a round.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import arena
from arena import Rng
from arena.api.agent import Agent
from arena.rng import derive
from arena.session.exporting import agent_of

ENTRIES = (
    ("connect-four", "alpha-beta:depth=11", 20),
    ("connect-four", "alpha-beta:depth=11,ordering=false,ties=first", 20),
    ("connect-four", "alpha-beta:depth=12,table=65536", 20),
    ("checkers", "alpha-beta:depth=10", 20),
    ("checkers", "alpha-beta:depth=10,table=65536", 20),
)
SCRIPT = """
import { load, Rng } from "./arena.js";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const entry = await load(readFileSync(process.argv[2]));
const asked = JSON.parse(readFileSync(process.argv[3])).map(([words, seed]) => [words.map(BigInt), seed]);
for await (const line of createInterface({ input: process.stdin })) {
  const from = process.cpuUsage(), moves = [];
  for (const [state, seed] of asked) {
    entry.begin(0);
    moves.push(String(entry.choose(state, new Rng(seed))));
  }
  const { user, system } = process.cpuUsage(from);
  console.log(JSON.stringify([(user + system) / 1e6, moves]));
}
"""


def positions(agent: Agent, n: int) -> list[Any]:
    """Positions in the first half of random matches, so many."""
    game, found, match = agent.game, [], 0
    while len(found) < n:
        rng, state = Rng(derive(2, match)), game.initial()
        for _ in range(4 + rng.below(12)):
            if moves := game.moves(state):
                state = game.play(state, rng.choice(moves))
        if game.moves(state):
            found.append(state)
        match += 1
    return found


def measure(game: str, entry: str, n: int, rounds: int, folder: Path) -> None:
    """Print the line of one entry."""
    agent = agent_of(entry, game)
    exported = arena.export(entry, game=game, wasm=folder)
    states = positions(agent, n)
    asked = [[[str(word) for word in state], str(i)] for i, state in enumerate(states)]
    (folder / "asked.json").write_text(json.dumps(asked))
    (folder / "script.mjs").write_text(SCRIPT)
    node = shutil.which("node") or sys.exit("node is not installed")
    command = [node, str(folder / "script.mjs"), exported.module, str(folder / "asked.json")]
    native, web = [], []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        for turn in range(rounds + 2):
            begun, chosen = process_time(), []
            for i, state in enumerate(states):
                agent.begin(0)  # what a table holds counts no more
                chosen.append(str(agent.choose(state, agent.game.moves(state), Rng(i))))
            seconds = process_time() - begun
            process.stdin.write("go\n")
            process.stdin.flush()
            in_node, moves = json.loads(process.stdout.readline())
            if moves != chosen:
                sys.exit(f"{entry} at {game} chooses other moves in node")
            if turn > 1:  # by then both have loaded and compiled all there is
                native.append(seconds / n)
                web.append(in_node / n)
        process.stdin.close()
    ratios = sorted(one / other for one, other in zip(native, web, strict=True))
    one, other = (f"{1e3 * statistics.median(times):8.3f} ms" for times in (native, web))
    told = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    print(f"{game:13} {entry:45} {one} {other}  {told}  {exported.size:,} bytes", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    print(
        "game          entry                                              native         web  speed of native"
    )
    with tempfile.TemporaryDirectory() as folder:
        for game, entry, n in ENTRIES:
            if args.only in f"{game} {entry}":
                measure(game, entry, n, args.rounds, Path(folder))


if __name__ == "__main__":
    main()
