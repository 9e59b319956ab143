"""Measure the speed of arena against a C yardstick and against alternatives, all in one run.

    python benchmarks/speed.py [--only NAME…] [--quick] [--write]

Contestants take turns for several rounds; shown are median rates and the median of the ratios within a round.
Times are CPU time on one core, unless a row says otherwise. Peers are those of `pip install -e
".[benchmarks]"`; those that are not installed are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise, starmap
from operator import truediv
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import peers
import yardstick
from iterations import Iteration
from solver import searched
from tasks import Tasks, opening, reached
from timed_training import TimedTraining
from timing import Command, Contestant, Row, compare, each, milliseconds, per_second, ratio
from votes import Scan, Voter, known, trained, unknown

from arena.analysis.graph import graph_of
from arena.registry.plugins import registry
from arena_agents.linear.phases import until

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- written by speed.py -->", "<!-- to here -->"
PEERS = {"open_spiel": "OpenSpiel", "easyAI": "easyAI", "bitbully": "BitBully"}
# games a second that the program published with Nested Software's "Tic-Tac-Toe with Tabular Q-Learning"
# learns from: in Python, measured once, elsewhere
PUBLISHED = 548.0
# of the program published with "Prior State Voting (PSV)", in Python: games a second that it learns from and
# seconds that a decision takes with 105,023 positions, both measured once, elsewhere; and as the document
# says, seconds that a match takes after so many games
VOTING_GAMES = 330.0
VOTING_DECISION = 4.0
VOTING_MATCHES = {5_000: 148.0, 40_000: 1018.0}
# seconds that the program published with "Math of Turn-Based Strategy Games", in Python, takes to find the
# positions of checkers on 4 x 4, and for an iteration over them: both measured once, elsewhere
PUBLISHED_POSITIONS = 4.1
PUBLISHED_SWEEP = 17.5
# games a second that the published program of Q-learning over transitions, in Python, learns from at its
# fastest: measured elsewhere
TRANSITION_GAMES = 22.0
MEMORY = 64  # megabytes of the table with which connect four is solved


class Scale(NamedTuple):
    """Amount of measurement.

    Attributes:
        rounds: Number of rounds; three times as many against C.
        seconds: Minimum time of a measurement of a peer; that of the command is three times as long.
        less: Number of plies by which searches are shallower.
    """

    rounds: int
    seconds: float
    less: int


Pair = tuple[Callable[[], list[int]], tuple[object, ...]]  # arena's call, the yardstick's arguments
FULL, QUICK = Scale(3, 1.0, 0), Scale(1, 0.3, 2)


def installed(package: str) -> str | None:
    """Return the version of a peer; if it is not installed, print that and return None."""
    try:
        return version(package)
    except PackageNotFoundError:
        print(f'{PEERS[package]} is not installed: pip install -e ".[benchmarks]"', file=sys.stderr)
        return None


# --- against C --------------------------------------------------------------------------------------------


def duel(work: str, unit: str, scale: Scale, program: yardstick.Yardstick, pairs: list[Pair]) -> Row:
    """Compare arena with the yardstick at tasks in which both must find the same.

    Args:
        work: What is measured.
        unit: What is counted.
        scale: How much is measured.
        program: The yardstick.
        pairs: Tasks of arena with the arguments of the yardstick's.
    """
    amount = 0
    for task, args in pairs:
        found, theirs = task(), program.run(*args)[0]
        if found != theirs:
            raise SystemExit(f"yardstick {' '.join(map(str, args))}: C finds {theirs}, arena {found}")
        amount += found[1] if unit == "nodes" else found[0]

    def arena() -> float:
        start = process_time()
        for task, _ in pairs:
            task()
        return amount / (process_time() - start)

    def c() -> float:
        return amount / sum(program.run(*args)[1] for _, args in pairs)

    (row,) = compare(work, per_second(unit), 3 * scale.rounds, arena, {"C": c})
    return row


def against_c(scale: Scale) -> list[Row]:
    """Compiled code against the C yardstick: the same work, node for node"""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = yardstick.Yardstick(Path(folder))
        for name, lines, depth, matches, uct in (
            ("connect-four", 10, 13, 1_000_000, 100_000),
            ("checkers", 10, 13, 100_000, 20_000),
        ):
            tasks = Tasks(name)
            lines, depth, matches = lines - scale.less, depth - scale.less, matches // (1 + 4 * scale.less)
            uct //= 1 + 4 * scale.less
            game = tasks.game
            begun = [reached(game, opening(game, plies, plies)) for plies in (0, 4, 8, 12)]
            searches: list[Pair] = [
                (partial(tasks.alpha_beta, depth, state), ("alpha-beta", name, depth, *state))
                for state in begun
            ]
            counts: list[Pair] = [(partial(tasks.perft, lines), ("perft", name, lines))]
            played: list[Pair] = [(partial(tasks.playouts, matches, 1), ("playouts", name, matches, 1))]
            trees: list[Pair] = [
                (partial(tasks.uct, uct, 1, state), ("uct", name, uct, 1, *state)) for state in begun
            ]
            rows += [
                duel(f"{name}, perft {lines}", "lines", scale, program, counts),
                duel(f"{name}, alpha-beta to depth {depth}", "nodes", scale, program, searches),
                duel(f"{name}, matches at random", "plies", scale, program, played),
                duel(f"{name}, `mcts:playouts={uct}`", "playouts", scale, program, trees),
            ]
    return rows


# --- against peers ----------------------------------------------------------------------------------------


def peer(task: str, scale: Scale, *args: object) -> Contestant:
    """Return a measurement of a peer, in a process of its own."""
    return lambda: float(said(task, scale, *args).split()[-1])


def said(task: str, scale: Scale, *args: object) -> str:
    """Return what a peer prints."""
    command = [sys.executable, peers.__file__, task, str(scale.seconds), *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"peers.py {task}: {done.stderr.strip().rpartition(chr(10))[2]}")
    return done.stdout


def at_random(scale: Scale) -> list[Row]:
    """`arena match random random`, start-up left out, by the clock, against random players of others"""
    rows = []
    spiel, easy = installed("open_spiel"), installed("easyAI")
    for game in peers.SPIEL:
        others = {}
        if spiel:
            others["OpenSpiel, `evaluate_bots`"] = peer("spiel_bots", scale, game)
            others["OpenSpiel, loop in Python"] = peer("spiel_loop", scale, game)
        if easy and game in peers.EASY:
            others["easyAI"] = peer("easy_random", scale, game)
        command = Command(game, seconds=3 * scale.seconds)
        rows += compare(game, per_second("matches"), scale.rounds, command.rate, others)
    return rows


def searching(scale: Scale) -> list[Row]:
    """Alpha-beta from the start, the peers' without an evaluation and in their order of moves"""
    rows = []
    spiel, easy = installed("open_spiel"), installed("easyAI")
    for game, depth in (("tic-tac-toe", 9), ("connect-four", 8), ("checkers", 8)):
        others = {}
        if spiel:
            others["OpenSpiel, in Python"] = peer("spiel_search", scale, game, depth)
        if easy and game in peers.EASY:
            others["easyAI"] = peer("easy_search", scale, game, depth)
        tasks = Tasks(game)
        work = f"{game}, {'whole tree' if depth == 9 else f'depth {depth}'}"
        start = tasks.game.initial()
        arena = partial(peers.rate, partial(tasks.alpha_beta, depth, start), scale.seconds / 3)
        rows += compare(work, milliseconds, scale.rounds, arena, others)
    return rows


