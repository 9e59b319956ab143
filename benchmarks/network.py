"""Compare matches of the network of a guide, whose function numba compiles, with numba calling it alone.

python benchmarks/network.py             # --quick: few matches, to see that it runs
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from arena.compiler import reason
from arena.matches.block import play_block
from arena.plan.completion import complete
from arena.plan.plan import Plan
from arena.registry.file_offers import opened
from arena.registry.files import Reference
from arena.registry.plugins import registry
from arena.results.records import Records
from arena.results.settings import settings_of
from arena_games.connect_four import ConnectFour

GUIDE = Path(__file__).parents[1] / "docs" / "how-to" / "use-numba.md"
MATCHES = 1000
ROUNDS = 9
Boards = NDArray[np.float64]


def write_agent(folder: Path) -> Path:
    """Write the guide's agent to a file, and return its path."""
    found = re.search(r"`arena_windows\.py`.*?```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert found, f"{GUIDE.name} has no arena_windows.py"
    path = folder / "arena_windows.py"
    path.write_text(found[1], "utf-8")
    return path


def plan_of(path: Path, matches: int) -> Plan:
    """Return the plan of matches of the agent in a file against random moves."""
    offers = opened([("agent", Reference(str(path)))])
    asked = {
        "game": "connect-four",
        "entries": [*(offer.name for offer in offers), "random"],
        "rounds": matches // 2,
        "seed": 1,
        "isolate": False,
    }
    return complete(settings_of(asked), registry().including([], offers), trusting=True)[1]


def boards_seen(records: Records, agent: Any) -> Boards:
    """Return the boards that the agent passed to its network in some matches."""
    game, found = agent.game, []
    for record in records:
        state = game.initial()
        for text in record.moves.split():
            seat = game.to_move(state)
            if (record.first, record.second)[seat] == 0:
                for move in game.moves(state):
                    agent.see(game.play(state, move))
                    found.append(np.array(agent.board))
            state = game.play(state, game.read_move(state, text))
    return np.array(found)


def loop_over(value: Callable[..., float]) -> Callable[..., float]:
    """Return a function compiled by numba that calls another for each board, and nothing else."""

    @numba.njit
    def alone(boards: Boards, filters: Boards, weights: Boards) -> float:
        total = 0.0
        for i in range(len(boards)):
            total += value(boards[i], filters, weights)
        return total

    found: Callable[..., float] = alone
    return found


def seconds(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few matches")
    quick = parser.parse_args().quick
    matches, rounds = (40, 1) if quick else (MATCHES, ROUNDS)
    with TemporaryDirectory() as folder:
        path = write_agent(Path(folder))
        plan = plan_of(path, matches)
        sys.path.insert(0, folder)
        module = importlib.import_module(path.stem)
        agent = module.Windows(ConnectFour())
        assert reason(agent) is None
        records = play_block(plan, range(plan.matches), Records).played  # compiles as well
        boards, alone = boards_seen(records, agent), loop_over(module.value)
        alone(boards[:1], agent.filters, agent.weights)
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(seconds(lambda: play_block(plan, range(plan.matches), Records)))
            theirs.append(seconds(lambda: alone(boards, agent.filters, agent.weights)))
    rates = (len(boards) / median(times) for times in (ours, theirs))
    ratio = median(other / own for own, other in zip(ours, theirs, strict=True))
    print("| calls of the network | in matches | numba alone | ratio |", "|---|---:|---:|---:|", sep="\n")
    own, other = (f"{rate:,.0f}/s" for rate in rates)
    print(f"| {len(boards):,} | {own} | {other} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
