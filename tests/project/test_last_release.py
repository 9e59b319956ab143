"""What the last release wrote is read as before: databases, models, tournament files, curves, old names."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3

import pytest

import arena
from commands import arena as command
from paths import DATA
from records import query
from tiers import slow

WRITTEN = DATA / "release-0.1.0"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of what it wrote, with its models where models are looked for."""
    shutil.copytree(WRITTEN, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_MODELS", str(tmp_path / "models"))
    return tmp_path


def test_its_leaderboards_are_the_same_but_for_intervals(folder):
    said = json.loads((folder / "leaderboard.json").read_text())
    rules = {(t.game, t.exact): t.rules for t in arena.tournaments.list()}
    # which code played it did not record
    said = [
        {**row, "code": "unknown", "rules": rules[row["game"], row["exact"]], "unplayed": 0} for row in said
    ]
    shown = json.loads(command(folder, "leaderboard", "--json").stdout)
    assert arena.leaderboard().to_dicts() == arena.leaderboard(code="all").to_dicts() == shown
    for row, old in zip(shown, said, strict=True):
        # which were as wide to either side, and are open now below an entry that won nothing
        assert row["low"] is None or row["low"] < old["rating"]
        assert row["high"] is None or row["high"] > old["rating"]
        as_then = {name: row[name] for name in old}  # rows have more by now
        rating = pytest.approx(old["rating"], rel=1e-12)  # numbers are added up in another order
        assert {**as_then, "low": 0, "high": 0} == {**old, "rating": rating, "low": 0, "high": 0}


@pytest.mark.parametrize("tournament", [1, 3, 4])
def test_its_matches_replay(folder, tournament):
    with sqlite3.connect(folder / "arena.db") as db:
        wanted = "SELECT number, plies, moves FROM matches WHERE tournament = ?"
        rows = db.execute(wanted, [tournament]).fetchall()
    db.close()
    for number, plies, moves in rows:
        found = arena.replay(tournament, number, mistakes=False)
        assert " ".join(ply.move for ply in found.plies) == moves
        assert len(found.states) == plies + 1


@pytest.mark.slow
def test_its_tournaments_are_listed_and_shown_the_same(folder):
    found = arena.tournaments.list()
    assert [(t.id, t.game, t.played, t.planned) for t in found] == [
        (1, "checkers-4x4", 60, 60),
        (2, "tic-tac-toe", 0, 0),
        (3, "tic-tac-toe", 6, 6),
        (4, "checkers", 8, 800_000),
    ]
    said = json.loads((folder / "show1.json").read_text())
    said |= {"code": "unknown", "codes": dict.fromkeys(said["settings"]["entries"], "unknown")}
    shown = json.loads(command(folder, "tournaments", "show", "1", "--json").stdout)
    assert shown["settings"].pop("streams") == 1  # the first scheme of random streams
    assert shown == said
    assert "published" in said["pairings"][0]
    assert (
        "\n  code: checkers-4x4 unknown; random unknown, "
        in command(folder, "tournaments", "show", "1").stdout
    )


def test_its_database_is_read_as_it_is(folder):
    """By whoever may not write to it, too: nothing is brought up to date by reading."""
    before = (folder / "arena.db").read_bytes()
    assert [board.exact for board in arena.leaderboard("tic-tac-toe")] == [False, True]
    assert set(arena.tournaments.show(2).codes.values()) == {"unknown"}
    assert (folder / "arena.db").read_bytes() == before


def test_a_tournament_that_it_began_is_not_mixed_with_another_versions(folder):
    refused = command(folder, "tournament", "--resume", "4", status=1).stderr
    assert re.match("Error: tournament 4 was begun (under other rules of checkers|with arena 0.1.0)", refused)
    assert refused.count("\n") == 1


@pytest.mark.slow
def test_new_tournaments_stand_beside_its_own(folder):
    arena.tournament(["random", "greedy"], game="checkers-4x4", rounds=3, seed=7, openings="random:2")
    (board,) = arena.leaderboard("checkers-4x4")
    assert {row.entry: row.matches for row in board.rows} == {"random": 6, "greedy": 6}
    told = "60 of 66 matches were played under older rules of checkers-4x4 and are left out"
    assert board.notes[-1] == f'{told}; code="all" shows them.'
    new, old = arena.leaderboard("checkers-4x4", code="all")
    assert new.rows == board.rows
    assert {row.entry: row.matches for row in old.rows}["random"] == 24
    assert old.title == "checkers-4x4, older rules c32f"


@pytest.mark.slow
def test_its_results_count_with_those_of_today_where_the_rules_are_the_same(folder):
    arena.tournament(["random", "greedy"], game="checkers-4x4", rounds=3, seed=7, openings="random:2")
    with sqlite3.connect("arena.db") as db:
        db.execute("UPDATE tournaments SET rules = (SELECT rules FROM tournaments WHERE id = 5) WHERE id = 1")
    db.close()
    (board,) = arena.leaderboard("checkers-4x4")
    assert "Played with several versions of arena: 0.1.0, 0.2.0." in board.notes
    assert {row.entry: row.matches for row in board.rows}["random"] == 24 + 6
    assert (
        "Older results of greedy, random have no recorded code and count with the next results; "
        'code="all" separates them.'
    ) in board.notes
    (board,) = arena.leaderboard("checkers-4x4", code="all")
    matches = {row.entry: row.matches for row in board.rows}
    assert (matches["random"], matches["random [unknown]"]) == (6, 24)


@pytest.mark.filterwarnings("ignore:option 'parts'")
def test_its_models_are_read_whole_and_told_not_to_fit(folder):
    found = {model.about.agent: model for model in arena.models.list()}
    assert {text: model.about.episodes for text, model in found.items()} == {
        "q-table:episodes=300": 300,
        "q-backprop:episodes=120,parts=2": 120,
    }
    for model in found.values():
        shown = arena.models.show(model.path)
        assert shown.about.finished
        assert len(shown.arrays) >= 2
        assert shown.misfit  # other sources learn now
    arena.models.export(found["q-table:episodes=300"].path, "copy.npz")
    assert (folder / "copy.npz").read_bytes() == found["q-table:episodes=300"].path.read_bytes()


@pytest.mark.slow
def test_its_tournament_files_are_played_with_a_warning_for_each_old_name(folder):
    done = command(folder, "tournament", "checkers-4x4.toml", "--db", "new.db")
    warning = "Warning: option 'parts' of q-backprop is called 'shards' now\n"
    assert warning in done.stderr
    assert "q-backprop:episodes=120,shards=2" in done.stdout
    assert arena.tournaments.show(1, "new.db").played == 60


def test_its_curves_are_drawn_and_gone_on_with(folder):
    arena.leaderboard(html="page.html", curves=["curve.csv"], db=None)
    assert "<svg" in (folder / "page.html").read_text()
    before = (folder / "curve.csv").read_text()
    asked = {"points": 3, "seeds": 2, "matches": 20}
    assert arena.curve("q-table:episodes=200", "curve.csv", **asked).path.read_text() == before


@pytest.mark.parametrize(
    ("args", "warning"),
    [
        (("q-table:episodes=20", "--again"), "Warning: --again is called --retrain now\n"),
        *slow(
            (
                ("q-table:episodes=20", "--curve", "c.csv", "--points", "3,", "--seeds", "1", "--anew"),
                "Warning: --anew is called --fresh-per-point now\n",
            )
        ),
    ],
    ids=["again", "anew"],
)
def test_old_names_of_options_work_and_are_not_in_the_help(folder, args, warning):
    done = command(folder, "train", *args)
    assert warning in done.stderr
    said = command(folder, "train", "--help").stdout
    assert args[-1] not in said.split()


@pytest.mark.parametrize(
    ("line", "warning"),
    [
        ("leaderboard --doubts", "--doubts is called --diagnostics now"),
        *slow(
            ("solve tic-tac-toe XX.OO.... --each", "--each is now called --all-moves"),
            ("match random first --matches 4 --control minimax", "--control is called --control-variate now"),
            ("merge arena.db --to=all.db", "--to is called --output now"),
            ("models remove --unfit --yes", "--unfit is called --unused now"),
        ),
    ],
)
def test_options_that_were_renamed_since_work_with_a_line_that_says_the_new_name(folder, line, warning):
    assert f"Warning: {warning}\n" in command(folder, *line.split()).stderr


@pytest.mark.slow
def test_its_database_has_the_views_once_it_is_written_to(folder):
    db = folder / "arena.db"
    arena.leaderboard()  # which is no reason to
    assert not query(db, "SELECT 1 FROM sqlite_schema WHERE name = 'leaderboard'")
    arena.tournament(["random", "greedy"], game="checkers-4x4", rounds=3, seed=7, openings="random:2")
    arena.leaderboard()
    of_game = "WHERE game = 'checkers-4x4' AND tournament IS NULL"
    rows = query(db, f"SELECT entry, matches, results_since FROM leaderboard {of_game} ORDER BY entry")
    assert rows == [("greedy", 6, 0), ("random", 6, 0)]
    fitted = f"SELECT tournament, results, rated FROM fitted_to WHERE fit = (SELECT id FROM fits {of_game})"
    assert query(db, fitted) == [(1, 60, 0), (5, 6, 1)]
    # those that repeat others count once, from either side
    counted = "SELECT 2 * sum(wins + draws + losses) FROM pairings WHERE tournament = 1 AND kind <> 'copy'"
    assert query(db, "SELECT sum(matches) FROM crosstable WHERE tournament = 1") == query(db, counted)
    assert query(db, "SELECT count(*) FROM matches_readable WHERE tournament = 1") == [(60,)]
