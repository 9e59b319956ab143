"""The published learning curves of Prior State Voting: what is said of them is what the files hold."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections import defaultdict
from statistics import fmean, stdev

import pytest
import scipy.optimize
import scipy.stats

from curve_files import asked, rows, there
from paths import ROOT

LEADERBOARDS = ROOT / "leaderboards"
FOLDER = LEADERBOARDS / "psv"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
RESULTS = tomllib.loads((FOLDER / "results.toml").read_text(encoding="utf-8"))["result"]
COMMANDS = [line for result in RESULTS for line in result["commands"]]
CURVES = sorted(path for path in FOLDER.glob("*.csv") if path.read_text().startswith("entry,"))
TURNED = sorted(FOLDER.glob("turned/*.csv"))
STUDIED = sorted(path for name in ("zeros", "rewards", "lines") for path in FOLDER.glob(f"{name}/*"))
STUDENT = {3: 4.303, 4: 3.182, 5: 2.776, 10: 2.262}  # t for 95 %, by number of seeds, as printed in tables


def shares(*names, seats=("1", "2")):
    """Per cent won by each seed, by games of training, in these files."""
    counts = defaultdict(lambda: [0, 0])
    for row in (row for name in names for row in rows(FOLDER / f"{name}.csv")):
        if row["seat"] in seats:
            count = counts[int(row["episodes"]), row["seed"]]
            count[0] += int(row["wins"])
            count[1] += int(row["wins"]) + int(row["draws"]) + int(row["losses"])
    found = defaultdict(list)
    for (games, _), (wins, matches) in counts.items():
        found[games].append(100 * wins / matches)
    return found


OTHER_GAMES = {
    "othello": "reflection,quarter-turn",
    "minichess": "inversion,reflection",
    "thud": "",
    "chess": "",
}  # boards turned

KEPT = {"thud": {"keep": "`keep-training`"}, "chess": {"keep": "`keep-training:games=4`"}}


def margin(values):
    return STUDENT[len(values)] * stdev(values) / len(values) ** 0.5


def shown(values):
    """A mean with its interval, or with the range of seeds where that would leave 0 to 100."""
    mean, half = fmean(values), margin(values)
    if half == 0:
        return f"{mean:.1f}"
    if mean >= half and mean + half <= 100:
        return f"{mean:.1f} ± {half:.1f}"
    end = 100 if values.count(100) > values.count(0) else 0
    at = values.count(end)
    count = f"; {at} of {len(values)} have {end}" if 2 * at >= len(values) else ""
    return f"{mean:.1f} ({min(values):.1f} to {max(values):.1f}{count})"


@pytest.mark.slow
def test_tables_and_figures_come_out_to_the_letter(tmp_path):
    subprocess.run([sys.executable, LEADERBOARDS / "psv.py", "--to", tmp_path], check=True)
    written = sorted(tmp_path.iterdir())
    names = ["README.md", "breadth.svg", "published.csv", "seconds.svg", "wins.svg"]
    assert [path.name for path in written] == names
    for path in written:
        assert path.read_text(encoding="utf-8") == (FOLDER / path.name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("heading", "agent", "names"),
    [
        ("without draws", "psv", ["psv", "psv-large"]),
        ("without draws", "q-random", ["random"]),
        ("without draws", "keep-training", ["keep"]),
        ("without draws", "lines and captures", ["lines", "lines-large"]),
        ("without draws", "lines", ["lines-plain"]),
        ("with draws", "psv", ["draws-psv"]),
        ("with draws", "lines and captures", ["draws-lines"]),
    ],
)
def test_the_tables_say_what_the_files_hold(heading, agent, names):
    section = README.partition(f"## Won, {heading}\n")[2].partition("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines()]
    told = {row[1]: row[2:5] for row in cells if row[0] == agent and len(row) == 8}
    both, black, white = (shares(*names, seats=seats) for seats in ("12", "1", "2"))
    assert told == {f"{n:,}": [shown(both[n]), shown(black[n]), shown(white[n])] for n in both}


def score(name, opponent):
    """Per cent of the score against an opponent from both seats, seed by seed."""
    found = defaultdict(float)
    for row in rows(FOLDER / f"{name}.csv"):
        if row["opponent"] == opponent:
            found[row["seed"]] += 50 * float(row["score"])
    return [found[seed] for seed in sorted(found)]


OPPONENTS = ("random", "alpha-beta:depth=1", "alpha-beta:depth=2")
COMPARED = {  # by heading, each with what it is held against
    "Votes of zero-valued moves": {"zeros/with": "zeros/without", "zeros/lines-with": "lines/whole"},
    "Rewards": {
        path.relative_to(FOLDER).with_suffix("").as_posix(): "lines/whole"
        if path.stem.startswith("lines")
        else "zeros/without"
        for path in STUDIED
        if path.parent.name == "rewards"
    },
    "What votes by lines are made of": {
        f"lines/{path.stem}": "lines/whole"
        for path in STUDIED
        if path.parent.name == "lines" and path.stem != "whole"
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("heading", COMPARED)
def test_differences_are_those_of_paired_seeds_adjusted_by_holm(heading):
    """Against Student's t of scipy and Holm's procedure of statsmodels."""
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    section = README.partition(f"### {heading}\n")[2].partition("\n## ")[0].partition("\n### ")[0]
    cells = [
        cell.strip() for line in section.splitlines() for cell in line.split("|") if re.search(", p ", cell)
    ]
    pairs = {
        (name, opponent): (score(name, opponent), score(base, opponent))
        for name, base in COMPARED[heading].items()
        for opponent in OPPONENTS
    }
    adjusted = multipletests([scipy.stats.ttest_rel(*pair).pvalue for pair in pairs.values()], method="holm")[
        1
    ]
    expected = []
    for (ours, base), p in zip(pairs.values(), adjusted, strict=True):
        more = [a - b for a, b in zip(ours, base, strict=True)]
        said = "< .001" if p < 0.001 else "1" if p > 0.9995 else f"{p:.3f}".lstrip("0")
        expected.append(f"{fmean(more):+.1f} ± {margin(more):.1f}, p {said}")
    assert sorted(cells) == sorted(expected)


def test_breadth_is_what_the_file_holds():
    section = README.partition("## Positions covered\n")[2].partition("\n## ")[0]
    told = {
        line.split(" | ")[0].strip("| "): [cell.strip() for cell in line.split(" | ")]
        for line in section.partition("Memory of the table")[0].splitlines()
        if line.startswith("| ")
    }
    trainings = defaultdict(list)
    for row in rows(FOLDER / "breadth.csv"):
        trainings[int(row["games"])].append(row)
    assert sorted(trainings)[:8] == [10, 100, 1000, 5000, 10_000, 20_000, 30_000, 40_000]
    for games, of in trainings.items():
        shares = [100 * int(row["known"]) / int(row["met"]) for row in of]
        known = told[f"{games:,}"]
        assert known[1] == f"{round(sum(int(row['positions']) for row in of) / len(of)):,}"
        assert known[4] == (shown(shares) if len(of) > 1 else f"{shares[0]:.1f}")
        for row in of:
            assert int(row["positions"]) <= int(row["moves"]) <= int(row["legal"])
            assert 0 < int(row["known"]) < int(row["met"])


def test_every_number_of_the_paper_has_a_row_and_no_cell_is_empty():
    told = rows(FOLDER / "published.csv")
    assert all(cell.strip() for row in told for cell in row.values())
    where = " ".join(row["where"] for row in told)
    named = ["figure 1", "figure 2", "figure 3", "figure 4", "figure 5", "table 1", "table 2", "table 3"]
    for name in [*named, "table 4", "equation 1", "equations 5", "equations 7", "algorithm 1", "algorithm 2"]:
        assert name in where
    by_what = {row["what"]: row for row in told}
    assert by_what["board states of checkers"]["ours"] == "500,995,484,682,338,672,639"
    assert by_what["matching fraction"]["ours"] == "0.375"
    wins = [row["published"] for row in told if re.search(r"wins after", row["what"])]
    assert len(wins) == 8 + 8 + 6 + 6  # those of keep-training twice, as published and mended
    assert by_what["psv wins after 10 games, %"]["ours"] == shown(shares("psv")[10])


def test_the_published_numbers_are_the_papers():
    published = json.loads((FOLDER / "published.json").read_text(encoding="utf-8"))
    assert published["games"] == [10, 100, 1000, 5000, 10_000, 20_000, 30_000, 40_000]
    assert published["matches"] == 100
    assert published["wins"] == {  # figure 4
        "psv": [45, 86, 85, 83, 91, 94, 91, 90],
        "q-random": [50, 53, 61, 48, 58, 57, 61, 50],
        "keep-training": [None, None, 55, 48, 54, 55, 56, 56],
    }
    assert published["seconds"] == {"psv": [0.68, 4.7, 39, 148, 318, 586, 799, 1018]}  # figure 5


@pytest.mark.parametrize(("games", "percent", "within"), [(1000, 85, 2), (40_000, 88.7, 1.5)])
def test_psv_wins_as_often_as_an_independent_program_of_it(games, percent, within):
    assert fmean(shares("psv")[games]) == pytest.approx(percent, abs=within)


@pytest.mark.parametrize("name", ["lines", "lines-plain"])
def test_votes_by_lines_are_better_at_every_number_of_games(name):
    better, worse = shares(name), shares("psv")
    assert better.keys() == worse.keys()
    for games, high in better.items():
        low = worse[games]
        assert fmean(high) - margin(high) > fmean(low) + margin(low)


def test_the_table_of_boards_turned_says_what_the_files_hold():
    section = README.partition("## Symmetries\n")[2].partition("\n## ")[0]
    told = {row.split("|")[1].strip(): row for row in section.splitlines() if row.startswith("| `")}
    files = {
        "`psv`": "psv",
        **{f"`psv:symmetry={path.stem.replace('-', ',')}`": f"turned/{path.stem}" for path in TURNED},
    }
    assert told.keys() == files.keys()
    for entry, name in files.items():
        values = shares(name)
        assert told[entry] == f"| {entry} | {shown(values[1000])} | {shown(values[40_000])} |"


@pytest.mark.parametrize("path", CURVES + TURNED + STUDIED, ids=lambda path: path.stem)
def test_the_results_have_the_command_of_each_file(path):
    name = path.relative_to(FOLDER)
    (line,) = [line for line in COMMANDS if f" --curve leaderboards/psv/{name} " in line]
    assert "--fresh-per-point" in line
    assert asked(line) == there(path)


def test_the_table_of_other_games_says_what_the_files_hold():
    """Whose game is a plugin's, which need not be installed."""
    section = README.partition("## Other games\n")[2].partition("\n## ")[0]
    lines = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("|")]
    heads, _, *cells = [[cell.strip() for cell in line] for line in lines]
    there = {path.stem for path in (FOLDER / "games").glob("*.csv")}
    kinds = {
        game: {
            "psv": "`psv`",
            "random": "`q-random`",
            **({"lines": f"`psv:rule=lines,known=votes,symmetry={turned}`"} if turned else {}),
            **KEPT.get(game, {}),
        }
        for game, turned in OTHER_GAMES.items()
    }
    assert there == {f"{game}-{kind}" for game in OTHER_GAMES for kind in kinds[game]}
    for game in OTHER_GAMES:
        for kind, name in kinds[game].items():
            at = heads.index(name)
            told = {(row[1], row[2]): row[at] for row in cells if row[0] == game and row[at]}
            found = defaultdict(lambda: defaultdict(float))
            for row in rows(FOLDER / "games" / f"{game}-{kind}.csv"):
                found[f"`{row['opponent']}`", f"{int(row['episodes']):,}"][row["seed"]] += 50 * float(
                    row["score"]
                )
            assert told == {n: shown(list(seeds.values())) for n, seeds in found.items()}
            assert any(f"leaderboards/psv/games/{game}-{kind}.csv" in line for line in COMMANDS)


