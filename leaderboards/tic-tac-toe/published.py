"""What was published of Q-learning at tic-tac-toe, beside ours: README.md and published.csv.

    python leaderboards/tic-tac-toe/published.py [--to FOLDER]

Reads seeds.csv.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arena import Game
from arena.ratings.comparison import holm, two_sided
from arena.ratings.statistics import wilson
from arena.registry.plugins import registry
from arena.training.learners import untrained
from arena_agents.tabular.q_table import QTable

HERE = Path(__file__).parent
DOCUMENT = "episodes=14000,alpha=0.4"
ARTICLE, PROGRAM = "draw=0,loss=-1", "draw=1,loss=0"  # rewards; 1 for a win
REWARDS = {"+1 / 0 / -1": ARTICLE, "1 / 1 / 0": PROGRAM}
OPPONENTS = {"random": "", "minimax": ",opponent=minimax"}
NAMES = ("q-table", "double-q")
OURS = ("", ":draw=0", ":draw=0.5", ":draw=1", ":alpha=0.4", ":episodes=14000")
MET = ("random", "minimax", "minimax:ties=first", "itself")
MATCHES = 1000  # that published shares are of
DEMONSTRATION = 1000  # matches a pairing, by which the program shows its results
KNOWN_THEN = "positions known then"
MINIMAX_TRAINED = "results, trained against randomised minimax"

Row = tuple[str, str, str, str, str]  # where, what, published, ours, why


class Measure(NamedTuple):
    """A row of seeds.csv: of so many seeds mean, standard deviation, quantiles, how many have it over 0."""

    seeds: int
    mean: float
    sd: float
    least: float
    low: float
    median: float
    high: float
    most: float
    over: int
    of_these: float

    @property
    def error(self) -> float:
        """Half the 95 % interval of the mean."""
        return 1.96 * self.sd / math.sqrt(self.seeds)

    @property
    def share(self) -> tuple[float, float, float]:
        """The share of seeds that have it over 0, with its 95 % interval."""
        return (self.over / self.seeds, *wilson(self.over / self.seeds, self.seeds))


Found = Mapping[str, Mapping[str, Measure]]  # by entry and measure


def read() -> Found:
    """What seeds.csv holds."""
    found: dict[str, dict[str, Measure]] = {}
    with (HERE / "seeds.csv").open(encoding="utf-8", newline="") as file:
        for entry, seeds, measure, *numbers in list(csv.reader(file))[1:]:
            floats = [float(number) for number in numbers]
            found.setdefault(entry, {})[measure] = Measure(int(seeds), *floats[:7], int(floats[7]), floats[8])
    return found


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"


def across(measure: Measure) -> str:
    """`92.6 % (90.4 to 95.1)`: the mean over seeds, and their 5th and 95th percentile."""
    return f"{percent(measure.mean)} ({100 * measure.low:.1f} to {100 * measure.high:.1f})"


def shared(measure: Measure) -> str:
    """`24.0 % (21.5 to 26.7)`: the share of seeds that have any, with its 95 % interval."""
    share, low, high = measure.share
    return f"{percent(share)} ({100 * low:.1f} to {100 * high:.1f})"


def table(heads: Sequence[str], lines: Sequence[Sequence[str]], words: int = 1) -> list[str]:
    """A table in Markdown, whose first columns are words."""
    rules = ["---"] * words + ["---:"] * (len(heads) - words)
    return [f"| {' | '.join(cells)} |" for cells in (heads, rules, *lines)]


# --- one table of values or two ---------------------------------------------------------------------------


class Comparison(NamedTuple):
    """single, double: as shown. p: of a difference as large by chance; held: once Holm has corrected it."""

    what: str
    single: str
    double: str
    difference: float
    p: float
    held: float


def comparisons(found: Found) -> list[Comparison]:
    """Single against double Q-learning, means by Welch's test, shares by that of two proportions."""
    rows = []
    for reward, options in REWARDS.items():
        for opponent, option in OPPONENTS.items():
            one, two = (found[f"{name}:{DOCUMENT},{options}{option}"] for name in NAMES)
            where = f"{reward}, trained against {opponent}"
            a, b = one["random, score"], two["random, score"]
            error = math.sqrt(a.sd**2 / a.seeds + b.sd**2 / b.seeds)
            p = two_sided(a.mean - b.mean, error)
            rows.append(
                (f"{where}: score against random", percent(a.mean, 2), percent(b.mean, 2), a.mean - b.mean, p)
            )
            a, b = one["random, lost"], two["random, lost"]
            both = (a.over + b.over) / (a.seeds + b.seeds)
            error = math.sqrt(both * (1 - both) * (1 / a.seeds + 1 / b.seeds))
            p = two_sided(a.share[0] - b.share[0], error)
            never = [1 - m.share[0] for m in (a, b)]
            rows.append((f"{where}: seeds that never lose", *map(percent, never), never[0] - never[1], p))
    return [Comparison(*row, held) for row, held in zip(rows, holm([row[-1] for row in rows]), strict=True)]


