"""Every figure, table and number of the paper beside what it comes to here."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from curves import entry
from voting import board, breadth, keep
from voting.games import by_points
from voting.joint import Joint, joint
from voting.matches import learner
from voting.seconds import CONSTANT, Times, duration
from voting.shares import of_seeds, one_more
from voting.studies import DEEPEST, STUDIES, Difference, differences
from voting.wins import Curve, by_seed, known, said, won

from arena.registry.plugins import registry
from arena.show.curve import read_one

OTHERS = {  # files of other games
    **dict.fromkeys(("othello", "minichess"), ("psv", "random", "lines")),
    **dict.fromkeys(("thud", "chess"), ("psv", "random")),
}
HEADS = ("where", "what", "published", "ours", "why")
AGREES = "agrees"
COMPATIBLE = "compatible"


class Row(NamedTuple):
    where: str
    what: str
    published: str
    ours: str
    why: str


Found = Mapping[str, Mapping[str, Curve]]


def published_csv(folder: Path, found: Found, measured: Times, published: Mapping[str, Any]) -> str:
    """All of published.csv."""
    rows = [
        *the_board(),
        *the_interface(),
        *the_learner(folder),
        *the_votes(folder),
        *covered(folder),
        *figure_4(found, published),
        *curves_at_once(found, published),
        *keep_training(folder, published),
        *claims(found),
        *figure_5(measured, published),
        *time_of_training(folder),
        *further_work(folder, found),
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADS)
    writer.writerows(rows)
    return out.getvalue()


def equal(where: str, what: str, published: object, ours: object, otherwise: str = "differs") -> Row:
    """A row of things that are to be the same."""
    return Row(where, what, str(published), str(ours), AGREES if published == ours else otherwise)


# --- checkers ------------------------------------------------------------------------------------------


def the_board() -> Iterator[Row]:
    game = registry().spec("game", "checkers").make()
    start = game.initial()
    standing = [game.piece(start, cell) for cell in range(len(game.cells))]
    count = board.positions()
    ours = f"{count:,}"
    yield Row(
        "text, section 1.1",
        "board states of checkers",
        "500 quintillion",
        ours,
        AGREES if round(count, -18) == 501 * 10**18 else "counted otherwise",
    )
    yield equal("text, section 1.4", "pieces of either player", 12, standing.count(1))
    yield equal("text, section 1.4", "who moves first", "black", game.sides[game.to_move(start)])
    yield equal("text, section 1.4", "occurrences of a position that make a draw", 3, game.repetition)
    yield Row(
        "text, section 1.4",
        "turns without a capture that draw",
        "100",
        f"{game.quiet_plies} plies",
        AGREES if game.quiet_plies == 100 else "differs; an option, as is leaving draws out",
    )
    yield equal("figure 1", "cells that lie where it has them", 32, board.places_agree(game))
    yield Row("table 1", "how pieces are told apart", "b, B, w, W", f"numbers 1 to {game.pieces}", AGREES)
    yield equal("table 2", "cells, numbered from 0", 32, len(game.cells))
    yield equal("text, section 2.1.2", "black's cells at first", list(range(12)), cells(standing, 1))
    yield equal("text, section 2.1.2", "white's cells at first", list(range(20, 32)), cells(standing, 2))
    yield equal(
        "text, section 2.1.2", "cells with the neighbours of its formula", 32, board.neighbours_agree(game)
    )
    yield equal("equations 5 and 6", "cells whose column and row they give", 32, board.places_agree(game))


def cells(standing: list[int], piece: int) -> list[int]:
    """Where pieces of this kind stand."""
    return [cell for cell, here in enumerate(standing) if here == piece]


def the_interface() -> Iterator[Row]:
    game = registry().spec("game", "checkers").make()
    yield Row(
        "table 3",
        "what a game says of its state",
        "board, initial_turn, turn, moves_played, over, winner",
        "state, to_move, moves, value",
        "a position is a value; who has won follows from it, and the plies are the match's to count",
    )
    methods = ("initial", "moves", "play", "to_move", "value", "position_text")
    yield Row(
        "table 4",
        "methods that learning needs",
        "clone, outcome, get_playable_moves, do_move, random_move, do_random_move, __str__",
        ", ".join(name for name in methods if hasattr(game, name)),
        "positions are values, so that nothing is cloned; random moves are drawn by the player",
    )
    yield Row(
        "table 4",
        "what voting needs besides",
        "approximator",
        ", ".join(name for name in ("cells", "piece", "anchor", "shape") if "grid" in game.capabilities),
        "a game says what stands where, and how a move lies; the comparison is made once for all games",
    )


# --- learning and voting -------------------------------------------------------------------------------


def the_learner(folder: Path) -> Iterator[Row]:
    taught = learner(1).instance
    last = ", ".join(f"{value:.3f}" for value in taught.table.values[:3, 0])
    yield equal(
        "equation 1, algorithm 1",
        "after one game: the winner's last move, the loser's, the winner's before; by hand",
        "0.100, -0.100, 0.101",
        last,
    )
    start = taught.game.initial()
    fresh = type(taught)(taught.game)
    fresh.rate(start, list(taught.game.moves(start)))
    yield equal("text, section 2.2", "value of a move at first", 0.0, float(max(fresh.scores)))
    for name, what in (
        ("rewards/captures", "boosting the reward for captures"),
        ("rewards/fading-95", "discounting the reward toward the start of the game, by .95 a move"),
        ("rewards/fading-80", "the same, by .8"),
    ):
        against = [points(difference("Rewards", name, folder, other)) for other in ("random", DEEPEST)]
        yield Row(
            "text, section 2.2",
            f"{what}: psv's score against random, and against {DEEPEST}",
            "to be tested",
            "; ".join(against),
            "not published",
        )
    yield equal("text, section 3.1", "games of keep-training from an unknown state", 100, keep_games())
    rows, _ = breadth.read(folder)
    few, many = (breadth.by_games(rows)[n] for n in (10_000, 40_000))
    grown = [after.positions / before.positions for before, after in zip(few, many, strict=True)]
    yield Row(
        "text, section 3.2",
        "size of the table after 40,000 games, over that after 10,000",
        "4, as it is proportional",
        f"{min(grown):.2f} to {max(grown):.2f}, ten seeds",
        AGREES if min(grown) <= 4 <= max(grown) else "a little less than proportional: positions recur",
    )


def difference(heading: str, name: str, folder: Path, opponent: str = "random") -> Difference:
    """Of a study, by how much the score against an opponent is more."""
    study = next(study for study in STUDIES if study.heading == heading)
    return differences(study, folder)[name, opponent]


def points(found: Difference) -> str:
    """`+0.5 ± 1.1 points, p .031`."""
    return str(found).replace(",", " points,")


def keep_games() -> int:
    """How many games keep-training plays from an unknown position."""
    return int(registry().spec("agent", "keep-training").cls.options["games"].default)


def the_votes(folder: Path) -> Iterator[Row]:
    where = "figure 2; text, section 2.3"
    squares = board.overlap(4, 2)
    yield equal(where, "squares that lie on each other, of 64", 24, squares)
    yield equal(where, "matching fraction", 0.375, squares / board.SIZE**2)
    columns, rows = board.SIZE - 4, board.SIZE - 2
    yield equal(
        "figure 3, equations 7 to 10", "columns, rows that lie on each other", "4, 6", f"{columns}, {rows}"
    )
    yield Row(
        "algorithm 2",
        "moves whose value is 0 vote: psv's score against random",
        "they vote",
        points(difference("Votes of zero-valued moves", "zeros/with", folder)),
        "left out by its program, and by default; zeros=true has them vote",
    )


def covered(folder: Path) -> Iterator[Row]:
    rows, _ = breadth.read(folder)
    for games, of in breadth.by_games(rows).items():
        yield Row(
            "text, section 1.2",
            f"breadth of states covered, {games:,} games",
            "to be evaluated",
            f"{round(sum(row.positions for row in of) / len(of)):,} positions,"
            f" {breadth.share_known(of)} % of those met",
            "not published",
        )


# --- results -------------------------------------------------------------------------------------------


def figure_4(found: Found, published: Mapping[str, Any]) -> Iterator[Row]:
    matches = published["matches"]
    for name in published["wins"]:
        ours = sum(r.matches for r in found["without draws"][name][40_000])
        why = "of ten trainings, for narrower intervals"
        yield Row("figure 4", f"{name}, matches a point", str(matches), f"{ours:,}", why)
        for n, wins in known(published, "wins", name).items():
            results = found["without draws"][name][n]
            low, high = one_more(by_seed(results), matches)
            inside = low <= wins <= high
            why = f"{COMPATIBLE if inside else 'differs'}: one training and {matches} matches would give"
            why += f" {low:.0f} to {high:.0f}"
            if name == "keep-training" and not inside:
                why = "its program has the sign of rewards wrong where white is to move; corrected here"
            yield Row("figure 4", f"{name} wins after {n:,} games, %", str(int(wins)), said(results), why)


def curves_at_once(found: Found, published: Mapping[str, Any]) -> Iterator[Row]:
    """One test of each published curve but that of keep-training, whose program has another sign."""
    for name, test in tests_of_curves(found, published).items():
        yield tested(name, test, "ten trainings")


def tests_of_curves(found: Found, published: Mapping[str, Any]) -> dict[str, Joint]:
    """The joint tests of curves of ours against the published."""
    tests = {}
    for name in ("psv", "q-random"):
        theirs, curve = known(published, "wins", name), found["without draws"][name]
        tests[name] = joint(theirs, {n: by_seed(curve[n]) for n in theirs}, published["matches"])
    return tests


def tested(name: str, found: Joint, ours: str) -> Row:
    """The row of a joint test."""
    return Row(
        "figure 4",
        f"{name}, all {found.points} points at once",
        "one training and 100 matches a point",
        f"{ours} a point; chi-squared {found.statistic:.1f} with {found.points} degrees of freedom, p"
        f" {found.p:.3f}",
        f"{COMPATIBLE if found.compatible else 'differs'}: {sees(found)}",
    )


def sees(found: Joint) -> str:
    """What difference a joint test would have seen."""
    return (
        f"the test detects a difference of {found.seen:.1f} points at all points of the curve, or of"
        f" {found.alone:.1f} at a single point, with a probability of 80 %"
    )


def keep_training(folder: Path, published: Mapping[str, Any]) -> Iterator[Row]:
    """Keep-training as its program plays it, beside the published points."""
    found = keep.by_test(keep.read(folder))
    theirs, matches = known(published, "wins", "keep-training"), published["matches"]
    program = {n: [row.won for row in rows] for n, rows in found["as published", "lasts"].items()}
    for n, wins in theirs.items():
        low, high = one_more(program[n], matches)
        told = f"one training and {matches} matches would give {low:.0f} to {high:.0f}"
        yield Row(
            "figure 4",
            f"keep-training:published=true, learning that lasts, wins after {n:,} games, %",
            str(int(wins)),
            f"{of_seeds(program[n])}; mended {of_seeds([row.won for row in found['mended', 'lasts'][n]])}",
            f"{COMPATIBLE if low <= wins <= high else 'differs'}: {told}",
        )
    yield tested(
        "keep-training:published=true",
        joint(theirs, program, matches),
        "ten tests, and three from 5,000 games on",
    )
    for sign, learning in found:
        rows = [row for of in found[sign, learning].values() for row in of]
        yield Row(
            "figure 4",
            f"keep-training, sign {sign}, what is learned {learning}: won as black, as white, %",
            "not apart",
            ", ".join(f"{keep.share(rows, seat):.1f}" for seat in ("black", "white")),
            "not published: the two differences taken apart; the sign decides",
        )


def claims(found: Found) -> Iterator[Row]:
    curves = found["without draws"]
    psv, others = curves["psv"], (curves["q-random"], curves["keep-training"])
    points = [n for n in psv if all(n in other for other in others)]
    above = sum(won(psv[n]).mean > max(won(other[n]).mean for other in others) for n in points)
    yield Row(
        "text, section 3.3",
        "psv outperforms both others",
        "consistently",
        f"at {above} of {len(points)} points",
        "keep-training with the right sign is better, at many times the cost",
    )
    better = [n for n in curves["q-random"] if won(curves["q-random"][n]).low > 50]
    yield Row(
        "text, section 3.3",
        "random substitution above 50 %",
        "consistently",
        f"with 95 % at {len(better)} of {len(curves['q-random'])} points",
        AGREES if len(better) == len(curves["q-random"]) else "after few games it cannot be told from 50",
    )
    keep = [won(curves["keep-training"][n]).mean for n in points]
    yield Row(
        "text, section 3.3",
        "keep training under-performs",
        "about 50 %",
        f"{min(keep):.1f} to {max(keep):.1f} %",
        "its program has the sign of rewards wrong where white is to move; corrected here",
    )


def figure_5(measured: Times, published: Mapping[str, Any]) -> Iterator[Row]:
    why = "compiled, on another machine"
    for n, value in known(published, "seconds", "psv").items():
        yield Row(
            "figure 5",
            f"psv, seconds a match after {n:,} games",
            f"{value:g}",
            duration(measured["psv"][str(n)]),
            f"{why}; votes are added up once",
        )
    for name, value in CONSTANT.items():
        means = [measured[name][str(n)] for n in published["games"]]
        yield Row(
            "text, section 3.3",
            f"{name}, seconds a match, at all points",
            f"{value:g}",
            f"{duration(min(means))} to {duration(max(means))}",
            why,
        )
    first, last = (duration(measured["psv"][str(published["games"][i])]) for i in (0, -1))
    yield Row(
        "text, section 3.2",
        "psv's time in the number of games",
        "linear: 1497 times as long after 40,000 as after 10",
        f"{last} after 40,000, {first} after 10",
        "votes are added up once; a move then costs as many additions, however many moves are known",
    )


def time_of_training(folder: Path) -> Iterator[Row]:
    """By the seconds that deep Q-learning is held against."""
    seconds: dict[int, list[float]] = {}
    with (folder.parent / "neural" / "seconds.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["agent"] == "psv":
                seconds.setdefault(int(row["games"]), []).append(float(row["seconds"]))
    longer = [many / few for few, many in zip(seconds[10_000], seconds[100_000], strict=True)]
    yield Row(
        "text, section 3.2",
        "time of training for 100,000 games, over that for 10,000",
        "10, as it is linear",
        f"{min(longer):.1f} to {max(longer):.1f}, {len(longer)} seeds",
        "a game takes longer with a larger table",
    )


def further_work(folder: Path, found: Found) -> Iterator[Row]:
    last = 40_000
    turned = [read_one(str(path)) for path in sorted(folder.glob("turned/*.csv"))]
    shares = [
        f"{said([r for r in of if r.episodes == last])} % with `{entry(of[0].entry).partition(':')[2]}`"
        for of in turned
    ]
    plain = said(found["without draws"]["psv"][last])
    yield Row(
        "text, section 3.4",
        f"symmetries of the board: won by psv against random after {last:,} games",
        "left as further work",
        f"{', '.join(shares)}; {plain} % without",
        "not published",
    )
    for game, names in OTHERS.items():
        curves = {name: by_points(read_one(str(folder / "games" / f"{game}-{name}.csv"))) for name in names}
        most = max(curves["psv"])
        of = {name: curve[most] for name, curve in curves.items()}
        yield Row(
            "text, section 3.4",
            f"another game, {game}: psv's score against random after {most:,} games",
            "left as further work",
            f"{of['psv']} %; {of['random']} % without votes"
            + (f", {of['lines']} % with votes by lines" if "lines" in of else ""),
            "not published",
        )
