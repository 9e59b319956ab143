"""The study of learners: its protocol keeps apart what it says, and its page says what the files hold."""

from __future__ import annotations

import csv
import importlib
import math
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from statistics import fmean

import pytest
import scipy

from paths import ROOT

FOLDER = ROOT / "leaderboards" / "study"
TOLD = tomllib.loads((FOLDER / "families.toml").read_text(encoding="utf-8"))
README = (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def module(monkeypatch):
    """Imports a module of the study; other folders of scripts have modules of the same names."""
    monkeypatch.syspath_prepend(str(FOLDER))
    names = {path.stem for path in FOLDER.glob("*.py")}
    others = {name: sys.modules.pop(name) for name in names & {*sys.modules}}
    yield importlib.import_module
    for name in names & {*sys.modules}:
        del sys.modules[name]
    sys.modules.update(others)


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_who_is_met_in_the_end_has_neither_tuned_nor_trained():
    assert not {*TOLD["tuning_seeds"]} & {*range(1, TOLD["seeds"] + 1)}
    trained_against = {"random", "self", "optimal", "(alpha-beta:depth=2,evaluation=(material))"}
    for game in TOLD["games"].values():
        assert len(game["gauntlet"]) == len({*game["gauntlet"]}) == 4
        assert not {*game["gauntlet"]} & ({*game["tuning"]} | trained_against)


def test_the_first_configuration_is_the_default(module):
    protocol = module("protocol").Protocol.read(FOLDER / "families.toml")
    for family in (one for one in protocol.families.values() if one.installed or not one.plugin):
        first, *others = protocol.configurations_of(family)
        changed = "," + ",".join(f"{name}={value}" for name, value in family.fixed.items())
        learner = f"{family.learner}:episodes=77,seed=5{changed.rstrip(',')}"
        player = family.player.format(learner)
        assert (family.learner_entry(first, 77, 5), family.entry(first, 77, 5)) == (learner, player)
        assert len(others) == 7
        assert all(other not in (first, *others[:i]) for i, other in enumerate(others))
        assert protocol.configurations_of(family) == [first, *others]


def test_rows_are_kept_in_order_however_they_come(module, tmp_path):
    path = tmp_path / "rows.csv"
    made = module("rows").Rows(path, ("game", "seed"), ("score",))
    for seed in (10, 2, 1):
        made.add(("a, b", seed), (seed / 4,))
    made.add(("a, b", 2), (0.75,))
    assert (
        path.read_text(encoding="utf-8") == 'game,seed,score\n"a, b",1,0.25\n"a, b",2,0.75\n"a, b",10,2.5\n'
    )
    again = module("rows").Rows(path, ("game", "seed"), ("score",))
    assert again.get("a, b", 2) == {"game": "a, b", "seed": "2", "score": "0.75"}
    assert [row["seed"] for row in again.having(game="a, b")] == ["1", "2", "10"]


def test_a_figure_tells_the_budgets_of_all_games_apart(module):
    budgets = {budget for game in TOLD["games"].values() for budget in game["budgets"]}
    standing = module("standings").Standing
    found = [standing("nim", "q-table", budget, [0.5, 0.6], "q-table", 0, 9, 1.0, {}) for budget in budgets]
    text = module("figure").figure(found, ["nim"])
    marks = re.findall(r'<path d="(M[^"]*Z)" transform="[^"]*" fill="([^"]*)"', text)
    assert len(marks) == 2 * len(budgets)  # in the legend, and beside the family
    assert len({shape for shape, _ in marks}) == len({colour for _, colour in marks}) == len(budgets) == 5


@pytest.mark.slow
def test_page_and_figure_come_out_to_the_letter(tmp_path):
    subprocess.run([sys.executable, FOLDER / "page.py", "--to", tmp_path], check=True)
    assert {path.name for path in tmp_path.iterdir()} == {"README.md", "learners.svg"}
    for path in tmp_path.iterdir():
        assert path.read_text(encoding="utf-8") == (FOLDER / path.name).read_text(encoding="utf-8")


def of_gauntlet():
    """Scores of each seed in the mean over the gauntlet, by game, family and budget."""
    points = {}
    for row in rows(FOLDER / "scores.csv"):
        wins, draws, losses = (int(row[name]) for name in ("wins", "draws", "losses"))
        assert wins + draws + losses == TOLD["matches"]
        seeds = points.setdefault((row["game"], row["family"], row["budget"]), {})
        seeds.setdefault(row["seed"], []).append((wins + draws / 2) / TOLD["matches"])
    return {
        key: [fmean(scores) for scores in seeds.values() if len(scores) == 4] for key, seeds in points.items()
    }


@pytest.mark.slow
def test_a_table_says_what_the_file_holds():
    wanted = {key: scores for key, scores in of_gauntlet().items() if scores and key[2] != "0"}
    said = {}
    for heading, body in re.findall(r"^### (.*?)\n(.*?)(?=^##|\Z)", README, re.M | re.S):
        game, budget = heading.removesuffix(" s").split(", ")
        for cells in re.findall(r"^\| \d+ \| (.*) \|$", body, re.M):
            family, score, seeds = cells.split(" | ")[:3]
            said[game, family, budget] = score, int(seeds)
    assert said.keys() == wanted.keys()
    for key, scores in wanted.items():
        mean = f"{100 * fmean(scores):.1f}"
        half = (
            scipy.stats.t.ppf(0.975, len(scores) - 1) * scipy.stats.sem(scores)
            if len(scores) > 1
            else math.nan
        )
        assert said[key] == (mean + (f" ± {100 * half:.1f}" if len(scores) > 1 else ""), len(scores))


@pytest.mark.slow
def test_where_no_moves_were_measured_a_page_says_nothing_of_times(module, tmp_path):
    for name in ("episodes", "tuning", "scores", "seconds"):
        shutil.copyfile(FOLDER / f"{name}.csv", tmp_path / f"{name}.csv")
    protocol = module("protocol").Protocol.read(FOLDER / "families.toml")
    page, found = module("page"), module("standings").standings(protocol, tmp_path)
    text = "\n".join([*page.in_short(protocol, found), *page.page(protocol, found)])
    assert "`double-q` is first with" in text
    assert not re.search(r"\bnan\b|times its time|that takes no longer", text)
    for cells in re.findall(r"^\| \d+ \| (.*) \|$", text, re.M):
        assert cells.split(" | ")[5:7] == ["", ""]  # a move, and the best search no slower


def test_what_plays_is_the_best_of_the_last_stage_of_tuning():
    best = {}
    for row in rows(FOLDER / "tuning.csv"):
        if row["stage"] == "2":
            key = row["game"], row["family"], row["budget"]
            best.setdefault(key, []).append((-float(row["score"]), row["entry"]))

    def bare(entry):
        return re.sub(r"\b(episodes|seed)=\d+,?", "", entry)

    for row in rows(FOLDER / "scores.csv"):
        if row["budget"] != "0":
            candidates = best[row["game"], row["family"], row["budget"]]
            assert bare(row["entry"]) in {
                bare(entry) for score, entry in candidates if score == min(candidates)[0]
            }


def test_the_last_stage_of_tuning_has_the_best_of_the_first():
    stages = defaultdict(dict)
    for row in rows(FOLDER / "tuning.csv"):
        found = stages[row["game"], row["family"], row["budget"]].setdefault(row["stage"], {})
        found[row["configuration"]] = float(row["score"])
    for key, stage in stages.items():
        first = stage["1"]
        best = sorted(first, key=lambda configuration: -first[configuration])  # of equals the first
        assert {*stage.get("2", ())} == {*(best[:3] if len(best) > 1 else ())}, key


def test_episodes_say_how_long_all_were_trained():
    """With them another run comes to the same, for the rest is decided by seeds."""
    found = {
        (row["game"], row["family"], float(row["budget"]), row["configuration"]): row["episodes"]
        for row in rows(FOLDER / "episodes.csv")
    }
    assert len(found) == len(rows(FOLDER / "episodes.csv"))
    for row in rows(FOLDER / "tuning.csv"):
        part = float(f"{TOLD['shares'][int(row['stage']) - 1] * float(row['budget']):.6g}")
        key = row["game"], row["family"], part, row["configuration"]
        assert row["episodes"] == found[key], key
        assert int(row["seed"]) == TOLD["tuning_seeds"][int(row["stage"]) - 1]


def test_what_was_tuned_was_also_played_and_its_moves_measured():
    of = {
        name: {(row["game"], row["family"], row["budget"]) for row in rows(FOLDER / f"{name}.csv")}
        for name in ("tuning", "scores", "seconds", "moves")
    }
    learned = {key for key in of["scores"] if key[2] != "0"}
    assert of["tuning"] == learned == {key for key in of["seconds"] if key[2] != "0"}
    assert {key for key in of["moves"] if not key[1].startswith("search ")} == learned


@pytest.mark.slow
def test_the_same_seeds_and_episodes_give_the_same_study_to_the_letter(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))
    command = [sys.executable, FOLDER / "study.py", "--protocol", FOLDER / "small.toml", "--to", tmp_path]
    command += ["--episodes", FOLDER / "small" / "episodes.csv"]
    first = subprocess.run(
        [*command, "--family", "psv", "--seeds", "1"], check=True, capture_output=True, text=True
    )
    assert "psv" in first.stdout  # a part, and then the rest
    subprocess.run(command, check=True)
    for name in ("episodes", "tuning", "scores"):
        made, kept = (folder / f"{name}.csv" for folder in (tmp_path, FOLDER / "small"))
        assert made.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8")
    assert not [path for path in (tmp_path / "models").rglob("*") if path.is_file()]  # models do not pile up


