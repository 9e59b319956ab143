"""Compare exported entries in node or Chromium with the same entries as machine code, in turn within one run.

    python benchmarks/web.py [--chromium] [--rounds N] [--only TEXT]

Both choose in the same positions with the same random numbers; the run ends with an error if they choose
different moves. It prints median times of a choice, in CPU time for node and wall-clock time for Chromium,
and the median of the ratios within a round. Chromium needs playwright: `pip install -e ".[browser]"`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import arena
from arena import Rng
from arena.api.agent import Agent
from arena.commands.export.call import agent_of
from arena.rng import derive
from arena.wasm.scripts import classic

ENTRIES = (
    ("connect-four", "alpha-beta:depth=11", 20),
    ("connect-four", "alpha-beta:depth=11,ordering=false,ties=first", 20),
    ("connect-four", "alpha-beta:depth=12,table=65536", 20),
    ("checkers", "alpha-beta:depth=10", 20),
    ("checkers", "alpha-beta:depth=10,table=65536", 20),
)
NODE = """
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


PAGE = """
async ([module, asked]) => {
  const entry = await arena.load(Uint8Array.from(atob(module), (letter) => letter.charCodeAt(0)));
  window.choose = () => {
    const from = performance.now();
    const moves = asked.map(([words, seed]) => {
      entry.begin(0);
      return String(entry.choose(words.map(BigInt), new arena.Rng(seed)));
    });
    return [(performance.now() - from) / 1000, moves];
  };
}
"""
Choosing = Callable[[], tuple[float, list[str]]]  # seconds, and moves as texts


def positions(agent: Agent, n: int) -> list[Any]:
    """Return `n` positions from the first half of random matches."""
    game, match = agent.game, 0
    found: list[Any] = []
    while len(found) < n:
        rng, state = Rng(derive(2, match)), game.initial()
        for _ in range(4 + rng.below(12)):
            if moves := game.moves(state):
                state = game.play(state, rng.choice(moves))
        if game.moves(state):
            found.append(state)
        match += 1
    return found


@contextmanager
def in_node(folder: Path, module: Path, asked: list[Any]) -> Iterator[Choosing]:
    """Start node with an entry, and return the function that lets it choose."""
    (folder / "asked.json").write_text(json.dumps(asked))
    (folder / "script.mjs").write_text(NODE)
    node = shutil.which("node") or sys.exit("node is not installed")
    command = [node, str(folder / "script.mjs"), str(module), str(folder / "asked.json")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def choose() -> tuple[float, list[str]]:
            assert process.stdin
            assert process.stdout
            process.stdin.write("go\n")
            process.stdin.flush()
            seconds, moves = json.loads(process.stdout.readline())
            return seconds, moves

        yield choose
        assert process.stdin
        process.stdin.close()


@contextmanager
def in_chromium(folder: Path, module: Path, asked: list[Any]) -> Iterator[Choosing]:
    """Start Chromium with a page for an entry, and return the function that lets it choose."""
    from playwright.sync_api import sync_playwright

    where = shutil.which("chromium") or sys.exit("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=where, args=["--no-sandbox"])
        page = browser.new_page()
        page.add_script_tag(content=classic())
        page.evaluate(PAGE, [b64encode(module.read_bytes()).decode(), asked])

        def choose() -> tuple[float, list[str]]:
            seconds, moves = page.evaluate("choose()")
            return seconds, moves

        yield choose
        browser.close()


def measure(
    game: str,
    entry: str,
    n: int,
    rounds: int,
    folder: Path,
    place: Callable[[Path, Path, list[Any]], AbstractContextManager[Choosing]],
    time: Callable[[], float],
) -> None:
    """Print the line of one entry.

    Args:
        game: The game.
        entry: The entry.
        n: Number of positions.
        rounds: Number of measurements.
        folder: Folder for the exported files.
        place: Starts the other place where the entry chooses.
        time: Clock for this process.
    """
    agent = agent_of(entry, game)
    exported = arena.export(entry, game=game, wasm=folder)
    states = positions(agent, n)
    asked = [[[str(word) for word in state], str(i)] for i, state in enumerate(states)]
    native, web = [], []
    with place(folder, Path(exported.module), asked) as choose:
        for turn in range(rounds + 2):
            begun, chosen = time(), []
            for i, state in enumerate(states):
                agent.begin(0)  # what a table holds counts no more
                chosen.append(str(agent.choose(state, agent.game.moves(state), Rng(i))))
            seconds = time() - begun
            there, moves = choose()
            if moves != chosen:
                sys.exit(f"{entry} at {game} chooses other moves there")
            if turn > 1:  # by then both have loaded and compiled all there is
                native.append(seconds / n)
                web.append(there / n)
    ratios = sorted(one / other for one, other in zip(native, web, strict=True))
    one, other = (f"{1e3 * statistics.median(times):8.3f} ms" for times in (native, web))
    told = f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    print(f"{game:13} {entry:45} {one} {other}  {told}  {exported.size:,} bytes", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--chromium", action="store_true", help="in place of node")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    print(
        "game          entry                                              native         web  speed of native"
    )
    with tempfile.TemporaryDirectory() as folder:
        for game, entry, n in ENTRIES:
            if args.only in f"{game} {entry}":
                where = (in_chromium, perf_counter) if args.chromium else (in_node, process_time)
                measure(game, entry, n, args.rounds, Path(folder), *where)


if __name__ == "__main__":
    main()