def p_text(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}"


def verdict(each: Sequence[Comparison]) -> str:
    """Who is better in how many of the comparisons, without those where all learners of both kinds lose."""
    able = [one for one in each if one.p < 1]
    sure = [one for one in able if one.held < 0.05]
    single = sum(one.difference > 0 for one in sure)
    return (
        f"of {len(able)} comparisons in which the two can differ, one table is better in {single}, two "
        f"tables in {len(sure) - single}, and {len(able) - len(sure)} may be due to chance"
    )


def differing(found: Found, each: Sequence[Comparison]) -> str:
    """By how much, in words."""
    halfway, as_a_win = REWARDS
    of = {one.what: one for one in each}
    more = of[f"{as_a_win}, trained against random: score against random"].difference
    one, two = (percent(found[f"{n}:{DOCUMENT},{REWARDS[as_a_win]}"]["random, lost"].share[0]) for n in NAMES)
    scores = [abs(one.difference) for what, one in of.items() if what.startswith(halfway) and "score" in what]
    return (
        f"With {as_a_win}, trained against random play, two tables win more ({-100 * more:+.2f} points of "
        f"score) and can be beaten more often ({two} of seeds against {one}). With {halfway} the scores "
        f"differ by {100 * max(scores):.2f} points at most."
    )


# --- published.csv ----------------------------------------------------------------------------------------


class Line(Game):
    """One move each, five in all; whoever makes the last one wins."""

    max_plies = 5
    max_moves = 1

    def initial(self) -> int:
        return 0

    def moves(self, state: int) -> list[int]:
        return [1] if state < 5 else []

    def play(self, state: int, move: int) -> int:
        return state + move

    def to_move(self, state: int) -> int:
        return state % 2

    def value(self, state: int) -> int:
        return -1


def example() -> list[float]:
    """What one game of three own moves that wins teaches at a learning rate of .9, the last move first."""
    pupil = QTable(Line(), episodes=1, alpha=0.9, seats="first")
    pupil.learn_many(range(1), [0, 0, 0])
    return sorted((round(float(value), 9) for value in pupil.model()["values"].ravel()), reverse=True)


def explorations() -> list[float]:
    """The probability of a random move after each tenth of a seat's games."""
    pupil: Any = untrained(
        registry().spec("agent", f"q-table:{DOCUMENT}"), registry().spec("game", "tic-tac-toe")
    )
    return [pupil.exploration(700 * tenth) for tenth in range(1, 10)]


def outcomes(x: str, o: str, shown: tuple[float, float, float], found: Found) -> Row:
    """A pairing of the results: won by X, by O, drawn; the exact figures are those of seeds.csv."""
    fixed = x if x in found else o
    seat, other = ("X", o) if fixed == x else ("O", x)
    won, lost = (found[fixed][f"{other}, as {seat}, {how}"].mean for how in ("won", "lost"))
    exact = (won, lost) if seat == "X" else (lost, won)
    ours = (*exact, 1 - sum(exact))
    return (
        "results",
        f"{x} v {o}: X wins, O wins, drawn",
        ", ".join(f"{share} %" for share in shown),
        "exactly " + ", ".join(percent(share, 2) for share in ours),
        within([(share / 100, exact) for share, exact in zip(shown, ours, strict=True)]),
    )