@pytest.mark.slow
@pytest.mark.parametrize("name", [family["name"] for family in TOLD["family"]])
def test_what_is_published_of_a_family_comes_out_again(module, tmp_path, monkeypatch, name):
    """All its tuning at its first game and the least budget, and the first seed."""
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))
    protocol = module("protocol").Protocol.read(FOLDER / "families.toml")
    family = protocol.families[name]
    if not family.installed:
        pytest.skip(f"pip install ./{family.plugin}")
    game = protocol.games[(family.games or list(protocol.games))[0]]
    shutil.copyfile(FOLDER / "episodes.csv", tmp_path / "episodes.csv")
    module("study").Study(protocol, tmp_path).run(game, family, game.budgets[0], 1)
    for file in ("tuning", "scores"):
        key = {"game": game.name, "family": name, "budget": f"{game.budgets[0]:g}"}
        wanted = [row for row in rows(FOLDER / f"{file}.csv") if key.items() <= row.items()]
        if file == "scores":
            wanted = [row for row in wanted if row["seed"] == "1"]
        assert len(wanted) == {"scores": 4, "tuning": 11}.get(file) or name.endswith("-iteration")
        assert rows(tmp_path / f"{file}.csv") == wanted


@pytest.mark.slow
def test_who_comes_to_an_end_within_the_budget_has_all_its_episodes(module):
    found = module("calibration").calibrated(
        lambda episodes: f"value-iteration:episodes={episodes}", "tic-tac-toe", 100.0, 50
    )
    assert (found.episodes, found.run) == (50, 50)
    assert 0 < found.seconds < 100


@pytest.mark.parametrize(("episodes", "rounded"), [(0.2, 1), (8.6, 8), (123.4, 120), (98_765.0, 99_000)])
def test_episodes_have_two_digits(module, episodes, rounded):
    assert module("training").rounded(episodes) == rounded


@pytest.mark.slow
def test_an_unknown_family_is_an_error_that_names_what_there_is():
    command = [sys.executable, FOLDER / "study.py", "--family", "q-tabel"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no family 'q-tabel'; known: double-q, " in done.stderr
