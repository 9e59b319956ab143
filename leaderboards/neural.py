"""What Q-learning with a neural network comes to, beside what was published.

    python leaderboards/neural.py [--to FOLDER]

Writes README.md and published.csv there, and in docs/agents/neural.md what stands between two marks.
"""

from __future__ import annotations

import argparse
import csv
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from voting.shares import of_seeds, one_more

from arena.ratings.comparison import welch
from arena.ratings.statistics import wilson

HERE = Path(__file__).parent
FOLDER = HERE / "neural"
PAGE = HERE.parent / "docs" / "agents" / "neural.md"
BEGIN, END = "<!-- written by leaderboards/neural.py -->", "<!-- to here -->"
PUBLISHED_ENTRY = "neural-q:episodes=4000000,view=board,illegal=learned"
DEFAULT_ENTRY = "neural-q"
VOTES = ("psv", "lines and captures")  # Prior State Voting, by the names in `seconds.csv`
CHECKERS_ENTRY = (
    "neural-q:episodes=100000,opponent=self,epsilon=0.1,epsilon_drop=0,draw=0.5,head=afterstate,hidden=32,"
    "max_plies=150"
)
TIC_TAC_TOE, PSV = "tic-tac-toe", "psv"  # the folders by whose names the documents are known
PUBLISHED = {  # opponent and seat: won, drawn, lost, in per cent of 1000 matches
    ("random", 1): (98.4, 1.6, 0.0),
    ("minimax", 1): (0.0, 100.0, 0.0),
    ("minimax:ties=first", 1): (0.0, 100.0, 0.0),
    ("random", 2): (75.4, 24.6, 0.0),
    ("minimax", 2): (0.0, 100.0, 0.0),
    ("minimax:ties=first", 2): (0.0, 100.0, 0.0),
    ("itself", 1): (0.0, 100.0, 0.0),
}
MATCHES = 1000  # that published shares are of
NEAR, TAKEN = 0.5, ("32", 0.1)  # points, within which the smaller network is taken; layers and rate in use
ENDS = ("won", "drawn", "lost")
SEATS = {1: "X, first", 2: "O, second"}
Row = Mapping[str, str]
Table = list[str]


def read(name: str) -> list[Row]:
    """The rows of a file of results, none where it has not been made."""
    if not (FOLDER / name).exists():
        return []
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    rules = ["---" if i == 0 else "---:" for i in range(len(heads))]
    return [f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows)]


def mean(values: Sequence[float]) -> str:
    """`97.6 ± 0.4`: the mean over seeds with its 95 % interval by Student's t; `0.0` where all are equal."""
    return str(of_seeds(values))


def with_range(values: Sequence[float]) -> str:
    """The same with the least and the greatest of them, if it does not have these already."""
    text = mean(values)
    return text if "(" in text else f"{text} ({min(values):.1f} to {max(values):.1f})"


# --- tic-tac-toe ------------------------------------------------------------------------------------------


def shares(rows: Sequence[Row], opponent: str, seat: int, end: str) -> list[float]:
    """Per cent, by seed."""
    return [100 * float(r[end]) for r in rows if (r["opponent"], r["seat"]) == (opponent, str(seat))]


def by_seat(rows: Sequence[Row], published: bool) -> Table:
    """A row for each opponent and seat: the means over seeds, and the range of what was won."""
    heads = ["opponent", "as", *ENDS, "won, least to most"]
    lines = []
    for (opponent, seat), figures in PUBLISHED.items():
        found = {end: shares(rows, opponent, seat, end) for end in ENDS}
        line = [f"`{opponent}`" if opponent != "itself" else opponent, SEATS[seat]]
        line += [mean(found[end]) for end in ENDS]
        line += [f"{min(found['won']):.1f} to {max(found['won']):.1f}"]
        lines.append(line + [" / ".join(f"{x:.1f}" for x in figures)] * published)
    return table(heads + ["published: won / drawn / lost"] * published, lines)


def never_lose(rows: Sequence[Row]) -> tuple[int, int]:
    """How many seeds lose to nobody from either seat, and of how many. Against itself one of them may."""
    lost = {r["seed"]: 0.0 for r in rows}
    for r in rows:
        if r["opponent"] != "itself":
            lost[r["seed"]] += float(r["lost"])
    return sum(share == 0 for share in lost.values()), len(lost)


def unbeaten(rows: Sequence[Row]) -> str:
    """`9 of 10 (60 to 98 %)`: how many seeds never lose, with 95 % of their share (Wilson 1927)."""
    count, seeds = never_lose(rows)
    low, high = wilson(count / seeds, seeds)
    return f"{count} of {seeds} ({100 * low:.0f} to {100 * high:.0f} %)"


