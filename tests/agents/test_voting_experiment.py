"""The experiment about voting: what its page says is what its files hold, computed by scipy."""

from __future__ import annotations

import csv
import tomllib
from collections import defaultdict
from itertools import product
from statistics import fmean

import pytest
import scipy

from paths import ROOT

FOLDER = ROOT / "leaderboards" / "idea"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
TOLD = tomllib.loads((FOLDER / "protocol.toml").read_text(encoding="utf-8"))
NAMES = ("votes", "td-lines", "votes by default")
PARTS = [
    f"{game}, the same {setting}" for game, setting in product(("checkers", "othello"), ("games", "seconds"))
]


@pytest.fixture(scope="module")
def scores():
    """Per cent by part, learner, seed and opponent; a draw is half a win."""
    found = defaultdict(dict)
    with (FOLDER / "scores.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            wins, draws, losses = (int(row[name]) for name in ("wins", "draws", "losses"))
            assert wins + draws + losses == 2 * TOLD["matches"]
            part = f"{row['game']}, the same {row['setting']}"
            found[part, row["learner"]][int(row["seed"]), row["opponent"]] = (
                50 * (2 * wins + draws) / TOLD["matches"] / 2
            )
    return found


def table(head):
    """The cells of the rows of the page's table with this head."""
    lines = README[README.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]


def shown(values):
    mean = scipy.stats.ttest_1samp(values, 0)
    low, high = mean.confidence_interval(0.95)
    return f"{fmean(values):.1f} ± {(high - low) / 2:.1f}"


def test_every_seed_met_every_opponent(scores):
    assert {*scores} == {*product(PARTS, NAMES)}
    for found in scores.values():
        assert {*found} == {*product(range(TOLD["seeds"]), TOLD["final"])}


def test_scores_differences_and_p_values_are_those_of_the_files(scores):
    seeds = {
        key: [fmean(found[seed, opponent] for opponent in TOLD["final"]) for seed in range(TOLD["seeds"])]
        for key, found in scores.items()
    }
    chances = {
        part: scipy.stats.ttest_rel(seeds[part, "votes"], seeds[part, "td-lines"]).pvalue for part in PARTS
    }
    adjusted, least = {}, 0
    for rank, part in enumerate(sorted(PARTS, key=chances.get)):
        adjusted[part] = least = max(least, min(1, (4 - rank) * chances[part]))
    expected = [
        [
            part,
            *(shown(seeds[part, name]) for name in NAMES),
            shown([a - b for a, b in zip(seeds[part, "votes"], seeds[part, "td-lines"], strict=True)]),
            f"{adjusted[part]:.4f}" if adjusted[part] >= 0.0001 else "< 0.0001",
        ]
        for part in PARTS
    ]
    assert table("| part | votes | td-lines | votes by default | votes less") == expected


def test_scores_by_opponent_are_those_of_the_files(scores):
    expected = [
        [
            part,
            opponent,
            *(shown([scores[part, name][seed, opponent] for seed in range(10)]) for name in NAMES),
        ]
        for part in PARTS
        for opponent in TOLD["final"]
    ]
    assert table("| part | opponent |") == expected


def test_the_conclusion_follows_from_the_tables_by_the_rules_fixed_beforehand():
    rows = {row[0]: row[1:] for row in table("| part | votes | td-lines | votes by default | votes less")}
    assert [*rows] == PARTS
    conclusion = " ".join(README.partition("## Conclusion")[2].split())
    games, seconds = (
        [rows[f"{game}, the same {setting}"][3].split(" ± ")[0] for game in ("checkers", "othello")]
        for setting in ("games", "seconds")
    )
    assert f"by {games[0]} points at checkers and {games[1]} at Othello after the same games" in conclusion
    assert f"and by {seconds[0]} and {seconds[1]} after the same seconds" in conclusion
    for tuned, td_lines, default, difference, p in rows.values():
        mean, half = map(float, difference.split(" ± "))
        assert mean >= TOLD["margin"]
        assert mean - half > 0
        assert float(p.removeprefix("< ")) < 0.05
        assert abs(float(tuned.split()[0]) - float(default.split()[0])) < 1
        assert float(td_lines.split()[0]) < 55
    played = {(row[0], row[1]): int(row[3].replace(",", "")) for row in table("| part | learner |")}
    more = [played[part, "votes"] / played[part, "td-lines"] for part in PARTS if "seconds" in part]
    assert f"from {min(more):.0f} to {max(more):.0f} times as many games" in conclusion
    for game in ("checkers", "othello"):
        own, of_table = (float(rows[f"{game}, the same {of}"][1].split()[0]) for of in ("seconds", "games"))
        assert own <= of_table
    apart = {
        (row[0], row[1]): [float(cell.split()[0]) for cell in row[2:4]]
        for row in table("| part | opponent |")
    }
    ahead = [
        opponent
        for (part, opponent), (votes, td_lines) in apart.items()
        if part == PARTS[0] and votes > td_lines
    ]
    assert ahead == ["alpha-beta:depth=3"]