def solving(scale: Scale) -> list[Row]:
    """Connect four solved exactly, without a book; the mean of twenty random positions, none won at once"""
    rows = []
    game = registry().spec("game", "connect-four").make()
    for plies in (24, 18, 14, 12):
        lines = [opening(game, plies, seed) for seed in range(20)]
        columns = ["".join(map(game.move_text, line)) for line in lines]
        others = {"BitBully": peer("bitbully", scale, *columns)} if installed("bitbully") else {}
        rows += compare(f"after {plies} plies", milliseconds, scale.rounds, partial(solved, lines), others)
    return rows


def solved(lines: Sequence[Sequence[Any]]) -> float:
    """Return positions solved per second, each with an empty table, which is not timed."""
    seconds = 0.0
    for line in lines:
        worth = searched(MEMORY, distance=True)
        begun = process_time()
        worth(list(line))
        seconds += process_time() - begun
    return len(lines) / seconds


# --- learning -----------------------------------------------------------------------------------------------


def learning(scale: Scale) -> list[Row]:
    """Games learned from: tic-tac-toe against a random player, connect four against itself"""
    games = per_second("games")
    many = 1_000_000 // (1 + 2 * scale.less)
    q_table, double_q = TimedTraining("tic-tac-toe", "q-table"), TimedTraining("tic-tac-toe", "double-q")
    few = TimedTraining("connect-four", "q-table:opponent=self,episodes=20000")
    long = TimedTraining("connect-four", f"q-table:opponent=self,episodes={many},memory=4000")
    others: dict[str, Contestant] = {"published program, in Python": lambda: PUBLISHED}
    if installed("open_spiel"):
        others["OpenSpiel, `QLearner`"] = peer("spiel_learn", scale, "tic-tac-toe")
    rounds = 3 * scale.rounds
    rows = compare("tic-tac-toe, `q-table`", games, rounds, q_table.rate, others)
    rows += compare("tic-tac-toe, `double-q`", games, rounds, double_q.rate, {"`q-table`": q_table.rate})
    rows += compare("connect-four, `q-table`, 20,000 games", games, rounds, few.rate, {})
    for row in compare(f"connect-four, `q-table`, {many:,} games", games, scale.rounds, long.rate, {}):
        table = f"{long.positions() / 1e6:.2f} M positions, {long.megabytes():,.0f} MB"
        rows.append(row._replace(other="its table", theirs=table))
    return rows