def tic_tac_toe() -> Iterator[str]:
    for heading, name, entry in (
        ("As published", "published-seeds.csv", PUBLISHED_ENTRY),
        ("By default", "default-seeds.csv", DEFAULT_ENTRY),
    ):
        rows = read(name)
        seeds = len({r["seed"] for r in rows})
        yield from ("", f"### {heading}", "", f"`{entry}`; seeds: {seeds}.", "")
        yield from by_seat(rows, name.startswith("published"))
        yield from ("", f"Networks that never lose to random or minimax, from either seat: {unbeaten(rows)}.")
    if rows := read("batches.csv"):
        yield from ("", "### Batches and delayed target networks", "")
        yield (
            "The table varies the number of games in the gradient of a step, and the number of games "
            "after which the target network is copied. It has the percentages won against `random` after "
            "the default number of games:"
        )
        yield ""
        yield from batches(rows + read("default-seeds.csv"))


def batches(rows: Sequence[Row]) -> Table:
    lines = []
    for entry in dict.fromkeys(r["entry"] for r in rows):
        here = [r for r in rows if r["entry"] == entry]
        won = [mean(shares(here, "random", seat, "won")) for seat in SEATS]
        lines.append([f"`{entry}`", *won, unbeaten(here)])
    return table(["entry", *SEATS.values(), "never lose"], lines)


# --- checkers -----------------------------------------------------------------------------------------------


def neural_won() -> dict[int, list[float]]:
    """Per cent of matches won against random play, by games of training, a number a seed."""
    return won_by_seed(
        (int(r["games"]), r["seed"], int(r["won"]), sum(int(r[end]) for end in ENDS))
        for r in read("matches.csv")
        if r["opponent"] == "random"
    )


def psv_won() -> dict[str, dict[int, list[float]]]:
    """The same of Prior State Voting, from its own folder."""
    found = {}
    for name, files in {
        "psv": ("psv.csv", "psv-large.csv"),
        "lines and captures": ("lines.csv", "lines-large.csv"),
        "q-random": ("random.csv",),
    }.items():
        rows: list[Row] = []
        for file in files:
            with (HERE / "psv" / file).open(encoding="utf-8", newline="") as lines:
                rows += csv.DictReader(lines)
        found[name] = won_by_seed(
            (
                int(r["episodes"]),
                r["seed"],
                int(r["wins"]),
                sum(int(r[end]) for end in ("wins", "draws", "losses")),
            )
            for r in rows
        )
    return found


def won_by_seed(counts: Iterator[tuple[int, str, int, int]]) -> dict[int, list[float]]:
    sums: dict[int, dict[str, list[int]]] = {}
    for games, seed, won, matches in counts:
        so_far = sums.setdefault(games, {}).setdefault(seed, [0, 0])
        so_far[0] += won
        so_far[1] += matches
    return {
        games: [100 * won / matches for won, matches in seeds.values()]
        for games, seeds in sorted(sums.items())
    }


def costs(agent: str, column: str) -> dict[int, float]:
    """Seconds or bytes of an agent by games of training, the mean over seeds."""
    rows = [r for r in read("seconds.csv") if r["agent"] == agent]
    games = sorted({int(r["games"]) for r in rows})
    return {n: statistics.fmean(float(r[column]) for r in rows if int(r["games"]) == n) for n in games}


def by_games() -> Table:
    ours, theirs = neural_won(), psv_won()
    heads = ["games of training", "neural-q", "psv", "lines and captures", "q-random"]
    lines = [
        [f"{n:,}", mean(won), *(mean(curve[n]) if n in curve else "" for curve in theirs.values())]
        for n, won in ours.items()
    ]
    return table(heads, lines)


def by_seconds() -> Table:
    """What each comes to by the time that its training took, its own numbers of games in ascending order."""
    ours, theirs = neural_won(), psv_won()
    lines = []
    learners = {"neural-q": ours, **{name: theirs[name] for name in VOTES}}
    for name, curve in learners.items():
        for n, seconds in costs(name, "seconds").items():
            if n in curve:
                lines.append((seconds, [f"{seconds:.3g}", name, f"{n:,}", mean(curve[n])]))
    return table(["seconds", "agent", "games", "won"], [line for _, line in sorted(lines)])


