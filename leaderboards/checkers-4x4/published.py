"""What "Math of Turn-Based Strategy Games" says in numbers, beside ours: README.md and published.csv.

    python leaderboards/checkers-4x4/published.py [--to FOLDER]

Reads states.csv, sweeps.csv, values.csv and nodes.csv beside it, and the tables of both tournaments.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import arena
from arena import Rng
from arena.api.words import popcount
from arena.registry.plugins import registry
from arena_agents.planning.value_iteration import ValueIteration

HERE = Path(__file__).parent
GAME, EIGHT = (registry().spec("game", name).make() for name in ("checkers-4x4", "checkers"))
PUBLISHED = "value-iteration:episodes=40,published=true"
SEARCHED = "3"  # plies, by its program

Row = tuple[str, str, str, str, str]  # where, what, published, ours, why
Rows = list[dict[str, str]]


def read(name: str) -> Rows:
    """The rows of a file beside this."""
    with (HERE / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def against_random(entry: str, rules: str) -> list[str]:
    """How often an entry wins, draws and loses against random play, as first player and as second.

    rules: the name of a tournament. As BLUE, who moves first, wins and losses are its own.
    """
    text = (HERE.parent / f"{rules}.md").read_text(encoding="utf-8")
    found = []
    for first, second in ((entry, "random"), ("random", entry)):
        seats = f"{re.escape(first)} \\| {re.escape(second)}"
        (cells,) = re.findall(rf"^\| {seats} \| ([\d.]+) % \| ([\d.]+) % \| ([\d.]+) %", text, re.MULTILINE)
        won, drawn, lost = cells if first == entry else cells[::-1]
        found.append(f"{won} %, {drawn} %, {lost} %")
    return found


def random_play(stuck_draws: bool) -> str:
    """How often BLUE wins, draws and loses where both sides play at random, exactly."""
    rules = "checkers-4x4:capture_to_win=true" if stuck_draws else "checkers-4x4"
    found = arena.exact("random", "random", game=rules, executor="serial", progress=False).pairings[0]
    return ", ".join(f"{100 * share:.4f} %" for share in (found.wins, found.draws, found.losses))


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """A table in Markdown, whose first column is words."""
    rules = ["---"] + ["---:"] * (len(heads) - 1)
    return [f"| {' | '.join(cells)} |" for cells in (heads, rules, *lines)]


# --- published.csv ------------------------------------------------------------------------------------------


def game() -> Iterator[Row]:
    """The game and its model."""
    options = {name: option.default for name, option in ValueIteration.options.items()}
    for where, played, side, count in (
        ("game description", EIGHT, "8 x 8", 12),
        ("our simplification", GAME, "4 x 4", 2),
    ):
        own, other, *_ = played.initial()
        there = popcount(own), popcount(other)
        yield where, f"pieces of a side on {side}", f"{count}", f"{there[0]}, {there[1]}", "agrees"
    yield "our simplification", "squares, and dark ones", "16, 8", f"16, {len(GAME.cells)}", "agrees"
    yield (
        "game description",
        "a side that cannot move",
        "draws",
        "loses, or draws with capture_to_win=true",
        "its program has it lose; both are options, and have a tournament each",
    )
    found = read("states")
    different = int(found[0]["different"])
    yield (
        "states representation",
        "possible states at most",
        "5^8",
        f"{5 ** len(GAME.cells):,}, of which {different:,} are reached with BLUE to move",
        "agrees",
    )
    yield (
        "model",
        "rewards for a win, a loss, else",
        "10000, -10000, 0",
        ", ".join(f"{options[name]:g}" for name in ("win", "loss", "draw")),
        "agrees",
    )
    yield "model", "discount", "0.9", f"{options['gamma']:g}", "agrees"
    yield "states transition", "probability of either of two replies", "0.5", f"{reply():g}", "agrees"


def reply() -> float:
    """The probability of a reply by random play in the first position met that has two."""
    agent, rng, state = registry().spec("agent", "random").make(GAME), Rng(), GAME.initial()
    while len(moves := list(GAME.moves(state))) != 2:
        state = GAME.play(state, moves[rng.below(len(moves))]) if moves else GAME.initial()
    return float(agent.distribution(state, moves)[0])


def counted() -> Iterator[Row]:
    """The states that its program prints."""
    found = {row["cells by"]: row for row in read("states")}
    program = found["x, then y"]
    counts = sorted(int(row["boards"]) for row in found.values())
    yield (
        "output",
        "states",
        "4029",
        f"{program['boards']} boards in its set, {program['different']} of them different",
        "agrees: its set holds boards by identity, and one that is reached several times before it is taken"
        f" from the stack counts as often; in other orders of cells {counts[0]} to {counts[-1]}",
    )


def sweeps() -> Iterator[Row]:
    """The forty changes that it prints."""
    for row in read("sweeps"):
        if row["as published"]:
            printed, ours = 10000 * 0.9 ** int(row["sweep"]), float(row["as published"])
            yield (
                "output",
                f"iteration {row['sweep']}, largest change",
                f"{printed:.10g}",
                f"{ours:.10g} as published; {float(row['who is stuck loses']):.6g} as it should be",
                "agrees with published=true" if abs(printed - ours) < 1e-9 else "differs",
            )


def stored() -> Iterator[Row]:
    """The value function that its program has stored."""
    (found,) = read("stored")
    for what, published, name in (
        ("values that are not 0, of 2,216", 401.0, "not 0"),
        ("the largest value", 96909.68456173674, "largest"),
        ("the sum of all values", 16169949.721049609, "sum"),
    ):
        ours = float(found[name])
        yield (
            "value function stored by its program",
            f"{what}, after {found['sweeps']} sweeps",
            f"{published:.12g}",
            f"{ours:.12g} as published",
            "agrees with published=true; a test compares value by value"
            if math.isclose(published, ours, rel_tol=1e-14) and found["positions"] == "2216"
            else "differs",
        )


def policies() -> Iterator[Row]:
    """What comes of it, and the policies there were."""
    done = read("sweeps")
    values = {row["who is stuck"]: row["value"] for row in read("values") if row["move"] == "7-6"}
    yield (
        "value iteration",
        "ends when no value changes by more than a threshold",
        "not by iteration 39",
        f"after {len(done)} sweeps, by no more than {ValueIteration.options['threshold'].default:g}",
        "the program replies for the wrong side, goes on after a win and clips values at 0, so that changes"
        " fall by the discount alone and it never ends",
    )
    yield (
        "value iteration",
        "value of the start with the optimal policy",
        "none given",
        ", ".join(f"{value} if who is stuck {ends}" for ends, value in values.items()),
        "not published; the same by policy iteration, and by linear equations in a test",
    )
    for rules, name in (("checkers-4x4", "loses"), ("checkers-4x4-stuck-draws", "draws")):
        mine, theirs = (against_random(entry, rules)[0] for entry in ("value-iteration", PUBLISHED))
        chance = random_play(name == "draws")
        yield (
            "value iteration",
            f"an optimal policy, as BLUE against random play where who is stuck {name}: won, drawn, lost",
            "none given",
            f"{mine}; its program's {theirs}; random play's {chance}",
            "not published; its program's policy is hardly better than random play, by the faults above",
        )
    nodes = [row for row in read("nodes") if row["game"] == "checkers-4x4"]
    (shallow,) = (row for row in nodes if row["depth"] == SEARCHED)
    yield (
        "existing policies",
        "alpha-beta is more efficient than minimax",
        "depth 3",
        f"{shallow['alpha-beta']} positions in place of {shallow['minimax']} at depth 3,"
        f" {int(nodes[-1]['alpha-beta']):,} of {int(nodes[-1]['minimax']):,} at depth {nodes[-1]['depth']}",
        "agrees",
    )


# --- README.md ----------------------------------------------------------------------------------------------


def readme() -> Iterator[str]:
    """All of README.md, line by line."""
    states, changes = read("states"), read("sweeps")
    yield "# Checkers on 4 x 4, as a Markov decision process"
    yield ""
    yield (
        'This page reproduces the numbers of "Math of Turn-Based Strategy Games".'
        " [published.csv](published.csv) lists each of them. Tournaments:"
        " [a side that cannot move loses](../checkers-4x4.md), as in the document's program, or"
        " [draws](../checkers-4x4-stuck-draws.md), as in its text."
    )
    yield from ("", "## States", "")
    yield (
        f"The document counts 4029 states. There are {int(states[0]['different']):,}: its search puts "
        "boards into a set that distinguishes them by identity, and a board is on the stack as often as "
        "it was reached before it was first taken from the stack. The resulting number depends on the "
        "order in which cells are visited. The program's order is x, then y:"
    )
    yield ""
    lines = [[row["cells by"], row["boards"], row["different"]] for row in states]
    yield from table(["", "boards counted", "different"], lines)
    yield from ("", "## Value iteration", "")
    yield (
        "The published program's largest change decreases by a factor of 0.9 in each sweep, and never "
        f"reaches 0. Here, value iteration converges after {len(changes)} sweeps."
    )
    yield ""
    lines = [[row["sweep"], *(shown(row[name]) for name in list(row)[1:])] for row in changes[:40:5]]
    yield from table(["sweep", *(f"largest change, {name}" for name in list(changes[0])[1:])], lines)
    yield from ("", "The values of BLUE's first moves against random play:", "")
    lines = [list(row.values()) for row in read("values")]
    yield from table(["who is stuck", "by", "move", "value"], lines)
    yield from ("", "## Minimax and alpha-beta", "")
    yield (
        "The table has the number of positions visited from the start position. *distinct*: distinct "
        "positions at each ply, which `minimax` searches, because it stores values. *minimal*: "
        "approximately the minimum that alpha-beta without a table has to visit, with the best move "
        "always first, in a tree with the same average number of moves at each ply (Knuth & Moore 1975). "
        "*alpha-beta*: in the order of the game's moves; *ordered*: with the default move ordering of "
        "`alpha-beta`; *table*: with a transposition table of a million entries."
    )
    yield ""
    yield order_told(read("nodes"))
    yield ""
    heads = [
        "game",
        "evaluation",
        "depth",
        "minimax",
        "distinct",
        "minimal",
        "alpha-beta",
        "ordered",
        "table",
    ]
    lines = [
        [row["game"], f"`{row['evaluation']}`", *(f"{int(row[name]):,}" for name in heads[2:])]
        for row in read("nodes")
    ]
    yield from table(heads, lines)
    yield from ("", "```sh", "python leaderboards/checkers-4x4/document.py")
    yield from ("python leaderboards/checkers-4x4/nodes.py", "python leaderboards/checkers-4x4/published.py")
    yield "```"


def order_told(nodes: Rows) -> str:
    """Where the default ordering does harm, at the greatest depth."""
    last = [row for row in nodes if row["game"] == "connect-four"][-1]
    own, ordered = int(last["alpha-beta"]), int(last["ordered"])
    return (
        "At connect four, the game's own move order (the middle first) is better than the default "
        f"ordering: {own:,} positions compared with {ordered:,} at depth {last['depth']}."
    )


def shown(change: str) -> str:
    return f"{float(change):.4f}" if change else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=HERE, metavar="FOLDER", help="instead of this one")
    asked = parser.parse_args()
    (asked.to / "README.md").write_text("\n".join(readme()) + "\n", encoding="utf-8")
    with (asked.to / "published.csv").open("w", encoding="utf-8", newline="") as file:
        heads = ("where", "what", "published", "ours", "why")
        rows = [heads, *game(), *counted(), *sweeps(), *stored(), *policies()]
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
