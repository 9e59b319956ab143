"""Measure the cost of a move of an external program: µs per move, and ms to start it.

The programs are the examples, in several languages, and Python.

    python benchmarks/engines.py           # a table; --write puts it into docs/agents/engines.md
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from page import put

from arena import Game, Rng
from arena.compiler import with_compiled_rules
from arena.registry.plugins import registry
from arena_agents.engines.engine import Engine

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples/engines"
PAGE = ROOT / "docs/agents/engines.md"
GAMES = ("tic-tac-toe", "connect-four", "checkers")

LONGEST = 100  # plies of a match

PYTHON = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print(json.dumps({"id": asked["id"], "protocol": 1}), flush=True)
    elif asked["type"] == "move":
        print(json.dumps({"id": asked["id"], "move": asked["moves"][0]}), flush=True)
"""


def commands(folder: Path) -> dict[str, str]:
    """Build the programs in a folder, and return their commands by language."""
    subprocess.run(["cc", "-O2", "-o", folder / "bot", EXAMPLES / "bot.c"], check=True)
    (folder / "bot.py").write_text(PYTHON)
    return {
        "C, `bot.c`": str(folder / "bot"),
        "JavaScript, `bot.js`": f"node {EXAMPLES / 'bot.js'}",
        "Python, eight lines": f"{sys.executable} {folder / 'bot.py'}",
    }


def microseconds(game: Game, command: str, matches: int) -> float:
    """Return the time of a move, the median over the beginnings of matches against random moves."""
    agent = Engine(game, command=command)
    spent = []
    for seed in range(matches):
        agent.begin(0)
        rng, state, plies = Rng(seed), game.initial(), 0
        while (moves := game.moves(state)) and plies < LONGEST:
            if game.to_move(state) == 0:
                start = perf_counter()
                move = agent.choose(state, moves, rng)
                spent.append(perf_counter() - start)
            else:
                move = rng.choice(moves)
            state = game.play(state, move)
            plies += 1
    agent.end()
    return 1e6 * median(spent)


def milliseconds(game: Game, command: str) -> float:
    """Return the time to start the program and be greeted."""
    agent = Engine(game, command=command)
    start = perf_counter()
    agent.begin(0)
    spent = perf_counter() - start
    agent.end()
    return 1e3 * spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    parser.add_argument("--rounds", type=int, default=5, help="of which the fastest is shown  [default: 5]")
    asked = parser.parse_args()
    games = [with_compiled_rules(registry().spec("game", name).make()) for name in GAMES]
    lines = [f"| program | {' | '.join(GAMES)} | to start it |", "|---|" + "---:|" * (len(GAMES) + 1)]
    with TemporaryDirectory() as folder:
        for language, command in commands(Path(folder)).items():
            moves = [min(microseconds(game, command, 40) for _ in range(asked.rounds)) for game in games]
            start = min(milliseconds(games[0], command) for _ in range(2 * asked.rounds))
            cells = " | ".join(f"{each:,.0f} µs" for each in moves)
            lines.append(f"| {language} | {cells} | {start:,.0f} ms |")
            print(lines[-1])
    if asked.write:
        put(PAGE, "engines.py", lines)


if __name__ == "__main__":
    main()