def sizes() -> Table:
    sizes = {name: costs(name, "bytes") for name in ("neural-q", *VOTES)}
    lines = [[f"{n:,}", *(megabytes(of[n]) for of in sizes.values())] for n in sizes["neural-q"]]
    return table(["games of training", *sizes], lines)


def megabytes(size: float) -> str:
    return f"{size / 1e6:.3g} MB"


def against(opponent: str) -> dict[int, list[float]]:
    """Scores of the network by games that both learned from, per cent, one a seed."""
    rows = [r for r in read("matches.csv") if r["opponent"] == opponent]
    games = sorted({int(r["games"]) for r in rows})
    return {n: scores([r for r in rows if int(r["games"]) == n]) for n in games}


def direct() -> Table:
    """Scores of the network against each, by games that both learned from."""
    rows = [r for r in read("matches.csv") if r["opponent"] != "random"]
    heads = ["opponent", "games of training, of both", *ENDS, "score"]
    lines = []
    for name in dict.fromkeys(r["opponent"] for r in rows):
        for n in sorted({int(r["games"]) for r in rows}):
            here = [r for r in rows if (r["opponent"], int(r["games"])) == (name, n)]
            sums = [sum(int(r[end]) for r in here) for end in ENDS]
            lines.append([name, f"{n:,}", *(f"{x:,}" for x in sums), mean(scores(here))])
    return table(heads, lines)


def scores(rows: Sequence[Row]) -> list[float]:
    """Per cent, by seed, both seats pooled."""
    found = []
    for seed in dict.fromkeys(r["seed"] for r in rows):
        won, drawn, lost = (sum(int(r[end]) for r in rows if r["seed"] == seed) for end in ENDS)
        found.append(100 * (won + drawn / 2) / (won + drawn + lost))
    return found