def test_psv_is_compared_with_keep_training_seed_by_seed(tmp_path, monkeypatch):
    """Of three seeds psv scores 75, 50 and 100 per cent, keep-training 25, 50 and 50: 33.3 more, sd 28.9."""
    monkeypatch.syspath_prepend(LEADERBOARDS)
    from voting import games

    heads = "entry,game,seed,episodes,opponent,seat,wins,draws,losses,score"
    won_of_2 = {"psv": [(2, 1), (2, 0), (2, 2)], "keep-training": [(1, 0), (0, 2), (2, 0)]}  # in either seat
    for entry, of in won_of_2.items():
        lines = [
            f"{entry}:learner=(q-backprop:episodes=n),thud,{seed},10,random,{at},{won},0,{2 - won},{won / 2}"
            for seed, seats in enumerate(of)
            for at, won in enumerate(seats, 1)
        ]
        (tmp_path / f"thud-{entry}.csv").write_text("\n".join([heads, *lines]) + "\n", encoding="utf-8")
    half = 4.303 * stdev([50, 0, 50]) / 3**0.5
    (told,) = games.kept(sorted(tmp_path.iterdir()))
    assert told == (
        "At thud, after 10 games against `random`, `psv` scores"
        f" +33.3 ± {half:.1f} points compared with `keep-training`."
    )