# --- Prior State Voting -------------------------------------------------------------------------------------


def voting(scale: Scale) -> list[Row]:
    """Prior State Voting at checkers: decisions in positions not known, matches, games learned from"""
    return [*deciding(scale), *matches_by_vote(scale), *learning_to_vote(scale)]


def deciding(scale: Scale) -> list[Row]:
    """Measure decisions with few and with many known moves, and then beside the scan of all of them."""
    rows = []
    tables = [trained(games) for games in (15, 1_550, 172_000 // (1 + 2 * scale.less))]
    positions = unknown(tables, matches=400)
    few, some, many = tables
    for entry in ("psv", "psv:rule=lines,known=votes,symmetry=inversion,reflection"):
        least, less, most = (partial(Voter(table, entry).rate, positions) for table in tables)
        work = f"`{entry}`, {known(many)}"
        rows += compare(work, each, 3 * scale.rounds, most, {known(few): least, known(some): less})
    voter, scan = Voter(some), Scan(some)
    asked = positions[:: len(positions) // 5]
    others: dict[str, Contestant] = {
        "scan of these, in Python": partial(scan.rate, asked, voter.choose(asked)),
        "published program, 105,023 positions": lambda: 1 / VOTING_DECISION,
    }
    work = f"`psv`, {known(some)}"
    return rows + compare(work, each, scale.rounds, partial(voter.rate, positions), others)


def matches_by_vote(scale: Scale) -> list[Row]:
    """Measure matches of `psv` against a random player."""
    rows = []
    for games, seconds in VOTING_MATCHES.items():
        arena = partial(Voter(trained(games)).matches_rate, 20_000)
        published: dict[str, Contestant] = {"published program, a match": partial(truediv, 1, seconds)}
        rows += compare(f"`psv`, a match after {games:,} games", each, scale.rounds, arena, published)
    return rows


def learning_to_vote(scale: Scale) -> list[Row]:
    """Measure the learning of the table that `psv` uses."""
    rows = []
    for games in (10_000, 1_000_000 // (1 + 2 * scale.less)):
        training = TimedTraining("checkers", f"q-backprop:episodes={games},memory=8000")
        work = f"`q-backprop`, {games:,} games"
        published: dict[str, Contestant] = {"published program, in Python": lambda: VOTING_GAMES}
        rows += compare(work, per_second("games"), scale.rounds, training.rate, published)
        table = f"{training.positions() / 1e6:.2f} M moves, {training.megabytes():,.0f} MB"
        rows.append(Row(work, rows[-1].arena, "its table", table))
    return rows


# --- all positions ------------------------------------------------------------------------------------------


def iterating(scale: Scale) -> list[Row]:
    """Value iteration from nothing: all positions found, the opponent asked, sweeps until nothing changes"""
    return [*against_the_best(scale), *against_a_random_player(scale)]


def against_the_best(scale: Scale) -> list[Row]:
    """Measure tic-tac-toe, with values that must equal OpenSpiel's."""
    rows = []
    ways = {}
    if installed("open_spiel"):
        ways = {"OpenSpiel, in Python": "", "OpenSpiel, `cyclic_game=True`": "once"}
    worth = [json.loads(said("spiel_values", scale, "tic-tac-toe", way)) for way in ways.values()]
    for name in ("value-iteration", "policy-iteration"):
        learner = Iteration("tic-tac-toe", f"{name}:opponent=optimal,gamma=1,win=1,loss=-1")
        for theirs in worth:
            learner.agree(theirs)
        others = {who: peer("spiel_iterate", scale, "tic-tac-toe", way) for who, way in ways.items()}
        work = f"tic-tac-toe, `{name}:opponent=optimal`, {learner.shown()}"
        rows += compare(work, each, 3 * scale.rounds, partial(learner.whole, scale.seconds / 3), others)
    return rows


def against_a_random_player(scale: Scale) -> list[Row]:
    """Measure checkers on 4 x 4, as in the published document."""
    game, seconds = "checkers-4x4", scale.seconds / 3
    values, rounds = Iteration(game, "value-iteration"), Iteration(game, "policy-iteration")
    published = Iteration(game, "value-iteration:published=true")
    found: dict[str, Contestant] = {"published program": lambda: 1 / PUBLISHED_POSITIONS}
    swept: dict[str, Contestant] = {"published program": lambda: 1 / PUBLISHED_SWEEP}
    other: dict[str, Contestant] = {"`value-iteration`": partial(values.whole, seconds)}
    work = f"{game}, {values.positions():,} positions found"
    enumeration = partial(peers.rate, partial(graph_of, values.learner.game), seconds)
    rows = compare(work, each, 3 * scale.rounds, enumeration, found)
    rows += compare(f"{game}, `{published.entry}`, a sweep", each, 3 * scale.rounds, published.rate, swept)
    for learner, others in ((values, {}), (rounds, other), (published, other)):
        work = f"{game}, `{learner.entry}`, {learner.shown()}"
        rows += compare(work, each, 3 * scale.rounds, partial(learner.whole, seconds), others)
    return rows


# --- features and abstract states ---------------------------------------------------------------------------


def approximating(scale: Scale) -> list[Row]:
    """Sarsa by the schedule of "4 in a row", by the clock, on two cores; Q-learning over abstract states"""
    rows = []
    games = 1_200_000 // (1 + 50 * scale.less)
    learner: Any = TimedTraining("connect-four", f"sarsa:schedule=document,episodes={games}").begin()
    ends = [*until(learner.phases, games)[:-1], games]
    start = perf_counter()
    for phase, numbers in zip(learner.phases, starmap(range, pairwise([0, *ends])), strict=True):
        begun = perf_counter()
        learner.learn_many(numbers, [0, 0, 0])
        rate = len(numbers) / (perf_counter() - begun)
        work = f"depth {phase.depth} v {phase.opponent}"
        rows.append(Row(f"connect-four, {work}, {len(numbers):,} games", per_second("games")(rate)))
    seconds = perf_counter() - start
    rows.append(Row(f"connect-four, all {games:,} games", f"{seconds / 60:.1f} min"))
    published: dict[str, Contestant] = {"published program, in Python": lambda: TRANSITION_GAMES}
    for games in (2_500, 250_000 // (1 + 4 * scale.less)):
        rules = "checkers:capture_to_win=true,repetition=0,quiet_plies=0"
        training = TimedTraining(rules, f"transition-q:episodes={games}")
        work = f"checkers, `transition-q`, {games:,} games"
        rows += compare(work, per_second("games"), 3 * scale.rounds, training.rate, published)
    return rows


# --- the command ------------------------------------------------------------------------------------------


def workers(scale: Scale) -> list[Row]:
    """`arena match random random` with two workers against one, by the clock, start-up left out"""
    if (os.cpu_count() or 1) < 2:
        print("two workers are not faster on one core", file=sys.stderr)
        return []
    rows = []
    for game in ("connect-four", "checkers"):
        one = Command(game, seconds=3 * scale.seconds)
        two = Command(game, workers=2, seconds=0)
        two.many = one.many
        one.run(one.many)
        two.run(two.many)
        if one.said != two.said:
            raise SystemExit(f"{game}: two workers' results differ from one's")
        pair = {"one worker": one.rate}
        rows += compare(f"{game}, two workers", per_second("matches"), scale.rounds, two.rate, pair)
    return rows


def starting(scale: Scale) -> list[Row]:
    """`arena match random random --matches 2 --game connect-four`, by the clock"""
    command = [sys.executable, "-m", "arena", "match", "random", "random"]
    command += ["--matches", "2", "--game", "connect-four"]
    seconds: dict[str, list[float]] = {"first time, nothing compiled": [], "later": []}
    for _ in range(scale.rounds):
        with tempfile.TemporaryDirectory() as folder:
            for times in seconds.values():
                start = perf_counter()
                env = {**os.environ, "ARENA_CACHE": folder}
                subprocess.run(command, check=True, capture_output=True, env=env)
                times.append(perf_counter() - start)
    return [Row(when, f"{ratio(statistics.median(times))} s") for when, times in seconds.items()]


SECTIONS: dict[str, Callable[[Scale], list[Row]]] = {
    "c": against_c,
    "random": at_random,
    "search": searching,
    "solve": solving,
    "learn": learning,
    "vote": voting,
    "iteration": iterating,
    "features": approximating,
    "workers": workers,
    "start": starting,
}


# --- the table --------------------------------------------------------------------------------------------


def machine() -> str:
    """Return processor, cores, load, date and versions."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    processor = found[1].strip() if found else platform.machine()
    versions = [
        f"Python {platform.python_version()}",
        f"llvmlite {version('llvmlite')}",
        f"gcc {yardstick.version()}",
    ]
    for package, name in PEERS.items():
        try:
            versions.append(f"{name} {version(package)}")
        except PackageNotFoundError:
            continue
    busy = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before"
    return f"{processor}, {busy}; {date.today()}; {', '.join(versions)}."


def table(title: str, rows: list[Row]) -> str:
    heads = ["", "arena", "beside it", "", "ratio"]
    wide = 5 if any(row.ratio for row in rows) else 4 if any(row.other for row in rows) else 2
    lines = [heads, ["---", "---:", "---", "---:", "---:"], *rows]
    return "\n".join([f"**{title}**", "", *("| " + " | ".join(line[:wide]) + " |" for line in lines)])


def title(section: Callable[[Scale], list[Row]]) -> str:
    """Return the heading of a section's table, which is the same in each run."""
    return (section.__doc__ or "").strip()


def replaced(before: str, tables: Mapping[str, str], measured: str) -> str:
    """Return the text with some tables replaced, in the order of SECTIONS.

    Args:
        before: The text so far.
        tables: New tables by title.
        measured: What is added to each new table about its own run.
    """
    first, *kept = before.strip().split("\n\n**")
    known = {text.partition("**")[0]: f"**{text}" for text in kept}
    known |= {name: f"{text}\n\nMeasured apart: {measured}" for name, text in tables.items()}
    return "\n\n".join([first, *(known[name] for name in map(title, SECTIONS.values()) if name in known)])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="NAME", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="a look, not a measurement")
    parser.add_argument(
        "--write", action="store_true", help=f"put the tables into {README.name}, with --only these alone"
    )
    options = parser.parse_args()
    if options.write and options.quick:
        parser.error("--write puts down what was measured: leave out --quick")
    measured = machine()
    print(measured, flush=True)
    tables = {}
    for name in options.only or SECTIONS:
        section = SECTIONS[name]
        if rows := section(QUICK if options.quick else FULL):
            tables[title(section)] = shown = table(title(section), rows)
            print(f"\n{shown}", flush=True)
    if options.write:
        before, rest = README.read_text(encoding="utf-8").split(BEGIN)
        written, after = rest.split(END)
        whole = "\n\n".join([measured, *tables.values()])
        body = replaced(written, tables, measured) if options.only else whole
        README.write_text(f"{before}{BEGIN}\n{body}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