def within(pairs: Sequence[tuple[float, float]]) -> str:
    """Whether exact shares lie in the intervals of published ones."""
    off = [published for published, exact in pairs if not covers(published, exact)]
    if off:
        return f"{percent(off[0])} of {MATCHES} matches is chance, or a difference of rules"
    widest = max(1.96 * math.sqrt(exact * (1 - exact) / MATCHES) for _, exact in pairs)
    if widest < 1e-9:
        return "agrees"
    return f"compatible: in {MATCHES} matches up to ± {100 * widest:.1f} % are chance"


def covers(published: float, exact: float) -> bool:
    """Whether an exact share lies in the interval of one that is published."""
    low, high = wilson(published, MATCHES)
    return low - 1e-9 <= exact <= high + 1e-9


def learned(where: str, what: str, published: float, measure: Measure) -> Row:
    """A share that one learner had in a sample of matches, and what ours have exactly."""
    why = fit(published / 100, measure)
    if not why:
        why = (
            "differs: outside the 5th to 95th percentile of our seeds;"
            f" these go from {percent(measure.least)} to {percent(measure.most)}"
        )
    return where, what, f"{published} %", across(measure), why


def fit(published: float, measure: Measure) -> str:
    """That a published share agrees with ours, or nothing."""
    low, high = wilson(published, MATCHES)
    if measure.low <= published <= measure.high:
        return "compatible: within the 5th to 95th percentile of our seeds"
    if measure.low <= high and low <= measure.high:
        return f"compatible: within the 5th to 95th percentile of our seeds, as far as {MATCHES} matches tell"
    return ""


def by_pairs(found: Found) -> Iterator[Row]:
    """How a learner trained against minimax does as O, with values of positions and moves, and of afters."""
    pairs, afters = (
        found[f"q-table:{DOCUMENT},{ARTICLE},opponent=minimax{keyed}"] for keyed in (",keyed=pair", "")
    )
    for how, does, share in (("won", "wins", 50.0), ("lost", "loses", 22.7)):
        measure, other = pairs[f"random, as O, {how}"], afters[f"random, as O, {how}"]
        yield (
            MINIMAX_TRAINED,
            f"{does} as O against random",
            f"{share} %",
            f"{across(measure)} with keyed=pair; {across(other)} with values of positions after moves",
            fit(share / 100, measure) or "differs: outside the 5th to 95th percentile of our seeds",
        )


def settings(found: Found) -> Iterator[Row]:
    """The numbers with which the article has its learners learn."""
    options = QTable.options
    default = {
        name: options[name].default for name in ("episodes", "alpha", "gamma", "epsilon", "epsilon_drop")
    }
    own, theirs = found["q-table"]["random, lost"], found[f"q-table:{DOCUMENT},{ARTICLE}"]["random, lost"]
    why = f"options; with ours {shared(own)} of seeds lose to somebody, with the article's {shared(theirs)}"
    yield (
        "text, update rule",
        "worked example at a learning rate of 0.9",
        "0.9, 0.81, 0.73 (rounded)",
        ", ".join(f"{value:g}" for value in example()),
        "agrees",
    )
    yield (
        "text, results",
        "rewards for a win, a draw, a loss",
        "1, 0, -1",
        ", ".join(f"{options[name].default:g}" for name in ("win", "draw", "loss")),
        why,
    )
    yield "text, results", "initial value", "0", f"{0.0:g}", "agrees"
    yield "text, results", "learning rate", "0.4", f"{default['alpha']:g}", why
    yield "text, results", "discount", "1", f"{default['gamma']:g}", "agrees"
    yield "text, results", "games of training a seat", "7000", f"{default['episodes'] // 2:,}", why
    yield (
        "text, results",
        "probability of a random move at first, and its fall a tenth",
        "0.7, 0.1",
        (f"{default['epsilon']:g}, {default['epsilon_drop']:g}"),
        "agrees",
    )
    printed = [0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0]
    same = all(abs(a - b) < 1e-9 for a, b in zip(printed, explorations(), strict=True))
    yield (
        "results, training",
        "the same after each tenth",
        "0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 2.8e-17, 0, 0",
        ", ".join(f"{abs(round(value, 9)):g}" for value in explorations()),
        "agrees" if same else "differs",
    )