def test_numbers_of_seeds_are_told_by_points(monkeypatch):
    monkeypatch.syspath_prepend(LEADERBOARDS)
    from voting import keep

    rows = {games: [None] * seeds for games, seeds in ((10, 4), (100, 2), (1000, 2), (40_000, 2))}
    assert keep.seeds_told(rows) == "4 after 10 games, 2 after 100 to 40,000 games"
    assert keep.seeds_told({games: [None] * 2 for games in rows}) == "2"


@pytest.mark.parametrize("name", ["wins", "seconds", "breadth"])
def test_a_figure_is_a_file_of_its_own_with_a_background(name):
    figure = ET.parse(FOLDER / f"{name}.svg").getroot()
    assert figure.tag == "{http://www.w3.org/2000/svg}svg"
    background = figure.find("{*}rect")
    assert background.get("fill") == "#ffffff"
    for side in ("width", "height"):
        assert background.get(side) == figure.get(side)


def test_the_figure_has_a_panel_for_each_game_and_a_band_for_each_curve():
    panels = ET.parse(FOLDER / "wins.svg").getroot().findall("{*}g")[:2]
    curves = {(row["entry"], row["game"]) for path in CURVES for row in rows(path)}
    games = [game for _, game in curves]
    assert [len(panel.findall("{*}polygon")) for panel in panels] == [
        games.count("checkers:repetition=0,quiet_plies=0"),
        games.count("checkers"),
    ]


