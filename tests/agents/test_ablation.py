"""The studies of single changes, and numbers published of checkers and connect four: pages say what is so."""

from __future__ import annotations

import csv
import subprocess
import sys

import pytest

from paths import ROOT

LEADERBOARDS = ROOT / "leaderboards"
sys.path.insert(0, str(LEADERBOARDS))

import ablation  # noqa: E402

FOLDERS = ("checkers", "connect-four")


@pytest.mark.slow
def test_tables_come_out_to_the_letter(tmp_path):
    for folder in FOLDERS:
        (tmp_path / folder).mkdir()
    subprocess.run([sys.executable, LEADERBOARDS / "ablation.py", "--to", tmp_path], check=True)
    for folder in FOLDERS:
        page = (LEADERBOARDS / folder / "README.md").read_text(encoding="utf-8")
        assert (tmp_path / folder / "README.md").read_text(encoding="utf-8") == page


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.slow
def test_published_numbers_come_out_to_the_letter(folder, tmp_path):
    subprocess.run([sys.executable, LEADERBOARDS / folder / "published.py", "--to", tmp_path], check=True)
    kept = (LEADERBOARDS / folder / "published.csv").read_text(encoding="utf-8")
    assert (tmp_path / "published.csv").read_text(encoding="utf-8") == kept


def test_the_published_form_wins_next_to_nothing_and_six_changes_win_more():
    """The published program won none of 2500 games; of ours each seed of each form is counted."""
    won: dict[str, list[int]] = {}
    with (LEADERBOARDS / "checkers" / "ablation" / "training.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert int(row["won"]) + int(row["lost"]) + int(row["tied"]) == int(row["games"]) == 2500
            won.setdefault(row["name"], []).append(int(row["won"]))
    assert {name: len(seeds) for name, seeds in won.items()} == dict.fromkeys(ablation.TRAINED, 10)
    assert max(won["as published"]) < 10
    assert min(won["all six changes"]) > 10 * max(won["as published"])


def test_a_change_left_out_is_all_changes_but_that_one():
    entries = ablation.STUDIES["transition-q"].entries
    for name, change in ablation.CHANGES.items():
        assert entries[f"only {name}"] == change
        kept = {*entries["all six changes"].split(",")} - {*entries[f"without {name}"].split(",")}
        assert kept == {change}


def test_probabilities_after_holm_worked_by_hand():
    # .01 * 3, then .03 * 2, then .04, which may not be less than the one before
    assert ablation.holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert ablation.holm([0.5, 0.9]) == [1.0, 1.0]


def test_a_paired_t_test_worked_by_hand():
    # mean 2, sample deviation 1, so t = 2 * sqrt(3) = 3.4641 of 2 degrees: p = 1 - t / sqrt(t^2 + 2) = .0742
    assert ablation.chance([1.0, 2.0, 3.0]) == pytest.approx(1 - 12**0.5 / 14**0.5)
    told = ablation.mean([1.0, 2.0, 3.0])
    assert told.mean == 2
    assert told.margin == pytest.approx(4.30265 / 3**0.5, abs=1e-4)