def claims(found: Found) -> Iterator[Row]:
    """What the article says of its results, whose tables are pictures."""
    q, program = (found[f"q-table:{DOCUMENT},{rewards}"] for rewards in (ARTICLE, PROGRAM))
    lost, theirs = q["minimax, as O, lost"], program["random, lost"]
    beside = [
        f"{percent(q[name].mean)} against {percent(found['minimax'][name].mean)}"
        for name in ("random, as X, won", "random, as O, won")
    ]
    yield (
        "text, results",
        "usually makes no mistakes against random play or minimax",
        "no losses",
        f"{shared(q['random, lost'])} of seeds lose to somebody",
        "one learner that does not lose makes no rule",
    )
    yield (
        "text, results",
        "more wins against random play than minimax has, as X and as O",
        "more",
        ", ".join(beside),
        "agrees",
    )
    yield (
        "text, results",
        "occasionally loses to randomised minimax as O, how often",
        "about 40 % of matches",
        f"{shared(lost)} of seeds do, and these lose {percent(lost.of_these)} of matches; one seed in twenty"
        f" loses {percent(lost.high)} or more",
        "oftener than now and then, and mostly fewer matches; one seed in twenty loses as many",
    )
    where = "text, update, rewards 1, 1, 0"
    yield learned(where, "wins as X against random", 95.0, program["random, as X, won"])
    yield learned(where, "wins as O against random", 70.0, program["random, as O, won"])
    yield (
        where,
        "the inconsistency is gone",
        "no losses",
        f"{shared(theirs)} of seeds lose to somebody",
        f"rarer than the {percent(q['random, lost'].share[0])} with a draw worth 0, and not gone",
    )
    yield from by_pairs(found)
    yield learned(MINIMAX_TRAINED, "wins as O, trained against random", 92.6, q["random, as O, won"])
    yield from positions(found)
    yield (
        "text, double Q-learning",
        "no improvement; results seem better with a single table",
        "better with one",
        verdict(comparisons(found)),
        f"here it is tested over {lost.seeds} seeds a kind",
    )


def positions(found: Found) -> Iterator[Row]:
    """How many positions a table has, and how many there are."""
    pairs = found[f"q-table:{DOCUMENT},{ARTICLE},opponent=minimax,keyed=pair"]
    trained, then = pairs["positions known"], pairs[KNOWN_THEN]
    yield (
        MINIMAX_TRAINED,
        "positions in its table",
        "355",
        f"with keyed=pair {trained.least:.0f} to {trained.most:.0f} after training, {then.low:.0f} to"
        f" {then.high:.0f} to be expected after the matches that it then plays to show its results",
        "compatible: its program then kept positions with their moves, and entered each that it read, in"
        " these matches as well"
        if then.least <= 355 <= then.most
        else "differs: outside the range of our seeds",
    )
    most = found[f"q-table:{DOCUMENT},{ARTICLE}"]["turns met"].most
    yield (
        MINIMAX_TRAINED,
        "positions that are not ends, those alike by symmetry as one",
        "627",
        f"{most:.0f}, met by the seed that met most",
        "agrees" if most == 627 else "some were not met",
    )


