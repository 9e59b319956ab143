"""Writes README.md, and published.csv for the page of the documents' numbers, of the results beside it.

python leaderboards/mcts/page.py
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.ratings.comparison import mean_of
from arena.ratings.statistics import wilson

HERE = Path(__file__).parent
PUBLISHED = {  # of 1000 matches each, by seat and opponent: won, drawn, lost, in per cent
    ("first", "random"): (81.8, 18.2, 0.0),
    ("second", "random"): (63.5, 36.5, 0.0),
    ("first", "minimax"): (0.0, 100.0, 0.0),
    ("second", "minimax"): (0.0, 100.0, 0.0),
    ("first", "minimax:ties=first"): (0.0, 100.0, 0.0),
    ("second", "minimax:ties=first"): (0.0, 100.0, 0.0),
    ("first", "itself"): (0.0, 100.0, 0.0),
}
CALLED = {  # as the document calls them
    "random": "random",
    "minimax": "minimax random",
    "minimax:ties=first": "minimax",
    "itself": "MCTS",
}
MATCHES = 1000
SEATS = "first", "second"
Rows = list[dict[str, str]]


def rows_of(name: str) -> Rows:
    """A result's rows."""
    with (HERE / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def shares(row: dict[str, str]) -> tuple[float, float, float]:
    """Won, drawn, lost, in per cent."""
    return float(row["won"]), float(row["drawn"]), float(row["lost"])


def mean_text(values: Sequence[float]) -> str:
    """A mean, its 95 % interval by Student's t, and the least and greatest value."""
    return f"{mean_of(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def triple(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """In Markdown, numbers to the right."""
    yield f"| {' | '.join(heads)} |"
    yield f"| {' | '.join('---' if not i else '---:' for i in range(len(heads)))} |"
    for line in lines:
        yield f"| {' | '.join(line)} |"


# --- what the document has ----------------------------------------------------------------------------


def sampled(samples: Rows, seat: str) -> list[float]:
    """Won of each sample, in per cent."""
    return [100 * int(row["wins"]) / MATCHES for row in samples if row["seat"] == seat]


def document(rows: Rows, samples: Rows) -> Iterator[Sequence[str]]:
    """By pairing: the published shares, those of the tree made as published, samples, and other trees."""
    for (seat, opponent), published in PUBLISHED.items():
        found = [row for row in rows if (row["seat"], row["opponent"]) == (seat, opponent)]
        (ours,) = [shares(row) for row in found if row["entry"] == "mcts-table"]
        others = [shares(row) for row in found if row["entry"] != "mcts-table"]
        names = (CALLED["itself"], CALLED[opponent])
        first, second = names if seat == "first" else names[::-1]
        won, lost = ([one[i] for one in others] for i in (0, 2))
        drawn = mean_text(sampled(samples, seat)) if opponent == "random" else ""
        yield f"{first} v {second}", triple(published), triple(ours), drawn, mean_text(won), mean_text(lost)


def published_rows(rows: Rows, samples: Rows) -> Iterator[Sequence[str]]:
    """For published.csv."""
    for (seat, opponent), published in PUBLISHED.items():
        (ours,) = [
            shares(row)
            for row in rows
            if (row["entry"], row["seat"], row["opponent"]) == ("mcts-table", seat, opponent)
        ]
        error = 1.96 * math.sqrt(ours[0] * (100 - ours[0]) / MATCHES)
        within = abs(ours[0] - published[0]) <= error and ours[2] == published[2]
        who = f"MCTS as {'X' if seat == 'first' else 'O'} against {CALLED[opponent]}"
        why = ("compatible" if error > 0 else "agrees") if within else "differs"
        if error > 0:
            found = sampled(samples, seat)
            why += (
                f": in 1000 matches ± {error:.1f} % are chance; {len(found)} times 1000 matches of ours win"
                f" {min(found):.1f} to {max(found):.1f} %"
            )
        yield "results of the program", f"{who}: won, drawn, lost, %", triple(published), triple(ours), why
    (trees,) = {len({row["entry"] for row in rows}) - 1}
    losing = {row["entry"] for row in rows if row["entry"] != "mcts-table" and float(row["lost"]) > 0}
    yield (
        "results of the program",
        "MCTS never loses a match",
        "0 lost in any pairing",
        f"0 lost; of {trees} trees with ties broken at random {len(losing)} lose some",
        "agrees: with the first of equal moves, as the program takes it, no match is lost",
    )
    yield (
        "results of the program",
        "playouts the tree is made of",
        "4000",
        "4000",
        "agrees: it is the default of mcts-table",
    )


# --- UCT ----------------------------------------------------------------------------------------------


def never_beaten(rows: Rows) -> Iterator[Sequence[str]]:
    """By entry and playouts, of both seats: seeds beaten, and how they do against random moves."""
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        yield (
            f"`{first['entry']}`",
            f"{first['beaten']} of {first['seeds']}",
            f"{second['beaten']} of {second['seeds']}",
            *(f"{float(row['won']):.2f} ({float(row['least_won']):.2f} to {float(row['most_won']):.2f})"
              for row in (first, second)),
        )  # fmt: skip


def from_when_on(rows: Rows) -> Iterator[Sequence[str]]:
    """By form of UCT: from how many playouts on no seed is beaten as first, as second, and the most."""
    forms: dict[str, dict[int, dict[str, int]]] = {}
    for row in rows:
        name, playouts, others = parts(row["entry"])
        of_form = forms.setdefault(name + others, {})
        of_form.setdefault(playouts, {})[row["seat"]] = int(row["beaten"])
    for form, tried in forms.items():
        found = [min(n for n in tried if not any(tried[m][seat] for m in tried if m >= n)) for seat in SEATS]
        yield f"`{form}`", *map(str, found), f"{max(tried)}"


def unbeaten_told(rows: Rows) -> str:
    """What it says of all seeds that none of some is beaten."""
    (seeds,) = {int(row["seeds"]) for row in rows}
    _, most = wilson(0, seeds)
    return (
        f"If 0 of {seeds} seeds are beaten, then with 95 % confidence fewer than {math.ceil(100 * most)} % "
        "of all seeds can be beaten (Wilson 1927). Numbers of playouts between those of the long table were "
        "not tested."
    )


def parts(entry: str) -> tuple[str, int, str]:
    """`mcts`, its playouts and its other options."""
    name, _, options = entry.partition(":playouts=")
    playouts, _, others = options.partition(",")
    return name, int(playouts), f":{others}" if others else ""


def equal_time(rows: Rows, budgets: Rows) -> Iterator[Sequence[str]]:
    """What matches came to, with the milliseconds that a move of either took."""
    for row, budget in zip(rows, budgets, strict=True):
        yield (
            f"{row['game']}, {1000 * float(row['seconds']):.0f} ms a move",
            f"`{row['mcts']}`",
            f"`{row['alpha_beta']}`",
            *map(milliseconds, took(budget)),
            row["matches"],
            row["won"],
            row["drawn"],
            row["lost"],
            f"{row['score']} % ({row['low']} to {row['high']})",
        )


def took(budget: dict[str, str]) -> tuple[float, float]:
    """Seconds that a move took of `mcts` and of `alpha-beta`."""
    return float(budget["playouts_took"]), float(budget["nodes_took"])


def milliseconds(seconds: float) -> str:
    """`7.40`."""
    return f"{1000 * seconds:#.3g}"


def off(budget: dict[str, str]) -> float:
    """How far the times of a row are from what was asked for, as a share."""
    return max(abs(seconds / float(budget["seconds"]) - 1) for seconds in took(budget))


def times_told(budgets: Rows) -> str:
    """How well times agree, in words."""
    apart = max(max(took(budget)) / min(took(budget)) - 1 for budget in budgets)
    worst = max(budgets, key=off)
    said = " and ".join(map(milliseconds, took(worst)))
    return (
        f"The two times of a row differ by {100 * apart:.1f} % at most. They are not always close to the "
        f"requested time: with {1000 * float(worst['seconds']):.0f} ms requested, moves at {worst['game']} "
        f"took {said} "
        "ms."
    )


def page() -> Iterator[str]:
    """All of README.md, line by line."""
    yield "# Monte Carlo tree search"
    yield ""
    yield (
        "This page has results of the plugin [arena-mcts](../../plugins/arena-mcts/README.md). `python "
        "leaderboards/mcts/page.py` writes this page; [results.toml](results.toml) has the commands that "
        "produce the results."
    )
    yield from ("", "## A tree built once", "")
    yield (
        "The table has the percentages of tic-tac-toe matches that MCTS wins, draws and loses. The "
        "published figures are those of Nested Software's program, from 1000 matches each. Those of "
        "`mcts-table`, which plays the first of equal moves, are exact. The next columns have its wins "
        "in 1000 matches, repeated ten times, which differ only by chance, and the results of ten trees "
        "with ties broken at random: the mean ± 95 % (Student's t), and the minimum and maximum of the ten."
    )
    yield ""
    heads: Sequence[str] = (
        "first v second",
        "published",
        "`mcts-table`",
        "ten times 1000: won",
        "ten others: won",
        "ten others: lost",
    )
    yield from table(heads, [*document(rows_of("document"), rows_of("samples"))])
    yield from ("", "## UCT that cannot be beaten with any of 100 seeds", "")
    yield (
        "The game is tic-tac-toe. With a seed, the move depends only on the position, so all replies can "
        "be enumerated: a seed is beaten if an opponent that knows it can win. The other columns have "
        "the exact share of matches won against random moves, as the mean over the seeds and its range. "
        "866 of 945, or 91.64 %, is the maximum in the second seat for a player that never gives away a "
        "draw or a win."
    )
    yield ""
    yield unbeaten_told(rows_of("unbeaten"))
    yield ""
    heads = ("UCT", "none of 100 beaten as first from", "as second from", "tried up to")
    yield from table(heads, [*from_when_on(rows_of("unbeaten"))])
    yield from ("", "<details><summary>All numbers of playouts tried</summary>", "")
    heads = ("entry", "beaten as first", "beaten as second", "won as first, %", "won as second, %")
    yield from table(heads, [*never_beaten(rows_of("unbeaten"))])
    yield from ("", "</details>")
    yield from ("", "## Against alpha-beta at equal time", "")
    yield (
        "Budgets were measured once, on a busy machine, and are stored in "
        "[budgets.csv](budgets.csv) with the time per move measured with them; with these budgets, the "
        "matches are reproducible. Openings are four random plies, each played from both seats. The score is "
        "that of `mcts`, with its 95 % interval by profile likelihood, from pairs of matches."
    )
    budgets = rows_of("budgets")
    yield ""
    yield times_told(budgets)
    yield ""
    counted = ("matches", "won", "drawn", "lost", "score")
    heads = ("", "mcts", "alpha-beta", "mcts, ms", "alpha-beta, ms", *counted)
    yield from table(heads, [*equal_time(rows_of("equal-time"), budgets)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=Path, default=HERE, help="where to write, in place of this folder")
    args = parser.parse_args()
    (args.to / "README.md").write_text("\n".join(page()) + "\n", encoding="utf-8")
    with (args.to / "published.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("where", "what", "published", "ours", "why"))
        writer.writerows(published_rows(rows_of("document"), rows_of("samples")))
    print(f"{args.to}: README.md, published.csv")


if __name__ == "__main__":
    main()