def test_a_curve_is_tested_as_a_whole_by_chi_squared():
    """By scipy, of the published points and ours, and what the rows say of it."""
    published = json.loads((FOLDER / "published.json").read_text(encoding="utf-8"))
    for name, file in (("psv", "psv"), ("q-random", "random")):
        of, squares, weights = shares(file), 0.0, []
        for games, wins in zip(published["games"], published["wins"][name], strict=True):
            mean, n = fmean(of[games]), len(of[games])
            spread = stdev(of[games]) ** 2 * (1 + 1 / n) + mean * (100 - mean) / published["matches"]
            squares += (wins - mean) ** 2 / spread
            weights.append(1 / spread)
        chance = scipy.stats.chi2.sf(squares, len(weights))
        critical = scipy.stats.chi2.isf(0.05, len(weights))
        assert len(weights) == 8
        power = scipy.optimize.brentq(
            lambda shift, x=critical: scipy.stats.ncx2.sf(x, 8, shift) - 0.8, 0.1, 100
        )
        (row,) = [
            row for row in rows(FOLDER / "published.csv") if row["what"] == f"{name}, all 8 points at once"
        ]
        assert f"chi-squared {squares:.1f} with 8 degrees of freedom, p {chance:.3f}" in row["ours"]
        assert f"a difference of {(power / sum(weights)) ** 0.5:.1f} points at all points" in row["why"]


def test_the_published_sign_decides_as_the_authors_program_has_it():
    """Run elsewhere it won 39 of 40 as black and 2 of 40 as white; with the sign mended 38 and 38."""
    won = defaultdict(lambda: [0, 0, 0])
    for row in rows(FOLDER / "keep-sequence.csv"):
        count = won[row["sign"], row["learning"]]
        for i, name in enumerate(("black", "white", "matches")):
            count[i] += int(row[name])
    assert len(won) == 4
    for (sign, _), (black, white, matches) in won.items():
        assert 2 * black / matches > 0.85
        assert 2 * white / matches < 0.15 if sign == "as published" else 2 * white / matches > 0.85
