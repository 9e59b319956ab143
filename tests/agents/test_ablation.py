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


def test_the_published_form_in_our_own_order_is_the_published_form():
    """Counted twice, by a game of its own and without; a search to which blocking wins ties more games."""
    folder, ends = LEADERBOARDS / "checkers" / "ablation", ("seed", "won", "lost", "tied", "transitions")
    kinds: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for row in csv.DictReader((folder / "order.csv").read_text(encoding="utf-8").splitlines()):
        key = row["by"], row["backwards"], row["blocked"], row["rows"]
        kinds.setdefault(key, []).append(tuple(row[name] for name in ends))
    training = csv.DictReader((folder / "training.csv").read_text(encoding="utf-8").splitlines())
    published = [tuple(row[name] for name in ends) for row in training if row["name"] == "as published"]
    assert kinds["square", "False", "drawn", "opponent"] == published
    assert [key for key in kinds if key[3] == "learner"] == [("square", "False", "drawn", "learner")]
    for by, backwards, blocked, of in kinds:
        tied = {seed: int(tied) for seed, _, _, tied, _ in kinds[by, backwards, blocked, of]}
        assert len(tied) == 10
        if blocked == "lost":
            assert all(tied[row[0]] > int(row[3]) for row in kinds[by, backwards, "drawn", of])


@pytest.mark.parametrize(
    ("pieces", "own", "learners"),
    [
        ("B:W21,22,23,24:B1,2,3,4", 2, 5),  # row 5 of black's eight, counted from 0, and row 2 of white's
        ("B:WK1,K32:B9", 3, 3),  # rows 0 and 7: half a row is left out from either side
        ("B:WK1,K5:B9", 6, 0),
        ("B:W:B9", 0, 0),
    ],
)
def test_the_opponents_rows_count_from_the_learners_side_as_in_the_program(
    pieces, own, learners, monkeypatch
):
    monkeypatch.syspath_prepend(LEADERBOARDS / "checkers")
    from reordered import Reordered

    ours, theirs = Reordered(), Reordered(rows="learner")
    state = ours.read_position(pieces)
    assert [game.abstract(state, 0) >> 33 for game in (ours, theirs)] == [own, learners]
    assert (ours.abstract(state, 0) ^ theirs.abstract(state, 0)) % 2**33 == 0


def test_a_change_left_out_is_all_changes_but_that_one():
    entries = ablation.STUDIES["transition-q"].entries
    for name, change in ablation.CHANGES.items():
        assert entries[f"only {name}"] == change
        kept = {*entries["all six changes"].split(",")} - {*entries[f"without {name}"].split(",")}
        assert kept == {change}


@pytest.mark.slow
def test_probabilities_are_corrected_for_all_comparisons_of_a_page():
    for study in ablation.STUDIES.values():
        found = [change for family in ablation.changes(study).values() for change in family]
        assert len(found) == sum(len(names) for _, names in study.families.values())
        least = min(found, key=lambda change: change.chance)
        bases = [base for base, names in study.families.values() if least.name in names]
        alone = [ablation.change(study, base, least.name).chance for base in bases]
        assert least.chance == pytest.approx(len(found) * alone[0])