def results(found: Found) -> Iterator[Row]:
    """The results that the program prints."""
    mine = f"q-table:{DOCUMENT},{PROGRAM}"
    first = "minimax:ties=first"
    yield outcomes("random", "random", (60.1, 28.9, 11.0), found)
    for x, o in ((first, "minimax"), ("minimax", first), (first, first), ("minimax", "minimax")):
        yield outcomes(x, o, (0.0, 0.0, 100.0), found)
    yield outcomes("minimax", "random", (96.8, 0.0, 3.2), found)
    yield outcomes("random", "minimax", (0.0, 78.1, 21.9), found)
    q = found[mine]
    yield learned("results", "q-table v random: X wins", 93.1, q["random, as X, won"])
    yield none_lost("results", "q-table v random: O wins", q["random, as X, lost"])
    yield learned("results", "random v q-table: O wins", 61.0, q["random, as O, won"])
    yield none_lost("results", "random v q-table: X wins", q["random, as O, lost"])
    for opponent in ("minimax", first):
        yield none_lost("results", f"q-table v {opponent}: O wins", q[f"{opponent}, as X, lost"])
        yield none_lost("results", f"{opponent} v q-table: X wins", q[f"{opponent}, as O, lost"])
    decided = q["itself, as X, won"], q["itself, as X, lost"]
    yield (
        "results",
        "q-table v q-table: X wins, O wins",
        "0.0 %, 0.0 %",
        ", ".join(f"{shared(one)} of seeds" for one in decided),
        as_most(decided),
    )
    items = q["moves met"]
    yield (
        "results",
        "number of items in the table",
        "747",
        f"{items.mean:.1f}, {items.least:.0f} to {items.most:.0f}",
        "compatible: within the range of our seeds"
        if items.least <= 747 <= items.most
        else "its games were others: one seed of another generator",
    )


def none_lost(where: str, what: str, measure: Measure) -> Row:
    """A pairing that nobody lost, and the share of seeds that do."""
    return (
        where,
        what,
        "0.0 %",
        f"{percent(measure.mean, 2)}; {shared(measure)} of seeds lose any",
        as_most([measure]),
    )


def as_most(measures: Sequence[Measure]) -> str:
    """How one learner that lost none of its matches stands to ours."""
    without = 1 - max(measure.share[0] for measure in measures)
    if without == 1:
        return "agrees"
    told = f"{percent(without)} of our seeds never lose these"
    return f"compatible: {told}" if without > 0.05 else f"differs: {told}"


# --- README.md --------------------------------------------------------------------------------------------


def kinds_table(found: Found) -> list[str]:
    """The published settings: how learners do."""
    lines = []
    for opponent, option in OPPONENTS.items():
        for reward, options in REWARDS.items():
            for name in NAMES:
                lines.append([name, reward, opponent, *shown(found[f"{name}:{DOCUMENT},{options}{option}"])])
    return table(["learner", "rewards", "trained against", *SHOWN], lines, 3)


def pairs_table(found: Found) -> Iterator[str]:
    """Learners with values of positions and moves."""
    yield (
        "In the article, each position and move has a value, and a position is added to the table with "
        "all its moves when it is first read: `keyed=pair`, here with the rewards +1 / 0 / -1. The "
        "article's program prints 355 positions, after the matches that show its results; the number of "
        f"known positions should therefore be compared after {DEMONSTRATION:,} matches per pairing."
    )
    yield ""
    lines = []
    for opponent, option in OPPONENTS.items():
        of = found[f"q-table:{DOCUMENT},{ARTICLE}{option},keyed=pair"]
        counts = [f"{of[name].low:.0f} to {of[name].high:.0f}" for name in ("positions known", KNOWN_THEN)]
        lines.append([opponent, *shown(of)[:6], *counts])
    heads = ["trained against", *SHOWN[:6], "positions known of 627", "known then"]
    yield from table(heads, lines)


def opponents_table(found: Found) -> list[str]:
    """Who was trained against random play, how many seeds lose to whom, and how often as O to minimax."""
    lines = []
    for reward, options in REWARDS.items():
        for name in NAMES:
            of = found[f"{name}:{DOCUMENT},{options}"]
            cells = [percent(of[f"{other}, as {seat}, lost"].share[0]) for other in MET for seat in "XO"]
            lost = of["minimax, as O, lost"]
            lines.append([name, reward, *cells, percent(lost.median), percent(lost.high)])
    heads = [f"{other}, as {seat}" for other in MET for seat in "XO"]
    heads += ["as O to minimax, the median seed", "the 95th percentile"]
    return table(["seeds that lose to", "rewards", *heads], lines, 2)


