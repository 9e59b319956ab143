"""Measure the cost of playing OpenSpiel's games through arena: random matches, with and without it.

python benchmarks/bridge.py           # a table; --write puts it into examples/arena-openspiel/README.md
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from pathlib import Path

from page import put
from peers import rate
from timing import Contestant, compare, per_second

EXAMPLE = Path(__file__).parents[1] / "examples" / "arena-openspiel"
GAMES = ("tic_tac_toe", "connect_four", "checkers", "othello", "chess", "hex")
SEEDS = 10  # of the matches that are played again and again
HEAD = ["| | by arena's calls | OpenSpiel alone | times as fast |", "|---|---:|---:|---:|"]


def alone(name: str) -> Callable[[], int]:
    """Return a function that plays random matches by a loop of OpenSpiel's calls and returns their plies."""
    import pyspiel

    rules = pyspiel.load_game(name)

    def play() -> int:
        plies = 0
        for seed in range(SEEDS):
            rng, state = random.Random(seed), rules.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(rng.random() * len(actions))])
                plies += 1
        return plies

    return play


def bridged(name: str) -> Callable[[], int]:
    """Return a function that plays the same matches by the rules as arena calls them."""
    sys.path.insert(0, str(EXAMPLE))
    from arena_openspiel.game import OpenSpiel

    game = OpenSpiel(load=name)

    def play() -> int:
        plies = 0
        for seed in range(SEEDS):
            rng, state = random.Random(seed), game.initial()
            while moves := game.moves(state):
                state = game.play(state, moves[int(rng.random() * len(moves))])
                plies += 1
        return plies

    return play


def plies_a_second(play: Callable[[], int], seconds: float) -> Contestant:
    plies = play()
    return lambda: plies * rate(play, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    parser.add_argument("--rounds", type=int, default=5, help="of which medians are shown  [default: 5]")
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="of a measurement, at least  [default: 0.5]"
    )
    asked = parser.parse_args()
    lines = [*HEAD]
    for name in GAMES:
        ours, theirs = (plies_a_second(made(name), asked.seconds) for made in (bridged, alone))
        (row,) = compare(name, per_second("plies"), asked.rounds, theirs, {"arena": ours})
        lines.append(f"| `{name}` | {row.theirs} | {row.arena} | {row.ratio} |")
        print(lines[-1])
    if asked.write:
        put(EXAMPLE / "README.md", "bridge.py", lines)


if __name__ == "__main__":
    main()