def tuned() -> dict[tuple[str, float], list[float]]:
    """Per cent won against random play by hidden layers and rate, after each number of games."""
    found = {}
    for path in sorted((FOLDER / "tuning").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        hidden, _, alpha = path.stem.removeprefix("h").partition("-a")
        won = won_by_seed(
            (
                int(r["episodes"]),
                r["seed"],
                int(r["wins"]),
                sum(int(r[e]) for e in ("wins", "draws", "losses")),
            )
            for r in rows
        )
        found[hidden, float(alpha)] = [statistics.fmean(seeds) for seeds in won.values()]
    return dict(sorted(found.items()))


def tuning() -> Table:
    heads = ["hidden", "alpha", "100", "1,000", "10,000"]
    rows = [
        [hidden, f"{alpha:g}", *(f"{share:.1f}" for share in won)] for (hidden, alpha), won in tuned().items()
    ]
    return table(heads, rows)


def choice() -> str:
    """What the rule takes by these figures, beside what was taken."""
    last = {key: won[-1] for key, won in tuned().items()}
    near = [key for key, won in last.items() if won >= max(last.values()) - NEAR]
    by_rule = min(near, key=lambda key: (len(key[0].split(",")), -last[key]))
    if by_rule == TAKEN:
        return "These figures give the same choice."
    (hidden, rate), less = TAKEN, last[by_rule] - last[TAKEN]
    return (
        f"The choice, {hidden} with a rate of {rate:g}, was based on other matches of the same networks. "
        f"By the matches in the table, {by_rule[0]} with {by_rule[1]:g} would have been chosen, by a margin "
        f"of {less:.1f} points."
    )


def checkers() -> Iterator[str]:
    seeds = len(next(iter(neural_won().values())))
    yield (
        f"`{CHECKERS_ENTRY}` learns from self-play. It has one hidden layer and a single output, the "
        f"value of the position after a move. Seeds: {seeds}. It is compared with [Prior State "
        "Voting](../psv/README.md), whose document mentions deep Q-learning as future work. The table "
        "has the percentages of matches won against random play without draws, with 500 matches from "
        "either seat for each seed:"
    )
    yield from ("", *by_games(), "")
    yield (
        "The same percentages by training time, in CPU seconds on one core, without compilation and without "
        "summing the votes of a table:"
    )
    yield from ("", *by_seconds(), "")
    yield "The size of the arrays in memory, without the index of the table:"
    yield from ("", *sizes(), "")
    yield (
        "Matches between the two after the same number of training games, 100 from either seat for each "
        "seed. Matches begin with four random plies, and are drawn after 400 plies:"
    )
    yield from ("", *direct(), "", "### How its options were chosen", "")
    yield (
        "The size and the learning rate were chosen by the percentage won against random play after "
        "10,000 games, with two other seeds, 100 and 101, and 250 matches from either seat. Of two "
        "networks within half a per cent, the smaller one was chosen. The other options were set without "
        "trying other values, except for `max_plies`, which was 500 at first and took too long."
    )
    yield from ("", *tuning(), "", choice())


# --- pages ------------------------------------------------------------------------------------------------


def in_short() -> Iterator[str]:
    """What comes out."""
    counts = [never_lose(read(f"{name}-seeds.csv")) for name in ("published", "default")]
    yield (
        f"At tic-tac-toe {counts[0][0]} of {counts[0][1]} networks never lose as published, and"
        f" {counts[1][0]} of {counts[1][1]} by default."
    )
    ours, theirs = neural_won(), psv_won()
    better = [
        n
        for n in ours
        if all(welch(ours[m], theirs["psv"][m]) < 0.05 for m in ours if m >= n)
        and statistics.fmean(ours[n]) > statistics.fmean(theirs["psv"][n])
    ]
    matches = against("psv")
    yield (
        "At checkers, the network (with size and learning rate tuned for checkers) wins more often "
        "against random play than Prior State Voting (with the settings of its document) from "
        f"{better[0]:,} games on (Welch's test, p < .05), and scores {mean(matches[max(matches)])} % "
        f"against it after {max(matches):,}."
    )
    lines, matches = theirs["lines and captures"], against("lines and captures")
    few, first = min(ours), min(matches)
    ahead = next(n for n, found in matches.items() if of_seeds(found).low > 50)
    later = (
        f"is ahead {'after' if ahead == max(matches) else 'from'} {ahead:,}, with {mean(matches[ahead])} %"
    )
    yield (
        f"Votes by lines with a reward for captures win {mean(lines[few])} % against random play after"
        f" {few:,} games. In matches against them the network scores {mean(matches[first])} % after {first:,}"
        f" games of both, and {later}."
    )


def readme() -> Iterator[str]:
    yield "# Q-learning with a neural network"
    yield ""
    yield (
        "This page has results of [neural-q](../../docs/agents/neural.md), a plugin: `pip install "
        "./plugins/arena-neural`. Figures are means over seeds, ± 95 % (Student's t). Where this "
        "interval would exceed 0 to 100, the range of seeds is shown instead, and the number of seeds "
        "with 0 or 100 if it is at least half. Intervals for the number of seeds that never lose are "
        "Wilson's (1927)."
    )
    yield from ("", "**In short**", "", *(f"- {told}" for told in in_short()))
    yield from ("", "## Tic-tac-toe", "")
    yield (
        "Results are evaluated exactly, in per cent: no matches are played, and the only sampling error is"
        ' that of the seeds. The published figures are those of "Tic-Tac-Toe with a Neural Network" (Nested'
        " Software 2019), from one network, trained once, with 1000 matches per row; [program](https://github.com/nestedsoftware/tictac)."
    )
    yield from tic_tac_toe()
    yield from ("", "## Checkers, compared with Prior State Voting", "")
    yield from checkers()
    yield from ("", "## Reproduce the results", "")
    yield (
        "The same seeds give the same files, except for the seconds. [results.toml](results.toml) has "
        "the commands, and `python leaderboards/reproduce.py neural` runs them. `python "
        "leaderboards/neural.py` writes this page."
    )


def section() -> Iterator[str]:
    """What docs/agents/neural.md has of it."""
    rows = read("published-seeds.csv")
    yield (
        f"Tic-tac-toe, `{PUBLISHED_ENTRY}`, evaluated exactly, in per cent, means over seeds. Networks "
        f"that never lose to random or minimax: {unbeaten(rows)}."
    )
    yield from ("", *by_seat(rows, True), "")
    yield (
        "Checkers without draws, per cent of matches won against random play, compared with Prior State "
        "Voting:"
    )
    yield from ("", *by_games(), "")
    yield "Matches between the two after the same number of training games:"
    yield from ("", *direct())


# --- what was published, line by line -----------------------------------------------------------------------


def published() -> Iterator[dict[str, str]]:
    yield from published_tic_tac_toe()
    yield from published_checkers()


def published_tic_tac_toe() -> Iterator[dict[str, str]]:
    rows = read("published-seeds.csv")
    count, seeds = never_lose(rows)
    for (opponent, seat), figures in PUBLISHED.items():
        for end, figure in zip(ENDS, figures, strict=True):
            found = shares(rows, opponent, seat, end)
            yield {
                "document": TIC_TAC_TOE,
                "where": "output of main_qneural",
                "what": f"neural network as {SEATS[seat][0]} against {opponent}: {end}, per cent",
                "published": f"{figure:.1f}",
                "ours": f"{with_range(found)}, {seeds} seeds, exact",
                "why": why(figure, found),
            }
    options = dict(part.split("=") for part in PUBLISHED_ENTRY.partition(":")[2].split(","))
    yield {
        "document": TIC_TAC_TOE,
        "where": "output of main_qneural",
        "what": "games of training as X, then as O, against random, epsilon .7 falling by .1 each tenth",
        "published": "2000000 each",
        "ours": f"{int(options['episodes']) // 2} each",
        "why": "agrees",
    }
    yield {
        "document": TIC_TAC_TOE,
        "where": "output of main_qneural",
        "what": "it never loses, to random, either minimax or itself",
        "published": "0.0 per cent lost in each row",
        "ours": f"seeds that never lose to random or minimax, exactly: {unbeaten(rows)}",
        "why": f"compatible: reached by {count} of {seeds} seeds; the published network is one seed",
    }


def why(figure: float, found: Sequence[float]) -> str:
    """How a figure of 1000 matches of one network stands to those of ours."""
    alike = sum(abs(share - figure) < 1e-9 for share in found)
    if alike == len(found):
        return "agrees"
    if figure in (0, 100) and alike:
        return f"compatible: reached by {alike} of {len(found)} seeds; the published network is one seed"
    low, high = one_more(found, MATCHES)
    verdict = "compatible" if low <= figure <= high else "differs"
    return f"{verdict}: one training and {MATCHES} matches would give {low:.1f} to {high:.1f}"


def published_checkers() -> Iterator[dict[str, str]]:
    ours, theirs = neural_won(), psv_won()
    last = max(ours)
    as_often = statistics.fmean(theirs["psv"][last])
    fewer = min(n for n, won in ours.items() if statistics.fmean(won) >= as_often)
    kept, time = costs("neural-q", "bytes"), costs("neural-q", "seconds")
    table_kept, table_time = costs("psv", "bytes"), costs("psv", "seconds")
    rows = [r for r in read("matches.csv") if r["opponent"] == "psv" and int(r["games"]) == last]
    claims: list[tuple[str, str, str, str]] = [
        (
            "deep Q-learning, for states not seen in training: values may still be realistic",
            "a conjecture",
            f"after 1,000 games {mean(ours[1000])} % won against random; the table alone"
            f" {mean(theirs['q-random'][1000])} %",
            "not tested; that it plays better than the table alone is",
        ),
        (
            "it requires GPU hardware for training",
            "as a drawback",
            f"{time[last]:.3g} s of one processor core for {last:,} games, without a GPU",
            "a network of one small layer, compiled; alpha-zero-general has convolutions and tree search",
        ),
        (
            "it takes much more time to train",
            "as a drawback",
            f"{time[last]:.3g} s for {last:,} games, the table {table_time[last]:.3g} s",
            f"for as many games, {time[last] / table_time[last]:.1f} times; in as much time PSV wins more at"
            f" first, {mean(theirs['psv'][1000])} % after {table_time[1000]:.3g} s, the network"
            f" {mean(ours[100])} % after {time[100]:.3g} s, and less in the end,"
            f" {mean(theirs['psv'][last])} % after {table_time[last]:.3g} s, the network"
            f" {mean(ours[fewer])} % after {time[fewer]:.3g} s",
        ),
        (
            "it uses less storage space",
            "as an advantage",
            f"{megabytes(kept[last])}, the table {megabytes(table_kept[last])}, after {last:,} games",
            "agrees" if kept[last] < table_kept[last] else "the table is smaller",
        ),
        (
            "which performs better in checkers, deep Q-learning or PSV",
            "left as further work",
            f"after {last:,} games {mean(ours[last])} % won against random, psv"
            f" {mean(theirs['psv'][last])} %; against psv it scores {mean(scores(rows))} %",
            "not published",
        ),
    ]
    for what, said, found, reason in claims:
        yield {
            "document": PSV,
            "where": "text, section 3.4",
            "what": what,
            "published": said,
            "ours": found,
            "why": reason,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, help="where to write, in place of leaderboards/neural and docs")
    to: Path | None = parser.parse_args().to
    folder = to or FOLDER
    (folder / "README.md").write_text("\n".join(readme()) + "\n", encoding="utf-8")
    rows: list[dict[str, Any]] = list(published())
    with (folder / "published.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    if not PAGE.exists():  # where results are made again, without the documents
        return
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page = (to / PAGE.name) if to else PAGE
    written = "\n".join(section())
    page.write_text(f"{before}{BEGIN}\n\n{written}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