SHOWN = (
    "won as X against random",
    "won as O",
    "lost as X",
    "lost as O",
    "seeds that lose",
    "seeds that lose as O to minimax",
    "how often these do",
    "at most",
    "positions met of 764",
)


def shown(of: Mapping[str, Measure]) -> list[str]:
    """The cells of a kind of learners."""
    lost = of["minimax, as O, lost"]
    return [
        across(of["random, as X, won"]),
        across(of["random, as O, won"]),
        percent(of["random, as X, lost"].mean, 2),
        percent(of["random, as O, lost"].mean, 2),
        shared(of["random, lost"]),
        shared(lost),
        percent(lost.of_these),
        percent(lost.most),
        f"{of['moves met'].mean:.0f}",
    ]


def readme(found: Found) -> Iterator[str]:
    """All of README.md, line by line."""
    q = found[f"q-table:{DOCUMENT},{ARTICLE}"]
    lost, each = q["minimax, as O, lost"], comparisons(found)
    yield "# Q-learning at tic-tac-toe, over many seeds"
    yield ""
    yield (
        "This page evaluates the learners of Nested Software's"
        ' "Tic-Tac-Toe with Tabular Q-Learning". Each kind was trained with'
        f" {lost.seeds:,} seeds ([by default](#by-default) {found['q-table']['random, lost'].seeds}),"
        " and each learner was evaluated exactly, over all lines of play. Shares are means"
        " over seeds (5th to 95th percentile); shares of seeds have 95 % intervals (Wilson 1927)."
        " `minimax` chooses at random among its best moves. A player that never loses to random play never"
        " loses to any player."
    )
    yield ""
    yield (
        "[The tournament](../tic-tac-toe.md) has ten learners of each kind. "
        "[published.csv](published.csv) lists each number of the article."
    )
    yield from ("", "## As published", "")
    yield (
        "Learners were trained with 7000 games from either seat and a learning rate of 0.4; rewards "
        "are for a win, a draw and a loss."
    )
    yield ""
    yield from kinds_table(found)
    yield ""
    yield from pairs_table(found)
    yield ""
    yield (
        "In the article, the learner occasionally loses about 40 % of its games as O to randomised "
        f"minimax. With its rewards, {shared(lost)} of seeds lose to randomised minimax as O, and these "
        f"lose {percent(lost.of_these)} of matches on average. One of these seeds in twenty loses "
        f"{percent(lost.high)} or more. Seeds that lose at all, trained against random play:"
    )
    yield ""
    yield from opponents_table(found)
    yield from ("", "## One table or two", "")
    yield f"In sum, {verdict(each)}. {differing(found, each)}"
    yield ""
    yield (
        "*p* is from Welch's test of means or the test of two proportions; *Holm* is *p* corrected for "
        f"all {len(each)} comparisons. In comparisons whose *p* is 1, all learners of both kinds can be "
        "beaten."
    )
    yield ""
    lines = [
        [one.what, one.single, one.double, f"{100 * one.difference:+.2f}", p_text(one.p), p_text(one.held)]
        for one in each
    ]
    yield from table(["", "q-table", "double-q", "difference", "p", "Holm"], lines)
    yield from ("", "## By default", "")
    yield (
        "By default, a draw is worth 0.9 and a loss -1, the learning rate is 0.05, and there are 140,000 "
        f"games. {found['q-table']['random, lost'].seeds} seeds of the defaults, and of variants that "
        "differ in one option:"
    )
    yield ""
    lines = [[f"`{name}{options}`", *shown(found[name + options])] for options in OURS for name in NAMES]
    yield from table(["learner", *SHOWN], lines)
    yield from ("", "```sh", "python leaderboards/tic-tac-toe/seeds.py")
    yield from ("python leaderboards/tic-tac-toe/published.py", "```")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=HERE, metavar="FOLDER", help="instead of this one")
    asked = parser.parse_args()
    found = read()
    (asked.to / "README.md").write_text("\n".join(readme(found)) + "\n", encoding="utf-8")
    with (asked.to / "published.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [
            ("where", "what", "published", "ours", "why"),
            *settings(found),
            *claims(found),
            *results(found),
        ]
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
